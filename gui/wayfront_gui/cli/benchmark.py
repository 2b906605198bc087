"""``wayfront benchmark search``, ``trees``, ``matrix`` and ``flows``: ours beside other programs, in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from threading import Event
from typing import TYPE_CHECKING, Any

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.safe.options import AUTO
from wayfront_gui.cli import arguments, console, searching
from wayfront_gui.cli.arguments import argument, option
from wayfront_gui.cli.completion import complete_network
from wayfront_gui.cli.flows import TIES
from wayfront_gui.cli.growth import tell_growth
from wayfront_gui.cli.isochrones import in_metric, read_limit
from wayfront_gui.cli.outputs import CHARTS, USUAL_SUFFIX, OutputArguments, Outputs, qt_for, refuse_looks
from wayfront_gui.cli.variants import TimedArguments, Turns

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.benchmarks.growth_record import Growth
    from wayfront.benchmarks.part_times import PartBenchmark
    from wayfront.benchmarks.tree_times import TreeBenchmark
    from wayfront.network.road_network import RoadNetwork

# --------------------------------------------------------------------------------------- what is said of measured times


def network_record(network: RoadNetwork) -> dict[str, Any]:
    """Return a network's name and size."""
    return {"name": network.name, "nodes": network.node_count, "arcs": network.arc_count}


