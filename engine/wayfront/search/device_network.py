"""Copy a network's arrays to a device, once, and keep them with the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.kernels.arguments import Arcs, InArcs
from wayfront.network.road_network import Metric, RoadNetwork


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
    return network.derive(f"{label} in {device.memory}", lambda: device.put(make()))
