"""``wayfront solve``: one search or one from each of several sources; its figures, routes, and files of them."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayfront.errors import NetworkError, OptionError
from wayfront.formats.options import OpeningOptions
from wayfront.options import AUTO
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import (
    JsonOption,
    NetworkArgument,
    RunsOption,
    SearchArguments,
    SourcesOption,
    format_option,
    node_option,
)
from wayfront_gui.cli.closing import ClosingArguments
from wayfront_gui.cli.console import (
    cancel_on_interrupt,
    facts_table,
    print_json,
    print_line,
    print_message,
    print_tables,
)
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs, output_option
from wayfront_gui.cli.paths import check_output

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.nearest import Nearest
    from wayfront.search.result import Result
    from wayfront.search.route import Route

CSV, PARQUET, NPZ, GEOJSON, GPX = ".csv", ".parquet", ".npz", ".geojson", ".gpx"
FILES = (CSV, PARQUET, NPZ, GEOJSON, GPX)
"""Suffixes of files of distances; the last two are of routes where there is a target."""


@expand_groups
def solve(
    network: NetworkArgument,
    *,
    source: SourcesOption = None,
    target: Annotated[
        list[str] | None,
        node_option(
            "--target", "Print the route to this node, named as a source is: length, time and roads; may be repeated."
        ),
    ] = None,
    search: SearchArguments,
    closing: ClosingArguments,
    runs: RunsOption = None,
    verify: Annotated[bool, typer.Option("--verify", help="Prove the distances and the tree right.")] = False,
    output: Annotated[
        list[str] | None,
        output_option(
            f"Write the distances of all nodes ({', '.join(FILES[:4])}), or with --target the routes ({GEOJSON}, {GPX})"
        ),
    ] = None,
    form: Annotated[str | None, format_option(FILES, USUAL_SUFFIX)] = None,
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="FILE", help="Save the recorded steps, usually as NAME.wftrace.")
    ] = None,
    opening: OpeningOptions,
    json: JsonOption = False,
) -> None:
    """Search from one node, or from the nearest of several.

    Without --source it is a node in the middle. Prints the nodes reached, the distances found, the steps and the time;
    with --target the way there. Searches that find one route, such as a-star, need one --target.
    """
    options = search.options()
    closing.roads()
    files = _checked_files(output, form, target, json=json)
    if trace is not None:
        check_output(trace)
        if len(source or []) > 1:
            raise OptionError("--trace records one search: name one --source, or leave --trace out")
    device = engine_calls.choose_device(search.device)
    from wayfront.devices import CPU
    from wayfront.search.registry import SearchKind

    one_route = _finds_one_route(search.algorithm)
    if one_route:
        _check_one_route(search.algorithm, source, target, files)
        device = CPU if search.device == AUTO else device
    engine_calls.check_threads(search.threads, [device])
    engine_calls.check_algorithms([search.algorithm], [device], options, SearchKind.ROUTE if one_route else None)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        sources = engine_calls.find_nodes(opened, source) if source else [engine_calls.choose_source(opened, None)]
        targets = engine_calls.find_nodes(opened, target or [])
        _require_map(opened, files)
        asked = {"runs": runs, "verify": verify, **({"target": targets[0]} if one_route else {})}
        trees = _search_from(opened, sources, search, device, cancel, closing=closing, **asked)
    _report(trees, targets, files, json=json)
    if trace is not None:
        from wayfront.search.result_file import save_trace

        save_trace(trees[0], trace)
        print_message(f"trace written to {trace}")


def _checked_files(output: list[str] | None, form: str | None, target: list[str] | None, *, json: bool) -> Outputs:
    """Return the files to write, checked as far as they can be before a network is opened."""
    files = Outputs.checked(output, FILES, form, json=json)
    if files.any_of([GPX]) and not target:
        raise OptionError(f"a {GPX} file holds routes: name a --target, or write {CSV} or {GEOJSON}")
    if files.any_of([PARQUET]):
        from wayfront.search.node_files import require_pyarrow

        require_pyarrow(f"-o {PARQUET}")
    return files


def _finds_one_route(algorithm: str) -> bool:
    """Return whether an algorithm searches from a source to a target alone."""
    from wayfront.search.registry import SearchKind, find_algorithm

    return algorithm != AUTO and find_algorithm(algorithm).kind is SearchKind.ROUTE


def _check_one_route(algorithm: str, source: list[str] | None, target: list[str] | None, files: Outputs) -> None:
    """Raise ``OptionError`` for what a search for one route cannot do."""
    if len(target or []) != 1 or len(source or []) > 1:
        raise OptionError(f"{algorithm} finds one route: name one --target and at most one --source")
    if files.any_of([CSV, PARQUET, NPZ]):
        raise OptionError(
            f"{algorithm} finds one route and leaves most nodes without a distance: write {GEOJSON} or {GPX}, or "
            "choose an algorithm that finds one tree"
        )


def _require_map(network: RoadNetwork, files: Outputs) -> None:
    """Raise ``NetworkError`` for files of places of a network that has none, before it is searched."""
    if network.coordinates is None and files.any_of([GEOJSON, GPX]):
        raise NetworkError(f"{network.name} has no coordinates, so there is no {GEOJSON} or {GPX}: write {CSV}")


def _search_from(
    network: RoadNetwork,
    sources: Sequence[int],
    search: SearchArguments,
    device: str,
    cancel: Event,
    *,
    closing: ClosingArguments,
    **asked: Any,
) -> list[Result]:
    """Return the tree from each source; only a single one is recorded."""
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    closures = closing.arcs(network)
    return [
        engine_calls.run_search(
            network,
            source,
            search.algorithm,
            device,
            cancel,
            metric=search.metric,
            options=search.options(),
            threads=search.threads,
            trace_budget=DEFAULT_BUDGET_BYTES if len(sources) == 1 else None,
            closures=closures,
            **asked,
        )
        for source in sources
    ]


def _report(trees: Sequence[Result], targets: Sequence[int], files: Outputs, *, json: bool) -> None:
    """Print what was found, unless a file goes to standard output, and write the files."""
    from wayfront.search.nearest import Nearest
    from wayfront_gui.cli import solve_facts as facts

    found = trees[0] if len(trees) == 1 else Nearest.of(trees)
    for note in dict.fromkeys(tree.note for tree in trees if tree.note):
        print_message(note)
    routes = {target: found.route(target) for target in targets}
    if json:
        print_json(facts.record(found) | ({"routes": facts.route_records(found, routes)} if routes else {}))
    elif not files.on_stdout:
        print_tables(facts_table(facts.title(found), facts.facts(found)))
        for target, route in routes.items():
            print_line("")
            print_tables(facts_table(facts.route_title(found, target), facts.route_facts(route)))
    files.write(lambda path: _write(found, list(routes.values()), path))


def _write(found: Result | Nearest, routes: Sequence[Route], path: str) -> None:
    """Write the routes into a file that is for them, if any were asked for, else what was found of every node."""
    from wayfront.search.node_files import NodeTable
    from wayfront.search.route import save_routes

    if not routes or not path.lower().endswith((GEOJSON, GPX)):
        NodeTable.of(found).save(path)
        return
    ways = [route for route in routes if len(route)]
    if not ways:
        raise NetworkError(f"{path} is not written: no way leads to any target")
    if len(ways) < len(routes):
        print_message(f"{path} lacks {len(routes) - len(ways)} of {len(routes)} routes: no way leads there")
    save_routes(ways, path)
