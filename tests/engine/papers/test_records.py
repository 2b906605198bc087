"""Results as JSON: what was measured elsewhere is read back as it was, and no file of another kind is believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import measure
from wayfront.papers import find_papers
from wayfront.papers.comparison import Cell, Comparison, Skipped, merge, read_comparisons, record_of
from wayfront.safe.errors import FormatError

PAPERS = find_papers("C")
TABLE = PAPERS[0].tables[0]
HEAP, SSSP, ATOMICS = (contender.label for contender in TABLE.contenders)


def cell(label: str, device: str, *runs: float, paper: float | None = None) -> Cell:
    return Cell(label, "some-search", {"block": 64}, device, f"a {device}", runs, paper, 4.0, "1 of 4 sources")


MEASURED = Comparison(
    PAPERS[0],
    TABLE,
    TABLE.graphs[0],
    (4096, 24_576),
    4096,
    123,
    (cell(HEAP, "cpu", 3.0, 1.0, 2.0, paper=6.28), cell(SSSP, "cuda:0", 0.5, paper=0.98), cell(ATOMICS, "cpu", 9.0)),
    (Skipped(ATOMICS, "cuda:0", "no card"),),
    {"processor": "an abacus"},
)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(record_of(PAPERS, [MEASURED])), encoding="utf-8")
    return path


def test_results_are_read_back_as_they_were(written: Path) -> None:
    assert read_comparisons(written, PAPERS) == [MEASURED]


def test_figures_are_this_versions_and_not_the_files(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    written.write_text(text.replace('"paper_ms": 6.28', '"paper_ms": 0.01'), encoding="utf-8")
    assert read_comparisons(written, PAPERS) == [MEASURED]


def test_tables_and_searches_of_another_version_are_left_out(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    written.write_text(text.replace(HEAP, "bogo search"), encoding="utf-8")
    (found,) = read_comparisons(written, PAPERS)
    assert [one.label for one in found.cells] == [SSSP, ATOMICS]
    written.write_text(text.replace("Graph4096", "Graph1"), encoding="utf-8")
    assert read_comparisons(written, PAPERS) == []


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"papers": 3}', '{"papers": [{"letter": "C", "comparisons": [{}]}]}', "[" * 100_000, "\udcff"],
    ids=["empty", "list", "no papers", "a number", "no table", "deep", "no text"],
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match="no results of wayfront reproduce"):
        read_comparisons(path, PAPERS)


def test_names_from_a_file_obey_nothing(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    written.write_text(text.replace("a cuda:0", "\\u001b[31mred"), encoding="utf-8")
    (found,) = read_comparisons(written, PAPERS)
    assert found.cells[1].device_name == "\\x1b[31mred"


def test_sittings_are_put_together_and_the_later_runs_count() -> None:
    later = replace(MEASURED, cells=(cell(HEAP, "cpu", 7.0), cell(ATOMICS, "cuda:0", 1.0)), skipped=())
    (both,) = merge([MEASURED, later])
    assert [(one.label, one.device, one.runs_ms) for one in both.cells] == [
        (HEAP, "cpu", (7.0,)),
        (SSSP, "cuda:0", (0.5,)),
        (ATOMICS, "cpu", (9.0,)),
        (ATOMICS, "cuda:0", (1.0,)),
    ]
    assert not both.skipped, "it was run after all"
    absent = Comparison(PAPERS[0], TABLE, TABLE.graphs[0], skipped=(Skipped("", "", "not here"),))
    (found,) = merge([absent, MEASURED])
    assert [one.why for one in found.skipped] == ["no card"]
    (found,) = merge([MEASURED, absent])
    assert (found.size, [one.label for one in found.skipped]) == ((4096, 24_576), [ATOMICS])


def test_sittings_are_in_the_papers_order() -> None:
    later = replace(MEASURED, graph=TABLE.graphs[2])
    pairs = replace(MEASURED, table=PAPERS[0].tables[1], cells=())
    assert [(one.table.title, one.graph.name) for one in merge([pairs, later, MEASURED])] == [
        ("SSSP", "Graph4096"),
        ("SSSP", "New York"),
        ("APSP", "Graph4096"),
    ]


def test_the_program_needs_the_engine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stop signals are this process's: they are put back."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    table = replace(TABLE, graphs=(replace(TABLE.graphs[0], location="synthetic:ring?n=50"),))
    monkeypatch.setattr("wayfront.papers.PAPERS", (replace(PAPERS[0], tables=(table,)),))
    path = tmp_path / "out.json"
    assert measure.main(["papers", "C", "--devices", "cpu", "--runs", "1", "-o", str(path)]) == 0
    assert "C SSSP, Graph4096: heap Dijkstra, CPU" in capsys.readouterr().err
    (found,) = read_comparisons(path, PAPERS)
    assert [one.label for one in found.cells] == [HEAP, SSSP, ATOMICS]
    assert [one.paper_ms for one in found.cells] == [6.28, None, None]
