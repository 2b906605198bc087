"""Format a paper's table that was run again: devices, times, ratios, and rows for a file. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from wayfront.devices import describe_device
from wayfront.papers.comparison import Cell, Comparison, RatioRow
from wayfront.papers.description import Hardware, Paper, Span, Table, hardware_of
from wayfront.papers.table_run import format_duration
from wayfront_gui.features.timing.tables import machine_lines, markdown_page, markdown_table, three_digits
from wayfront_gui.session import formatting

CSV_COLUMNS = (
    "paper", "table", "graph", "stands_for", "nodes", "arcs", "kind", "search", "against", "algorithm", "options",
    "device", "slow_device", "device_name", "median_ms", "min_ms", "max_ms", "runs", "part", "scale", "paper_ms",
    "paper_device", "ratio", "paper_ratio_low", "paper_ratio_high", "paper_hardware", "why",
)  # fmt: skip


def device(device_id: str) -> str:
    """Return the short title of a device, for instance ``GPU``."""
    return describe_device(device_id).label


def duration(ms: float | None, *, scaled: bool = False) -> str:
    """Format a time from nanoseconds to days; "—" for none, "0" for one below the clock, "≈" before a scaled one."""
    if ms is None:
        return "—"
    if ms == 0:
        return "0"
    if ms >= 120_000:
        text = format_duration(ms / 1000)
    else:
        text = formatting.milliseconds(ms) if ms >= 1e-4 else f"{three_digits(ms * 1e6)} ns"
    return f"≈ {text}" if scaled else text


def median(cell: Cell) -> str:
    """Format the median of a search."""
    return duration(cell.median_ms, scaled=cell.scale != 1)


def ratio(value: float, *, scaled: bool = False) -> str:
    """Format a ratio, for instance ``1.18×``; "≈" before one that follows from a scaled time."""
    return f"{'≈ ' if scaled else ''}{three_digits(value)}×"


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
    """Return the number of nodes and arcs, or an empty string where there are none or the graph is not here."""
    if comparison.size is None or not comparison.graph.location:
        return ""
    nodes, arcs = (f"{count:,}" for count in comparison.size)
    return f"{nodes} nodes, {arcs} arcs"


def search(cell: Cell) -> str:
    """Return which search a row is of, and which part of it was run unless it is the whole."""
    return f"{cell.label} ({cell.part})" if cell.part else cell.label


def versus(row: RatioRow) -> str:
    """Return the two searches that are compared, the faster one first."""
    return f"{row.fast} over {row.slow}"


def theirs_on(hardware: Hardware) -> str:
    """Return what a published figure was measured on."""
    return f"the authors' {hardware}"


def about_times(table: Table) -> list[str]:
    """Return lines that say what is timed here, what the authors timed, and what else is to be known."""
    lines = [f"Timed here: {table.ours}."] if table.ours else []
    lines += [f"Timed by the authors: {table.theirs}."] if table.theirs else []
    return lines + ([table.note] if table.note else [])


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
        for contender, ms in one.only_published:
            own = {"search": contender.label, "paper_ms": ms, "paper_device": contender.on.value}
            yield shared | {"kind": "published"} | own
        for rival in one.rivals:
            own = {"search": rival.label, "paper_ms": rival.ms, "paper_device": rival.on.value}
            yield shared | {"kind": "published"} | own | {"paper_hardware": rival.measured}
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
    time = cell.time_ms
    return {
        "kind": "time",
        "search": cell.label,
        "algorithm": cell.algorithm,
        "options": "; ".join(f"{key}={value}" for key, value in cell.options.items()),
        "device": cell.device,
        "device_name": cell.device_name,
        "median_ms": time["median"],
        "min_ms": time["min"],
        "max_ms": time["max"],
        "runs": time["runs"],
        "part": cell.part,
        "scale": cell.scale,
        "paper_ms": cell.paper_ms,
    }


def markdown(comparisons: Sequence[Comparison]) -> str:
    """Return the tables, with what is timed and what was left out under each, and the machine at the end."""
    parts = ["# Papers' tables, run again"]
    for letter, of_paper in groupby(comparisons, lambda one: one.paper.letter):
        in_paper = list(of_paper)
        paper = in_paper[0].paper
        parts += [f"## {letter}: {paper.title}", f"{source(paper)}."]
        for _, of_table in groupby(in_paper, lambda one: one.table.title):
            parts += _of_table(list(of_table))
    return markdown_page([*parts, *machine_lines([one.machine for one in comparisons if one.machine])])


def _of_table(shown: list[Comparison]) -> Iterator[str]:
    """Yield what is said of one of the paper's tables: times, ratios, and what else is to be known."""
    table = shown[0].table
    yield f"### {table.title}"
    measured = [one for one in shown if one.cells or one.only_published]
    graphs = [one.graph.name for one in measured]
    if measured:
        times = [row for contender in table.contenders for row in _times(contender.label, contender.on, measured)]
        for one in measured:
            for rival in one.rivals:
                values = (duration(rival.ms) if other is one else "" for other in measured)
                times.append((rival.label, rival.measured, *values))
        yield markdown_table(("time", "on", *graphs), times, len(graphs))
    if ratios := list(_ratios(measured)):
        yield markdown_table(("times as fast", "on", *graphs), ratios, len(graphs))
    yield from (*about_times(table), *_missing(shown))


