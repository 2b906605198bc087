"""``wayfront solve``: one tree, routes, several sources, closed roads, and what ``auto`` stands for."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import wayfront as library
from calling import Command
from named_town import SIDE, named_town
from wayfront.devices.cuda_support import WHY_NOT, cuda
from wayfront.dissection import store
from wayfront.formats.native.codec import save_network
from wayfront.network.arcs import without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic import from_name
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import variants
from wayfront_gui.cli.running import MISUSED, REFUSED
from wayfront_gui.features.lessons.file import parse_lesson
from wayfront_gui.features.lessons.play import stage

# -------------------------------------------------------------------------------------------------------------- x solve


def test_solving_loads_no_qt(tiny: Path) -> None:
    script = f"""
import sys
from wayfront_gui.cli.command_line import main
try:
    main(["solve", {str(tiny)!r}, "--source", "1", "--device", "cpu", "--json"])
except SystemExit as left:
    assert not left.code, left.code
sys.exit("Qt was loaded" if "PySide6" in sys.modules else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_solve_prints_one_json_object_or_a_table(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront(
        "solve", tiny, "--source", 1, "--algorithm", "dijkstra", "--device", "cpu", "--verify", "--runs", 2, "--json"
    )
    assert (outcome.code, outcome.err) == (0, "")
    record = outcome.record
    assert next(iter(record.items())) == ("schema_version", JSON_SCHEMA_VERSION)
    assert record["network"]["nodes"] == 6
    assert record["network"]["arcs"] == 9
    (one,) = record["sources"]
    assert (one["source"], one["nearest_nodes"]) == (1, 5)
    assert record["reached"] == 5, "nothing leads to node 6"
    assert record["sum_distance"] == 90 + 290 + 590 + 90
    assert (record["max_distance"], record["farthest"]) == (590, 4)
    assert one["verified"] is True
    assert one["time_ms"]["runs"] == 2
    assert one["steps"] > 0
    shown = wayfront("solve", tiny, "--source", 1, "-a", "dijkstra", "-d", "cpu", "--verify", "--runs", 1).out
    assert "node 4 at 590" in shown and "proved right" in shown


def test_solve_says_plainly_that_a_result_is_wrong(tmp_path: Path, wayfront: Command) -> None:
    losing = tmp_path / "losing.gr"  # in the second pass node 4 is offered 2 and then 7, and the exchanges keep 7
    losing.write_text("p sp 4 4\na 1 2 1\na 1 3 2\na 2 4 1\na 3 4 5\n")
    search = ("solve", losing, "--source", 1, "-d", "cpu", "--runs", 0, "-a", "bellman-ford-v3")
    exchanges = ("--option", "update=two arrays with exchanges (2020)")
    outcome = wayfront(*search, *exchanges)
    assert outcome.code == 0
    assert "no: the result is wrong" in outcome.out
    assert "the arc from node 2 to node 4 gives a shorter path to node 4" in outcome.err
    assert [each["verified"] for each in wayfront(*search, *exchanges, "--json").record["sources"]] == [False]
    refused = wayfront(*search, *exchanges, "--verify")
    assert refused.code == 1
    assert "the arc from node 2 to node 4 gives a shorter path to node 4" in refused.err


def test_solve_by_another_metric_and_with_options(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront(
        "solve", tiny, "--source", 1, "-a", "near-far", "-d", "cpu", "--metric", "travel-time",
        "--option", "delta=50", "--runs", 0, "--json",
    )  # fmt: skip
    record = outcome.record
    assert record["network"]["metric"] == "travel time"
    assert record["options"]["delta"] == 50
    untimed = {"median": None, "min": None, "max": None, "runs": 0, "noisy": False}
    assert [each["time_ms"] for each in record["sources"]] == [untimed]


@pytest.mark.usefixtures("no_card")
def test_without_a_card_auto_says_so_in_one_line_and_searches_on_the_cpu(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("solve", tiny, "--source", 1, "--device", "auto", "--runs", 0, "--json")
    assert outcome.err.splitlines() == ["wayfront: no CUDA device: no driver; the search runs on the CPU"]
    assert outcome.record["device"] == "cpu"


def test_threads_are_used_or_said_to_be_of_no_use(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.devices.cpu.usable_cores", lambda: 2)
    searched = ("solve", tiny, "--source", 1, "--device", "cpu", "--threads", 2, "--runs", 0, "--json")
    outcome = wayfront(*searched, "-a", "dijkstra")
    assert "this search ran on one core: it is sequential" in " ".join(outcome.err.split())
    assert outcome.record["machine"]["threads"] == "1"
    made = wayfront(
        *(word if word != tiny else "synthetic:grid?columns=150&rows=150" for word in searched), "-a", "bellman-ford-v1"
    )
    assert (made.err, made.record["machine"]["threads"]) == ("", "2")


@pytest.mark.skipif(cuda is None, reason=WHY_NOT or "numba-cuda is there")
def test_the_simulator_is_chosen_before_numba_starts(tiny: Path) -> None:
    arguments = [
        "solve",
        str(tiny),
        "--source",
        "1",
        "-a",
        "near-far",
        "--device",
        "simulator",
        "--runs",
        "0",
        "--json",
    ]
    script = f"from wayfront_gui.cli.command_line import main; main({arguments!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["device"], record["sum_distance"]) == ("simulator", 1060)


def test_ctrl_c_stops_cleanly(tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront_gui.cli import searching

    opened = searching.open_network

    def interrupted(*arguments: Any, **options: Any) -> RoadNetwork:
        network = opened(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return network

    monkeypatch.setattr(searching, "open_network", interrupted)
    before = signal.getsignal(signal.SIGINT)
    outcome = wayfront("solve", tiny, "--source", 1, "--device", "cpu", "--json")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "wayfront: cancelled\n")
    assert signal.getsignal(signal.SIGINT) is before


# ---------------------------------------------------------------------------------------------------------------- solve


SEARCH = ("-a", "dijkstra", "-d", "cpu", "--runs", 0)

GPX = "{http://www.topografix.com/GPX/1/1}"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a town of 12 × 12 crossings as a file: every street has a name and 100 m between two crossings."""
    path = tmp_path_factory.mktemp("town") / "town.wayfront"
    save_network(replace(named_town(), surroundings=None), path)
    return path


def at(row: int, column: int) -> int:
    """Return the id of a crossing."""
    return row * SIDE + column + 1


def test_a_route_has_length_and_roads(town: Path, wayfront: Command) -> None:
    outcome = wayfront("solve", town, *SEARCH, "--source", "0.0,0.0", "--target", "Row 0 Street / Column 3")
    assert outcome.code == 0
    assert "0.0,0.0 is node 1, 0 m away" in outcome.err
    assert "Row 0 Street / Column 3 is node 4" in outcome.err
    assert "dijkstra on town from node 1" in outcome.out
    route = outcome.out[outcome.out.index("Route from node 1 (") :]
    assert "to node 4 (Row 0 Street / Column 3)" in route
    for line in ("length  300 m", "arcs    3", "roads   Row 0 Street, 300 m"):
        assert line in route


def test_directions_are_printed_and_are_json(town: Path, wayfront: Command) -> None:
    asked = ("solve", town, *SEARCH, "--source", 1, "--target", at(2, 3), "--directions")
    printed = wayfront(*asked).out
    assert "Left into Column" in printed and "Arrive on" in printed and "300 m" in printed
    (route,) = wayfront(*asked, "--json").record["routes"]
    assert route["directions"][0]["turn"] == "depart"
    assert sum(step["length_m"] or 0 for step in route["directions"]) == route["length_m"] == 500
    refused = wayfront("solve", town, *SEARCH, "--directions")
    assert refused.code == MISUSED and "name one with --target" in refused.err


def test_routes_are_json_in_the_order_of_the_targets(town: Path, wayfront: Command) -> None:
    targets = ("--target", at(2, 0), "--target", at(0, 1), "--target", at(2, 0))
    record = wayfront("solve", town, *SEARCH, "--source", 1, *targets, "--json").record
    assert [each["source"] for each in record["sources"]] == [1]
    assert [(route["from"], route["to"], route["cost"]) for route in record["routes"]] == [
        (1, at(2, 0), 200),
        (1, at(0, 1), 100),
    ]
    assert record["routes"][0]["nodes"] == [at(0, 0), at(1, 0), at(2, 0)]
    assert record["routes"][0]["streets"] == [{"name": "Column 0", "length": 200}]


def test_where_no_way_leads_the_route_says_so(tiny: Path, wayfront: Command, tmp_path: Path) -> None:
    there, nowhere = tmp_path / "there.gpx", tmp_path / "nowhere.gpx"
    outcome = wayfront("solve", tiny, *SEARCH, "--source", 1, "--target", 6, "--target", 4, "-o", there)
    assert outcome.code == 0
    assert "none: no way leads there" in outcome.out
    assert "lacks 1 of 2 routes" in outcome.err
    assert len(ElementTree.parse(there).getroot().findall(f"{GPX}trk")) == 1
    record = wayfront("solve", tiny, *SEARCH, "--source", 1, "--target", 6, "--json").record
    assert record["routes"] == [
        {"from": 1, "to": 6, "distance": -1, "cost": None, "length_m": None, "time_s": None, "nodes": []}
    ]
    refused = wayfront("solve", tiny, *SEARCH, "--source", 1, "--target", 6, "-o", nowhere)
    assert refused.code == 1
    assert "no way leads to any target" in refused.err
    assert not nowhere.exists()


def test_a_search_for_one_route_prints_it_and_what_it_settled(town: Path, wayfront: Command, tmp_path: Path) -> None:
    way = tmp_path / "way.gpx"
    search = ("-a", "a-star", "--runs", 0, "--source", 1, "--target", at(3, 4), "--verify", "-o", way)
    outcome = wayfront("solve", town, *search)
    assert outcome.code == 0
    for text in ("a-star on town from node 1", "the route is proved right", "700 m", " of 144 nodes"):
        assert text in outcome.out
    assert len(ElementTree.parse(way).getroot().findall(f".//{GPX}trkpt")) == 8
    record = wayfront("solve", town, *search[:-2], "--json").record
    assert (record["distance"], record["routes"][0]["cost"], record["device"]) == (700, 700, "cpu")


def test_several_sources_share_the_nodes(town: Path, wayfront: Command) -> None:
    corners = ("--source", 1, "--source", at(11, 11))
    record = wayfront("solve", town, *SEARCH, *corners, "--target", at(11, 10), "--verify", "--json").record
    rows, columns = np.divmod(np.arange(SIDE * SIDE), SIDE)
    expected = 100 * np.minimum(rows + columns, 22 - rows - columns)
    assert record["reached"] == SIDE * SIDE
    assert record["sum_distance"] == expected.sum()
    assert (record["max_distance"], record["farthest"]) == (1100, at(0, 11))
    assert [each["source"] for each in record["sources"]] == [1, at(11, 11)]
    assert [each["nearest_nodes"] for each in record["sources"]] == [78, 66], "of two equally near the first"
    assert record["verified"]
    assert record["routes"][0]["from"] == at(11, 11)
    table = wayfront("solve", town, *SEARCH, *corners)
    assert "dijkstra on town from the nearest of 2 nodes" in table.out
    assert "nearest to 78 nodes" in table.out


def test_distances_and_routes_are_written_side_by_side(town: Path, wayfront: Command, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("d.csv", "d.npz", "way.geojson", "way.gpx")]
    outputs = [word for file in files for word in ("-o", file)]
    outcome = wayfront("solve", town, *SEARCH, "--source", 1, "--target", 3, "--target", 5, *outputs)
    assert (outcome.code, outcome.err.count("written to")) == (0, 4)
    with files[0].open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert (len(rows), rows[-1]["distance"], rows[-1]["parent"]) == (SIDE * SIDE, "2200", str(at(10, 11)))
    with np.load(files[1]) as arrays:
        assert arrays["distance"].tolist() == [int(row["distance"]) for row in rows]
    lines = json.loads(files[2].read_text("utf-8"))["features"]
    assert [line["properties"]["to"] for line in lines] == [3, 5]
    assert lines[0]["geometry"]["coordinates"] == [[0.0, 0.0], [0.001, 0.0], [0.002, 0.0]]
    tracks = ElementTree.parse(files[3]).getroot().findall(f"{GPX}trk")
    assert [len(track.findall(f".//{GPX}trkpt")) for track in tracks] == [3, 5]


def test_standard_output_holds_the_file_alone(town: Path, wayfront: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(wayfront("solve", town, *SEARCH, "--source", 1, "-o", "-").out)))
    assert [row["node"] for row in rows] == [str(node + 1) for node in range(SIDE * SIDE)]
    points = json.loads(wayfront("solve", town, *SEARCH, "--source", 1, "-o", "-", "--format", "geojson").out)
    assert points["features"][2]["properties"]["distance"] == 200


def test_the_source_is_a_central_node_where_none_is_named(town: Path, wayfront: Command) -> None:
    (one,) = wayfront("solve", town, *SEARCH, "--json").record["sources"]
    assert one["source"] in {at(5, 5), at(5, 6), at(6, 5), at(6, 6)}


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("--source", "Nowhere Lane"), "town has no node or road called 'Nowhere Lane'", MISUSED),
        (("--source", 1, "--target", "80,0"), "80, 0 is 8,8", MISUSED),
        (("--source", ""), "a node needs a name", MISUSED),
    ],
)
def test_a_name_that_nothing_has_is_refused(
    arguments: tuple[object, ...], message: str, code: int, town: Path, wayfront: Command
) -> None:
    outcome = wayfront("solve", town, *SEARCH, *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err


def test_files_of_a_map_need_one(tiny: Path, wayfront: Command, tmp_path: Path) -> None:
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    outcome = wayfront("solve", alone, *SEARCH, "--source", 1, "-o", tmp_path / "x.geojson")
    assert outcome.code == 1
    assert "alone has no coordinates, so there is no .geojson: write .csv" in outcome.err


def test_files_are_in_another_system_of_coordinates_on_request(town: Path, wayfront: Command, tmp_path: Path) -> None:
    import geopandas

    points, ways, table = (tmp_path / name for name in ("points.gpkg", "ways.gpkg", "points.csv"))
    asked = ("solve", town, *SEARCH, "--source", 1)
    assert wayfront(*asked, "-o", points, "-o", table, "--crs", "EPSG:3857").code == 0
    assert wayfront(*asked, "--target", 3, "-o", ways).code == 0
    nodes = geopandas.read_file(points)
    assert nodes.crs == "EPSG:3857" and nodes["node"].tolist() == list(range(1, SIDE * SIDE + 1))
    assert nodes.geometry[2].x == pytest.approx(222.639, abs=1e-3)
    with table.open(encoding="utf-8") as file:
        assert [row["x"] for row in csv.DictReader(file)][2] == "222.639"
    assert geopandas.read_file(ways, layer="routes").geometry[0].coords[2] == (0.002, 0.0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--crs", "EPSG:3857"], "--crs EPSG:3857 is for files: name one with -o, such as near.gpkg"),
        (["--crs", "Mars", "-o", "x.csv"], "'Mars' is no coordinate reference system that pyproj knows"),
        (["--crs", "EPSG:3857", "-o", "x.geojson"], "a .geojson file holds degrees alone: write .gpkg"),
        (["--crs", "EPSG:3857", "-o", "-", "--format", "geojson"], "a .geojson file holds degrees alone"),
    ],
)
def test_systems_that_files_cannot_have_are_refused(
    arguments: list[str], says: str, tiny: Path, wayfront: Command
) -> None:
    outcome = wayfront("solve", tiny, "-d", "cpu", *arguments)
    assert outcome.code == MISUSED and says in outcome.err


# ----------------------------------------------------------------------------------------------------------------- auto


SMALL_PICTURE = ("--size", "240x160", "--scale", 1)

LESSON = """
kind = "wayfront lesson"
version = 1
title = "Half-way"

[[moment]]
network = "{network}"
device = "cpu"
when = "step 3"
text = "Step {{step}}"
"""


@pytest.fixture
def small_cuts_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep cuts of small networks too, which are made again as fast as they are read."""
    monkeypatch.setattr(store, "WORTH_KEEPING_MS", -1.0)


def keep_cut(network: str) -> None:
    """Cut a network, whose cut is then in the cache."""
    library.prepare(library.open_network(network), device="cpu")
    again = library.search(library.open_network(network), 0, device="cpu", runs=0, trace_budget=None)
    assert again.algorithm == "dissection"


@pytest.mark.usefixtures("small_cuts_kept")
@pytest.mark.parametrize(
    ("rows", "name", "what"),
    [
        (9, "a.png", ("--at", 0.6)),
        (10, "a.png", ("--step", 4)),
        (11, "a.png", ("--tree",)),
        (12, "a.gif", ("--seconds", 0.5, "--walk", "step", "--no-captions")),
    ],
)
def test_a_picture_does_not_depend_on_what_is_kept(
    wayfront: Command, tmp_path: Path, rows: int, name: str, what: tuple[object, ...]
) -> None:
    network = f"synthetic:grid?columns=15&rows={rows}&seed=1"
    drawn = []
    for cut in (False, False, True):
        if cut:
            keep_cut(network)
        outcome = wayfront("render", network, "--device", "cpu", "-o", tmp_path / name, *what, *SMALL_PICTURE)
        assert outcome.code == 0, outcome.err
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1] == drawn[2]


@pytest.mark.usefixtures("small_cuts_kept")
def test_a_lesson_does_not_depend_on_what_is_kept() -> None:
    network = "synthetic:grid?columns=14&rows=12&seed=1"
    lesson = parse_lesson(LESSON.format(network=network), Path("half-way.toml"))
    shown = []
    for cut in (False, True):
        if cut:
            keep_cut(network)
        (moment,) = stage(lesson, lambda _stage, _share: None, Event())
        shown.append((moment.results[0].algorithm, moment.step, moment.expected))
    assert shown[0] == shown[1]
    assert shown[0][0] == "dijkstra"


@pytest.mark.usefixtures("small_cuts_kept")
def test_solve_takes_the_fastest_unless_it_saves_the_steps(wayfront: Command, tmp_path: Path) -> None:
    network = "synthetic:grid?columns=13&rows=12&seed=1"
    solve = ("solve", network, "--device", "cpu", "--runs", 0, "--json")
    assert '"algorithm": "dijkstra"' in wayfront(*solve).out
    keep_cut(network)
    asked = wayfront(*solve)
    assert '"algorithm": "dissection"' in asked.out
    assert '"steps": null' not in asked.out
    watched = wayfront(*solve, "--trace", tmp_path / "a.wftrace")
    assert '"algorithm": "dijkstra"' in watched.out
    assert (tmp_path / "a.wftrace").exists()
    assert "no option" in wayfront(*solve, "--option", "levels=3").err


# -------------------------------------------------------------------------------------------------------------- closing


GRID = "synthetic:grid?columns=7&rows=5&seed=2"

ON_CPU = ("--device", "cpu")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def road() -> tuple[int, int, int]:
    """Return the ids of the ends of a road of node 1's tree, and the sum of distances without it."""
    network = from_name(GRID)
    result = library.search(network, network.node(1), "dijkstra", "cpu", runs=0, trace_budget=None)
    head = int((result.parents == network.node(1)).argmax())
    arcs = library.arcs_between(network, [network.node(1)], [head])
    detour = library.search(without_arcs(network, arcs), network.node(1), "dijkstra", "cpu", runs=0)
    return 1, int(network.node_ids[head]), int(detour.distances[detour.reached].sum())


def test_solve_render_and_compare_search_around_closed_roads(
    wayfront: Command, road: tuple[int, int, int], tmp_path: Path
) -> None:
    tail, head, total = road
    table = tmp_path / "closed.csv"
    table.write_text(f"from,to\n{tail},{head}\n")
    one_way: list[tuple[object, ...]] = [("--close", f"{tail}-{head}"), ("--close-file", table)]
    for closing in one_way:
        outcome = wayfront(
            *("solve", GRID, "--source", 1, "-a", "near-far", "--runs", 0, "--json", "--verify"), *ON_CPU, *closing
        )
        assert (outcome.code, outcome.record["sum_distance"], outcome.record["closed_arcs"]) == (0, total, 1)
    both = ("--close", f"{tail}-{head},{head}-{tail}", "--close", f"{tail}-{head}")
    outcome = wayfront(
        "compare", GRID, "--source", 1, "-a", "dijkstra,dissection", "--runs", 1, "--json", *ON_CPU, *both
    )
    rows = outcome.record["rows"]
    assert {(row["algorithm"], row["closed_arcs"]) for row in rows} == {("dijkstra", 2), ("dissection", 2)}
    assert len({row["sum_distance"] for row in rows}) == 1
    assert "closed" in wayfront("solve", GRID, "--source", 1, "--runs", 0, *ON_CPU, *both).out
    pictures = [tmp_path / "open.png", tmp_path / "closed.png"]
    for picture, roads in zip(pictures, ((), both), strict=True):
        outcome = wayfront("render", GRID, "--source", 1, "-o", picture, "--size", "200x150", *ON_CPU, *roads)
        assert outcome.code == 0
    assert pictures[0].read_bytes() != pictures[1].read_bytes()


def test_all_pairs_keep_the_sources_of_each_closure_apart(wayfront: Command, road: tuple[int, int, int]) -> None:
    closing = ("--close", f"{road[0]}-{road[1]}")
    totals = []
    for algorithm in ("dijkstra-in-turn", "dissection-all-pairs"):
        for options in ((), closing):
            arguments = ("all-pairs", GRID, "-a", algorithm, "--runs", 1, "--json", "--verify", *ON_CPU, *options)
            totals.append(wayfront(*arguments).record["sum_distance"])
    assert totals[:2] == totals[2:]
    assert totals[0] < totals[1]


def test_times_name_what_was_prepared(wayfront: Command) -> None:
    record = wayfront("solve", GRID, "--source", 1, "-a", "dissection", "--runs", 1, "--json", *ON_CPU).record
    (times,) = record["sources"]
    assert times["prepare_ms"].keys() == {"cut", "set up", "customise"}
    expected = times["time_ms"]["median"] + times["prepare_ms"]["customise"]
    assert times["from_scratch_ms"] == pytest.approx(expected)
    plain = wayfront("solve", GRID, "--source", 1, "-a", "dijkstra", "--runs", 1, "--json", *ON_CPU).record
    (times,) = plain["sources"]
    assert (times["prepare_ms"], times["from_scratch_ms"]) == ({}, times["time_ms"]["median"])
    shown = wayfront("solve", GRID, "--source", 1, "-a", "dissection", "--runs", 1, *ON_CPU).out
    assert "once for the network" in shown and "from scratch" in shown
    assert "beforehand cut" in " ".join(wayfront("compare", GRID, "-a", "dissection", "--runs", 1, *ON_CPU).out.split())


def test_what_takes_long_to_prepare_is_left_out_of_a_comparison_of_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    network = from_name(GRID)
    assert not variants._takes_long_to_prepare("dissection", network)
    monkeypatch.setattr(variants, "LONGEST_UNASKED_S", 1e-6)
    assert variants._takes_long_to_prepare("dissection", network)
    assert "it would first cut the network for about 1 s" in capsys.readouterr().err.replace("\n", " ")
    assert not variants._takes_long_to_prepare("near-far", network)
    library.prepare(network, device="cpu")
    assert not variants._takes_long_to_prepare("dissection", network)


@pytest.mark.parametrize("text", ["1", "1-", "1-x", "1--", "", "1-2;3-4", "x" * 100])
def test_what_is_no_road_is_refused_before_anything_is_opened(wayfront: Command, text: str) -> None:
    outcome = wayfront("solve", "nowhere.gr", "--source", 1, "--close", text)
    assert outcome.code == MISUSED
    assert "--close takes FROM-TO, two node ids" in outcome.err
    assert len(outcome.err) < 200


def test_roads_that_the_network_lacks_are_named(wayfront: Command, tmp_path: Path) -> None:
    solve = ("solve", GRID, "--source", 1, *ON_CPU)
    assert "no arc of" in wayfront(*solve, "--close", "1-35").err
    assert "no node -7" in wayfront(*solve, "--close", "-7-3").err
    table = tmp_path / "closed.csv"
    table.write_text("from,to\n1,99\n")
    outcome = wayfront(*solve, "--close-file", table)
    assert outcome.code == REFUSED
    assert f"{table}:2:" in outcome.err.replace("\n", "")


# -------------------------------------------------------------------------------------------------------- x isochrones


def test_solve_writes_areas_within_bands(wayfront: Command, tmp_path: Path) -> None:
    import geopandas

    town = tmp_path / "town.wayfront"
    save_network(named_town(), town)
    files = [tmp_path / f"near{suffix}" for suffix in (".gpkg", ".geojson", ".csv")]
    given = [part for path in files for part in ("-o", path)]
    ids = named_town().node_ids
    outcome = wayfront("solve", town, "--source", ids[0], "--source", ids[-1], "--isochrones", 200, "--json", *given)
    assert outcome.code == 0, outcome.err
    found = outcome.record["isochrones"]
    assert [each["kind"] for each in found][:2] == ["zone", "zone"]
    bands = [each for each in found if each["kind"] == "band"]
    assert [band["within"] for band in bands] == [200.0 * (index + 1) for index in range(len(bands))]
    assert [band["nodes"] for band in bands] == sorted(band["nodes"] for band in bands)
    layer = geopandas.read_file(files[0], layer="bands")
    assert layer["within"].tolist() == [band["within"] for band in reversed(bands)] and layer.is_valid.all()
    assert len(json.loads(files[1].read_text())["features"]) == len(found) + 2
    assert [row["label"] for row in csv.DictReader(io.StringIO(files[2].read_text()))] == [
        each["label"] for each in found
    ]
    shown = wayfront("solve", town, "--isochrones", "auto")
    assert shown.code == 0 and "Isochrones" in shown.out and "nodes (100.0 %)" in shown.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--isochrones", "wide"], "give the width of a band"),
        (["--isochrones", "-5"], "give the width of a band"),
        (["--isochrones", "auto", "--target", "1"], "give one of them"),
        (["--isochrones", "auto", "-o", "near.npz"], "are written as .geojson, .gpkg, .csv"),
    ],
)
def test_areas_that_cannot_be_are_refused(arguments: list[str], says: str, tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("solve", tiny, "-d", "cpu", *arguments)
    assert outcome.code == MISUSED and says in outcome.err


# ------------------------------------------------------------------------------------------------------- alternatives


def test_alternative_routes_are_printed_and_written(wayfront: Command, tmp_path: Path) -> None:
    import wayfront as library

    city = "synthetic:city?nodes=2000&seed=4"
    network = library.open_network(city)
    path, tracks = tmp_path / "ways.geojson", tmp_path / "ways.gpx"
    given = ("solve", city, "--source", 1, "--target", 1900, "-d", "cpu", "--alternatives", 3)
    outcome = wayfront(*given, "--json", "-o", path, "-o", tracks)
    expected = library.alternatives(network, network.node(1), network.node(1900))
    routes = outcome.record["routes"]
    assert [route["nodes"] for route in routes] == [way.route.ids.tolist() for way in expected] and len(routes) > 1
    assert [route["sharing"] for route in routes] == [way.sharing for way in expected]
    assert len(json.loads(path.read_text())["features"]) == tracks.read_text().count("<trk>") == len(routes)
    shown = wayfront(*given).out
    assert "Route 1 from" in shown and "Route 2 from" in shown and "% with those before it" in shown
    back = wayfront(*given, "--reverse", "--json").record["routes"]
    assert {(route["from"], route["to"]) for route in back} == {(1900, 1)}
    for more in (("--target", 5), ("--source", 5)):
        refused = wayfront(*given, *more)
        assert refused.code == MISUSED and "--alternatives are of one route" in refused.err
