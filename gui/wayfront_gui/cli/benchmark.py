"""``wayfront benchmark``: measure searches, steps, the map and opening on this machine."""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.formats.options import OpeningOptions
from wayfront.network.naming import SYNTHETIC
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    DeviceOption,
    DevicesOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    RunsOption,
    SourceOption,
    ThreadsOption,
    algorithms_option,
    expand_groups,
    parse_list,
    parse_size,
)
from wayfront_gui.cli.benchmark_trees import benchmark_trees
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    facts_table,
    make_table,
    print_json,
    print_message,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.offscreen_drawing import check_picture_size, network_with_map, start_qt

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork

benchmark = typer.Typer(
    name="benchmark", help="Measure searches, trees, steps, the map and opening.", no_args_is_help=True
)

benchmark.command("trees")(benchmark_trees)

SCIPY = "scipy dijkstra"
LONGEST_BOOST_S = 10.0
"""Seconds of one run of a search of Boost's, after which it is left out."""


@benchmark.command("search")
@expand_groups
def benchmark_search(
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str, algorithms_option("Names as in 'wayfront list'; auto is the fastest of each device.")
    ] = AUTO,
    devices: DevicesOption = AUTO,
    threads: ThreadsOption = 1,
    source: SourceOption = None,
    metric: MetricOption = None,
    runs: RunsOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Time searches and SciPy's Dijkstra in turns, and Boost's searches.

    All search the same weights (A B A B); the ratio to SciPy is printed. Boost's run where a C++ compiler and its
    headers are found, in a process of their own.
    """
    how_many, names = engine_calls.clean_runs(runs), parse_list(algorithms)
    chosen = engine_calls.choose_devices(devices)
    engine_calls.check_threads(threads, chosen)
    engine_calls.check_algorithms(names, chosen)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        candidates = _search_candidates(opened, node, metric, names, chosen, threads, cancel)
        times = _in_turns(candidates, how_many, cancel)
        times |= _boost_times(opened, node, metric, how_many, cancel)
    record = _search_record(opened, node, metric, times)
    if json:
        print_json(record)
    else:
        print_tables(_search_table(record))


@benchmark.command("canvas")
@expand_groups
def benchmark_canvas(
    network: NetworkArgument,
    *,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Width and height in pixels.")] = "1600x1000",
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Time the map and the window, with the goal beside each figure.

    The map: first picture, replay, scrub, pan, zoom, 4K, a race of four. The window: its longest frame after a click,
    while the source is dragged, on recolouring, on zooming; and its first picture after the program was started.
    """
    width, height = parse_size(size)
    check_picture_size(width, height)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        opened = network_with_map(opened, layout=True)
    from wayfront.timing.machine import machine_facts
    from wayfront_gui.map.benchmark import goals_ms, measure
    from wayfront_gui.window.frame_times import GOALS_MS, first_picture_ms, measure_window

    application = start_qt(widgets=True)
    figures = measure(opened, width, height)
    figures["first_picture_after_start"] = first_picture_ms(network)
    figures |= measure_window(network, width, height)
    application.processEvents()
    record = {
        "network": _network_record(opened),
        "size": [width, height],
        "figures_ms": figures,
        "goals_ms": goals_ms(opened.node_count) | GOALS_MS,
        "machine": machine_facts(),
    }
    if json:
        print_json(record)
    else:
        print_tables(_canvas_table(record))


def _canvas_table(record: dict[str, Any]) -> Table:
    width, height = record["size"]
    title = f"Canvas, {record['network']['name']} at {width}×{height}"
    table = make_table(title, ("", "ms", "goal"), figures=("ms", "goal"), caption=_machine(record))
    for name, value in record["figures_ms"].items():
        goal = record["goals_ms"].get(name)
        table.add_row(name.replace("_", " "), f"{value:,.2f}", "" if goal is None else f"≤ {goal:g}")
    return table


