"""Check what callers hand over, so that a mistake is explained where it was made and not where it did harm."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.text import shortened


def require_network(network: Any) -> RoadNetwork:
    """Return a network. Raises ``NetworkError`` for anything else, such as the path of its file."""
    if isinstance(network, RoadNetwork):
        return network
    if isinstance(network, str | Path):
        raise NetworkError(f"a network is needed, not the name {str(network)!r}: wayfront.open_network opens it")
    raise NetworkError(f"a network is needed, not {type(network).__name__}: wayfront.open_network opens one")


def node_index(node: Any, network: RoadNetwork, noun: str = "source") -> int:
    """Return an internal node number as a Python integer. Raises ``NetworkError`` unless it is one of the network."""
    if not is_whole(node):
        raise NetworkError(
            f"a {noun} is an internal node number, a whole number, not {shortened(node)}; "
            "network.node(id) gives it, and wayfront.find_node(network, text)"
        )
    if network.node_count == 0:
        raise NetworkError(f"{network.name} has no nodes to search from")
    if not 0 <= node < network.node_count:
        raise NetworkError(f"{network.name} has no internal node {node}; they are 0…{network.node_count - 1}")
    return int(node)


def node_indices(nodes: Any, network: RoadNetwork, noun: str = "sources", *, none: bool = False) -> NDArray[np.int32]:
    """Return internal node numbers as int32 [k], in their order; one may occur several times.

    Raises ``NetworkError`` unless they are nodes of the network, and for no nodes unless ``none`` allows that.
    """
    wrong = NetworkError(
        f"{noun} are one or more internal node numbers, not {shortened(nodes)}; network.node(id) gives a node's number"
    )
    given = indices(nodes, wrong)
    if not (len(given) or none):
        raise wrong
    outside = (given < 0) | (given >= network.node_count)
    if outside.any():
        raise NetworkError(
            f"{network.name} has no internal node {given[outside][0]}; they are 0…{network.node_count - 1}"
        )
    return given.astype(np.int32)


def indices(values: Any, wrong: NetworkError) -> NDArray[np.integer]:
    """Return internal numbers as an array [k] in their order. Raises ``wrong`` for no sequence of whole numbers."""
    try:
        given = np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # of sequences of several lengths, and numbers beyond 64 bits
        raise wrong from None
    if not given.size:
        return np.empty(0, np.int32)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise wrong
    return given


def whole_number(value: Any, noun: str, lowest: int) -> int:
    """Return a whole number as a Python integer. Raises ``OptionError`` for another value, or one below ``lowest``."""
    if not is_whole(value) or value < lowest:
        raise OptionError(f"{noun} is a whole number of {lowest} or more, not {shortened(value)}")
    return int(value)


def above_zero(value: Any, what: str) -> float:
    """Return a number above 0. Raises ``OptionError``, which says ``what`` it is, for anything else."""
    number = float(value) if isinstance(value, int | float | np.integer | np.floating) else math.nan
    if not 0 < number < math.inf or isinstance(value, bool):
        raise OptionError(f"{what}: a number above 0, not {shortened(value)}")
    return number


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)
