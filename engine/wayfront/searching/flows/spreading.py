"""Flows added up by the workers of a Dask scheduler: each sends the demand of some sources on its process's device.

What a path carries does not depend on other sources, so that the flows of all chunks add up to those of one machine:
whole numbers to the last, shares of paths but for the order in which they are added. A chunk closes and unpacks the
whole dissection, so there are few of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import RoadNetwork
from wayfront.results.access import Decay
from wayfront.results.flows import Flows
from wayfront.searching.all_pairs.spreading import Spreading, connect
from wayfront.searching.all_pairs.worker import DEVICE_VARIABLE, Missing, holds, network_of, sent_as_they_are
from wayfront.searching.flows.demand import Demand

CHUNKS_EACH = 2
"""Chunks for each worker: the second one for whoever is faster."""


class FlowTask(NamedTuple):
    """What is the same for all sources: ``flows``, the call that finds them, and its arguments.

    ``on_card`` says that a card finds such flows: others are found by the cores of a worker that has one.
    """

    flows: Callable[..., Flows]
    content_key: str
    metric: str
    demand: Demand | None
    radius: float | None
    decay: Decay | None
    ties: str
    figures: bool
    over: int | None
    closures: NDArray[np.int64]
    algorithm: str
    device: str
    threads: int
    on_card: bool
    wants_cut: bool


class FoundFlows(NamedTuple):
    """What some sources send, as ``Flows`` has it; ``figures`` are of each of them."""

    flow: NDArray[Any]
    through: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    trips: float
    unreached: float
    distance: int | float | None
    figures: dict[str, NDArray[np.float64]]
    device: str

    def plus(self, other: FoundFlows) -> FoundFlows:
        """Return both together; figures are left to who knows their order."""
        distance = None if self.distance is None or other.distance is None else self.distance + other.distance
        return FoundFlows(
            self.flow + other.flow,
            self.through + other.through,
            self.starts + other.starts,
            self.ends + other.ends,
            self.trips + other.trips,
            self.unreached + other.unreached,
            distance,
            {},
            self.device,
        )


def _find_flows(task: FlowTask, sources: NDArray[np.int32]) -> FoundFlows | Missing:
    """Find what some sources send, in a worker."""
    from distributed import get_worker

    worker = get_worker().address
    if not holds(task):
        return Missing(worker)
    with sent_as_they_are():
        found = task.flows(
            network_of(task),
            metric=task.metric,
            demand=task.demand,
            sources=sources,
            radius=task.radius,
            decay=task.decay,
            ties=task.ties,
            figures=task.figures,
            over=task.over,
            closures=task.closures,
            algorithm=task.algorithm,
            device=os.environ.get(DEVICE_VARIABLE, task.device) if task.on_card else CPU,
            threads=task.threads,
        )
    return FoundFlows(
        *(found.arc_flow, found.through, found.starts, found.ends, found.trips, found.unreached, found.distance),
        *(dict(found.figures), found.device),
    )


class _SpreadFlows(Spreading[FoundFlows]):
    def __init__(
        self,
        client: Any,
        task: FlowTask,
        network: RoadNetwork,
        cells: Dissection | None,
        sources: NDArray[np.int32],
        report: Callable[[float, str], None],
        cancel: threading.Event | None,
    ) -> None:
        super().__init__(client, _find_flows, task, network, cells, cancel)
        self._sources, self._show, self._done = sources, report, 0
        self._figures: dict[int, dict[str, NDArray[np.float64]]] = {}
        self.found: FoundFlows | None = None

    def count(self) -> int:
        """Return how many sources there are."""
        return len(self._sources)

    def row_bytes(self) -> int:
        """Return 0: what comes back of a chunk does not grow with its sources."""
        return 0

    def chunk_size(self, workers: int) -> int:
        """Return how many sources go together."""
        return max(1, -(-self.count() // (CHUNKS_EACH * max(workers, 1))))

    def payload(self, chunk: slice) -> NDArray[np.int32]:
        """Return the sources of a chunk."""
        return self._sources[chunk]

    def keep(self, chunk: slice, found: FoundFlows) -> None:
        """Add what was found."""
        self._figures[chunk.start] = found.figures
        self.found = found if self.found is None else self.found.plus(found)
        self._done += chunk.stop - chunk.start

    def report(self, begin: float, stage: str = "finding flows") -> None:
        """Report how many sources are done."""
        self._show(self._done / max(self.count(), 1), stage)

    def figures(self) -> dict[str, NDArray[np.float64]]:
        """Return the figures of all sources in their order."""
        parts = [self._figures[start] for start in sorted(self._figures)]
        names = parts[0] if parts else ()
        return {name: np.concatenate([part[name] for part in parts]) for name in names}


def spread_flows(
    task: FlowTask,
    network: RoadNetwork,
    cells: Dissection | None,
    sources: NDArray[np.int32],
    scheduler: str,
    report: Callable[[float, str], None],
    cancel: threading.Event | None,
) -> tuple[FoundFlows | None, float]:
    """Return what all sources send, None where there are none, and the milliseconds that it took.

    Raises ``DeviceError`` where no worker can be reached or none can finish a chunk, and what ``flows`` raises.
    """
    with connect(scheduler, task.device, task.threads) as client:
        spreading = _SpreadFlows(client, task, network, cells, sources, report, cancel)
        spreading.run()
    found = spreading.found
    return None if found is None else found._replace(figures=spreading.figures()), spreading.took_ms
