"""A graph of NetworkX as arrays, made by one walk through it and kept by NetworkX with the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT, offsets_of
from wayfront.networkx_backend.searches import Arcs
from wayfront.safe.errors import WayfrontError
from wayfront.searching.all_pairs.call import AT_ONCE_S, WORTH
from wayfront.searching.customised import seconds_to_cut
from wayfront.searching.prepared import Prepared, prepare

EXACT = 2.0**53
"""Whole numbers below this are exact in floating point."""

MOST_HALVINGS = 20


class Graph:
    """Nodes and arcs of a graph, with one or more attributes of its edges as weights, as they were when it was made.

    Of parallel edges the least weight counts, as it does in NetworkX' searches. It is what ``backend="wayfront"`` makes
    of a graph at the first call; NetworkX keeps it in ``G.__networkx_cache__`` until the graph changes.
    """

    __networkx_backend__: str = "wayfront"

    def __init__(self, original: Any, attributes: Mapping[str, Any]) -> None:
        """Walk through a graph; ``attributes`` are names with what an edge without one weighs.

        Raises ``NotImplementedError`` for weights that are no numbers of 64 bits.
        """
        self.original: Any = original
        self.graph: dict[Any, Any] = original.graph
        self.labels: list[Any] = list(original)
        self.index: dict[Any, int] = {node: number for number, node in enumerate(self.labels)}
        self._label_array: NDArray[Any] = np.fromiter(self.labels, object, len(self.labels))
        self._attributes = dict(attributes)
        self._adj: Any = original._adj
        self._offsets, self._heads = self._ends()
        self._arcs: dict[str | None, Weighted] = {
            name: self._weighted(name, default) for name, default in self._attributes.items()
        }

    def _ends(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        offsets = offsets_of([len(heads) for heads in self._adj.values()])
        index = self.index
        heads = (index[head] for heads in self._adj.values() for head in heads)
        return offsets, np.fromiter(heads, np.int32, int(offsets[-1]))

    def _weighted(self, name: str, default: Any) -> Weighted:
        """Return the arcs with an attribute as their weight."""
        rows = self._adj.values()
        try:
            if self.is_multigraph():
                values = [
                    min(data.get(name, default) for data in keys.values()) for row in rows for keys in row.values()
                ]
            else:
                values = [data.get(name, default) for row in rows for data in row.values()]
        except TypeError as unlike:
            raise NotImplementedError(f"parallel edges cannot be compared by {name!r}: {unlike}") from None
        return Weighted(Arcs(self._offsets, self._heads, *_numbers(values, name, len(self))))

    def labels_of(self, nodes: NDArray[np.integer]) -> list[Any]:
        """Return the nodes of some numbers, [k], ascending."""
        return self.labels if len(nodes) == len(self) else self._label_array[nodes].tolist()

    def weighted(self, name: str | None) -> Weighted:
        """Return the arcs with an attribute as their weight; None is 1 for each. Raises ``NotImplementedError``."""
        if name not in self._arcs:
            if name is None:
                ones, whole = np.ones(len(self._heads)), np.zeros(len(self._heads), np.uint8)
                self._arcs[None] = Weighted(Arcs(self._offsets, self._heads, ones, whole))
            else:
                raise NotImplementedError(f"the graph was converted without the weight {name!r}")
        return self._arcs[name]

    @cached_property
    def turned(self) -> Graph:
        """The graph with its arcs turned round: itself where it is undirected."""
        if not self.is_directed():
            return self
        turned = Graph(self.original.reverse(copy=False), self._attributes)
        turned.__dict__["turned"] = self
        return turned

    # ---------------------------------------------------------------------- what NetworkX' own functions ask a graph

    def is_directed(self) -> bool:
        """Return whether edges lead one way."""
        return bool(self.original.is_directed())

    def is_multigraph(self) -> bool:
        """Return whether there may be parallel edges."""
        return bool(self.original.is_multigraph())

    def reverse(self, copy: bool = True) -> Graph:
        """Return the graph with its arcs turned round; it is never a copy."""
        del copy
        return self.turned

    def order(self) -> int:
        """Return the number of nodes."""
        return len(self.labels)

    number_of_nodes: Callable[[Graph], int] = order

    def nbunch_iter(self, nbunch: Any = None) -> Iterator[Any]:
        """Yield the nodes of the graph among some."""
        found: Iterator[Any] = self.original.nbunch_iter(nbunch)
        return found

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self.index
        except TypeError:  # nothing that has no hash is a node
            return False


class Weighted:
    """Arcs with weights, what is known of these, and after many searches the network they are, cut for many more.

    least   the smallest weight, 0 without arcs
    finite  whether all weights are finite
    whole   whether all are whole numbers in Python
    """

    def __init__(self, arcs: Arcs) -> None:
        self.arcs: Arcs = arcs
        self.least: float = float(arcs.weights.min(initial=0.0))
        self.finite: bool = bool(np.isfinite(arcs.weights).all())
        self.whole: bool = not arcs.floating.any()
        self._searched_s = 0.0
        self._prepared: Prepared | None = None

    @cached_property
    def network(self) -> RoadNetwork | None:
        """These arcs as a network; None where sums of its whole weights are not what Python's sums are."""
        weights, nodes = self.arcs.weights, len(self.arcs.offsets) - 1
        if self.least < 0 or not self.finite or not (self.whole or self.arcs.floating.all()):
            return None
        largest = float(weights.max(initial=0.0))
        for halvings in range(MOST_HALVINGS + 1):
            parts = 2.0**halvings
            sums = largest * parts * float(nodes) ** 2
            if largest * parts > LARGEST_WEIGHT or (not self.whole and sums >= EXACT):
                return None
            if (np.rint(weights * parts) == weights * parts).all():
                metric = Metric("weight", "", 1 / parts, (weights * parts).astype(np.int32))
                offsets, heads = self.arcs.offsets, self.arcs.heads
                return RoadNetwork.from_arrays(name="NetworkX graph", offsets=offsets, targets=heads, metrics=[metric])
        return None

    def as_python(self, raw: NDArray[np.integer]) -> list[Any]:
        """Return whole weights of the network, [k], as the numbers that they are in Python."""
        values: list[Any] = (raw if self.whole or self.network is None else self.network.metric().in_unit(raw)).tolist()
        return values

    def note_search(self, seconds: float) -> None:
        """Note how long a search took that would have been shorter on a cut network."""
        self._searched_s += seconds

    def prepared(self) -> Prepared | None:
        """Return these arcs prepared, once searches took so long that cutting repays; None before or if it fails."""
        if self._prepared is None and self._searched_s > AT_ONCE_S:
            network = self.network
            if network is not None and self._searched_s < AT_ONCE_S + WORTH * seconds_to_cut(network):
                return None
            self._searched_s = -math.inf
            if network is not None:
                with suppress(WayfrontError):
                    self._prepared = prepare(network, device="cpu")
        return self._prepared


def _numbers(values: list[Any], name: str, nodes: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return weights as floating point, and which of them are so in Python.

    Raises ``NotImplementedError`` for what is no number of 64 bits, and for whole numbers whose sums need more than 53.
    """
    kinds = set(map(type, values))
    floats = {kind for kind in kinds if issubclass(kind, float)}
    for kind in kinds - floats:
        if not issubclass(kind, int | np.integer | np.bool_):
            raise NotImplementedError(f"a weight {name!r} is a {kind.__name__}, not a number of 64 bits")
    try:
        weights = np.array(values, np.float64)
    except OverflowError:
        weights = np.full(len(values), EXACT)
    if np.isnan(weights).any():
        raise NotImplementedError(f"a weight {name!r} is NaN")
    if not kinds - floats:
        return weights, np.ones(len(values), np.uint8)
    floating = np.fromiter((type(value) in floats for value in values), np.uint8, len(values))
    if np.abs(weights[floating == 0]).max(initial=0.0) * nodes >= EXACT:
        raise NotImplementedError(f"sums of the weight {name!r} may be whole numbers of more than 53 bits")
    return weights, floating
