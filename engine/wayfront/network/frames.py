"""Tables of pandas and GeoPandas, made of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError

if TYPE_CHECKING:
    import geopandas
    import pandas

DEGREES = "EPSG:4326"
"""Longitude and latitude."""


def frame(columns: Mapping[str, Any], ids: NDArray[np.int64] | None = None) -> pandas.DataFrame:
    """Return a pandas frame of columns; ``ids`` of nodes become its index, ``node``."""
    import pandas

    index = None if ids is None else pandas.Index(ids, name="node")
    return pandas.DataFrame(dict(columns), index=index)


def integer_column(values: NDArray[np.integer], there: NDArray[np.bool_]) -> Any:
    """Return whole numbers as a pandas column; those that are not ``there`` are missing."""
    import pandas

    return pandas.arrays.IntegerArray(values.astype(np.int64), ~there)


def point_frame(table: pandas.DataFrame, coordinates: NDArray[np.int32] | None, name: str) -> geopandas.GeoDataFrame:
    """Return a table of nodes with a point for each. Raises ``NetworkError`` without coordinates."""
    import geopandas

    places = required(coordinates, name) / 1e6
    points = geopandas.points_from_xy(places[:, 0], places[:, 1])
    return geopandas.GeoDataFrame(table, geometry=points, crs=DEGREES)


def line_frame(columns: Mapping[str, Any], lines: Sequence[NDArray[np.float64]]) -> geopandas.GeoDataFrame:
    """Return a table with a line for each row: degrees of longitude and latitude, float64 [points, 2]."""
    import geopandas
    import shapely

    counts = [len(line) for line in lines]
    points = np.concatenate(lines) if lines else np.empty((0, 2))
    geometry = shapely.linestrings(points, indices=np.repeat(np.arange(len(lines)), counts)) if lines else []
    return geopandas.GeoDataFrame(dict(columns), geometry=geometry, crs=DEGREES)


def required(coordinates: NDArray[np.int32] | None, name: str) -> NDArray[np.int32]:
    """Return coordinates. Raises ``NetworkError`` where there are none."""
    if coordinates is None:
        raise NetworkError(f"{name} has no coordinates, so there is no geometry; to_pandas() needs none")
    return coordinates
