"""Say what a small graph is: a network of which every node and arc can be drawn, named and followed by eye."""

from __future__ import annotations

SMALL = 200
"""The most nodes of a small graph. Of its searches a trace also keeps the distance of every node after every step."""
