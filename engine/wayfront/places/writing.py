"""Write points as tables and layers: CSV, Parquet, GeoJSON, GeoPackage, in degrees or projected."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import DEGREES, import_interop
from wayfront.network.geopackage import GEOPACKAGE, Points, write_geopackage
from wayfront.network.projection import Projection, projected
from wayfront.safe.errors import MissingPackageError, OptionError
from wayfront.safe.files import write_text_whole, write_whole
from wayfront.safe.text import csv_columns

if TYPE_CHECKING:
    import geopandas

CSV, PARQUET, GEOJSON = ".csv", ".parquet", ".geojson"
SUFFIXES = (CSV, PARQUET, GEOJSON, GEOPACKAGE)


def point_frame(
    columns: Mapping[str, NDArray[Any]], coordinates: NDArray[np.float64], crs: Any = None
) -> geopandas.GeoDataFrame:
    """Return a frame of GeoPandas with columns and a point in each row, in degrees or projected.

    Raises ``MissingPackageError``, and what ``projected`` raises.
    """
    geopandas = import_interop("geopandas")
    lon, lat = coordinates.T
    frame = geopandas.GeoDataFrame(dict(columns), geometry=geopandas.points_from_xy(lon, lat), crs=DEGREES)
    return projected(frame, crs)


def save_points(
    path: str | Path,
    title: str,
    columns: Mapping[str, NDArray[Any]],
    coordinates: NDArray[np.float64],
    crs: Any = None,
) -> None:
    """Write columns and points to a file that appears whole or not at all, as its suffix says.

    Raises ``OptionError`` for another suffix, ``MissingPackageError`` and ``WriteError``.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(f"{path}: points are written as {', '.join(SUFFIXES)}")
    if suffix == GEOJSON and crs is not None:
        raise OptionError(f"{path}: GeoJSON is in degrees; write projected points as {GEOPACKAGE}")
    if suffix == CSV:
        table = dict(columns)
        projection = Projection.of(crs)
        if projection is not None:
            table["x"], table["y"] = projection.places(coordinates).T
        write_text_whole(path, csv_columns({name: column.tolist() for name, column in table.items()}))
        return
    of_one_kind = {name: _of_one_kind(column) for name, column in columns.items()}
    if suffix == GEOPACKAGE:
        write_geopackage(path, [Points(title, coordinates, {n: c.tolist() for n, c in of_one_kind.items()})], crs)
        return
    frame, packed = point_frame(of_one_kind, coordinates, crs), io.BytesIO()
    if suffix == PARQUET:
        try:
            frame.to_parquet(packed, compression="zstd")
        except ImportError:
            raise MissingPackageError(f'{path}: Parquet needs pyarrow: pip install "wayfront[parquet]"') from None
    else:
        import_interop("pyogrio").write_dataframe(frame, packed, driver="GeoJSON")
    with write_whole(path) as file:
        file.write(packed.getvalue())


def _of_one_kind(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of numbers or texts, and any other as texts: ids may be of several kinds, or dates."""
    if column.dtype.kind in "biufU" or all(isinstance(value, str) for value in column):
        return column
    return np.array([str(value) for value in column], object)
