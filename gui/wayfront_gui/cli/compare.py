"""``wayfront compare``: algorithms and devices timed in one sitting, as a table, a chart or a file."""

from __future__ import annotations

import json as json_format
import math
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import CertificateError, OptionError, SearchCancelled
from wayfront.files import write_text_whole
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    CoordinatesOption,
    DeviceChoice,
    ForceOption,
    JsonOption,
    LargestPartOption,
    MetricOption,
    NetworkArgument,
    NetworkTypeOption,
    RunsOption,
    ScaleOption,
    SimplifyOption,
    SourceOption,
    Theme,
    ThemeOption,
    parse_list,
)
from wayfront_gui.cli.console import print_json, print_tables, say, stoppable
from wayfront_gui.cli.offscreen_drawing import start_qt

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork

WRITTEN = (".png", ".webp", ".jpg", ".csv", ".json")

LONGEST_UNASKED_S = 5.0
"""With no algorithm named, one whose run is forecast to take longer is left out."""

Row = dict[str, Any]


def compare(
    network: NetworkArgument,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", metavar="A,B,…", help="Names as in 'wayfront list'; else all.")
    ] = "all",
    device: Annotated[
        str, typer.Option("--device", "-d", metavar="A,B,…", help="Devices as in 'wayfront list'; else CPU and card.")
    ] = AUTO,
    source: SourceOption = None,
    metric: MetricOption = None,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    runs: RunsOption = 5,
    output: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FILE", help="Chart or table: .png, .csv, .json ….")
    ] = None,
    theme: ThemeOption = Theme.DARK,
    scale: ScaleOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Time algorithms on the devices of this machine in turns (A B A B), and show the fastest first."""
    if runs < 1:
        raise OptionError("a comparison needs at least one clean run")
    files = [_checked(path) for path in output or []]
    kinds = choose_devices(device)
    names = None if algorithms == "all" else parse_list(algorithms)
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        node = engine_calls.choose_source(opened, source)
        rows = time_all(opened, node, names, kinds, metric, runs, cancel)
    for path in files:
        write_rows(rows, path, theme.value, scale)
    if json:
        print_json({"rows": rows})
    else:
        print_tables(rows_table(rows))


def choose_devices(words: str) -> list[str]:
    """Return the kinds of device to time on: those named, or the CPU and the card where there is one."""
    names = parse_list(words)
    known = {choice.value for choice in DeviceChoice}
    for name in names:
        if name not in known:
            raise OptionError(f"there is no device {name!r}; there are: {', '.join(sorted(known))}")
    if "simulator" in names and len(names) > 1:
        raise OptionError("the simulator is timed alone: a process that simulates CUDA cannot use the card")
    if names == [AUTO]:
        return list(dict.fromkeys(("cpu", engine_calls.choose_device(DeviceChoice.AUTO))))
    return list(dict.fromkeys(engine_calls.choose_device(DeviceChoice(name)) for name in names))


def time_all(
    network: RoadNetwork,
    source: int,
    names: list[str] | None,
    kinds: list[str],
    metric: str | None,
    runs: int,
    cancel: Event,
) -> list[Row]:
    """Time every named algorithm (None: all but very slow ones) on each device it runs on; return rows, fastest first.

    They take turns, so that a machine that throttles or is shared slows them all alike. Raises ``CertificateError``
    if two of them do not find the same distances, ``OptionError`` if none can run.
    """
    from wayfront.timing.harness import interleave
    from wayfront.timing.runs import LONGEST_S

    found, turns = {}, {}
    for name, kind in _pairs(names, kinds):
        label, longest_s = f"{name} on {kind}", LONGEST_UNASKED_S if names is None else math.inf
        try:
            # The first search of each compiles what it needs, and shows whether they agree.
            found[label] = engine_calls.run_search(
                network, source, name, kind, cancel, metric=metric, runs=0, longest_s=longest_s
            )
        except SearchCancelled as too_long:
            if cancel.is_set():
                raise
            say(f"{too_long}; it is left out, and runs where it is asked for by name")
            continue
        turns[label] = engine_calls.clean_run(network, source, name, kind, cancel, metric=metric)
    if len({_distances(result.summary()) for result in found.values()}) > 1:
        raise CertificateError("the algorithms do not agree on the distances, so their times say nothing")
    times = interleave(turns, runs, cancel=cancel, longest_s=LONGEST_S * len(turns))
    timed = [replace(result, timing=replace(result.timing, runs_ms=times[label])) for label, result in found.items()]
    return sorted((result.summary() for result in timed), key=lambda row: row["time_ms"]["median"])


def _pairs(names: list[str] | None, kinds: list[str]) -> list[tuple[str, str]]:
    """Return which algorithm is timed on which kind of device, saying which one can run on none."""
    from wayfront.search.registry import SearchKind, algorithms, find_algorithm

    pairs = []
    for algorithm in algorithms(SearchKind.ONE_TREE) if names is None else [find_algorithm(name) for name in names]:
        usable = [kind for kind in kinds if kind in algorithm.devices]
        if not usable and names is not None:
            say(f"{algorithm.name} is left out: it runs on {', '.join(algorithm.devices)} only")
        pairs += [(algorithm.name, kind) for kind in usable]
    if not pairs:
        raise OptionError(f"none of these algorithms runs on {' or '.join(kinds)}")
    return pairs


def _distances(row: Row) -> tuple[int, int, int]:
    return row["reached"], row["sum_distance"], row["max_distance"]


def rows_table(rows: list[Row]) -> Table:
    """Return timed rows as a table for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    from wayfront_gui.model.timings import bars, three_digits, words

    said = words(rows)
    caption = "\n".join(line for line in (said.subtitle, *said.caption) if line)
    table = Table(
        title=escape(said.title), title_justify="left", title_style="bold", box=None, pad_edge=False,
        caption=escape(caption), caption_justify="left",
    )  # fmt: skip
    for column in ("algorithm", "on"):
        table.add_column(column, header_style="dim", no_wrap=True)
    for column in ("median ms", "min", "max", "× fastest"):
        table.add_column(column, header_style="dim", justify="right", no_wrap=True)
    shown = bars(rows)
    fastest = min(bar.median for bar in shown)
    for bar in shown:
        figures = [three_digits(ms) for ms in (bar.median, bar.low, bar.high)]
        name, *rest = (escape(text) for text in (bar.label, bar.detail))
        table.add_row(f"[bold]{name}[/]", *rest, *figures, f"{bar.median / fastest:.1f}" if fastest else "")
    return table


def write_rows(rows: list[Row], path: str, theme: str, scale: float) -> None:
    """Write rows as a chart, CSV or JSON, by the suffix of the path, and say so."""
    from wayfront_gui.charts.export import save_picture, timing_chart, timing_csv

    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        timing_csv(rows, path)
    elif suffix == ".json":
        write_text_whole(path, json_format.dumps({"rows": rows}, indent=2, ensure_ascii=False))
    else:
        application = start_qt()
        save_picture(timing_chart(rows, theme, scale=scale), path)
        application.processEvents()
    say(f"written to {path}")


def _checked(path: str) -> str:
    """Refuse a file that could not be written before minutes go into timing."""
    if Path(path).suffix.lower() not in WRITTEN:
        raise OptionError(f"{path}: a comparison is written as {', '.join(WRITTEN)}")
    if not Path(path).resolve().parent.is_dir():
        raise OptionError(f"{path}: there is no folder {Path(path).resolve().parent}")
    return path
