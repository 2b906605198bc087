"""A road network: nodes with coordinates, directed arcs, and the weight of each arc in one or more metrics.

The arcs that leave node ``u`` are ``offsets[u]:offsets[u + 1]`` of ``targets`` and of every metric's ``weights``
(Harish and Narayanan's V, E and W). Nodes have indices 0 … n−1 in an order chosen for memory locality;
users always see ``node_ids``, the file's own numbers.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.network import exporting
from wayfront.network.details import DETAILS, NodeNames, RoadNames, Shapes
from wayfront.network.projection import projected
from wayfront.network.schema import (
    ARCS,
    ARRAY_FIELDS,
    NO_PATH,
    WEIGHTS_DTYPES,
    arrays_of,
    check_network,
    check_node_count,
    digest,
    freeze,
    frozen_array,
    offsets_of,
    ranks_of,
)
from wayfront.pictures import Page, Picture, dragged, facts_shown, picture, shown_picture
from wayfront.safe.errors import NetworkError, NotInNetworkError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas
    import networkx
    import pandas
    import scipy.sparse

    from wayfront.network.details import Surroundings
    from wayfront.network.turn_changes import TurnChange

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
T = TypeVar("T")

_FORMS_OF_SHAPE = (
    "out_degrees",
    "tails",
    "in_arcs",
    "id_order",
    "copies",
    "offsets ",
    "targets ",
    "id order ",
    "id rank ",
)
"""How the keys of derived forms begin that depend on no weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """What arc weights measure.

    ``weights`` is int32 [m], each ≥ 0. ``weight * scale`` is the value in ``unit``. ``unit`` is ``""`` where
    the file does not say what its numbers mean.
    """

    name: str
    unit: str
    scale: float
    weights: Int32Array

    def frozen(self) -> Metric:
        """Return the same metric with read-only weights. Raises ``NetworkError`` for weights that do not fit int32."""
        return Metric(self.name, self.unit, float(self.scale), frozen_array(self.weights, WEIGHTS_DTYPES[0]))

    @property
    def raw_unit(self) -> str:
        """The unit of one weight as stored, for instance ``0.1 m``; without a unit ``unit``, or a number of these."""
        if not self.unit:
            return "unit" if self.scale == 1 else f"{self.scale:g}"
        return self.unit if self.scale == 1 else f"{self.scale:g} {self.unit}"

    def in_unit(self, weights: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return raw weights in ``unit``, float64: exactly as they were written where ``scale`` is 1, 0.1, 0.01 …"""
        parts = round(1 / self.scale)
        # 3 / 10 is 0.3, and 3 * 0.1 is not.
        whole = parts > 0 and abs(parts * self.scale - 1) < 1e-12
        return (
            np.divide(weights, parts, dtype=np.float64) if whole else np.multiply(weights, self.scale, dtype=np.float64)
        )

    def costs(self, distances: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return distances in raw weights in ``unit``, float64; infinite where they are −1, since no path leads there.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": ["a"], "target": ["b"], "weight": [0.3]})
        >>> network.metric().costs(wayfront.search(network, 1, "dijkstra", "cpu").distances).tolist()
        [inf, 0.0]
        """
        return np.where(distances == NO_PATH, np.inf, self.in_unit(distances))

    def raw_limit(self, value: float) -> float:
        """Return a limit in ``unit`` in raw weights: whole where only rounding says otherwise, as of 0.3 / 0.1.

        >>> import numpy as np
        >>> from wayfront.network.road_network import Metric
        >>> tenths = Metric("length", "m", 0.1, np.zeros(0, np.int32))
        >>> tenths.raw_limit(0.3), tenths.raw_limit(0.25)
        (3.0, 2.5)
        """
        limit = value / self.scale
        whole = float(np.rint(limit))
        return whole if abs(limit - whole) <= 1e-12 * whole else limit

    def describe(self, distance: int) -> str:
        """Return a distance as text, for instance ``12.3 km`` or ``1 h 04 min``."""
        value = int(distance) * self.scale
        if self.unit == "m":
            return f"{value:,.0f} m" if value < 1000 else f"{value / 1000:,.1f} km"
        if self.unit == "s":
            minutes, seconds = divmod(round(value), 60)
            hours, minutes = divmod(minutes, 60)
            if hours:
                return f"{hours} h {minutes:02d} min"
            return f"{minutes} min {seconds:02d} s"
        decimals = min(max(math.ceil(-math.log10(self.scale)), 0), 9)
        return f"{value:,.{decimals}f}".rstrip("0").rstrip(".") if decimals else f"{value:,.0f}"


_REVERSED, _REVERSED_OF = "reversed", "reversed of"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class RoadNetwork:
    """A frozen directed network with read-only arrays.

    offsets      int32 or int64 [n+1], rising from 0 to m
    targets      int32 [m], node indices
    metrics      one or more, each with int32 [m] weights ≥ 0
    node_ids     int64 [n]: the file's own ids, distinct but for copies of split nodes (``wayfront.network.copies``)
    coordinates  int32 [n, 2], longitude and latitude in microdegrees, or None (then there is no map)
    road_class   uint8 [m], index into ``schema.ROAD_CLASSES``, or None where it is unknown
    attribution  whom the data's licence asks to name, "" for nobody
    origin       the file or generator call it came from, for display and for reopening
    content_key  hexadecimal digest of all arrays: equal networks have equal keys on every machine
    road_names   the name of each arc's road, or None where it is unknown
    node_names   names of nodes for display, as those of a textbook's graph, or None where they have ids alone
    shapes       the points arcs pass between their ends, or None where arcs are straight
    data_date    day or moment of the data (ISO 8601), "" where it is unknown
    reading      options it was read with (``OsmOptions.describe``) for reopening, "" for formats without any
    notes        remarks for users on how it was read, one sentence each
    surroundings places, water and parks for the map, or None where the file's format has none; no part of what defines
                 the network
    turn_changes how its turns were changed since it was read, the first change first; no part of what defines it either

    Make one with ``RoadNetwork.from_arrays`` or ``from_arcs``, which check every invariant once and raise
    ``NetworkError``.

        >>> import numpy as np, wayfront
        >>> from wayfront.network.road_network import Metric
        >>> length = Metric("length", "m", 1.0, np.array([50, 70, 90], np.int32))
        >>> network = wayfront.RoadNetwork.from_arcs(
        ...     name="Town", node_count=3, tails=np.array([0, 1, 0]), heads=np.array([1, 2, 2]), metrics=[length],
        ...     node_ids=np.array([10, 20, 30]),
        ... )
        >>> network.node(20), network.node_name(1), network.metric("length").describe(1500)
        (1, '20', '1.5 km')
        >>> network.out_degrees().tolist(), network.tails().tolist(), network.in_arcs()[1].tolist()
        ([2, 1, 0], [0, 0, 1], [0, 1, 2])
        >>> placed = network.with_coordinates(np.array([[0, 0], [1000, 0], [2000, 0]]))
        >>> len(placed.to_geodataframes()[1]), placed.to_scipy().nnz
        (3, 3)
    """

    name: str
    offsets: NDArray[Any]
    targets: Int32Array
    metrics: tuple[Metric, ...]
    node_ids: Int64Array
    coordinates: Int32Array | None
    road_class: NDArray[np.uint8] | None
    attribution: str
    origin: str
    content_key: str
    road_names: RoadNames | None = None
    shapes: Shapes | None = None
    node_names: NodeNames | None = None
    data_date: str = ""
    notes: tuple[str, ...] = ()
    reading: str = ""
    surroundings: Surroundings | None = None
    turn_changes: tuple[TurnChange, ...] = ()
    _derived: dict[str, Any] = field(default_factory=dict, repr=False)

    # ---------------------------------------------------------------------------------------------- making

    @classmethod
    def from_arrays(
        cls,
        *,
        name: str,
        offsets: NDArray[Any],
        targets: NDArray[Any],
        metrics: Sequence[Metric],
        node_ids: NDArray[Any] | None = None,
        coordinates: NDArray[Any] | None = None,
        road_class: NDArray[Any] | None = None,
        attribution: str = "",
        origin: str = "",
        content_key: str = "",
        road_names: RoadNames | None = None,
        shapes: Shapes | None = None,
        node_names: NodeNames | None = None,
        data_date: str = "",
        notes: Sequence[str] = (),
    ) -> RoadNetwork:
        """Return a network from arrays in compressed rows, checked and read-only.

        Missing ``node_ids`` become 1 … n, as in DIMACS files. A ``content_key`` may be passed only by a
        reader that stored it beside these very arrays; they are checked all the same, but for ids that occur twice.
        Raises ``NetworkError``.

            >>> import numpy as np, wayfront
            >>> from wayfront.network.road_network import Metric
            >>> hops = Metric("hops", "", 1.0, np.ones(2, np.int32))
            >>> offsets, targets = np.array([0, 1, 2]), np.array([1, 0])
            >>> wayfront.RoadNetwork.from_arrays(name="Two", offsets=offsets, targets=targets, metrics=[hops])
            <RoadNetwork Two: 2 nodes, 2 arcs; hops in unit>
        """
        n = len(offsets) - 1
        network = cls(
            name=name,
            offsets=frozen_array(offsets, np.int32 if len(targets) < 2**31 else np.int64),
            targets=freeze("targets", targets),
            metrics=tuple(m.frozen() for m in metrics),
            node_ids=freeze("node_ids", np.arange(1, n + 1) if node_ids is None else node_ids),
            coordinates=None if coordinates is None else freeze("coordinates", coordinates),
            road_class=None if road_class is None else freeze("road_class", road_class),
            attribution=attribution,
            origin=origin,
            content_key=content_key,
            road_names=None if road_names is None else road_names.frozen(),
            shapes=None if shapes is None else shapes.frozen(),
            node_names=node_names,
            data_date=data_date,
            notes=tuple(notes),
        )
        return network._checked()

    def _checked(self) -> RoadNetwork:
        """Return the network with a content key. Raises ``NetworkError`` where the arrays do not form a network."""
        arrays = arrays_of(self)
        names = 0 if self.road_names is None else len(self.road_names.names)
        metrics = [(m.name, m.weights) for m in self.metrics]
        check_network(arrays, metrics, names, distinct_ids=not self.content_key)
        if self.content_key:
            return self
        key = digest(arrays, {f"{m.name}|{m.unit}|{m.scale!r}": m.weights for m in self.metrics})
        return replace(self, content_key=key)

    @classmethod
    def from_arcs(
        cls,
        *,
        name: str,
        node_count: int,
        tails: NDArray[Any],
        heads: NDArray[Any],
        metrics: Sequence[Metric],
        **others: Any,
    ) -> RoadNetwork:
        """Build a network from a list of arcs in any order (stable: a node's arcs keep the list's order).

        ``tails`` and ``heads`` are node indices [m]; arrays with a row per arc (weights, ``road_class``,
        ``road_names``, ``shapes``) are in the list's order. Other keywords are those of ``from_arrays``. Raises
        ``NetworkError``.
        """
        tails = np.asarray(tails)
        check_node_count(node_count)  # before an array of that length is made
        if len(tails) and not (int(tails.min()) >= 0 and int(tails.max()) < node_count):
            raise NetworkError(f"an arc starts at a node outside 0…{node_count - 1}")
        order = np.argsort(tails, kind="stable")
        per_arc = {field.attribute for field in ARRAY_FIELDS if field.counts == ARCS}
        for key, value in others.items():
            if value is not None and key in per_arc:
                others[key] = np.asarray(value)[order]
            elif value is not None and key in DETAILS:
                others[key] = value.reordered(order)
        return cls.from_arrays(
            name=name,
            offsets=offsets_of(np.bincount(tails, minlength=node_count)),
            targets=np.asarray(heads)[order],
            metrics=[Metric(m.name, m.unit, m.scale, np.asarray(m.weights)[order]) for m in metrics],
            **others,
        )

    # --------------------------------------------------------------------------------------------- reading

    @property
    def node_count(self) -> int:
        """Number of nodes, n."""
        return len(self.offsets) - 1

    @property
    def arc_count(self) -> int:
        """Number of directed arcs, m."""
        return len(self.targets)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that define the network, without derived forms."""
        names = dict.fromkeys(field.attribute.partition(".")[0] for field in ARRAY_FIELDS)
        held = [*(getattr(self, name) for name in names), *(metric.weights for metric in self.metrics)]
        return sum(array.nbytes for array in held if array is not None)

    @property
    def credit(self) -> str:
        """Attribution and data date for display, or an empty string."""
        of = f", data of {self.data_date[:10]}" if self.data_date else ""
        return f"{self.attribution}{of}" if self.attribution else ""

    def metric(self, name: str | None = None) -> Metric:
        """Return the metric of that name, or the first. Raises ``NotInNetworkError`` naming those there are."""
        if name is None:
            return self.metrics[0]
        if not isinstance(name, str):
            raise NetworkError(f"a metric is named by a text, not by {name!r}")
        wanted = name.replace("-", " ").replace("_", " ").lower()
        for metric in self.metrics:
            if metric.name == wanted:
                return metric
        known = ", ".join(m.name for m in self.metrics)
        raise NotInNetworkError(f"{self.name} has no metric {name!r}; it has: {known}")

    def node(self, node_id: int) -> int:
        """Return the index of the node that the file calls ``node_id``.

        Raises ``NetworkError`` when there is none.
        """
        if not isinstance(node_id, int | np.integer):
            raise NetworkError(
                f"an id is a whole number, not {node_id!r}; wayfront.find_node(network, text) reads texts"
            )
        order, _ = self.id_order()
        if self.node_count == 0:
            raise NotInNetworkError(f"{self.name} has no nodes")
        rank = int(np.searchsorted(self.node_ids, node_id, sorter=order))
        if rank == self.node_count or int(self.node_ids[order[rank]]) != node_id:
            low, high = int(self.node_ids[order[0]]), int(self.node_ids[order[-1]])
            raise NotInNetworkError(f"{self.name} has no node {node_id}; its ids lie between {low} and {high}")
        return int(order[rank])

    def node_name(self, node: int) -> str:
        """Return what people call a node: its name, or the file's id where it has none."""
        name = "" if self.node_names is None else self.node_names.names[node]
        return name or str(int(self.node_ids[node]))

    def out_degrees(self) -> Int32Array:
        """Return the number of arcs that leave each node, int32 [n]."""
        return self.derive("out_degrees", lambda: np.diff(self.offsets).astype(np.int32))

    def tails(self) -> Int32Array:
        """Return the tail of each arc, int32 [m]."""
        return self.derive("tails", lambda: np.repeat(np.arange(self.node_count, dtype=np.int32), self.out_degrees()))

    def in_arcs(self) -> tuple[NDArray[Any], Int32Array]:
        """Return (offsets [n+1] like the network's own, order int32 [m]): the arcs that enter each node.

        Those of node v are the arcs ``order[offsets[v]:offsets[v + 1]]``.
        """

        def make() -> tuple[NDArray[Any], Int32Array]:
            offsets = offsets_of(np.bincount(self.targets, minlength=self.node_count), self.offsets.dtype)
            return offsets, np.argsort(self.targets, kind="stable").astype(np.int32)

        return self.derive("in_arcs", make)

    def reversed(self) -> RoadNetwork:
        """Return the network with every arc turned round, made once in O(n + m): distances from a node are those to it.

        Nodes, ids and coordinates stay; metrics, road classes, names and shapes follow their arcs. Arc i is the arc
        ``in_arcs()[1][i]`` of this network; ``reversed_arcs`` maps the other way. The reversed one of that is this
        network. Its content key is made of this one's, and is no file's.

            >>> import wayfront
            >>> network = wayfront.from_pandas({"source": ["a", "a"], "target": ["b", "c"], "weight": [5, 8]})
            >>> back = network.reversed()
            >>> back.tails().tolist(), back.targets.tolist(), back.metric().weights.tolist()
            ([1, 2], [0, 0], [5, 8])
            >>> back.reversed() is network, network.reversed_arcs(network.in_arcs()[1]).tolist()
            (True, [0, 1])
        """
        original = self.unreversed
        return self.derive(_REVERSED, self._turned) if original is self else original

    @property
    def unreversed(self) -> RoadNetwork:
        """The network that this one is the reversed of, while that is in use; itself where it is not made so."""
        whole: weakref.ref[RoadNetwork] | None = self._derived.get(_REVERSED_OF)
        original = None if whole is None else whole()
        return self if original is None else original

    def reversed_arcs(self, arcs: NDArray[np.integer]) -> Int32Array:
        """Return the numbers that arcs, int [k], have in the reversed network, int32 [k]."""
        return self.derive("in_arcs rank", lambda: ranks_of(self.in_arcs()[1]))[arcs]

    def _turned(self) -> RoadNetwork:
        offsets, order = self.in_arcs()
        targets = self.tails()[order]
        targets.flags.writeable = False
        classes = None if self.road_class is None else self.road_class[order]
        if classes is not None:
            classes.flags.writeable = False
        return replace(
            self,
            offsets=offsets,
            targets=targets,
            metrics=tuple(Metric(m.name, m.unit, m.scale, m.weights[order]).frozen() for m in self.metrics),
            road_class=classes,
            road_names=None if self.road_names is None else self.road_names.reordered(order).frozen(),
            shapes=None if self.shapes is None else self.shapes.reordered(order, turned=True).frozen(),
            content_key=f"{self.content_key}-turned",
            _derived={
                "id_order": self.id_order(),
                "in_arcs": (self.offsets, self.reversed_arcs(np.arange(self.arc_count))),
                _REVERSED_OF: weakref.ref(self),  # and no circle that keeps both in memory
            },
        )

    def id_order(self) -> tuple[Int32Array, Int32Array]:
        """Return (order, rank), both int32 [n]: nodes by rising file id, and each node's rank in that order.

        Ties between equally good parents go to the smallest file id, so that the tree does not depend on how
        nodes were renumbered for memory.

            >>> import wayfront
            >>> network = wayfront.from_pandas({"source": [9], "target": [4]}, weight=None, nodes={"node": [9, 4]})
            >>> [array.tolist() for array in network.id_order()]
            [[1, 0], [1, 0]]
        """

        def make() -> tuple[Int32Array, Int32Array]:
            order = np.argsort(self.node_ids, kind="stable").astype(np.int32)
            return order, ranks_of(order)

        return self.derive("id_order", make)

    def distance_bound(self, metric: Metric) -> int:
        """Return a bound that no shortest distance exceeds: the sum of the n−1 largest weights.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": [1, 2], "target": [2, 3], "weight": [5, 8]})
        >>> network.distance_bound(network.metrics[0]), network.weight_range(network.metrics[0])
        (13, (5, 8))
        """

        def make() -> int:
            w, hops = metric.weights, max(self.node_count - 1, 0)
            if len(w) > hops:
                w = np.partition(w, len(w) - hops)[len(w) - hops :] if hops else w[:0]
            return int(w.sum(dtype=np.int64))

        return self.derive(f"bound {metric.name}", make)

    def weight_range(self, metric: Metric) -> tuple[int, int]:
        """Return the smallest and the largest weight, (0, 0) where there are no arcs."""

        def make() -> tuple[int, int]:
            return (int(metric.weights.min()), int(metric.weights.max())) if self.arc_count else (0, 0)

        return self.derive(f"range {metric.name}", make)

    def derive(self, key: str, make: Callable[[], T]) -> T:
        """Return the derived form called ``key``, making it at the first call; its arrays become read-only.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> network.derive("twice", lambda: network.node_count * 2), network.has_derived("twice")
        (12, True)
        >>> network.forget("twice")
        >>> network.has_derived("twice")
        False
        """
        held: T | None = self._derived.get(key)  # another thread may forget it at any time
        if held is not None:
            return held
        value = make()
        for array in value if isinstance(value, tuple) else (value,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        self._derived[key] = value
        return value

    def has_derived(self, key: str) -> bool:
        """Return whether the derived form called ``key`` is there."""
        return key in self._derived

    def forget(self, ending: str) -> None:
        """Drop the derived forms whose keys end so, of the reversed network too; they are made again where needed."""
        turned: RoadNetwork | None = self._derived.get(_REVERSED)
        if turned is not None:
            turned.forget(ending)
        for key in [key for key in list(self._derived) if key.endswith(ending)]:
            self._derived.pop(key, None)

    def with_coordinates(self, coordinates: NDArray[Any]) -> RoadNetwork:
        """Return the same network with other coordinates, int32 [n, 2] microdegrees, and straight arcs.

        Raises ``NetworkError``.
        """
        frozen = freeze("coordinates", coordinates)
        moved = replace(self, coordinates=frozen, shapes=None, content_key="", _derived={})
        return moved._checked()

    def reweighted(self, metric: Metric) -> RoadNetwork:
        """Return the same roads with one metric, whose weights need not be those of any file: nothing is checked.

        Forms that depend on no weights are shared.

            >>> import numpy as np, wayfront
            >>> from dataclasses import replace
            >>> network = wayfront.open_network("synthetic:ring?nodes=6")
            >>> hops = replace(network.metrics[0], name="hops", weights=np.ones(12, np.int32))
            >>> int(wayfront.search(network.reweighted(hops), 0, "dijkstra", "cpu").distances.max())
            3
        """
        shared = {key: value for key, value in list(self._derived.items()) if key.startswith(_FORMS_OF_SHAPE)}
        return replace(self, metrics=(metric,), _derived=shared)

    # -------------------------------------------------------------------------------------- what is nearest

    def nearest_nodes(self, X: ArrayLike, Y: ArrayLike, return_dist: bool = False) -> Any:  # noqa: N803 - as in OSMnx
        """Return the nodes nearest to points, internal numbers, int32 [k]; of one point, given as numbers, an int.

        ``X`` and ``Y`` are degrees of longitude and latitude. ``return_dist`` returns the metres to them as well.
        Raises ``NetworkError``, also for a network without coordinates.

            >>> import wayfront
            >>> ring = wayfront.open_network("synthetic:ring?nodes=6")
            >>> x, y = ring.coordinates[4] / 1e6
            >>> ring.nearest_nodes(x, y), ring.nearest_nodes([x], [y]).tolist()
            (4, [4])
        """
        from wayfront.network import nearest

        points, single = nearest.points_of(X, Y)
        return nearest.handed_out(*nearest.nearest_nodes(self, points), single, return_dist)

    def nearest_edges(self, X: ArrayLike, Y: ArrayLike, return_dist: bool = False) -> Any:  # noqa: N803
        """Return the arcs nearest to points, internal numbers, int32 [k]; of one point, given as numbers, an int.

        Of the arcs of a road the lowest is returned: ``tails()[arc]`` and ``targets[arc]`` are its ends, and
        ``wayfront.Places`` says where on the road a point is. The rest is as with ``nearest_nodes``.

            >>> import wayfront
            >>> ring = wayfront.open_network("synthetic:ring?nodes=6")
            >>> x, y = (ring.coordinates[0] + ring.coordinates[1]) / 2e6
            >>> arc = ring.nearest_edges(x, y)
            >>> sorted((int(ring.tails()[arc]), int(ring.targets[arc])))
            [0, 1]
        """
        from wayfront.network import nearest

        points, single = nearest.points_of(X, Y)
        roads = nearest.roads_of(self)
        found, _, metres = roads.tree.nearest(points)
        return nearest.handed_out(roads.first[roads.tree.owners[found]], metres, single, return_dist)

    # ------------------------------------------------------------------------------------------- handing on

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

    def drag(
        self,
        source: int | None = None,
        *,
        metric: str | None = None,
        device: str = "cpu",
        theme: str = "light",
        height: int = 480,
    ) -> Page:
        """Return a map whose source follows the mouse, in a notebook with the extra ``notebook``.

        The kernel makes the trees, on a device that ``wayfront.prepare`` takes; ``source`` is the node (internal
        number) where it begins, a central one by default. Raises what ``prepare`` and ``Result.show`` raise.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> network.drag(height=50)
            Traceback (most recent call last):
            wayfront.safe.errors.OptionError: a page is at least 100 pixels high, not 50
        """
        return dragged(self, source=source, metric=metric, device=device, theme=theme, height=height)

    def to_scipy(self, metric: str | None = None, *, raw: bool = False) -> scipy.sparse.csr_array:
        """Return the network as a SciPy CSR matrix [n, n] of weights, the lightest of parallel arcs; row i is node i.

        Weights are float64 in the metric's unit, and int64 where its scale is 1; ``raw`` leaves them as they are
        stored, int64. SciPy would add parallel arcs up, and reads an explicit 0 as "no arc" in some of its searches:
        zero weights stay stored, and self-loops are left out since no shortest path uses one.

            >>> import numpy as np, wayfront
            >>> wayfront.from_scipy(np.array([[0, 2.5], [0.5, 0]])).to_scipy().toarray().tolist()
            [[0.0, 2.5], [0.5, 0.0]]
        """
        csr_array = exporting.import_interop("scipy.sparse").csr_array
        measured = self.metric(metric)
        weights = measured.weights
        n, tails = self.node_count, self.tails()
        order = np.lexsort((weights, self.targets, tails))
        t, h = tails[order], self.targets[order]
        keep = np.ones(len(order), bool)
        keep[1:] = (t[1:] != t[:-1]) | (h[1:] != h[:-1])
        keep &= t != h
        offsets = offsets_of(np.bincount(t[keep], minlength=n))
        return csr_array((exporting.in_unit(measured, raw)[order][keep], h[keep], offsets), shape=(n, n))

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
        networkx = exporting.import_interop("networkx")
        has_map = self.coordinates is not None
        crs = {"crs": exporting.DEGREES} if has_map else {}
        graph = networkx.MultiDiGraph(name=self.name, attribution=self.attribution, **crs)
        labels, _ = exporting.labels_of(self)
        nodes = {name: column.tolist() for name, column in exporting.node_columns(self).items()}
        graph.add_nodes_from(zip(labels.tolist(), exporting.records(nodes, len(labels)), strict=True))
        ends = labels[self.tails()].tolist(), labels[self.targets].tolist()
        arcs = {"weight": exporting.in_unit(self.metric(metric), raw).tolist(), **exporting.osmnx_columns(self)}
        graph.add_edges_from(zip(*ends, exporting.records(arcs, len(self.targets)), strict=True))
        return graph

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
        nodes = exporting.frame(exporting.node_columns(self), exporting.labels_of(self)[0])
        return nodes, exporting.frame(exporting.arc_columns(self))

    def to_geodataframes(self, crs: object = None) -> tuple[geopandas.GeoDataFrame, geopandas.GeoDataFrame]:
        """Return the frames of ``to_pandas`` with geometry: points of nodes, and lines along the shapes of arcs.

        They are in degrees, or in the coordinate reference system ``crs``, such as "EPSG:2263". Raises ``NetworkError``
        where the network has no coordinates, and ``OptionError`` for what is no such system.
        """
        nodes = exporting.point_frame(self.to_pandas()[0], self.coordinates, self.name)
        arcs = exporting.line_frame(exporting.arc_columns(self), exporting.lines_of(self))
        return projected(nodes, crs), projected(arcs, crs)
