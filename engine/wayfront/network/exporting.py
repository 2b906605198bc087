"""What a network is elsewhere: columns for NetworkX and OSMnx, and tables of pandas and GeoPandas (``interop``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import begin_of, is_split
from wayfront.network.schema import ROAD_CLASSES
from wayfront.safe.errors import MissingPackageError, NetworkError

if TYPE_CHECKING:
    import geopandas
    import pandas

    from wayfront.network.road_network import Metric, RoadNetwork


OSMNX_NAMES = {"m": "length", "s": "travel_time"}
"""What OSMnx calls metres and seconds of its edges."""


def labels_of(network: RoadNetwork) -> tuple[NDArray[Any], bool]:
    """Return what each node is called elsewhere, [n], and whether that is its name.

    It is where every node has a name of its own, else it is the file's id; further copies of a split node are called
    ``id/2``, ``id/3`` …
    """
    names = () if network.node_names is None else network.node_names.names
    if not names or "" in names or len(set(names)) < len(names):
        return _told_apart(network), False
    labels = np.empty(len(names), object)
    labels[:] = names
    return labels, True


def _told_apart(network: RoadNetwork) -> NDArray[Any]:
    """Return the ids of nodes, as texts with a number for copies behind the first of a split node."""
    if not is_split(network):
        return network.node_ids
    labels, (_, rank) = network.node_ids.astype(object), network.id_order()
    number = rank - rank[begin_of(network, np.arange(network.node_count, dtype=np.int32))] + 1
    for node in np.flatnonzero(number > 1).tolist():
        labels[node] = f"{labels[node]}/{number[node]}"
    return labels


def node_columns(network: RoadNetwork) -> dict[str, NDArray[Any]]:
    """Return what is known of each node beside what it is called."""
    columns: dict[str, NDArray[Any]] = {}
    if labels_of(network)[1]:
        columns["id"] = network.node_ids
    elif network.node_names is not None:
        columns["name"] = np.array(network.node_names.names, object)
    if network.coordinates is not None:
        columns |= {"x": network.coordinates[:, 0] / 1e6, "y": network.coordinates[:, 1] / 1e6}
    return columns


def column_name(metric: Metric) -> str:
    """Return what a column of a metric is called in tables."""
    return metric.name.replace(" ", "_")


def arc_columns(network: RoadNetwork) -> dict[str, Any]:
    """Return what is known of each arc: the nodes at its ends, each metric in its unit, its road."""
    labels, _ = labels_of(network)
    columns: dict[str, Any] = {"source": labels[network.tails()], "target": labels[network.targets]}
    columns |= {column_name(metric): metric.in_unit(metric.weights) for metric in network.metrics}
    if network.road_names is not None:
        columns["name"] = road_name_column(network)
    if network.road_class is not None:
        columns["road_class"] = np.array(ROAD_CLASSES, object)[network.road_class]
    return columns


def osmnx_columns(network: RoadNetwork) -> dict[str, list[Any]]:
    """Return what arcs have in OSMnx: lengths, times, names, and the geometry of those that are not straight."""
    measured = {OSMNX_NAMES[m.unit]: m.in_unit(m.weights).tolist() for m in network.metrics if m.unit in OSMNX_NAMES}
    columns: dict[str, list[Any]] = {**measured}
    if network.road_names is not None:
        columns["name"] = [name or None for name in road_name_column(network)]
    if network.shapes is not None:
        try:
            lines = line_frame({}, lines_of(network)).geometry.tolist()
        except ImportError:
            return columns
        curved = (np.diff(network.shapes.offsets) > 0).tolist()
        columns["geometry"] = [line if bent else None for line, bent in zip(lines, curved, strict=True)]
    return columns


def road_name_column(network: RoadNetwork) -> NDArray[Any]:
    """Return the road name of each arc, "" for none: objects [m]."""
    assert network.road_names is not None
    return np.array([*network.road_names.names, ""], object)[network.road_names.of_arc]  # −1 is the last


def lines_of(network: RoadNetwork) -> list[NDArray[np.float64]]:
    """Return the line of each arc, degrees. Raises ``NetworkError`` without coordinates."""
    degrees = required(network.coordinates, network.name) / 1e6
    ends = np.stack((degrees[network.tails()], degrees[network.targets]), axis=1)
    if network.shapes is None:
        return list(ends)
    bounds, points = network.shapes.offsets.tolist(), network.shapes.points / 1e6
    return [
        np.concatenate((pair[:1], points[first:last], pair[1:])) if last > first else pair
        for pair, first, last in zip(ends, bounds[:-1], bounds[1:], strict=True)
    ]


def in_unit(metric: Metric, raw: bool) -> NDArray[Any]:
    """Return weights in their unit, float64 [m]; int64 where nothing changes them, or as they are stored."""
    return metric.weights.astype(np.int64) if raw or metric.scale == 1 else metric.in_unit(metric.weights)


def records(columns: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """Yield a dictionary for each row, without what a row has not."""
    if not columns:
        yield from ({} for _ in range(count))
        return
    for values in zip(*columns.values(), strict=True):
        yield {key: value for key, value in zip(columns, values, strict=True) if value is not None}


DEGREES = "EPSG:4326"
"""Longitude and latitude."""


def import_interop(module: str) -> Any:
    """Import and return a module of another library, which the extra ``interop`` installs.

    Raises ``MissingPackageError`` with what to install where it is missing.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingPackageError(f'this needs {missing.name}: pip install "wayfront[interop]"') from None


