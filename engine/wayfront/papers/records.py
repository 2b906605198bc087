"""Write comparisons as plain values for JSON, and read them back: measured on one machine, drawn on another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wayfront.errors import FormatError
from wayfront.files import read_at_most
from wayfront.papers.comparison import Cell, Comparison, Skipped
from wayfront.papers.description import Graph, Paper, Table, hardware_of
from wayfront.plain_text import printable

LONGEST_FILE = 64 << 20
"""Bytes that a file of results has at most: the whole of the tables takes less than one in a hundred of it."""


def record_of(papers: Sequence[Paper], comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return papers with their comparisons, and the machine, as plain values."""
    machine: dict[str, str] = {}
    for comparison in comparisons:
        machine |= comparison.machine
    return {
        "papers": [
            {
                "letter": paper.letter,
                "title": paper.title,
                "authors": paper.authors,
                "year": paper.year,
                "hardware": paper.hardware,
                "comparisons": [_comparison_record(c) for c in comparisons if c.paper.letter == paper.letter],
            }
            for paper in papers
        ],
        "machine": machine,
    }


def _comparison_record(comparison: Comparison) -> dict[str, Any]:
    table, graph = comparison.table, comparison.graph
    return {
        "table": table.title,
        "ours": table.ours,
        "theirs": table.theirs,
        "note": table.note,
        "graph": {
            "name": graph.name,
            "location": graph.location,
            "stands_for": graph.stands_for,
            "nodes": comparison.size[0] if comparison.size else None,
            "arcs": comparison.size[1] if comparison.size else None,
        },
        "reached": comparison.reached,
        "sum_distance": comparison.sum_distance,
        "rows": [_cell_record(cell) for cell in comparison.cells],
        "published": [
            *({"label": r.label, "ms": r.ms, "on": r.on.value, "measured": r.measured} for r in comparison.rivals),
            *(
                {"label": c.label, "ms": ms, "on": c.on.value, "measured": "the authors'"}
                for c, ms in comparison.only_published
            ),
        ],
        "ratios": [
            {
                "fast": r.fast,
                "slow": r.slow,
                "device": r.device,
                "slow_device": r.slow_device,
                "ours": r.ours,
                "paper": r.paper,
                "scaled": r.scaled,
            }
            for r in comparison.ratios
        ],
        "disagreement": comparison.disagreement,
        "skipped": [{"label": s.label, "device": s.device, "why": s.why} for s in comparison.skipped],
        "machine": dict(comparison.machine),
    }


def _cell_record(cell: Cell) -> dict[str, Any]:
    return {
        "label": cell.label,
        "algorithm": cell.algorithm,
        "options": dict(cell.options),
        "device": cell.device,
        "device_name": cell.device_name,
        "time_ms": {
            "median": cell.median_ms,
            "min": cell.fastest_ms,
            "max": cell.slowest_ms,
            "runs": len(cell.runs_ms),
        },
        "runs_ms": list(cell.runs_ms),
        "scale": cell.scale,
        "part": cell.part,
        "paper_ms": cell.paper_ms,
    }


def read_comparisons(path: str | Path, papers: Iterable[Paper]) -> list[Comparison]:
    """Return what a file of results holds of these papers, in the papers' order.

    Published figures, ratios and texts are those of this version, not of the file; tables and graphs that this version
    does not have are left out. Raises ``FormatError`` for a file that is none of ours.
    """
    text = read_at_most(path, LONGEST_FILE, "it is too large to be results of wayfront reproduce")
    try:
        recorded = json.loads(text)
        by_letter = {paper["letter"]: paper["comparisons"] for paper in recorded["papers"]}
        return [
            found
            for paper in papers
            for one in by_letter.get(paper.letter, ())
            if (found := _comparison(paper, one)) is not None
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise FormatError(f"it holds no results of wayfront reproduce ({type(problem).__name__})", path) from None


def _comparison(paper: Paper, recorded: dict[str, Any]) -> Comparison | None:
    """Return a recorded comparison, None where this version has no such table or graph."""
    place = _place(paper, recorded["table"], recorded["graph"]["name"])
    if place is None:
        return None
    table, graph = place
    known = {contender.label for contender in table.contenders}
    size = recorded["graph"]["nodes"], recorded["graph"]["arcs"]
    found = Comparison(
        paper,
        table,
        graph,
        None if size[0] is None else (int(size[0]), int(size[1])),
        int(recorded["reached"]),
        int(recorded["sum_distance"]),
        tuple(_cell(row) for row in recorded["rows"] if row["label"] in known),
        tuple(Skipped(*(_text(s[key]) for key in ("label", "device", "why"))) for s in recorded["skipped"]),
        {_text(key): _text(value) for key, value in recorded["machine"].items()},
        _text(recorded["disagreement"]),
    )
    return replace(found, cells=tuple(_with_figure(found, cell) for cell in found.cells))


def _place(paper: Paper, title: str, graph_name: str) -> tuple[Table, Graph] | None:
    for table in paper.tables:
        for graph in table.graphs:
            if (table.title, graph.name) == (title, graph_name):
                return table, graph
    return None


def _cell(row: dict[str, Any]) -> Cell:
    runs = tuple(float(ms) for ms in row["runs_ms"])
    if not runs:
        raise ValueError("a row without runs")
    options = {_text(key): value for key, value in row["options"].items()}
    label, algorithm, device, name = (_text(row[key]) for key in ("label", "algorithm", "device", "device_name"))
    return Cell(label, algorithm, options, device, name, runs, scale=float(row["scale"]), part=_text(row["part"]))


def _with_figure(comparison: Comparison, cell: Cell) -> Cell:
    table = comparison.table
    ms = table.published_ms(comparison.graph, table.contender(cell.label), hardware_of(cell.device))
    return replace(cell, paper_ms=ms)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text")
    return printable(value)


def merge(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Put together what was measured of the same table on the same graph in several sittings; the later runs count.

    They are in the order of papers, tables and graphs.
    """
    merged: dict[tuple[str, str, str], Comparison] = {}
    for one in comparisons:
        key = (one.paper.letter, one.table.title, one.graph.name)
        before = merged.get(key)
        merged[key] = one if before is None else _joined(before, one)
    return sorted(merged.values(), key=_place_of)


def _place_of(one: Comparison) -> tuple[str, int, int]:
    titles, names = [table.title for table in one.paper.tables], [graph.name for graph in one.table.graphs]
    return one.paper.letter, titles.index(one.table.title), names.index(one.graph.name)


def _joined(before: Comparison, after: Comparison) -> Comparison:
    new = {(cell.label, cell.device) for cell in after.cells}
    cells = [*(cell for cell in before.cells if (cell.label, cell.device) not in new), *after.cells]
    order = [contender.label for contender in after.table.contenders]
    cells.sort(key=lambda cell: order.index(cell.label))
    timed = {(cell.label, device) for cell in cells for device in (cell.device, "")}
    skipped = dict.fromkeys(s for s in (*before.skipped, *after.skipped) if (s.label, s.device) not in timed)
    if after.size is None and before.size is not None:
        after = replace(after, size=before.size, reached=before.reached, sum_distance=before.sum_distance)
    return replace(
        after,
        cells=tuple(cells),
        skipped=tuple(s for s in skipped if s.label or after.size is None),
        machine={**before.machine, **after.machine},
        disagreement=before.disagreement or after.disagreement,
    )
