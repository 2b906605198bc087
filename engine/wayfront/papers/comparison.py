"""Compare our times and ratios with those of a paper's table, and list what was left out."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Rival, Span, Table, hardware_of
from wayfront.safe.options import OptionValue
from wayfront.safe.schema import read_results, text_of
from wayfront.timing.harness import time_figures


@dataclass(frozen=True, slots=True)
class Cell:
    """One timed search.

    ``runs_ms`` are its clean runs as measured. Where a run was only part of the whole, ``part`` says which, for
    instance "512 of 4,096 sources", and ``scale`` is how many times as long the whole takes. ``paper_ms`` is the
    authors' time on a device of this kind, or None.
    """

    label: str
    algorithm: str
    options: Mapping[str, OptionValue]
    device: str
    device_name: str
    runs_ms: tuple[float, ...]
    paper_ms: float | None = None
    scale: float = 1.0
    part: str = ""

    @property
    def median_ms(self) -> float:
        """The median of the clean runs, for the whole."""
        return statistics.median(self.runs_ms) * self.scale

    @property
    def time_ms(self) -> dict[str, Any]:
        """The median of the clean runs, the fastest and the slowest, for the whole, and how many there were."""
        return time_figures(self.runs_ms, self.scale)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not run, and why; ``label`` and ``device`` are empty for a whole graph."""

    label: str
    device: str
    why: str


@dataclass(frozen=True, slots=True)
class RatioRow:
    """How many times as fast one search (``fast``, on ``device``) is as another: measured here, and in the paper.

    ``scaled`` says that one of the times follows from a part of the work.
    """

    fast: str
    slow: str
    device: str
    slow_device: str
    ours: float
    paper: Span | None
    scaled: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table on one graph.

    ``size`` is (nodes, arcs), None where the graph was not opened. ``disagreement`` names the search that found wrong
    distances; then there are no times.
    """

    paper: Paper
    table: Table
    graph: Graph
    size: tuple[int, int] | None = None
    reached: int = 0
    sum_distance: int = 0
    cells: tuple[Cell, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)
    disagreement: str = ""

    @property
    def ratios(self) -> tuple[RatioRow, ...]:
        """The ratios of the table for which both searches were timed."""
        return tuple(row for ratio in self.table.ratios for row in self._rows(ratio))

    def _rows(self, ratio: Ratio) -> Iterator[RatioRow]:
        """Yield a ratio for each device: both searches on it, or one on the authors' GPU and the other on their CPU."""
        fast_on, slow_on = (self.table.contender(label).on for label in (ratio.fast, ratio.slow))
        slow_cells = [cell for cell in self.cells if cell.label == ratio.slow]
        for fast in self.cells:
            if fast.label != ratio.fast or fast.median_ms <= 0:
                continue
            beside = [slow for slow in slow_cells if slow.device == fast.device]
            if not beside and fast_on is not slow_on:
                beside = slow_cells
            for slow in beside:
                as_theirs = hardware_of(fast.device) is fast_on and hardware_of(slow.device) is slow_on
                published = self.table.published_ratio(self.graph, ratio) if as_theirs else None
                yield RatioRow(
                    ratio.fast, ratio.slow, fast.device, slow.device, slow.median_ms / fast.median_ms, published,
                    scaled=fast.scale != 1 or slow.scale != 1,
                )  # fmt: skip

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """The published figures of other programs for this graph, on the kinds of devices that something ran on."""
        kinds = {hardware_of(cell.device) for cell in self.cells}
        return tuple(r for r in self.table.rivals if r.graph == self.graph.name and r.on in kinds)

    @property
    def only_published(self) -> tuple[tuple[Contender, float], ...]:
        """The authors' figures that stand beside none of ours, since nothing of ours ran on a device of that kind."""
        beside = {cell.label for cell in self.cells if cell.paper_ms is not None}
        found = []
        for contender in self.table.contenders:
            ms = self.table.published_ms(self.graph, contender, contender.on)
            if ms is not None and contender.label not in beside:
                found.append((contender, ms))
        return tuple(found)

    def best(self, label: str) -> Cell | None:
        """Return the cell of a contender on the kind of device that the authors used, else on any; None without one."""
        cells = [cell for cell in self.cells if cell.label == label]
        meant: Hardware = self.table.contender(label).on
        return next((cell for cell in cells if hardware_of(cell.device) is meant), cells[0] if cells else None)


