"""``wayfront isochrones``: its limits in people's units, what it prints, and its files."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import pytest

import wayfront as library
from calling import Command
from wayfront_gui.cli.running import MISUSED, REFUSED

TOWN = "synthetic:city?nodes=2000&seed=4"


def test_files_hold_what_the_library_finds(wayfront: Command, tmp_path: Path) -> None:
    network = library.open_network(TOWN)
    path = tmp_path / "near.gpkg"
    given = ("--from", 5, "--from", 90, "--cuts", "0.3km,600m", "--reverse", "--lines", "--buffer", 40, "-d", "cpu")
    outcome = wayfront("isochrones", TOWN, *given, "--close", "5-14", "-o", path, "--json")
    closed = library.arcs_between(network, [network.node(5)], [network.node(14)])
    sources = [network.node(5), network.node(90)]
    expected = library.isochrones(network, sources, [300, 600], reverse=True, buffer_m=40, closures=closed)
    record = outcome.record
    assert (record["buffer_m"], record["reverse"], record["metric"]) == (40.0, True, "length")
    assert record["isochrones"] == expected.facts()
    areas, roads = (geopandas.read_file(path, layer=name) for name in ("isochrones", "roads"))
    assert areas.area_km2.tolist() == [facts["area_km2"] for facts in expected.facts()]
    assert roads.length_m.sum() / 1000 == pytest.approx(areas.road_km.iloc[-1], abs=1e-3)


def test_areas_are_printed_of_each_source_or_in_rings(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found = wayfront("isochrones", TOWN, "--cuts", "200,400", "-d", "cpu", "--rings")
    assert "≤ 200 m" in found.out and "200 m – 400 m" in found.out and "km of road" in found.out
    each = wayfront("isochrones", TOWN, "--from", 5, "--from", 90, "--per-source", "--cuts", 200, "-d", "cpu")
    assert "5: ≤ 200 m" in each.out and "90: ≤ 200 m" in each.out
    monkeypatch.setattr("wayfront_gui.cli.isochrones.MOST_SHOWN", 1)
    first = wayfront("isochrones", TOWN, "--from", 5, "--from", 90, "--per-source", "--cuts", 200, "-d", "cpu")
    assert "5: ≤ 200 m" in first.out and "90: ≤ 200 m" not in first.out and "and 1 more" in first.out
    piped = wayfront("isochrones", TOWN, "--cuts", 200, "-d", "cpu", "-o", "-", "--format", "geojson")
    assert [feature["properties"]["within"] for feature in json.loads(piped.out)["features"]] == [200.0]


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (["--cuts", "5 parsec"], MISUSED, "--cuts takes limits above 0"),
        (["--cuts", "0"], MISUSED, "--cuts takes limits above 0"),
        (["--cuts", "5min,2km"], MISUSED, "all times or all lengths"),
        (["--cuts", "5min", "-m", "length"], MISUSED, "has length in m, which is no time"),
        (["--metric", "price"], REFUSED + 1, "has no metric"),
        (["-o", "near.shp"], MISUSED, "unknown suffix"),
        (["--buffer", "0"], MISUSED, "buffer"),
        (["--from", "99999"], MISUSED, "99999"),
    ],
)
def test_wrong_arguments_are_one_sentence(wayfront: Command, given: list[str], code: int, words: str) -> None:
    outcome = wayfront("isochrones", TOWN, *given)
    assert outcome.code == code and words in outcome.err and outcome.out == ""