def _times(label: str, hardware: Hardware, measured: list[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one search: here, on each device, and the authors'."""
    ids = dict.fromkeys(cell.device for one in measured for cell in one.cells if cell.label == label)
    for device_id in ids:
        found = [next((c for c in one.cells if (c.label, c.device) == (label, device_id)), None) for one in measured]
        names = dict.fromkeys(cell.device_name for cell in found if cell is not None)
        yield f"**{label}**", ", ".join(names), *("—" if cell is None else median(cell) for cell in found)
    published = [one.table.published_ms(one.graph, one.table.contender(label), hardware) for one in measured]
    if any(ms is not None for ms in published):
        beside = any(hardware_of(device_id) is hardware for device_id in ids)
        yield "" if beside else label, theirs_on(hardware), *map(duration, published)


def _ratios(measured: list[Comparison]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of ratios, and below each the authors' where there are any."""
    for rivals, where in dict.fromkeys((versus(row), devices(row)) for one in measured for row in one.ratios):
        rows = [next((r for r in one.ratios if (versus(r), devices(r)) == (rivals, where)), None) for one in measured]
        yield f"**{rivals}**", where, *("—" if row is None else ratio(row.ours, scaled=row.scaled) for row in rows)
        if any(row is not None and row.paper is not None for row in rows):
            yield "", "the authors", *("—" if row is None else published(row.paper) for row in rows)


def _missing(shown: list[Comparison]) -> Iterator[str]:
    """Yield what was run in part, what was wrong, and what was left out, a line for each reason with its graphs."""
    yield from _parts(shown)
    yield from (f"{one.disagreement}." for one in shown if one.disagreement)
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in shown:
        for missing in one.skipped:
            reasons.setdefault((missing.why, one.graph.name), []).append(missing.label)
    graphs: dict[tuple[str, str], list[str]] = {}
    for (why, graph), labels in reasons.items():
        graphs.setdefault((why, ", ".join(filter(None, labels))), []).append(graph)
    for (why, searches), names in graphs.items():
        without = f"without {searches}" if searches else "left out"
        yield f"{', '.join(names)}, {without}: {why}."


def _parts(shown: list[Comparison]) -> Iterator[str]:
    """Yield a line for each search that was run in part: which part of it on which graphs."""
    parts: dict[str, dict[str, list[str]]] = {}
    for one in shown:
        for cell in one.cells:
            if cell.part:
                parts.setdefault(cell.label, {}).setdefault(cell.part, []).append(one.graph.name)
    for label, graphs in parts.items():
        which = (f"{part} on {' · '.join(names)}" for part, names in graphs.items())
        yield f"≈ {label}: {'; '.join(which)}."
