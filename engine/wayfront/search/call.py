"""The call for one tree: shortest distances from one node to all others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.errors import NetworkError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO
from wayfront.search.customised import is_prepared
from wayfront.search.distances import in_fewest_bits, overflows
from wayfront.search.execution import execute
from wayfront.search.procedure import Found, Progress
from wayfront.search.registry import SearchKind
from wayfront.search.result import Result
from wayfront.search.run import Run, Setting
from wayfront.search.tree import make_tree, prepare_tree
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES


def search(
    network: RoadNetwork,
    source: int,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> Result:
    """Find the shortest distances from one node to all others, and the tree of shortest paths.

    ``source`` is an internal node number (``network.node(id)`` gives it). ``algorithm`` is a name from the registry;
    "auto" takes the fastest search for the device: the dissection once the network's cut is kept. ``device`` is an id
    of ``wayfront.devices``: ``cpu``, ``cuda`` or ``cuda:0``, ``cuda:1``, ``simulator``; "auto" takes the first card
    where there is one, else the CPU. ``threads`` is the number of the CPU's cores to use; where a search cannot use
    several, ``Result.note`` says so. ``metric`` is a metric's name (the network's first by default), ``options`` values
    by name. ``runs`` clean runs are timed: 0 times none, and None five that agree, within half a second more, or one
    where a run is forecast to take longer than ten seconds. The traced run keeps frontiers within ``trace_budget``
    bytes; None leaves it out, and then steps and relaxations are None. ``verify`` proves the result; one of a choice
    that is declared unsafe is always checked, and ``Result.verified`` and ``Result.note`` say what came out.
    ``cancel`` stops the search within one step.
    ``closures`` are internal numbers of arcs that the search is to take for absent, as closed roads are.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``SearchCancelled``, and ``CertificateError`` should a
    result be wrong.
    """
    return execute(
        OneTree(checked_source(source, network)),
        network,
        algorithm,
        device,
        metric=metric,
        options=options,
        threads=threads,
        runs=runs,
        trace_budget=trace_budget,
        verify=verify,
        progress=progress,
        cancel=cancel,
        closures=closures,
    )


@dataclass(frozen=True, slots=True)
class OneTree:
    """The procedure for one tree: from ``source``, an internal node number."""

    source: int
    kind = SearchKind.ONE_TREE

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the dissection where the network's cut is kept, else the name of the fastest search on a device."""
        return "dissection" if is_prepared(device, network) else device.fastest

    def make_run(self, setting: Setting) -> Run:
        """Return a run from the source."""
        return Run(setting, self.source)

    def rehearsal(self) -> OneTree:
        """Return the procedure from node 0."""
        return OneTree(0)

    def finish(self, run: Run) -> Found[Result] | None:
        """Make the tree and copy distances and parents back; None if the distances overflowed."""
        if run.parents is None:
            prepare_tree(run)
        begin = time.perf_counter()
        if overflows(run):
            return None
        on_device = make_tree(run) if run.parents is None else run.parents
        run.device.synchronize()
        made = time.perf_counter()
        distances, parents = run.device.get(run.distances, run.node_count), run.device.get(on_device, run.node_count)
        copied = time.perf_counter()
        distances = in_fewest_bits(distances)
        distances.flags.writeable = parents.flags.writeable = False
        make_result = partial(Result, source=run.source, distances=distances, parents=parents)
        return Found(make_result, transfer_ms=(copied - made) * 1e3, tree_ms=(made - begin) * 1e3)


def checked_source(source: int, network: RoadNetwork) -> int:
    """Return the source as a Python integer. Raises ``NetworkError`` unless it is a node of the network."""
    if isinstance(source, bool | np.bool_) or not isinstance(source, int | np.integer):
        raise NetworkError(
            f"a source is an internal node number, a whole number, not {source!r}; network.node(id) gives it"
        )
    if not 0 <= source < network.node_count:
        raise NetworkError(f"{network.name} has no internal node {source}; they are 0…{network.node_count - 1}")
    return int(source)
