"""OpenStreetMap data in commands: how they are read is an option of every one, kept with the network and its traces."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtGui import QImage

from calling import Command
from trace_files import change_header
from wayfront import open_network, search
from wayfront.formats.options import OpeningOptions, OsmOptions
from wayfront.network.closed_turns import without_turns
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import MemoryShortError, OptionError, TraceError
from wayfront.searching.result_file import save_trace
from wayfront.trace.file import read_header
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront_gui.app.jobs import OpenJob, Report
from wayfront_gui.cli.running import MISUSED

QUIET = Report(Event(), lambda _stage, _fraction: None, lambda _trace: None)


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this machine with ten megabytes."""
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 10_000_000)


def trace_of(network: RoadNetwork, path: Path) -> Path:
    save_trace(search(network, network.node(1), "dijkstra", "cpu", runs=0, trace_budget=DEFAULT_BUDGET_BYTES), path)
    return path


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ([], (11, 18)),
        (["--largest-component"], (10, 17)),
        (["--simplify"], (9, 15)),
        (["--network-type", "drive-public"], (11, 16)),
        (["--network-type", "walk", "--largest-component"], (11, 26)),
    ],
)
def test_a_search_takes_the_roads_that_are_asked_for(
    data: Path, wayfront: Command, arguments: list[str], size: tuple[int, int]
) -> None:
    fixed = ("--source", 1, "--json", "--runs", 0, "--device", "cpu", "--algorithm", "dijkstra")
    outcome = wayfront("solve", data / "tiny.osm", *fixed, *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    network = outcome.record["network"]
    assert (network["nodes"], network["arcs"]) == size


def test_info_prints_notes(data: Path, wayfront: Command) -> None:
    record = wayfront("info", data / "tiny.osm", "--json").record
    assert record["attribution"] == "© OpenStreetMap contributors, ODbL 1.0"
    assert record["data_date"] == "2026-05-04T03:02:01Z"
    assert record["road_names"] == 3
    assert record["road_names_bytes"] > 72
    assert "the speed of 10 of 18 arcs is assumed from the kind of road" in record["notes"]
    shown = wayfront("info", data / "tiny.osm").out
    assert "2026-05-04T03:02:01Z" in shown
    assert "10 of 18 arcs is assumed" in shown


def test_save(data: Path, tmp_path: Path, wayfront: Command) -> None:
    outcome = wayfront("save", data / "tiny.osm", tmp_path / "town.gr", "--largest-component")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.count("10 nodes and 17 arcs written to") == 3
    assert (tmp_path / "town-d.gr").read_text().splitlines()[4] == "p sp 10 17"
    refused = wayfront("save", data / "tiny.osm", tmp_path / "town.txt")
    assert refused.code == MISUSED
    assert "networks are saved as wayfront network (.wayfront)" in refused.err
    assert refused.err.count("(.gr)") == 1
    shown = wayfront("save", "--help").out
    assert ".graphml" in shown and ".wayfront" in shown


def test_a_file_without_roads_is_refused_in_one_line(tmp_path: Path, wayfront: Command) -> None:
    path = tmp_path / "empty.osm"
    path.write_text('<osm version="0.6"/>')
    outcome = wayfront("info", path)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == f"wayfront: {path}: no roads: no way in this file has a highway tag\n"


def test_render_takes_the_roads_that_are_asked_for(data: Path, tmp_path: Path, wayfront: Command) -> None:
    pictures = []
    for arguments in ((), ("--network-type", "walk")):
        path = tmp_path / f"{len(arguments)}.png"
        fixed = ("--output", path, "--device", "cpu", "--size", "120x90", "--source", 1)
        assert wayfront("render", data / "tiny.osm", *fixed, *arguments).code == 0
        pictures.append(QImage(str(path)))
    assert not pictures[0].isNull()
    assert pictures[0] != pictures[1], "a footpath is drawn only for those who walk"


@pytest.mark.usefixtures("no_memory")
def test_commands_open_what_does_not_fit_only_when_forced(
    data: Path, tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    outcome = wayfront("info", data / "tiny.osm")
    assert outcome.code == 1
    assert "10.0 MB are free" in outcome.err
    assert wayfront("info", data / "tiny.osm", "--force").code == 0


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
        assert OsmOptions.described(network.reading) == options.settled(None)
    assert open_network(data / "tiny.osm").reading == "drive, every node, all parts, forbidden turns"
    assert open_network(data / "tiny-d.gr").reading == ""
    assert network.coordinates is not None
    assert network.with_coordinates(np.array(network.coordinates)).reading == network.reading


@pytest.mark.usefixtures("no_memory")
def test_a_network_that_does_not_fit_is_refused_with_its_size(data: Path) -> None:
    with pytest.raises(MemoryShortError, match=r"takes about 178\.3 MB of memory, and 10\.0 MB are free") as caught:
        open_network(data / "tiny.osm", cache=False)
    assert caught.value.free == 10_000_000 < caught.value.needed
    assert caught.value.what == str(data / "tiny.osm")
    assert open_network(data / "tiny.osm", cache=False, force=True).node_count == 11


def test_a_trace_opens_its_network_as_it_was_read(data: Path, tmp_path: Path) -> None:
    options = OsmOptions("walk", simplify=True, largest_component=True)
    path = trace_of(open_network(data / "tiny.osm", osm=options), tmp_path / "walk.wftrace")
    assert read_header(path)["network"]["reading"] == "walk, simplified, largest parts"
    for asked in (OsmOptions(), OsmOptions("bike")):
        opened = OpenJob(str(path), OpeningOptions(osm=asked)).run(QUIET)
        assert isinstance(opened, Result)
        assert OsmOptions.described(opened.network.reading) == options.settled(None)


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
    assert OsmOptions.described(opened.network.reading) == OsmOptions("walk").settled(None)


def test_a_trace_with_a_closed_turn_opens_over_its_file(data: Path, tmp_path: Path) -> None:
    opened = open_network(data / "tiny.osm", cache=False)
    tail = next(v for v in range(opened.node_count) if opened.offsets[v + 1] - opened.offsets[v] == 1)
    via = int(opened.targets[opened.offsets[tail]])
    head = int(opened.targets[opened.offsets[via]])
    closed = without_turns(opened, [[int(opened.node_ids[each]) for each in (tail, via, head)]])
    assert closed.content_key != opened.content_key
    trace = trace_of(closed, tmp_path / "closed.wftrace")
    for job in (OpenJob(str(trace), opened=opened), OpenJob(str(trace), network=str(data / "tiny.osm"))):
        found = job.run(QUIET)
        assert isinstance(found, Result) and found.network.content_key == closed.content_key
