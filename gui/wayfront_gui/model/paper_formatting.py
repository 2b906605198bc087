"""Format a paper's table that was run again: devices, times, ratios, and rows for a file. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wayfront.devices import describe_device
from wayfront.papers.comparison import Cell, Comparison, RatioRow
from wayfront.papers.description import Paper, Span
from wayfront.papers.timed_search import format_duration
from wayfront_gui.model import formatting
from wayfront_gui.model.timings import three_digits

_MEASURES = {"search": "", "step": "a step", "per node": "a node"}

CSV_COLUMNS = (
    "paper", "table", "graph", "stands_for", "nodes", "arcs", "kind", "search", "against", "algorithm", "options",
    "measure", "device", "slow_device", "device_name", "median_ms", "min_ms", "max_ms", "runs", "paper_ms",
    "ratio", "paper_ratio_low", "paper_ratio_high", "paper_hardware", "why",
)  # fmt: skip


def device(device_id: str) -> str:
    """Return the short title of a device, for instance ``GPU``."""
    return describe_device(device_id).label


def duration(ms: float | None) -> str:
    """Format a time from a fraction of a microsecond to days; "—" for none."""
    return format_duration(ms / 1000) if ms is not None and ms >= 120_000 else formatting.milliseconds(ms)


def ratio(value: float) -> str:
    """Format a ratio, for instance ``1.18×``."""
    return f"{three_digits(value)}×"


def devices(row: RatioRow) -> str:
    """Return the devices on which the two searches of a ratio ran."""
    first, second = device(row.device), device(row.slow_device)
    return first if first == second else f"{first}, {second}"


def published(span: Span | None) -> str:
    """Format a paper's ratio or range of ratios; "—" for none."""
    if span is None:
        return "—"
    low, high = span
    return ratio(low) if low == high else f"{three_digits(low)} – {ratio(high)}"


def graph(comparison: Comparison) -> str:
    """Return the graph of a comparison, and the one that it replaces."""
    own = comparison.graph
    return f"{own.name}, in place of {own.stands_for}" if own.stands_for else own.name


def size(comparison: Comparison) -> str:
    """Return the number of nodes and arcs, or an empty string for a graph that is not on this machine."""
    if comparison.size is None:
        return ""
    nodes, arcs = (f"{count:,}" for count in comparison.size)
    return f"{arcs} arcs" if nodes in comparison.graph.name else f"{nodes} nodes, {arcs} arcs"


def search(cell: Cell) -> str:
    """Return which search a row is of, and which part of it was timed unless it is the whole."""
    return f"{cell.label}, {_MEASURES[cell.measure]}" if _MEASURES[cell.measure] else cell.label


def versus(row: RatioRow) -> str:
    """Return the two searches that are compared, the faster one first."""
    return f"{row.fast} over {row.slow}"


def left_out(comparison: Comparison) -> list[str]:
    """Return a line for each reason with the searches that were left out for it."""
    reasons: dict[str, list[str]] = {}
    for one in comparison.skipped:
        name = f"{one.label} on the {device(one.device)}" if one.device else one.label
        reasons.setdefault(one.why, []).append(name)
    where = f"paper {comparison.paper.letter}, {comparison.graph.name}"
    lines = []
    for why, names in reasons.items():
        searches = ", ".join(filter(None, names))
        lines.append(f"{where}, without {searches}: {why}" if searches else f"{where}, left out: {why}")
    return lines


def source(paper: Paper) -> str:
    """Return the authors, the year and the hardware."""
    return f"{paper.authors} ({paper.year}); {paper.hardware}"


def nothing_here(paper: Paper) -> str:
    """Return the message for a paper without a table of searches from one source."""
    return f"Paper {paper.letter}, {source(paper)}: {paper.later}. So there is nothing to run for it yet."


def csv_rows(comparisons: Sequence[Comparison]) -> Iterator[dict[str, Any]]:
    """Yield a row for each time, each ratio, each figure of others and each thing left out."""
    for one in comparisons:
        nodes, arcs = one.size or (None, None)
        shared = {
            "paper": one.paper.letter,
            "table": one.table.title,
            "graph": one.graph.name,
            "stands_for": one.graph.stands_for,
            "nodes": nodes,
            "arcs": arcs,
            "paper_hardware": one.paper.hardware,
        }
        for cell in one.cells:
            yield shared | _time_row(cell)
        for rival in one.rivals:
            own = {"search": rival.label, "paper_ms": rival.ms, "paper_hardware": rival.measured}
            yield shared | {"kind": "published"} | own
        for row in one.ratios:
            low, high = row.paper or (None, None)
            yield shared | {
                "kind": "ratio", "search": row.fast, "against": row.slow, "device": row.device,
                "slow_device": row.slow_device, "ratio": row.ours,
                "paper_ratio_low": low, "paper_ratio_high": high,
            }  # fmt: skip
        for missing in one.skipped:
            yield shared | {
                "kind": "left out", "search": missing.label, "device": missing.device, "why": missing.why
            }  # fmt: skip


def _time_row(cell: Cell) -> dict[str, Any]:
    return {
        "kind": "time",
        "search": cell.label,
        "algorithm": cell.algorithm,
        "options": "; ".join(f"{key}={value}" for key, value in cell.options.items()),
        "measure": cell.measure,
        "device": cell.device,
        "device_name": cell.device_name,
        "median_ms": cell.median_ms,
        "min_ms": min(cell.runs_ms),
        "max_ms": max(cell.runs_ms),
        "runs": len(cell.runs_ms),
        "paper_ms": cell.paper_ms,
    }
