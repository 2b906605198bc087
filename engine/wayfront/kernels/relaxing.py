"""What relaxing an arc comes down to in every search that lowers distances in place."""

from __future__ import annotations

from wayfront.devices.atomics import atomic_min
from wayfront.devices.body_functions import callable_in_bodies
from wayfront.devices.device import DeviceArray


@callable_in_bodies
def lowers(distances: DeviceArray, node: int, offer: int) -> bool:
    """Lower a node's distance to an offer if that is less; return whether it was this thread that lowered it.

    A plain load first: most offers are no better, and an atomic minimum for each would cost far more than the load.
    """
    return offer < distances[node] and offer < atomic_min(distances, node, offer)
