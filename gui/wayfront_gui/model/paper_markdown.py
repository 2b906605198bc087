"""Write papers' tables that were run again as Markdown, the graphs of a table side by side. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Hardware, hardware_of
from wayfront_gui.model import paper_formatting as words
from wayfront_gui.model.timings import machine_lines


def markdown(comparisons: Sequence[Comparison]) -> str:
    """Return the tables, with what is timed and what was left out under each, and the machine at the end."""
    parts = ["# Papers' tables, run again"]
    for letter, of_paper in groupby(comparisons, lambda one: one.paper.letter):
        in_paper = list(of_paper)
        paper = in_paper[0].paper
        parts.append(f"## {letter}: {paper.title}\n\n{words.source(paper)}.")
        for _, of_table in groupby(in_paper, lambda one: one.table.title):
            parts.append("\n".join(_table(list(of_table))))
    machine = machine_lines([one.machine for one in comparisons if one.machine])
    return "\n\n".join([*parts, *(line for line in machine if line)]) + "\n"


def _table(shown: list[Comparison]) -> Iterator[str]:
    """Yield the lines of one of the paper's tables."""
    table = shown[0].table
    yield f"### {table.title}\n"
    measured = [one for one in shown if one.cells or one.only_published]
    if measured:
        names = [cell_text(one.graph.name) for one in measured]
        yield f"| time | on | {' | '.join(names)} |"
        yield "| --- | --- |" + " ---: |" * len(measured)
        for contender in table.contenders:
            yield from _rows(contender.label, contender.on, measured)
        for one in measured:
            for rival in one.rivals:
                values = [words.duration(rival.ms) if other is one else "" for other in measured]
                yield f"| {cell_text(rival.label)} | {cell_text(rival.measured)} | {' | '.join(values)} |"
        yield ""
        yield from _ratios(measured)
    for line in words.about_times(table):
        yield f"{line}\n"
    yield from (f"{line}\n" for line in _missing(shown))


def _rows(label: str, hardware: Hardware, measured: list[Comparison]) -> Iterator[str]:
    """Yield the rows of one search: here, on each device, and the authors'."""
    ids = dict.fromkeys(cell.device for one in measured for cell in one.cells if cell.label == label)
    for device_id in ids:
        found = [next((c for c in one.cells if (c.label, c.device) == (label, device_id)), None) for one in measured]
        names = dict.fromkeys(cell.device_name for cell in found if cell is not None)
        values = [words.median(cell) if cell is not None else "—" for cell in found]
        yield f"| **{cell_text(label)}** | {cell_text(', '.join(names))} | {' | '.join(values)} |"
    published = [one.table.published_ms(one.graph, one.table.contender(label), hardware) for one in measured]
    if any(ms is not None for ms in published):
        beside = any(hardware_of(device_id) is hardware for device_id in ids)
        name = "" if beside else cell_text(label)
        yield f"| {name} | {words.theirs_on(hardware)} | {' | '.join(words.duration(ms) for ms in published)} |"


def _ratios(measured: list[Comparison]) -> Iterator[str]:
    """Yield a table of the ratios, where there are any."""
    keys = dict.fromkeys((words.versus(row), words.devices(row)) for one in measured for row in one.ratios)
    if not keys:
        return
    names = [cell_text(one.graph.name) for one in measured]
    yield f"| times as fast | on | {' | '.join(names)} |"
    yield "| --- | --- |" + " ---: |" * len(measured)
    for versus, devices in keys:
        rows = [
            next((r for r in one.ratios if (words.versus(r), words.devices(r)) == (versus, devices)), None)
            for one in measured
        ]
        values = [words.ratio(row.ours, scaled=row.scaled) if row is not None else "—" for row in rows]
        yield f"| **{cell_text(versus)}** | {devices} | {' | '.join(values)} |"
        if any(row is not None and row.paper is not None for row in rows):
            theirs = [words.published(row.paper) if row is not None else "—" for row in rows]
            yield f"| | the authors | {' | '.join(theirs)} |"
    yield ""


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


def cell_text(text: str) -> str:
    """Return a text that a cell of a table can hold."""
    return text.replace("|", "/").replace("\n", " ")
