"""What an example is, and how its network is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfront.network.drawing import drawn_at
from wayfront.network.naming import EXAMPLE
from wayfront.network.node_names import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork

_BETWEEN = "–"
"""Joins two nodes that have an arc each way."""
_FROM_TO = "→"


@dataclass(frozen=True, slots=True)
class Example:
    """A small graph that comes with the program.

    name     what is typed behind ``example:``
    title    what it is called on the screen
    source   where it is from, in one sentence
    start    the node from which its book searches
    places   a line for each node: its name, x and y in units of a drawing
    arcs     a line for each node or so: ``A→B 9``, or ``A–B 9`` for an arc each way, with commas between them
    weights  what the weights are: name, unit and scale of the metric
    """

    name: str
    title: str
    source: str
    start: str
    places: str
    arcs: str
    weights: tuple[str, str, float] = ("weight", "", 1.0)

    @property
    def opened_by(self) -> str:
        """The name by which the network is opened."""
        return f"{EXAMPLE}{self.name}"

    def build(self) -> RoadNetwork:
        """Return the network, its nodes in the order of ``places`` with ids from 1 up."""
        rows = [line.rsplit(maxsplit=2) for line in self.places.strip().splitlines()]
        index = {name.strip(): number for number, (name, _, _) in enumerate(rows)}
        arcs = [
            (index[tail], index[head], int(weight))
            for entry in self.arcs.replace("\n", ",").split(",")
            if entry.strip()
            for tail, head, weight in _both_ways(entry.strip())
        ]
        tails, heads, weights = np.array(arcs).T
        return RoadNetwork.from_arcs(
            name=self.title,
            node_count=len(rows),
            tails=tails,
            heads=heads,
            metrics=[Metric(*self.weights, weights)],
            coordinates=drawn_at(np.array([(float(x), float(y)) for _, x, y in rows])),
            node_names=NodeNames.of(list(index)),
            origin=self.opened_by,
            notes=[self.source],
        )


def _both_ways(entry: str) -> list[tuple[str, str, str]]:
    """Return the arcs, as tail, head and weight, that ``A→B 9`` or ``A–B 9`` writes."""
    ends, weight = entry.rsplit(maxsplit=1)
    tail, joined, head = ends.partition(_BETWEEN)
    if joined:
        return [(tail, head, weight), (head, tail, weight)]
    tail, _, head = ends.partition(_FROM_TO)
    return [(tail, head, weight)]
