"""Compare our times and ratios with those of a paper's table, and list what was left out."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wayfront.options import OptionValue
from wayfront.papers.description import Graph, Paper, Rival, Span, Table


@dataclass(frozen=True, slots=True)
class Cell:
    """One timed search: ``runs_ms`` are its clean runs, ``paper_ms`` the paper's time, or None."""

    label: str
    algorithm: str
    options: Mapping[str, OptionValue]
    device: str
    device_name: str
    measure: str
    runs_ms: tuple[float, ...]
    paper_ms: float | None

    @property
    def median_ms(self) -> float:
        """The median of the clean runs."""
        return statistics.median(self.runs_ms)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not run, and why; ``label`` and ``device`` are empty for a whole graph."""

    label: str
    device: str
    why: str


@dataclass(frozen=True, slots=True)
class RatioRow:
    """How many times as fast one search (``fast``, on ``device``) is as another: measured here, and in the paper."""

    fast: str
    slow: str
    device: str
    slow_device: str
    ours: float
    paper: Span | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table on one graph.

    ``size`` is (nodes, arcs), None where the graph was not found. ``disagreement`` names the search that found wrong
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
        """The ratios of the table for which both searches were timed.

        Both ran on the same device, or the slow one on the only device that the paper ran it on.
        """
        meant = {contender.label: contender.needs for contender in self.table.contenders}
        times = {(cell.label, cell.device): cell.median_ms for cell in self.cells}
        rows = []
        for ratio in self.table.ratios:
            for device in dict.fromkeys(cell.device for cell in self.cells):
                timed_on = [where for label, where in times if label == ratio.slow]
                beside = timed_on[0] if meant[ratio.slow] and len(timed_on) == 1 else device
                fast, slow = times.get((ratio.fast, device)), times.get((ratio.slow, beside))
                if fast is not None and slow is not None and fast > 0:
                    published = self.table.published_ratio(self.graph, ratio)
                    rows.append(RatioRow(ratio.fast, ratio.slow, device, beside, slow / fast, published))
        return tuple(rows)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """The published figures of other programs for this graph."""
        return tuple(rival for rival in self.table.rivals if rival.graph == self.graph.name)

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "table": self.table.title,
            "note": self.table.note,
            "graph": {
                "name": self.graph.name,
                "location": self.graph.location,
                "stands_for": self.graph.stands_for,
                "nodes": self.size[0] if self.size else None,
                "arcs": self.size[1] if self.size else None,
            },
            "reached": self.reached,
            "sum_distance": self.sum_distance,
            "rows": [_cell_record(cell) for cell in self.cells],
            "published": [{"label": r.label, "ms": r.ms, "measured": r.measured} for r in self.rivals],
            "ratios": [
                {
                    "fast": r.fast,
                    "slow": r.slow,
                    "device": r.device,
                    "slow_device": r.slow_device,
                    "ours": r.ours,
                    "paper": r.paper,
                }
                for r in self.ratios
            ],
            "disagreement": self.disagreement,
            "skipped": [{"label": s.label, "device": s.device, "why": s.why} for s in self.skipped],
        }


def paper_records(papers: Sequence[Paper], comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the papers with their comparisons as plain values."""
    return [
        {
            "letter": paper.letter,
            "title": paper.title,
            "authors": paper.authors,
            "year": paper.year,
            "hardware": paper.hardware,
            "later": paper.later,
            "comparisons": [c.record() for c in comparisons if c.paper.letter == paper.letter],
        }
        for paper in papers
    ]


def _cell_record(cell: Cell) -> dict[str, Any]:
    return {
        "label": cell.label,
        "algorithm": cell.algorithm,
        "options": dict(cell.options),
        "device": cell.device,
        "device_name": cell.device_name,
        "measure": cell.measure,
        "time_ms": {
            "median": cell.median_ms,
            "min": min(cell.runs_ms),
            "max": max(cell.runs_ms),
            "runs": len(cell.runs_ms),
        },
        "paper_ms": cell.paper_ms,
    }