def frame(columns: Mapping[str, Any], labels: NDArray[Any] | None = None) -> pandas.DataFrame:
    """Return a pandas frame of columns; ``labels`` of nodes, ids or names, become its index, ``node``."""
    pandas = import_interop("pandas")
    index = None if labels is None else pandas.Index(labels, name="node")
    return pandas.DataFrame(dict(columns), index=index)


def integer_column(values: NDArray[np.integer], there: NDArray[np.bool_]) -> Any:
    """Return whole numbers as a pandas column; those that are not ``there`` are missing."""
    pandas = import_interop("pandas")
    return pandas.arrays.IntegerArray(values.astype(np.int64), ~there)


def node_column(table: pandas.DataFrame, nodes: NDArray[np.integer]) -> Any:
    """Return internal node numbers as a column of what the frame's index calls them; it is missing where one is −1."""
    there, labels = nodes >= 0, table.index.to_numpy()[nodes]
    return integer_column(labels, there) if labels.dtype.kind == "i" else np.where(there, labels, None)


def point_frame(table: pandas.DataFrame, coordinates: NDArray[np.int32] | None, name: str) -> geopandas.GeoDataFrame:
    """Return a table of nodes with a point for each. Raises ``NetworkError`` without coordinates."""
    geopandas = import_interop("geopandas")
    x, y = (required(coordinates, name) / 1e6).T
    return geopandas.GeoDataFrame(table, geometry=geopandas.points_from_xy(x, y), crs=DEGREES)


def line_frame(columns: Mapping[str, Any], lines: Sequence[NDArray[np.float64]]) -> geopandas.GeoDataFrame:
    """Return a table with a line for each row: degrees of longitude and latitude, float64 [points, 2]."""
    geopandas = import_interop("geopandas")
    shapely = import_interop("shapely")
    counts = [len(line) for line in lines]
    points = np.concatenate(lines) if lines else np.empty((0, 2))
    geometry = shapely.linestrings(points, indices=np.repeat(np.arange(len(lines)), counts)) if lines else []
    return geopandas.GeoDataFrame(dict(columns), geometry=geometry, crs=DEGREES)


def required(coordinates: NDArray[np.int32] | None, name: str) -> NDArray[np.int32]:
    """Return coordinates. Raises ``NetworkError`` where there are none."""
    if coordinates is None:
        raise NetworkError(f"{name} has no coordinates, so there is no geometry; to_pandas() needs none")
    return coordinates
