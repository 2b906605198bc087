"""The map: raster, shading, picking, and the view that shows them."""
