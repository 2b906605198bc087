"""Alternative routes: others than the shortest one that a driver would consider as well.

I. Abraham, D. Delling, A. Goldberg and R. Werneck, Alternative routes in road networks, ACM Journal of Experimental
Algorithmics 18, 2013. The shortest paths from the source to a node v and from v to the target are together the *via
path* of v, which two trees give at once for every v: one from the source, one towards the target. A via path is an
alternative if

1. it shares little with the shortest path and the alternatives before it (*limited sharing*),
2. every part of it that is not too long is a shortest path, so that nobody sees at once that it is silly (*local
   optimality*): none does better between T before v and T behind it, which is the paper's T-test,
3. where it leaves the shortest path, it is not much longer than that (*bounded stretch*).

Arcs that are in both trees form *plateaux*: all nodes of one have the same via path, so that a plateau is looked at
once, and long ones make good alternatives (Cambridge Vehicle Information Technology, Choice routing). Candidates are
taken by rising 2 l + σ − p: l is their length, σ what they share, p the length of their plateau.

The T-test asks for the distance between two nodes near v. Both trees bound it from below, from the side of the source
and from that of the target; directed by these bounds, a search looks at few nodes beside the path itself.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.kernels.keyed_heap import NOT_IN_HEAP, PAIR, KeyedHeap, drop_least, lower_node
from wayfront.network.arguments import node_index, require_network, whole_number
from wayfront.network.copies import begin_of, end_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.results.alternatives import Alternative, Alternatives
from wayfront.results.route import Route
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.call import search
from wayfront.searching.prepared import Prepared

ROUTES = 3
STRETCH, SHARING, LOCALITY = 1.25, 0.8, 0.25
MOST_ROUTES = 20
MOST_TESTED = 400
"""Candidates that are looked at one by one for a route; whoever is not among the best of these is no good route."""

Pair = tuple[Prepared, Prepared]


@dataclass(frozen=True, slots=True)
class Demands:
    """What an alternative has to be: see ``alternatives``."""

    stretch: float = STRETCH
    sharing: float = SHARING
    locality: float = LOCALITY

    def checked(self) -> Demands:
        """Return them. Raises ``OptionError`` for what is out of bounds."""
        for name, least, most in (("stretch", 1.0, math.inf), ("sharing", 0.0, 1.0), ("locality", 0.0, 1.0)):
            value = getattr(self, name)
            number = float(value) if isinstance(value, int | float | np.integer | np.floating) else math.nan
            if isinstance(value, bool) or not least <= number <= most or math.isinf(number):
                if math.isinf(most):
                    raise OptionError(f"{name} is a number of {least:g} or more, not {shortened(value)}")
                raise OptionError(f"{name} is a number of {least:g} to {most:g}, not {shortened(value)}")
        return self


def alternatives(
    network: RoadNetwork,
    source: int,
    target: int,
    k: int = ROUTES,
    *,
    stretch: float = STRETCH,
    sharing: float = SHARING,
    locality: float = LOCALITY,
    metric: str | None = None,
    prepared: Pair | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    device: str = AUTO,
    threads: int = 1,
    cancel: threading.Event | None = None,
) -> Alternatives:
    """Find up to ``k`` routes between two nodes (internal numbers) that differ, the first of them the shortest.

    What takes the place of a part of the shortest route is at most ``stretch`` times as long as that. At most the share
    ``sharing`` of the shortest distance is also on routes before it. Every part of a route that is not longer than the
    share ``locality`` of the shortest distance is a shortest path. Fewer routes are found where no others are so.

    ``metric`` is what is minimised, the network's first by default, and ``closures`` are closed arcs. ``prepared``,
    what ``wayfront.prepare`` made of the network and what it made with ``reverse``, spares the searches; metric and
    closed roads are theirs then. ``device`` and ``threads`` are as for ``wayfront.search``.

    Raises ``NetworkError``, ``OptionError``, ``SearchCancelled``, and what ``search`` raises.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=12&rows=9&seed=3")
        >>> both = wayfront.prepare(network, device="cpu"), wayfront.prepare(network, device="cpu", reverse=True)
        >>> ways = wayfront.alternatives(network, 0, 107, stretch=1.4, prepared=both)
        >>> [way.route.distance for way in ways] == sorted(way.route.distance for way in ways)
        True
        >>> max(way.sharing for way in ways) <= 0.8
        True
    """
    begin, end = node_index(source, require_network(network)), node_index(target, network, "target")
    ends = begin_of(network, begin), end_of(network, end)
    most = whole_number(k, "k, the number of routes,", 1)
    if most > MOST_ROUTES:
        raise OptionError(f"k, the number of routes, is at most {MOST_ROUTES}, not {most}")
    demands = Demands(stretch, sharing, locality).checked()
    if prepared is not None:
        if metric is not None or closures is not None:
            raise OptionError("metric and closures are those of what is prepared: leave them out, or prepared")
        trees = Trees.of_prepared(network, prepared, *ends)
    else:
        asked: dict[str, Any] = {"metric": metric, "threads": threads, "cancel": cancel, "closures": closures}
        there = search(network, ends[0], AUTO, device, **asked)
        back = search(network, ends[1], AUTO, device, reverse=True, **asked)
        found = (there.distances, there.parents, back.distances, back.parents)
        trees = Trees.of(network, there.metric, there.closures, ends, found)
    return alternatives_of(trees, most, demands, cancel)


def alternatives_of(
    trees: Trees, k: int = ROUTES, demands: Demands = Demands(), cancel: threading.Event | None = None
) -> Alternatives:
    """Return up to ``k`` alternatives that two trees give, as ``alternatives`` does. Raises ``SearchCancelled``."""
    return _Choice(trees, demands).routes(k, cancel)


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The tree from a source and the tree towards a target: distances, and the nodes before and behind each."""

    network: RoadNetwork
    metric: Metric
    closures: NDArray[np.int64]
    source: int
    target: int
    ahead: NDArray[Any]
    before: NDArray[np.int32]
    left: NDArray[Any]
    behind: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        network: RoadNetwork,
        metric: Metric,
        closures: NDArray[np.int64],
        ends: tuple[int, int],
        arrays: Sequence[NDArray[Any]],
    ) -> Trees:
        """Return the trees of these four arrays, between the two ``ends``."""
        # None may be written: kernels are compiled for either kind.
        views = [array.view() for array in arrays]
        for view in views:
            view.flags.writeable = False
        return cls(network, metric, closures, *ends, *views)

    @classmethod
    def of_prepared(cls, network: RoadNetwork, prepared: Pair, source: int, target: int) -> Trees:
        """Return the trees that prepared networks give. Raises ``NetworkError`` for two that do not belong together."""
        there, back = prepared
        if there.network is not network or back.network is not network or there.reverse or not back.reverse:
            raise NetworkError(
                "prepared is a pair: prepare(network) and prepare(network, reverse=True), both of this network"
            )
        metric = there.metric
        if metric.name != back.metric.name or not np.array_equal(there.closures, back.closures):
            raise NetworkError("both of what is prepared have the same metric and the same closed roads")
        arrays = []
        for each, node in ((there, source), (back, target)):
            distances = np.empty(network.node_count, each.distance_dtype)
            parents = np.empty(network.node_count, np.int32)
            each.tree_into(node, distances, parents)
            arrays += [distances, parents]
        return cls.of(network, metric, there.closures, (source, target), arrays)


