"""Find out whether distances have outgrown their dtype (see ``wayfront.search.distances``)."""

from __future__ import annotations

from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


def find_above(i: int, limit: int, infinity: int, distances: DeviceArray, found: DeviceArray) -> None:
    """Set ``found[0]`` if node i is reached at a distance above a limit."""
    if limit < distances[i] < infinity:
        found[0] = 1


def find_unreached_head(i: int, arcs: Arcs, distances: DeviceArray, infinity: int, found: DeviceArray) -> None:
    """Set ``found[0]`` if an arc leads from node i, which is reached, to a node that is not."""
    if distances[i] == infinity:
        return
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        if distances[arcs.targets[arc]] == infinity:
            found[0] = 1
