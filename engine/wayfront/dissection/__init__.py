"""Nested dissection: cut a network by its shape, fold it for any weights, and compute trees by (min, +) products."""
