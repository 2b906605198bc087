"""The distances that everything timed is compared with: those of a Dijkstra that the certificate proved right."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks.other_programs import NO_PATH
from wayfront.devices import CPU
from wayfront.errors import CertificateError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.call import search
from wayfront.synthetic.portable_random import Draws

SEED = 11
REFERENCE = "dijkstra"


class Reference:
    """Proven distances from some random sources, kept as digests: whole rows of large networks would fill the memory.

    ``order`` holds all nodes in random order, int32 [n], the first of which are ``sources``.
    """

    def __init__(self, network: RoadNetwork, metric: Metric, count: int) -> None:
        self._network = network
        self.order: NDArray[np.int32] = Draws(SEED).permutation(network.node_count).astype(np.int32)
        self.sources: NDArray[np.int32] = self.order[:count]
        self._digests: dict[int, bytes] = {}
        self._parents: dict[int, bytes] = {}
        self._figures: dict[int, tuple[int, int, int]] = {}
        for source in self.sources.tolist():
            found = search(network, source, REFERENCE, CPU, metric=metric.name, runs=0, trace_budget=None, verify=True)
            distances = whole(found.distances)
            reached = distances[distances != NO_PATH]
            self._digests[source] = _digest(distances)
            self._parents[source] = _digest(found.parents)
            self._figures[source] = int(reached.max()), int(reached.sum()), len(reached)

    def compare(self, who: str, source: int, distances: NDArray[np.int64]) -> None:
        """Raise ``CertificateError`` unless these are the distances from a source, −1 where there is no path."""
        if _digest(distances) != self._digests[source]:
            self._refuse(who, source)

    def compare_parents(self, who: str, source: int, parents: NDArray[np.int32]) -> None:
        """Raise ``CertificateError`` unless these are the parents in the one tree from a source."""
        if _digest(parents) != self._parents[source]:
            self._refuse(who, source)

    def compare_figures(self, who: str, found: PairsResult) -> None:
        """Raise ``CertificateError`` unless the figures of all proven sources among these are right."""
        places = {source: place for place, source in enumerate(found.sources.tolist())}
        figures = found.figures
        for source, expected in self._figures.items():
            place = places.get(source)
            if place is None:
                continue
            got = figures.eccentricity[place], figures.total[place], figures.reached[place]
            if tuple(int(value) for value in got) != expected:
                self._refuse(who, source)

    def _refuse(self, who: str, source: int) -> None:
        node = self._network.node_ids[source]
        raise CertificateError(
            f"{who} does not find what a proven search finds from node {node} of {self._network.name}, so its "
            "time says nothing"
        )


def whole(distances: NDArray[Any]) -> NDArray[np.int64]:
    """Return a search's distances as int64, −1 where there is no path."""
    infinity = np.iinfo(distances.dtype).max
    return np.where(distances == infinity, NO_PATH, distances).astype(np.int64)


def _digest(values: NDArray[Any]) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(values, np.int64).data, digest_size=16).digest()
