"""``wayfront solve``: one search or one from each of several sources; its figures, routes, and files of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.options import AUTO
from wayfront_gui.cli import console, isochrones, searching
from wayfront_gui.cli.arguments import (
    CRS,
    JSON,
    NETWORK,
    RUNS,
    SOURCES,
    format_option,
    node_option,
    option,
    output_option,
)
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs, check_output
from wayfront_gui.cli.places import PlacesArguments
from wayfront_gui.cli.searching import ClosingArguments, SearchArguments

if TYPE_CHECKING:
    from threading import Event

    from wayfront.network.ends import Ends
    from wayfront.network.road_network import RoadNetwork
    from wayfront.places.snapping import SnappedPlaces
    from wayfront.results.result import Result
    from wayfront.results.route import Route
    from wayfront_gui.cli.facts import Way

MOST_ROUTES = 20
CSV, PARQUET, NPZ, GEOJSON, GPX = ".csv", ".parquet", ".npz", ".geojson", ".gpx"
GEOPACKAGE = ".gpkg"
FILES = (CSV, PARQUET, NPZ, GEOJSON, GEOPACKAGE, GPX)
"""Suffixes of files of distances; those of ``ROUTES`` are of routes where there is a target."""
ROUTES = (GEOJSON, GEOPACKAGE, GPX)
WRITTEN = (
    f"Write the distances of all nodes ({', '.join(FILES[:5])}), with --target the routes ({', '.join(ROUTES)}), or "
    f"with --isochrones areas ({', '.join(isochrones.SUFFIXES)})"
)


def solve(
    network: str = NETWORK,
    *,
    source: list[str] | None = SOURCES,
    points: PlacesArguments,
    target: list[str] | None = node_option(
        "--target", "Print the route to this node, named as a source is: length, time and roads; may be repeated."
    ),
    directions: bool = option(False, "Print where to turn on the way to each --target, instead of its roads alone."),
    others: int | None = option(
        None,
        "Up to so many routes that differ, the shortest first, between one --source and one --target.",
        "--alternatives",
        min=2,
        max=MOST_ROUTES,
        metavar="K",
    ),
    width: str | None = isochrones.ISOCHRONES,
    search: SearchArguments,
    closing: ClosingArguments,
    runs: int | None = RUNS,
    verify: bool = option(False, "Prove the distances and the tree right."),
    output: list[str] | None = output_option(WRITTEN),
    form: str | None = format_option(FILES, USUAL_SUFFIX),
    crs: str | None = CRS,
    trace: str | None = option(None, "Save the recorded steps, usually as NAME.wftrace.", metavar="FILE"),
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Search from one node, or from several or from places at once: how far every node is from the nearest of them.

    Without --source it is a node in the middle. Prints the nodes reached, the distances found, the steps and the time;
    with --target the way there, with --reverse the way from there. Searches that find one route, such as a-star, need
    one --target.
    """
    search.options()
    closing.roads()
    files = _checked_files(output, form, target, width, json=json)
    files.check_system(crs)
    if trace is not None:
        check_output(trace)
        if len(source or []) > 1 or points.places is not None:
            raise OptionError("--trace records one search: name one --source, or leave --trace out")
    if directions and not target:
        raise OptionError("--directions lead to a target: name one with --target")
    if others is not None and (len(target or []) != 1 or len(source or []) > 1 or points.places is not None):
        raise OptionError("--alternatives are of one route: name one --target and at most one --source")
    device, one_route = _checked_search(search, source, target, files, points)
    with console.cancel_on_interrupt() as cancel:
        table = points.read(source, cancel)
        opened = searching.open_network(network, cancel, opening)
        places: SnappedPlaces | None = None
        sources: int | list[int] | Ends = _nodes(opened, source)
        if table is not None:
            metric = opened.metric(search.metric)
            places, sources = points.sources(table, opened, metric, cancel, reverse=closing.reverse)
        targets = searching.find_nodes(opened, target or [])
        if opened.coordinates is None and files.any_of(ROUTES):
            suffix = min(files.suffixes(ROUTES))
            raise NetworkError(f"{opened.name} has no coordinates, so there is no {suffix}: write {CSV}")
        from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

        asked: dict[str, Any] = {"runs": runs, "verify": verify}
        asked |= {"closures": closing.arcs(opened), "reverse": closing.reverse}
        if one_route:
            asked["target"] = targets[0]
        if trace is None and not search.option:
            asked["algorithm"] = searching.asked_for(opened, search.algorithm, device, search.threads)
        if isinstance(sources, int):  # of several none is recorded
            asked["trace_budget"] = DEFAULT_BUDGET_BYTES
        found = search.run(opened, sources, device, cancel, **asked)
        if others is None:
            from wayfront_gui.cli.facts import Way

            ways = [Way(node, found.route(node)) for node in targets]
        else:
            ways = _alternatives(found, targets[0], others, device, search.threads, cancel)
    _report(found, ways, files, width, places, directions=directions, json=json, crs=crs)
    if trace is not None:
        from wayfront.searching.result_file import save_trace

        save_trace(found, trace)
        console.print_message(f"trace written to {trace}")


