"""``wayfront all-pairs``: what it prints and writes, and that Ctrl-C keeps what is finished."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront as library
from calling import Command
from pairs_checks import expected_matrix
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError, SearchCancelled
from wayfront.searching.all_pairs import checkpoint as checkpoints
from wayfront.synthetic import from_name
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import all_pairs as command
from wayfront_gui.cli.running import DONE, MISUSED, REFUSED

GRID = "synthetic:grid?columns=7&rows=5&seed=2"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_json_is_one_object_with_the_agreed_keys(wayfront: Command) -> None:
    network = from_name(GRID)
    expected = expected_matrix(network)
    outcome = wayfront("all-pairs", GRID, "--device", "cpu", "--verify", "--json")
    record = outcome.record
    assert (outcome.code, outcome.err) == (0, "")
    assert record["network"]["nodes"] == 35
    assert (record["algorithm"], record["device"], record["options"]) == ("dijkstra-in-turn", "cpu", {})
    assert record["schema_version"] == JSON_SCHEMA_VERSION
    assert record["source_count"] == 35
    assert record["pairs_reached"] + record["pairs_unreached"] == 35 * 35
    assert record["sum_distance"] == expected[expected >= 0].sum()
    diameter, centre = record["diameter"], record["centre"]
    assert diameter["distance"] == expected.max()
    assert expected[network.node(diameter["from"]), network.node(diameter["to"])] == expected.max()
    assert centre["eccentricity"] == expected[network.node(centre["node"])].max()
    assert set(record["time_ms"]) == {"median", "min", "max", "runs", "noisy"}
    assert record["time_ms"]["runs"] == 5
    assert record["trees_per_s"] > 0
    assert (record["verified"], record["rows_proved"], record["rows_compared"]) == (True, 35, 4)


def test_the_table_and_the_files(wayfront: Command, tmp_path: Path) -> None:
    figures, matrix = tmp_path / "figures.csv", tmp_path / "all.npy"
    outcome = wayfront(
        *("all-pairs", GRID, "--device", "cpu", "--algorithm", "relax-update-in-turn", "--sources", 6),
        *("-o", figures, "--matrix", matrix, "--verify", "--runs", 1),
    )
    assert outcome.code == 0
    for text in ("from 6 of 35 nodes", "210 with a path, 0 without", "diameter", "centre", "6 rows are proved right"):
        assert text in outcome.out
    assert f"matrix written to {matrix}" in outcome.err
    assert f"written to {figures}" in outcome.err
    network = from_name(GRID)
    sources = there(command.choose_sources(network, "6"))
    expected = expected_matrix(network, sources)
    assert np.array_equal(np.load(matrix), expected)
    with figures.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    metric = network.metrics[0]
    per, lengths = f"_per_{metric.unit}" if metric.unit else "", expected * network.metrics[0].scale
    assert [int(row["node"]) for row in rows] == network.node_ids[sources].tolist()
    assert [int(row["sum"]) for row in rows] == expected.sum(1).tolist()
    assert [int(row["eccentricity"]) for row in rows] == expected.max(1).tolist()
    assert [float(row["mean"]) for row in rows] == pytest.approx((expected.sum(1) / 34).tolist())
    assert [float(row[f"closeness_outward{per}"]) for row in rows] == pytest.approx((34 / lengths.sum(1)).tolist())
    both = [(row[f"closeness_inward{per}"], row[f"closeness_outward{per}"]) for row in rows]
    assert all(inward == outward for inward, outward in both), "every arc has its like the other way"
    assert {(row["reached"], row["unreached"], row["proved"]) for row in rows} == {("35", "0", "True")}
    assert {path.name for path in tmp_path.iterdir()} - {"cache"} == {"figures.csv", "all.npy", "all.ids.npz"}


def test_figures_are_points_of_a_geopackage_in_any_system(wayfront: Command, tmp_path: Path) -> None:
    import geopandas

    files = [tmp_path / "figures.gpkg", tmp_path / "figures.csv"]
    asked = ("all-pairs", GRID, "--device", "cpu", "--algorithm", "relax-update-in-turn", "--crs", "EPSG:3857")
    assert wayfront(*asked, *(part for file in files for part in ("-o", file))).code == 0
    points = geopandas.read_file(files[0], layer="sources")
    expected = from_name(GRID).to_geodataframes("EPSG:3857")[0]
    assert points.crs == expected.crs
    assert points.geometry.geom_equals_exact(expected.geometry.reset_index(drop=True), 1e-6).all()
    with files[1].open(encoding="utf-8") as table:
        assert points["sum"].tolist() == [int(row["sum"]) for row in csv.DictReader(table)]
    refused = wayfront("all-pairs", "synthetic:rmat?n=30&m=120&seed=3", "--device", "cpu", "-o", tmp_path / "x.gpkg")
    assert refused.code == 1 and "has no coordinates, so there is no .gpkg: write .csv" in refused.err


def test_figures_in_json_have_no_infinities(wayfront: Command, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert wayfront("all-pairs", "synthetic:ring?n=1", "--device", "cpu", "-o", file).code == 0
    record = json.loads(file.read_text(encoding="utf-8"))
    assert record["pairs_reached"] == 1
    assert [(node["mean"], node["unreached"]) for node in record["nodes"]] == [(None, 0)]
    assert [value for name, value in record["nodes"][0].items() if "closeness" in name] == [0.0, 0.0]


def test_closeness_inward_is_searched_for_where_it_is_asked_for(
    wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, network = tmp_path / "figures.json", "synthetic:rmat?n=30&m=120&seed=3"
    asked = ("all-pairs", network, "--device", "cpu", "--algorithm", "relax-update-in-turn", "-o", file)
    outcome = wayfront(*asked, "--inward")
    assert outcome.code == 0 and "searching with all arcs turned round" in outcome.err
    opened = from_name(network)
    per = f"_per_{opened.metrics[0].unit}" if opened.metrics[0].unit else ""
    nodes = json.loads(file.read_text(encoding="utf-8"))["nodes"]
    expected = expected_matrix(opened)
    for place, node in enumerate(nodes):
        for way, distances in (("inward", expected[:, place]), ("outward", expected[place])):
            others, total = (distances >= 0).sum() - 1, distances[distances > 0].sum() * opened.metrics[0].scale
            value = others / (len(nodes) - 1) * others / total if others else 0.0
            assert node[f"closeness_{way}{per}"] == pytest.approx(value)
    assert wayfront(*asked).code == 0
    nodes = json.loads(file.read_text(encoding="utf-8"))["nodes"]
    assert {node[f"closeness_inward{per}"] for node in nodes} == {None}
    assert wayfront(*asked[:-2], "--inward").code != 0

    def stopped(*_given: Any, **_asked: Any) -> Any:
        raise SearchCancelled("stopped")

    monkeypatch.setattr(library, "closeness", stopped, raising=False)
    outcome = wayfront(*asked, "--inward")
    assert outcome.code == 0 and "stopped: the figures are written without the closeness inward" in outcome.err
    assert len(json.loads(file.read_text(encoding="utf-8"))["nodes"]) == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--algorithm", "dijkstra"), "dijkstra finds one tree; choose an algorithm that finds all pairs: dijkstra-in"),
        (("--sources", "36"), "--sources 36: Grid 7 × 5 has 35 nodes; name 1 to 35, or ids with commas ('36,')"),
        (("--sources", "0"), "--sources 0: Grid 7 × 5 has 35 nodes"),
        (("--sources", "a,b"), "--sources is 'all', a number of nodes, or ids with commas, not 'a,b'"),
        (("--sources", "99,"), "Grid 7 × 5 has no node 99"),
        (("--sources", "3,4,3"), ""),
        (("--matrix", "x.txt"), "x.txt: unknown suffix; this can be written as .npy, .zarr"),
        (("--matrix", "absent/x.npy"), "absent/x.npy cannot be written: there is no folder"),
        (("--checkpoint", "absent/x"), "absent/x cannot be written: there is no folder"),
        (("-o", "x.xlsx"), "x.xlsx: unknown suffix; this can be written as .csv, .json, .gpkg"),
        (("--option", "delta=3"), "dijkstra-in-turn: "),
    ],
)
def test_what_is_asked_wrongly_is_refused_in_a_sentence(
    wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = wayfront("all-pairs", GRID, "--device", "cpu", *arguments)
    code = REFUSED if "cannot be written" in message else MISUSED
    assert outcome.code == (code if message else DONE)
    if message:
        assert outcome.err.startswith(f"wayfront: {message}")
        assert outcome.err.count("\n") == 1


def test_figures_of_named_sources_go_to_standard_output(wayfront: Command) -> None:
    outcome = wayfront("all-pairs", GRID, "-d", "cpu", "--source", 7, "--source", 2, "--runs", 0, "-o", "-")
    rows = list(csv.DictReader(outcome.out.splitlines()))
    assert [(row["node"], row["reached"]) for row in rows] == [("7", "35"), ("2", "35")]
    refused = wayfront("all-pairs", GRID, "-d", "cpu", "--source", 7, "--sources", 5)
    assert refused.code == MISUSED
    assert "--sources has no effect here" in refused.err


def test_ids_and_numbers_name_sources() -> None:
    network = from_name(GRID)
    assert command.choose_sources(network, "all") is None
    ids = there(command.choose_sources(network, "7, 2"))
    assert network.node_ids[ids].tolist() == [7, 2]
    one = there(command.choose_sources(network, "7,"))
    assert network.node_ids[one].tolist() == [7]
    spread = there(command.choose_sources(network, "5"))
    assert spread.tolist() == [0, 7, 14, 21, 28]
    named = there(command.choose_sources(network, "all", ["7", "2", "7"]))
    assert network.node_ids[named].tolist() == [7, 2]
    with pytest.raises(OptionError):
        command.choose_sources(network, "")


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    wayfront: Command, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    whole = library.all_pairs

    def stopped(network: RoadNetwork, *, cancel: threading.Event, progress: Any, **asked: Any) -> Any:
        def report(seen: Any) -> None:
            progress(seen)
            if seen.sources_done >= 9:
                cancel.set()

        return whole(network, cancel=cancel, progress=report, **asked)

    monkeypatch.setattr(library, "all_pairs", stopped, raising=False)
    from wayfront.searching.all_pairs import driving

    monkeypatch.setattr(driving, "REPORT_EVERY_S", -1.0)
    arguments = ("all-pairs", GRID, "--device", "cpu", "--algorithm", "relax-update-in-turn")
    outcome = wayfront(*arguments)
    notes = list((cache / "all-pairs").iterdir())
    assert len(notes) == 1
    assert notes[0].suffix == checkpoints.SUFFIX
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err == (
        f"wayfront: 9 of 35 sources are finished and noted in {notes[0]}: the same command goes on from there\n"
        "wayfront: cancelled\n"
    )
    monkeypatch.setattr(library, "all_pairs", whole)
    file = cache.parent / "figures.json"
    record = wayfront(*arguments, "--json", "--verify", "-o", file)
    note = "26 of 35 rows are proved right: the other figures are a checkpoint's"
    assert (record.record["verified"], record.record["rows_proved"], record.record["note"]) == (None, 26, note)
    assert note in record.err
    assert [node["proved"] for node in json.loads(file.read_text("utf-8"))["nodes"]] == [False] * 9 + [True] * 26
    assert record.record["found_before"] == 9
    assert record.record["sum_distance"] == expected_matrix(from_name(GRID)).sum()
    assert "9 sources were finished before: the time is that of the others" in record.err
    assert not list((cache / "all-pairs").iterdir())


def test_a_long_search_is_announced_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from wayfront.searching.run import Progress

    shown: list[tuple[str, float]] = []
    reporter = command._Reporter(lambda text, fraction: shown.append((text, fraction)))
    for step, (done, ahead) in enumerate([(0, 9.0), (0, 400.0), (100, 420.0), (500, 7200.0)]):
        reporter(Progress("tracing", step, seconds_ahead=ahead, sources_done=done, sources_wanted=1000))
    for _ in range(2):
        reporter(Progress("forecast", 0, sources_done=500, sources_wanted=1000, bytes_ahead=2_900_000_000))
    reporter(Progress("timing", 0, sources_done=1000, sources_wanted=1000))
    assert capsys.readouterr().err.splitlines() == [
        "wayfront: it will take about 7 min; Ctrl-C stops it and keeps what is finished",
        "wayfront: it will take about 2.0 h; Ctrl-C stops it and keeps what is finished",
        "wayfront: it takes 2.9 GB of the device's memory",
    ]
    assert shown[2] == ("100 of 1,000 sources, about 6 min left", 0.1)
    assert shown[-1] == ("timing it again", -1.0)


def test_a_failing_search_does_not_claim_to_have_noted_anything(
    wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise SearchCancelled("stopped")

    monkeypatch.setattr(library, "all_pairs", fail, raising=False)
    outcome = wayfront("all-pairs", GRID, "--device", "cpu")
    assert (outcome.code, outcome.err) == (130, "wayfront: cancelled\n")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), "cpu"),
        (("--device", "auto", "--scheduler", "local"), "auto"),
        (("--device", "cuda:7", "--scheduler", "tcp://elsewhere:8786"), "cuda:7"),
    ],
)
def test_workers_choose_their_devices_themselves(
    wayfront: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], asked: str
) -> None:
    alone, devices = library.all_pairs, []

    def noted(network: RoadNetwork, *, device: str, scheduler: str | None, **others: Any) -> Any:
        devices.append(device)
        return alone(network, device="cpu", **others)

    monkeypatch.setattr(library, "all_pairs", noted)
    monkeypatch.setattr("wayfront_gui.cli.searching.choose_device", lambda _text: "cpu")
    assert wayfront("all-pairs", GRID, "--json", *words).code == 0
    assert devices == [asked]


def test_figures_have_the_names_of_nodes(wayfront: Command, tmp_path: Path) -> None:
    (tmp_path / "graph.csv").write_text("Rome,Ostia,3\nOstia,=1+1,4\n", encoding="utf-8")
    table, record = tmp_path / "figures.csv", tmp_path / "figures.json"
    outcome = wayfront("all-pairs", tmp_path / "graph.csv", "--device", "cpu", "-o", table, "-o", record)
    assert outcome.code == 0, outcome.err
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["name"], row["farthest_name"]) for row in rows] == [
        ("Rome", "'=1+1"),
        ("Ostia", "'=1+1"),
        ("'=1+1", "'=1+1"),
    ]
    nodes = json.loads(record.read_text(encoding="utf-8"))["nodes"]
    assert [node["name"] for node in nodes] == ["Rome", "Ostia", "=1+1"]


def test_pairs_are_counted_by_distance(wayfront: Command, tmp_path: Path) -> None:
    asked = ("all-pairs", GRID, "--device", "cpu", "--runs", 0)
    network = library.open_network(GRID)
    distances = expected_matrix(network) * network.metrics[0].scale
    figures = tmp_path / "figures.csv"
    outcome = wayfront(*asked, "--bins", "150,400", "--bins-by-source", "-o", figures, "--json")
    counts = [int((distances < 150).sum()), int(((distances >= 150) & (distances <= 400)).sum())]
    assert outcome.record["histogram"] == {
        "edges": [0.0, 150.0, 400.0], "counts": counts, "outside": int((distances > 400).sum()),
    }  # fmt: skip
    with figures.open() as file:
        rows = list(csv.DictReader(file))
    assert [sum(int(row[name]) for row in rows) for name in ("up_to_150", "up_to_400")] == counts
    shown = wayfront(*asked, "--bins", 3)
    assert "Pairs by distance" in shown.out
    assert shown.out.count("%") == 3
    assert wayfront(*asked, "--bins", "far").code == MISUSED
    assert wayfront(*asked, "--bins", 3, "--bins-by-source").code == MISUSED
