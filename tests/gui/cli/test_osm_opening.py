"""How OpenStreetMap data are read: an option of every command, kept with the network and its traces."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtGui import QImage

from trace_files import change_header
from wayfront import open_network, search
from wayfront.errors import MemoryShortError, OptionError, TraceError
from wayfront.formats.options import OpeningOptions
from wayfront.formats.osm_options import OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront.search.result_file import save_trace
from wayfront.trace.file import read_header
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.cli.command_line import main
from wayfront_gui.engine_thread.jobs import OpenJob, Report

QUIET = Report(Event(), lambda _stage, _fraction: None, lambda _trace: None)


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return left.value.code if isinstance(left.value.code, int) else 0, captured.out, captured.err


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this machine with ten megabytes."""
    monkeypatch.setattr("wayfront.memory.available_bytes", lambda: 10_000_000)


def trace_of(network: RoadNetwork, path: Path) -> Path:
    save_trace(search(network, network.node(1), "dijkstra", "cpu", runs=0, trace_budget=DEFAULT_BUDGET_BYTES), path)
    return path


# ------------------------------------------------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("arguments", "size"),
    [((), [11, 18]), (("--simplify",), [9, 15]), (("--network-type", "walk", "--largest-component"), [11, 26])],
)
@pytest.mark.parametrize("command", ["open", "search", "steps", "canvas"])
def test_benchmarks_take_the_roads_that_are_asked_for(
    data: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    arguments: tuple[str, ...],
    size: list[int],
) -> None:
    # The window's own figures are of the network as the window opens it, and take half a minute.
    monkeypatch.setattr("wayfront_gui.window.frame_times.measure_window", lambda *_: {})
    monkeypatch.setattr("wayfront_gui.window.frame_times.first_picture_ms", lambda _path: 1.0)
    others = {
        "open": ("--runs", 1),
        "search": ("--runs", 1, "--device", "cpu", "--algorithms", "dijkstra"),
        "steps": ("--device", "cpu", "--algorithms", "dijkstra"),
        "canvas": ("--size", "64x64"),
    }[command]
    code, out, _ = call(capsys, "benchmark", command, data / "tiny.osm", "--json", *arguments, *others)
    assert code == 0
    network = json.loads(out)["network"]
    assert [network["nodes"], network["arcs"]] == size


def test_render_takes_the_roads_that_are_asked_for(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = []
    for arguments in ((), ("--network-type", "walk")):
        path = tmp_path / f"{len(arguments)}.png"
        fixed = ("--output", path, "--device", "cpu", "--size", "120x90", "--source", 1)
        assert call(capsys, "render", data / "tiny.osm", *fixed, *arguments)[0] == 0
        pictures.append(QImage(str(path)))
    assert not pictures[0].isNull()
    assert pictures[0] != pictures[1], "a footpath is drawn only for those who walk"


@pytest.mark.usefixtures("no_memory")
def test_render_and_benchmark_open_what_does_not_fit_only_when_forced(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    picture = ("render", data / "tiny.osm", "--output", tmp_path / "a.png", "--device", "cpu", "--size", "64x64")
    timed = ("benchmark", "open", data / "tiny.osm", "--runs", 1, "--json")
    for arguments in (picture, timed):
        code, _, err = call(capsys, *arguments)
        assert code == 1
        assert "0.0 GB are free" in err
        assert call(capsys, *arguments, "--force")[0] == 0


# --------------------------------------------------------------------------------------------------- the options


@pytest.mark.parametrize("options", [OsmOptions(), OsmOptions("walk", True, True), OsmOptions("drive-public")])
def test_options_come_back_from_their_text(options: OsmOptions) -> None:
    assert OsmOptions.described(options.describe()) == options


@pytest.mark.parametrize(
    "text", ["", "drive", "drive, some nodes, all parts", "fly, every node, all parts", "a, b, c, d"]
)
def test_other_texts_are_no_options(text: str) -> None:
    with pytest.raises(OptionError):
        OsmOptions.described(text)


def test_a_network_says_how_it_was_read_also_from_the_cache(data: Path) -> None:
    options = OsmOptions("walk", simplify=True)
    for _ in range(2):
        network = open_network(data / "tiny.osm", osm=options)
        assert OsmOptions.described(network.reading) == options
    assert open_network(data / "tiny.osm").reading == "drive, every node, all parts"
    assert open_network(data / "tiny-d.gr").reading == ""
    assert network.coordinates is not None
    assert network.with_coordinates(np.array(network.coordinates)).reading == network.reading


@pytest.mark.usefixtures("no_memory")
def test_a_network_that_does_not_fit_is_refused_with_its_size(data: Path) -> None:
    with pytest.raises(MemoryShortError, match=r"takes about 0\.2 GB of memory, and 0\.0 GB are free") as caught:
        open_network(data / "tiny.osm", cache=False)
    assert caught.value.free == 10_000_000 < caught.value.needed
    assert caught.value.what == str(data / "tiny.osm")
    assert open_network(data / "tiny.osm", cache=False, force=True).node_count == 11


# -------------------------------------------------------------------------------------------------------- traces


def test_a_trace_opens_its_network_as_it_was_read(data: Path, tmp_path: Path) -> None:
    options = OsmOptions("walk", simplify=True, largest_component=True)
    path = trace_of(open_network(data / "tiny.osm", osm=options), tmp_path / "walk.wftrace")
    assert read_header(path)["network"]["reading"] == "walk, simplified, largest parts"
    for asked in (OsmOptions(), OsmOptions("bike")):
        opened = OpenJob(str(path), OpeningOptions(osm=asked)).run(QUIET)
        assert isinstance(opened, Result)
        assert OsmOptions.described(opened.network.reading) == options


@pytest.mark.parametrize("reading", ["fly, every node, all parts", 7, ["drive"]])
def test_a_trace_whose_reading_is_damaged_is_refused(data: Path, tmp_path: Path, reading: object) -> None:
    path = trace_of(open_network(data / "tiny.osm"), tmp_path / "a.wftrace")
    change_header(path, lambda header: header["network"].update(reading=reading))
    with pytest.raises(TraceError, match=r"a\.wftrace: "):
        OpenJob(str(path)).run(QUIET)


def test_a_trace_without_a_reading_takes_the_one_asked_for(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    copy = tmp_path / "tiny.osm"
    copy.write_bytes((data / "tiny.osm").read_bytes())
    path = trace_of(open_network(copy, osm=OsmOptions("walk"), cache=False), tmp_path / "old.wftrace")
    change_header(path, lambda header: header["network"].pop("reading"))
    with pytest.raises(TraceError, match="no network of that content is here"):
        OpenJob(str(path)).run(QUIET)
    opened = OpenJob(str(path), OpeningOptions(osm=OsmOptions("walk"))).run(QUIET)
    assert isinstance(opened, Result)
    assert OsmOptions.described(opened.network.reading) == OsmOptions("walk")
