"""Results of all pairs: figures of every source, what follows for the network, rows if kept, and turning it round.

A row of distances is reduced to four figures as soon as it is found, so that nothing here grows with the number of
pairs: eccentricity, farthest node, sum of distances, and number of nodes reached. A split node is one node in all of
them, at the copy where ways end, and one source, at the copy where they begin.

**Closeness** is that of Wasserman and Faust, Social Network Analysis, 1994: with r nodes reached, the node itself among
them, of n, and s the sum of their distances, (r − 1) / (n − 1) · (r − 1) / s. It can be compared between nodes that
reach different numbers of others, which (r − 1) / s cannot. On a directed network the field sums the distances *to* a
node, inward, as ``networkx.closeness_centrality`` does; the figures of a source are outward, of the distances from it.
Distances from a node of the reversed network are distances to it in the network itself.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arguments import node_index
from wayfront.network.copies import begin_of, end_of, is_split, node_count_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.structure import in_largest_component
from wayfront.results.histogram import Histogram
from wayfront.results.result import BaseResult, SearchKind
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.schema import ArrayField
from wayfront.safe.text import printable

COLUMN_BLOCK = 1 << 22
"""Entries of a matrix that are read at once where its columns are added up."""

INWARD, OUTWARD = "inward", "outward"
"""Of distances to a node, and from it."""

Int64Array = NDArray[np.int64]


class Pair(NamedTuple):
    """Two nodes, internal numbers, and the shortest distance from the one to the other in raw weights."""

    distance: int
    source: int
    target: int


class Centre(NamedTuple):
    """A node, internal number, and its eccentricity in raw weights."""

    node: int
    eccentricity: int


@dataclass(frozen=True, slots=True, eq=False)
class PairsSummary:
    """What was found of each of k sources; where ``done`` is False the other figures are 0, and ``farthest`` −1.

    eccentricity  int64 [k]: the largest distance to a reached node
    farthest      int32 [k]: that node, internal number; of several the one with the smallest file id
    total         int64 [k]: the sum of the distances to reached nodes
    reached       int32 [k]: how many nodes are reached, with the source itself
    done          bool [k]: whether the source is finished

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu")
        >>> figures = result.figures
        >>> figures.diameter(result.sources, network.node_ids) == result.diameter
        True
        >>> figures.centre(result.sources, network).eccentricity == figures.eccentricity.min()
        np.True_
        >>> figures.at(0) == figures.copy().at(0), figures.closeness(6).argmax() == result.closeness("outward").argmax()
        (True, np.True_)
        >>> some = wayfront.PairsSummary.empty(2)
        >>> some.set([1], 40, 5, 90, 6)
        >>> some.done.tolist(), some.mean[1]
        ([False, True], np.float64(18.0))
    """

    eccentricity: NDArray[np.int64]
    farthest: NDArray[np.int32]
    total: NDArray[np.int64]
    reached: NDArray[np.int32]
    done: NDArray[np.bool_]

    @classmethod
    def empty(cls, count: int) -> PairsSummary:
        """Return the summary of ``count`` sources of which none is finished."""
        return cls(
            eccentricity=np.zeros(count, np.int64),
            farthest=np.full(count, -1, np.int32),
            total=np.zeros(count, np.int64),
            reached=np.zeros(count, np.int32),
            done=np.zeros(count, np.bool_),
        )

    def copy(self) -> PairsSummary:
        """Return a copy whose arrays are read-only."""
        arrays = [getattr(self, field.name).copy() for field in fields(self)]
        for array in arrays:
            array.flags.writeable = False
        return PairsSummary(*arrays)

    def set(self, places: Any, eccentricity: Any, farthest: Any, total: Any, reached: Any) -> None:
        """Note what was found of the sources at ``places``, an index array: they are finished."""
        self.eccentricity[places] = eccentricity
        self.farthest[places] = farthest
        self.total[places] = total
        self.reached[places] = reached
        self.done[places] = True

    def at(self, place: int) -> tuple[int, int, int, int]:
        """Return eccentricity, farthest node, sum and number reached of the source at a place."""
        columns = (self.eccentricity, self.farthest, self.total, self.reached)
        eccentricity, farthest, total, reached = (int(column[place]) for column in columns)
        return eccentricity, farthest, total, reached

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean distance to the other reached nodes, float64 [k]; NaN where there are none."""
        others = self.reached.astype(np.float64) - 1
        return np.divide(self.total, others, out=np.full(len(others), np.nan), where=others > 0)

    def closeness(self, node_count: int, scale: float = 1.0) -> NDArray[np.float64]:
        """Return each source's outward closeness (Wasserman–Faust), float64 [k], of the distances from it.

        It is per unit of the metric with the metric's ``scale``, and per raw weight without. It is 0 where no other
        node is reached, NaN where the source is not finished, and infinite where all distances are 0. ``node_count`` is
        that of the network, split nodes counted once.
        """
        values = closeness_of(self.reached, self.total, node_count, scale)
        return np.where(self.done, values, np.nan)

    def diameter(self, sources: NDArray[np.int32], node_ids: NDArray[np.int64]) -> Pair | None:
        """Return the largest distance of all finished pairs; None if no source is finished.

        Of several pairs it is the one whose source has the smallest file id. ``sources`` are internal numbers [k].
        """
        places = np.flatnonzero(self.done)
        if not len(places):
            return None
        longest = self.eccentricity[places].max()
        best = _smallest_id(places[self.eccentricity[places] == longest], sources, node_ids)
        return Pair(int(longest), int(sources[best]), int(self.farthest[best]))

    def centre(self, sources: NDArray[np.int32], network: RoadNetwork) -> Centre | None:
        """Return the finished source of the smallest eccentricity in the largest strongly connected component.

        ``network`` is the one that was searched, without closed roads. Where no finished source is in that component,
        those that reach most nodes are compared; None if none is finished. Of several it is the one with the smallest
        file id. To compare those that reach most in any case would be wrong: at the beginning of a one-way street that
        nothing leads to, a node reaches one more than all that can be reached.
        """
        places = np.flatnonzero(self.done)
        if not len(places):
            return None
        central = _of_any_copy(network, in_largest_component(network))[sources[places]]
        most = self.reached[places] == self.reached[places].max()
        places = places[central if central.any() else most]
        least = self.eccentricity[places].min()
        best = _smallest_id(places[self.eccentricity[places] == least], sources, network.node_ids)
        return Centre(int(sources[best]), int(least))

    @property
    def pairs_reached(self) -> int:
        """Number of pairs (source, node) with a path, each source with itself among them."""
        return int(self.reached.sum(dtype=np.int64))

    @property
    def sum_distance(self) -> int:
        """Sum of the distances of all pairs that have a path; no number of bits limits it."""
        return _exact_sum(self.total)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairsResult(BaseResult):
    """Distances from k sources to all n nodes, reduced to figures of every source; with ``reverse`` those to them.

    sources       int32 [k], internal node numbers, in the order of ``figures`` and ``matrix``
    figures       eccentricity, farthest node, sum and number reached of every source
    matrix        rows [k, n] of distances in raw weights, int32 or int64, −1 where there is no path, columns by
                  internal number, one for each copy of a split node; a NumPy array, one over a ``.npy`` file, or a
                  Zarr array; None without rows
    matrix_path   the file or folder of the matrix, "" where there is none
    found_before  how many sources a checkpoint already held: the times are those of the others
    device_bytes  what the arrays of sources searched side by side took on the device; None where it is not known
    proved_rows   bool [k]: of which sources the rows were proved right, None where nobody asked for that; figures that
                  a checkpoint held without rows are not proved, and ``verified`` is True only where all are
    compared      how many of these were also compared with the reference Dijkstra
    histogram     all pairs by distance; None where nobody asked for bins

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", sources=[2, 4], keep="matrix")
        >>> int(result.row(4)[4]), result.found()["source_count"], result.summary()["algorithm"]
        (0, 2, 'dijkstra-in-turn')
    """

    kind: ClassVar[SearchKind] = SearchKind.ALL_PAIRS

    sources: NDArray[np.int32]
    figures: PairsSummary
    matrix: Any = None
    matrix_path: str = ""
    found_before: int = 0
    device_bytes: int | None = None
    proved_rows: NDArray[np.bool_] | None = None
    compared: int = 0
    histogram: Histogram | None = None

    def __repr__(self) -> str:
        way = "to" if self.reverse else "from"
        sources = f"{way} {len(self.sources):,} of {node_count_of(self.network):,} nodes"
        return f"<PairsResult {self.algorithm} on {self.device}, {printable(self.network.name)} {sources}>"

    @property
    def proved(self) -> int:
        """How many rows were proved right."""
        return 0 if self.proved_rows is None else int(self.proved_rows.sum())

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean distance from each source to the other nodes it reaches, float64 [k]; NaN where there are none."""
        return self.figures.mean

    def closeness(self, direction: str = INWARD) -> NDArray[np.float64]:
        """Return each source's closeness (Wasserman–Faust) per unit of the metric, float64 [k].

        "inward", the field's, is of the distances to the node, as ``networkx.closeness_centrality``; "outward" is of
        those from it. It is 0 where no other node counts, and infinite where all distances are 0. The module's text has
        the formula.

        Raises ``OptionError`` for another direction, and ``NetworkError`` where the inward one is not known, with
        ``reverse`` the outward one: that takes the matrix of all nodes, or a network where every arc has one of the
        same weight the other way.
        ``wayfront.closeness`` finds it in any case.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:ring?nodes=6")
            >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", keep="matrix")
            >>> result.closeness().shape, result.closeness("outward").shape
            ((6,), (6,))
        """
        (n, count), scale = (self.network.node_count, node_count_of(self.network)), self.metric.scale
        found = INWARD if self.reverse else OUTWARD
        if check_direction(direction) == found or is_symmetric(*self.searched):
            return self.figures.closeness(count, scale)
        if self.matrix is None or len(self.sources) < count:
            every, these = ("from every node", "to sources") if self.reverse else ("to every node", "from sources")
            raise NetworkError(
                f"{self.network.name}: {direction} closeness takes the distances {every}, and these are those {these}: "
                f"ask wayfront.closeness for it, or for direction='{found}' here"
            )
        reached, total = np.zeros(n, np.int64), np.zeros(n, np.int64)
        at_once = max(1, COLUMN_BLOCK // n)
        for first in range(0, n, at_once):
            rows = np.asarray(self.matrix[first : first + at_once])
            reached += (rows >= 0).sum(axis=0)
            total += np.where(rows < 0, 0, rows).sum(axis=0, dtype=np.int64)
        at = end_of(self.network, self.sources, reverse=self.reverse)
        return closeness_of(reached[at], total[at], count, scale)

    @property
    def diameter(self) -> Pair:
        """The largest distance of all pairs with a path, from the one's source to its target.

        Of several pairs it is the one with the smallest file id among ``sources``.
        """
        found = self.figures.diameter(self.sources, self.network.node_ids)
        assert found is not None
        return Pair(found.distance, found.target, found.source) if self.reverse else found

    @property
    def centre(self) -> Centre:
        """The source of the smallest eccentricity in the largest strongly connected component; see ``PairsSummary``."""
        found = self.figures.centre(self.sources, self.searched[0])
        assert found is not None
        return found

    @property
    def pairs_reached(self) -> int:
        """Number of pairs (source, node) with a path, each source with itself among them."""
        return self.figures.pairs_reached

    @property
    def pairs_unreached(self) -> int:
        """Number of pairs (source, node) without a path."""
        return len(self.sources) * node_count_of(self.searched[0]) - self.pairs_reached

    @property
    def sum_distance(self) -> int:
        """Sum of the distances of all pairs with a path."""
        return self.figures.sum_distance

    @property
    def trees_per_s(self) -> float | None:
        """Sources searched from in a second, by the median of the timed runs; None without one."""
        searched, median_ms = len(self.sources) - self.found_before, self.timing.median_ms
        return searched / median_ms * 1e3 if median_ms else None

    def row(self, source: int) -> NDArray[Any]:
        """Return the distances [n] from a source (internal number), with ``reverse`` to it, −1 where there is no path.

        Raises ``NetworkError`` where no rows were kept, or where the node is none of the sources.
        """
        source = node_index(source, self.network)
        places = np.flatnonzero(self.sources == begin_of(self.network, source, reverse=self.reverse))
        if self.matrix is None or not len(places):
            why = "rows were not kept: search again with keep='matrix'" if self.matrix is None else "it is no source"
            raise NetworkError(f"{self.network.name} has no row of internal node {source}: {why}")
        return np.asarray(self.matrix[int(places[0])])

    def found(self) -> dict[str, Any]:
        """Return sources, pairs, diameter and centre, as ``wayfront all-pairs --json`` prints them."""
        ids = self.network.node_ids
        diameter, centre = self.diameter, self.centre
        return {
            "source_count": len(self.sources),
            "found_before": self.found_before,
            "pairs_reached": self.pairs_reached,
            "pairs_unreached": self.pairs_unreached,
            "sum_distance": self.sum_distance,
            "diameter": {
                "distance": diameter.distance,
                "from": int(ids[diameter.source]),
                "to": int(ids[diameter.target]),
            },
            "centre": {"node": int(ids[centre.node]), "eccentricity": centre.eccentricity},
            "device_bytes": self.device_bytes,
            "trees_per_s": self.trees_per_s,
            "matrix": self.matrix_path or None,
            "rows_proved": self.proved,
            "rows_compared": self.compared,
            "histogram": None if self.histogram is None else self.histogram.summary(),
        }


def closeness_of(
    reached: NDArray[np.integer[Any]], total: NDArray[np.integer[Any]], node_count: int, scale: float
) -> NDArray[np.float64]:
    """Return the closeness (Wasserman–Faust) float64 [k] of nodes that count ``reached`` [k] nodes, each itself among
    them, and whose distances have the sums ``total`` [k] in raw weights of ``scale`` units.
    """
    others = np.maximum(reached.astype(np.float64) - 1, 0)
    share = others / max(node_count - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(others > 0, share * others / (total * scale), 0.0)


def figure_fields(nodes: str, sources: str) -> tuple[ArrayField, ...]:
    """Return how a file holds sources and their figures; ``nodes`` and ``sources`` are the words for their numbers."""
    return (
        ArrayField(name="sources", dtypes=(np.int32,), counts=sources, below=nodes, distinct=True),
        ArrayField(name="eccentricity", dtypes=(np.int64,), counts=sources),
        ArrayField(name="farthest", dtypes=(np.int32,), counts=sources, below=nodes),
        ArrayField(name="total", dtypes=(np.int64,), counts=sources),
        ArrayField(name="reached", dtypes=(np.int32,), counts=sources, lowest=1),
    )


def _of_any_copy(network: RoadNetwork, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes have a copy that is chosen, bool [n]: no search comes to the first copies of split ones."""
    if not is_split(network):
        return chosen
    some, first = np.zeros_like(chosen), begin_of(network, np.arange(len(chosen), dtype=np.int32))
    some[first[chosen]] = True
    return some[first]


