"""Alternatives against brute force: what is asked of a route holds, and none is left out that is one for certain."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from search_checks import make_network, plain_distances
from wayfront.network.arcs import without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.results.alternatives import Alternatives
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled


def town(seed: int) -> RoadNetwork:
    """Return a grid of streets with one-way ones, parallel arcs, arcs of no weight, loops, and a part of its own."""
    random = np.random.default_rng(seed)
    side, arcs = 6, []
    for node in range(side * side):
        for other in (node + 1 if (node + 1) % side else -1, node + side):
            if 0 <= other < side * side:
                weight = int(random.choice([0, 1, *random.integers(5, 14, 8)]))
                arcs.append((node, other, weight))
                if random.random() < 0.8:
                    arcs.append((other, node, weight))
                if random.random() < 0.1:
                    arcs.append((node, other, weight + 3))
    arcs += [(7, 7, 0), (36, 37, 5), (37, 36, 5)]
    return make_network(38, arcs, list(range(100, 138)))


def all_distances(network: RoadNetwork) -> NDArray[np.float64]:
    rows = [plain_distances(network, node) for node in range(network.node_count)]
    return np.array([[np.inf if each is None else each for each in row] for row in rows])


def lightest(network: RoadNetwork) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    arcs = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    for tail, head, weight in arcs:
        found[tail, head] = min(weight, found.get((tail, head), weight))
    return found


def is_local(path: list[int], steps: dict[tuple[int, int], int], far: NDArray[Any], local: float) -> bool:
    """Whether all parts of a path that are not longer than ``local`` are shortest paths."""
    gone = np.concatenate([[0], np.cumsum([steps[step] for step in pairwise(path)])])
    parts = [(a, b) for a in range(len(path)) for b in range(a + 1, len(path)) if gone[b] - gone[a] <= local]
    return all(gone[b] - gone[a] == far[path[a], path[b]] for a, b in parts)


def check(
    found: Alternatives, network: RoadNetwork, ends: tuple[int, int], stretch: float, sharing: float, locality: float
) -> None:
    """Check every route by itself, against all distances of the network (without what is closed)."""
    steps, far = lightest(network), all_distances(network)
    shortest = far[ends]
    used: set[tuple[int, int]] = set()
    for number, way in enumerate(found):
        path = way.route.nodes.tolist()
        assert (path[0], path[-1]) == ends and len(set(path)) == len(path)
        assert way.route.distance == sum(steps[step] for step in pairwise(path))
        assert way.route.distance == far[ends[0], way.via] + far[way.via, ends[1]]
        shared = sum(steps[step] for step in pairwise(path) if step in used)
        assert way.sharing * shortest == pytest.approx(shared) and way.stretch * shortest == pytest.approx(
            way.route.distance
        )
        if number == 0:
            assert way.route.distance == shortest
            first = path
        else:
            assert way.route.distance <= stretch * shortest and shared <= sharing * shortest
            assert is_local(path, steps, far, locality * shortest)
            out = next(at for at, pair in enumerate(zip(path, first, strict=False)) if pair[0] != pair[1]) - 1
            back = next(at for at, pair in enumerate(zip(path[::-1], first[::-1], strict=False)) if pair[0] != pair[1])
            a, b = path[out], path[len(path) - back]
            detour = sum(steps[step] for step in pairwise(path[out : len(path) - back + 1]))
            assert detour <= stretch * (far[ends[0], b] - far[ends[0], a]) + 1e-9
        used |= set(pairwise(path))


@given(st.integers(0, 10**6), st.integers(0, 35), st.integers(0, 35), st.sampled_from([0.1, 0.25, 0.6]), st.booleans())
@settings(max_examples=25, deadline=None)
def test_what_is_asked_of_routes_holds(seed: int, source: int, target: int, locality: float, closing: bool) -> None:
    network = town(seed)
    closed = np.random.default_rng(seed).choice(network.arc_count, 8 if closing else 0, replace=False)
    demands: dict[str, Any] = {"stretch": 1.4, "sharing": 0.7, "locality": locality}
    found = wayfront.alternatives(network, source, target, 4, closures=closed, device="cpu", **demands)
    rest = without_arcs(network, np.sort(closed))
    if plain_distances(rest, source)[target] is None:
        assert len(found) == 0
        return
    check(found, rest, (source, target), **demands)
    both = tuple(wayfront.prepare(network, device="cpu", reverse=reverse) for reverse in (False, True))
    for prepared in both:
        prepared.close(closed)
    again = wayfront.alternatives(network, source, target, 4, prepared=(both[0], both[1]), **demands)
    assert [way.route.nodes.tolist() for way in again] == [way.route.nodes.tolist() for way in found]
    if len(found) < 4 and len(found):
        assert not left_out(found, rest, (source, target), **demands)


def left_out(
    found: Alternatives, network: RoadNetwork, ends: tuple[int, int], stretch: float, sharing: float, locality: float
) -> list[int]:
    """Return nodes whose via path is an alternative beside all those found, and twice as local as it has to be."""
    steps, far = lightest(network), all_distances(network)
    shortest = far[ends]
    used = {step for way in found for step in pairwise(way.route.nodes.tolist())}
    first = found[0].route.nodes.tolist()
    there = wayfront.search(network, ends[0], device="cpu")
    back = wayfront.search(network, ends[1], device="cpu", reverse=True)
    missing = []
    for via in range(network.node_count):
        if not (np.isfinite(far[ends[0], via]) and np.isfinite(far[via, ends[1]])):
            continue
        path = [*there.route(via).nodes.tolist(), *back.route(via).nodes.tolist()[1:]]
        length = far[ends[0], via] + far[via, ends[1]]
        shared = sum(steps[step] for step in pairwise(path) if step in used)
        if len(set(path)) < len(path) or path == first or shared > sharing * shortest:
            continue
        with_first = sum(steps[step] for step in pairwise(path) if step in set(pairwise(first)))
        # Stricter than what is asked: the whole of what it does not share is compared with what it replaces.
        if length - with_first > stretch * (shortest - with_first) or length > stretch * shortest:
            continue
        if is_local(path, steps, far, 2 * locality * shortest + 2 * max(steps.values())) and used.isdisjoint(
            set(pairwise(path))
        ):
            missing.append(via)
    return missing


def test_two_ways_round_a_lake_are_two_routes() -> None:
    """Both are shortest everywhere along themselves; a loop through a side street is not."""
    short, long = [0, 1, *range(2, 9), 9, 10], [0, 1, *range(11, 18), 9, 10]
    sides = [
        (a, b, 10 if a in (0, 9) else 10 + extra) for path, extra in ((short, 0), (long, 1)) for a, b in pairwise(path)
    ]
    arcs = [*dict.fromkeys(sides), (4, 18, 3), (18, 5, 9)]
    network = make_network(19, arcs + [(b, a, w) for a, b, w in arcs], list(range(19)))
    found = wayfront.alternatives(network, 0, 10)
    assert [way.route.nodes.tolist() for way in found] == [short, long]
    assert [way.route.distance for way in found] == [100, 108]
    assert (found[1].stretch, found[1].sharing) == (1.08, 0.2)
    assert len(wayfront.alternatives(network, 0, 10, stretch=1.09)) == 1, "the part that differs is 88 in place of 80"
    assert len(wayfront.alternatives(network, 0, 10, sharing=0.1)) == 1
    assert len(wayfront.alternatives(network, 0, 10, 1)) == 1
    assert repr(found).endswith("100, 108>")


def test_the_same_node_and_no_path() -> None:
    network = town(1)
    (alone,) = wayfront.alternatives(network, 4, 4)
    assert (alone.route.nodes.tolist(), alone.route.distance, alone.stretch) == ([4], 0, 1.0)
    nothing = wayfront.alternatives(network, 0, 36)
    assert len(nothing) == 0 and repr(nothing) == "<Alternatives: no path>" and nothing.routes == ()
    for call in (nothing.to_geodataframe, lambda: nothing.save("ways.gpx")):
        with pytest.raises(NetworkError, match="no path"):
            call()


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"k": 0}, OptionError, "k, the number of routes"),
        ({"k": 99}, OptionError, "at most 20"),
        ({"stretch": 0.9}, OptionError, "stretch is a number of 1 or more"),
        ({"stretch": float("inf")}, OptionError, "stretch is a number"),
        ({"sharing": 1.5}, OptionError, "sharing is a number of 0 to 1"),
        ({"locality": "much"}, OptionError, "locality is a number"),
        ({"target": 99}, NetworkError, "no internal node 99"),
        ({"source": "x"}, NetworkError, "source is an internal node number"),
    ],
)
def test_wrong_demands_are_refused(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        wayfront.alternatives(town(1), **{"source": 0, "target": 5, **changed})


def test_what_is_prepared_has_to_fit() -> None:
    network, other = town(1), town(2)
    there, back = (wayfront.prepare(network, device="cpu", reverse=reverse) for reverse in (False, True))
    for pair in ((there, there), (back, there), (wayfront.prepare(other, device="cpu"), back)):
        with pytest.raises(NetworkError, match="prepared is a pair"):
            wayfront.alternatives(network, 0, 5, prepared=pair)
    with pytest.raises(OptionError, match="those of what is prepared"):
        wayfront.alternatives(network, 0, 5, prepared=(there, back), closures=[1])
    there.close([1])
    with pytest.raises(NetworkError, match="the same closed roads"):
        wayfront.alternatives(network, 0, 5, prepared=(there, back))


def test_choosing_is_stopped() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        wayfront.alternatives(town(3), 0, 35, stretch=2.0, locality=0.0, cancel=cancel)


def test_files_hold_all_routes(tmp_path: Path) -> None:
    network = wayfront.open_network("synthetic:grid?columns=12&rows=9&seed=3")
    found = wayfront.alternatives(network, 0, 107, stretch=1.4)
    found.save(tmp_path / "ways.gpx")
    assert (tmp_path / "ways.gpx").read_text().count("<trk>") == len(found) == 3
    frame = found.to_geodataframe()
    assert frame["rank"].tolist() == [1, 2, 3] and frame.sharing.max() <= 0.8
    assert found[1:] == found.found[1:]


@pytest.mark.real_data
def test_new_york_has_alternatives_that_hold(new_york_files: dict[str, Path]) -> None:
    network = wayfront.open_network(new_york_files["length"])
    source, target = network.node(1), network.node(130000)
    found = wayfront.alternatives(network, source, target)
    shortest, weights = found[0].route.distance, network.metrics[0].weights
    used: set[int] = set()
    for way in found:
        arcs = way.route.arcs
        assert int(weights[arcs].sum()) == way.route.distance <= 1.25 * shortest
        assert int(weights[[arc for arc in arcs.tolist() if arc in used]].sum()) == round(way.sharing * shortest)
        assert way.sharing <= 0.8
        used |= set(arcs.tolist())
        gone = np.concatenate([[0], np.cumsum(weights[arcs], dtype=np.int64)])
        for begin in range(0, len(arcs), max(len(arcs) // 12, 1)):
            end = int(np.searchsorted(gone, gone[begin] + 0.25 * shortest, "right")) - 1
            part = wayfront.search(network, int(way.route[begin]), "bidirectional", target=int(way.route[end]))
            assert part.route().distance == gone[end] - gone[begin]
    assert len(found) == 3
