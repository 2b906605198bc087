"""Declare every array that defines a network once: name, dtype, shape, range, where ``RoadNetwork`` holds it.

The content key, the checks, the files and the cache all loop over ``ARRAY_FIELDS``; a new array of a network is one
entry here and one attribute of ``RoadNetwork``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.safe.errors import NetworkError, SchemaError
from wayfront.safe.schema import ArrayField, check_arrays

T = TypeVar("T", bound=np.integer)

LARGEST_WEIGHT = 2**31 - 1
"""A weight is an int32."""

NO_PATH = -1
"""The distance of a node, or of a pair of nodes, to which no path leads: in every array, table and file.

Kernels alone mark it by the largest value of a dtype, so that a minimum needs no exception.
"""

NODES, ARCS, POINTS, NAME_BYTES, NAMES = "nodes", "arcs", "points of shapes", "bytes of road names", "road names"
NODE_NAME_BYTES = "bytes of node names"
"""What the rows of an array count, and what its values number."""

NO_NAME = -1
"""The road name of an arc without one."""

ROAD_CLASSES = ("minor", "secondary", "primary", "motorway")
"""Names of the values in ``RoadNetwork.road_class``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkField(ArrayField):
    """One array of a network.

    path    the attribute of ``RoadNetwork`` that holds it, ``name`` where empty; a group of arrays (``shapes``) has a
            dotted path
    smooth  whether each number is close to the one before, which ``.wayfront`` files use to pack it
    late    whether it stands behind the metrics' weights in the content key
    """

    path: str = ""
    smooth: bool = False
    late: bool = False

    @property
    def attribute(self) -> str:
        """The attribute of ``RoadNetwork`` that holds the array, with dots."""
        return self.path or self.name

    def of(self, network: Any) -> NDArray[Any] | None:
        """Return the network's array, None where it has none."""
        value = network
        for name in self.attribute.split("."):
            value = getattr(value, name)
            if value is None:
                return None
        return value


_PLACE: dict[str, Any] = {"dtypes": (np.int32,), "columns": 2, "lowest": None, "smooth": True}

ARRAY_FIELDS = (
    NetworkField(name="offsets", dtypes=(np.int32, np.int64), counts=NODES, more=1, rises_to=ARCS, smooth=True),
    NetworkField(name="targets", dtypes=(np.int32,), counts=ARCS, below=NODES),
    NetworkField(
        name="node_ids", title="node ids", dtypes=(np.int64,), counts=NODES, lowest=None, distinct=True, smooth=True
    ),
    NetworkField(name="coordinates", counts=NODES, group="coordinates", **_PLACE),
    NetworkField(
        name="road_class",
        title="road classes",
        dtypes=(np.uint8,),
        counts=ARCS,
        below=len(ROAD_CLASSES),
        group="road classes",
    ),
    NetworkField(
        name="road_names",
        path="road_names.of_arc",
        title="road names",
        dtypes=(np.int32,),
        counts=ARCS,
        lowest=NO_NAME,
        below=NAMES,
        group="road names",
        smooth=True,
        late=True,
    ),
    NetworkField(
        name="road_name_text",
        path="road_names.text",
        title="texts of road names",
        dtypes=(np.uint8,),
        counts=NAME_BYTES,
        group="road names",
        late=True,
    ),
    NetworkField(
        name="shape_offsets",
        path="shapes.offsets",
        title="offsets of shapes",
        dtypes=(np.int64,),
        counts=ARCS,
        more=1,
        rises_to=POINTS,
        group="shapes",
        smooth=True,
        late=True,
    ),
    NetworkField(
        name="shape_points",
        path="shapes.points",
        title="points of shapes",
        counts=POINTS,
        group="shapes",
        late=True,
        **_PLACE,
    ),
    NetworkField(
        name="node_name_offsets",
        path="node_names.offsets",
        title="offsets of node names",
        dtypes=(np.int64,),
        counts=NODES,
        more=1,
        rises_to=NODE_NAME_BYTES,
        group="node names",
        smooth=True,
        late=True,
    ),
    NetworkField(
        name="node_name_text",
        path="node_names.text",
        title="texts of node names",
        dtypes=(np.uint8,),
        counts=NODE_NAME_BYTES,
        group="node names",
        late=True,
    ),
)
"""In the order of the content key."""

FIELDS_BY_NAME = {field.name: field for field in ARRAY_FIELDS}
WEIGHTS_DTYPES = (np.int32,)


def network_fields(metrics: Iterable[str]) -> tuple[ArrayField, ...]:
    """Return ``ARRAY_FIELDS`` and a field for the weights of each of these metrics."""
    return (
        *ARRAY_FIELDS,
        *(
            ArrayField(
                name=weights_name(index), title=f"weights of metric {name!r}", dtypes=WEIGHTS_DTYPES, counts=ARCS
            )
            for index, name in enumerate(metrics)
        ),
    )


