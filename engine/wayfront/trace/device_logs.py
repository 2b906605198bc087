"""What a device notes of a search while it runs, and the host reads many steps at a time: frontiers, labels and time.

Reading a frontier takes a wait for the device, which then idles until the host has sorted it and launched the next
step. So frontiers are appended to a buffer: a list as it is, marks as a bit map. Where the next one goes the device
knows by itself, since the launches of a recorded step have the same arguments every time. The host knows the lengths
too, hence where each frontier lies, and reads nothing before the buffer is full. The distances of a small graph are
copied after every step in the same way.

The clock measures what a search takes, without that of what only recording it needs. It stands still for a while by
three stamps: two where it stops, one where it goes on. What lies between the first and the last is left out, and so is
what noting the last one takes until the search's own next launch begins: as long as from the first to the second, whose
median is taken for it, since any single pair may have been interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import STAMPS, Device, DeviceArray
from wayfront.devices.workspace import Workspace
from wayfront.kernels.observing import (
    ABOVE,
    CURSOR,
    LIMIT,
    SLOTS,
    WORD,
    count_bits,
    keep_labels,
    log_list,
    order_steps,
    pack_marked,
    rewind,
    unpack_words,
)
from wayfront.trace.recorder import without_infinity
from wayfront.trace.schema import NO_PATH

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

    ``limit`` is the largest distance from which every offer fits the dtype of distances.

    The host counts in ``used`` the words that frontiers take. Whoever runs launches of ``add_marked``
    adds ``map_words`` to it: they may be recorded, so the log does not see when they run.
    """

    def __init__(self, workspace: Workspace, node_count: int, limit: int, words: int = LOG_WORDS) -> None:
        device = workspace.device
        self._workspace = workspace
        self._node_count = node_count
        self.map_words: int = -(-node_count // WORD)
        self._most_used = words  # beyond which a list of all nodes might not fit
        self.used: int = 0
        self.buffer: DeviceArray = device.empty(words + node_count, np.uint32)
        cursor = np.zeros(CURSOR, np.int64)
        cursor[LIMIT] = limit
        self.cursor: DeviceArray = device.put(cursor)
        self.counts: DeviceArray = device.empty(SLOTS, np.int32)
        self.clear()

    def saw_above(self) -> bool:
        """Wait for the device and return whether a distance above ``limit`` was seen."""
        return bool(self._workspace.device.get(self.cursor)[ABOVE] != 0)

    def has_room(self) -> bool:
        """Return whether any further frontier fits."""
        return self.used <= self._most_used

    def add_marked(self, mark: DeviceArray, unmarked: int = 0) -> None:
        """Launch what appends the nodes whose mark, or distance, is not ``unmarked``."""
        words, marks = self.map_words, (unmarked, mark)
        self._workspace.launch(pack_marked, words, words, self._node_count, *marks, self.cursor, self.buffer)

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


MOST_STRETCHES = STAMPS // 6
"""Stretches after which their stamps are read, so that the device never has too many."""


class StepClock:
    """Measures the *stretches* of a device's time between starts and stops.

    ``stretches`` counts those that ended since they were taken last, and ``running`` says whether one has begun.
    Whoever runs launches that were made while the clock was ``skipping`` adds 1 to it: they may be recorded.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._stamps = device.stamps()
        self._measured: list[NDArray[np.int64]] = []
        self._read = 0
        self.running: bool = False
        self.stretches: int = 0

    def start(self) -> None:
        """Start the clock if it is stopped."""
        if not self.running:
            self._stamps.add()
            self.running = True

    def stop(self) -> None:
        """Stop the clock if it runs."""
        if self.running:
            self._stamps.add()
            self._stamps.add()
            self.running = False
            self.stretches += 1
            if self.stretches - self._read > MOST_STRETCHES:
                self._measure()

    def go_on(self) -> None:
        """Start the clock with the device idle, as a search finds it between the steps of a clean run."""
        self._device.synchronize()
        self.start()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stand still within the context, and go on after it if the clock ran before."""
        ran = self.running
        self.stop()
        try:
            yield
        finally:
            if ran:
                self.go_on()

    @contextmanager
    def skipping(self) -> Iterator[None]:
        """Leave out what is launched within the context, whenever it runs. The clock runs."""
        self._stamps.launch()
        self._stamps.launch()
        yield
        self._stamps.launch()

    def _measure(self) -> None:
        started, stopped, again = self._stamps.take().reshape(-1, 3).T
        noting_ns = int(np.median(again - stopped)) if len(again) else 0
        self._measured.append(np.maximum(stopped - started - noting_ns, 0))
        self._read = self.stretches

    def take(self) -> NDArray[np.int64]:
        """Wait for the device, and return the nanoseconds of the stretches since this was done last; not while it runs.

        Of each, int64 [stretches].
        """
        self._measure()
        measured, self._measured = self._measured, []
        self.stretches = 0
        self._read = 0
        return np.concatenate(measured)

    def lap_ns(self) -> int:
        """Stop, wait for the device, return the nanoseconds since the last lap, and begin another at 0."""
        self.stop()
        return int(self.take().sum())
