"""``wayfront matrix``: tables of places and nodes in, matrices of every form out, and what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import wayfront as library
from calling import Command
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic import from_name
from wayfront_gui.cli.running import DONE, MISUSED, REFUSED

GRID = "synthetic:grid?columns=7&rows=5&seed=2"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def network() -> RoadNetwork:
    return from_name(GRID)


@pytest.fixture
def tables(network: RoadNetwork, tmp_path: Path) -> tuple[Path, Path]:
    """Return a table of places at three nodes and one far away, and one of nodes."""
    assert network.coordinates is not None
    places, nodes = tmp_path / "homes.csv", tmp_path / "shops.csv"
    rows = [f"{name},{x / 1e6},{y / 1e6}" for name, (x, y) in zip("abc", network.coordinates[:3], strict=True)]
    places.write_text("\n".join(["id,lon,lat", *rows, "far,100,50"]) + "\n", "utf-8")
    nodes.write_text("name;node\n" + "\n".join(f"n;{node}" for node in network.node_ids[[7, 30]]) + "\n", "utf-8")
    return places, nodes


def test_tables_in_and_a_table_out(wayfront: Command, network: RoadNetwork, tables: tuple[Path, Path]) -> None:
    places, nodes = tables
    outcome = wayfront("matrix", GRID, "--from", str(places), "--to", str(nodes), "-d", "cpu", "-o", "-")
    assert outcome.code == DONE
    assert "1 of 4 places are left out, farther than 500 m from every road: far" in outcome.err
    rows = list(csv.reader(io.StringIO(outcome.out)))
    metric = network.metrics[0]
    assert rows[0] == ["origin", "destination", metric.name]
    expected = library.distance_matrix(network, [0, 1, 2], [7, 30], device="cpu").values.ravel()
    assert [float(row[2]) for row in rows[1:7]] == pytest.approx(expected.tolist())
    assert [row[0] for row in rows[1:]] == [name for name in ("a", "b", "c", "far") for _ in range(2)]
    assert [row[2] for row in rows[7:]] == ["", ""]


def test_every_form_and_a_summary(
    wayfront: Command, network: RoadNetwork, tables: tuple[Path, Path], tmp_path: Path
) -> None:
    listed = tmp_path / "nodes.txt"
    listed.write_text("\n".join(str(node) for node in network.node_ids[:4]) + "\n", "utf-8")
    expected = library.distance_matrix(network, [0, 1, 2, 3], [7, 30], device="cpu")
    asked = ("matrix", GRID, "--from", str(listed), "--to", str(tables[1]), "-d", "cpu")
    for name in ("m.npz", "m.npy", "m.parquet"):
        outcome = wayfront(*asked, "-o", str(tmp_path / name))
        assert outcome.code == DONE, outcome.err
        assert f"written to {tmp_path / name}" in outcome.err and "8 with a path" in outcome.out
    assert np.load(tmp_path / "m.npy").tolist() == expected.raw.tolist()
    shown = wayfront(*asked)
    assert shown.code == DONE and expected.metric.describe(expected.raw[0, 1]) in shown.out
    record = wayfront(*asked, "--json", "--close", f"{network.node_ids[0]}-{network.node_ids[1]}").record
    assert (record["origins"], record["destinations"], record["pairs_reached"], record["closed_arcs"]) == (4, 2, 8, 1)
    ids = ",".join(str(node) for node in network.node_ids[:2])
    assert wayfront("matrix", GRID, "--from", ids, "-d", "cpu", "--json").record["destinations"] == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "nodes.csv"),
        ("node\n7\nx\n", "nodes.csv:3: the id of a node is a whole number, not 'x'"),
        ("node\n99999\n", "nodes.csv:2: "),
        ("id,size\n1,2\n", "nodes.csv"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(wayfront: Command, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(content, "utf-8")
    outcome = wayfront("matrix", GRID, "--from", str(path), "-d", "cpu")
    assert outcome.code == REFUSED and words in outcome.err and outcome.err.count("\n") == 1


def test_a_table_of_places_is_as_long_as_it_likes(
    wayfront: Command, tables: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.cli.points._LONGEST", 30)
    asked = ("matrix", GRID, "-d", "cpu", "--json", "--from")
    assert wayfront(*asked, str(tables[0])).record["origins"] == 4
    tables[1].write_text("node\n" + "1\n" * 20, "utf-8")
    assert "too large for a list of nodes" in wayfront(*asked, str(tables[1])).err


def test_what_does_not_fit_is_refused(wayfront: Command, tmp_path: Path) -> None:
    for asked, words in (
        (("--from", "nowhere.csv"), "there is no such file, and it is no list of node ids"),
        (("--from", "1,2", "-o", "m.xlsx"), "unknown suffix"),
        (("--from", "1,2", "-o", "-", "--json"), "standard output"),
        (("--from", "1,2", "--also", "colour"), "colour"),
        (("--from", "1,2", "--also", "length", "-o", str(tmp_path / "m.npy")), "length"),
    ):
        outcome = wayfront("matrix", GRID, "-d", "cpu", *asked)
        assert outcome.code in (MISUSED, REFUSED) and words in outcome.err, asked


def test_the_benchmark_prints_and_writes_a_table(wayfront: Command, tmp_path: Path) -> None:
    for name in ("m.md", "m.csv", "m.json"):
        outcome = wayfront(
            "benchmark", "matrix", GRID, "--sizes", "2,5", "--alone", "-d", "cpu", "-o", str(tmp_path / name)
        )
        assert outcome.code == DONE and "5 × 5" in outcome.out
    assert "| 5 × 5 | wayfront |" in (tmp_path / "m.md").read_text("utf-8")
    assert (tmp_path / "m.csv").read_text("utf-8").splitlines()[2].startswith("wayfront,5,5,5,")
    refused = wayfront("benchmark", "matrix", GRID, "--sizes", "2,x")
    assert refused.code == MISUSED and "--sizes takes whole numbers" in refused.err
