"""Nested dissection: cut a network by its shape, customise it for weights, make trees by (min, +) products."""
