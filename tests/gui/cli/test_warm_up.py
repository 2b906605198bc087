"""``warm-up``, and what is said while kernels are being compiled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from numba.core import event

from calling import Command
from wayfront.devices import CPU
from wayfront.network.road_network import RoadNetwork
from wayfront.search.registry import algorithms, find_algorithm
from wayfront.search.warming import Task, reader_tasks, search_tasks
from wayfront.timing import compile_watch, ranges
from wayfront.timing.compile_watch import told_of_compiling

warming = sys.modules["wayfront.search.warming"]
"""Not by its name: ``wayfront.search`` is a function."""


def test_every_algorithm_of_a_device_is_warmed_up() -> None:
    named = [task.name for task in search_tasks(CPU)]
    assert "dijkstra on cpu" in named and "dijkstra-in-turn on cpu" in named
    assert "prepared networks on cpu" in named, "of which live trees are"
    assert not any(name.startswith("near-far-resident ") for name in named), "it needs a card"
    assert len(named) == len(set(named)) <= len(algorithms())


def test_a_task_searches_in_every_way_that_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled here: what would be searched is noted."""
    asked: list[dict[str, Any]] = []

    def note(network: RoadNetwork, *arguments: Any, **how: Any) -> None:
        asked.append({"least": network.weight_range(network.metrics[0])[0], "of": arguments, **how})

    monkeypatch.setattr(warming, "search", note)
    monkeypatch.setattr(warming, "all_pairs", note)
    tasks = {task.name: task for task in search_tasks(CPU)}
    tasks["delta-stepping on cpu"].run(None)
    assert {one["least"] for one in asked} >= {0, 1, 2**31 - 1}
    rules = next(option for option in find_algorithm("delta-stepping").options if option.name == "rule")
    assert {one["options"]["rule"] for one in asked if "options" in one} == set(rules.choices) - {rules.default}
    asked.clear()
    for name in ("a-star on cpu", "dijkstra-in-turn on cpu"):
        tasks[name].run(None)
    assert {"target", "sources"} <= {key for one in asked for key in one}


def test_readers_read_a_file_of_their_format() -> None:
    for task in reader_tasks():
        task.run(None)


def test_warm_up_runs_all_tasks_and_reports_their_seconds(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    tasks = [Task("one on cpu", lambda _: done.append("one")), Task("two on cpu", lambda _: done.append("two"))]
    monkeypatch.setattr(warming, "search_tasks", lambda _device: tasks)
    monkeypatch.setattr(warming, "reader_tasks", lambda: [Task("a reader", lambda _cancel: None)])
    monkeypatch.setattr("wayfront_gui.scene.kernel_warmup.warm_up", lambda: done.append("map"))
    record = wayfront("warm-up", "-d", "cpu", "--json").record
    assert done == ["one", "two", "map"]
    assert list(record["seconds"]) == ["one on cpu", "two on cpu", "a reader", "the map"]
    assert "All kernels are ready" in wayfront("warm-up", "-d", "cpu").out


def test_the_simulator_has_nothing_to_compile(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront_gui.cli.engine_calls.choose_device", lambda name: name)
    outcome = wayfront("warm-up", "-d", "simulator")
    assert (outcome.code, outcome.out) == (1, "")
    assert "the simulator compiles nothing" in outcome.err


@pytest.mark.usefixtures("no_card")
def test_ranges_without_a_card_are_marked_and_said_to_be_without_kernels(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "_nvtx", None)
    monkeypatch.setitem(sys.modules, "nvtx", None)
    words = ("solve", tiny, "--source", 1, "-d", "cpu", "--runs", 0, "--json", "--nvtx")
    refused = wayfront(*words)
    assert (refused.code, refused.out) == (1, "")
    assert "need the package nvtx: pip install" in refused.err
    monkeypatch.setitem(sys.modules, "nvtx", MagicMock())
    outcome = wayfront(*words)
    assert outcome.code == 0
    assert "no card is used: of --nvtx a profiler shows ranges, and no kernels, on cpu" in outcome.err


def test_compiling_is_told_once_and_only_while_someone_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def compile_two() -> None:
        for _ in range(2):
            with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
                pass

    monkeypatch.setattr(compile_watch, "_UNNOTICED_S", 3600.0)
    with told_of_compiling(lambda: told.append(1)):
        compile_two()
    assert not told, "what takes a moment is not worth a word"
    monkeypatch.setattr(compile_watch, "_UNNOTICED_S", -1.0)
    with told_of_compiling(lambda: told.append(1)):
        compile_two()
    compile_two()
    assert told == [1]
