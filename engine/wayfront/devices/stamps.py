"""Note the time at points of a device's stream of launches, and read all of it later.

Where launches are done when they return, the host's clock tells it; ``wayfront.devices.kernel_stamps`` is for a card.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

STAMPS = 1 << 12
"""Times that a device keeps at most until they are taken; a power of two."""


class Stamps(Protocol):
    """Times of one device's stream of launches, in the order in which they were noted."""

    def add(self) -> None:
        """Note the time when all that was launched before is done, at the least cost to the host."""
        ...

    def launch(self) -> None:
        """Do the same by a launch like any other, which can be recorded with others."""
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

    launch = add

    def take(self) -> NDArray[np.int64]:
        """Return the times noted since this was done last."""
        times, self._times = self._times, []
        return np.array(times, np.int64)
