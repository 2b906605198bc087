"""Keep the distance of every node of a small graph after every step, in device memory, as the search had it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.kernels.observing import SLOTS, keep_labels
from wayfront.search.workspace import Workspace
from wayfront.trace.schema import NO_PATH
from wayfront.trace.small_steps import without_infinity


class LabelLog:
    """The distances of the last ``SLOTS`` steps of a search on ``node_count`` nodes.

    A launch copies them. It may be recorded with those of a step: on which row they go, the device knows by the number
    of steps done, which a counter of the search or of its observer has.
    """

    def __init__(self, workspace: Workspace, node_count: int, dtype: np.dtype[Any]) -> None:
        self._workspace = workspace
        self._node_count = node_count
        self._infinity = int(np.iinfo(dtype).max)
        self._kept = workspace.device.empty(SLOTS * node_count, dtype)

    def start(self, source: int) -> NDArray[np.int64]:
        """Return the distances before the first step, int64 [1, n]: 0 at the source."""
        row = np.full((1, self._node_count), NO_PATH, np.int64)
        row[0, source] = 0
        return row

    def keep(self, distances: DeviceArray, steps_done: DeviceArray) -> None:
        """Launch what keeps the distances of the last of the steps that the first element of ``steps_done`` counts."""
        self._workspace.launch(keep_labels, self._node_count, self._node_count, distances, steps_done, self._kept)

    def read(self, first: int, count: int) -> NDArray[np.int64]:
        """Wait for the device and return the distances after each of ``count`` steps from ``first`` on, int64."""
        kept = self._workspace.device.get(self._kept).reshape(SLOTS, self._node_count)
        return self.labels(kept[np.arange(first, first + count) % SLOTS])

    def labels(self, distances: NDArray[Any]) -> NDArray[np.int64]:
        """Return distances that a search has on the host as a trace keeps them, int64."""
        return without_infinity(distances.astype(np.int64), self._infinity)
