"""The graphs that several papers share."""

from __future__ import annotations

from wayfront.papers.description import Graph

NEW_YORK = Graph("New York", "dimacs:NY", sum_distance=186_686_642_878)
COLORADO = Graph("Colorado", "dimacs:COL")
FLORIDA = Graph("Florida", "dimacs:FLA")
CALIFORNIA = Graph("California", "dimacs:CAL")
EAST = Graph("eastern USA", "dimacs:E")

GRAPH_4096 = Graph("Graph4096", "synthetic:regular?nodes=4096&degree=6")
GRAPH_65536 = Graph("Graph65536", "synthetic:regular?nodes=65536&degree=6")

WHOLE_SEARCH = (
    "a whole search from node 1, its input on the device and everything compiled; opening, copying back and making the "
    "tree are left out"
)
"""What is timed of a search from one source."""
