"""Check the arrays of a network once, when it is made, and compute the key that identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.road_details import NO_NAME
from wayfront.network.schema import ARCS, ARRAY_FIELDS, FIELDS_BY_KEY, NODES

Arrays = Mapping[str, NDArray[np.integer]]


def check_arrays(arrays: Arrays, weights: Arrays, name_count: int) -> None:
    """Raise ``NetworkError`` where the arrays do not form a network.

    ``arrays`` are by key of ``schema``, ``weights`` by name of the metric; ``name_count`` is the number of distinct
    road names.
    """
    n, m = len(arrays["offsets"]) - 1, len(arrays["targets"])
    if n < 0:
        raise NetworkError("offsets are empty: a network of n nodes has n + 1 of them")
    if n >= 2**31 - 1:
        raise NetworkError(f"{n} nodes are more than the 2,147,483,646 that can be numbered")
    for key, array in arrays.items():
        FIELDS_BY_KEY[key].check_shape(array, {NODES: n, ARCS: m})
    _check_offsets("offsets", arrays["offsets"], m, "arcs")
    if not _within(arrays["targets"], 0, n):
        raise NetworkError(f"an arc leads to a node outside 0…{n - 1}")
    if not weights:
        raise NetworkError("a network needs at least one metric")
    for name, values in weights.items():
        if len(values) != m:
            raise NetworkError(f"metric {name!r} has {len(values)} weights for {m} arcs")
        if m and int(values.min()) < 0:
            raise NetworkError(f"metric {name!r} has a negative weight; searches here need ≥ 0")
    if (np.diff(np.sort(arrays["node_ids"])) == 0).any():
        raise NetworkError("every node needs a distinct id")
    if "road_names" in arrays and not _within(arrays["road_names"], NO_NAME, name_count):
        raise NetworkError(f"a road name is outside the {name_count} there are")
    if "shape_offsets" in arrays:
        _check_offsets("offsets of shapes", arrays["shape_offsets"], len(arrays["shape_points"]), "points")


def _check_offsets(title: str, offsets: NDArray[np.integer], last: int, what: str) -> None:
    if int(offsets[0]) != 0 or int(offsets[-1]) != last or (np.diff(offsets) < 0).any():
        raise NetworkError(f"{title} must rise from 0 to the number of {what}, {last}")


def _within(values: NDArray[np.integer], low: int, high: int) -> bool:
    """Return whether all values lie in low … high − 1."""
    return not len(values) or (int(values.min()) >= low and int(values.max()) < high)


def digest(arrays: Arrays, weights: Arrays) -> str:
    """Return the hexadecimal digest of all arrays; ``weights`` are by ``name|unit|scale`` of the metric."""
    hasher = hashlib.blake2b(digest_size=16)
    early, late = ([f.key for f in ARRAY_FIELDS if f.key in arrays and f.late == late] for late in (False, True))
    labelled = [*((key, arrays[key]) for key in early), *weights.items(), *((key, arrays[key]) for key in late)]
    for label, array in labelled:
        hasher.update(f"{label}|{array.dtype}|{array.shape};".encode())
        hasher.update(array.data)
    return hasher.hexdigest()
