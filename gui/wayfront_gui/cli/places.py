"""Points of a person's table, for every command that takes some: ``--places FILE`` and what belongs to it.

A table is read before a network is opened, so that a wrong one is refused at once; then its points are put on the
nearest roads. Commands with several tables (``--from A.csv --to B.csv``) call ``read_places`` and ``put_on``.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from wayfront.network.conventions import LIMIT_M
from wayfront.safe.errors import NetworkError, OptionError
from wayfront_gui.cli import console
from wayfront_gui.cli.arguments import option

if TYPE_CHECKING:
    import numpy as np

    from wayfront.network.ends import Ends
    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.places.places import Places
    from wayfront.places.snapping import SnappedPlaces

TABLES = "CSV, Parquet, GeoJSON or GeoPackage, with columns such as lon,lat, x,y or wkt"
"""What tables of points are, for helps."""
_NAMED = 5
"""Places that are named where some are left out."""

LIMIT = option(LIMIT_M, "How far a place may be from the nearest road.", min=0, metavar="METRES")
CRS = option(
    None, "What the coordinates of places are, where they are no degrees and their file does not say.", "--places-crs",
    metavar="EPSG:CODE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlacesArguments:
    """A table of points in place of nodes."""

    places: str | None = option(None, f"Points to search from, on the nearest roads: {TABLES}.", metavar="FILE")
    limit: float = LIMIT
    places_crs: str | None = CRS

    def sources(
        self, table: Places, network: RoadNetwork, metric: Metric, cancel: Event, *, reverse: bool
    ) -> tuple[SnappedPlaces, Ends]:
        """Return the places that are near a road, and where a search from them begins, with ``reverse`` ends."""
        snapped = put_on(network, table, self.limit, cancel)
        near = snapped.chosen(snapped.on_road)
        return near, near.destinations(metric) if reverse else near.origins(metric)

    def read(self, nodes: object, cancel: Event) -> Places | None:
        """Return the places, None where there is no ``--places``.

        Raises as ``Places.read`` does, and ``OptionError`` where ``nodes`` were named as well.
        """
        if self.places is None:
            return None
        if nodes:
            raise OptionError("--places are the points to search from, so no node is one: leave one of them out")
        return read_places(self.places, self.places_crs, cancel)


def read_places(path: str, crs: str | None = None, cancel: Event | None = None) -> Places:
    """Read a table of points, showing progress. Raises as ``wayfront.Places.read`` does."""
    import wayfront

    with console.progress_bar() as show:
        places = wayfront.Places.read(path, crs=crs, progress=show, cancel=cancel)
    for note in places.notes:
        console.print_message(f"{path}: {note}")
    return places


def put_on(network: RoadNetwork, places: Places, limit: float, cancel: Event | None = None) -> SnappedPlaces:
    """Put places on a network, showing progress, and list on stderr those that are too far from every road.

    Raises ``NetworkError`` where none is near one, saying what might help.
    """
    with console.progress_bar() as show:
        snapped = places.on(network, limit_m=limit, progress=show, cancel=cancel)
    if len(snapped.far) == len(places):
        raise NetworkError(_none_near(network, snapped, limit))
    if len(snapped.far):
        named = ", ".join(place_name(places, row) for row in snapped.far[:_NAMED].tolist())
        more = f" and {len(snapped.far) - _NAMED:,} more" if len(snapped.far) > _NAMED else ""
        console.print_message(
            f"{len(snapped.far):,} of {len(places):,} places are left out, farther than {limit:,g} m from every road: "
            f"{named}{more}; --limit takes those within more metres"
        )
    return snapped


def place_name(places: Places, row: int) -> str:
    """Return what a place is called: its name, else its id."""
    from wayfront.safe.text import printable

    return printable(str(places.names[row] or places.ids[row]))


def _none_near(network: RoadNetwork, snapped: SnappedPlaces, limit: float) -> str:
    """Return why no place is near a road: the limit, columns in each other's place, or another region."""
    places, nearest = snapped.places, float(snapped.metres.min())
    count = "the place of" if len(places) == 1 else f"none of the {len(places):,} places of"
    verb = "is not" if len(places) == 1 else "is"
    said = f"{count} {places.title} {verb} within {limit:,g} m of a road of {network.name}"
    turned = _turned(places.coordinates)
    if len(turned):
        import wayfront

        swapped = wayfront.Places.from_arrays(*turned.T).on(network, limit_m=limit)
        if swapped.on_road.any():
            return f"{said}, unless longitude and latitude are exchanged: call the columns by what they hold"
    if nearest < 100 * max(limit, LIMIT_M):
        return f"{said}; the nearest is {nearest:,.0f} m away: --limit {nearest + 1:.0f} takes it"
    return f"{said}; the nearest is {nearest / 1000:,.0f} km away: they belong to another map, or need --places-crs"


def _turned(coordinates: np.ndarray) -> np.ndarray:
    """Return places with longitude and latitude exchanged, of those that are on the Earth then."""
    turned: np.ndarray = coordinates[:, ::-1]
    return turned[abs(turned[:, 1]) <= 90]
