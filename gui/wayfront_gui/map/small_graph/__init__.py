"""Painting small graphs: arcs, nodes, their texts, and what the signs mean."""
