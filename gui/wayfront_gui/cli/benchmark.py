"""``wayfront benchmark``: what the README claims about speed, measured on this machine by anyone."""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import CertificateError, NetworkError, OptionError
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
    SimplifyOption,
    SourceOption,
    parse_list,
    parse_size,
)
from wayfront_gui.cli.console import facts_table, print_json, print_tables, progress_bar, stoppable
from wayfront_gui.cli.offscreen_drawing import network_with_map, start_qt

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork

benchmark = typer.Typer(
    name="benchmark", help="Measure searches against SciPy, the canvas, and opening.", no_args_is_help=True
)

SCIPY = "scipy dijkstra"


@benchmark.command("search")
def benchmark_search(
    network: NetworkArgument,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", metavar="A,B,…", help="Else the fastest of each device.")
    ] = AUTO,
    device: DeviceChoice = DeviceChoice.AUTO,
    source: SourceOption = None,
    metric: MetricOption = None,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    runs: RunsOption = 7,
    json: JsonOption = False,
) -> None:
    """Time searches and SciPy's Dijkstra in turns (A B A B) on the same weights, and tell the ratio."""
    if runs < 1:
        raise OptionError("a benchmark needs at least one run")
    kinds = list(dict.fromkeys(("cpu", engine_calls.choose_device(device))))
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        node = engine_calls.choose_source(opened, source)
        candidates = _search_candidates(opened, node, metric, parse_list(algorithms), kinds, cancel)
        times = _in_turns(candidates, runs, cancel)
    record = _search_record(opened, node, metric, times)
    if json:
        print_json(record)
    else:
        print_tables(_search_table(record))


@benchmark.command("canvas")
def benchmark_canvas(
    network: NetworkArgument,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Pixels across and down.")] = "1600x1000",
    json: JsonOption = False,
) -> None:
    """Time the first picture, a pan and a frame of the replay, as the window draws them."""
    width, height = parse_size(size)
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        opened = network_with_map(opened, layout=True)
    from wayfront.timing.harness import sitting
    from wayfront_gui.map.benchmark import measure

    application = start_qt(widgets=True)
    figures = measure(opened, width, height)
    application.processEvents()
    record = {"network": _network_words(opened), "size": [width, height], "figures_ms": figures, "machine": sitting()}
    if json:
        print_json(record)
        return
    facts = {name.replace("_", " "): f"{value:,.2f} ms" for name, value in figures.items()}
    print_tables(facts_table(f"Canvas, {opened.name} at {width}×{height}", facts | {"machine": _machine(record)}))


@benchmark.command("open")
def benchmark_open(
    network: NetworkArgument,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    runs: RunsOption = 5,
    json: JsonOption = False,
) -> None:
    """Time reading a network from its own file, and opening it again from the cache."""
    from wayfront import open_network
    from wayfront.timing.harness import interleave, sitting, stopwatch

    if runs < 1:
        raise OptionError("a benchmark needs at least one run")
    osm = engine_calls.map_options(network_type, simplify, largest_part)
    with stoppable() as cancel:

        def read(cache: bool) -> RoadNetwork:
            return open_network(network, coordinates=coordinates, osm=osm, force=force, cache=cache, cancel=cancel)

        # The first reading compiles, the second fills the cache.
        opened = read(cache=False)
        read(cache=True)
        candidates = {
            "from the file": lambda: stopwatch(lambda: read(cache=False)),
            "from the cache": lambda: stopwatch(lambda: read(cache=True)),
        }
        with progress_bar() as show:
            times = interleave(candidates, runs, cancel=cancel, progress=show)
        peak = _peak_memory(lambda: read(cache=False))
    record: dict[str, Any] = {
        "network": _network_words(opened),
        "times": {name: _spread(measured) for name, measured in times.items()},
        "array_bytes": opened.nbytes,
        "peak_bytes": peak,
        "machine": sitting(),
    }
    if json:
        print_json(record)
        return
    facts = {name: _told(spread) for name, spread in record["times"].items()}
    facts["memory"] = f"{opened.nbytes / 2**20:,.1f} MiB of arrays, {peak / opened.nbytes:.1f} times that at the peak"
    print_tables(facts_table(f"Opening {opened.name}", facts | {"machine": _machine(record)}))


