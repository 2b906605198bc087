"""Make a network of nodes and arcs that another library holds in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.interop.weights import whole_weights
from wayfront.network.node_names import NodeNames
from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.plain_text import printable

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class Weights:
    """One metric as another library has it: its numbers, [m], the unit of these, and how they may be rounded."""

    name: str
    values: Any
    unit: str = ""
    scale: float | None = None
    lossy: bool = False


@dataclass(slots=True)
class Parts:
    """What a network is made of. ``tails`` and ``heads`` are positions in ``labels``, the nodes as they are called.

    ``places`` are degrees of longitude and latitude, float64 [n, 2], or None.
    """

    name: str
    labels: Sequence[Any] | NDArray[Any]
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    weights: Sequence[Weights]
    undirected: bool = False
    places: NDArray[np.float64] | None = None
    road_names: RoadNames | None = None
    shapes: Shapes | None = None
    attribution: str = ""
    notes: list[str] = field(default_factory=list)

    def arc_name(self, arc: int) -> str:
        """Return what people call an arc: the nodes at its ends."""
        return f"the arc from {self.labels[self.tails[arc]]} to {self.labels[self.heads[arc]]}"


def make_network(parts: Parts) -> RoadNetwork:
    """Return the network; of undirected edges both arcs. Raises ``NetworkError`` and ``OptionError``."""
    ids, names = node_ids_and_names(parts.labels)
    notes, metrics = list(parts.notes), []
    for given in parts.weights:
        whole = whole_weights(given.values, given.scale, lossy=given.lossy, what=given.name, naming=parts.arc_name)
        notes += [whole.note] if whole.note else []
        metrics.append(Metric(given.name, given.unit, whole.scale, _both(whole.weights, parts).astype(np.int32)))
    if parts.undirected and (parts.road_names is not None or parts.shapes is not None):
        raise NetworkError("names and shapes of roads belong to directed arcs: give a directed graph")
    return RoadNetwork.from_arcs(
        name=parts.name,
        node_count=len(ids),
        tails=_joined(parts.tails, parts.heads, parts),
        heads=_joined(parts.heads, parts.tails, parts),
        metrics=metrics,
        node_ids=ids,
        node_names=names,
        coordinates=None if parts.places is None else microdegrees(parts.places),
        road_names=parts.road_names,
        shapes=parts.shapes,
        attribution=parts.attribution,
        notes=notes,
    )


def _joined(forth: NDArray[np.int64], back: NDArray[np.int64], parts: Parts) -> NDArray[np.int64]:
    return np.concatenate((forth, back)) if parts.undirected else forth


def _both(weights: NDArray[np.int64], parts: Parts) -> NDArray[np.int64]:
    return np.concatenate((weights, weights)) if parts.undirected else weights


def node_ids_and_names(labels: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[np.int64], NodeNames | None]:
    """Return the ids of nodes, int64 [n], and their names: whole numbers are ids, other labels names.

    Raises ``NetworkError`` where two nodes have one label, or a name cannot be kept.
    """
    array = labels if isinstance(labels, np.ndarray) else _as_array(labels)
    if array.dtype.kind in "iu" and (not len(array) or int(array.max()) <= _INT64.max):
        ids = array.astype(np.int64)
        if len(np.unique(ids)) < len(ids):
            raise NetworkError("two nodes have the same id; every node needs one of its own")
        return ids, None
    texts = [str(label) for label in labels]
    if len(set(texts)) < len(texts):
        twice = next(text for text, count in Counter(texts).items() if count > 1)
        raise NetworkError(f"two nodes are called {printable(twice)}; every node needs a name of its own")
    return np.arange(1, len(texts) + 1, dtype=np.int64), NodeNames.of(texts)


def _as_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as whole numbers where all are, else as objects."""
    whole = all(isinstance(label, int | np.integer) and not isinstance(label, bool) for label in labels)
    if whole and all(_INT64.min <= label <= _INT64.max for label in labels):
        return np.array(labels, np.int64)
    array = np.empty(len(labels), object)
    array[:] = list(labels)
    return array


def degrees(columns: Sequence[Any]) -> NDArray[np.float64]:
    """Return columns of longitude and latitude as one array [n, 2]. Raises ``NetworkError`` for what is no number."""
    try:
        return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)
    except (TypeError, ValueError) as problem:
        raise NetworkError(f"coordinates have to be numbers, degrees of longitude and latitude: {problem}") from None


def microdegrees(places: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return degrees of longitude and latitude as int32 microdegrees. Raises ``NetworkError`` for anything else."""
    if not np.isfinite(places).all():
        raise NetworkError(f"node {int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0]) + 1} has no coordinates")
    if len(places) and (np.abs(places) > (180.0, 90.0)).any():
        raise NetworkError(
            "coordinates have to be degrees of longitude and latitude; bring projected ones back first, as "
            "osmnx.project_graph(graph, to_latlong=True) does"
        )
    return np.rint(places * 1e6).astype(np.int32)


def positions_of(labels: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each label."""
    return {label: place for place, label in enumerate(labels)}
