"""``wayfront compare``: algorithms and devices timed in one sitting, as a table, a chart or a file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    DEFAULT_THEME,
    ChartsOption,
    DevicesOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    RunsOption,
    ScaleOption,
    SourceOption,
    ThemeOption,
    ThreadsOption,
    algorithms_option,
    expand_groups,
    parse_list,
    refuse_given,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.console import (
    bold,
    cancel_on_interrupt,
    make_table,
    print_json,
    print_message,
    print_tables,
    write_each,
)
from wayfront_gui.cli.offscreen_drawing import start_qt
from wayfront_gui.cli.paths import DRAWINGS, MARKDOWN, PICTURES, TABLES, check_outputs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result

LONGEST_UNASKED_S = 5.0
"""With no algorithm named, one whose run is forecast to take longer is left out."""

CHARTS, TEXTS = (*PICTURES, *DRAWINGS), (*TABLES, MARKDOWN)
FIGURES = ("median ms", "min", "max", "× fastest")

Row = dict[str, Any]


@expand_groups
def compare(
    context: typer.Context,
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str, algorithms_option("Names as in 'wayfront list'; default: all but very slow ones.")
    ] = "all",
    devices: DevicesOption = AUTO,
    threads: ThreadsOption = 1,
    source: SourceOption = None,
    metric: MetricOption = None,
    runs: RunsOption = None,
    closing: ClosingArguments,
    opening: OpeningOptions,
    output: ChartsOption = None,
    theme: ThemeOption = DEFAULT_THEME,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Time algorithms in turns and list the fastest first.

    All run in one sitting and take turns (A B A B), on every device that is asked for.
    """
    files = check_outputs(output, (*CHARTS, *TEXTS))
    if not any(path.lower().endswith(CHARTS) for path in files):
        refuse_given(context, ("theme", "scale"), "it is for pictures, and no --output is one")
    clean_runs = engine_calls.clean_runs(runs)
    closing.roads()
    names = None if algorithms == "all" else parse_list(algorithms)
    chosen = engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    if names is not None:
        engine_calls.check_algorithms(names, chosen)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        closures = closing.arcs(opened)
        results = time_results(
            opened, node, names, chosen, metric, clean_runs, cancel, threads=threads, closures=closures
        )
    rows = fastest_first(results)
    if json:
        print_json({"rows": rows})
    else:
        print_tables(rows_table(rows))
    write_each(files, lambda path: write_rows(rows, path, theme, scale))


def fastest_first(results: Iterable[Result]) -> list[Row]:
    """Return the rows of timed results, by their medians."""
    return sorted((result.summary() for result in results), key=lambda row: row["time_ms"]["median"])


def time_results(
    network: RoadNetwork,
    source: int,
    names: list[str] | None,
    device_ids: list[str],
    metric: str | None,
    runs: int,
    cancel: Event,
    *,
    threads: int = 1,
    closures: NDArray[np.int64] | None = None,
    trace_budget: int | None = None,
) -> list[Result]:
    """Time every named algorithm (None: all but very slow ones) on each device it runs on, in their order.

    They take turns, so that a machine that throttles or is shared slows them all alike; each is recorded before that
    where there is a ``trace_budget``. Raises ``CertificateError`` if two of them do not find the same distances,
    ``OptionError`` if none can run.
    """
    from wayfront.timing.harness import interleave
    from wayfront.timing.runs import LONGEST_S

    found, turns = {}, {}
    for name, device_id in _pairs(names, device_ids):
        label, longest_s = f"{name} on {device_id}", LONGEST_UNASKED_S if names is None else math.inf
        if names is None and _takes_long_to_prepare(name, network):
            continue
        try:
            # The first search of each compiles what it needs, and shows whether they agree.
            found[label] = engine_calls.run_search(
                network,
                source,
                name,
                device_id,
                cancel,
                metric=metric,
                threads=threads,
                runs=0,
                longest_s=longest_s,
                closures=closures,
                trace_budget=trace_budget,
            )
        except SearchCancelled as too_long:
            if cancel.is_set():
                raise
            print_message(f"{too_long}; it is left out, and runs where it is asked for by name")
            continue
        except NetworkError as refused:
            if names is not None:
                raise
            print_message(f"{name} is left out: {refused}")
            continue
        if threads > 1 and found[label].note:
            print_message(f"{label}: {found[label].note}")
        turns[label] = engine_calls.clean_run(
            network, source, name, device_id, cancel, metric=metric, threads=threads, closures=closures
        )
    if len({_distances(result.summary()) for result in found.values()}) > 1:
        raise CertificateError("the algorithms do not agree on the distances, so their times cannot be compared")
    times = interleave(turns, runs, cancel=cancel, longest_s=LONGEST_S * len(turns))
    return [replace(result, timing=replace(result.timing, runs_ms=times[label])) for label, result in found.items()]


def _takes_long_to_prepare(name: str, network: RoadNetwork) -> bool:
    """Return whether an algorithm that nobody named would prepare for long, saying so."""
    from wayfront.search.customised import seconds_to_cut
    from wayfront.search.registry import find_algorithm
    from wayfront_gui.model.formatting import about

    seconds = seconds_to_cut(network) if find_algorithm(name).prepare is not None else 0.0
    if seconds > LONGEST_UNASKED_S:
        print_message(
            f"{name} is left out: it would first cut the network for about {about(seconds)}; name it to run it"
        )
    return seconds > LONGEST_UNASKED_S


def _pairs(names: list[str] | None, device_ids: list[str]) -> list[tuple[str, str]]:
    """Return which algorithm is timed on which device, saying which one can run on none."""
    from wayfront.devices import describe_device, devices
    from wayfront.search.registry import SearchKind, algorithms, find_algorithm

    pairs = []
    for algorithm in algorithms(SearchKind.ONE_TREE) if names is None else [find_algorithm(name) for name in names]:
        usable = [device_id for device_id in device_ids if algorithm.runs_on(describe_device(device_id))]
        if not usable and names is not None:
            able = ", ".join(info.id for info in devices() if algorithm.runs_on(info))
            print_message(f"{algorithm.name} is left out: it runs on {able} only")
        pairs += [(algorithm.name, device_id) for device_id in usable]
    if not pairs:
        raise OptionError(f"none of these algorithms runs on {' or '.join(device_ids)}")
    return pairs


def _distances(row: Row) -> tuple[int, int, int]:
    return row["reached"], row["sum_distance"], row["max_distance"]


def rows_table(rows: list[Row]) -> Table:
    """Return timed rows as a table for the terminal."""
    from wayfront_gui.model.timings import bars, chart_texts, three_digits

    texts = chart_texts(rows)
    table = make_table(
        texts.title,
        ("algorithm", "on", *FIGURES),
        figures=FIGURES,
        caption="\n".join(line for line in (texts.subtitle, *texts.caption) if line),
    )
    shown = bars(rows)
    fastest = min(bar.median for bar in shown)
    for bar in shown:
        times = [three_digits(ms) for ms in (bar.median, bar.low, bar.high)]
        ratio = f"{bar.median / fastest:.1f}" if fastest else ""
        table.add_row(bold(bar.label), bar.detail, *times, ratio)
    return table


def write_rows(rows: list[Row], path: str, theme: str, scale: float) -> None:
    """Write rows as a chart or a table, by the suffix of the path."""
    from wayfront_gui.charts.export import write_timings

    application = None if path.lower().endswith(TEXTS) else start_qt()
    write_timings(rows, path, theme, scale)
    if application is not None:
        application.processEvents()
