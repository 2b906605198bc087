"""Format benchmarks of trees: rows for tables, for the chart, for CSV, and Markdown. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wayfront.benchmarks.tree_times import Stage, Times, TreeBenchmark
from wayfront_gui.features.papers import tables as paper_formatting
from wayfront_gui.features.timing.tables import machine_lines, markdown_page, markdown_table

COLUMNS = ("stage", "program", "on", "median", "fastest", "slowest", "runs", "of bytes", "of additions")
FIGURES = COLUMNS[3:]

CSV_COLUMNS = (
    "network", "nodes", "arcs", "metric", "stage", "program", "device", "device_name", "detail", "part", "scale",
    "median_ms", "min_ms", "max_ms", "runs", "bytes", "additions", "bytes_share", "additions_share",
)  # fmt: skip

CHARTED = (Stage.TREE, Stage.IN_A_ROW, Stage.BATCH, Stage.FROM_SCRATCH)
"""Stages whose times are those of one tree."""


def title(benchmark: TreeBenchmark) -> str:
    """Return what was measured, in a line."""
    network, cut = benchmark.network, benchmark.cut
    size = f"{network['name']} by {network['metric']}: {network['nodes']:,} nodes, {network['arcs']:,} arcs"
    if not cut:
        return size
    cells = "one cell" if cut["cells"] == 1 else f"{cut['cells']:,} cells"
    levels = "one level" if cut["levels"] == 1 else f"{cut['levels']} levels"
    return f"{size}; {cells} in {levels}, largest front {cut['largest_front']:,}"


def rows(benchmark: TreeBenchmark) -> Iterator[tuple[str, ...]]:
    """Yield a row of texts for each stage and program, with the columns of ``COLUMNS``."""
    for one in benchmark.times:
        spread = (paper_formatting.duration(ms * one.scale) for ms in (min(one.runs_ms), max(one.runs_ms)))
        yield (
            stage(one),
            one.program,
            paper_formatting.device(one.device),
            paper_formatting.duration(one.median_ms, scaled=one.scale != 1),
            *spread,
            str(len(one.runs_ms)),
            *(("", "") if one.shares is None else (f"{100 * share:.0f} %" for share in one.shares)),
        )


def stage(one: Times) -> str:
    """Return a stage, how it was run, and which part of it."""
    more = ", ".join(filter(None, (one.detail, one.part)))
    return f"{one.stage.value} ({more})" if more else one.stage.value


def left_out(benchmark: TreeBenchmark) -> list[str]:
    """Return a line for each program that was left out, with the reason."""
    return [f"{benchmark.network['name']}, without {program}: {why}" for program, why in benchmark.left_out]


def chart_rows(benchmarks: Sequence[TreeBenchmark]) -> list[dict[str, Any]]:
    """Return the times of a tree as rows of the timing chart, networks one after the other, fastest first."""
    return [
        {
            "algorithm": one.program if one.stage is Stage.TREE else f"{one.program}, {one.stage.value}",
            "options": {},
            "device": one.device,
            "device_name": one.device_name,
            "network": dict(benchmark.network),
            "source_count": benchmark.sources,
            "machine": dict(benchmark.machine),
            "time_ms": one.time_ms,
        }
        for benchmark in benchmarks
        for one in sorted(benchmark.times, key=lambda one: one.median_ms)
        if one.stage in CHARTED
    ]


def csv_rows(benchmarks: Sequence[TreeBenchmark]) -> Iterator[dict[str, Any]]:
    """Yield a row for each stage and program, with the columns of ``CSV_COLUMNS``."""
    for benchmark in benchmarks:
        network = benchmark.network
        for one in benchmark.times:
            record = one.record()
            time = record.pop("time_ms")
            flat = {"network": network["name"]} | {key: network[key] for key in ("nodes", "arcs", "metric")}
            flat |= {f"{key}_ms": time[key] for key in ("median", "min", "max")} | {"runs": time["runs"]}
            yield flat | {key: record[key] for key in CSV_COLUMNS if key in record}


def markdown(benchmarks: Sequence[TreeBenchmark]) -> str:
    """Return the tables as Markdown, with what was left out, and the machine at the end."""
    parts = ["# Trees by nested dissection, beside other searches"]
    for benchmark in benchmarks:
        parts += [f"## {title(benchmark)}\n\n{markdown_table(COLUMNS, rows(benchmark), len(FIGURES))}"]
        parts += [f"{line}." for line in left_out(benchmark)]
    return markdown_page([*parts, *machine_lines([benchmark.machine for benchmark in benchmarks])])
