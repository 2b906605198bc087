"""``wayfront solve``: one search, its figures, and its trace if wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    AlgorithmOption,
    CoordinatesOption,
    DeviceChoice,
    DeviceOption,
    ForceOption,
    JsonOption,
    LargestPartOption,
    MetricOption,
    NetworkArgument,
    NetworkTypeOption,
    OptionsOption,
    SimplifyOption,
    parse_options,
)
from wayfront_gui.cli.console import facts_table, print_json, print_tables, say, stoppable

if TYPE_CHECKING:
    from wayfront.search.result import Result


def solve(
    network: NetworkArgument,
    source: Annotated[int, typer.Option("--source", metavar="ID", help="The file's id of the node to search from.")],
    algorithm: AlgorithmOption = AUTO,
    device: DeviceOption = DeviceChoice.AUTO,
    option: OptionsOption = None,
    metric: MetricOption = None,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs", min=0, help="Clean runs of which the median is the time; else 5, or 1 of a long search."
        ),
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Prove the distances and the tree right.")] = False,
    trace: Annotated[str | None, typer.Option("--trace", metavar="FILE", help="Save the recorded steps.")] = None,
    json: JsonOption = False,
) -> None:
    """Search from one node to all others, and tell what was found and how long it took."""
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    options = parse_options(option)
    kind = engine_calls.choose_device(device)
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        result = engine_calls.run_search(
            opened,
            opened.node(source),
            algorithm,
            kind,
            cancel,
            metric=metric,
            options=options,
            runs=runs,
            trace_budget=DEFAULT_BUDGET_BYTES,
            verify=verify,
        )
    if trace is not None:
        from wayfront.search.result_file import save_trace

        save_trace(result, trace)
        say(f"trace written to {trace}")
    if json:
        print_json(result.summary())
    else:
        print_tables(facts_table(_title(result), _facts(result)))


def _title(result: Result) -> str:
    return f"{result.algorithm} on {result.network.name} from node {result.network.node_ids[result.source]}"


def _facts(result: Result) -> dict[str, str]:
    """Return the summary in words."""
    from wayfront_gui.model import formatting as words

    told, timing, metric = result.summary(), result.timing, result.metric
    time = "not timed (no clean runs)"
    if timing.median_ms is not None:
        time = f"{words.milliseconds(timing.median_ms)}, {words.times(result)}"
    facts = {
        "network": f"{told['network']['nodes']:,} nodes, {told['network']['arcs']:,} arcs",
        "metric": f"{metric.name}, in {metric.raw_unit}",
        "device": f"{result.device_name} ({result.device})",
        "options": ", ".join(f"{name}={value}" for name, value in told["options"].items()) or "none",
        "reached": f"{told['reached']:,} nodes",
        "sum of distances": f"{told['sum_distance']:,}",
        "farthest": f"node {told['farthest']} at {told['max_distance']:,}, {metric.describe(told['max_distance'])}",
        "steps": f"{told['steps']:,} with {told['relaxations']:,} relaxations",
        "time": time,
        "copying back": words.milliseconds(timing.transfer_ms),
        "making the tree": words.milliseconds(timing.tree_ms),
    }
    if timing.traced_ms is not None:
        times = f", {timing.overhead:.1f} × the time" if timing.overhead is not None else ""
        facts["traced run"] = f"{words.milliseconds(timing.traced_ms)}{times}"
    if result.verified:
        facts["verified"] = "distances and tree are proved right"
    return facts
