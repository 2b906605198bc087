"""What is marked on a graph that is being drawn: what is picked, and what the pointer draws. No Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GraphMarks:
    """Node and arc that are picked (−1 for none), and a line from ``tail`` to a place of the plane while it is drawn.

    ``moves`` says that the node itself goes there, instead of a new arc.
    """

    node: int = -1
    arc: int = -1
    tail: int = -1
    end: tuple[float, float] | None = None
    moves: bool = False
