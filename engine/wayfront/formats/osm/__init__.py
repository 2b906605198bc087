"""OpenStreetMap data in every form: extracts (PBF, XML), Overpass answers, and graphs that OSMnx saved."""
