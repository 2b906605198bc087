"""Flows: what every arc and node of a network carries when demand is sent along shortest paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import begin_of, end_of, is_split, one_of_each, turn_arcs
from wayfront.network.exporting import (
    frame,
    labels_of,
    line_frame,
    lines_of,
    node_columns,
    point_frame,
    required,
    road_name_column,
)
from wayfront.network.geopackage import GEOPACKAGE, Points
from wayfront.network.nearest import roads_of
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ROAD_CLASSES
from wayfront.places.writing import save_points
from wayfront.results.access import Decay
from wayfront.results.arc_files import listed, save_arcs
from wayfront.results.layers import GEOJSON, check_projectable
from wayfront.results.node_files import CSV, PARQUET
from wayfront.safe.errors import CertificateError, NetworkError, OptionError
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_columns, printable

if TYPE_CHECKING:
    import geopandas
    import pandas

ONE, ALL = "one", "all"
"""Rules of ties: one path carries all trips of a pair, or all its shortest paths carry the same share."""

SUFFIXES = (GEOPACKAGE, PARQUET, GEOJSON, CSV)

_NEAR = 1e-9
"""By how much sums in floating point may differ, as a share of what is added up."""


@dataclass(frozen=True, slots=True, eq=False)
class Roads:
    """The r roads of a network, both directions together: tables and drawings have a row for each.

    arcs         int64 [r]: the lowest arc of each, in whose direction it runs
    flow         [r]: what it carries both ways; ``ahead`` and ``back`` are each way's
    """

    arcs: NDArray[np.int64]
    flow: NDArray[Any]
    ahead: NDArray[Any]
    back: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Flows:
    """What each of m arcs and n nodes carries when demand is sent along shortest paths. Arrays are read-only.

    ties        "one" path carries all trips of a pair, or "all" its shortest paths carry the same share
    arc_flow    [m]: int64 for one path and one trip a pair, else float64; 0 on closed arcs and loops
    through     float64 [n]: what passes a node and neither starts nor ends there: its betweenness
    starts      float64 [n]: demand that leaves a node; ``ends``: that arrives there
    trips       all demand that arrives, and ``unreached`` what does not: no way leads there, or none within the radius
    distance    the sum of demand times distance, in raw weights, an int where flows are whole; None where no distance
                was added up
    sources     int32 [s]: the nodes that demand leaves from
    radius      pairs farther apart count nowhere, in the metric's unit; None for no limit
    decay       how demand falls with distance; None for not at all
    closures    int64, rising: closed arcs
    figures     of each source, float64 [s], in the metric's unit: how many nodes it can ``reach``, the sum of their
                distances (``farness``), ``closeness`` (Wasserman–Faust), the sum of 1 / distance (``harmonic``), and
                the mean of straight line / distance (``straightness``, lengths on a map only); empty if not asked for
    seconds     how long each part took; ``device`` on what

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> found = wayfront.flows(network, device="cpu")
        >>> found.trips, found.arc_flow.dtype, int(found.arc_flow.sum())
        (30.0, dtype('int64'), 62)
        >>> found.verify()
        >>> found.betweenness().round(3).tolist() == (found.through / 20).round(3).tolist()
        True
        >>> found.edge_betweenness().sum().round(6), int(found.roads().flow.max())
        (np.float64(2.066667), 16)
        >>> list(found.to_pandas()), len(found.to_geodataframe())
        (['tail', 'head', 'flow', 'flow_ahead', 'flow_back'], 6)
        >>> list(found.nodes_to_pandas()), len(found.nodes_to_geodataframe())
        (['x', 'y', 'through', 'starts', 'ends'], 6)
    """

    network: RoadNetwork
    metric: Metric
    ties: str
    arc_flow: NDArray[Any]
    through: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    trips: float
    unreached: float
    distance: int | float | None
    sources: NDArray[np.int32]
    radius: float | None
    decay: Decay | None
    closures: NDArray[np.int64]
    figures: Mapping[str, NDArray[np.float64]]
    seconds: Mapping[str, float]
    device: str

    def __repr__(self) -> str:
        return f"<Flows of {self.trips:,.12g} trips, {printable(self.network.name)}>"

    # ------------------------------------------------------------------------------------------------ centralities

    def betweenness(self, *, normalized: bool = True, endpoints: bool = False) -> NDArray[np.float64]:
        """Return the betweenness of nodes, float64 [n]: the shares of pairs whose shortest paths pass them.

        As ``networkx.betweenness_centrality`` on the directed graph, where flows are those of ``ties="all"`` and one
        trip a pair: divided by (n − 1)(n − 2), or with ``endpoints``, which count as passed, by n(n − 1), unless not
        ``normalized``. Freeman, A set of measures of centrality based on betweenness, Sociometry 40, 1977. All copies
        of a split node have what passes the node, and n is the number of nodes before any was split.
        """
        n = int(one_of_each(self.network).sum())
        through, starts, ends = self._at_nodes()
        passed = through + starts + ends if endpoints else through
        pairs = n * (n - 1) if endpoints else (n - 1) * (n - 2)
        return passed / pairs if normalized and pairs > 0 else passed.copy()

    def edge_betweenness(self, *, normalized: bool = True) -> NDArray[np.float64]:
        """Return the betweenness of arcs, float64 [m], as ``networkx.edge_betweenness_centrality`` has it."""
        n = int(one_of_each(self.network).sum())
        return self.arc_flow / (n * (n - 1)) if normalized and n > 1 else self.arc_flow.astype(np.float64)

    def _at_nodes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return what passes, starts and ends at nodes, float64 [n] each: all copies of split ones together at each."""
        network = self.network
        if not is_split(network):
            return self.through, self.starts, self.ends
        n = network.node_count
        node = begin_of(network, np.arange(n, dtype=np.int32))
        flow = np.where(turn_arcs(network), 0.0, self.arc_flow)
        starts, ends = (
            np.bincount(node, numbers, minlength=n).astype(np.float64) for numbers in (self.starts, self.ends)
        )
        through = np.bincount(node[network.targets], flow, minlength=n) - ends
        return np.maximum(through, 0.0)[node], starts[node], ends[node]

    def roads(self) -> Roads:
        """Return what each road carries, both ways together; turns within a split node are none."""
        network = self.network
        if network.coordinates is not None and network.arc_count:
            known = roads_of(network)
            first, of_arc, ahead = known.first.astype(np.int64), known.of_arc.astype(np.int64), known.ahead
        else:
            tails, heads = network.tails().astype(np.int64), network.targets
            pair = np.minimum(tails, heads) * network.node_count + np.maximum(tails, heads)
            _, first, of_arc = np.unique(pair, return_index=True, return_inverse=True)
            ahead = network.tails() == network.tails()[first[of_arc]]
        both = [np.zeros(len(first), self.arc_flow.dtype) for _ in range(2)]
        for total, way in zip(both, (ahead, ~ahead), strict=True):
            np.add.at(total, of_arc[way], self.arc_flow[way])
        roads = ~turn_arcs(network)[first]
        return Roads(first[roads], (both[0] + both[1])[roads], both[0][roads], both[1][roads])

    # ----------------------------------------------------------------------------------------------------- proving

    def verify(self) -> None:
        """Prove the flows: raises ``CertificateError`` with what is wrong.

        The sum of flow times weight is the sum of demand times distance, exactly where flows are whole: so nothing
        takes a way that is longer than the shortest. (Where ``distance`` is None, ``wayfront.flows`` finds it by other
        means, if asked to ``verify``.) At every node what comes in and starts is what goes on and ends; what passes is
        the difference. Nothing is on closed roads, and nothing is below 0.
        """
        problem = self._problem()
        if problem:
            raise CertificateError(f"the flows of {self.network.name} are wrong: {problem}")

    def _problem(self) -> str:
        network, n, flow = self.network, self.network.node_count, self.arc_flow
        if flow.shape != (network.arc_count,) or any(a.shape != (n,) for a in (self.through, self.starts, self.ends)):
            return "its arrays are not of the network's arcs and nodes"
        if not np.isfinite(flow).all() or (flow < 0).any() or not (self.through >= -_NEAR * (1 + self.trips)).all():
            return "a flow is below 0, or no number"
        if flow[self.closures].any():
            return f"closed arc {int(self.closures[np.argmax(flow[self.closures] != 0)])} carries something"
        return self._sum_problem() or self._conservation_problem()

    @property
    def _whole(self) -> bool:
        return self.arc_flow.dtype.kind == "i"

    def _sum_problem(self) -> str:
        """Return in which way flows times weights are not demand times distances, or an empty string."""
        used = np.flatnonzero(self.arc_flow)
        flow, weights, asked = self.arc_flow[used], self.metric.weights[used], self.distance
        if asked is None:
            return ""
        if self._whole:
            travelled: int | float = int(np.dot(flow.astype(object), weights.astype(object))) if len(used) else 0
            near = travelled == asked
        else:
            travelled = float(np.dot(flow, weights))
            near = abs(travelled - asked) <= _NEAR * max(abs(travelled), abs(asked))
        return "" if near else f"flows times weights are {travelled:,}, and demand times distances {asked:,}"

    def _conservation_problem(self) -> str:
        """Return where what comes in is not what passes or ends, or an empty string."""
        network, n = self.network, self.network.node_count
        coming = np.bincount(network.targets, self.arc_flow, minlength=n)
        going = np.bincount(network.tails(), self.arc_flow, minlength=n)
        into, out = coming - self.ends - self.through, going - self.starts - self.through
        for verb, left in (("comes into", into), ("leaves", out)):
            wrong = np.abs(left) > (0.0 if self._whole else _NEAR * (coming + going + self.ends + self.starts))
            if wrong.any():
                node = int(np.argmax(wrong))
                return f"what {verb} node {network.node_ids[node]} differs by {left[node]:g} from what passes and stays"
        if abs(self.ends.sum() - self.trips) > _NEAR * self.trips:
            return f"{self.ends.sum():,} trips arrive, not {self.trips:,}"
        return ""

    # ------------------------------------------------------------------------------------------------------ tables

    def _road_columns(self, roads: Roads) -> dict[str, NDArray[Any]]:
        network, arcs = self.network, roads.arcs
        labels, _ = labels_of(network)
        columns: dict[str, NDArray[Any]] = {
            "tail": labels[begin_of(network, network.tails()[arcs])],
            "head": labels[begin_of(network, network.targets[arcs])],
        }
        if network.road_names is not None:
            columns["name"] = road_name_column(network)[arcs]
        if network.road_class is not None:
            columns["road_class"] = np.array(ROAD_CLASSES, object)[network.road_class[arcs]]
        return columns | {"flow": roads.flow, "flow_ahead": roads.ahead, "flow_back": roads.back}

    def _node_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of nodes, a row for each that is ``one_of_each``."""
        network = self.network
        columns = dict(zip(("through", "starts", "ends"), self._at_nodes(), strict=True))
        for name, values in self.figures.items():
            column = np.full(network.node_count, np.nan)
            column[end_of(network, self.sources)] = values
            columns[name] = column
        each = one_of_each(network)
        return {name: column[each] for name, column in columns.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a frame with a row for each road: the ids of its ends, name and class, and flows (extra ``interop``).

        ``flow`` is that of both ways, ``flow_ahead`` that from tail to head and ``flow_back`` that against it.
        """
        return frame(self._road_columns(self.roads()))

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with the line of each road, in degrees or in the system ``crs``.

        Raises ``NetworkError`` without coordinates, and ``OptionError`` for what is no coordinate reference system.
        """
        lines, roads = lines_of(self.network), self.roads()
        return projected(line_frame(self._road_columns(roads), [lines[arc] for arc in roads.arcs.tolist()]), crs)

    def nodes_to_pandas(self) -> pandas.DataFrame:
        """Return a frame of the nodes in internal order, ids or names as index: what passes, starts and ends.

        Figures are columns too, missing for nodes that are no source. Split nodes have one row.
        """
        network, each = self.network, np.flatnonzero(one_of_each(self.network))
        labels = labels_of(network)[0][begin_of(network, each)]
        known = {name: column[each] for name, column in node_columns(network).items()}
        return frame(known | self._node_columns(), labels)

    def nodes_to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``nodes_to_pandas`` with a point for each node; errors as of ``to_geodataframe``."""
        places = self.network.coordinates
        places = None if places is None else places[one_of_each(self.network)]
        return projected(point_frame(self.nodes_to_pandas(), places, self.network.name), crs)

    # ------------------------------------------------------------------------------------------------------- files

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write the roads of ``to_pandas``, whole or not at all: .gpkg (and nodes), .geojson, .parquet or .csv.

        Coordinates are in degrees, or in the system ``crs`` where the format has others. Raises ``OptionError`` for
        another suffix or system, ``NetworkError`` for lines without coordinates, ``MissingPackageError`` and
        ``WriteError``.

            >>> import pathlib, tempfile, wayfront
            >>> found = wayfront.flows(wayfront.open_network("synthetic:ring?nodes=6"), device="cpu")
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     found.save(path := pathlib.Path(folder, "flows.csv"))
            ...     path.read_text().split()[0]
            'tail,head,flow,flow_ahead,flow_back'
        """
        mapped, roads = self.network.coordinates is not None, self.roads()
        save_arcs(
            self.network,
            self._road_columns(roads),
            path,
            crs,
            arcs=roads.arcs,
            beside=self._points,
            framed=lambda: self.to_geodataframe(crs) if mapped else self.to_pandas(),
        )

    def _points(self) -> Points:
        each = one_of_each(self.network)
        columns: dict[str, list[Any]] = {"node": self.network.node_ids[each].tolist()}
        columns |= {name: listed(values) for name, values in self._node_columns().items()}
        degrees = required(self.network.coordinates, self.network.name)[each] / 1e6
        return Points("nodes", degrees, columns, self.network.credit)

    def save_nodes(self, path: str | Path, crs: object = None) -> None:
        """Write the nodes of ``nodes_to_pandas``, as ``save`` does roads.

        >>> import pathlib, tempfile, wayfront
        >>> found = wayfront.flows(wayfront.open_network("synthetic:ring?nodes=6"), figures=True, device="cpu")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save_nodes(path := pathlib.Path(folder, "nodes.csv"))
        ...     path.read_text().split()[0]
        'node,through,starts,ends,reach,farness,closeness,harmonic,lon,lat'
        """
        suffix = _checked_suffix(path, crs)
        each = one_of_each(self.network)
        columns = {"node": self.network.node_ids[each], **self._node_columns()}
        if (coordinates := self.network.coordinates) is not None:
            degrees = coordinates[each] / 1e6
            if suffix == CSV:
                columns |= {"lon": degrees[:, 0], "lat": degrees[:, 1]}
            save_points(path, "nodes", columns, degrees, crs)
        elif suffix == CSV:
            write_text_whole(path, csv_columns({name: column.tolist() for name, column in columns.items()}))
        else:
            raise NetworkError(f"{self.network.name} has no coordinates, so there are no points: write a .csv")


def _checked_suffix(path: str | Path, crs: object) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(f"{path}: unknown suffix; flows are written as {', '.join(SUFFIXES)}")
    check_projectable(path, crs)
    return suffix
