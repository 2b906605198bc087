"""``wayfront nearest``: what it prints and writes is what the library finds; --reverse of the other commands."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import numpy as np
import pandas
import pytest

import wayfront as library
from calling import Command
from wayfront_gui.cli.running import MISUSED

TOWN = "synthetic:city?nodes=2000&seed=4"


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    coordinates = library.open_network(TOWN).coordinates
    assert coordinates is not None
    near = coordinates[[5, 700, 1500]] / 1e6 + 0.0001
    rows = [f"{name},{lon:.6f},{lat:.6f}" for name, (lon, lat) in zip("abc", near.tolist(), strict=True)]
    path = tmp_path_factory.mktemp("tables") / "shops.csv"
    path.write_text("\n".join(["name,lon,lat", *rows]) + "\n")
    return path


def test_catchments_of_places_are_those_of_the_library(wayfront: Command, shops: Path, tmp_path: Path) -> None:
    network = library.open_network(TOWN)
    snapped = library.Places.read(shops).on(network)
    found = library.search(network, snapped, device="cpu", metric="travel time", reverse=True)
    expected = found.catchments(60, labels=["a", "b", "c"], within=200)
    path = tmp_path / "areas.gpkg"
    given = ("--places", shops, "-m", "travel-time", "--reverse", "--buffer", 60, "--within", 200, "-d", "cpu")
    outcome = wayfront("nearest", TOWN, *given, "--verify", "-o", path, "--json")
    assert outcome.record["catchments"] == expected.facts() and outcome.record["verified"]
    assert outcome.record["reverse"] and outcome.record["unreached"] == int((~found.reached).sum())
    assert geopandas.read_file(path)["source"].tolist() == ["a", "b", "c"]
    shown = wayfront("nearest", TOWN, *given)
    assert "Catchments to 3 places" in shown.out and f"{expected[0].nodes:,} nodes" in shown.out
    piped = wayfront("nearest", TOWN, "--from", 1, "--from", 900, "-d", "cpu", "-o", "-", "--format", "geojson")
    assert [each["properties"]["source"] for each in json.loads(piped.out)["features"]] == ["1", "900"]


def test_the_nearest_places_of_every_node_are_a_table(wayfront: Command, shops: Path, tmp_path: Path) -> None:
    network = library.open_network(TOWN)
    expected = library.search_nearest(network, library.Places.read(shops).on(network), k=2)
    paths = tmp_path / "near.csv", tmp_path / "near.parquet"
    outcome = wayfront("nearest", TOWN, "--places", shops, "-k", 2, "-o", paths[0], "-o", paths[1], "--json")
    assert outcome.record["mean_cost"] == pytest.approx(
        [float(costs[costs < np.inf].mean()) for costs in expected.costs.T]
    )
    for table in (pandas.read_csv(paths[0], index_col=0), pandas.read_parquet(paths[1])):
        assert table["distance"].tolist() == expected.distances[expected.nearest >= 0].tolist()
        assert set(table["nearest"]) == {"a", "b", "c"} and table.index.name == "node"
    assert "mean of place 2" in wayfront("nearest", TOWN, "--places", shops, "-k", 2).out


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ([], MISUSED, "name the places: --places FILE"),
        (["--from", 1, "-k", 2, "--within", 5], MISUSED, "leave one of them out"),
        (["--from", 1, "-k", 2, "--verify"], MISUSED, "--verify proves one search"),
        (["--from", 1, "-k", 2, "-a", "dijkstra"], MISUSED, "leave algorithm and options out"),
        (["--from", 1, "--within", 0], MISUSED, "--within 0"),
        (["--from", 1, "-o", "areas.parquet"], MISUSED, ".geojson, .gpkg, .csv"),
        (["--from", 99999], MISUSED, "no node 99999"),
    ],
)
def test_what_cannot_be_is_said_before_a_search(wayfront: Command, given: list[object], code: int, words: str) -> None:
    outcome = wayfront("nearest", TOWN, *given)
    assert outcome.code == code and words in outcome.err


def test_other_commands_search_towards_their_source(wayfront: Command, tmp_path: Path) -> None:
    network = library.open_network(TOWN)
    ring = wayfront(
        "compare", TOWN, "--source", 5, "-a", "dijkstra,near-far", "-d", "cpu", "--runs", 1, "--towards", "--json"
    )
    expected = library.search(network, network.node(5), device="cpu", reverse=True)
    rows = ring.record["rows"]
    assert all(row["reverse"] and row["sum_distance"] == expected.found()["sum_distance"] for row in rows)
    pairs = wayfront("all-pairs", TOWN, "--source", 5, "-d", "cpu", "--reverse", "-o", tmp_path / "f.csv", "--json")
    assert pairs.record["sum_distance"] == expected.found()["sum_distance"] and pairs.record["reverse"]
    table = pandas.read_csv(tmp_path / "f.csv")
    assert table["closeness_outward_per_m"].isna().all() and table["closeness_inward_per_m"].notna().all()
