"""What an all-pairs run gives its algorithm: batches that fit, memory told beforehand, cores that share long work."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from pairs_checks import check_pairs
from search_checks import make_network, random_arcs
from wayfront.devices.cpu import CpuDevice
from wayfront.kernels.observing import fill
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results import matrix_files as rows
from wayfront.safe.errors import DeviceMemoryError, NetworkError, WriteError
from wayfront.searching.all_pairs import driving
from wayfront.searching.all_pairs import run as runs
from wayfront.searching.all_pairs.run import Discarding, PairsRun
from wayfront.searching.run import Progress, Setting

NETWORK = random_arcs(50, 150, 9, 1)


def pairs_run(free: int, sources: int = 50, network: RoadNetwork = NETWORK) -> PairsRun:
    device = CpuDevice()
    device.free_bytes = lambda: free  # type: ignore[method-assign]
    setting = Setting(device, network, network.metrics[0], {}, np.dtype(np.int32))
    return PairsRun(setting, np.arange(sources, dtype=np.int32), Discarding())


@pytest.mark.parametrize(
    ("free", "sources", "asked", "expected"),
    [
        (10**9, 50, {}, 50),
        (2000, 50, {}, 10),
        (2000, 50, {"fixed_bytes": 500}, 5),
        (10**9, 50, {"most": 7}, 7),
        (10**9, 50, {"multiple": 32}, 64),
        (10**9, 7, {"multiple": 32}, 32),
        (10**9, 50, {"multiple": 32, "most": 40}, 32),
        (10**9, 50, {"multiple": 32, "most": 5}, 32),
        (8000, 50, {"multiple": 32}, 32),
        (2000, 50, {"multiple": 32}, 10),
        (190, 50, {}, 1),
        (10**12, 50, {"fixed_bytes": 3 * 10**9 - 250}, 2),
    ],
)
def test_as_many_sources_are_searched_at_once_as_fit(
    free: int, sources: int, asked: dict[str, int], expected: int
) -> None:
    run, told = pairs_run(free, sources), []
    run.on_plan = lambda: told.append(run.planned_bytes)
    assert run.at_once(100, **asked) == expected
    assert told[-1] == asked.get("fixed_bytes", 0) + 100 * expected
    run.device.free_bytes = lambda: 0  # type: ignore[method-assign]
    assert run.at_once(100, **asked) == expected, "the same question has the same answer"


def test_what_does_not_fit_is_refused_with_its_figure() -> None:
    asks: list[Callable[[PairsRun], object]] = [lambda run: run.at_once(10**9), lambda run: run.require(10**9)]
    for ask in asks:
        run = pairs_run(4 * 10**8)
        with pytest.raises(DeviceMemoryError, match=r"drawn takes 1\.0 GB on cpu .*, and 0\.4 GB are free there"):
            ask(run)
        assert run.planned_bytes == 0


def test_batches_go_through_all_sources_in_order() -> None:
    run = pairs_run(10**9, sources=11)
    found = [(batch.first, batch.count, batch.sources.tolist()) for batch in run.batches(4)]
    assert found == [(0, 4, [0, 1, 2, 3]), (4, 4, [4, 5, 6, 7]), (8, 3, [8, 9, 10, 10])]


def test_a_sum_that_may_not_fit_64_bits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_LARGEST_SUM", 5_000_000)
    network = make_network(3, [(0, 1, 1_000_000), (1, 2, 1_000_000)])
    with pytest.raises(NetworkError, match="drawn: the sum of the distances from a node may not fit 64 bits"):
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu")


@pytest.mark.parametrize("threads", [1, 3])
def test_cores_take_long_work_in_shares(threads: int) -> None:
    device, checks = CpuDevice(threads=threads), []
    array = np.zeros(100, np.int32)
    launch = device.prepare_shared(fill, 7, check=lambda: checks.append(threading.get_ident()))
    launch(99, array, 5)
    assert array.tolist() == [5] * 99 + [0]
    assert len(checks) == 15
    done: list[tuple[int, int]] = []
    device.divide(lambda task, core: done.append((task, core)), range(40))
    assert sorted(task for task, _ in done) == list(range(40))
    assert {core for _, core in done} <= set(range(threads))
    device.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_what_one_core_raises_ends_the_others(threads: int) -> None:
    device, done = CpuDevice(threads=threads), []

    def work(task: int, _core: int) -> None:
        if task == 5:
            raise ZeroDivisionError
        done.append(task)

    with pytest.raises(ZeroDivisionError):
        device.divide(work, range(10**6))
    assert len(done) < 10**6
    device.close()


def test_time_is_forecast_before_the_search_and_by_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "WORTH_A_TRIAL", 0)
    monkeypatch.setattr(driving, "REPORT_EVERY_S", -1.0)
    seen: list[Progress] = []
    result = wayfront.all_pairs(NETWORK, "relax-update-in-turn", "cpu", runs=1, trace=True, progress=seen.append)
    stages = [progress.stage for progress in seen]
    assert stages == sorted(stages)
    assert stages.count("tracing") == 50
    first, last = seen[0], seen[-1]
    assert (first.stage, first.sources_done, first.sources_wanted) == ("forecast", 0, 50)
    assert first.seconds_ahead is not None
    assert last.sources_done == 50
    assert last.seconds_ahead == pytest.approx(result.timing.runs_ms[0] / 1e3, rel=0.5)


def test_the_memory_of_a_search_is_told_where_a_trial_took_it_already() -> None:
    seen: list[Progress] = []
    result = wayfront.all_pairs(NETWORK, "floyd-warshall", "cpu", runs=1, progress=seen.append)
    size = 4 * NETWORK.node_count**2
    assert seen[0].bytes_ahead is not None and seen[0].bytes_ahead >= size
    assert result.device_bytes == seen[0].bytes_ahead
    check_pairs(result)


def test_the_centre_is_none_of_the_ends_that_nothing_leads_to() -> None:
    """Nodes 0 to 4 are a street both ways; a one-way street leads from 5 into its middle, and so 5 reaches most."""
    tails = np.array([0, 1, 1, 2, 2, 3, 3, 4, 5])
    heads = np.array([1, 0, 2, 1, 3, 2, 4, 3, 2])
    network = RoadNetwork.from_arcs(
        name="trap", node_count=6, tails=tails, heads=heads, metrics=[Metric("weight", "", 1, np.ones(9, int))]
    )
    result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=1)
    assert result.figures.reached.tolist() == [5, 5, 5, 5, 5, 6]
    assert result.centre == (2, 2)
    alone = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", sources=[5], runs=1)
    assert alone.centre == (5, 3)


@pytest.mark.parametrize("name", ["all.npy", "all.zarr"])
def test_a_disk_that_fills_up_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    usage = type("Usage", (), {"free": 9999})
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(
        WriteError, match=r"the matrix takes 10 kB, 1 kB more than is free there; ask for fewer rows, keep"
    ):
        wayfront.all_pairs(NETWORK, "dijkstra-in-turn", "cpu", keep=tmp_path / name)
    monkeypatch.undo()
    if name.endswith(".npy"):

        def full(*_arguments: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(rows.RowsInFile, "_offset", full)
        with pytest.raises(WriteError, match=r"all\.npy cannot be written: No space left on device; free some, or"):
            wayfront.all_pairs(NETWORK, "dijkstra-in-turn", "cpu", keep=tmp_path / name)
    assert not list(tmp_path.iterdir())
