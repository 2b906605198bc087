"""Provide what a search from a source to one target works with, and where it leaves what it found."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wayfront.devices.device import DeviceArray
from wayfront.search.distances import WIDE
from wayfront.search.run import BaseRun, Setting
from wayfront.search.tracer import Tracer

BEST, MEETING = 0, 1
"""Places in ``RouteRun.met``: the length of the shortest path known, and the node at which its two parts meet."""

NO_NODE = -1


class Labels(NamedTuple):
    """What is known of nodes from one end of the route.

    distance   int64 [n]: length of the shortest path known between the end and each node; ``infinity`` for none
    parent     int32 [n]: the next node of that path on the way to the end, -1 for the end itself
    listed     int32 [n + 1]: how many nodes have a label, and then these nodes, in the order in which they got it
    """

    distance: DeviceArray
    parent: DeviceArray
    listed: DeviceArray


class RouteRun(BaseRun):
    """One algorithm on one network from one source to one target.

    Distances have 64 bits, since sums of distances and bounds have to fit too. ``ahead`` are labels from the source,
    and ``met`` int64 [2] is where the search leaves the length and the meeting node; a search from one end meets at the
    target. A search from both ends requests ``back`` as well. ``settled`` int8 [n] is 1 for settled nodes.

    A search of a few nodes must not pay for all: it begins with what the last one left in these arrays, and clears the
    listed nodes alone.
    """

    def __init__(self, setting: Setting, source: int, target: int) -> None:
        super().__init__(replace(setting, distance_dtype=WIDE))
        self.source = source
        self.target = target
        self.met: DeviceArray = self.array("met", 2, np.int64)
        self.settled: DeviceArray = self.device.put(np.zeros(self.node_count, np.int8))
        self.ahead: Labels = self._labels()
        self.back: Labels | None = None

    def labels_back(self) -> Labels:
        """Return labels from the target, for a search from both ends; the same ones at every call."""
        if self.back is None:
            with self.observer.untimed():
                self.back = self._labels()
        return self.back

    def _labels(self) -> Labels:
        n = self.node_count
        return Labels(
            distance=self.device.put(np.full(n, self.infinity, np.int64)),
            parent=self.device.put(np.full(n, NO_NODE, np.int32)),
            listed=self.device.put(np.zeros(n + 1, np.int32)),
        )

    def make_tracer(self, budget_bytes: int) -> Tracer:
        """Return an observer that records every step, frontiers within a byte budget."""
        return Tracer(self, self.network.out_degrees(), self.source, self.distance_dtype, budget_bytes)
