"""Road networks: the frozen arrays, their invariants, connectivity, regions and layout."""