def _exact_sum(values: NDArray[np.int64]) -> int:
    """Return the sum of numbers that are not negative, exactly."""
    low, high = values & 0xFFFFFFFF, values >> 32
    return int(low.sum(dtype=np.int64)) + (int(high.sum(dtype=np.int64)) << 32)


def _smallest_id(places: NDArray[np.intp], sources: NDArray[np.int32], node_ids: NDArray[np.int64]) -> int:
    return int(places[np.argmin(node_ids[sources[places]])])


def check_direction(direction: str) -> str:
    """Return a direction. Raises ``OptionError`` unless it is one."""
    if direction not in (INWARD, OUTWARD):
        raise OptionError(
            f"a direction is {INWARD!r} (distances to a node) or {OUTWARD!r} (from it), not {direction!r}"
        )
    return direction


def is_symmetric(network: RoadNetwork, metric: Metric) -> bool:
    """Return whether every arc has one of the same weight the other way, the lightest of parallel ones taken.

    Then the distance from one node to another is that back. Costs a sort of the arcs.
    """
    tails, heads = network.tails().astype(np.int64), network.targets.astype(np.int64)
    one_way = _lightest(tails, heads, metric.weights)
    other_way = _lightest(heads, tails, metric.weights)
    return all(np.array_equal(here, there) for here, there in zip(one_way, other_way, strict=True))


def _lightest(tails: Int64Array, heads: Int64Array, weights: NDArray[np.int32]) -> tuple[Int64Array, ...]:
    """Return tails, heads and weights without parallel arcs, in order."""
    order = np.lexsort((weights, heads, tails))
    tails, heads = tails[order], heads[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    return tails[first], heads[first], weights[order][first].astype(np.int64)