class _Choice:
    """Alternatives as they are chosen, one after the other."""

    def __init__(self, trees: Trees, demands: Demands) -> None:
        self._trees, self._demands = trees, demands
        network = trees.network
        self._weights = trees.metric.weights
        if len(trees.closures):
            self._weights = self._weights.copy()
            self._weights[trees.closures] = -1
            self._weights.flags.writeable = False
        n = max(network.node_count, 1)
        self._path = np.empty(2 * n, np.int32)
        self._seen = np.zeros(n, np.int32)  # of which walk a node was last on
        self._walks = 0

    def routes(self, most: int, cancel: threading.Event | None) -> Alternatives:
        """Return up to so many routes."""
        trees = self._trees
        shortest = int(trees.ahead[trees.target])
        if shortest == NO_PATH:
            return Alternatives(())
        found = [self._alternative(self._walk(trees.target), trees.target, 0)]
        if most == 1 or shortest == 0:
            return Alternatives(tuple(found))
        via, order = self._candidates(found[0].route.nodes, shortest)
        used = _hops(found[0].route.nodes, trees.network.node_count)
        local = self._demands.locality * shortest
        search_room = None
        for node in via[order].tolist():
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("choosing routes was stopped")
            path = self._walk(node)
            if not len(path):
                continue
            shared = int(_shared(path, trees.network.node_count, used, trees.ahead, trees.left, node))
            if shared > self._demands.sharing * shortest:
                continue
            search_room = search_room or _SearchRoom(trees.network.node_count)
            if not self._is_locally_shortest(path, node, local, search_room):
                continue
            found.append(self._alternative(path, node, shared))
            if len(found) == most:
                break
            used = np.union1d(used, _hops(path, trees.network.node_count))
        return Alternatives(tuple(found))

    def _candidates(self, shortest_path: NDArray[np.int32], shortest: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """Return a via node of each plateau that may be an alternative, and the order in which they are tried."""
        trees, demands = self._trees, self._demands
        room = trees.network.node_count
        via, score = np.empty(room, np.int32), np.empty(room)
        tree = trees.ahead, trees.before, trees.left, trees.behind
        count = _find_candidates(*tree, shortest_path, shortest, demands.stretch, demands.sharing, via, score)
        tried = min(count, MOST_TESTED)
        best = np.argpartition(score[:count], tried - 1)[:tried] if tried else np.empty(0, np.int64)
        return via, best[np.lexsort((via[best], score[best]))]

    def _walk(self, via: int) -> NDArray[np.int32]:
        """Return the nodes of a via path; none where it passes a node twice."""
        trees, self._walks = self._trees, self._walks + 1
        given = trees.before, trees.behind, via, self._path, self._seen, self._walks
        return self._path[: _walk(*given)].copy()

    def _is_locally_shortest(self, path: NDArray[np.int32], via: int, local: float, room: _SearchRoom) -> bool:
        trees = self._trees
        before, behind = _round(path, via, trees.ahead, trees.left, local)
        arcs = trees.network.offsets, trees.network.targets, self._weights
        return not _is_shorter(*arcs, trees.ahead, trees.left, before, behind, via, *room.arrays)

    def _alternative(self, path: NDArray[np.int32], via: int, shared: int) -> Alternative:
        trees = self._trees
        shortest = int(trees.ahead[trees.target])
        distance = int(trees.ahead[via]) + int(trees.left[via])
        route = Route(trees.network, trees.metric, path, distance, trees.closures)
        whole = max(shortest, 1)
        return Alternative(route, via, distance / whole if shortest else 1.0, shared / whole)


class _SearchRoom:
    """The heap of the T-test's searches: as it was after each of them."""

    def __init__(self, node_count: int) -> None:
        assist = np.zeros(PAIR * node_count, np.int64)
        assist[1::PAIR] = NOT_IN_HEAP
        self.arrays = assist, np.empty(PAIR * node_count, np.int64), np.empty(node_count, np.int32)


def _hops(path: NDArray[np.int32], node_count: int) -> NDArray[np.int64]:
    """Return a number for each step of a path from a node to the next, rising."""
    return np.sort(path[:-1].astype(np.int64) * node_count + path[1:])


# ------------------------------------------------------------------------------------------------------------- loops


@loop
def _find_candidates(
    ahead: Any,
    before: Any,
    left: Any,
    behind: Any,
    shortest_path: Any,
    shortest: int,
    stretch: float,
    sharing: float,
    via: Any,
    score: Any,
) -> int:
    """Write the first node of each plateau whose via path is short enough and shares little; return how many."""
    n = len(ahead)
    # Where on the shortest path the way to a node leaves it, and where the way from there comes back for good.
    leaves, returns = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    last = len(shortest_path) - 1
    for at in range(last + 1):
        leaves[shortest_path[at]] = at
    returns[shortest_path[last]] = last
    for at in range(last - 1, -1, -1):
        if behind[shortest_path[at]] != shortest_path[at + 1]:
            break
        returns[shortest_path[at]] = at
    count = 0
    most = stretch * shortest
    for v in range(n):
        if ahead[v] < 0 or left[v] < 0:
            continue
        length = np.int64(ahead[v]) + np.int64(left[v])
        u = before[v]
        if length > most or (u >= 0 and behind[u] == v):
            continue
        end = v
        while behind[end] >= 0 and before[behind[end]] == end:
            end = behind[end]
        first, final = _follow(v, before, leaves), _follow(end, behind, returns)
        if first >= final:
            continue
        shared = np.int64(ahead[shortest_path[first]]) + np.int64(left[shortest_path[final]])
        plateau = np.int64(ahead[end]) - np.int64(ahead[v])
        itself = length == shortest and plateau == length
        if shared <= sharing * shortest and length - shared <= stretch * (shortest - shared) and not itself:
            via[count], score[count] = v, 2.0 * length + shared - plateau
            count += 1
    return count


@part
def _follow(node: int, steps: Any, known: Any) -> int:
    """Return what is known at the first node on from this one where anything is, and note it of all before that."""
    at = node
    while known[at] < 0:
        at = steps[at]
    found = known[at]
    at = node
    while known[at] < 0:
        known[at] = found
        at = steps[at]
    return found


@loop
def _walk(before: Any, behind: Any, via: int, path: Any, seen: Any, walk: int) -> int:
    """Write the path by way of a node; return its number of nodes, 0 if it passes one twice."""
    count = 0
    at = via
    while at >= 0:
        seen[at] = walk
        path[count] = at
        count += 1
        at = before[at]
    for index in range(count // 2):
        path[index], path[count - 1 - index] = path[count - 1 - index], path[index]
    at = behind[via]
    while at >= 0:
        if seen[at] == walk:
            return 0
        seen[at] = walk
        path[count] = at
        count += 1
        at = behind[at]
    return count


@loop
def _shared(path: Any, node_count: int, used: Any, ahead: Any, left: Any, via: int) -> int:
    """Return how much of a path consists of steps that are ``used``, which rise."""
    total = 0
    passed = False
    for at in range(len(path) - 1):
        u, v = path[at], path[at + 1]
        passed = passed or u == via
        step = np.int64(u) * node_count + v
        index = np.searchsorted(used, step)
        if index < len(used) and used[index] == step:
            total += np.int64(left[u]) - left[v] if passed else np.int64(ahead[v]) - ahead[u]
    return total


@loop
def _round(path: Any, via: int, ahead: Any, left: Any, local: float) -> tuple[int, int]:
    """Return the nodes of a path that are ``local`` before a node and behind it, or its ends."""
    middle = 0
    while path[middle] != via:
        middle += 1
    first, last = middle, middle
    while first > 0 and ahead[via] - ahead[path[first]] < local:
        first -= 1
    while last < len(path) - 1 and left[via] - left[path[last]] < local:
        last += 1
    return path[first], path[last]


@loop
def _is_shorter(
    offsets: Any,
    targets: Any,
    weights: Any,
    ahead: Any,
    left: Any,
    begin: int,
    end: int,
    via: int,
    assist: Any,
    entries: Any,
    touched: Any,
) -> bool:
    """Return whether a way from ``begin`` to ``end`` is shorter than that by ``via``.

    An A* search: no way from a node to the end is shorter than the difference of their distances from the source, or
    than that of their distances to the target.
    """
    length = (np.int64(ahead[via]) - ahead[begin]) + (np.int64(left[via]) - left[end])
    heap = KeyedHeap(assist, entries, 0, PAIR, 0, PAIR)
    size, count = lower_node(heap, 0, begin, 0), 1
    touched[0] = begin
    found = False
    base = _least(ahead, left, begin, end)
    while size > 0 and not found:
        u = entries[1]
        gone = entries[0] + base - _least(ahead, left, u, end)  # keys hold what is gone and what is left at least
        size = drop_least(heap, size)
        for arc in range(offsets[u], offsets[u + 1]):
            v, weight = targets[arc], weights[arc]
            if weight < 0 or left[v] < 0:
                continue
            through = gone + weight + _least(ahead, left, v, end)
            if through >= length:
                continue
            if v == end:
                found = True
                break
            key = through - base
            fresh = assist[PAIR * v + 1] == NOT_IN_HEAP
            if fresh or key < assist[PAIR * v]:
                if fresh:
                    touched[count] = v
                    count += 1
                size = lower_node(heap, size, v, key)
    for index in range(count):
        assist[PAIR * touched[index] + 1] = NOT_IN_HEAP
    return found


@part
def _least(ahead: Any, left: Any, node: int, end: int) -> int:
    """Return a bound that no way from a node to the end is below."""
    return max(np.int64(ahead[end]) - ahead[node], np.int64(left[node]) - left[end], np.int64(0))
