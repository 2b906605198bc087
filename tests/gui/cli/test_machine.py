"""``wayfront warm-up``, ``new`` and ``install-desktop``."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from numba.core import event
from numpy.typing import NDArray

from calling import Command
from there import there
from wayfront.devices import CPU
from wayfront.devices import compiling as compile_watch
from wayfront.devices.compiling import told_of_compiling
from wayfront.devices.cuda_support import WHY_NOT
from wayfront.network.road_network import RoadNetwork
from wayfront.plugins import loading
from wayfront.safe.errors import SearchCancelled
from wayfront.searching import registry
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.warming import Task, compile_all, flow_tasks, reader_tasks, search_tasks
from wayfront.timing import ranges
from wayfront.trace.file import SUFFIX as TRACE
from wayfront_gui.cli.machine import desktop_entry, program
from wayfront_gui.cli.running import MISUSED, REFUSED
from wayfront_gui.session.saved import SUFFIX as SESSION

# -------------------------------------------------------------------------------------------------------------- warm up


warming = sys.modules["wayfront.searching.warming"]
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


def test_flows_are_warmed_up_with_a_road_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled here, either."""
    closed: list[int] = []

    class Noted:
        of = classmethod(lambda cls, *_: cls())

        def after(self, weights: NDArray[np.int32]) -> None:
            closed.extend(np.flatnonzero(weights < 0).tolist())

    monkeypatch.setattr(warming, "FlowsUnderClosures", Noted)
    for task in flow_tasks():
        task.run(None)
    assert closed == [0]


def test_readers_read_a_file_of_their_format() -> None:
    for task in reader_tasks():
        task.run(None)


