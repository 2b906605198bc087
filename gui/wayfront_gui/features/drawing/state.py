"""The graph that is being drawn: what changes it, its states to undo and redo, and what is picked of it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfront.network import small_graphs as editing
from wayfront.network.conventions import UNIT
from wayfront.network.finding import node_called
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.safe.errors import NetworkError
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import History, Notice


@dataclass(frozen=True, slots=True)
class Picked:
    """A node or an arc that was picked; the other is −1."""

    node: int = -1
    arc: int = -1

    def __bool__(self) -> bool:
        return self.node >= 0 or self.arc >= 0


NOTHING = Picked()
FIRST_WEIGHT = 1
"""Of an arc that is drawn, until another is typed."""
_GAP = 60 * UNIT
"""Between nodes that are typed and not yet placed, at least; in microdegrees."""


class GraphEditing:
    """The states of one graph. ``changed`` is called when any of it changes; ``graph_changed`` when the graph does.

    What changes the graph raises ``NetworkError`` where that cannot be, and then changes nothing.
    """

    def __init__(self, _session: Session) -> None:
        self.changed = Notice()
        self.graph_changed = Notice()
        self.on = False
        """Whether the graph can be changed now; its states stay while it cannot."""
        self.picked = NOTHING
        self._history: History[RoadNetwork | None] = History(None)
        self._saved: RoadNetwork | None = None

    @property
    def graph(self) -> RoadNetwork | None:
        """The graph as it is now, None where none was opened to be changed."""
        return self._history.now

    @property
    def unsaved(self) -> bool:
        """Whether the graph was changed since it was opened or saved."""
        return self.graph is not self._saved

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return self.on and bool(self._history.before)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone change to make again."""
        return self.on and bool(self._history.after)

    def begin(self, graph: RoadNetwork) -> None:
        """Change this graph from now on; one that is known already keeps its states."""
        if graph is not self.graph:
            self._history, self._saved, self.picked = History(graph), graph, NOTHING
        self.on = True
        self.changed()

    def end(self) -> None:
        """Change the graph no more."""
        if self.on:
            self.on, self.picked = False, NOTHING
            self.changed()

    def pick(self, picked: Picked) -> None:
        """Pick a node or an arc, or nothing."""
        if picked != self.picked:
            self.picked = picked
            self.changed()

    def take(self, graph: RoadNetwork, picked: Picked = NOTHING) -> None:
        """Have the graph as it is after a change."""
        self._go(self._history.changed(graph), picked)

    def undo(self) -> None:
        """Go back before the last change."""
        self._go(self._history.undone(), NOTHING)

    def redo(self) -> None:
        """Make the change again that was undone last."""
        self._go(self._history.redone(), NOTHING)

    def mark_saved(self, saved: bool = True) -> None:
        """Note that the graph is saved as it is now, or that it is not."""
        self._saved = self.graph if saved else None

    def note_saved(self, graph: RoadNetwork) -> None:
        """Note that a state of the graph was saved."""
        if graph is self.graph:
            self.mark_saved()

    # ---------------------------------------------------------------------------------------------- nodes, arcs

    def add_node(self, place: tuple[int, int] | None = None, name: str = "") -> None:
        """Add a node at a place in microdegrees, or where there is room."""
        graph = editing.with_node(self._now, place or free_place(self._now), name)
        self.take(graph, Picked(node=graph.node_count - 1))

    def join(self, tail: int, head: int, place: tuple[int, int]) -> None:
        """Add an arc to a node, or to a new one at a place if ``head`` is −1."""
        graph = self._now
        if head < 0:
            graph = editing.with_node(graph, place)
            head = graph.node_count - 1
        self._take_arc(editing.with_arc(graph, tail, head, FIRST_WEIGHT), tail)

    def join_called(self, tail: str, head: str, weight: int) -> None:
        """Add an arc between nodes by what they are called; those that do not exist are made."""
        graph = self._now
        for name in (tail, head):
            if find_node(graph, name) is None:
                graph = editing.with_node(graph, free_place(graph), name)
        first = node_called(graph, tail)
        self._take_arc(editing.with_arc(graph, first, node_called(graph, head), weight), first)

    def set_weight(self, arc: int, metric: str | None, weight: int) -> None:
        """Change the weight of an arc in one metric."""
        self.take(editing.with_weight(self._now, arc, metric or self._now.metrics[0].name, weight), Picked(arc=arc))

    def set_name(self, node: int, name: str) -> None:
        """Call a node otherwise."""
        self.take(editing.with_name(self._now, node, name.strip()), Picked(node=node))

    def move(self, node: int, place: tuple[int, int]) -> None:
        """Put a node at another place, in microdegrees."""
        self.take(editing.with_place(self._now, node, place), Picked(node=node))

    def delete(self) -> None:
        """Delete the picked node with its arcs, or the picked arc."""
        if self.picked.node >= 0:
            self.take(editing.without_node(self._now, self.picked.node))
        elif self.picked.arc >= 0:
            self.take(editing.without_arc(self._now, self.picked.arc))

    @property
    def _now(self) -> RoadNetwork:
        if self.graph is None or not self.on:
            raise NetworkError("No graph is being drawn: begin with Edit, Draw graph.")
        return self.graph

    def _take_arc(self, graph: RoadNetwork, tail: int) -> None:
        """Have a graph whose newest arc is the last of ``tail``."""
        self.take(graph, Picked(arc=int(graph.offsets[tail + 1]) - 1))

    def _go(self, history: History[RoadNetwork | None], picked: Picked) -> None:
        if history is not self._history:
            self._history, self.picked = history, picked
            self.graph_changed()
            self.changed()


def weight_of(text: str) -> int:
    """Return a weight that a person typed. Raises ``NetworkError``."""
    plain = text.strip().replace(",", "").replace(" ", "")
    if not (plain.isascii() and plain.isdigit() and len(plain) <= len(str(LARGEST_WEIGHT))):
        raise NetworkError(f"a weight is a whole number from 0 to {LARGEST_WEIGHT:,}")
    return int(plain)


def find_node(graph: RoadNetwork, name: str) -> int | None:
    """Return the node that people call so, None where there is none."""
    try:
        return node_called(graph, name)
    except NetworkError:
        return None


def free_place(graph: RoadNetwork) -> tuple[int, int]:
    """Return a place for a node that was typed, in microdegrees: on a spiral round the others, away from them."""
    if graph.coordinates is None or not graph.node_count:
        return 0, 0
    places = graph.coordinates.astype(np.float64)
    low, high = places.min(axis=0), places.max(axis=0)
    gap = max(float((high - low).max()) / 4, _GAP)
    place = high + gap  # far from all others, should the spiral be full
    for turn in range(1, 4 * len(places) + 8):
        angle, radius = 2.399963 * turn, 0.8 * gap * np.sqrt(turn)
        tried = (low + high) / 2 + radius * np.array([np.cos(angle), np.sin(angle)])
        if np.hypot(*(places - tried).T).min() >= 0.7 * gap:
            place = tried
            break
    return int(place[0]), int(place[1])
