"""What a card's engine finds, compared with searches in plain Python: trees, batches, figures, and after changes."""

from __future__ import annotations

import heapq
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from wayfront import RoadNetwork
from wayfront.devices import open_device
from wayfront.devices.device import no_check
from wayfront.dissection.card import many, restricted
from wayfront.dissection.card.batch import GROUP
from wayfront.dissection.card.engine import CardEngine, NarrowCardEngine
from wayfront.dissection.card.layout import FRONT, FRONT_SIZE
from wayfront.dissection.card.many import infinity_of
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.points import Seeds, Targets


class Case:
    """An engine on a device, and the weights that it was given; ``wrong`` names what was not as it should be."""

    def __init__(self, network: RoadNetwork, device_id: str, dtype: Any) -> None:
        self.network, self.dtype, self.wrong = network, np.dtype(dtype), list[str]()
        self.device = open_device(device_id)
        self.weights = network.metrics[0].weights.astype(np.int64)
        kind = NarrowCardEngine if dtype == np.int32 else CardEngine
        self.engine = kind(self.device, dissect(network), network, dtype)

    def customise(self) -> None:
        """Customise for the weights."""
        self.expect("customise", self.engine.customise(self.weights.astype(np.int32)))
        self.check_largest()

    def change(self, arcs: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Give arcs other weights."""
        self.weights[arcs] = weights
        self.expect("change", self.engine.change(arcs, weights.astype(np.int32)))

    def check_largest(self) -> None:
        """Check the largest entries of R and of L at each depth, by which the engine knows whether its type does."""
        engine, get = self.engine, self.device.get
        matrices, infinity = engine._matrices, infinity_of(self.dtype)
        found, r, left = get(matrices.largest), get(matrices.r), get(matrices.l)
        expected = np.zeros_like(found)
        for front in engine._layout.records.reshape(-1, FRONT_SIZE):
            s, a, depth = front[FRONT.nodes], front[FRONT.border], front[FRONT.depth]
            entries = r[front[FRONT.r_at] :][: s * (s + a)], left[front[FRONT.l_at] :][: s * a]
            for at, some in enumerate(entries, 1 + 2 * depth):
                expected[at] = max(expected[at], some[some < infinity].max(initial=0))
        self.expect("largest entries", (found[1:] == expected[1:]).all() and found[0] >= expected.max())

    def expect(self, what: str, truth: Any) -> None:
        """Note what is wrong."""
        if not truth:
            self.wrong.append(what)

    def rows(self, sources: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the distances that a plain search finds without closed arcs, -1 where there is no path."""
        return np.array([self._row(source) for source in sources.tolist()], np.int64)

    def _row(self, source: int) -> list[int]:
        offsets, heads, weights = self.network.offsets.tolist(), self.network.targets.tolist(), self.weights.tolist()
        found = [-1] * self.network.node_count
        heap = [(0, source)]
        while heap:
            distance, node = heapq.heappop(heap)
            if found[node] < 0:
                found[node] = distance
                arcs = [arc for arc in range(offsets[node], offsets[node + 1]) if weights[arc] >= 0]
                for arc in arcs:
                    heapq.heappush(heap, (distance + weights[arc], heads[arc]))
        return found

    def check_trees(self, sources: NDArray[np.int32]) -> None:
        """Check the tree of each source."""
        for source, expected in zip(sources.tolist(), self.rows(sources), strict=True):
            found = self.device.empty(self.network.node_count, self.dtype)
            self.engine.tree(source, found)
            self.expect(f"tree of {source}", (self._read(found) == expected).all())

    def check_batches(self, sources: NDArray[np.int32]) -> None:
        """Check batches, node after node and source after source, and figures where there are any."""
        n, k, expected = self.network.node_count, len(sources), self.rows(sources)
        for what, strides in (("sources side by side", (1, k)), ("rows", (n, 1))):
            rows = self.device.empty(n * k, self.dtype)
            self.engine.trees(sources, rows, *strides)
            found = self._read(rows).reshape((n, k) if strides[0] == 1 else (k, n))
            self.expect(what, ((found.T if strides[0] == 1 else found) == expected).all())
        if isinstance(self.engine, NarrowCardEngine):
            self.check_figures(sources, expected)

    def check_figures(self, sources: NDArray[np.int32], expected: NDArray[np.int64]) -> None:
        """Check figures against rows."""
        assert isinstance(self.engine, NarrowCardEngine)
        found, rank = self.engine.figures(sources), self.network.id_order()[1]
        farthest = [rank[row == row.max()].min() for row in expected]
        self.expect("eccentricities", (found.eccentricity == expected.max(1)).all())
        self.expect("farthest nodes", (found.farthest == farthest).all())
        self.expect("totals", (found.total == np.maximum(expected, 0).sum(1)).all())
        self.expect("numbers reached", (found.reached == (expected >= 0).sum(1)).all())

    def check_matrix(self, origins: NDArray[np.int32], destinations: NDArray[np.int32]) -> None:
        """Check a matrix from two nodes each, the second at a distance of 7, to two each, the second of them 5 away."""
        k, count = len(origins) // 2, len(destinations) // 2
        cut, ends = dissect(self.network), destinations.reshape(2, count).T
        nodes = cut.node_at[np.unique(cut.position[ends])]
        numbers = np.searchsorted(cut.position[nodes], cut.position[ends]).astype(np.int32)
        numbers[0, 1] = len(nodes)
        targets = Targets(nodes, numbers, np.tile(np.array([0, 5], self.dtype), (count, 1)))
        seeds = Seeds(np.arange(k + 1) * 2, origins[: 2 * k], np.tile(np.array([0, 7], self.dtype), k))
        found: NDArray[Any] = np.empty((k, count), self.dtype)
        part_bytes = 3 * count * self.dtype.itemsize
        few = mock.patch.object(many, "SIDE_BY_SIDE", GROUP)
        with few, mock.patch.multiple(restricted, PART_BYTES=part_bytes, SHARED_BYTES=part_bytes):
            self.engine.towards(targets).rows(seeds, found, no_check)
        rows = self.rows(origins[: 2 * k]).reshape(k, 2, -1)
        for i in range(k):
            for j in range(count):
                ways = [(rows[i, a, ends[j, b]], 7 * a + 5 * b) for a in (0, 1) for b in (0, 1) if (j, b) != (0, 1)]
                best = min((d + more for d, more in ways if d >= 0), default=-1)
                self.expect(f"from origin {i} to destination {j}", found[i, j] == best)

    def _read(self, array: Any) -> NDArray[np.int64]:
        found = self.device.get(array).astype(np.int64)
        return np.where(found == np.iinfo(self.dtype).max, -1, found)


def wrong_answers(
    network: RoadNetwork, device_id: str, *, dtype: Any, trees: int, batch: int, changes: int, seed: int
) -> list[str]:
    """Return what an engine finds wrongly: some trees, a batch with figures, and trees after closing and reopening."""
    rng = np.random.default_rng(seed)
    case = Case(network, device_id, dtype)
    case.customise()
    n, m = network.node_count, network.arc_count
    case.check_trees(rng.integers(0, n, trees).astype(np.int32))
    if batch:
        case.check_batches(rng.integers(0, n, batch).astype(np.int32))
        case.check_matrix(*rng.integers(0, n, (2, 2 * batch)).astype(np.int32))
    for _ in range(changes):
        arcs = np.unique(rng.integers(0, m, 1 + m // 50))
        before = case.weights[arcs]
        case.change(arcs, np.where(rng.random(len(arcs)) < 0.5, -1, rng.integers(0, 100, len(arcs))))
        case.check_trees(rng.integers(0, n, 1).astype(np.int32))
        case.change(arcs, before)
    if changes:
        case.check_trees(rng.integers(0, n, 1).astype(np.int32))
    return case.wrong
