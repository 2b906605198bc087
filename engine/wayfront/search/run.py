"""Provide what an algorithm works with: network on a device, work arrays, launches, observer of its steps.

An algorithm takes a ``Run``, requests work arrays, launches bodies through it, and after every step calls
``step_done`` and yields. Whether anything is recorded, and on which device it runs, it does not know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import Check, Device, DeviceArray, no_check
from wayfront.kernels.arguments import Arcs, InArcs, Recording
from wayfront.network.closing import NOTHING_CLOSED
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, OptionValue
from wayfront.search.device_network import NetworkArrays, in_arcs_on, network_on
from wayfront.search.recording import ArcCounts, Observer, RunTracer, Unobserved
from wayfront.search.tracer import Tracer
from wayfront.search.workspace import Workspace
from wayfront.trace.schema import StepNote


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run works on: a network with one of its metrics, a device, the values of an algorithm's options.

    ``distance_dtype`` is int32 or int64; see ``wayfront.search.distances`` for what is safe. ``check`` raises an
    exception once the search is to end.

    Where roads are closed, ``network`` and ``metric`` lack them, ``closures`` are their arcs and ``whole`` the network
    they belong to, int64 [k] of its internal numbers; None where ``network`` is whole.
    """

    device: Device
    network: RoadNetwork
    metric: Metric
    options: Mapping[str, OptionValue]
    distance_dtype: np.dtype[Any]
    check: Check = no_check
    whole: RoadNetwork | None = None
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)


class BaseRun(Workspace, ABC):
    """What runs of every kind of search have: the network on its device, the options, and the observer of steps.

    ``infinity`` is the largest value of the distances' dtype and means "not reached". ``block`` is the number of
    threads of a block: the option of that name, if there is one and it has a value.
    """

    def __init__(self, setting: Setting) -> None:
        device, network, options = setting.device, setting.network, setting.options
        self.observer: Observer = Unobserved()
        block = options.get("block", AUTO)
        super().__init__(device, device.block if block == AUTO else int(block), setting.check)
        self.network = network
        self.metric: Metric = setting.metric
        self.whole: RoadNetwork = setting.whole or setting.network
        self.closures: NDArray[np.int64] = setting.closures
        self.options = options
        self.node_count: int = network.node_count
        self.distance_dtype: np.dtype[Any] = setting.distance_dtype
        self.infinity: int = int(np.iinfo(self.distance_dtype).max)
        self.on_device: NetworkArrays = network_on(device, network, self.metric)
        self.arcs: Arcs = self.on_device.arcs

    def array(self, name: str, size: int, dtype: DTypeLike) -> DeviceArray:
        """Return the work array of that name, uninitialised at first and then as the last run left it.

        Making it takes none of a traced run's time: clean runs find it made.
        """
        if self.has_array(name):
            return super().array(name, size, dtype)
        with self.observer.untimed():
            return super().array(name, size, dtype)

    def in_arcs(self) -> InArcs:
        """Return the arcs that enter each node, copied to the device at the first call."""
        return in_arcs_on(self.device, self.network, self.metric)

    def recording(self, improved: DeviceArray) -> Recording:
        """Return where kernels note what a step improved: the observer's arrays and ``improved``, or dummies."""
        unused = self.array("unused", 1, np.int32)
        if not self.observer.recording:
            return Recording(0, unused, unused, unused)
        return Recording(1, self.observer.first_reached, self.observer.last_improved, improved)

    @abstractmethod
    def make_tracer(self, budget_bytes: int) -> RunTracer:
        """Return an observer that records every step, frontiers within a byte budget."""


class Run(BaseRun):
    """One algorithm on one network from one source.

    ``distances`` is the device array [n] that holds the result when the search ends; unreached nodes hold
    ``infinity``. ``parents`` is where a search that keeps parents itself leaves them; for all others the tree is made
    afterwards.
    """

    def __init__(self, setting: Setting, source: int) -> None:
        super().__init__(setting)
        self.source = source
        self.parents: DeviceArray = None
        self.distances: DeviceArray = self.array("distances", self.node_count, self.distance_dtype)

    def make_tracer(self, budget_bytes: int) -> Tracer:
        """Return an observer that records every step, frontiers within a byte budget."""
        return Tracer(self, self.network.out_degrees(), self.source, self.distance_dtype, budget_bytes, self.arcs)

    def expand_marked(self, mark: DeviceArray, *, later: bool = False) -> None:
        """Announce that the present step expands the nodes whose mark is not 0, before its launches or among them.

        With ``later`` the marks are looked at when the step ends; until then they stay as they are, or are made.
        """
        self.observer.expand_marked(mark, self.distances, later=later)

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Announce that the present step expands the first ``count`` nodes of a list, in which none occurs twice.

        The list has to stay as it is until the step ends. ``arc_counts`` returns how many arcs it tries of each node,
        where these are not all arcs that leave it.
        """
        self.observer.expand_list(nodes, count, arc_counts)

    def expand_reached(self, *, later: bool = False) -> None:
        """Announce that the present step expands every node that has a distance, likewise."""
        self.observer.expand_reached(self.distances, later=later)

    def step_done(self, note: StepNote, improved: DeviceArray | None = None) -> None:
        """Announce that a step ended, and what it was.

        A search that noted first and last steps of nodes in the observer's arrays gives its count of improved nodes,
        which is then set to 0 for the next step; for others the observer compares all distances with those it saw last.
        """
        self.observer.step_done(self.distances, note, improved)
