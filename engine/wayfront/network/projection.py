"""Systems of coordinates other than degrees, such as a country's grid, by pyproj, which GeoPandas brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import DEGREES, import_interop
from wayfront.safe.errors import FormatError, NetworkError, OptionError
from wayfront.safe.text import printable, shortened

if TYPE_CHECKING:
    import geopandas

_DECIMALS, _DECIMALS_OF_DEGREES = 3, 7
_CALLED = ("epsg:4326", "4326", "ogc:crs84", "crs84", "wgs84", "wgs 84")
"""What degrees of longitude and latitude are called, in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Brings degrees of longitude and latitude into another coordinate reference system, x (east) before y (north).

    crs       the system, as pyproj has it
    name      what it was asked for by
    decimals  how many decimals of its unit are a millimetre, or a centimetre of degrees
    """

    crs: Any
    name: str
    decimals: int

    @classmethod
    def of(cls, crs: object) -> Projection | None:
        """Return the projection to whatever pyproj takes for a coordinate reference system; None stays None.

        Raises ``MissingPackageError`` without pyproj, and ``OptionError`` for what is no such system.

            >>> from wayfront.network.projection import Projection
            >>> import numpy as np
            >>> Projection.of("EPSG:3857").places(np.array([[180.0, 45.0]])).round().tolist()
            [[20037508.0, 5621521.0]]
        """
        if crs is None:
            return None
        pyproj = import_interop("pyproj")
        try:
            found = pyproj.CRS.from_user_input(crs)
        except pyproj.exceptions.CRSError:
            found = None
        if found is None or not (found.is_projected or found.is_geographic):
            raise OptionError(
                f"{shortened(crs)} is no coordinate reference system that pyproj knows: give one such as EPSG:2263"
            )
        authority = found.to_authority()
        name = ":".join(authority) if authority else found.name
        return cls(found, name, _DECIMALS if found.is_projected else _DECIMALS_OF_DEGREES)

    def places(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points given in degrees, [k, 2], in this system. Raises ``NetworkError`` where it has none for one."""
        pyproj = import_interop("pyproj")
        x, y = pyproj.Transformer.from_crs(DEGREES, self.crs, always_xy=True).transform(*degrees.T)
        places = np.stack((x, y), axis=1)
        beyond = np.flatnonzero(~np.isfinite(places).all(axis=1))
        if len(beyond):
            at = ", ".join(f"{value:g}" for value in degrees[beyond[0]])
            raise NetworkError(f"{self.name} has no coordinates for longitude and latitude {at}: choose another system")
        return places


def projected(frame: geopandas.GeoDataFrame, crs: object) -> geopandas.GeoDataFrame:
    """Return a frame in another coordinate reference system, or as it is for None.

    Raises ``MissingPackageError`` and ``OptionError`` as ``Projection.of`` does, and ``NetworkError`` where the system
    has no coordinates for a place.
    """
    projection = Projection.of(crs)
    if projection is None:
        return frame
    projection.places(frame.geometry.get_coordinates().to_numpy())
    return frame.to_crs(projection.crs)


def into_degrees(crs: object, path: Path | None) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
    """Return what brings points of a file, [k, 2], from its system into degrees, NaN for those that have none.

    None says that they are degrees already. Raises ``FormatError`` for what is no such system, and
    ``MissingPackageError`` without pyproj, unless the system is called by a usual name of degrees.
    """
    if str(crs).strip().lower() in _CALLED:
        return None
    pyproj = import_interop("pyproj")
    try:
        known = pyproj.CRS.from_user_input(crs)
        if known.to_epsg() == 4326:
            return None
        transformer = pyproj.Transformer.from_crs(known, DEGREES, always_xy=True)
    except pyproj.exceptions.ProjError as problem:
        raise FormatError(f"its coordinates cannot be turned into degrees: {printable(str(problem))}", path) from None

    def bring(points: NDArray[np.float64]) -> NDArray[np.float64]:
        degrees = np.column_stack(transformer.transform(*points.T))
        degrees[~np.isfinite(degrees).all(axis=1)] = np.nan
        return degrees

    return bring
