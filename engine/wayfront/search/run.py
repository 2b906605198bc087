"""One search being run: what an algorithm works with, and the observer that records its steps.

An algorithm takes a ``Run``, asks it for work arrays, launches bodies through it, and after every step calls
``run.step_done`` and yields. Whether anything is recorded, and on which device it runs, it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import BlockKernel, Body, Device, DeviceArray
from wayfront.kernels.observing import collect_marked, collect_reached, fill, forget_steps, watch_distances
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import OptionValue
from wayfront.trace.recorder import Recorder, StepNote, Trace


@dataclass(frozen=True, slots=True)
class NetworkArrays:
    """A network's arrays on one device: V, E and W of Harish and Narayanan, and the order of file ids."""

    offsets: DeviceArray
    targets: DeviceArray
    weights: DeviceArray
    id_order: DeviceArray
    id_rank: DeviceArray


@dataclass(frozen=True, slots=True)
class InArcs:
    """The arcs that enter each node, on one device: offsets [n+1], and for each arc its tail and weight [m]."""

    offsets: DeviceArray
    sources: DeviceArray
    weights: DeviceArray


def network_on(device: Device, network: RoadNetwork, metric: Metric) -> NetworkArrays:
    """Return the network's arrays on a device, copied there at the first call."""

    def put(label: str, array: NDArray[Any]) -> DeviceArray:
        return network.derive(f"{device.kind} {label}", lambda: device.put(array))

    order, rank = network.id_order()
    return NetworkArrays(
        offsets=put("offsets", network.offsets),
        targets=put("targets", network.targets),
        weights=put(f"weights {metric.name}", metric.weights),
        id_order=put("id order", order),
        id_rank=put("id rank", rank),
    )