@benchmark.command("open")
@expand_groups
def benchmark_open(
    network: NetworkArgument,
    *,
    runs: RunsOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Time opening a network file, and again from the cache."""
    from wayfront import open_network
    from wayfront.timing.harness import interleave, stopwatch
    from wayfront.timing.machine import machine_facts

    how_many = engine_calls.clean_runs(runs)
    if network.startswith(SYNTHETIC):
        raise OptionError(f"{network} is made, not read from a file, so there is no opening to time")
    with cancel_on_interrupt() as cancel:

        def read(cache: bool) -> RoadNetwork:
            return open_network(network, opening, cache=cache, cancel=cancel)

        # The first reading compiles, the second fills the cache.
        opened = read(cache=False)
        read(cache=True)
        candidates = {
            "from the file": lambda: stopwatch(lambda: read(cache=False)),
            "from the cache": lambda: stopwatch(lambda: read(cache=True)),
        }
        with progress_bar() as show:
            times = interleave(candidates, how_many, cancel=cancel, progress=show)
        peak = _peak_memory(lambda: read(cache=False))
    record: dict[str, Any] = {
        "network": _network_record(opened),
        "times": {name: _spread(measured) for name, measured in times.items()},
        "array_bytes": opened.nbytes,
        "peak_bytes": peak,
        "machine": machine_facts(),
    }
    if json:
        print_json(record)
        return
    facts = {name: _spread_text(spread) for name, spread in record["times"].items()}
    facts["memory"] = f"{opened.nbytes / 2**20:,.1f} MiB of arrays, {peak / opened.nbytes:.1f} times that at the peak"
    print_tables(facts_table(f"Opening {opened.name}", facts | {"machine": _machine(record)}))


@benchmark.command("steps")
@expand_groups
def benchmark_steps(
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str | None,
        algorithms_option("Names as in 'wayfront list'; default: all that the device runs step by step."),
    ] = None,
    device: DeviceOption = AUTO,
    source: SourceOption = None,
    metric: MetricOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Measure what a step of a search costs.

    The costs are launching, reading back, Python, and the device's own work, in microseconds.
    """
    named = None if algorithms is None else parse_list(algorithms)
    chosen = engine_calls.choose_device(device)
    if named is not None:
        engine_calls.check_algorithms(named, [chosen])
    from dataclasses import asdict

    from wayfront.devices import open_device
    from wayfront.search.registry import SearchKind
    from wayfront.search.registry import algorithms as all_algorithms
    from wayfront.search.step_costs import measure_steps
    from wayfront.timing.machine import machine_facts

    with cancel_on_interrupt() as cancel, progress_bar() as show:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        able = [a.name for a in all_algorithms(SearchKind.ONE_TREE) if a.stepped]
        rows = []
        for name in able if named is None else named:
            show(name, -1.0)
            rows.append(asdict(measure_steps(opened, node, name, chosen, metric=metric)))
    machine = machine_facts() | open_device(chosen).describe()
    record = {"network": _network_record(opened), "device": chosen, "rows": rows, "machine": machine}
    if json:
        print_json(record)
    else:
        print_tables(_steps_table(record))


def _steps_table(record: dict[str, Any]) -> Table:
    title = f"A step on {record['network']['name']}, microseconds of the host and of the device"
    figures = ("steps", "launches", "reads", "wall", "launching", "reading back", "Python", "device")
    table = make_table(title, ("search", *figures), figures=figures, caption=_machine(record))
    for row in record["rows"]:
        times = (row[f"{cost}_us"] for cost in ("wall", "launch", "read", "python", "device"))
        calls = (f"{row['launches']:.2f}", f"{row['reads']:.2f}")
        table.add_row(row["algorithm"], f"{row['steps']:,}", *calls, *(f"{value:,.1f}" for value in times))
    return table


# ------------------------------------------------------------------------------------------------------- searches


def _search_candidates(
    network: RoadNetwork,
    node: int,
    metric: str | None,
    names: list[str],
    device_ids: list[str],
    threads: int,
    cancel: Event,
) -> dict[str, Callable[[], float]]:
    """Return what takes turns: each warmed up, and found to agree with SciPy."""
    from wayfront.devices import describe_device
    from wayfront.search.registry import find_algorithm

    scipy_search, scipy_distances = _scipy_search(network, node, metric)
    candidates = {SCIPY: scipy_search}
    for name in names:
        usable = [i for i in device_ids if name == AUTO or find_algorithm(name).runs_on(describe_device(i))]
        for device_id in usable:
            found = engine_calls.run_search(network, node, name, device_id, cancel, metric=metric, threads=threads)
            summary = found.summary()
            if (summary["reached"], summary["sum_distance"]) != scipy_distances:
                raise CertificateError(f"{found.algorithm} on {device_id} and SciPy do not agree on the distances")
            candidates[f"{found.algorithm} on {found.device_name}"] = engine_calls.clean_run(
                network, node, found.algorithm, device_id, cancel, metric=metric, threads=threads
            )
    if len(candidates) == 1:
        raise OptionError(f"none of these algorithms runs on {' or '.join(device_ids)}")
    return candidates


def _scipy_search(network: RoadNetwork, node: int, metric: str | None) -> tuple[Callable[[], float], tuple[int, int]]:
    """Return SciPy's search from the node, and how many nodes it reached at what sum of distances."""
    try:
        from scipy.sparse.csgraph import dijkstra
    except ImportError:
        raise NetworkError("SciPy is not installed; it comes with wayfront[interop]") from None
    import numpy as np

    from wayfront.timing.harness import stopwatch

    # In the form that SciPy works on, so that no conversion counts as search.
    matrix = network.to_scipy(metric).astype(np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)

    def search() -> Any:
        return dijkstra(matrix, directed=True, indices=node)

    distances = search()
    reached = distances[np.isfinite(distances)]
    return lambda: stopwatch(search), (len(reached), int(reached.sum()))


def _boost_times(
    network: RoadNetwork, node: int, metric: str | None, runs: int, cancel: Event
) -> dict[str, tuple[float, ...]]:
    """Return the times of Boost's searches, saying in a line why there are none, or why one is left out.

    Raises ``CertificateError`` if one finds other distances than ours.
    """
    import numpy as np

    from wayfront import search
    from wayfront.devices import CPU
    from wayfront.papers import boost
    from wayfront.papers.limits import Deadline

    missing = boost.why_not()
    if missing:
        print_message(missing)
        return {}
    proven = search(network, node, "dijkstra", CPU, metric=metric, runs=0, trace_budget=None, verify=True)
    expected = np.where(proven.distances == np.iinfo(proven.distances.dtype).max, boost.NO_PATH, proven.distances)
    times = {}
    with progress_bar() as show:
        for name in boost.SEARCHES:
            show(f"Boost, {name}", -1.0)
            limit = Deadline(LONGEST_BOOST_S, cancel, endless=False, more="")
            limit.begin()
            searching = boost.BoostSearch(name, network, node, network.metric(metric))
            try:
                _, distances = searching.run(1, limit.check)
            except SearchCancelled as stopped:
                if cancel.is_set():
                    raise
                print_message(f"{name} is left out: {stopped}")
                continue
            if not np.array_equal(distances, expected):
                raise CertificateError(f"{name} does not find our distances")
            measured, _ = searching.run(runs, Deadline(0.0, cancel, endless=True).check)
            times[f"{name.replace(':', ' ')}, one thread"] = measured
    return times


def _in_turns(candidates: dict[str, Callable[[], float]], runs: int, cancel: Event) -> dict[str, tuple[float, ...]]:
    from wayfront.timing.harness import interleave

    with progress_bar() as show:
        return interleave(candidates, runs, cancel=cancel, progress=show)


def _search_record(
    network: RoadNetwork, node: int, metric: str | None, times: dict[str, tuple[float, ...]]
) -> dict[str, Any]:
    from wayfront.timing.machine import machine_facts

    reference = statistics.median(times[SCIPY])
    rows = [
        {"search": name, **_spread(measured), "ratio": statistics.median(measured) / reference}
        for name, measured in times.items()
    ]
    return {
        "network": _network_record(network) | {"metric": network.metric(metric).name},
        "source": int(network.node_ids[node]),
        "rows": rows,
        "machine": machine_facts(),
    }


def _search_table(record: dict[str, Any]) -> Table:
    from wayfront_gui.model.timings import three_digits

    network = record["network"]
    title = f"{network['name']} by {network['metric']} from node {record['source']}, in turns"
    figures = ("median ms", "min", "max", "runs", "ratio to SciPy")
    table = make_table(title, ("search", *figures), figures=figures, caption=_machine(record))
    for row in record["rows"]:
        times = [three_digits(row[key]) for key in ("median", "min", "max")]
        table.add_row(row["search"], *times, str(row["runs"]), f"{row['ratio']:.3f}")
    return table


# --------------------------------------------------------------------------------------------------------- texts


def _spread(measured: tuple[float, ...]) -> dict[str, Any]:
    return {
        "median": statistics.median(measured),
        "min": min(measured),
        "max": max(measured),
        "runs": len(measured),
    }


def _spread_text(spread: dict[str, Any]) -> str:
    from wayfront_gui.model.formatting import milliseconds

    low, high = milliseconds(spread["min"]), milliseconds(spread["max"])
    return f"{milliseconds(spread['median'])}, median of {spread['runs']} runs ({low} – {high})"


def _network_record(network: RoadNetwork) -> dict[str, Any]:
    return {"name": network.name, "nodes": network.node_count, "arcs": network.arc_count}


def _machine(record: dict[str, Any]) -> str:
    machine = record["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {machine['date']}"


def _peak_memory(work: Callable[[], object]) -> int:
    """Return the most bytes that Python and NumPy held at once during some work, above what they held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
