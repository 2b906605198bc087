"""Where a network goes on elsewhere: SciPy, NetworkX and OSMnx, and tables of pandas and GeoPandas (``interop``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.details import NodeNames, RoadNames, Shapes
from wayfront.network.schema import ROAD_CLASSES, offsets_of
from wayfront.pictures import Picture, facts_shown, picture, shown_picture
from wayfront.safe.errors import MissingPackageError, NetworkError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas
    import networkx
    import pandas
    import scipy.sparse


OSMNX_NAMES = {"m": "length", "s": "travel_time"}
"""What OSMnx calls metres and seconds of its edges."""


class Exporting:
    """The part of ``RoadNetwork`` that hands it on; what it uses of it is declared here."""

    __slots__ = ()

    if TYPE_CHECKING:
        name: str
        offsets: NDArray[Any]
        targets: NDArray[np.int32]
        metrics: tuple[Any, ...]
        node_ids: NDArray[np.int64]
        coordinates: NDArray[np.int32] | None
        road_class: NDArray[np.uint8] | None
        road_names: RoadNames | None
        shapes: Shapes | None
        node_names: NodeNames | None
        notes: tuple[str, ...]
        attribution: str

        @property
        def node_count(self) -> int: ...  # noqa: D102 - see RoadNetwork
        @property
        def credit(self) -> str: ...  # noqa: D102
        def metric(self, name: str | None = None) -> Any: ...  # noqa: D102
        def tails(self) -> NDArray[np.int32]: ...  # noqa: D102

    def __repr__(self) -> str:
        size = f"{self.node_count:,} nodes, {len(self.targets):,} arcs"
        return f"<RoadNetwork {printable(self.name)}: {size}; {printable(self._metric_names)}>"

    @property
    def _metric_names(self) -> str:
        return ", ".join(f"{metric.name} in {metric.raw_unit}" for metric in self.metrics)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        facts = {"Nodes": f"{self.node_count:,}", "Arcs": f"{len(self.targets):,}", "Metrics": self._metric_names}
        facts |= {"Data": self.credit} if self.credit else {}
        facts |= {"Notes": " ".join(self.notes)} if self.notes else {}
        return facts_shown(self.name, facts, shown_picture(self, self))

    def plot(self, *, theme: str = "light", width: int = 960, height: int = 600, scale: float = 2.0) -> Picture:
        """Return a picture of the map, which a notebook shows; ``scale`` is how many pixels a point has.

        Raises ``OptionError`` for an unknown theme or an impossible size, or where the window's canvas is missing.

            >>> import wayfront
            >>> wayfront.open_network("synthetic:ring?nodes=5").plot(width=60, height=40).png[1:4]
            b'PNG'
        """
        return picture(self, step=None, theme=theme, width=width, height=height, scale=scale)

    def _labels(self) -> tuple[NDArray[Any], bool]:
        """Return what each node is called elsewhere, [n], and whether that is its name.

        It is where every node has a name of its own, else it is the file's id.
        """
        names = () if self.node_names is None else self.node_names.names
        if not names or "" in names or len(set(names)) < len(names):
            return self.node_ids, False
        labels = np.empty(len(names), object)
        labels[:] = names
        return labels, True

    def to_scipy(self, metric: str | None = None, *, raw: bool = False) -> scipy.sparse.csr_array:
        """Return the network as a SciPy CSR matrix [n, n] of weights, the lightest of parallel arcs; row i is node i.

        Weights are float64 in the metric's unit, and int64 where its scale is 1; ``raw`` leaves them as they are
        stored, int64. SciPy would add parallel arcs up, and reads an explicit 0 as "no arc" in some of its searches:
        zero weights stay stored, and self-loops are left out since no shortest path uses one.

            >>> import numpy as np, wayfront
            >>> wayfront.from_scipy(np.array([[0, 2.5], [0.5, 0]])).to_scipy().toarray().tolist()
            [[0.0, 2.5], [0.5, 0.0]]
        """
        csr_array = import_interop("scipy.sparse").csr_array
        measured = self.metric(metric)
        weights = measured.weights
        n, tails = self.node_count, self.tails()
        order = np.lexsort((weights, self.targets, tails))
        t, h = tails[order], self.targets[order]
        keep = np.ones(len(order), bool)
        keep[1:] = (t[1:] != t[:-1]) | (h[1:] != h[:-1])
        keep &= t != h
        offsets = offsets_of(np.bincount(t[keep], minlength=n))
        return csr_array((_in_unit(measured, raw)[order][keep], h[keep], offsets), shape=(n, n))

    def to_networkx(self, metric: str | None = None, *, raw: bool = False) -> networkx.MultiDiGraph[Any]:
        """Return the network as a ``networkx.MultiDiGraph``, which OSMnx takes too.

        Its nodes are the names of nodes, with the file's ``id``; where a name is missing or occurs twice, they are the
        ids, with ``name``. They have ``x`` and ``y`` in degrees where the network has coordinates, and the graph their
        ``crs``. Arcs have ``weight`` in the metric's unit (``raw``: as it is stored), ``length`` in metres,
        ``travel_time`` in seconds, ``name`` and ``geometry`` (with Shapely) where the network has them, and the graph
        the data's ``attribution``.

            >>> import wayfront
            >>> graph = wayfront.open_network("synthetic:ring?nodes=4").to_networkx()
            >>> graph.number_of_edges(), graph.graph["crs"]
            (8, 'EPSG:4326')
            >>> table = wayfront.from_pandas({"source": ["a"], "target": ["b"], "weight": [0.5]})
            >>> list(table.to_networkx().edges(data=True))
            [('a', 'b', {'weight': 0.5})]
        """
        networkx = import_interop("networkx")
        has_map = self.coordinates is not None
        crs = {"crs": DEGREES} if has_map else {}
        graph = networkx.MultiDiGraph(name=self.name, attribution=self.attribution, **crs)
        labels, _ = self._labels()
        nodes = {name: column.tolist() for name, column in self._node_columns().items()}
        graph.add_nodes_from(zip(labels.tolist(), _records(nodes, len(labels)), strict=True))
        ends = labels[self.tails()].tolist(), labels[self.targets].tolist()
        arcs = {"weight": _in_unit(self.metric(metric), raw).tolist(), **self._osmnx_columns()}
        graph.add_edges_from(zip(*ends, _records(arcs, len(self.targets)), strict=True))
        return graph

    def _osmnx_columns(self) -> dict[str, list[Any]]:
        """Return what arcs have in OSMnx: lengths, times, names, and the geometry of those that are not straight."""
        measured = {OSMNX_NAMES[m.unit]: m.in_unit(m.weights).tolist() for m in self.metrics if m.unit in OSMNX_NAMES}
        columns: dict[str, list[Any]] = {**measured}
        if self.road_names is not None:
            columns["name"] = [name or None for name in self._road_name_column()]
        if self.shapes is not None:
            try:
                lines = line_frame({}, self._lines()).geometry.tolist()
            except ImportError:
                return columns
            curved = (np.diff(self.shapes.offsets) > 0).tolist()
            columns["geometry"] = [line if bent else None for line, bent in zip(lines, curved, strict=True)]
        return columns

    def to_pandas(self) -> tuple[pandas.DataFrame, pandas.DataFrame]:
        """Return two pandas frames, of nodes and of arcs, in internal order.

        Nodes have their name as index (``node``) and the file's ``id``; where a name is missing or occurs twice, the id
        as index and ``name``. They have ``x`` and ``y`` in degrees. Arcs have ``source`` and ``target``, as in that
        index, each metric in its unit, and ``name`` and ``road_class`` where known.
        ``wayfront.from_pandas(arcs, weight=…, nodes=nodes)`` takes them back.

            >>> import wayfront
            >>> nodes, arcs = wayfront.open_network("synthetic:ring?nodes=4").to_pandas()
            >>> len(nodes), list(arcs)
            (4, ['source', 'target', 'weight'])
        """
        return frame(self._node_columns(), self._labels()[0]), frame(self._arc_columns())

    def to_geodataframes(self) -> tuple[geopandas.GeoDataFrame, geopandas.GeoDataFrame]:
        """Return the frames of ``to_pandas`` with geometry: points of nodes, and lines along the shapes of arcs.

        Raises ``NetworkError`` where the network has no coordinates.
        """
        nodes, _ = self.to_pandas()
        return point_frame(nodes, self.coordinates, self.name), line_frame(self._arc_columns(), self._lines())

    def _node_columns(self) -> dict[str, NDArray[Any]]:
        """Return what is known of each node beside what it is called."""
        columns: dict[str, NDArray[Any]] = {}
        if self._labels()[1]:
            columns["id"] = self.node_ids
        elif self.node_names is not None:
            columns["name"] = np.array(self.node_names.names, object)
        if self.coordinates is not None:
            columns |= {"x": self.coordinates[:, 0] / 1e6, "y": self.coordinates[:, 1] / 1e6}
        return columns

    def _arc_columns(self) -> dict[str, Any]:
        labels, _ = self._labels()
        columns: dict[str, Any] = {"source": labels[self.tails()], "target": labels[self.targets]}
        columns |= {metric.name.replace(" ", "_"): metric.in_unit(metric.weights) for metric in self.metrics}
        if self.road_names is not None:
            columns["name"] = self._road_name_column()
        if self.road_class is not None:
            columns["road_class"] = np.array(ROAD_CLASSES, object)[self.road_class]
        return columns

    def _road_name_column(self) -> NDArray[Any]:
        """Return the road name of each arc, "" for none: objects [m]."""
        assert self.road_names is not None
        return np.array([*self.road_names.names, ""], object)[self.road_names.of_arc]  # −1 is the last

    def _lines(self) -> list[NDArray[np.float64]]:
        """Return the line of each arc, degrees. Raises ``NetworkError`` without coordinates."""
        degrees = required(self.coordinates, self.name) / 1e6
        ends = np.stack((degrees[self.tails()], degrees[self.targets]), axis=1)
        if self.shapes is None:
            return list(ends)
        bounds, points = self.shapes.offsets.tolist(), self.shapes.points / 1e6
        return [
            np.concatenate((pair[:1], points[first:last], pair[1:])) if last > first else pair
            for pair, first, last in zip(ends, bounds[:-1], bounds[1:], strict=True)
        ]


def _in_unit(metric: Any, raw: bool) -> NDArray[Any]:
    """Return weights in their unit, float64 [m]; int64 where nothing changes them, or as they are stored."""
    return metric.weights.astype(np.int64) if raw or metric.scale == 1 else metric.in_unit(metric.weights)


def _records(columns: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
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
