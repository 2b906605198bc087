"""``--places``: points of a table in place of nodes, refused in one sentence where they cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

import wayfront as library
from calling import Command
from wayfront_gui.cli.running import REFUSED

TOWN = "synthetic:city?nodes=2000&seed=4"


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of three shops beside roads of the town, and one on another continent."""
    coordinates = library.open_network(TOWN).coordinates
    assert coordinates is not None
    near = coordinates[[5, 700, 1500]] / 1e6 + 0.0001
    rows = [f"{name},{lon:.6f},{lat:.6f}" for name, (lon, lat) in zip("abc", near.tolist(), strict=True)]
    path = tmp_path_factory.mktemp("tables") / "shops.csv"
    path.write_text("\n".join(["name,lon,lat", *rows, "far,120.5,-30.5"]) + "\n")
    return path


def test_solving_from_places_is_what_the_library_finds(wayfront: Command, shops: Path, tmp_path: Path) -> None:
    network = library.open_network(TOWN)
    snapped = library.Places.read(shops).on(network)
    snapped = snapped.chosen(snapped.on_road)
    for towards in (False, True):
        ends = snapped.destinations(network.metric()) if towards else snapped.origins(network.metric())
        expected = library.search(network, ends, device="cpu", reverse=towards)
        outcome = wayfront(
            *("solve", TOWN, "--places", shops, "-d", "cpu", "--runs", 0, "--json"), *(["--reverse"] if towards else [])
        )
        assert "1 of 4 places are left out, farther than 500 m from every road: far;" in outcome.err
        assert outcome.record["sum_distance"] == expected.summary()["sum_distance"]
        sources = outcome.record["sources"]
        assert [each["name"] for each in sources] == ["a", "b", "c"]
        assert [each["nearest_nodes"] for each in sources] == expected.served.tolist()
        assert [each["metres"] for each in sources] == snapped.metres.round(1).tolist()
    shown = wayfront("solve", TOWN, "--places", shops, "-d", "cpu", "--runs", 0)
    assert "from the nearest of 3 places" in shown.out and "from a" in shown.out


def test_areas_round_places(wayfront: Command, shops: Path) -> None:
    shown = wayfront("isochrones", TOWN, "--places", shops, "--per-source", "--cuts", 200, "-d", "cpu")
    assert all(f"{name}: ≤ 200 m" in shown.out for name in "abc")


@pytest.mark.parametrize(
    ("table", "given", "words"),
    [
        ("lon,lat\n", [], "places.csv: the table has no rows"),
        ("lon,lat\n1,north\n", [], "places.csv:2: column 'lat' holds no numbers"),
        ("lon,lat\n1,2\n", ["--source", "5"], "leave one of them out"),
        ("lon,lat\n120.5,-30.5\n", [], "they belong to another map"),
        ("x,y\n512345,4567890\n", [], "nothing says what they are"),
        ("x,y\n512345,4567890\n", ["--places-crs", "EPSG:no"], "cannot be turned into degrees"),
        ("lon,lat\n1,2\n", ["--trace", "t.wftrace"], "--trace records one search"),
    ],
)
def test_wrong_tables_are_refused_in_one_sentence(
    wayfront: Command, tmp_path: Path, table: str, given: list[str], words: str
) -> None:
    path = tmp_path / "places.csv"
    path.write_text(table)
    outcome = wayfront("solve", TOWN, "--places", path, "-d", "cpu", *given)
    assert outcome.code != 0 and words in outcome.err and outcome.out == ""
    assert outcome.err.count("\n") == 1


def test_what_would_help_where_no_place_is_near(wayfront: Command, tmp_path: Path) -> None:
    coordinates = library.open_network(TOWN).coordinates
    assert coordinates is not None
    lon, lat = (coordinates[5] / 1e6).tolist()
    path = tmp_path / "places.csv"
    path.write_text(f"lon,lat\n{lat},{lon}\n")
    outcome = wayfront("solve", TOWN, "--places", path, "-d", "cpu")
    assert outcome.code == REFUSED and "unless longitude and latitude are exchanged" in outcome.err
    path.write_text(f"lon,lat\n{lon},{lat + 0.0005}\n")
    outcome = wayfront("solve", TOWN, "--places", path, "-d", "cpu", "--limit", 0.5)
    assert "m away: --limit " in outcome.err
    wayfront_limit = outcome.err.rpartition("--limit ")[2].split()[0]
    assert wayfront("solve", TOWN, "--places", path, "-d", "cpu", "--limit", wayfront_limit).code == 0
