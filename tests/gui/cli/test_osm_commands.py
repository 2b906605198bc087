"""The command line on OpenStreetMap data: counts, options, messages, and saving."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wayfront_gui.cli.command_line import main


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return left.value.code if isinstance(left.value.code, int) else 0, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ([], (11, 18)),
        (["--largest-component"], (10, 17)),
        (["--simplify"], (9, 15)),
        (["--network-type", "drive-public"], (11, 16)),
        (["--network-type", "walk"], (11, 26)),
    ],
)
def test_solve(data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], size: tuple[int, int]) -> None:
    fixed = ("--source", 1, "--json", "--runs", 0, "--device", "cpu", "--algorithm", "dijkstra")
    code, out, err = call(capsys, "solve", data / "tiny.osm", *fixed, *arguments)
    assert (code, err) == (0, "")
    network = json.loads(out)["network"]
    assert (network["nodes"], network["arcs"]) == size


def test_info_prints_notes(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "info", data / "tiny.osm", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["attribution"] == "© OpenStreetMap contributors, ODbL 1.0"
    assert record["data_date"] == "2026-05-04T03:02:01Z"
    assert record["road_names"] == 3
    assert record["road_names_bytes"] > 72
    assert "the speed of 10 of 18 arcs is assumed from the kind of road" in record["notes"]
    _, out, _ = call(capsys, "info", data / "tiny.osm")
    assert "2026-05-04T03:02:01Z" in out
    assert "10 of 18 arcs is assumed" in out


def test_save(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "save", data / "tiny.osm", tmp_path / "town.gr", "--largest-component")
    assert (code, out) == (0, "")
    assert err.count("10 nodes and 17 arcs written to") == 3
    assert (tmp_path / "town-d.gr").read_text().splitlines()[4] == "p sp 10 17"
    code, _, err = call(capsys, "save", data / "tiny.osm", tmp_path / "town.txt")
    assert code == 1
    assert "networks are saved as wayfront network (.wayfront)" in err
    assert err.count("(.gr)") == 1
    code, out, _ = call(capsys, "save", "--help")
    assert ".graphml" in out and ".wayfront" in out


def test_options_that_have_no_effect_are_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "info", data / "tiny-d.gr", "--simplify")
    assert (code, out) == (1, "")
    assert "simplify has no effect on this kind of network (DIMACS)" in err


def test_a_file_without_roads_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.osm"
    path.write_text('<osm version="0.6"/>')
    code, out, err = call(capsys, "info", path)
    assert (code, out) == (1, "")
    assert err == f"wayfront: {path}: no roads: no way in this file has a highway tag\n"
