"""``wayfront solve``: one search, its figures, and its trace if asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.formats.options import OpeningOptions
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    JsonOption,
    NetworkArgument,
    RunsOption,
    SearchArguments,
    expand_groups,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_json, print_message, print_tables
from wayfront_gui.cli.paths import check_output

if TYPE_CHECKING:
    from wayfront.search.result import Result


@expand_groups
def solve(
    network: NetworkArgument,
    source: Annotated[int, typer.Option("--source", metavar="ID", help="Start node, by its id in the file.")],
    *,
    search: SearchArguments,
    closing: ClosingArguments,
    runs: RunsOption = None,
    verify: Annotated[bool, typer.Option("--verify", help="Prove the distances and the tree right.")] = False,
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="FILE", help="Save the recorded steps, usually as NAME.wftrace.")
    ] = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Search from one node to all others.

    Prints the nodes reached, the distances found, the steps and the time.
    """
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    options = search.options()
    closing.roads()
    if trace is not None:
        check_output(trace)
    device = engine_calls.choose_device(search.device)
    engine_calls.check_threads(search.threads, [device])
    engine_calls.check_algorithms([search.algorithm], [device], options)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        result = engine_calls.run_search(
            opened,
            opened.node(source),
            search.algorithm,
            device,
            cancel,
            metric=search.metric,
            options=options,
            threads=search.threads,
            runs=runs,
            trace_budget=DEFAULT_BUDGET_BYTES,
            verify=verify,
            closures=closing.arcs(opened),
        )
    if result.note:
        print_message(result.note)
    if json:
        print_json(result.summary())
    else:
        print_tables(facts_table(_title(result), _facts(result)))
    if trace is not None:
        from wayfront.search.result_file import save_trace

        save_trace(result, trace)
        print_message(f"trace written to {trace}")


def _title(result: Result) -> str:
    return f"{result.algorithm} on {result.network.name} from node {result.network.node_ids[result.source]}"


def _facts(result: Result) -> dict[str, str]:
    """Return the lines of the table that is printed: name and value."""
    from wayfront_gui.model import formatting

    summary, timing, metric = result.summary(), result.timing, result.metric
    time = "not timed (no clean runs)"
    if timing.median_ms is not None:
        time = f"{formatting.milliseconds(timing.median_ms)}, {formatting.times(result)}"
    steps, relaxations = summary["steps"], summary["relaxations"]
    facts = {
        "network": f"{summary['network']['nodes']:,} nodes, {summary['network']['arcs']:,} arcs",
        "metric": f"{metric.name}, in {metric.raw_unit}",
        "device": f"{result.device_name} ({result.device})",
        "options": ", ".join(f"{name}={value}" for name, value in summary["options"].items()) or "none",
        **({"closed": f"{len(result.closures):,} arcs"} if len(result.closures) else {}),
        "reached": f"{summary['reached']:,} nodes",
        "sum of distances": f"{summary['sum_distance']:,}",
        "farthest": f"node {summary['farthest']} at {summary['max_distance']:,}, "
        f"{metric.describe(summary['max_distance'])}",
        "steps": "–" if steps is None else f"{steps:,} with {relaxations:,} relaxations",
        "time": time,
        **formatting.preparation(timing.prepare_ms, timing.from_scratch_ms),
        "copying back": formatting.milliseconds(timing.transfer_ms),
        "making the tree": formatting.milliseconds(timing.tree_ms),
    }
    if timing.traced_ms is not None:
        times = f", {timing.overhead:.1f} × the time" if timing.overhead is not None else ""
        facts["traced run"] = f"{formatting.milliseconds(timing.traced_ms)}{times}"
    if result.verified is not None:
        facts["verified"] = "distances and tree are proved right" if result.verified else "no: the result is wrong"
    return facts