def _alternatives(found: Result, target: int, k: int, device: str, threads: int, cancel: Event) -> list[Way]:
    """Return routes that differ between a search's source and a target, in whose order they lead."""
    from wayfront import alternatives
    from wayfront_gui.cli.facts import Way, ends

    named: dict[str, Any] = {"metric": found.metric.name, "closures": found.closures, "device": device}
    ways = alternatives(found.network, *ends(found, target), k, **named, threads=threads, cancel=cancel)
    return [Way(target, way.route, way) for way in ways] or [Way(target, found.route(target))]


def _nodes(network: RoadNetwork, named: list[str] | None) -> int | list[int]:
    """Return the nodes that are searched from, one without a list; without any named one in the middle."""
    nodes = searching.find_nodes(network, named or [])
    if len(nodes) > 1:
        return nodes
    return nodes[0] if nodes else searching.choose_source(network, None)


def _checked_files(
    output: list[str] | None, form: str | None, target: list[str] | None, width: str | None, *, json: bool
) -> Outputs:
    """Return the files to write, checked as far as they can be before a network is opened."""
    files = Outputs.checked(output, FILES, form, json=json)
    isochrones.check_width(width)
    if width is not None and target:
        raise OptionError("--isochrones are round sources, and --target asks for routes: give one of them")
    if width is not None and files.any_of(set(FILES).difference(isochrones.SUFFIXES)):
        raise OptionError(f"--isochrones are written as {', '.join(isochrones.SUFFIXES)}")
    if files.any_of([GPX]) and not target:
        raise OptionError(f"a {GPX} file holds routes: name a --target, or write {CSV} or {GEOJSON}")
    if files.any_of([PARQUET]):
        from wayfront.results.node_files import require_pyarrow

        require_pyarrow(f"-o {PARQUET}")
    return files


def _checked_search(
    search: SearchArguments,
    source: list[str] | None,
    target: list[str] | None,
    files: Outputs,
    points: PlacesArguments,
) -> tuple[str, bool]:
    """Return the device, and whether the algorithm searches from a source to a target alone.

    Raises ``OptionError`` for what a search for one route cannot do, and as ``SearchArguments.checked_device`` does.
    """
    device = searching.choose_device(search.device)
    from wayfront.devices import CPU
    from wayfront.results.result import SearchKind
    from wayfront.searching.registry import find_algorithm

    algorithm = search.algorithm
    one_route = algorithm != AUTO and find_algorithm(algorithm).kind is SearchKind.ROUTE
    if one_route:
        if len(target or []) != 1 or len(source or []) > 1 or points.places is not None:
            raise OptionError(f"{algorithm} finds one route: name one --target and at most one --source")
        if files.any_of([CSV, PARQUET, NPZ]):
            raise OptionError(
                f"{algorithm} finds one route and leaves most nodes without a distance: write {', '.join(ROUTES)}, or "
                "choose an algorithm that finds one tree"
            )
        device = CPU if search.device == AUTO else device
    searching.check_threads(search.threads, [device])
    kind = SearchKind.ROUTE if one_route else SearchKind.ONE_TREE
    searching.check_algorithms([algorithm], [device], search.options(), kind)
    return device, one_route


def _report(
    found: Result,
    ways: Sequence[Way],
    files: Outputs,
    width: str | None,
    places: SnappedPlaces | None,
    *,
    directions: bool,
    json: bool,
    crs: str | None,
) -> None:
    """Print what was found, unless a file goes to standard output, and write the files."""
    from wayfront_gui.cli import facts

    if found.note:
        console.print_message(found.note)
    bands = None if width is None else isochrones.bands_of(found, width)
    if json:
        console.print_json(
            facts.record(found, places)
            | ({"routes": facts.route_records(found, ways, directions=directions)} if ways else {})
            | ({"isochrones": isochrones.records(bands)} if bands is not None else {})
        )
    elif not files.on_stdout:
        console.print_tables(console.facts_table(facts.title(found, places), facts.facts(found, places)))
        for number, way in enumerate(ways, 1):
            title = facts.route_title(found, way, number if way.alternative is not None else 0)
            console.print_line("")
            console.print_tables(console.facts_table(title, facts.route_facts(way, directions=directions)))
        if bands is not None:
            console.print_line("")
            console.print_tables(console.facts_table("Isochrones", isochrones.facts(bands)))
    if bands is None:
        files.write(lambda path: _write(found, [way.route for way in ways], path, crs))
    else:
        from wayfront_gui.features.isochrones.files import write_isochrones

        files.write(lambda path: write_isochrones(bands, Path(path), crs))


def _write(found: Result, routes: Sequence[Route], path: str, crs: str | None) -> None:
    """Write the routes into a file that is for them, if any were asked for, else what was found of every node."""
    from wayfront.results.node_files import NodeTable
    from wayfront.results.route import save_routes

    if not routes or not path.lower().endswith(ROUTES):
        NodeTable.of(found).save(path, crs)
        return
    ways = [route for route in routes if len(route)]
    if not ways:
        raise NetworkError(f"{path} is not written: no way leads to any target")
    if len(ways) < len(routes):
        console.print_message(f"{path} lacks {len(routes) - len(ways)} of {len(routes)} routes: no way leads there")
    save_routes(ways, path, crs)
