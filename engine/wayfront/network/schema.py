"""Declare every array that defines a network once: key, dtype, shape, where ``RoadNetwork`` holds it.

The content key, the checks, the files and the cache all loop over ``ARRAY_FIELDS``; a new array of a network is one
entry here, one attribute of ``RoadNetwork``, and the check of its values in ``invariants`` where it needs one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError

NODES, ARCS, FREE = "nodes", "arcs", "free"
"""What the first dimension of an array counts; ``FREE`` is a length of its own."""


@dataclass(frozen=True, slots=True)
class ArrayField:
    """One array of a network.

    key      its name in files and in the content key; never change it
    path     the attribute of ``RoadNetwork`` that holds it; a group of arrays (``shapes``) has a dotted path
    title    what error messages call it
    dtypes   the dtypes it may have, the preferred one first
    counts   ``NODES``, ``ARCS`` or ``FREE``: what there is one row for
    more     rows beyond that: 1 for offsets
    columns  0 for a flat array, else the second dimension
    smooth   whether each number is close to the one before, which ``.wayfront`` files use to pack it
    late     whether it stands behind the metrics' weights in the content key
    """

    key: str
    path: str
    title: str
    dtypes: tuple[type, ...]
    counts: str
    more: int = 0
    columns: int = 0
    smooth: bool = False
    late: bool = False

    def of(self, network: Any) -> NDArray[Any] | None:
        """Return the network's array, None where it has none."""
        value = network
        for name in self.path.split("."):
            value = getattr(value, name)
            if value is None:
                return None
        return value

    def check_shape(self, array: NDArray[Any], sizes: Mapping[str, int]) -> None:
        """Raise ``NetworkError`` unless the shape fits ``sizes``, the rows by ``counts``."""
        rows = len(array) if self.counts == FREE else sizes[self.counts] + self.more
        if self.columns and array.shape != (rows, self.columns):
            expected = f"({'k' if self.counts == FREE else rows}, {self.columns})"
            raise NetworkError(f"{self.title} have shape {array.shape}, not {expected}")
        if not self.columns and array.shape != (rows,):
            raise NetworkError(f"{len(array)} {self.title} for {sizes.get(self.counts, rows)} {self.counts}")


ARRAY_FIELDS = (
    ArrayField("offsets", "offsets", "offsets", (np.int32, np.int64), NODES, more=1, smooth=True),
    ArrayField("targets", "targets", "targets", (np.int32,), ARCS),
    ArrayField("node_ids", "node_ids", "node ids", (np.int64,), NODES, smooth=True),
    ArrayField("coordinates", "coordinates", "coordinates", (np.int32,), NODES, columns=2, smooth=True),
    ArrayField("road_class", "road_class", "road classes", (np.uint8,), ARCS),
    ArrayField("road_names", "road_names.of_arc", "road names", (np.int32,), ARCS, smooth=True, late=True),
    ArrayField("road_name_text", "road_names.text", "texts of road names", (np.uint8,), FREE, late=True),
    ArrayField(
        "shape_offsets", "shapes.offsets", "offsets of shapes", (np.int64,), ARCS, more=1, smooth=True, late=True
    ),
    ArrayField(
        "shape_points", "shapes.points", "points of shapes", (np.int32,), FREE, columns=2, smooth=True, late=True
    ),
)
"""In the order of the content key."""

FIELDS_BY_KEY = {field.key: field for field in ARRAY_FIELDS}
WEIGHTS_DTYPES = (np.int32,)


def arrays_of(network: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays that a network has, by key, without the metrics' weights."""
    return {field.key: array for field in ARRAY_FIELDS if (array := field.of(network)) is not None}


def freeze(key: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as read-only in the dtype that the field ``key`` prefers. Raises ``NetworkError``."""
    return frozen_array(array, FIELDS_BY_KEY[key].dtypes[0])


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