# ----------------------------------------------------------------- measured on one machine, drawn on another

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
                **{name: getattr(paper, name) for name in ("letter", "title", "authors", "year", "hardware")},
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
        **{name: getattr(table, name) for name in ("ours", "theirs", "note")},
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
        "ratios": [asdict(ratio) for ratio in comparison.ratios],
        "disagreement": comparison.disagreement,
        "skipped": [asdict(skipped) for skipped in comparison.skipped],
        "machine": dict(comparison.machine),
    }


def _cell_record(cell: Cell) -> dict[str, Any]:
    return {
        **{name: getattr(cell, name) for name in ("label", "algorithm", "options", "device", "device_name")},
        "time_ms": cell.time_ms,
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

    def read(recorded: Any) -> list[Comparison]:
        by_letter = {paper["letter"]: paper["comparisons"] for paper in recorded["papers"]}
        found = (_comparison(paper, one) for paper in papers for one in by_letter.get(paper.letter, ()))
        return [comparison for comparison in found if comparison is not None]

    return read_results(path, LONGEST_FILE, "wayfront reproduce", read)


def _comparison(paper: Paper, recorded: dict[str, Any]) -> Comparison | None:
    """Return a recorded comparison, None where this version has no such table or graph."""
    found = _table_and_graph(paper, recorded["table"], recorded["graph"]["name"])
    if found is None:
        return None
    table, graph = found
    known = {contender.label for contender in table.contenders}
    size = recorded["graph"]["nodes"], recorded["graph"]["arcs"]
    read = Comparison(
        paper,
        table,
        graph,
        None if size[0] is None else (int(size[0]), int(size[1])),
        int(recorded["reached"]),
        int(recorded["sum_distance"]),
        tuple(_cell(row) for row in recorded["rows"] if row["label"] in known),
        tuple(Skipped(*(text_of(s[key]) for key in ("label", "device", "why"))) for s in recorded["skipped"]),
        {text_of(key): text_of(value) for key, value in recorded["machine"].items()},
        text_of(recorded["disagreement"]),
    )
    return replace(read, cells=tuple(_with_figure(read, cell) for cell in read.cells))


def _table_and_graph(paper: Paper, title: str, graph_name: str) -> tuple[Table, Graph] | None:
    for table in paper.tables:
        for graph in table.graphs:
            if (table.title, graph.name) == (title, graph_name):
                return table, graph
    return None


def _cell(row: dict[str, Any]) -> Cell:
    runs = tuple(float(ms) for ms in row["runs_ms"])
    if not runs:
        raise ValueError("a row without runs")
    options = {text_of(key): value for key, value in row["options"].items()}
    label, algorithm, device, name = (text_of(row[key]) for key in ("label", "algorithm", "device", "device_name"))
    return Cell(label, algorithm, options, device, name, runs, scale=float(row["scale"]), part=text_of(row["part"]))


def _with_figure(comparison: Comparison, cell: Cell) -> Cell:
    table = comparison.table
    ms = table.published_ms(comparison.graph, table.contender(cell.label), hardware_of(cell.device))
    return replace(cell, paper_ms=ms)


def merge(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Put together what was measured of the same table on the same graph in several sittings; the later runs count.

    They are in the order of papers, tables and graphs.
    """
    merged: dict[tuple[str, str, str], Comparison] = {}
    for one in comparisons:
        key = (one.paper.letter, one.table.title, one.graph.name)
        before = merged.get(key)
        merged[key] = one if before is None else _joined(before, one)
    return sorted(merged.values(), key=_order_of)


def _order_of(one: Comparison) -> tuple[str, int, int]:
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
