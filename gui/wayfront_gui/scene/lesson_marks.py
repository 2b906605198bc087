"""What a lesson points out on the map, and what was answered there. No Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonMarks:
    """Nodes by what they mean, as internal numbers, and arcs as (tail, head).

    nodes    what a moment points out
    picked   chosen as nodes that come next; then ``right``, ``wrong`` or ``missed``
    """

    nodes: tuple[int, ...] = ()
    arcs: tuple[tuple[int, int], ...] = ()
    picked: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()
