"""``wayfront isochrones``, and ``--isochrones``: bands round the sources of a search, for ``solve`` and ``render``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.options import AUTO
from wayfront.version import JSON_SCHEMA_VERSION
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import (
    CRS,
    DEVICE,
    JSON,
    METRIC,
    NETWORK,
    THREADS,
    format_option,
    node_option,
    option,
    output_option,
    parse_list,
)
from wayfront_gui.cli.outputs import USUAL_SUFFIX, Outputs
from wayfront_gui.cli.places import PlacesArguments, place_name
from wayfront_gui.cli.searching import ClosingArguments

if TYPE_CHECKING:
    from wayfront.network.ends import Ends
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.isochrones.isochrones import Isochrones
    from wayfront.results.result import Result
    from wayfront_gui.features.isochrones.files import Bands
    from wayfront_gui.features.isochrones.state import Reach

SUFFIXES = (".geojson", ".gpkg", ".csv")
"""Suffixes of files of areas, and of a table of them."""
WRITTEN = f"Write the areas ({', '.join(SUFFIXES)})"
ISOCHRONES = option(
    None,
    f"Bands round the sources as wide as this, in the metric's unit; {AUTO} is a round width.",
    "--isochrones",
    metavar=f"WIDTH|{AUTO}",
)


def check_width(width: str | None) -> None:
    """Check a width, and that what finds areas is installed. Raises ``OptionError`` and ``MissingPackageError``."""
    if width is None:
        return
    from wayfront.results.isochrones.field import require_contourpy

    _metres_or_seconds(width)
    require_contourpy()


def _metres_or_seconds(width: str) -> float | None:
    """Return a width as a number, None for a round one."""
    if width == AUTO:
        return None
    try:
        number = float(width)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise OptionError(
            f"--isochrones {width}: give the width of a band in the metric's unit, such as 300, or {AUTO}"
        )
    return number


def reach_of(found: Result, width: str) -> tuple[Reach, int | None]:
    """Return how far nodes are from the nearest source, and how wide bands are in raw weights, None for a round width.

    Raises ``NetworkError`` for a network without coordinates.
    """
    from wayfront.results.nearest import Nearest
    from wayfront_gui.features.isochrones.state import Reach

    network, metric, number = found.network, found.metric, _metres_or_seconds(width)
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, so there are no areas within a distance")
    if isinstance(found, Nearest):
        reach = Reach.of_nearest(found)
    else:
        reach = Reach.of(network, metric, [found.source], [found.distances], found.closures, reverse=found.reverse)
    return reach, None if number is None else max(round(number / metric.scale), 1)


def bands_of(found: Result, width: str) -> Bands:
    """Return the bands round the source of a tree, or the sources of a forest. Raises ``NetworkError``."""
    from wayfront_gui.features.isochrones.files import Bands

    return Bands.of(*reach_of(found, width))


def facts(found: Bands) -> dict[str, str]:
    """Return what is nearest to each of several sources, and what is within each distance, to be printed."""
    from wayfront_gui.features.isochrones.state import area_text

    rows = [(f"nearest to {zone.label}", zone) for zone in found.zones] + [(band.label, band) for band in found.bands]
    return {name: f"{row.nodes:,} nodes ({100 * row.share:.1f} %), {area_text(row.area_m2)}" for name, row in rows}


def records(found: Bands) -> list[dict[str, Any]]:
    """Return the same for programs."""
    from wayfront_gui.features.isochrones.files import rows

    return rows(found)


# ------------------------------------------------------------------------------------------------ wayfront isochrones

BUFFER = option(100.0, "How far beside a road land belongs to it.", min=1.0, max=100_000.0, metavar="METRES")
_CUT = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|m|km)?")
_UNITS = {"s": ("s", 1.0), "min": ("s", 60.0), "h": ("s", 3600.0), "m": ("m", 1.0), "km": ("m", 1000.0)}
"""In which unit of a metric a cut is, and how many of these it has."""


def isochrones(
    network: str = NETWORK,
    *,
    source: list[str] | None = node_option("--from", "Where ways begin: a node, named as in solve; may be repeated."),
    points: PlacesArguments,
    cuts: str = option(
        "5min,10min", "The limits: 5min, 1.5h, 90s, 800m, 2km, or numbers in the metric's unit.", metavar="A,B,…"
    ),
    per_source: bool = option(False, "Areas of each node by itself, not of the nearest."),
    rings: bool = option(False, "Let each area begin where the one before it ends."),
    lines: bool = option(False, "Write the pieces of reached road as well."),
    buffer: float = BUFFER,
    metric: str | None = METRIC,
    device: str = DEVICE,
    threads: int = THREADS,
    closing: ClosingArguments,
    output: list[str] | None = output_option(WRITTEN),
    form: str | None = format_option(SUFFIXES, USUAL_SUFFIX),
    crs: str | None = CRS,
    opening: OpeningOptions,
    json: bool = JSON,
) -> None:
    """Find the areas within limits of time or distance.

    An area is the land beside the roads that are reached, with its holes. Without --from and --places
    ways begin at a node in the middle. Prints how many nodes, how much road and how much land is within each limit.
    """
    closing.roads()
    files = Outputs.checked(output, SUFFIXES, form, json=json)
    files.check_system(crs)
    limits = [read_limit(word, "--cuts") for word in parse_list(cuts)]
    from wayfront.results.isochrones.field import require_contourpy

    require_contourpy()
    chosen = searching.choose_device(device)
    searching.check_threads(threads, [chosen])
    with console.cancel_on_interrupt() as cancel:
        table = points.read(source, cancel)
        opened = searching.open_network(network, cancel, opening)
        name, values = in_metric(opened, limits, metric, "--cuts")
        sources: list[int] | Ends
        if table is not None:
            places, sources = points.sources(table, opened, opened.metric(name), cancel, reverse=closing.reverse)
        else:
            sources = searching.find_nodes(opened, source) if source else [searching.choose_source(opened, None)]
        import wayfront

        with console.progress_bar() as show:
            found = wayfront.isochrones(
                opened,
                sources,
                values,
                name,
                reverse=closing.reverse,
                per_source=per_source,
                rings=rings,
                lines=lines and bool(files.files),
                buffer_m=buffer,
                closures=closing.arcs(opened),
                device=chosen,
                threads=threads,
                progress=show,
                cancel=cancel,
            )
    if table is not None:
        found = replace(found, sources=tuple(place_name(places.places, row) for row in range(len(places))))
    files.print(json, lambda: _record(found), lambda: [console.facts_table(_title(found), _shown(found))])
    files.write(lambda path: found.save(path, crs))


def read_limit(word: str, flag: str) -> tuple[float, str]:
    """Return a limit and its unit, "" for the metric's own. Raises ``OptionError``, which names the option."""
    match = _CUT.fullmatch(word)
    if match is None or not float(match[1]) > 0:
        raise OptionError(f"{flag} takes limits above 0, such as 5min, 1.5h, 800m or 2km, not {word!r}")
    return float(match[1]), match[2] or ""


