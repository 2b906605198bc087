"""What is kept of each source of an all-pairs search, and what follows from it for the whole network.

A row of distances is reduced to four figures as soon as it is found, so that nothing here grows with the number of
pairs: eccentricity, farthest node, sum of distances, and number of nodes reached.

**Closeness** is that of Wasserman and Faust, Social Network Analysis, 1994: with r nodes reached, the source among
them, of n, and s the sum of their distances, (r − 1) / (n − 1) · (r − 1) / s. It can be compared between nodes that
reach different numbers of others, which (r − 1) / s cannot.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.file_schema import ArrayField
from wayfront.network.connectivity import in_largest_component

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


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
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0)
        >>> figures = result.figures
        >>> figures.diameter(result.sources, network.node_ids) == result.diameter
        True
        >>> figures.centre(result.sources, network).eccentricity == figures.eccentricity.min()
        np.True_
        >>> figures.at(0) == figures.copy().at(0), figures.closeness(6).argmax() == result.closeness.argmax()
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

    def closeness(self, node_count: int) -> NDArray[np.float64]:
        """Return each source's closeness (Wasserman–Faust), float64 [k].

        It is 0 where no other node is reached, NaN where the source is not finished, and infinite where all distances
        are 0. ``node_count`` is that of the network.
        """
        others = np.maximum(self.reached.astype(np.float64) - 1, 0)
        share = others / max(node_count - 1, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(others > 0, share * others / self.total, 0.0)
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

        Where no finished source is in it, those that reach most nodes are compared; None if none is finished. Of
        several it is the one with the smallest file id. To compare those that reach most in any case would be wrong: at
        the beginning of a one-way street that nothing leads to, a node reaches one more than all that can be reached.
        """
        places = np.flatnonzero(self.done)
        if not len(places):
            return None
        central = in_largest_component(network)[sources[places]]
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


def figure_fields(nodes: str, sources: str) -> tuple[ArrayField, ...]:
    """Return how a file holds sources and their figures; ``nodes`` and ``sources`` are the words for their numbers."""
    return (
        ArrayField(name="sources", dtypes=(np.int32,), counts=sources, below=nodes, distinct=True),
        ArrayField(name="eccentricity", dtypes=(np.int64,), counts=sources),
        ArrayField(name="farthest", dtypes=(np.int32,), counts=sources, below=nodes),
        ArrayField(name="total", dtypes=(np.int64,), counts=sources),
        ArrayField(name="reached", dtypes=(np.int32,), counts=sources, lowest=1),
    )


def _exact_sum(values: NDArray[np.int64]) -> int:
    """Return the sum of numbers that are not negative, exactly."""
    low, high = values & 0xFFFFFFFF, values >> 32
    return int(low.sum(dtype=np.int64)) + (int(high.sum(dtype=np.int64)) << 32)


def _smallest_id(places: NDArray[np.intp], sources: NDArray[np.int32], node_ids: NDArray[np.int64]) -> int:
    return int(places[np.argmin(node_ids[sources[places]])])