def test_warm_up_runs_all_tasks_and_reports_their_seconds(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    tasks = [Task("one on cpu", lambda _: done.append("one")), Task("two on cpu", lambda _: done.append("two"))]
    monkeypatch.setattr(warming, "search_tasks", lambda _device: tasks)
    monkeypatch.setattr(warming, "flow_tasks", lambda: [Task("flows", lambda _cancel: None)])
    monkeypatch.setattr(warming, "reader_tasks", lambda: [Task("a reader", lambda _cancel: None)])
    monkeypatch.setattr("wayfront_gui.features.live_tree.picture.warm_up", lambda: done.append("map"))
    record = wayfront("warm-up", "-d", "cpu", "--jobs", 1, "--json").record
    assert done == ["one", "two", "map"]
    assert list(record["seconds"]) == ["one on cpu", "two on cpu", "flows", "a reader", "the map"]
    assert "All kernels are ready" in wayfront("warm-up", "-d", "cpu", "--jobs", 1).out


def tasks_of_processes(folder: Path) -> list[Task]:
    """Return tasks that note which process ran them; the last one ends the process that runs it, but for ours."""

    def note(name: str) -> Task:
        return Task(name, lambda _cancel: (folder / name).write_text(str(os.getpid())))

    def end(_cancel: Event | None) -> None:
        if "PYTEST_CURRENT_TEST" in os.environ and (folder / "ours").read_text() != str(os.getpid()):
            os._exit(1)
        note("ends").run(None)

    return [note("one"), note("two"), Task("ends", end)]


def test_processes_share_the_tasks_and_one_that_ends_is_stood_in_for(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text(str(os.getpid()))
    said: list[str] = []
    seconds = compile_all(partial(tasks_of_processes, tmp_path), 2, progress=lambda stage, _: said.append(stage))
    assert list(seconds) == ["one", "two", "ends"]
    assert (tmp_path / "ends").read_text() == str(os.getpid()) != (tmp_path / "one").read_text()
    assert said[0] == "compiling 3 parts in 2 processes" and "ends" in said[-1]


def test_what_compiles_is_cancelled_between_two_tasks(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text(str(os.getpid()))
    cancel = Event()
    cancel.set()
    for jobs in (1, 2):
        with pytest.raises(SearchCancelled):
            compile_all(partial(tasks_of_processes, tmp_path), jobs, cancel=cancel)


def test_the_simulator_has_nothing_to_compile(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront_gui.cli.searching.choose_device", lambda name: name)
    outcome = wayfront("warm-up", "-d", "simulator")
    assert (outcome.code, outcome.out) == (MISUSED, "")
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


def test_a_notebook_that_waits_for_kernels_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told_when(use: Callable[[], object]) -> bool:
        compile_watch._watch_in_notebooks.cache_clear()
        with ExitStack() as watching:
            monkeypatch.setattr(compile_watch, "_watching", watching)
            use()
            with event.trigger_event("numba:compile"):
                pass
        compile_watch._watch_in_notebooks.cache_clear()
        return compile_watch.NOTICE in capsys.readouterr().err

    monkeypatch.setattr(compile_watch, "_UNNOTICED_S", -1.0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    compile_it = compile_watch._compiler(lambda function: function)
    assert not told_when(lambda: compile_it(len))
    monkeypatch.setitem(sys.modules, "ipykernel", MagicMock())
    assert told_when(lambda: compile_it(len))
    monkeypatch.delitem(sys.modules, "numba")
    lazy = compile_it(len)
    assert told_when(lambda: lazy([1]))


# ------------------------------------------------------------------------------------------------------------------ new


@pytest.fixture
def far_sight(tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package made by the command, which is not installed; what it declares is forgotten after the test."""
    monkeypatch.chdir(tmp_path)
    made = wayfront("new", "algorithm", "far-sight")
    assert made.code == 0, made.err
    assert made.out.splitlines() == ["cd far-sight", "pytest", "wayfront --plugin src/far_sight/search.py"]
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    monkeypatch.setattr(loading, "_named", {})
    return tmp_path / "far-sight"


def its_tests(folder: Path) -> Any:
    spec = there(importlib.util.spec_from_file_location("tests_of_far_sight", folder / "tests" / "test_search.py"))
    module = importlib.util.module_from_spec(spec)
    there(spec.loader).exec_module(module)
    return module


def test_a_new_package_passes_its_own_tests(far_sight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(far_sight / "src")
    tests = its_tests(far_sight)
    try:
        for network in tests.NETWORKS:
            tests.test_distances_are_those_of_dijkstra_and_the_certificate_holds(network)
        tests.test_every_option_keeps_it_right()
        tests.test_every_step_lights_a_line_of_the_pseudo_code()
        if not WHY_NOT:
            tests.test_a_simulated_card_finds_the_same()
    finally:
        for name in ("far_sight", "far_sight.search"):
            sys.modules.pop(name, None)
    assert {name for name in vars(tests) if name.startswith("test_")} == {
        "test_distances_are_those_of_dijkstra_and_the_certificate_holds",
        "test_every_option_keeps_it_right",
        "test_every_step_lights_a_line_of_the_pseudo_code",
        "test_a_simulated_card_finds_the_same",
    }


def test_no_trace_of_the_template_is_left_in_a_new_package(far_sight: Path) -> None:
    files = [path for path in far_sight.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"search.py", "far-sight.toml", "test_search.py", "pyproject.toml"}
    for path in files:
        assert "new" not in str(path.relative_to(far_sight))
        assert not {"new-algorithm", "new_algorithm", "New algorithm"} & set(path.read_text("utf-8").split())
    assert list(far_sight.parent.iterdir()) == [far_sight], "nothing else is left behind"


def test_a_new_package_is_listed_and_explained_as_a_plugin(far_sight: Path, wayfront: Command) -> None:
    search = far_sight / "src" / "far_sight" / "search.py"
    record = wayfront("list", "--plugin", search, "--json").record
    assert record["plugins"] == [{"name": "search.py", "declares": ["algorithm far-sight"], "problem": ""}]
    (declared,) = (each for each in record["algorithms"] if each["name"] == "far-sight")
    assert [option["name"] for option in declared["options"]] == ["look_every"]
    explained = wayfront("explain", "far-sight", "--plugin", search)
    assert "Far sight" in explained.out
    assert "lower d[v] to d[u] + w(u,v)" in explained.out
    (search.parent / "far-sight.toml").unlink()
    missing = wayfront("explain", "far-sight", "--plugin", search)
    assert (missing.code, missing.out) == (1, "")
    assert "far-sight.toml: there is no such file; it would explain far-sight" in missing.err


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("far-sight", "there is such a folder already"),
        ("Far Sight", "small letters, figures and hyphens, not 'Far Sight'"),
        ("../up", "small letters, figures and hyphens"),
        ("a" * 61, "small letters, figures and hyphens"),
        ("json", "would be the module json, a name that Python or wayfront has"),
        ("dijkstra", "there is an algorithm 'dijkstra' already"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, problem: str, far_sight: Path, wayfront: Command) -> None:
    before = sorted(far_sight.parent.iterdir())
    refused = wayfront("new", "algorithm", name)
    assert (refused.code, refused.out) == (REFUSED if name == "far-sight" else MISUSED, "")
    assert problem in refused.err
    assert sorted(far_sight.parent.iterdir()) == before


# ------------------------------------------------------------------------------------------------------ install desktop


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are Linux's")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's data folder, on a machine without the tools that update a desktop's caches."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    return tmp_path


@linux
def test_it_is_installed_and_removed(wayfront: Command, home: Path) -> None:
    done = wayfront("install-desktop")
    assert done.code == 0 and "next login" in done.err
    written = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert {"applications/wayfront.desktop", "mime/packages/wayfront.xml"} < written
    assert {path.rpartition(".")[2] for path in written if path.startswith("icons")} == {"svg", "png"}
    types = (home / "mime/packages/wayfront.xml").read_text("utf-8")
    assert all(f'pattern="*{suffix}"' in types for suffix in (TRACE, SESSION, ".wayfront"))
    entry = read(home / "applications/wayfront.desktop")
    assert all(f'type="{name}"' in types for name in entry["MimeType"].rstrip(";").split(";"))
    assert shlex.split(entry["Exec"]) == [*program(), "%f"]
    assert wayfront("install-desktop", "--remove").code == 0
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert wayfront("install-desktop", "--remove").code == 0, "there is nothing to remove, and nothing to refuse"


@linux
def test_a_path_with_any_characters_stays_one_word(tmp_path: Path) -> None:
    word = '/opt/my "maps"/100 %/a$b`c\\d'
    path = tmp_path / "a.desktop"
    path.write_text(desktop_entry((word,), ("text/plain",)), encoding="utf-8")
    quoted = read(path)["Exec"].removeprefix('"').removesuffix('" %f')
    # Read as the specification says: first the escapes of every string, then those in quotes, then the field codes.
    unquoted = re.sub(r"\\(.)", r"\1", re.sub(r"\\(.)", r"\1", quoted))
    assert unquoted.replace("%%", "%") == word


def test_it_is_refused_where_there_is_no_such_desktop(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    done = wayfront("install-desktop")
    assert done.code == 1 and "Open with" in done.err


def read(path: Path) -> configparser.SectionProxy:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(path, encoding="utf-8")
    return entry["Desktop Entry"]
