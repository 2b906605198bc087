"""Check the arrays of a network once, when it is made, and compute the key that identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError, SchemaError
from wayfront.file_schema import check_arrays
from wayfront.network.schema import ARRAY_FIELDS, NAMES, NODES, network_fields, weights_name

LARGEST_NODE_COUNT = 2**31 - 2
"""Nodes are numbered in int32, and kernels count to one past the last."""

Arrays = Mapping[str, NDArray[np.integer]]


def check_network(
    arrays: Arrays, metrics: Sequence[tuple[str, NDArray[np.integer]]], name_count: int, *, distinct_ids: bool = True
) -> None:
    """Raise ``NetworkError`` where the arrays do not form a network.

    ``arrays`` are by name of ``schema``, ``metrics`` pairs of a name and weights; ``name_count`` is the number of
    distinct road names. ``distinct_ids`` also looks for an id that two nodes share, which takes longer than all
    else and endangers no memory.
    """
    names = [name for name, _ in metrics]
    weights = {weights_name(index): values for index, (_, values) in enumerate(metrics)}
    _check_metric_names(names)
    fields = [replace(f, distinct=f.distinct and distinct_ids) for f in network_fields(names)]
    try:
        sizes = check_arrays({**arrays, **weights}, fields, {NAMES: name_count})
    except SchemaError as error:
        raise NetworkError(str(error)) from None
    check_node_count(sizes[NODES])


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
