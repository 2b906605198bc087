"""``wayfront benchmark``: measure searches, steps, the map and opening on this machine."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import OptionError
from wayfront.formats.options import OpeningOptions
from wayfront.network.naming import is_made
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    DeviceOption,
    JsonOption,
    MetricOption,
    NetworkArgument,
    RunsOption,
    SourceOption,
    SweptOptions,
    algorithms_option,
    parse_algorithms,
    parse_size,
)
from wayfront_gui.cli.benchmark_search import benchmark_search
from wayfront_gui.cli.benchmark_trees import benchmark_trees
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    facts_table,
    make_table,
    print_json,
    print_tables,
    progress_bar,
)
from wayfront_gui.cli.examples import below_help
from wayfront_gui.cli.measured import machine_line, network_record, spread_of, spread_text
from wayfront_gui.cli.offscreen_drawing import check_picture_size, network_with_map, start_qt
from wayfront_gui.cli.plugins import with_plugins
from wayfront_gui.cli.variants import Variant, check_asked, choices, parse_asked

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import RoadNetwork

benchmark = typer.Typer(
    name="benchmark", help="Measure searches, trees, steps, the map and opening.", no_args_is_help=True
)

benchmark.command("trees", epilog=below_help("benchmark trees"))(with_plugins(benchmark_trees))
benchmark.command("search", epilog=below_help("benchmark search"))(with_plugins(benchmark_search))


@benchmark.command("canvas", epilog=below_help("benchmark canvas"))
@with_plugins
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
    while the source is dragged, on recolouring, on zooming; its first picture after the program was started; and how
    many trees a second follow a dragged source.
    """
    width, height = parse_size(size)
    check_picture_size(width, height)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        opened = network_with_map(opened, layout=True)
    from wayfront.timing.machine import machine_facts
    from wayfront_gui.map.benchmark import goals_ms, measure
    from wayfront_gui.window.frame_times import GOALS_MS, LEAST_TREES, TREES, first_picture_ms, measure_window

    application = start_qt(widgets=True)
    figures = measure(opened, width, height)
    figures["first_picture_after_start"] = first_picture_ms(network)
    figures |= measure_window(network, width, height)
    application.processEvents()
    record = {
        "network": network_record(opened),
        "size": [width, height],
        TREES: {"while_dragged": figures.pop(TREES, 0.0), "goal": LEAST_TREES},
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
    table = make_table(title, ("", "ms", "goal"), figures=("ms", "goal"), caption=machine_line(record))
    for name, value in record["figures_ms"].items():
        goal = record["goals_ms"].get(name)
        table.add_row(name.replace("_", " "), f"{value:,.2f}", "" if goal is None else f"≤ {goal:g}")
    trees = record["trees_per_second"]
    table.add_row("trees a second while dragged", f"{trees['while_dragged']:,.1f}", f"≥ {trees['goal']:g}")
    return table


@benchmark.command("open", epilog=below_help("benchmark open"))
@with_plugins
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
    if is_made(network):
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
        "network": network_record(opened),
        "times": {name: spread_of(measured) for name, measured in times.items()},
        "array_bytes": opened.nbytes,
        "peak_bytes": peak,
        "machine": machine_facts(),
    }
    if json:
        print_json(record)
        return
    from wayfront_gui.model.formatting import memory_size

    facts = {name: spread_text(spread) for name, spread in record["times"].items()}
    facts["memory"] = f"{memory_size(opened.nbytes)} of arrays, {memory_size(peak)} at the peak"
    print_tables(facts_table(f"Opening {opened.name}", facts | {"machine": machine_line(record)}))


@benchmark.command("steps", epilog=below_help("benchmark steps"))
@with_plugins
@expand_groups
def benchmark_steps(
    network: NetworkArgument,
    *,
    algorithms: Annotated[
        str | None,
        algorithms_option("Names as in 'wayfront list'; default: all that the device runs step by step."),
    ] = None,
    option: SweptOptions = None,
    device: DeviceOption = AUTO,
    source: SourceOption = None,
    metric: MetricOption = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Measure what a step of a search costs.

    The costs are launching, reading back, Python, and the device's own work, in microseconds.
    """
    named, asked = None if algorithms is None else parse_algorithms(algorithms), parse_asked(option)
    chosen = engine_calls.choose_device(device)
    if named is not None:
        engine_calls.check_algorithms(named, [chosen])
    check_asked(asked, _stepped() if named is None else named)
    from dataclasses import asdict

    from wayfront.devices import open_device
    from wayfront.search.step_costs import measure_steps
    from wayfront.timing.machine import machine_facts

    with cancel_on_interrupt() as cancel, progress_bar() as show:
        opened = engine_calls.open_network(network, cancel, opening)
        node = engine_calls.choose_source(opened, source)
        rows = []
        for name in _stepped() if named is None else named:
            for options in choices(name, asked):
                show(Variant(name, chosen, options).label, -1.0)
                costs = measure_steps(opened, node, name, chosen, metric=metric, options=options)
                rows.append(asdict(costs) | {"options": options})
    machine = machine_facts() | open_device(chosen).describe()
    record = {"network": network_record(opened), "device": chosen, "rows": rows, "machine": machine}
    if json:
        print_json(record)
    else:
        print_tables(_steps_table(record))


def _stepped() -> list[str]:
    """Return the names of the algorithms that a device runs step by step."""
    from wayfront.search.registry import SearchKind, algorithms

    return [algorithm.name for algorithm in algorithms(SearchKind.ONE_TREE) if algorithm.stepped]


def _steps_table(record: dict[str, Any]) -> Table:
    from wayfront_gui.model.formatting import option_texts

    title = f"A step on {record['network']['name']}, microseconds of the host and of the device"
    figures = ("steps", "launches", "reads", "wall", "launching", "reading back", "Python", "device")
    table = make_table(title, ("search", *figures), figures=figures, caption=machine_line(record))
    for row in record["rows"]:
        times = (row[f"{cost}_us"] for cost in ("wall", "launch", "read", "python", "device"))
        calls = (f"{row['launches']:.2f}", f"{row['reads']:.2f}")
        name = ", ".join((row["algorithm"], *option_texts(row["options"])))
        table.add_row(name, f"{row['steps']:,}", *calls, *(f"{value:,.1f}" for value in times))
    return table


def _peak_memory(work: Callable[[], object]) -> int:
    """Return the most bytes that Python and NumPy held at once during some work, above what they held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
