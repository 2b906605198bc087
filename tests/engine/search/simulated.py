"""Answer each line of tasks in JSON with a line of results; ``test_simulator`` runs this in a process of its own.

The simulator's own manager starts a thread of the system for each of CUDA's, and asks all of them over and over whether
they wait at a barrier, which takes most of the time. Here one of CUDA's threads runs until it ends or comes to a
barrier, then the next one; and one that has ended gives its thread of the system to the next. So the same kernels take
a tenth of the time.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest import mock

import numpy as np
from numba.cuda.simulator import kernel as simulator
from numba.cuda.simulator import kernelapi

import wayfront
from card_engine_checks import wrong_answers
from dissected import street_grid
from search_checks import random_arcs
from wayfront.devices import open_device, warps
from wayfront.devices.simulator import SimulatorDevice
from wayfront.dissection import card_engine, card_search, recursion
from wayfront.dissection.card_search import Division
from wayfront.dissection.cutting import dissect
from wayfront.search.registry import SearchKind, find_algorithm

CARD_ENGINE = "a card's engine"
"""In place of an algorithm: the answer is what its engine finds wrongly in two grids of n by m streets."""


class Thread(simulator.BlockThread):
    """What a kernel can ask its thread, which is none of the system's and so never started."""

    def __init__(self, place: tuple[int, ...], number: int) -> None:
        """Make one for every block of a shape."""
        self.threadIdx, self.thread_id = kernelapi.Dim3(*place), number
        self.may_go_on = threading.Lock()
        self.may_go_on.acquire()

    def syncthreads(self) -> None:
        """Wait for the others of the block."""
        self._manager.wait()


class Manager(simulator.BlockManager):
    """Runs the threads of one block in turn. ``present`` is the one that runs now."""

    present: Thread
    pool = ThreadPoolExecutor(1024)
    of_shape: ClassVar[dict[tuple[int, ...], list[Thread]]] = {}

    def run(self, grid_point: tuple[int, ...], *arguments: Any) -> None:
        """Run the kernel once for each thread. Raises what the first of them raised."""
        if self._block_dim not in self.of_shape:
            self.of_shape[self._block_dim] = [Thread(at, i) for i, at in enumerate(np.ndindex(*self._block_dim))]
        self.fresh, self.block_index = deque(self.of_shape[self._block_dim]), kernelapi.Dim3(*grid_point)
        self.ready, self.waiting = deque[Thread](), deque[Thread]()
        self.live, self.arguments = len(self.fresh), arguments
        self.problem: Exception | None = None
        self.ended = threading.Event()
        self._serve()
        self.ended.wait()
        if self.problem is not None:
            raise self.problem

    def wait(self) -> None:
        """Return when all threads that have not ended have called this. Raises ``RuntimeError`` if one has failed."""
        thread = Manager.present
        self.waiting.append(thread)
        if self.fresh:
            self.pool.submit(self._serve)
        else:
            self._let_the_next_go_on()
        thread.may_go_on.acquire()
        Manager.present = thread
        if self.problem is not None:
            raise RuntimeError("another thread of the block has failed")

    def _serve(self) -> None:
        """Run threads from their beginning, one after the other, as long as there are any."""
        while self.fresh:
            thread = Manager.present = self.fresh.popleft()
            thread._manager, thread.blockIdx = self, self.block_index
            try:
                self._f(*self.arguments)
            except Exception as problem:
                self.problem = self.problem or problem
            self.live -= 1
        self._let_the_next_go_on()

    def _let_the_next_go_on(self) -> None:
        if len(self.waiting) == self.live:  # then none is ready
            self.ready, self.waiting = self.waiting, self.ready
        if self.ready:
            self.ready.popleft().may_go_on.release()
        else:
            self.ended.set()


@contextmanager
def small_regions(tiers: int) -> Iterator[int]:
    """Let networks of a few dozen nodes have so many tiers of regions, 1 or 2; yield the bytes that a node is given."""
    if tiers == 1:
        yield card_search.NODE_BYTES[0]
        return
    with (
        mock.patch.object(card_engine, "NODE_BYTES", (1 << 12,)),
        mock.patch.object(card_search, "BLOCKS_BELOW", 4),
        mock.patch.object(recursion, "LEAF_NODES", 6),
    ):
        yield 1 << 12


_LAUNCH = SimulatorDevice.launch_resident


def answer(task: list[Any]) -> dict[str, Any]:
    """Return what a search found: nodes, arcs, largest weight and seed of its network, algorithm and options."""
    n, m, largest, seed, name, options = task
    if name == CARD_ENGINE:
        network = street_grid(n, m, largest, seed)
        dtype = np.dtype(options.pop("dtype"))
        with small_regions(options.pop("tiers")) as node_bytes:
            tiers = Division.of(open_device("simulator"), dissect(network), node_bytes).regions.tiers
            wrong = wrong_answers(network, "simulator", dtype=dtype.type, seed=seed, **options)
            return {"wrong": wrong, "tiers": len(tiers)}
    network = random_arcs(n, m, largest, seed)
    if find_algorithm(name).kind is SearchKind.ALL_PAIRS:
        pairs = wayfront.all_pairs(network, name, "simulator", options=options, keep="matrix", runs=0, verify=True)
        assert pairs.trace is not None
        matrices = None if pairs.trace.matrices is None else pairs.trace.matrices.tolist()
        found = {"matrix": pairs.matrix.tolist(), "device": pairs.device, "verified": pairs.verified}
        return found | {"matrices": matrices}
    with mock.patch.object(SimulatorDevice, "launch_resident", autospec=True, side_effect=_LAUNCH) as launches:
        result = wayfront.search(network, 0, name, "simulator", options=options, runs=0, verify=True)
    assert result.trace is not None
    labels = result.trace.tentative
    return {
        "labels": None if labels is None else labels.tolist(),
        "resident launches": launches.call_count,
        "held": [result.trace.held(done) for done in range(len(result.trace) + 1)],
        "distances": np.where(result.reached, result.distances, -1).tolist(),
        "parents": result.parents.tolist(),
        "first_reached": result.trace.first_reached.tolist(),
        "frontiers": [step.frontier.tolist() for step in result.trace],
        "improved": result.trace.improved.tolist(),
        "device": result.device,
        "verified": result.verified,
    }


if __name__ == "__main__":
    simulator.BlockManager = Manager
    for module in (kernelapi, warps):  # what asks which thread runs
        vars(module)["threading"] = SimpleNamespace(current_thread=lambda: Manager.present)
    for line in sys.stdin:
        print(json.dumps([answer(task) for task in json.loads(line)]), flush=True)  # noqa: T201
