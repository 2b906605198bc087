"""Time one search from one source, whole or by its first steps, on arrays that further runs reuse."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import open_device
from wayfront.network.road_network import RoadNetwork
from wayfront.options import resolve
from wayfront.papers.description import Contender
from wayfront.papers.limits import Deadline
from wayfront.search.registry import find_algorithm
from wayfront.search.run import Run, Setting
from wayfront.timing.harness import stopwatch

SLOW_MS = 1000.0
"""From here on what the first run allocates and prepares makes no difference, so that it counts as a clean one."""


class TimedSearch:
    """One contender on one device, prepared so that further runs allocate nothing.

    ``distance_dtype`` is that of a whole search from the same source, which showed that its distances fit.
    """

    def __init__(
        self, contender: Contender, device_id: str, network: RoadNetwork, source: int, distance_dtype: np.dtype[Any]
    ) -> None:
        self._algorithm = find_algorithm(contender.algorithm)
        options = resolve(self._algorithm.options, contender.options)
        device = open_device(device_id, contender.threads)
        self._run = Run(Setting(device, network, network.metric(), options, distance_dtype), source)
        self._steps = math.inf
        self._warm = False

    def once(self, limit: Deadline) -> float:
        """Run once and return the milliseconds. Raises ``SearchCancelled`` where the limit says so."""
        if not self._warm:
            self._warm, first = True, stopwatch(lambda: self._go(limit))
            if first > SLOW_MS:
                return first
        return stopwatch(lambda: self._go(limit))

    def take_part(self, seconds: float, limit: Deadline) -> tuple[int, int]:
        """Let further runs make only as many of the first steps as ``seconds`` allow; return these and all steps."""
        count_steps = self._algorithm.count_steps
        total = count_steps(self._run) if count_steps is not None else None
        assert total is not None, "only searches whose steps are counted beforehand can be timed in part"
        self._go(limit, most_steps=1)  # compiles
        begin = time.perf_counter()
        self._steps = self._go(limit, until=begin + seconds)
        self._warm = True
        return int(self._steps), total

    def distances(self) -> NDArray[Any]:
        """Return the distances as the last run left them."""
        return self._run.device.get(self._run.distances, self._run.node_count)

    def _go(self, limit: Deadline, most_steps: float = math.inf, until: float = math.inf) -> int:
        """Search until it ends, has made ``most_steps``, or the clock passes ``until``; return the steps made."""
        taken, most = 0, min(most_steps, self._steps)
        for made in self._algorithm.search(self._run):
            limit.check()
            taken += made or 1
            if until < math.inf:
                self._run.device.synchronize()  # else launches are only sent
            if taken >= most or time.perf_counter() > until:
                break
        self._run.device.synchronize()
        return taken