@benchmark.command("steps")
def benchmark_steps(
    network: NetworkArgument,
    algorithms: Annotated[
        str, typer.Option("--algorithms", "-a", metavar="A,B,…", help="Else all that the device can run step by step.")
    ] = "",
    device: DeviceChoice = DeviceChoice.AUTO,
    source: SourceOption = None,
    metric: MetricOption = None,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Tell what each step of a search costs: launching, reading back, Python, and the device's own work."""
    kind = engine_calls.choose_device(device)
    from dataclasses import asdict

    from wayfront.devices import open_device
    from wayfront.search.registry import SearchKind
    from wayfront.search.registry import algorithms as all_algorithms
    from wayfront.search.step_costs import measure_steps
    from wayfront.timing.harness import sitting

    with stoppable() as cancel, progress_bar() as show:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        node = engine_calls.choose_source(opened, source)
        able = [a.name for a in all_algorithms(SearchKind.ONE_TREE) if kind in a.devices and a.stepped]
        rows = []
        for name in parse_list(algorithms) if algorithms else able:
            show(name, -1.0)
            rows.append(asdict(measure_steps(opened, node, name, kind, metric=metric)))
    machine = sitting() | open_device(kind).describe()
    record = {"network": _network_words(opened), "device": kind, "rows": rows, "machine": machine}
    if json:
        print_json(record)
    else:
        print_tables(_steps_table(record))


def _steps_table(record: dict[str, Any]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    title = f"A step on {record['network']['name']}, microseconds of the host and of the device"
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("search", header_style="dim", no_wrap=True)
    for column in ("steps", "launches", "reads", "wall", "launching", "reading back", "Python", "device"):
        table.add_column(column, header_style="dim", justify="right", no_wrap=True)
    for row in record["rows"]:
        times = (row[f"{part}_us"] for part in ("wall", "launch", "read", "python", "device"))
        calls = (f"{row['launches']:.2f}", f"{row['reads']:.2f}")
        table.add_row(row["algorithm"], f"{row['steps']:,}", *calls, *(f"{value:,.1f}" for value in times))
    table.caption, table.caption_justify = escape(_machine(record)), "left"
    return table


# ------------------------------------------------------------------------------------------------------- searches


def _search_candidates(
    network: RoadNetwork, node: int, metric: str | None, names: list[str], kinds: list[str], cancel: Event
) -> dict[str, Callable[[], float]]:
    """Return what takes turns: each warmed up, and found to agree with SciPy."""
    from wayfront.search.registry import find_algorithm

    scipy_search, scipy_distances = _scipy_search(network, node, metric)
    candidates = {SCIPY: scipy_search}
    for name in names:
        usable = kinds if name == AUTO else [kind for kind in kinds if kind in find_algorithm(name).devices]
        for kind in usable:
            found = engine_calls.run_search(network, node, name, kind, cancel, metric=metric, runs=0)
            summary = found.summary()
            if (summary["reached"], summary["sum_distance"]) != scipy_distances:
                raise CertificateError(f"{found.algorithm} on {kind} and SciPy do not agree on the distances")
            candidates[f"{found.algorithm} on {found.device_name}"] = engine_calls.clean_run(
                network, node, found.algorithm, kind, cancel, metric=metric
            )
    if len(candidates) == 1:
        raise OptionError(f"none of these algorithms runs on {' or '.join(kinds)}")
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


def _in_turns(candidates: dict[str, Callable[[], float]], runs: int, cancel: Event) -> dict[str, tuple[float, ...]]:
    from wayfront.timing.harness import interleave

    with progress_bar() as show:
        return interleave(candidates, runs, cancel=cancel, progress=show)


def _search_record(
    network: RoadNetwork, node: int, metric: str | None, times: dict[str, tuple[float, ...]]
) -> dict[str, Any]:
    from wayfront.timing.harness import sitting

    reference = statistics.median(times[SCIPY])
    rows = [
        {"search": name, **_spread(measured), "ratio": statistics.median(measured) / reference}
        for name, measured in times.items()
    ]
    return {
        "network": _network_words(network) | {"metric": network.metric(metric).name},
        "source": int(network.node_ids[node]),
        "rows": rows,
        "machine": sitting(),
    }


def _search_table(record: dict[str, Any]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    from wayfront_gui.model.timings import three_digits

    network = record["network"]
    title = f"{network['name']} by {network['metric']} from node {record['source']}, in turns"
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("search", header_style="dim", no_wrap=True)
    for column in ("median ms", "min", "max", "runs", "ratio to SciPy"):
        table.add_column(column, header_style="dim", justify="right", no_wrap=True)
    for row in record["rows"]:
        figures = [three_digits(row[key]) for key in ("median", "min", "max")]
        table.add_row(escape(row["search"]), *figures, str(row["runs"]), f"{row['ratio']:.3f}")
    table.caption, table.caption_justify = escape(_machine(record)), "left"
    return table


# --------------------------------------------------------------------------------------------------------- words


def _spread(measured: tuple[float, ...]) -> dict[str, Any]:
    return {
        "median": statistics.median(measured),
        "min": min(measured),
        "max": max(measured),
        "runs": len(measured),
    }


def _told(spread: dict[str, Any]) -> str:
    from wayfront_gui.model import formatting as words

    low, high = words.milliseconds(spread["min"]), words.milliseconds(spread["max"])
    return f"{words.milliseconds(spread['median'])}, median of {spread['runs']} runs ({low} – {high})"


def _network_words(network: RoadNetwork) -> dict[str, Any]:
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
