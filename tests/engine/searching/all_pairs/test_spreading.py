"""Sources spread over workers: the same results bit for bit, whatever becomes of a worker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import wayfront
from dask_workers import scheduler_here
from search_checks import make_network, random_arcs
from wayfront.dissection.cut.cutting import dissect
from wayfront.dissection.store import dissection_of, keep_dissection
from wayfront.network.road_network import RoadNetwork
from wayfront.plugins import loading
from wayfront.safe.errors import DeviceError, NetworkError, OptionError, SearchCancelled
from wayfront.searching.all_pairs import spreading as cluster
from wayfront.searching.all_pairs import worker
from wayfront.searching.run import Progress, SearchOptions

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


def check_equal(found: wayfront.PairsResult, alone: wayfront.PairsResult) -> None:
    """Compare sources, figures and rows of two results."""
    assert found.sources.tolist() == alone.sources.tolist()
    for field in fields(alone.figures):
        ours, theirs = getattr(found.figures, field.name), getattr(alone.figures, field.name)
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
    if alone.matrix is not None:
        assert found.matrix.dtype == alone.matrix.dtype
        assert np.array_equal(found.matrix, alone.matrix)


@pytest.fixture
def address() -> Iterator[str]:
    """Return the address of a scheduler whose only worker is a thread of this process."""
    with scheduler_here() as address:
        yield address


def test_two_processes_of_which_one_is_killed_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "local_devices", lambda *_asked: ["cpu", "cpu"])
    network = random_arcs(200, 700, 90, 3)
    alone = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", keep="matrix", runs=0)
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.sources_done and not killed:
            workers = [child for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline())]
            assert len(workers) == 2
            killed.append(progress.sources_done)
            workers[0].kill()

    found = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", keep="matrix", scheduler="local", progress=kill_one)
    assert killed[0] < 200
    check_equal(found, alone)
    assert len(found.timing.runs_ms) == 1


def test_an_address_is_searched_on_and_finished_sources_are_kept(address: str, tmp_path: Path) -> None:
    network, path, cancel = random_arcs(300, 1000, 40, 5), tmp_path / "run.wfpairs", threading.Event()
    options: dict[str, Any] = {"sources": [7, 2, 200, *range(20, 150)], "closures": [4, 9], "checkpoint": path}

    stages: list[str] = []

    def stop(progress: Progress) -> None:
        stages.append(progress.stage)
        if progress.sources_done and progress.sources_done > 20:
            cancel.set()

    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(
            network, "dijkstra-in-turn", "cpu", scheduler=address, progress=stop, cancel=cancel, **options
        )
    assert path.exists()
    assert set(stages) <= {"compiling on the workers", "searching"} and stages[-1] == "searching"
    found = wayfront.all_pairs(network, "dissection-all-pairs", "cpu", scheduler=address, verify=True, **options)
    assert 20 < found.found_before < 133
    assert found.proved == 133 - found.found_before
    assert found.verified is None and "rows are proved right: the other figures are a checkpoint's" in found.note
    assert found.timing.prepare_ms.keys() == {"cut", "set up", "customise"}
    check_equal(found, wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0, **options))


def test_workers_compile_before_the_time_begins_and_can_be_cancelled_while_they_do(address: str) -> None:
    network, cancel, stages = random_arcs(30, 90, 9, 2), threading.Event(), []

    def stop(progress: Progress) -> None:
        stages.append((progress.stage, progress.sources_done))
        cancel.set()

    with pytest.raises(SearchCancelled):
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", scheduler=address, progress=stop, cancel=cancel)
    assert stages == [("compiling on the workers", 0)]


def test_rows_are_widened_when_a_worker_needs_64_bits(address: str) -> None:
    network = make_network(40, [(u, u + 1, 2**31 - 1 if u < 3 else 5) for u in range(39)])
    alone = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", keep="matrix", runs=0)
    check_equal(wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", keep="matrix", scheduler=address), alone)


def test_errors_of_workers_and_schedulers_are_told(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    network = random_arcs(30, 90, 9, 1)
    with pytest.raises(NetworkError, match="no metric 'beauty'"):
        wayfront.all_pairs(network, scheduler=address, metric="beauty")
    with pytest.raises(DeviceError, match="there is no device"):
        wayfront.all_pairs(network, "dijkstra-in-turn", "tpu", scheduler=address)
    with pytest.raises(OptionError, match="there is no algorithm"):
        wayfront.all_pairs(network, "a-moon", "cpu", scheduler=address)
    monkeypatch.setattr(cluster, "REACHED_WITHIN_S", 0.2)
    with pytest.raises(DeviceError, match="no scheduler answers at"):
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", scheduler="tcp://127.0.0.1:9")


def test_a_worker_without_the_network_is_sent_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront.searching.all_pairs import spreading

    network: RoadNetwork = random_arcs(50, 150, 9, 8)
    monkeypatch.setattr(spreading, "holds", lambda _key: True)  # as if the worker were replaced just afterwards
    check_equal(
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", scheduler=address),
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0),
    )


MY_TURNS = """
from wayfront.algorithms.in_turn import dijkstra_in_turn
from wayfront.devices.device import Ability
from wayfront.searching.registry import SearchKind, algorithm


@algorithm(
    name="my-turns", title="My turns", paper="none", family="Mine", summary="In turn.", phases=(),
    needs=Ability.HOST_LOOPS, kind=SearchKind.ALL_PAIRS,
)
def my_turns(run):
    yield from dijkstra_in_turn(run)
"""


def test_a_worker_is_sent_the_plugin_that_declares_the_algorithm(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_named", {})
    path = tmp_path / "turns.py"
    path.write_text(MY_TURNS, "utf-8")
    loading.load_plugin(path)
    taken: list[str] = []
    monkeypatch.setattr(worker, "take_file", lambda sent: taken.append(sent.name))
    network = random_arcs(30, 90, 9, 1)
    found = wayfront.all_pairs(network, "my-turns", "cpu", scheduler=address)
    check_equal(found, wayfront.all_pairs(network, "my-turns", "cpu", runs=0))
    assert set(taken) == {"turns.py"}
    task = worker.Task(network.content_key, SearchOptions(algorithm="a-moon"), keeps_rows=False, wants_cut=False)
    with pytest.raises(OptionError, match=r"the worker at tcp://x does not know the algorithm 'a-moon': install"):
        worker._know_algorithm(task, "tcp://x")


def test_a_worker_without_the_cut_is_sent_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network: RoadNetwork = random_arcs(50, 150, 9, 8)
    theirs = replace(network, _derived={})  # as from the worker's own cache
    monkeypatch.setattr(worker, "_networks", {network.content_key: theirs})
    cells = keep_dissection(network, replace(dissect(network), cut_ms=12_345.0))
    found = wayfront.all_pairs(network, "dissection-all-pairs", "cpu", scheduler=address)
    kept = dissection_of(theirs, only_kept=True)
    assert kept is not None
    assert kept.cut_ms == cells.cut_ms
    check_equal(found, wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0))
