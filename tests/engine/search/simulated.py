"""Answer each line of tasks in JSON with a line of results; ``test_simulator`` runs this in a process of its own.

The simulator's own manager of a block asks every thread over and over whether it waits at a barrier, which takes most
of the time. Here the last thread that arrives lets the others go on: the same barriers, in a third of it.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import numpy as np
from numba.cuda.simulator import kernel as simulator

import wayfront
from card_engine_checks import wrong_answers
from dissected import street_grid
from search_checks import random_arcs
from wayfront.search.registry import SearchKind, find_algorithm

CARD_ENGINE = "a card's engine"
"""In place of an algorithm: the answer is what its engine finds wrongly in two grids of n by m streets."""


class Manager(simulator.BlockManager):
    """Runs the threads of one block."""

    def run(self, grid_point: tuple[int, ...], *arguments: Any) -> None:
        """Run the kernel's body once for each thread. Raises what the first of them raised."""
        self.moved = threading.Condition()
        self.live, self.waiting, self.barriers = int(np.prod(self._block_dim)), 0, 0
        self.problem: tuple[Exception, Any] | None = None
        threads = [
            Thread(lambda: self._f(*arguments), self, grid_point, point, self._debug)
            for point in np.ndindex(*self._block_dim)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.problem is not None:
            raise self.problem[0].with_traceback(self.problem[1])

    def wait(self) -> None:
        """Return when all threads that still run have called this. Raises ``RuntimeError`` if one has failed."""
        with self.moved:
            self.waiting += 1
            barrier = self.barriers
            self._release()
            self.moved.wait_for(lambda: self.barriers > barrier)
            if self.problem is not None:
                raise RuntimeError("another thread of the block has failed")

    def leave(self, problem: tuple[Exception, Any] | None) -> None:
        """Take a thread that has ended from those that are waited for; keep the first problem."""
        with self.moved:
            self.problem = self.problem or problem
            self.live -= 1
            self._release()

    def _release(self) -> None:
        if self.waiting == self.live:
            self.waiting = 0
            self.barriers += 1
            self.moved.notify_all()


class Thread(simulator.BlockThread):
    """One thread of a block."""

    def run(self) -> None:
        """Run the kernel's body."""
        try:
            super().run()
        finally:
            self._manager.leave(self.exception)

    def syncthreads(self) -> None:
        """Wait for the others of the block."""
        self._manager.wait()


def answer(task: list[Any]) -> dict[str, Any]:
    """Return what a search found: nodes, arcs, largest weight and seed of its network, algorithm and options."""
    n, m, largest, seed, name, options = task
    if name == CARD_ENGINE:
        network = street_grid(n, m, largest, seed)
        dtype = np.dtype(options.pop("dtype"))
        return {"wrong": wrong_answers(network, "simulator", dtype=dtype.type, seed=seed, **options)}
    network = random_arcs(n, m, largest, seed)
    if find_algorithm(name).kind is SearchKind.ALL_PAIRS:
        pairs = wayfront.all_pairs(network, name, "simulator", options=options, keep="matrix", runs=0, verify=True)
        return {"matrix": pairs.matrix.tolist(), "device": pairs.device, "verified": pairs.verified}
    result = wayfront.search(network, 0, name, "simulator", options=options, runs=0, verify=True)
    assert result.trace is not None
    return {
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
    for line in sys.stdin:
        print(json.dumps([answer(task) for task in json.loads(line)]), flush=True)  # noqa: T201
