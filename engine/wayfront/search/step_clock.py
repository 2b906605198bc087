"""Measure the time that a search takes, without that of what only recording it needs.

A clock stands still for a while by three stamps: two where it stops, one where it goes on. What lies between the first
and the last is left out, and so is what noting the last one takes until the search's own next launch begins: as long as
from the first to the second, whose median tells it, since any single pair may have been interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.devices.stamps import STAMPS

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
