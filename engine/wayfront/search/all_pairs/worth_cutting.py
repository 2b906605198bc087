"""Cut a network before a search from so many sources that its dissection repays the cut: seconds, not minutes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from wayfront.devices import Ability, choose_device
from wayfront.dissection.store import dissection_of
from wayfront.errors import NetworkError
from wayfront.network.road_network import RoadNetwork
from wayfront.search.customised import seconds_to_cut
from wayfront.search.procedure import Progress

A_CORE, A_CARD = 16e6, 280e6
"""Pairs that searches without a cut find in a second on New York: one core by Dijkstra, an H200 by a heap a source."""

WORTH = 3.0
"""How many times as long as the cut a search without one has to take: both are guesses."""

AT_ONCE_S = 2.0
"""A search without a cut that takes less is not worth any preparation."""


def cut_if_worth(
    network: RoadNetwork,
    sources: int,
    device: str,
    threads: int,
    progress: Callable[[Progress], None] | None,
    cancel: threading.Event | None,
) -> None:
    """Cut a network, and keep its cut, where the fastest search from so many sources on the device is by dissection.

    A network that has no small separators is left as it is. Raises ``DeviceError`` and ``SearchCancelled``.
    """
    chosen = choose_device(device)
    rate = A_CORE * min(threads, chosen.threads) if Ability.HOST_LOOPS in chosen.abilities else A_CARD
    without_s = sources * network.node_count / rate
    if chosen.exclusive or without_s < AT_ONCE_S + WORTH * seconds_to_cut(network):
        return

    def tell(doing: str, fraction: float) -> None:
        if progress is not None:
            progress(Progress("preparing", 0, doing=doing, fraction=fraction))

    try:
        dissection_of(network, progress=tell, cancel=cancel)
    except NetworkError:  # its separators are too large: found after a few cuts
        return
