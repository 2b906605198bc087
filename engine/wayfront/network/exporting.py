"""Where a network goes on elsewhere: SciPy, NetworkX and OSMnx, pandas, GeoPandas (extra ``interop``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.frames import DEGREES, frame, line_frame, point_frame, required
from wayfront.network.node_names import NodeNames
from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.schema import ROAD_CLASSES
from wayfront.notebook_tables import facts_shown
from wayfront.pictures import Picture, picture, shown_picture
from wayfront.plain_text import printable

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

    def to_scipy(self, metric: str | None = None) -> scipy.sparse.csr_array:
        """Return the network as a SciPy CSR matrix [n, n] of int64 weights, the lightest of parallel arcs.

        SciPy would add parallel arcs up, and reads an explicit 0 as "no arc" in some of its searches: zero
        weights stay stored, and self-loops are left out since no shortest path uses one.
        """
        from scipy.sparse import csr_array

        weights = self.metric(metric).weights
        n, tails = self.node_count, self.tails()
        order = np.lexsort((weights, self.targets, tails))
        t, h = tails[order], self.targets[order]
        keep = np.ones(len(order), bool)
        keep[1:] = (t[1:] != t[:-1]) | (h[1:] != h[:-1])
        keep &= t != h
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(t[keep], minlength=n), out=offsets[1:])
        return csr_array((weights[order][keep].astype(np.int64), h[keep], offsets), shape=(n, n))

    def to_networkx(self, metric: str | None = None) -> networkx.MultiDiGraph[Any]:
        """Return the network as a ``networkx.MultiDiGraph`` over file ids, which OSMnx takes too.

        Nodes have ``x`` and ``y`` in degrees where the network has coordinates, and the graph their ``crs``; arcs have
        ``weight`` as stored, ``length`` in metres, ``travel_time`` in seconds, ``name`` and ``geometry`` (with Shapely)
        where the network has them. Names of nodes are their ``name``, and the graph has the data's ``attribution``.

            >>> import wayfront
            >>> graph = wayfront.open_network("synthetic:ring?nodes=4").to_networkx()
            >>> graph.number_of_edges(), graph.graph["crs"]
            (8, 'EPSG:4326')
        """
        import networkx

        has_map = self.coordinates is not None
        crs = {"crs": DEGREES} if has_map else {}
        graph = networkx.MultiDiGraph(name=self.name, attribution=self.attribution, **crs)
        nodes: dict[str, Any] = {} if self.node_names is None else {"name": self.node_names.names}
        if self.coordinates is not None:
            nodes |= dict(zip("xy", (self.coordinates / 1e6).T.tolist(), strict=True))
        ids = self.node_ids.tolist()
        graph.add_nodes_from(zip(ids, _records(nodes, len(ids)), strict=True))
        ends = self.node_ids[self.tails()].tolist(), self.node_ids[self.targets].tolist()
        arcs = {"weight": self.metric(metric).weights.tolist(), **self._osmnx_columns()}
        graph.add_edges_from(zip(*ends, _records(arcs, len(self.targets)), strict=True))
        return graph

    def _osmnx_columns(self) -> dict[str, list[Any]]:
        """Return what arcs have in OSMnx: lengths, times, names, and the geometry of those that are not straight."""
        measured = {OSMNX_NAMES[m.unit]: (m.weights * m.scale).tolist() for m in self.metrics if m.unit in OSMNX_NAMES}
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

        Nodes have the file's id as index (``node``), ``name`` where they have names, and ``x`` and ``y`` in degrees.
        Arcs have ``source`` and ``target`` (ids), each metric in its unit, and ``name`` and ``road_class`` where known.
        ``wayfront.from_pandas(arcs, weight=…, nodes=nodes)`` takes them back.

            >>> import wayfront
            >>> nodes, arcs = wayfront.open_network("synthetic:ring?nodes=4").to_pandas()
            >>> len(nodes), list(arcs)
            (4, ['source', 'target', 'weight'])
        """
        nodes: dict[str, Any] = {}
        if self.node_names is not None:
            nodes["name"] = list(self.node_names.names)
        if self.coordinates is not None:
            nodes |= {"x": self.coordinates[:, 0] / 1e6, "y": self.coordinates[:, 1] / 1e6}
        return frame(nodes, self.node_ids), frame(self._arc_columns())

    def to_geodataframes(self) -> tuple[geopandas.GeoDataFrame, geopandas.GeoDataFrame]:
        """Return the frames of ``to_pandas`` with geometry: points of nodes, and lines along the shapes of arcs.

        Raises ``NetworkError`` where the network has no coordinates.
        """
        nodes, _ = self.to_pandas()
        return point_frame(nodes, self.coordinates, self.name), line_frame(self._arc_columns(), self._lines())

    def _arc_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"source": self.node_ids[self.tails()], "target": self.node_ids[self.targets]}
        columns |= {metric.name.replace(" ", "_"): metric.weights * metric.scale for metric in self.metrics}
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
        places = required(self.coordinates, self.name) / 1e6
        ends = np.stack((places[self.tails()], places[self.targets]), axis=1)
        if self.shapes is None:
            return list(ends)
        bounds, points = self.shapes.offsets.tolist(), self.shapes.points / 1e6
        return [
            np.concatenate((pair[:1], points[first:last], pair[1:])) if last > first else pair
            for pair, first, last in zip(ends, bounds[:-1], bounds[1:], strict=True)
        ]


def _records(columns: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """Yield a dictionary for each row, without what a row has not."""
    if not columns:
        yield from ({} for _ in range(count))
        return
    for values in zip(*columns.values(), strict=True):
        yield {key: value for key, value in zip(columns, values, strict=True) if value is not None}
