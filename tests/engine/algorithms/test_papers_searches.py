"""Heap_APSP and the task-parallel search: batches, launches that go on where one stopped, loads in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wayfront
from pairs_checks import check_pairs
from search_checks import make_network, random_arcs
from wayfront.algorithms import heap_apsp
from wayfront.network.road_network import RoadNetwork
from wayfront.results.pairs import PairsResult
from wayfront.searching.all_pairs import run as pairs_run
from wayfront.searching.all_pairs.run import Batch

LAYOUTS = ["by source", "interleaved", "heaps interleaved"]


def crowded() -> RoadNetwork:
    """Return 35 nodes, two of them with more than 64 arcs: parallel ones, loops, weights of 0; the last is no head."""
    r = np.random.default_rng(8)
    arcs = [
        (u, int(v), int(w)) for u in (0, 7) for v, w in zip(r.integers(0, 34, 70), r.integers(0, 9, 70), strict=True)
    ]
    arcs += [(u, (u + 1) % 34, 5) for u in range(34)] + [(u, u, 0) for u in range(0, 35, 3)] + [(34, 0, 2), (34, 0, 1)]
    return make_network(35, arcs)


def search(network: RoadNetwork, name: str, **changes: Any) -> PairsResult:
    arguments: dict[str, Any] = {"keep": "matrix", "runs": 0, "verify": True}
    return wayfront.all_pairs(network, name, "cpu", **(arguments | changes), trace=True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_launch_goes_on_where_the_last_one_stopped(
    layout: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heap_apsp, "MOST_WORK", 1)
    check_pairs(search(crowded(), "heap-apsp", options={"layout": layout}, threads=threads))


@pytest.mark.parametrize("most_work", [1, 3])
def test_a_launch_goes_on_with_heaps_of_one_entry(most_work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_apsp, "MOST_WORK", most_work)
    check_pairs(search(make_network(12, [(u, u + 1, 3) for u in range(11)]), "heap-apsp"))


@pytest.mark.usefixtures("any_threads")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_batch_leaves_nothing_to_the_next_one(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap_apsp, "SMALL", 0)
    result = search(crowded(), "heap-apsp", options={"layout": layout}, threads=3)
    assert result.steps == 12
    check_pairs(result)


@pytest.mark.usefixtures("any_threads")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("room", "steps"), [(1, 2), (40, 2), (89, 2), (90, 1)])
def test_a_batch_whose_heaps_are_full_is_searched_again_in_parts(layout: str, room: int, steps: int) -> None:
    hub = [(0, v, v) for v in range(1, 91)] + [(v, 0, 1) for v in range(1, 91)]
    options = {"layout": layout, "room": room}
    result = search(make_network(91, hub), "heap-apsp", options=options, threads=2)
    assert result.steps == steps
    check_pairs(result)


def test_heaps_begin_small_where_not_all_sources_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    network = crowded()
    monkeypatch.setattr(heap_apsp, "LEAST_ROOM", 4)
    monkeypatch.setattr(pairs_run, "MOST_BYTES", 16 * 35 * 20)
    monkeypatch.setattr(heap_apsp, "_most_at_once", lambda _run: None)
    rooms: list[tuple[int, int]] = []
    search_batch = heap_apsp.Heaps.search

    def noted(heaps: heap_apsp.Heaps, batch: Batch, width: int, room: int) -> bool:
        rooms.append((width, room))
        return search_batch(heaps, batch, width, room)

    monkeypatch.setattr(heap_apsp.Heaps, "search", noted)
    check_pairs(search(network, "heap-apsp"))
    assert rooms == [(35, 4), (19, 35), (16, 35)]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("count", [1, 32, 33])
def test_a_batch_of_32_tasks_may_lack_some(shared: bool, count: int) -> None:
    sources = [34, *range(count - 1)]
    result = search(crowded(), "task-parallel", options={"shared": shared}, sources=sources)
    assert result.steps == (2 if count == 33 else 1)
    check_pairs(result)


def test_a_batch_counts_its_rounds() -> None:
    result = search(make_network(6, [(u, u + 1, 1) for u in range(5)]), "task-parallel")
    assert result.trace is not None
    assert result.trace.step(0).note.reason == "no task marked a node after round 6"


@pytest.mark.parametrize("name", ["heap-apsp", "task-parallel"])
def test_64_bit_distances_in_every_batch(name: str) -> None:
    heavy = random_arcs(40, 60, 2**31 - 1, 3)
    result = search(heavy, name)
    assert result.matrix.dtype == np.int64
    assert result.diameter.distance > 2**31
    check_pairs(result)
