"""``--isochrones``: bands of distance or time round the sources of a search, for ``solve`` and ``render``."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import MissingPackageError, NetworkError, OptionError
from wayfront.safe.options import AUTO
from wayfront_gui.cli.arguments import option

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.features.isochrones.files import Bands
    from wayfront_gui.features.isochrones.state import Reach

SUFFIXES = (".geojson", ".gpkg", ".csv")
"""Suffixes of files of areas, and of a table of them."""
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
    _metres_or_seconds(width)
    if find_spec("contourpy") is None:
        raise MissingPackageError("areas need ContourPy: pip install 'wayfront-engine[window]'")


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
        sources = tuple(found.sources.tolist())
        reach = Reach(network, metric, sources, found.distances, found.nearest, found.closures)
    else:
        reach = Reach.of(network, metric, [found.source], [found.distances], found.closures)
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