def in_metric(
    network: RoadNetwork, cuts: Sequence[tuple[float, str]], metric: str | None, flag: str
) -> tuple[str, list[float]]:
    """Return the name of the metric that limits are of, and the limits in its unit.

    Minutes are of a metric of time, and kilometres of one of length. Raises ``OptionError`` where there is none, and
    ``NetworkError`` for a metric that the network lacks.
    """
    units = {_UNITS[unit][0] for _, unit in cuts if unit}
    if len(units) > 1:
        raise OptionError(f"{flag} are all times or all lengths, not some of each")
    named = [network.metric(metric)] if metric is not None or not units else network.metrics
    fitting = [each for each in named if not units or each.unit in units]
    if not fitting:
        have = ", ".join(f"{each.name} in {each.unit or 'a unit of its own'}" for each in named)
        raise OptionError(
            f"{flag}: {network.name} has {have}, which is no {'time' if 's' in units else 'length'}: name a --metric "
            "that is, or give numbers in its own unit"
        )
    return fitting[0].name, [value * (_UNITS[unit][1] if unit else 1.0) for value, unit in cuts]


def _title(found: Isochrones) -> str:
    return f"Isochrones {'to' if found.reverse else 'from'} {found.network.name}"


MOST_SHOWN = 100
"""Areas that are printed: to print a thousand takes longer than to find them."""


def _shown(found: Isochrones) -> dict[str, str]:
    """Return what is printed of each area."""
    from wayfront_gui.features.isochrones.state import area_text
    from wayfront_gui.session.formatting import short

    shown = {}
    for each in found[:MOST_SHOWN]:
        begin, end = (short(found.metric, round(cut / found.metric.scale)) for cut in (each.beyond, each.within))
        source = "" if each.source < 0 or len(found.sources) == 1 else f"{found.sources[each.source]}: "
        limits = f"{begin} – {end}" if each.beyond else f"≤ {end}"
        area = area_text(each.area.square_metres)
        shown[f"{source}{limits}"] = f"{each.nodes:,} nodes, {each.road_m / 1e3:,.1f} km of road, {area}"
    if len(found) > MOST_SHOWN:
        shown[f"and {len(found) - MOST_SHOWN:,} more"] = "files and --json have all of them"
    return shown


def _record(found: Isochrones) -> dict[str, Any]:
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "network": found.network.name,
        "metric": found.metric.name,
        "reverse": found.reverse,
        "buffer_m": found.buffer_m,
        "isochrones": found.facts(),
    }
