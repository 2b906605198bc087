"""What a lesson points out on the map, and what was answered there. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wayfront.network.finding import node_called

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.lessons.lesson import Marks


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

    @classmethod
    def of(cls, marks: Marks, network: RoadNetwork) -> LessonMarks:
        """Return what a moment points out on its network. Raises ``NetworkError`` for a node that is not there."""
        arcs = ((node_called(network, tail), node_called(network, head)) for tail, head in marks.arcs)
        return cls(nodes=tuple(node_called(network, node) for node in marks.nodes), arcs=tuple(arcs))
