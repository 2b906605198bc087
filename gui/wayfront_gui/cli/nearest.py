"""``wayfront nearest``: what belongs to each of several places, as catchments, or the nearest places of every node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import CRS, JSON, NETWORK, format_option, node_option, option, output_option
from wayfront_gui.cli.isochrones import BUFFER
from wayfront_gui.cli.outputs import Outputs
from wayfront_gui.cli.places import PlacesArguments, place_name
from wayfront_gui.cli.searching import ClosingArguments, SearchArguments

if TYPE_CHECKING:
    from wayfront.results.catchments import Catchments
    from wayfront.results.nearest import Nearest, Ranked

CATCHMENTS = (".geojson", ".gpkg", ".csv")
TABLES = (".csv", ".parquet")
"""Suffixes of files of catchments, and of the nearest places of every node."""
WRITTEN = f"Write the catchments ({', '.join(CATCHMENTS)}), or with -k the table ({', '.join(TABLES)})"
MOST_RANKED = 100


def nearest(
    network: str = NETWORK,
    *,
    source: list[str] | None = node_option("--from", "A node in place of --places, named as in solve; repeated."),
    points: PlacesArguments,
    k: int | None = option(
        None, "The K nearest of every node, as a table with a row for each.", "-k", min=1, max=MOST_RANKED, metavar="K"
    ),
    within: float | None = option(
        None, "Leave out roads that are farther, in the metric's unit.", min=0.0, metavar="LIMIT"
    ),
    buffer: float = BUFFER,
    search: SearchArguments,
    closing: ClosingArguments,
    verify: bool = option(False, "Prove the distances and the nearest places right."),
    output: list[str] | None = output_option(WRITTEN),
    form: str | None = format_option((*CATCHMENTS, TABLES[1]), CATCHMENTS[0]),
    crs: str | None = CRS,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find which of several places is nearest to every node and road: their catchments.

    With --reverse it is the place that is nearest to drive to. Prints how many nodes, how much road and how much land
    belong to each place.
    """
    search.options()
    closing.roads()
    files = Outputs.checked(output, TABLES if k is not None else CATCHMENTS, form, json=json)
    files.check_system(crs)
    if k is not None and within is not None:
        raise OptionError("--within is of catchments, and -k asks for a table: leave one of them out")
    if k is not None and verify:
        raise OptionError("--verify proves one search, and -k finds several places for every node: leave it out")
    if within == 0:
        raise OptionError("--within 0 leaves out every road: give a limit above 0")
    if k is None:
        from wayfront.results.isochrones.field import require_contourpy

        require_contourpy()
    elif files.any_of([TABLES[1]]):
        from wayfront.results.node_files import require_pyarrow

        require_pyarrow(f"-o {TABLES[1]}")
    if points.places is None and not source:
        raise OptionError("name the places: --places FILE, or --from NODE, repeated")
    device = search.checked_device()
    import wayfront
    from wayfront.results.nearest import Nearest

    with console.cancel_on_interrupt() as cancel:
        table = points.read(source, cancel)
        opened = searching.open_network(network, cancel, opening)
        sources: Any
        if table is None:
            sources = searching.find_nodes(opened, source or [])
            labels: list[str] = [opened.node_name(node) for node in sources]
        else:
            metric = opened.metric(search.metric)
            places, sources = points.sources(table, opened, metric, cancel, reverse=closing.reverse)
            labels = [place_name(places.places, row) for row in range(len(places))]
        if k is None and opened.coordinates is None:
            raise NetworkError(
                f"{opened.name} has no coordinates, so there are no catchments: ask for a table with -k 1"
            )
        asked: dict[str, Any] = {"closures": closing.arcs(opened), "reverse": closing.reverse}
        if k is not None:
            asked |= {"algorithm": search.algorithm, "options": search.options(), "device": search.device}
            asked |= {"metric": search.metric, "cancel": cancel}
            ranked = wayfront.search_nearest(opened, sources, k=k, **asked)
            files.print(json, lambda: _ranked_record(ranked, labels), lambda: [_ranked_table(ranked)])
            files.write(lambda path: ranked.save(path, labels=labels))
            return
        algorithm = searching.asked_for(opened, search.algorithm, device, search.threads)
        found = search.run(opened, sources, device, cancel, verify=verify, algorithm=algorithm, **asked)
        assert isinstance(found, Nearest)
        areas = found.catchments(buffer, within=within, labels=labels, cancel=cancel)
    files.print(json, lambda: _record(found, areas), lambda: [_table(found, areas)])
    files.write(lambda path: areas.save(path, crs))


def _title(found: Nearest | Ranked, what: str) -> str:
    return f"{what} {'to' if found.reverse else 'from'} {len(found.origins):,} places on {found.network.name}"


def _table(found: Nearest, areas: Catchments) -> Any:
    from wayfront_gui.features.isochrones.state import area_text

    rows = {}
    for each in areas:
        farthest = "" if each.largest < 0 else f", up to {found.metric.describe(each.largest)}"
        land = area_text(each.area.square_metres)
        rows[str(each.label)] = f"{each.nodes:,} nodes, {each.road_m / 1e3:,.1f} km of road, {land}{farthest}"
    return console.facts_table(_title(found, "Catchments"), rows)


def _record(found: Nearest, areas: Catchments) -> dict[str, Any]:
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": found.network.name,
        "metric": found.metric.name,
        "algorithm": found.algorithm,
        "reverse": found.reverse,
        "buffer_m": areas.buffer_m,
        "verified": found.verified,
        "unreached": int((~found.reached).sum()),
        "catchments": areas.facts(),
    }


def _means(found: Ranked) -> list[float | None]:
    """Return the mean cost of the nearest place, of the second one and so on, over the nodes that have so many."""
    means = []
    for column in found.costs.T:
        there = column[column < math.inf]
        means.append(float(there.mean()) if len(there) else None)
    return means


def _ranked_table(found: Ranked) -> Any:
    described = [
        "none is so near" if mean is None else found.metric.describe(round(mean / found.metric.scale))
        for mean in _means(found)
    ]
    rows = {f"mean of place {rank}": text for rank, text in enumerate(described, 1)}
    return console.facts_table(_title(found, "Nearest places"), rows)


def _ranked_record(found: Ranked, labels: list[str]) -> dict[str, Any]:
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": found.network.name,
        "metric": found.metric.name,
        "reverse": found.reverse,
        "places": labels,
        "mean_cost": _means(found),
    }
