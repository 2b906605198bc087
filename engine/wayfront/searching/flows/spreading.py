"""Flows added up by the workers of a Dask scheduler: each sends the demand of some sources on its process's device.

What a path carries does not depend on other sources, so that the flows of all chunks add up to those of one machine:
whole numbers to the last, shares of paths but for the order in which they are added. A chunk closes and unpacks the
whole dissection, so there are few of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import RoadNetwork
from wayfront.results.flows import Flows
from wayfront.searching.all_pairs.spreading import Spreading, connect
from wayfront.searching.all_pairs.worker import DEVICE_VARIABLE, Missing, holds, network_of, sent_as_they_are
from wayfront.searching.flows.answer import Answer

CHUNKS_EACH = 2
"""Chunks for each worker: the second one for whoever is faster."""


class FlowTask(NamedTuple):
    """What is the same for all sources: ``flows``, the call that finds them, and its arguments ``asked`` by name.

    ``on_card`` says that a card finds such flows: others are found by the cores of a worker that has one.
    """

    flows: Callable[..., Flows]
    asked: Mapping[str, Any]
    content_key: str
    device: str
    threads: int
    on_card: bool
    wants_cut: bool


def _find_flows(task: FlowTask, sources: NDArray[np.int32]) -> Answer | Missing:
    """Find what some sources send, in a worker."""
    from distributed import get_worker

    worker = get_worker().address
    if not holds(task):
        return Missing(worker)
    device = os.environ.get(DEVICE_VARIABLE, task.device) if task.on_card else CPU
    with sent_as_they_are():
        found = task.flows(network_of(task), sources=sources, device=device, threads=task.threads, **task.asked)
    return Answer(
        *(found.arc_flow, found.through, found.starts, found.ends, found.trips, found.unreached, found.distance),
        *(dict(found.figures), dict(found.seconds), found.device),
    )


class _SpreadFlows(Spreading[Answer]):
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
        self.found: Answer | None = None

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

    def keep(self, chunk: slice, found: Answer) -> None:
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
) -> Answer | None:
    """Return what all sources send, None where there are none.

    Raises ``DeviceError`` where no worker can be reached or none can finish a chunk, and what ``flows`` raises.
    """
    with connect(scheduler, task.device, task.threads) as client:
        spreading = _SpreadFlows(client, task, network, cells, sources, report, cancel)
        spreading.run()
    if spreading.found is None:
        return None
    return spreading.found._replace(figures=spreading.figures(), seconds={"workers": spreading.took_ms / 1e3})
