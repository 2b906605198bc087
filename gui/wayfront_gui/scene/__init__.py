"""What the map shows, without Qt: geometry, raster kernels, style, scene and picking."""