class Run:
    """What one algorithm works with.

    ``distances`` is the device array [n] that holds the result when the search ends; unreached nodes hold
    ``infinity``. Work arrays are named and kept, so that a second run of the same search allocates nothing; so are the
    prepared launches. ``block`` is the number of threads of a block: the option of that name, if there is one.
    ``parents`` is where a search that keeps parents itself leaves them; for all others the tree is made afterwards.
    """

    def __init__(
        self,
        device: Device,
        network: RoadNetwork,
        metric: Metric,
        source: int,
        options: Mapping[str, OptionValue],
    ) -> None:
        self.device = device
        self.network = network
        self.metric = metric
        self.source = source
        self.options = options
        self.node_count = network.node_count
        self.distance_dtype = network.distance_dtype(metric)
        self.infinity = int(np.iinfo(self.distance_dtype).max)
        self.on_device = network_on(device, network, metric)
        self.observer: Observer = Unobserved()
        self.block = min(int(options.get("block", device.block)), device.most_block)
        self._prepared: dict[Body | BlockKernel, Callable[..., None]] = {}
        self._arrays: dict[str, DeviceArray] = {}
        self.parents: DeviceArray = None
        self.distances = self.array("distances", self.node_count, self.distance_dtype)

    def array(self, name: str, size: int, dtype: DTypeLike) -> DeviceArray:
        """Return the work array of that name, uninitialised at first and then as the last run left it."""
        if name not in self._arrays:
            self._arrays[name] = self.device.empty(size, dtype)
        return self._arrays[name]

    def expand_reached(self) -> None:
        """Say that the step now beginning expands every node that has a distance."""
        self.observer.expand_reached(self.distances)

    def has_array(self, name: str) -> bool:
        """Tell whether a work array of that name was asked for before."""
        return name in self._arrays

    def in_arcs(self) -> InArcs:
        """Return the arcs that enter each node, copied to the device at the first call."""
        device, network, metric = self.device, self.network, self.metric

        def put(label: str, make: Callable[[], NDArray[Any]]) -> DeviceArray:
            return network.derive(f"{device.kind} {label}", lambda: device.put(make()))

        offsets, order = network.in_arcs()
        return InArcs(
            offsets=put("in offsets", lambda: offsets),
            sources=put("in sources", lambda: network.tails()[order]),
            weights=put(f"in weights {metric.name}", lambda: metric.weights[order]),
        )

    def counters(self, size: int) -> DeviceArray:
        """Return ``size`` int32 counters set to 0; each call sets them again."""
        counters = self.array("counters", size, np.int32)
        self.launch(fill, size, counters, 0)
        return counters

    def launch(self, body: Body, count: int, *arguments: Any) -> None:
        """Run a body for 0 … count−1 on the device."""
        prepared = self._prepared.get(body)
        if prepared is None:
            prepared = self._prepared[body] = self.device.prepare(body, self.block)
        prepared(count, *arguments)

    def launch_blocks(self, kernel: BlockKernel, blocks: int, *arguments: Any) -> None:
        """Run a block kernel over a number of blocks on the device."""
        prepared = self._prepared.get(kernel)
        if prepared is None:
            prepared = self._prepared[kernel] = self.device.prepare_blocks(kernel, self.block)
        prepared(blocks, *arguments)

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return a function that repeats the launches of ``launches`` with the same arguments, at the least cost."""
        return self.device.record(launches)

    def read(self, array: DeviceArray, count: int | None = None) -> list[int]:
        """Wait for the device and return the first elements as numbers."""
        values: list[int] = self.device.get(array, count).tolist()
        return values

    def expand_marked(self, mark: DeviceArray) -> None:
        """Say that the step now beginning expands the nodes whose mark is not 0."""
        self.observer.expand_marked(mark)

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """Say that the step now beginning expands the first ``count`` nodes of a list."""
        self.observer.expand_list(nodes, count)

    def step_done(self, note: StepNote, improved: DeviceArray | None = None) -> None:
        """Say that a step ended, and what it was.

        A search that noted first and last steps of nodes in the observer's arrays gives its count of improved nodes;
        for others the observer compares all distances with those it saw last.
        """
        self.observer.step_done(self.distances, note, improved)


class Observer(Protocol):
    """Sees the steps of a run go by. ``recording`` tells resident and sequential searches to write down more."""

    recording: bool
    first_reached: DeviceArray
    last_improved: DeviceArray

    def expand_marked(self, mark: DeviceArray) -> None:
        """A step begins that expands the marked nodes."""
        ...

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """A step begins that expands the first ``count`` nodes of a list."""
        ...

    def expand_reached(self, distances: DeviceArray) -> None:
        """A step begins that expands every node that has a distance."""
        ...

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """The step ended; ``improved`` counts the nodes it improved, if the search counted them."""
        ...

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """The search logged a whole step itself."""
        ...


class Unobserved:
    """The observer of a clean run: it sees nothing and costs nothing."""

    recording = False
    first_reached: DeviceArray = None
    last_improved: DeviceArray = None

    def expand_marked(self, mark: DeviceArray) -> None:
        """See nothing."""

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """See nothing."""

    def expand_reached(self, distances: DeviceArray) -> None:
        """See nothing."""

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """See nothing."""

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """See nothing."""


class Tracer:
    """The observer of a traced run: reads every frontier, compares distances, and times each step.

    Searches that log their own steps (sequential ones, resident ones) set ``first_reached`` and
    ``last_improved`` themselves and hand over finished steps through ``add``.
    """

    recording = True

    def __init__(self, run: Run, budget_bytes: int) -> None:
        n = run.node_count
        self._run = run
        self._device = run.device
        self._recorder = Recorder(run.network.out_degrees(), budget_bytes)
        self._seen = self._device.empty(n, run.distance_dtype)
        self._found = self._device.empty(n, np.int32)
        self._count = self._device.empty(1, np.int32)
        self.first_reached = self._device.empty(n, np.int32)
        self.last_improved = self._device.empty(n, np.int32)
        run.launch(forget_steps, n, run.source, run.infinity, self._seen, self.first_reached, self.last_improved)
        self._frontier = np.empty(0, np.int32)
        self._begin: Any = None

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return self._recorder.step_count

    def expand_marked(self, mark: DeviceArray) -> None:
        """Read the frontier from marks, in node order, and start the step's clock."""
        self._expand_found(collect_marked, mark)

    def expand_reached(self, distances: DeviceArray) -> None:
        """Read the frontier from the distances, in node order, and start the step's clock."""
        self._expand_found(collect_reached, self._run.infinity, distances)

    def _expand_found(self, collect: Body, *arguments: Any) -> None:
        self._run.launch(fill, 1, self._count, 0)
        self._run.launch(collect, self._run.node_count, *arguments, self._found, self._count)
        self.expand_list(self._found, self._run.read(self._count)[0])

    def expand_list(self, nodes: DeviceArray, count: int) -> None:
        """Read the frontier from a list, in node order, and start the step's clock."""
        self._frontier = np.sort(self._device.get(nodes, count))
        self._begin = self._device.stamp()

    def step_done(self, distances: DeviceArray, note: StepNote, improved: DeviceArray | None) -> None:
        """Stop the clock, see what improved, and record the step."""
        end = self._device.stamp()
        if improved is None:
            improved = self._count
            self._watch(distances)
        count = self._run.read(improved)[0]
        self._recorder.add(self._frontier, count, self._device.elapsed_ns(self._begin, end), note)

    def _watch(self, distances: DeviceArray) -> None:
        run = self._run
        run.launch(fill, 1, self._count, 0)
        run.launch(
            watch_distances,
            run.node_count,
            self.step_count,
            run.infinity,
            distances,
            self._seen,
            self.first_reached,
            self.last_improved,
            self._count,
        )

    def add(self, frontier: NDArray[np.int32], improved: int, time_ns: int, note: StepNote) -> None:
        """Record a step that the search logged itself, with its frontier in any order."""
        self._recorder.add(np.sort(frontier), improved, time_ns, note)

    def trace(self) -> Trace:
        """Return the trace so far."""
        n = self._run.node_count
        return self._recorder.finish(self._device.get(self.first_reached, n), self._device.get(self.last_improved, n))
