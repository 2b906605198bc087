"""Searches from a source to one target, which look at a part of the network."""