def weights_name(index: int) -> str:
    """Return the name of the weights of the metric with this index, in files."""
    return f"weights {index}"


def arrays_of(network: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays that a network has, by name, without the metrics' weights."""
    return {field.name: array for field in ARRAY_FIELDS if (array := field.of(network)) is not None}


def freeze(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as read-only in the dtype that its field prefers. Raises ``NetworkError``."""
    return frozen_array(array, FIELDS_BY_NAME[name].dtypes[0])


def frozen_array(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    """Return the array as read-only, contiguous ``dtype``. Raises ``NetworkError`` where a value does not fit."""
    result = np.ascontiguousarray(array)
    if result.dtype != dtype:
        if result.dtype.kind not in "iub":
            raise NetworkError(f"network arrays hold whole numbers, not {result.dtype}")
        limits = np.iinfo(dtype)
        if result.size and not (limits.min <= int(result.min()) and int(result.max()) <= limits.max):
            raise NetworkError(f"a value in {result.min()}…{result.max()} does not fit {np.dtype(dtype)}")
        result = result.astype(dtype)
    if result.flags.writeable:
        result = result.view()
        result.flags.writeable = False
    return result


def offsets_of(counts: ArrayLike, dtype: Any = np.int64) -> NDArray[Any]:
    """Return where the entries of each row begin, [rows + 1], from how many each row has."""
    counts = np.asarray(counts, np.int64)
    offsets = np.zeros(len(counts) + 1, dtype)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def ranks_of(order: NDArray[T]) -> NDArray[T]:
    """Return where each index stands in an order of all of them, which is the order's inverse."""
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order), dtype=order.dtype)
    return ranks


LARGEST_NODE_COUNT = 2**31 - 2
"""Nodes are numbered in int32, and kernels count to one past the last."""

Arrays = Mapping[str, NDArray[np.integer]]


def check_network(
    arrays: Arrays, metrics: Sequence[tuple[str, NDArray[np.integer]]], name_count: int, *, distinct_ids: bool = True
) -> None:
    """Raise ``NetworkError`` where the arrays do not form a network.

    ``arrays`` are by name of ``schema``, ``metrics`` pairs of a name and weights; ``name_count`` is the number of
    distinct road names. ``distinct_ids`` also looks for an id that two nodes share, which takes longer than all
    else and endangers no memory; nodes at one place may, as copies of a split node do.
    """
    names = [name for name, _ in metrics]
    weights = {weights_name(index): values for index, (_, values) in enumerate(metrics)}
    _check_metric_names(names)
    placed = "coordinates" in arrays
    fields = [replace(f, distinct=f.distinct and distinct_ids and not placed) for f in network_fields(names)]
    try:
        sizes = check_arrays({**arrays, **weights}, fields, {NAMES: name_count})
    except SchemaError as error:
        raise NetworkError(str(error)) from None
    check_node_count(sizes[NODES])
    if distinct_ids and placed:
        _check_copies(arrays["node_ids"], arrays["coordinates"])


def _check_copies(ids: NDArray[np.integer], coordinates: NDArray[np.integer]) -> None:
    """Raise ``NetworkError`` for an id that nodes at several places have."""
    ordered = np.sort(ids)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    order = np.argsort(ids, kind="stable")
    moved = (np.diff(coordinates[order], axis=0) != 0).any(axis=1) & (np.diff(ids[order]) == 0)
    if moved.any():
        raise NetworkError(f"node ids: {ids[order][int(np.argmax(moved))]} is that of nodes at several places")


def _check_metric_names(names: Sequence[str]) -> None:
    """Raise ``NetworkError`` unless there is a metric, and no name twice: bounds are kept by name."""
    if not names:
        raise NetworkError("a network needs at least one metric")
    if len(set(names)) < len(names):
        raise NetworkError(f"two of the metrics {', '.join(map(repr, names))} have the same name")


def check_node_count(count: int) -> None:
    """Raise ``NetworkError`` for more nodes than can be numbered."""
    if count > LARGEST_NODE_COUNT:
        raise NetworkError(f"{count} nodes are more than the {LARGEST_NODE_COUNT:,} that can be numbered")


def digest(arrays: Arrays, weights: Arrays) -> str:
    """Return the hexadecimal digest of all arrays; ``weights`` are by ``name|unit|scale`` of the metric."""
    hasher = hashlib.blake2b(digest_size=16)
    early, late = ([f.name for f in ARRAY_FIELDS if f.name in arrays and f.late == late] for late in (False, True))
    labelled = [*((name, arrays[name]) for name in early), *weights.items(), *((name, arrays[name]) for name in late)]
    for label, array in labelled:
        hasher.update(f"{label}|{array.dtype}|{array.shape};".encode())
        hasher.update(array.data)
    return hasher.hexdigest()
