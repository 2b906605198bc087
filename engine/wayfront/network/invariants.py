"""What holds of every network, checked once when it is made, and the key that tells networks apart."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.road_details import NO_NAME

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def check_invariants(network: RoadNetwork) -> None:
    """Raise ``NetworkError`` where the arrays do not form a network."""
    n, m = network.node_count, network.arc_count
    if n < 0:
        raise NetworkError("offsets are empty: a network of n nodes has n + 1 of them")
    if n >= 2**31 - 1:
        raise NetworkError(f"{n} nodes are more than the 2,147,483,646 that can be numbered")
    o = network.offsets
    if int(o[0]) != 0 or int(o[-1]) != m or (np.diff(o) < 0).any():
        raise NetworkError(f"offsets must rise from 0 to the number of arcs, {m}")
    if m and not (int(network.targets.min()) >= 0 and int(network.targets.max()) < n):
        raise NetworkError(f"an arc leads to a node outside 0…{n - 1}")
    if not network.metrics:
        raise NetworkError("a network needs at least one metric")
    for metric in network.metrics:
        if len(metric.weights) != m:
            raise NetworkError(f"metric {metric.name!r} has {len(metric.weights)} weights for {m} arcs")
        if m and int(metric.weights.min()) < 0:
            raise NetworkError(f"metric {metric.name!r} has a negative weight; searches here need ≥ 0")
    if len(network.node_ids) != n or (np.diff(np.sort(network.node_ids)) == 0).any():
        raise NetworkError("every node needs a distinct id")
    if network.coordinates is not None and network.coordinates.shape != (n, 2):
        raise NetworkError(f"coordinates have shape {network.coordinates.shape}, not ({n}, 2)")
    if network.road_class is not None and len(network.road_class) != m:
        raise NetworkError(f"{len(network.road_class)} road classes for {m} arcs")
    _check_details(network)


def _check_details(network: RoadNetwork) -> None:
    m, names, shapes = network.arc_count, network.road_names, network.shapes
    if names is not None:
        if len(names.of_arc) != m:
            raise NetworkError(f"{len(names.of_arc)} road names for {m} arcs")
        if m and not (int(names.of_arc.min()) >= NO_NAME and int(names.of_arc.max()) < len(names.names)):
            raise NetworkError(f"a road name is outside the {len(names.names)} there are")
    if shapes is not None:
        offsets, points = shapes.offsets, shapes.points
        if points.ndim != 2 or points.shape[1] != 2:
            raise NetworkError(f"points of shapes have shape {points.shape}, not (k, 2)")
        if len(offsets) != m + 1 or int(offsets[0]) != 0 or int(offsets[-1]) != len(points):
            raise NetworkError(f"{len(offsets)} offsets of shapes for {m} arcs with {len(points)} points")
        if (np.diff(offsets) < 0).any():
            raise NetworkError("offsets of shapes must rise")


def digest(network: RoadNetwork) -> str:
    """Return the hexadecimal digest of all arrays and of what the metrics are called."""
    hasher = hashlib.blake2b(digest_size=16)
    parts: list[tuple[str, NDArray[Any] | None]] = [
        ("offsets", network.offsets),
        ("targets", network.targets),
        ("node_ids", network.node_ids),
        ("coordinates", network.coordinates),
        ("road_class", network.road_class),
        *((f"{m.name}|{m.unit}|{m.scale!r}", m.weights) for m in network.metrics),
    ]
    if network.road_names is not None:
        parts += [("road_names", network.road_names.of_arc), ("road_name_text", network.road_names.to_text())]
    if network.shapes is not None:
        parts += [("shape_offsets", network.shapes.offsets), ("shape_points", network.shapes.points)]
    for label, array in parts:
        if array is not None:
            hasher.update(f"{label}|{array.dtype}|{array.shape};".encode())
            hasher.update(array.data)
    return hasher.hexdigest()
