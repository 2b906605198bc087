"""A clock in a card's stream of launches: a kernel of one thread, which notes the time when its turn comes.

It can be recorded within a step, so that it costs the host nothing, and takes the card about a microsecond. An event of
the driver would have to be made by the host beside every step. Alone, too, it costs the host least as a recorded one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.clocks import timer_ns
from wayfront.devices.device import Device, DeviceArray
from wayfront.devices.stamps import STAMPS


class KernelStamps:
    """Times that a kernel notes in a ring of device memory, int64 [1 + STAMPS]: how many there were comes first."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._times: DeviceArray = device.put(np.zeros(1 + STAMPS, np.int64))
        self._launch = device.prepare(note_time)
        self._taken = 0
        self.add: Callable[[], None] = device.record(self.launch)

    def launch(self) -> None:
        """Launch the kernel."""
        self._launch(1, self._times)

    def take(self) -> NDArray[np.int64]:
        """Read the ring, in one go: that is faster than to ask first how much of it is new."""
        times: NDArray[Any] = self._device.get(self._times)
        begin, self._taken = self._taken, int(times[0])
        return times[1 + np.arange(begin, self._taken) % STAMPS]


def note_time(i: int, times: DeviceArray) -> None:
    """Note the time behind those noted before. One thread."""
    now = timer_ns()
    count = times[0] + i
    times[1 + (count & (STAMPS - 1))] = now
    times[0] = count + 1