def machine_line(record: dict[str, Any]) -> str:
    """Return the processor, the system and the date of a record that has the machine's facts."""
    machine = record["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {machine['date']}"


# --------------------------------------------------------------------------------------------------------------- search

SCIPY = "scipy dijkstra"
LONGEST_BOOST_S = 10.0
"""Seconds of one run of a search of Boost's, after which it is left out."""


@dataclass(frozen=True, slots=True)
class BenchmarkArguments(TimedArguments):
    """Which searches take turns with SciPy's: the fastest of each device, or those that are named."""

    algorithms: str = arguments.algorithms_option(
        AUTO, "Names as in 'wayfront list'; auto is the fastest of each device."
    )
    target: None = None

    def names(self) -> list[str]:
        """Return the algorithms that are named. Raises ``OptionError`` for options without a name."""
        names = arguments.parse_list(self.algorithms)
        if self.option and AUTO in names:
            raise OptionError("--option is for algorithms that are named: name them with --algorithms")
        return names


def benchmark_search(
    network: str = arguments.NETWORK,
    *,
    timed: BenchmarkArguments,
    opening: OpeningOptions,
    json: bool = arguments.JSON,
) -> None:
    """Time searches and SciPy's Dijkstra in turns, and Boost's searches.

    All search the same weights (A B A B); the ratio to SciPy is printed. Boost's run where a C++ compiler and its
    headers are found, in a process of their own.
    """
    turns = timed.checked()
    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        node = searching.choose_source(opened, turns.source)
        candidates = _candidates(opened, node, turns, cancel)
        times = _in_turns(candidates, turns.runs, cancel)
        times |= _boost_times(opened, node, turns, cancel)
    record = _search_record(opened, node, turns.metric, times)
    console.print_found(json, record, _search_table)


def _candidates(network: RoadNetwork, node: int, turns: Turns, cancel: Event) -> dict[str, Callable[[], float]]:
    """Return what takes turns: each warmed up, and found to agree with SciPy."""
    import numpy as np

    from wayfront.benchmarks.other_programs import scipy_dijkstra
    from wayfront.timing.harness import stopwatch

    try:
        scipy = scipy_dijkstra(network, network.metric(turns.metric))
    except ImportError:
        raise NetworkError("SciPy is not installed; it comes with wayfront[interop]") from None
    distances = scipy.distances(scipy.search(node))
    candidates = {SCIPY: lambda: stopwatch(lambda: scipy.search(node))}
    for one in turns.variants():
        how: dict[str, Any] = {"metric": turns.metric, "options": one.options or None, "threads": turns.threads}
        found = searching.run_search(network, node, one.algorithm, one.device, cancel, **how)
        if not np.array_equal(found.distances, distances):
            raise CertificateError(f"{found.algorithm} on {one.device} and SciPy do not agree on the distances")
        label = replace(one, algorithm=found.algorithm, device=found.device_name).label
        candidates[label] = searching.clean_run(network, node, found.algorithm, one.device, cancel, **how)
    return candidates


def _boost_times(network: RoadNetwork, node: int, turns: Turns, cancel: Event) -> dict[str, tuple[float, ...]]:
    """Return the times of Boost's searches, saying in a line why there are none, or why one is left out.

    Raises ``CertificateError`` if one finds other distances than ours.
    """
    import numpy as np

    from wayfront import search
    from wayfront.devices import CPU
    from wayfront.papers import boost
    from wayfront.papers.table_run import Deadline

    missing = boost.why_not()
    if missing:
        console.print_message(missing)
        return {}
    proven = search(network, node, "dijkstra", CPU, metric=turns.metric, verify=True)
    times = {}
    with console.progress_bar() as show:
        for name in boost.SEARCHES:
            show(f"Boost, {name}", -1.0)
            limit = Deadline(LONGEST_BOOST_S, cancel, endless=False, more="")
            limit.begin()
            theirs = boost.BoostSearch(name, network, node, network.metric(turns.metric))
            try:
                _, distances = theirs.run(1, limit.check)
            except SearchCancelled as stopped:
                if cancel.is_set():
                    raise
                console.print_message(f"{name} is left out: {stopped}")
                continue
            if not np.array_equal(distances, proven.distances):
                raise CertificateError(f"{name} does not find our distances")
            measured, _ = theirs.run(turns.runs, Deadline(0.0, cancel, endless=True).check)
            times[f"{name.replace(':', ' ')}, one thread"] = measured
    return times


def _in_turns(candidates: dict[str, Callable[[], float]], runs: int, cancel: Event) -> dict[str, tuple[float, ...]]:
    from wayfront.timing.harness import interleave

    with console.progress_bar() as show:
        return interleave(candidates, runs, cancel=cancel, progress=show)


def _search_record(
    network: RoadNetwork, node: int, metric: str | None, times: dict[str, tuple[float, ...]]
) -> dict[str, Any]:
    from wayfront.timing.harness import machine_facts, time_figures

    figures = {name: time_figures(measured) for name, measured in times.items()}
    rows = [
        {"search": name, **figure, "ratio": figure["median"] / figures[SCIPY]["median"]}
        for name, figure in figures.items()
    ]
    return {
        "network": network_record(network) | {"metric": network.metric(metric).name},
        "source": int(network.node_ids[node]),
        "rows": rows,
        "machine": machine_facts(),
    }


def _search_table(record: dict[str, Any]) -> Table:
    from wayfront_gui.features.timing.tables import three_digits

    network = record["network"]
    title = f"{network['name']} by {network['metric']} from node {record['source']}, in turns"
    figures = ("median ms", "min", "max", "runs", "ratio to SciPy")
    rows = (
        (
            row["search"],
            *(three_digits(row[key]) for key in ("median", "min", "max")),
            str(row["runs"]),
            f"{row['ratio']:.3f}",
        )
        for row in record["rows"]
    )
    return console.make_table(title, ("search", *figures), rows, figures=figures, caption=machine_line(record))


# ---------------------------------------------------------------------------------------------------------------- trees

MEASURING = ("networks", "devices", "threads", "metric", "sources", "batch", "seconds", "alone", "published", "cut")
"""What has no effect where nothing is measured."""


@dataclass(frozen=True, slots=True)
class TreeArguments:
    """What is measured: on which devices, from how many sources, for how long."""

    devices: str = arguments.DEVICES
    threads: int = arguments.THREADS
    metric: str | None = arguments.METRIC
    sources: int = option(32, "Random sources.", min=1, metavar="N")
    batch: int = option(1024, "Trees of a batch.", min=1, metavar="N")
    seconds: float = option(60.0, "What one program or stage may take.", min=0.001, metavar="S")
    alone: bool = option(False, "Time dissection without other searches.")
    published: bool = option(False, "Time what CliqueTrees.jl publishes, beside its figures: blocks of 256, a tree.")
    cut: list[str] | None = option(None, "The first network's cut, made before; then the second's.", metavar="FILE")


def benchmark_trees(
    context: typer.Context,
    networks: list[str] | None = argument(
        None,
        "Network files; dimacs:NAME or place:NAME, once downloaded; or synthetic:KIND.",
        "NETWORK…",
        complete_network,
    ),
    *,
    asked: TreeArguments,
    measured: list[str] | None = option(
        None, "Measure nothing: show what was written before.", "--from", metavar="FILE.json"
    ),
    output: OutputArguments,
    theme: str = arguments.THEME,
    scale: float = arguments.SCALE,
    json: bool = arguments.JSON,
) -> None:
    """Time trees by nested dissection beside other searches.

    Cut, customise, one tree, many, all pairs, on each device; beside Dijkstra, near-far, SciPy, networkx, igraph and
    NetworKit where they are installed. All take turns from the same random sources, and every distance is checked.
    With --published: customising, one tree on one thread and on all, and blocks, beside what others published of them.
    """
    files = output.checked(json=json)
    refuse_looks(context, files)
    show = (lambda _benchmark: None) if json or files.on_stdout else _show
    if measured:
        arguments.refuse_given(context, MEASURING, "with --from nothing is measured")
        from wayfront.benchmarks.tree_times import read_benchmarks

        done = [one for path in measured for one in read_benchmarks(path)]
        for benchmark in done:
            show(benchmark)
    else:
        done = _measure(networks or [], asked, show)
    if json:
        console.print_json(_trees_record(done))
    files.write(lambda path: _write(done, path, theme, scale))


def _measure(
    networks: Sequence[str], asked: TreeArguments, show: Callable[[TreeBenchmark], None]
) -> list[TreeBenchmark]:
    """Measure every network and show it when it is done. Raises ``OptionError`` without one."""
    cuts = asked.cut or []
    if not networks:
        raise OptionError("name a network, or several, or results with --from FILE.json")
    if len(cuts) > len(networks):
        raise OptionError(f"there are {len(cuts)} cuts for {len(networks)} networks; give each network's in its place")
    chosen = searching.choose_devices(asked.devices)
    searching.check_threads(asked.threads, chosen)
    from wayfront.benchmarks.trees import Request, benchmark_trees, take_cut

    done = []
    with console.cancel_on_interrupt() as cancel:
        for name, cut in zip_longest(networks, cuts):
            opened = searching.open_network(name, cancel, OpeningOptions())
            if cut is not None:
                take_cut(opened, cut)
            with console.progress_bar() as progress:
                request = Request(
                    *(tuple(chosen), asked.threads, asked.sources, asked.batch, asked.seconds),
                    *(not asked.alone, asked.metric, lambda text: progress(text, -1.0), asked.published),
                )
                done.append(benchmark_trees(opened, request, cancel))
            show(done[-1])
    return done


def _show(benchmark: TreeBenchmark) -> None:
    console.print_tables(_table(benchmark))
    from wayfront_gui.features.papers import trees as tree_formatting

    for line in tree_formatting.left_out(benchmark):
        console.print_message(line)


def _table(benchmark: TreeBenchmark) -> Table:
    from wayfront_gui.features.papers import trees as words
    from wayfront_gui.features.timing.tables import machine_lines

    caption = " · ".join(filter(None, machine_lines([benchmark.machine])))
    return console.make_table(
        words.title(benchmark),
        words.COLUMNS,
        words.rows(benchmark),
        figures=words.FIGURES,
        emphasised="program",
        caption=caption,
    )


def _trees_record(done: Sequence[TreeBenchmark]) -> dict[str, object]:
    return {"benchmarks": [one.record() for one in done]}


def _write(done: Sequence[TreeBenchmark], path: str, theme: str, scale: float) -> None:
    """Write what was measured as a chart, CSV, JSON or Markdown, by the suffix of the path."""
    from wayfront_gui.features.papers import trees as words
    from wayfront_gui.features.timing.export import Figures, timing_page

    figures = Figures(
        "wayfront: times of searches",
        words.CSV_COLUMNS,
        lambda: words.csv_rows(done),
        lambda: _trees_record(done),
        lambda: words.markdown(done),
        lambda: timing_page(words.chart_rows(done)),
    )
    with qt_for(path):
        figures.write(path, theme, scale)


# ------------------------------------------------------------------------------------------------ matrices and flows

PART_COLUMNS = ("question", "program", "median", "fastest", "slowest", "runs", "times as long")
PART_TEXTS = (".csv", ".json", ".md")


def benchmark_matrix(
    network: str = arguments.NETWORK,
    *,
    sizes: str = option("100,1000,10000", "Numbers of random origins, and as many destinations.", metavar="N,N,…"),
    device: str = arguments.DEVICE,
    threads: int = arguments.THREADS,
    metric: str | None = arguments.METRIC,
    seconds: float = option(20.0, "What one program may take for one size.", min=0.001, metavar="S"),
    alone: bool = option(False, "Time wayfront without other programs."),
    output: list[str] | None = arguments.output_option("A table (.csv, .json, .md)"),
    form: str | None = arguments.format_option(PART_TEXTS, USUAL_SUFFIX),
    opening: OpeningOptions,
    json: bool = arguments.JSON,
) -> None:
    """Time matrices between random nodes beside other programs.

    SciPy, networkx, igraph, NetworKit and pandana, where they are installed, take turns with wayfront; cutting and
    customising are done before. A slow program finds some rows, and its time is scaled up. Every row is compared.
    """
    files = Outputs.checked(output, PART_TEXTS, form, json=json)
    try:
        wanted = tuple(int(word) for word in arguments.parse_list(sizes))
    except ValueError:
        wanted = ()
    if not wanted or min(wanted) < 1:
        raise OptionError(f"--sizes takes whole numbers of 1 or more with commas, not {sizes!r}")
    chosen = searching.choose_device(device)
    searching.check_threads(threads, [chosen])
    from wayfront.benchmarks.matrices import benchmark_matrices

    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        with console.progress_bar() as progress:
            found = benchmark_matrices(
                *(opened, wanted), metric=metric, device=chosen, threads=threads, seconds=seconds, others=not alone,
                progress=lambda text: progress(text, -1.0), cancel=cancel,
            )  # fmt: skip
    _tell(found, files, json)


def benchmark_flows(
    context: typer.Context,
    network: str = arguments.NETWORK,
    *,
    ties: str = option(
        "one,all", "Rules of equally long paths: one carries all of a pair, or all the same.", metavar="one,all"
    ),
    radius: str | None = option(
        None, "Nothing counts between nodes farther apart, such as 2km, 800m or 10min.", metavar="DISTANCE"
    ),
    threads: int = arguments.THREADS,
    metric: str | None = arguments.METRIC,
    seconds: float = option(30.0, "What one program may take for one rule.", min=0.001, metavar="S"),
    alone: bool = option(False, "Time wayfront without other programs."),
    growth: str | None = option(
        None, "Measure made networks of a kind, such as synthetic:city, each size twice the one before.", metavar="N-N"
    ),
    output: OutputArguments,
    theme: str = arguments.THEME,
    scale: float = arguments.SCALE,
    opening: OpeningOptions,
    json: bool = arguments.JSON,
) -> None:
    """Time what every road carries beside other programs.

    networkx, igraph, NetworKit and cityseer, where they are installed, take turns with wayfront; cutting is done
    before. A slow program begins at some sources, and its time is scaled up. What it finds is compared with ours.
    """
    files = output.checked(json=json)
    refuse_looks(context, files)
    rules = tuple(arguments.parse_list(ties))
    if not rules or not {*rules} <= {*TIES} or len({*rules}) < len(rules):
        raise OptionError(f"--ties takes one, all, or both with a comma, not {ties!r}")
    limits = [] if radius is None else [read_limit(radius, "--radius")]
    searching.check_threads(threads, ["cpu"])
    if growth is not None:
        arguments.refuse_given(
            context, ("radius", "metric"), "--growth is of all pairs, by each network's first metric"
        )
        tell_growth(
            _flows_growth(network, growth, rules, threads, seconds, alone=alone), files, theme, scale, json=json
        )
        return
    if files.any_of(CHARTS):
        raise OptionError("a chart shows how times grow, with --growth; what is measured of one network is a table")
    from wayfront.benchmarks.flows import benchmark_flows

    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        name, values = in_metric(opened, limits, metric, "--radius")
        with console.progress_bar() as progress:
            found = benchmark_flows(
                *(opened, rules), metric=name, radius=values[0] if values else None, threads=threads, seconds=seconds,
                others=not alone, progress=lambda text: progress(text, -1.0), cancel=cancel,
            )  # fmt: skip
    _tell(found, files, json)


def _flows_growth(
    kind: str, sizes: str, rules: tuple[str, ...], threads: int, seconds: float, *, alone: bool
) -> Growth:
    """Measure how times of flows grow with made networks. Raises ``OptionError``."""
    from wayfront.benchmarks.flows import flows_growth
    from wayfront.benchmarks.growth import check_kind
    from wayfront.benchmarks.growth_record import Growth, GrowthRequest, doubling
    from wayfront.network.conventions import SYNTHETIC

    first, dash, last = sizes.replace("_", "").partition("-")
    if not (dash and first.isdecimal() and last.isdecimal()):
        raise OptionError(f"--growth takes the fewest and the most nodes, such as 10000-1500000, not {sizes!r}")
    if not kind.startswith(SYNTHETIC):
        raise OptionError(f"--growth makes networks: name their kind, such as {SYNTHETIC}city, not {kind}")
    kind = kind.removeprefix(SYNTHETIC)
    check_kind(kind)
    request = GrowthRequest(
        *(kind, (), doubling(int(first), int(last))), threads=threads, networks=1, runs=1, seconds=seconds,
        subject="flows",
    )  # fmt: skip
    found = Growth(request)
    with console.cancel_on_interrupt() as cancel, console.progress_bar() as progress:
        for so_far in flows_growth(
            request, rules, others=not alone, progress=lambda text: progress(text, -1.0), cancel=cancel
        ):
            found = so_far
    return found


def _tell(found: PartBenchmark, files: Outputs, json: bool) -> None:
    """Print what was measured, and write it where that is asked for."""
    for program, why in found.left_out:
        console.print_message(f"without {program}: {why}")
    files.print(json, found.record, lambda: [_part_table(found)])
    files.write(lambda path: _write_parts(found, path))


def _part_rows(found: PartBenchmark) -> list[tuple[str, ...]]:
    from wayfront.benchmarks.other_programs import OURS
    from wayfront_gui.features.papers.tables import duration

    ours = {one.question: one.median_ms for one in found.times if one.program == OURS}
    return [
        (
            one.question,
            one.program if one.done == one.of else f"{one.program} ({one.done:,} of {one.of:,} {found.part}s)",
            *(
                duration(ms, scaled=one.done < one.of)
                for ms in (one.median_ms, min(one.runs_ms) * one.scale, max(one.runs_ms) * one.scale)
            ),
            str(len(one.runs_ms)),
            f"{one.median_ms / ours[one.question]:,.0f}" if one.program != OURS else "",
        )
        for one in found.times
    ]


def _part_title(found: PartBenchmark) -> str:
    facts = found.network
    return f"{facts['name']} by {facts['metric']}: {facts['nodes']:,} nodes, {facts['arcs']:,} arcs"


def _part_table(found: PartBenchmark) -> Table:
    return console.make_table(
        *(_part_title(found), PART_COLUMNS, _part_rows(found)), figures=PART_COLUMNS[2:], emphasised="program",
        caption=machine_line({"machine": found.machine}),
    )  # fmt: skip


def _write_parts(found: PartBenchmark, path: str) -> None:
    import json as json_module

    from wayfront.safe.files import write_text_whole
    from wayfront_gui.features.timing.export import write_rows
    from wayfront_gui.features.timing.tables import markdown_page, markdown_table

    record = found.record()
    if path.endswith(".md"):
        table = markdown_table(PART_COLUMNS, _part_rows(found), len(PART_COLUMNS) - 2)
        write_text_whole(path, markdown_page([f"## {_part_title(found)}", table, machine_line(record)]))
    elif path.endswith(".json"):
        write_text_whole(path, json_module.dumps(record, indent=2) + "\n")
    else:
        rows = [{**row, **row.pop("time_ms")} for row in record[found.subject]]
        write_rows(list(rows[0]), rows, path, line_end="\n")
