"""Prepare a network once, then make trees, close roads and change weights, each in a fraction of a search's time.

    prepared = wayfront.prepare(network)
    result = prepared.tree(network.node(1))
    prepared.close(wayfront.arcs_between(network, [4], [5]))
    detour = prepared.tree(network.node(1))

Preparing cuts the network (once for its shape, kept in the cache) and customises it for a metric. A closed road or
another weight eliminates anew only in the cells above it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import open_device
from wayfront.devices.compiling import loop
from wayfront.devices.device import Ability, Check, Device
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.engine import CLOSED, Engine, FindsPairs, make_engine
from wayfront.dissection.points import most_costs
from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of
from wayfront.kernels.parents import ParentPass
from wayfront.network.arcs import NOTHING_CLOSED, checked_arcs
from wayfront.network.arguments import node_index, require_network, whole_number
from wayfront.network.copies import begin_of, end_of
from wayfront.network.ends import Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT, NO_PATH
from wayfront.network.small_graphs import tiny_network
from wayfront.places.places import Places
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.nearest import Nearest
from wayfront.results.result import CUSTOMISE, CUT, SET_UP, Result, Timing
from wayfront.results.route import Route
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory
from wayfront.safe.options import AUTO
from wayfront.searching.between import MatrixRows, Present, checked_points, pair_distances, pair_paths
from wayfront.searching.customised import forest_of, set_up, timed_customising
from wayfront.searching.distances import NARROW, WIDE, in_fewest_bits
from wayfront.searching.forest import make_forest, points_on, seeds_at
from wayfront.searching.tree import make_live_parents
from wayfront.timing.harness import machine_facts


def prepare(
    network: RoadNetwork,
    metric: str | None = None,
    device: str = AUTO,
    *,
    threads: int = 1,
    reverse: bool = False,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Prepared:
    """Cut a network, unless its cut is kept, and customise it for a metric on a device.

    ``metric`` is a metric's name (the network's first by default), ``device`` and ``threads`` are as for
    ``wayfront.search``; with ``reverse`` its trees are of the distances towards a node, and the cut is the same.
    ``progress`` receives what is being done and the fraction done, -1 where that is not known.

    Raises ``NetworkError``, ``DeviceError``, ``SearchCancelled``, and what refuses networks that cannot be cut well.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> prepared = wayfront.prepare(network, device="cpu")
        >>> prepared.tree(0).reached.all()
        np.True_
    """
    measured, opened = require_network(network).metric(metric), open_device(device, threads)
    dissection = dissection_of(network, progress=progress, cancel=cancel)
    assert dissection is not None
    if progress is not None:
        progress("customising", -1.0)
    with opened.reserve(cancel):
        return Prepared(opened, network, measured, dissection, reverse=reverse)


def compile_for(device: str = AUTO, threads: int = 1, *, zeros: bool = False) -> None:
    """Load or compile what a prepared network needs on a device, so that its first tree does not wait for a compiler.

    A network of a few nodes is prepared, a tree of it made with its parents, and a road closed; ``zeros`` includes what
    weights of 0 need. Any thread may do that while others search on a processor. Raises ``DeviceError``.
    """
    ring, opened = tiny_network(zeros=zeros), open_device(device, threads)
    with opened.reserve(None):
        prepared = Prepared(opened, ring, ring.metrics[0], dissect(ring))
    distances, parents = np.empty(ring.node_count, prepared.distance_dtype), np.empty(ring.node_count, np.int32)
    prepared.tree_into(0, distances, parents)
    prepared.parents_into(distances, 0, parents)
    prepared.close([0])
    prepared.reopen()


class Prepared:
    """A network that is cut and customised for one metric on one device. Made by ``wayfront.prepare``.

    Any thread may call its methods; they take turns. Arcs are given by their internal numbers in ``network``; with
    ``reverse`` distances are those towards a node, found on ``network.reversed()``.

        >>> import numpy as np, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> prepared = wayfront.prepare(network, device="cpu")
        >>> arc = wayfront.arcs_between(network, [prepared.tree(0).parents[11]], [11])
        >>> before = prepared.trees([0])[0]
        >>> prepared.close(arc)
        >>> (prepared.trees([0])[0] >= before).all(), prepared.closures.tolist() == arc.tolist()
        (np.True_, True)
        >>> prepared.reopen()
        >>> prepared.set_weights(arc, 10**6)
        >>> prepared.close_exactly([])
        >>> distances = np.empty(network.node_count, prepared.distance_dtype)
        >>> parents = np.empty(network.node_count, np.int32)
        >>> prepared.tree_into(0, distances, parents)
        >>> bool((parents == prepared.tree(0).parents).all()), prepared.nearest([0, 11]).served.tolist()
        (True, [8, 4])
    """

    def __init__(
        self,
        device: Device,
        network: RoadNetwork,
        metric: Metric,
        dissection: Dissection,
        *,
        reverse: bool = False,
    ) -> None:
        self.network: RoadNetwork = network
        self.reverse: bool = reverse
        self._followed = network.reversed() if reverse else network
        self.device: Device = device
        self.dissection: Dissection = dissection
        self._named = metric
        self._weights = metric.weights.copy()  # of closed roads too
        self._closed = np.zeros(network.arc_count, np.bool_)
        self._turn = threading.RLock()
        self._engine: Engine | None = None
        self._pair_engine: FindsPairs | None = None
        self._metric: Metric | None = metric
        self._closures: NDArray[np.int64] | None = NOTHING_CLOSED
        self._forest_pass: ParentPass | None = None
        self._changes = 0
        self._set_up(NARROW)

    @property
    def metric(self) -> Metric:
        """The metric with the present weights, those of closed roads included."""
        with self._turn:
            if self._metric is None:
                changed = not np.array_equal(self._weights, self._named.weights)
                weights = self._weights.copy()
                self._metric = replace(self._named, weights=weights).frozen() if changed else self._named
            return self._metric

    @property
    def closures(self) -> NDArray[np.int64]:
        """The closed arcs, int64 [k], ascending."""
        with self._turn:
            if self._closures is None:
                self._closures = checked_arcs(self.network, np.flatnonzero(self._closed))
            return self._closures

    @property
    def changes(self) -> int:
        """How often it was customised, and roads were closed, reopened or given other weights: a number that rises."""
        return self._changes

    @property
    def prepare_ms(self) -> Mapping[str, float]:
        """How long "cut", "set up" and "customise" took for all arcs, milliseconds; see ``Timing``."""
        return {CUT: self.dissection.cut_ms, SET_UP: self._set_up_ms, CUSTOMISE: self._customise_ms}

    @property
    def distance_dtype(self) -> np.dtype[Any]:
        """The dtype of distances: int32, or int64 once paths may be longer."""
        return self._dtype

    def tree(self, source: int) -> Result:
        """Return distances and tree from a node (internal number); the time is that of one run, not a median.

        Raises ``NetworkError``, and ``DeviceError``.
        """
        source = self._begin(source)
        parents = np.empty(self.network.node_count, np.int32)
        with self._turn, self.device.reserve(None):
            begin = time.perf_counter()
            self._ready.tree(source, self._distances)
            self.device.synchronize()
            found = time.perf_counter()
            self._parents.find(self._distances, source, parents)
            made = time.perf_counter()
            distances = self.device.get(self._distances, self.network.node_count)
            copied = time.perf_counter()
            machine = machine_facts() | self.device.describe()
            times = [((end - start) * 1e3) for start, end in pairwise((begin, found, made, copied))]
            distances = in_fewest_bits(distances)
            distances.flags.writeable = parents.flags.writeable = False
            return Result(
                network=self.network,
                metric=self.metric,
                algorithm="dissection",
                options={},
                device=self.device.id,
                device_name=self.device.name,
                timing=Timing((times[0],), times[2], times[1], None, machine, self.prepare_ms),
                closures=self.closures,
                reverse=self.reverse,
                source=source,
                distances=distances,
                parents=parents,
            )

    def trees(self, sources: Sequence[int] | NDArray[np.integer]) -> NDArray[Any]:
        """Return the distances [k, n] from many nodes (internal numbers), in ``distance_dtype``; −1 is no path.

        Raises ``NetworkError``, and ``DeviceError``.
        """
        chosen = np.array([self._begin(source) for source in sources], np.int32)
        n = self.network.node_count
        with self._turn, self.device.reserve(None):
            rows = self.device.empty(max(len(chosen) * n, 1), self._dtype)
            if len(chosen):
                self._ready.trees(chosen, rows, n, 1)
            found = self.device.get(rows, len(chosen) * n).reshape(len(chosen), n)
        return np.where(found == np.iinfo(self._dtype).max, self._dtype.type(NO_PATH), found)

    def matrix(
        self,
        origins: Ends | Sequence[int] | NDArray[np.integer],
        destinations: Ends | Sequence[int] | NDArray[np.integer],
        *,
        progress: Callable[[float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> NDArray[Any]:
        """Return the distances [k, l] from origins to destinations, in ``distance_dtype``; −1 is no path.

        Both are nodes (internal numbers), or points on roads as ``Ends``, with costs by the present ``metric``; they
        may occur several times. A point is not left or reached by a closed road, and the way along the road on which
        both points lie counts. Of what is prepared in reverse, ways lead from the destinations to the origins.
        ``progress`` receives the fraction done.

        Raises ``NetworkError``, ``MemoryShortError`` where the matrix does not fit the free memory
        (``matrix_blocks`` does without), ``DeviceError``, and ``SearchCancelled``.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> prepared = wayfront.prepare(network, device="cpu")
            >>> bool((prepared.matrix([0, 5], [2, 2, 7]) == prepared.trees([0, 5])[:, [2, 2, 7]]).all())
            True
        """
        leaving, arriving = checked_points(self.network, origins, destinations, reverse=self.reverse)
        with self._turn, self.device.reserve(cancel):
            sweep, changes = MatrixRows(self._present(leaving, arriving), leaving, arriving), self._changes
            shape = len(leaving), len(arriving)
            require_memory(shape[0] * shape[1] * self._dtype.itemsize, f"a matrix of {shape[0]:,} × {shape[1]:,}")
            matrix = np.empty(shape, self._dtype)
            for begin in range(0, len(leaving), sweep.rows_at_once):
                end = min(begin + sweep.rows_at_once, len(leaving))
                self._write(sweep, begin, matrix[begin:end], changes, cancel)
                if progress is not None:
                    progress(end / len(leaving))
        return matrix

    def matrix_blocks(
        self,
        origins: Ends | Sequence[int] | NDArray[np.integer],
        destinations: Ends | Sequence[int] | NDArray[np.integer],
        rows_at_once: int | None = None,
        *,
        cancel: threading.Event | None = None,
    ) -> Iterator[NDArray[Any]]:
        """Yield ``matrix`` in blocks of so many rows, the last one smaller: one after another lies in memory.

        Other methods may be called between blocks, but for those that close, reopen or change roads: after these the
        next block raises ``NetworkError``. By default a block has some 64 MiB, and at least 1,024 rows. Raises what
        ``matrix`` raises, the mistakes of callers at once.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> prepared = wayfront.prepare(network, device="cpu")
            >>> [block.shape for block in prepared.matrix_blocks(range(12), [0, 11], rows_at_once=5)]
            [(5, 2), (5, 2), (2, 2)]
        """
        leaving, arriving = checked_points(self.network, origins, destinations, reverse=self.reverse)
        if rows_at_once is not None:
            whole_number(rows_at_once, "rows_at_once", 1)
        with self._turn, self.device.reserve(cancel):
            sweep, changes = MatrixRows(self._present(leaving, arriving), leaving, arriving), self._changes
            dtype, step = self._dtype, rows_at_once or sweep.rows_at_once
            rows = min(step, len(leaving))
            require_memory(rows * len(arriving) * dtype.itemsize, f"a block of {rows:,} × {len(arriving):,}")

        def blocks() -> Iterator[NDArray[Any]]:
            for begin in range(0, len(leaving), step):
                block = np.empty((min(step, len(leaving) - begin), len(arriving)), dtype)
                self._write(sweep, begin, block, changes, cancel)
                yield block

        return blocks()

    def nearest(self, sources: Sequence[int] | NDArray[np.integer] | Ends | Places | SnappedPlaces) -> Nearest:
        """Return how far every node is from the nearest of several sources, as ``wayfront.search`` does, in one sweep.

        Raises ``NetworkError`` as that does, and ``DeviceError``.
        """
        network, origins = self.network, points_on(self.network, sources, self.metric, reverse=self.reverse)
        with self._turn, self.device.reserve(None):
            seeds = seeds_at(network, origins, self.closures, reverse=self.reverse)
            if self._ready.spare < int(seeds.costs.max()):
                self._set_up(WIDE)
            begin = time.perf_counter()
            found = forest_of(self.device, self._ready, seeds, self._distances, network.node_count, self._dtype)
            self.device.synchronize()
            swept = time.perf_counter()
            distances = in_fewest_bits(self.device.get(found, network.node_count))
            copied = time.perf_counter()
            weights = self._followed_weights()
            if self._forest_pass is None:
                self._forest_pass = ParentPass(self._followed, weights, WIDE)
            far = np.where(weights == CLOSED, np.iinfo(np.int64).max // 4, weights.astype(np.int64))
            nearest, parents = make_forest(self._followed, far, seeds, distances, self._forest_pass)
            made = time.perf_counter()
            machine = machine_facts() | self.device.describe()
            times = [((end - start) * 1e3) for start, end in pairwise((begin, swept, copied, made))]
            for array in (distances, nearest, parents):
                array.flags.writeable = False
            return Nearest(
                network=network,
                metric=self.metric,
                algorithm="dissection",
                options={},
                device=self.device.id,
                device_name=self.device.name,
                timing=Timing((times[0],), times[1], times[2], None, machine, self.prepare_ms),
                closures=self.closures,
                reverse=self.reverse,
                source=int(seeds.nodes[0]),
                distances=distances,
                parents=parents,
                origins=origins,
                nearest=nearest,
            )

    def distance(self, origin: int | Ends, destination: int | Ends) -> int:
        """Return the distance between two points, a raw weight; −1 without a path.

        Each is a node (internal number) or the ``Ends`` of one point. Raises ``NetworkError``, and ``DeviceError``.
        """
        both = self._both_nodes(origin, destination)
        if both is None:
            return int(self.distances(self._one(origin, "origin"), self._one(destination, "destination"))[0])
        with self._turn, self.device.reserve(None):
            return self._ready_pairs.pair_distance(*both)

    def distances(
        self,
        origins: Ends | Sequence[int] | NDArray[np.integer],
        destinations: Ends | Sequence[int] | NDArray[np.integer],
        *,
        cancel: threading.Event | None = None,
    ) -> NDArray[Any]:
        """Return the distance [k] from each origin to its destination; both as for ``matrix``, whose diagonal it is.

        Raises what ``matrix`` raises, and ``NetworkError`` for different numbers of points.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> prepared = wayfront.prepare(network, device="cpu")
            >>> prepared.distances([0, 5], [11, 5]).tolist() == [prepared.distance(0, 11), 0]
            True
        """
        leaving, arriving = checked_points(self.network, origins, destinations, pairs=True, reverse=self.reverse)
        found: list[NDArray[Any]] = []
        with self._turn, self.device.reserve(cancel):
            present, check = self._present(leaving, arriving), _check(cancel)
            for begin in range(0, len(leaving), PAIRS_AT_ONCE):
                check()
                some = slice(begin, begin + PAIRS_AT_ONCE)
                found.append(pair_distances(present, leaving.chosen(some), arriving.chosen(some), check))
        return np.concatenate((np.empty(0, self._dtype), *found))

    def route(self, origin: int | Ends, destination: int | Ends) -> Route:
        """Return the shortest path between two points, without nodes where there is none; in the order of driving.

        Each is a node (internal number) or the ``Ends`` of one point. Between nodes it is the path of ``tree``. Of a
        point on a road its nodes and arcs begin, or end, with the node by which the point is left, or reached; what
        remains of the road counts in ``distance`` alone, and a path along one road has no nodes. Raises as ``routes``.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> prepared = wayfront.prepare(network, device="cpu")
            >>> prepared.route(0, 11).nodes.tolist() == prepared.tree(0).route(11).nodes.tolist()
            True
        """
        both = self._both_nodes(origin, destination)
        if both is not None:
            with self._turn, self.device.reserve(None):
                distance, nodes = self._ready_pairs.pair_path(*both)
                if nodes is not None:
                    nodes = nodes[::-1] if self.reverse else nodes
                    return Route(self.network, self.metric, nodes, distance, self.closures)
        return self.routes(self._one(origin, "origin"), self._one(destination, "destination"))[0]

    def routes(
        self,
        origins: Ends | Sequence[int] | NDArray[np.integer],
        destinations: Ends | Sequence[int] | NDArray[np.integer],
        *,
        cancel: threading.Event | None = None,
    ) -> list[Route]:
        """Return the shortest path from each origin to its destination; both as for ``matrix``, the paths as ``route``.

        Raises what ``matrix`` raises, and ``NetworkError`` for different numbers of points.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> prepared = wayfront.prepare(network, device="cpu")
            >>> [len(route) for route in prepared.routes([0, 5], [3, 5])]
            [4, 1]
        """
        leaving, arriving = checked_points(self.network, origins, destinations, pairs=True, reverse=self.reverse)
        found: list[Route] = []
        with self._turn, self.device.reserve(cancel):
            present, check = self._present(leaving, arriving), _check(cancel)
            metric, closures = self.metric, self.closures
            for begin in range(0, len(leaving), PAIRS_AT_ONCE):
                check()
                some = slice(begin, begin + PAIRS_AT_ONCE)
                given = leaving.chosen(some), arriving.chosen(some)
                distances, paths = pair_paths(present, *given, self._distances_and_parents, check)
                found += [
                    Route(self.network, metric, path, distance, closures)
                    for path, distance in zip(paths, distances.tolist(), strict=True)
                ]
        return found

    def _both_nodes(self, origin: int | Ends, destination: int | Ends) -> tuple[int, int] | None:
        """Return both if they are nodes, between which an engine finds pairs without more ado."""
        if self._pair_engine is None or isinstance(origin, Ends) or isinstance(destination, Ends):
            return None
        return self._begin(origin, "origin"), self._end(destination, "destination")

    def _begin(self, node: int, noun: str = "source") -> int:
        """Return where a search from a node begins: at its first copy, of what is prepared in reverse at its last."""
        return begin_of(self.network, node_index(node, self.network, noun), reverse=self.reverse)

    def _end(self, node: int, noun: str) -> int:
        return end_of(self.network, node_index(node, self.network, noun), reverse=self.reverse)

    def _one(self, point: int | Ends, noun: str) -> Ends | list[int]:
        """Return one point as points."""
        if not isinstance(point, Ends):
            return [node_index(point, self.network, noun)]
        if len(point) != 1:
            raise NetworkError(f"the {noun} is a node or the ends of one point, not of {len(point):,}")
        return point

    def _present(self, origins: Ends, destinations: Ends) -> Present:
        """Return what is prepared as it is now, widened where points are so far from their nodes."""
        costs = most_costs(origins, destinations)
        if self._ready.spare < costs:
            self._set_up(WIDE)
            if self._ready.spare < costs:
                raise NetworkError(f"points are farther from their nodes than {WIDE} holds, which no road is")
        return Present(self.network, self.reverse, self._closed, self.device, self.dissection, self._ready, self._dtype)

    def _write(
        self, sweep: MatrixRows, begin: int, rows: NDArray[Any], changes: int, cancel: threading.Event | None
    ) -> None:
        """Write rows of a matrix from an origin on. Raises ``NetworkError`` where roads have changed meanwhile."""
        with self._turn, self.device.reserve(cancel):
            if self._changes != changes:
                raise NetworkError(f"roads of {self.network.name} were changed while a matrix was made: begin it anew")
            sweep.write(begin, rows, _check(cancel))

    def _distances_and_parents(self, source: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the distances from a node, −1 without a path, and its tree's parents."""
        distances = np.empty(self.network.node_count, self._dtype)
        parents = np.empty(self.network.node_count, np.int32)
        self.tree_into(source, distances, parents)
        return distances, parents

    def distances_into(self, source: int, out: NDArray[Any]) -> None:
        """Write the distances from a node (internal number) to ``out`` [n] of ``distance_dtype``, which may change.

        They are −1 where there is no path.
        Nothing is allocated on a processor. Raises ``NetworkError`` for another dtype or length.
        """
        self._write_tree(source, out, None)

    def tree_into(self, source: int, distances: NDArray[Any], parents: NDArray[np.int32]) -> None:
        """Write what ``distances_into`` and ``parents_into`` write, in less time than both take. Raises as those.

        >>> import wayfront
        >>> import numpy as np
        >>> prepared = wayfront.prepare(wayfront.open_network("synthetic:grid?columns=4&rows=3"), device="cpu")
        >>> distances, parents = np.empty(12, prepared.distance_dtype), np.empty(12, np.int32)
        >>> prepared.tree_into(0, distances, parents)
        >>> int(parents[0]), int(distances[11]) == prepared.distance(0, 11)
        (-1, True)
        >>> of_tree = parents.copy()
        >>> prepared.distances_into(0, distances)
        >>> prepared.parents_into(distances, 0, parents)
        >>> bool((parents == of_tree).all())
        True
        """
        self._write_tree(source, distances, parents)

    def _write_tree(self, source: int, distances: NDArray[Any], parents: NDArray[np.int32] | None) -> None:
        source = self._begin(source)
        with self._turn, self.device.reserve(None):
            self._check_room(distances, parents)
            on_host = Ability.HOST_LOOPS in self.device.abilities
            found = distances if on_host else self._distances
            self._ready.tree(source, found)
            if parents is not None:
                self._parents.find(found, source, parents)
            if not on_host:
                distances[:] = self.device.get(found, self.network.node_count)
        _replace(distances, np.iinfo(distances.dtype).max, NO_PATH, distances)

    def _check_room(self, distances: NDArray[Any], parents: NDArray[np.int32] | None) -> None:
        """Raise ``NetworkError`` for arrays of another dtype or length; distances may just have been widened."""
        n, name = self.network.node_count, self.network.name
        if distances.dtype != self._dtype or distances.shape != (n,):
            raise NetworkError(
                f"distances of {name} take {n:,} {self._dtype}, not {distances.dtype} {list(distances.shape)}: "
                "look at distance_dtype again after every change"
            )
        if parents is not None and (parents.dtype != np.int32 or parents.shape != (n,)):
            raise NetworkError(f"parents of {name} take {n:,} int32, not {parents.dtype} {list(parents.shape)}")

    def parents_into(self, distances: NDArray[Any], source: int, out: NDArray[np.int32]) -> None:
        """Write the parents of a tree to ``out`` int32 [n], from distances of ``distances_into``.

        They are -1 for the source and for unreached nodes. Raises ``NetworkError`` for another dtype or length.
        """
        with self._turn, self.device.reserve(None):
            self._check_room(distances, out)
            if Ability.HOST_LOOPS in self.device.abilities:
                labels = self._distances
                _replace(distances, NO_PATH, np.iinfo(distances.dtype).max, labels)
            else:
                marked = np.where(distances == NO_PATH, np.iinfo(distances.dtype).max, distances)
                labels = self.device.put(marked.astype(distances.dtype, copy=False))
            self._parents.find(labels, self._begin(source), out)

    def close(self, arcs: Sequence[int] | NDArray[np.integer]) -> None:
        """Close roads: the arcs are taken for absent until they are reopened. Closed ones stay closed.

        Raises ``NetworkError`` for what is no arc.
        """
        chosen = checked_arcs(self.network, arcs)
        with self._turn:
            chosen = chosen[~self._closed[chosen]]
            self._closed[chosen] = True
            self._change(chosen)

    def reopen(self, arcs: Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """Open closed roads again, all of them by default, with the weights they have by now.

        Raises ``NetworkError`` for what is no arc.
        """
        with self._turn:
            chosen = self.closures if arcs is None else checked_arcs(self.network, arcs)
            chosen = chosen[self._closed[chosen]]
            self._closed[chosen] = False
            self._change(chosen)

    def close_exactly(self, arcs: Sequence[int] | NDArray[np.integer]) -> None:
        """Close these roads and open all others: only above what differs from before is anything eliminated anew.

        Raises ``NetworkError`` for what is no arc.
        """
        wanted = checked_arcs(self.network, arcs)
        with self._turn:
            changed = np.setxor1d(self.closures, wanted, assume_unique=True)
            self._closed[changed] = ~self._closed[changed]
            self._change(changed)

    def set_weights(self, arcs: Sequence[int] | NDArray[np.integer], weights: Any) -> None:
        """Give arcs other weights, one for each or one for all; a closed arc stays closed and has it when reopened.

        Raises ``NetworkError`` for what is no arc, one that occurs twice, and a weight outside 0 … 2³¹ − 1.
        """
        chosen = checked_arcs(self.network, arcs)
        given = np.asarray(arcs, np.int64).reshape(-1)
        if len(chosen) != len(given):
            raise NetworkError("an arc occurs twice among those to be given another weight; name each once")
        values = np.asarray(weights)
        if values.dtype.kind not in "iu" or values.shape not in ((), given.shape) or _outside(values):
            raise NetworkError(
                f"weights are whole numbers between 0 and {LARGEST_WEIGHT:,}, one for each arc or one for all"
            )
        with self._turn:
            former = self._weights[chosen]
            self._weights[given] = values
            self._metric = None
            changed = chosen[self._weights[chosen] != former]
            self._change(changed[~self._closed[changed]])

    def _change(self, changed: NDArray[np.int64]) -> None:
        """Bring the engine to the present weights and closures of some arcs; widen distances where they need it."""
        if not len(changed):
            return
        self._closures = None
        self._changes += 1
        weights = np.where(self._closed[changed], np.int32(CLOSED), self._weights[changed])
        arcs = self.network.reversed_arcs(changed).astype(np.int64) if self.reverse else changed
        with self.device.reserve(None):
            if self._forest_pass is not None:
                self._forest_pass.change(arcs, weights)
            if self._ready.change(arcs, weights):
                self._parents.change(arcs, weights)
            else:
                self._set_up(WIDE)

    @property
    def _ready(self) -> Engine:
        assert self._engine is not None
        return self._engine

    @property
    def _ready_pairs(self) -> FindsPairs:
        """The engine, for whose turn it is: another one takes its place where distances are widened."""
        assert self._pair_engine is not None
        return self._pair_engine

    def _followed_weights(self) -> NDArray[np.int32]:
        """Return the present weights of the arcs that are followed, −1 for closed ones, int32 [m]."""
        weights = np.where(self._closed, np.int32(CLOSED), self._weights)
        return weights[self.network.in_arcs()[1]] if self.reverse else weights

    def _set_up(self, dtype: np.dtype[Any]) -> None:
        """Customise for the present weights and closures, in 64 bits where ``dtype`` is too narrow."""
        weights = self._followed_weights()
        self._changes += 1
        for self._dtype in (dtype, WIDE):
            _compile(self.device, self._dtype)
            self._engine = self._pair_engine = None  # its fronts go before others are made
            self._engine, self._set_up_ms = set_up(self.device, self.dissection, self._followed, self._dtype, weights)
            fits, self._customise_ms = timed_customising(self.device, self._engine, weights)
            if fits:
                break
        found: object = self._engine
        self._pair_engine = found if isinstance(found, FindsPairs) else None  # slow to find out
        self._parents = make_live_parents(self.device, self._followed, self._named, weights, self._dtype)
        self._distances = self.device.empty(max(self.network.node_count, 1), self._dtype)


PAIRS_AT_ONCE = 1 << 12
"""Pairs that are found before anybody is asked whether to go on: a tenth of a second."""


def _check(cancel: threading.Event | None) -> Check:
    """Return what ends the work where it is cancelled."""

    def check() -> None:
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cancelled while distances between points were found")

    return check


@loop
def _replace(values: Any, former: int, other: int, out: Any) -> None:
    """Write values [n] to ``out``, which may be the same array, with ``other`` in place of ``former``."""
    for index in range(len(values)):
        value = values[index]
        out[index] = other if value == former else value


_compiled: set[tuple[str, int, str]] = set()
"""What was compiled in this process: memory and threads of a device, and the dtype of distances."""


def _compile(device: Device, dtype: np.dtype[Any]) -> None:
    """Let a device compile its engine on a tiny network, so that the time of customising is that alone."""
    key = (device.memory, device.threads, dtype.name)
    if not device.compiles or key in _compiled:
        return
    ring = tiny_network(zeros=False)
    weights = ring.metrics[0].weights
    engine = make_engine(device, dissect(ring), ring, dtype, threads=device.threads)
    engine.customise(weights)
    engine.change(np.array([0], np.int64), weights[:1])
    engine.tree(0, device.empty(ring.node_count, dtype))
    device.synchronize()
    _compiled.add(key)


def _outside(weights: NDArray[np.integer]) -> bool:
    """Return whether a weight is none that an open arc can have."""
    return weights.size > 0 and not (0 <= int(weights.min()) <= int(weights.max()) <= LARGEST_WEIGHT)
