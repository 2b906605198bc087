"""File formats of road networks: one module each, and the registry that lists them."""
