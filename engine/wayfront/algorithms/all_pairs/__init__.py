"""Searches for the distances between all pairs of nodes."""
