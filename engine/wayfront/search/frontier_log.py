"""A log of frontiers on the device, which the host reads many steps at a time.

Reading a frontier takes a wait for the device, which then idles until the host has sorted it and launched the next
step. So frontiers are appended to a buffer: a list as it is, marks as a bit map. Where the next one goes the device
knows by itself, since the launches of a recorded step have the same arguments every time. The host knows the lengths
too, hence where each frontier lies, and reads nothing before the buffer is full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.kernels.observing import CURSOR, SLOTS, WORD, log_list, pack_marked, pack_reached, rewind
from wayfront.kernels.step_order import count_bits, order_steps, unpack_words
from wayfront.search.workspace import Workspace

LOG_WORDS = 1 << 23
"""Words of a log beyond one list of all nodes: a search that went on with cold caches takes a card 0.2 ms longer."""


class Place(NamedTuple):
    """Where a frontier lies in the log: ``length`` words from ``begin`` on, nodes or, if ``packed``, a bit map."""

    begin: int
    length: int
    packed: bool


class FrontierLog:
    """Frontiers of a search on ``node_count`` nodes, in device memory.

    buffer   uint32: the frontiers, one after the other
    cursor   int64 [CURSOR]: where launches write the next one, as described in ``wayfront.kernels.observing``
    counts   int32 [SLOTS]: how many nodes each step improved

    The host counts in ``used`` the words that frontiers take. Whoever runs launches of ``add_marked`` or
    ``add_reached`` adds ``map_words`` to it: they may be recorded, so the log does not see when they run.
    """

    def __init__(self, workspace: Workspace, node_count: int, words: int = LOG_WORDS) -> None:
        device = workspace.device
        self._workspace = workspace
        self._node_count = node_count
        self.map_words: int = -(-node_count // WORD)
        self._most_used = words  # beyond which a list of all nodes might not fit
        self.used: int = 0
        self.buffer: DeviceArray = device.empty(words + node_count, np.uint32)
        self.cursor: DeviceArray = device.put(np.zeros(CURSOR, np.int64))
        self.counts: DeviceArray = device.empty(SLOTS, np.int32)
        self.clear()

    def has_room(self) -> bool:
        """Return whether any further frontier fits."""
        return self.used <= self._most_used

    def add_marked(self, mark: DeviceArray) -> None:
        """Launch what appends the nodes whose mark is not 0."""
        words = self.map_words
        self._workspace.launch(pack_marked, words, words, self._node_count, mark, self.cursor, self.buffer)

    def add_reached(self, infinity: int, distances: DeviceArray) -> None:
        """Launch what appends the nodes that have a distance, likewise."""
        words, known = self.map_words, (infinity, distances)
        self._workspace.launch(pack_reached, words, words, self._node_count, *known, self.cursor, self.buffer)

    def add_list(self, nodes: DeviceArray, count: int) -> None:
        """Append the first ``count`` nodes of a list."""
        self._workspace.launch(log_list, max(count, 1), count, nodes, self.cursor, self.buffer)
        self.used += count

    def clear(self) -> None:
        """Forget all frontiers, and how many nodes their steps improved."""
        self.used = 0
        self._workspace.launch(rewind, SLOTS, self.cursor, self.counts)

    def read(
        self, places: Sequence[Place], degrees: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Wait for the device and return the frontiers at these places, their sizes, and sums of their ``degrees``.

        The frontiers lie one after the other, each in node order. ``degrees`` is int32 [n].
        """
        words: NDArray[Any] = self._workspace.device.get(self.buffer, self.used)
        parts = [words[place.begin : place.begin + place.length] for place in places]
        packed = np.array([place.packed for place in places], bool)
        counts = (count_bits(part) if place.packed else place.length for part, place in zip(parts, places, strict=True))
        sizes = np.fromiter(counts, np.int64, len(places))
        nodes, end = np.empty(int(sizes.sum()), np.int32), 0
        for part, place, size in zip(parts, places, sizes.tolist(), strict=True):
            if place.packed:
                unpack_words(part, nodes[end : end + size])
            else:
                nodes[end : end + size] = part
            end += size
        return nodes, sizes, order_steps(nodes, sizes, packed, degrees)
