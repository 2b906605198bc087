"""Copy a network's arrays to a device, once, and keep them with the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.errors import DeviceMemoryError
from wayfront.kernels.arguments import Arcs, InArcs
from wayfront.network.road_network import Metric, RoadNetwork

TREE_BYTES, TRACE_BYTES = 9, 12
"""Bytes for each node that making the tree takes, and a trace's own arrays on the device."""

SMALL = 1 << 24
"""Bytes that are always there: asking how many are free would cost small searches more than they take."""


@dataclass(frozen=True, slots=True)
class NetworkArrays:
    """The arcs that leave each node, on one device, and the order of file ids.

    arcs      V, E and W of Harish and Narayanan
    id_order  int32 [n]: nodes by rising file id; ``id_rank`` int32 [n] is its inverse
    """

    arcs: Arcs
    id_order: DeviceArray
    id_rank: DeviceArray


def network_on(device: Device, network: RoadNetwork, metric: Metric) -> NetworkArrays:
    """Return the network's arrays on a device, copied there at the first call."""
    order, rank = network.id_order()
    return NetworkArrays(
        arcs=Arcs(
            offsets=_put(device, network, "offsets", lambda: network.offsets),
            targets=_put(device, network, "targets", lambda: network.targets),
            weights=_put(device, network, f"weights {metric.name}", lambda: metric.weights),
        ),
        id_order=_put(device, network, "id order", lambda: order),
        id_rank=_put(device, network, "id rank", lambda: rank),
    )


def in_arcs_on(device: Device, network: RoadNetwork, metric: Metric) -> InArcs:
    """Return the arcs that enter each node, copied to the device at the first call."""
    offsets, order = network.in_arcs()
    return InArcs(
        offsets=_put(device, network, "in offsets", lambda: offsets),
        tails=_put(device, network, "in tails", lambda: network.tails()[order]),
        weights=_put(device, network, f"in weights {metric.name}", lambda: metric.weights[order]),
    )


def _put(device: Device, network: RoadNetwork, label: str, make: Callable[[], NDArray[Any]]) -> DeviceArray:
    return network.derive(f"{label}{in_memory_of(device)}", lambda: device.put(make()))


def in_memory_of(device: Device) -> str:
    """Return how the keys of all arrays end that lie in a device's memory."""
    return f" in {device.memory}"


def require_room(
    device: Device, network: RoadNetwork, metric: Metric, distance_dtype: np.dtype[Any], *, traced: bool
) -> None:
    """Raise ``DeviceMemoryError`` where a device has less memory free than every search takes at least.

    That is the network's arcs, as far as they are not there yet, distances and tree, and what a trace notes of each
    node. A search's own arrays come on top, and are refused where they do not fit.
    """
    n = network.node_count
    needed = n * (distance_dtype.itemsize + TREE_BYTES)
    if traced:
        needed += n * (distance_dtype.itemsize + TRACE_BYTES)
    if Ability.HOST_LOOPS not in device.abilities:  # there, arrays are read where they lie
        arrays = {
            "offsets": network.offsets.nbytes,
            "targets": network.targets.nbytes,
            f"weights {metric.name}": metric.weights.nbytes,
            "id order": 4 * n,
            "id rank": 4 * n,
        }
        ending = in_memory_of(device)
        needed += sum(size for label, size in arrays.items() if not network.has_derived(label + ending))
    if needed < SMALL:
        return
    free = device.free_bytes()
    if needed > free:
        raise DeviceMemoryError(
            f"{network.name} takes at least {needed / 1e9:,.1f} GB on {device.id} ({device.name}), and "
            f"{free / 1e9:,.1f} GB are free there: choose another device or a smaller network, or close other programs"
        )
