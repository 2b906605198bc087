"""Several routes between two nodes that people would take for different ones, the shortest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

from wayfront.results.route import Route, save_routes
from wayfront.safe.errors import NetworkError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """A route, and how it differs from the shortest one and from those before it.

    via      the node (internal number) by which it was found: shortest paths lead there from the source, and on from
             there to the target; the target for the shortest route itself
    stretch  its distance as a multiple of the shortest one
    sharing  the share of the shortest distance that it has in common with the routes before it, 0 for the first
    """

    route: Route
    via: int
    stretch: float
    sharing: float


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """Routes from a source to a target, the shortest first; none where no path leads there.

    It counts, iterates and indexes as its ``found`` do.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=12&rows=9&seed=3")
        >>> ways = wayfront.alternatives(network, 0, 107, stretch=1.4)
        >>> [round(way.stretch, 2) for way in ways], len(ways.routes) == len(ways.to_geodataframe())
        ([1.0, 1.06, 1.1], True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ways.save(f"{folder}/ways.gpx")
    """

    found: tuple[Alternative, ...]

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes themselves."""
        return tuple(each.route for each in self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.found)

    @overload
    def __getitem__(self, index: int) -> Alternative: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Alternative, ...]: ...

    def __getitem__(self, index: int | slice) -> Alternative | tuple[Alternative, ...]:
        return self.found[index]

    def __repr__(self) -> str:
        if not self.found:
            return "<Alternatives: no path>"
        first = self.found[0].route
        told = ", ".join(first.metric.describe(each.route.distance) for each in self.found)
        return f"<Alternatives, {printable(first.network.name)}: {told}>"

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return a GeoPandas frame with a line for each route: ``rank``, ``cost``, ``stretch``, ``sharing``.

        It is in degrees, or in the coordinate reference system ``crs``. Raises ``NetworkError`` without path or map,
        and ``OptionError`` for what is no such system.
        """
        self._require_path()
        from wayfront.network.exporting import line_frame
        from wayfront.network.projection import projected

        columns = {
            "rank": list(range(1, len(self) + 1)),
            "cost": [each.route.cost for each in self.found],
            "stretch": [each.stretch for each in self.found],
            "sharing": [each.sharing for each in self.found],
        }
        return projected(line_frame(columns, [each.route.line for each in self.found]), crs)

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write the routes as ``wayfront.results.route.save_routes`` does: GeoJSON, GeoPackage or GPX.

        Raises ``OptionError`` for another suffix or system, ``NetworkError`` without path or map, and ``WriteError``.
        """
        self._require_path()
        save_routes(self.routes, path, crs)

    def _require_path(self) -> None:
        if not self.found:
            raise NetworkError("there is no path, so there is nothing to write")
