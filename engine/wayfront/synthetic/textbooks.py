"""Small graphs of textbooks and papers, opened by names such as ``example:paper-e``.

``EXAMPLES`` lists them, ``textbooks.toml`` holds them; a network's ``origin`` is its name. Each has names for its nodes
and places on paper, and says in its notes where it is from.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wayfront.network.conventions import EXAMPLE, drawn_at
from wayfront.network.details import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import OptionError

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
        arcs = []
        for entry in filter(str.strip, self.arcs.replace("\n", ",").split(",")):
            ends, weight = entry.rsplit(maxsplit=1)
            tail, head = (index[name.strip()] for name in ends.replace(_BETWEEN, _FROM_TO).split(_FROM_TO))
            arcs.append((tail, head, int(weight)))
            if _BETWEEN in ends:
                arcs.append((head, tail, int(weight)))
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


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
EXAMPLES = tuple(Example(**entry) for entry in _TABLE["example"])
_BY_NAME = {example.opened_by: example for example in EXAMPLES}


def from_name(name: str) -> RoadNetwork:
    """Return the network of a name such as ``example:paper-e``. Raises ``OptionError`` naming those there are."""
    example = _BY_NAME.get(name.strip().lower())
    if example is None:
        raise OptionError(f"there is no example {name[:80]!r}; there are: {', '.join(_BY_NAME)}")
    return example.build()


def start_of(network: RoadNetwork) -> str:
    """Return the name of the node from which an example's book searches, "" for a network that is no example."""
    example = _BY_NAME.get(network.origin)
    return "" if example is None else example.start
