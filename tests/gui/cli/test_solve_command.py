"""``wayfront solve`` with targets, several sources, and files of what it found."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from calling import Command
from named_town import SIDE, named_town
from wayfront.formats.native.codec import save_network

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


def test_routes_are_json_in_the_order_of_the_targets(town: Path, wayfront: Command) -> None:
    targets = ("--target", at(2, 0), "--target", at(0, 1), "--target", at(2, 0))
    record = wayfront("solve", town, *SEARCH, "--source", 1, *targets, "--json").record
    assert record["source"] == 1
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
        {"from": 1, "to": 6, "distance": None, "cost": None, "length_m": None, "time_s": None, "nodes": []}
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
    assert all(each["verified"] for each in record["sources"])
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
    assert wayfront("solve", town, *SEARCH, "--json").record["source"] in {at(5, 5), at(5, 6), at(6, 5), at(6, 6)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.gpx"), "a .gpx file holds routes: name a --target"),
        (("-o", "x.xlsx"), "x.xlsx: unknown suffix"),
        (("-o", "-", "--json"), "--json and -o - would both print on standard output"),
        (("--source", 1, "--source", 2, "--trace", "x.wftrace"), "--trace records one search"),
        (("-a", "a-star"), "a-star finds one route: name one --target"),
        (("-a", "a-star", "--target", 1, "--target", 2), "a-star finds one route: name one --target"),
        (("-a", "a-star", "--target", 1, "-o", "x.csv"), "leaves most nodes without a distance"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_network_is_opened(
    arguments: tuple[object, ...], message: str, wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = wayfront("solve", "nowhere.gr", *SEARCH, *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source", "Nowhere Lane"), "town has no node or road called 'Nowhere Lane'"),
        (("--source", 1, "--target", "80,0"), "80,0 is 8,8"),
        (("--source", ""), "a node needs a name"),
    ],
)
def test_a_name_that_nothing_has_is_refused(
    arguments: tuple[object, ...], message: str, town: Path, wayfront: Command
) -> None:
    outcome = wayfront("solve", town, *SEARCH, *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err


def test_files_of_a_map_need_one(tiny: Path, wayfront: Command, tmp_path: Path) -> None:
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    outcome = wayfront("solve", alone, *SEARCH, "--source", 1, "-o", tmp_path / "x.geojson")
    assert outcome.code == 1
    assert "alone has no coordinates, so there is no .geojson or .gpx: write .csv" in outcome.err
