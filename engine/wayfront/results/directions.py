"""Directions of a route: where to turn, into which road, and how far to follow it.

A person is told of a junction where the road's name changes, or where the way leaves the direction that a driver would
keep by himself. All else is one step: a road that bends, one that is cut into many arcs, and a nameless piece across a
square between two parts of one road. Angles are measured along the roads' shapes over the first metres from a junction,
since the very first point of a shape may lie in its corner. Networks do not say what is a roundabout, so none is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from wayfront.network.conventions import is_drawing
from wayfront.network.headings import heading, turned_by
from wayfront.network.road_network import Metric
from wayfront.network.schema import NO_NAME
from wayfront.results.route import Route

PIECE_M = 100.0
"""A nameless piece that is shorter, between two parts of one road, belongs to it."""
STRAIGHT, SLIGHT, RIGHT_ANGLE, SHARP = 25.0, 50.0, 125.0, 165.0
"""Degrees up to which a turn is none, slight, an ordinary one, and sharp; beyond it leads back."""
STRAIGHTER = 15.0
"""By so many degrees another road has to be straighter than one of the same name for it to be a turn."""


class Turn(StrEnum):
    """What is done at the beginning of a step."""

    DEPART = "depart"
    ON = "on"
    STRAIGHT = "straight"
    SLIGHT_LEFT = "slight left"
    LEFT = "left"
    SHARP_LEFT = "sharp left"
    SLIGHT_RIGHT = "slight right"
    RIGHT = "right"
    SHARP_RIGHT = "sharp right"
    U_TURN = "u-turn"
    ARRIVE = "arrive"


INTO = {
    Turn.ON: "Take {road}",
    Turn.STRAIGHT: "Straight on into {road}",
    Turn.SLIGHT_LEFT: "Slightly left into {road}",
    Turn.LEFT: "Left into {road}",
    Turn.SHARP_LEFT: "Sharp left into {road}",
    Turn.SLIGHT_RIGHT: "Slightly right into {road}",
    Turn.RIGHT: "Right into {road}",
    Turn.SHARP_RIGHT: "Sharp right into {road}",
    Turn.U_TURN: "Turn back into {road}",
}
STAYING = {
    Turn.SLIGHT_LEFT: "Slightly left, staying on {road}",
    Turn.LEFT: "Left, staying on {road}",
    Turn.SHARP_LEFT: "Sharp left, staying on {road}",
    Turn.SLIGHT_RIGHT: "Slightly right, staying on {road}",
    Turn.RIGHT: "Right, staying on {road}",
    Turn.SHARP_RIGHT: "Sharp right, staying on {road}",
    Turn.U_TURN: "Turn back, staying on {road}",
}
DEPARTING = "Head {compass} on {road}", "Start on {road}", "Start at node {node}"
ARRIVING = (
    "Arrive on {road}, heading {compass}",
    "Arrive on {road}",
    "Arrive at node {node}, heading {compass}",
    "Arrive at node {node}",
)
TO_NODE = "Go to node {node}"
KINDS = "a minor road", "a secondary road", "a main road", "a motorway"
"""What a road without a name is called, by its class …"""
ROAD = "a road"
"""… and where that is unknown."""
COMPASS = "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"
TEXTS = (*INTO.values(), *STAYING.values(), *DEPARTING, *ARRIVING, TO_NODE, *KINDS, ROAD, *COMPASS)
"""All that directions are made of, for those who translate them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of directions: a turn, and the way up to the next one.

    name      of the road that is followed, "" where it has none; ``kind`` is then what it is called
    compass   the direction of the first and of the last step, "" where it is unknown
    node      what people call the node that the step leads to; of the first and the last step, the node where it is
    template  the sentence, with the fields ``road``, ``compass`` and ``node``
    index     place of the step's first node in the route; the way goes on for ``arc_count`` arcs
    length    raw weight of these arcs by ``metric``: the network's length, else what was searched by
    """

    turn: Turn
    name: str
    kind: str
    compass: str
    node: str
    template: str
    index: int
    arc_count: int
    length: int
    length_m: float | None
    time_s: float | None
    metric: Metric = field(repr=False, compare=False)

    @property
    def measured(self) -> str:
        """The length with its unit, "" for the last step, which has none."""
        return self.metric.describe(self.length) if self.arc_count else ""

    @property
    def text(self) -> str:
        """The sentence, in English."""
        return self.template.format(road=self.name or self.kind, compass=self.compass, node=self.node)

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.text, self.measured)))

    def record(self) -> dict[str, Any]:
        """Return the step as JSON values."""
        facts = {"turn": self.turn.value, "text": self.text, "name": self.name, "node": self.node}
        return facts | {"arcs": self.arc_count, "length_m": self.length_m, "time_s": self.time_s}


def directions(route: Route, *, on_map: bool = True) -> tuple[Step, ...]:
    """Return the steps of a route from departing to arriving; none where the route has no arcs.

    Turns are told of maps: a drawing whose weights have no unit has none, nor has a network whose coordinates were made
    up (``on_map`` false).

    >>> import wayfront
    >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
    >>> route = wayfront.search(network, 0, "dijkstra", "cpu").route(1)
    >>> str(wayfront.directions(route)[-1])
    'Arrive at node 2, heading east'
    """
    return _Way(route, on_map).steps() if len(route) > 1 else ()


class _Way:
    """A route with what its arcs are called and where they lead to."""

    def __init__(self, route: Route, on_map: bool) -> None:
        network = self._network = route.network
        self._route, self._arcs, self._nodes = route, route.arcs, route.nodes.tolist()
        self._metric = next((m for m in network.metrics if m.unit == "m"), route.metric)
        self._weights = self._metric.weights[self._arcs].astype(np.int64)
        self._names = self._named()
        drawn = is_drawing(network) and not any(metric.unit for metric in network.metrics)
        self._has_map = on_map and network.coordinates is not None and not drawn

    def steps(self) -> tuple[Step, ...]:
        """Return the steps."""
        turns = ((index, self._turn(index)) for index in range(1, len(self._arcs)))
        begins = [(0, Turn.DEPART, False), *((index, *turn) for index, turn in turns if turn is not None)]
        ends = [index for index, _, _ in begins[1:]] + [len(self._arcs)]
        found = [self._step(*begin, end) for begin, end in zip(begins, ends, strict=True)]
        return (*found, self._arrival())

    # ------------------------------------------------------------------------------------------------- names

    def _named(self) -> list[int]:
        """Return the number of each arc's name, that of the road around it for a short nameless piece of a road."""
        names = self._network.road_names
        if names is None:
            return [NO_NAME] * len(self._arcs)
        found = names.of_arc[self._arcs].tolist()
        in_metres = self._metric.unit == "m"
        runs = _runs(found)
        for before, piece, after in zip(runs, runs[1:], runs[2:], strict=False):
            if found[piece[0]] == NO_NAME and found[before[0]] == found[after[0]]:
                length = float(self._weights[piece[0] : piece[1]].sum() * self._metric.scale)
                if in_metres and length <= PIECE_M:
                    found[piece[0] : piece[1]] = [found[before[0]]] * (piece[1] - piece[0])
        return found

    def _name(self, index: int) -> str:
        names, number = self._network.road_names, self._names[index]
        return "" if names is None or number == NO_NAME else names.names[number]

    def _kind(self, index: int) -> str:
        classes = self._network.road_class
        return ROAD if classes is None else KINDS[int(classes[self._arcs[index]])]

    # ------------------------------------------------------------------------------------------------- turns

    def _turn(self, index: int) -> tuple[Turn, bool] | None:
        """Return the turn where an arc begins, and whether the road's name stays; None where there is none to tell."""
        before, here = self._names[index - 1], self._names[index]
        renamed = before != here
        back = self._nodes[index + 1] == self._nodes[index - 1]
        if not self._has_map:
            nameless = before == here == NO_NAME
            return (Turn.U_TURN if back else Turn.ON, not renamed) if back or renamed or nameless else None
        angle = 180.0 if back else self._angle(index, int(self._arcs[index]))
        others = [] if back else self._others(index)
        if abs(angle) > SHARP:
            return Turn.U_TURN, not renamed and here != NO_NAME
        if not renamed:
            straighter = any(abs(other) + STRAIGHTER < abs(angle) for other in others)
            if abs(angle) <= SLIGHT or not straighter:
                return None
        return (_named_turn(angle) if others else Turn.STRAIGHT), not renamed and here != NO_NAME

    def _angle(self, index: int, onto: int) -> float:
        """Return by how many degrees an arc leaves the way's direction at its node ``index``, to the right above 0."""
        before, here = int(self._arcs[index - 1]), self._nodes[index]
        return turned_by(self._network, before, self._nodes[index - 1], onto, here)

    def _others(self, index: int) -> list[float]:
        """Return the angles of the other roads on which one could go on at a node of the way."""
        network, node = self._network, self._nodes[index]
        away = {node, self._nodes[index - 1], self._nodes[index + 1]}
        arcs = range(int(network.offsets[node]), int(network.offsets[node + 1]))
        return [self._angle(index, arc) for arc in arcs if int(network.targets[arc]) not in away]

    # ------------------------------------------------------------------------------------------------- steps

    def _compass(self, arc: int, tail: int, *, at_end: bool) -> str:
        if not self._has_map:
            return ""
        return COMPASS[round(heading(self._network, arc, tail, at_end=at_end) / 45.0) % 8]

    def _step(self, first: int, turn: Turn, stays: bool, last: int) -> Step:
        compass, network = "", self._network
        name, node = self._name(first), network.node_name(self._nodes[last])
        template = TO_NODE if turn is Turn.ON and not name else STAYING[turn] if stays and name else INTO.get(turn, "")
        if turn is Turn.DEPART:
            compass = self._compass(int(self._arcs[0]), self._nodes[0], at_end=False)
            node = network.node_name(self._nodes[0])
            template = DEPARTING[0 if compass else 1 if name else 2]
        metres, seconds = self._sum("m", first, last), self._sum("s", first, last)
        length, kind, arcs = int(self._weights[first:last].sum()), self._kind(first), last - first
        return Step(turn, name, kind, compass, node, template, first, arcs, length, metres, seconds, self._metric)

    def _arrival(self) -> Step:
        last = len(self._arcs) - 1
        name, node = self._name(last), self._network.node_name(self._nodes[-1])
        compass = self._compass(int(self._arcs[-1]), self._nodes[-2], at_end=True)
        template = ARRIVING[(0 if compass else 1) if name else (2 if compass else 3)]
        kind = self._kind(last)
        return Step(Turn.ARRIVE, name, kind, compass, node, template, last + 1, 0, 0, None, None, self._metric)

    def _sum(self, unit: str, first: int, last: int) -> float | None:
        """Return the weight of some arcs of the way in a unit, None where no metric has it."""
        metrics = (self._route.metric, *self._network.metrics)
        metric = next((metric for metric in metrics if metric.unit == unit), None)
        if metric is None:
            return None
        return float(metric.weights[self._arcs[first:last]].sum(dtype=np.int64) * metric.scale)


def _runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """Return where equal values stand together: the first index of each run, and that behind it."""
    changes = [index for index in range(1, len(values)) if values[index] != values[index - 1]]
    return list(zip([0, *changes], [*changes, len(values)], strict=True))


def _named_turn(angle: float) -> Turn:
    size, right = abs(angle), angle > 0
    if size <= STRAIGHT:
        return Turn.STRAIGHT
    if size <= SLIGHT:
        return Turn.SLIGHT_RIGHT if right else Turn.SLIGHT_LEFT
    if size <= RIGHT_ANGLE:
        return Turn.RIGHT if right else Turn.LEFT
    return Turn.SHARP_RIGHT if right else Turn.SHARP_LEFT
