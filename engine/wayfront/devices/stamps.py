"""Note the time at points of a device's stream of launches, and read all of it later.

The host's clock is that of a device whose launches are done when they return. On a card a kernel of one thread notes
the time, as any launch does when its turn comes: it can be recorded within a step, so that it costs the host nothing,
and takes the card about a microsecond. An event of the driver would have to be made by the host beside every step.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.clocks import timer_ns

if TYPE_CHECKING:
    from wayfront.devices.device import Device

STAMPS = 1 << 12
"""Times that a device keeps at most until they are taken; a power of two."""


class Stamps(Protocol):
    """Times of one device's stream of launches, in the order in which they were noted."""

    def add(self) -> None:
        """Note the time when all that was launched before is done; recorded launches do so whenever they run."""
        ...

    def take(self) -> NDArray[np.int64]:
        """Wait for the device, and return the times noted since this was done last, in nanoseconds; 4,096 at most."""
        ...


class HostStamps:
    """The times of a device whose launches are done when they return."""

    def __init__(self, now: Callable[[], int] = time.perf_counter_ns) -> None:
        self._now = now
        self._times: list[int] = []

    def add(self) -> None:
        """Note the time."""
        self._times.append(self._now())

    def take(self) -> NDArray[np.int64]:
        """Return the times noted since this was done last."""
        times, self._times = self._times, []
        return np.array(times, np.int64)


class KernelStamps:
    """Times that a kernel notes in a ring of device memory, int64 [1 + STAMPS]: how many there were comes first."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._times = device.put(np.zeros(1 + STAMPS, np.int64))
        self._launch = device.prepare(note_time)
        self._taken = 0

    def add(self) -> None:
        """Launch the kernel."""
        self._launch(1, self._times)

    def take(self) -> NDArray[np.int64]:
        """Read the ring, in one go: that is faster than to ask first how much of it is new."""
        times: NDArray[Any] = self._device.get(self._times)
        begin, self._taken = self._taken, int(times[0])
        return times[1 + np.arange(begin, self._taken) % STAMPS]


def note_time(i: int, times: Any) -> None:
    """Note the time behind those noted before. One thread."""
    now = timer_ns()
    count = times[0] + i
    times[1 + (count & (STAMPS - 1))] = now
    times[0] = count + 1
