"""Marks in a card's stream of launches, made so cheaply that they hardly lengthen what they measure."""

from __future__ import annotations

from typing import Any

from wayfront.devices.cuda_launch import driver_call

MADE_AT_ONCE = 64


class Stamp:
    """A CUDA event that was recorded; its handle is used again once nobody holds the stamp."""

    __slots__ = ("_free", "handle")

    def __init__(self, handle: Any, free: list[Any]) -> None:
        self.handle = handle
        self._free = free

    def __del__(self) -> None:
        self._free.append(self.handle)


class EventClock:
    """Records events in one stream and measures the time between them.

    Creating an event through numba and recording it costs the host more than a launch does, and the card waits
    meanwhile. So handles are created in advance, used again, and passed straight to the driver.
    """

    def __init__(self, stream: Any) -> None:
        from cuda.bindings import driver

        self._driver = driver
        self._record = driver.cuEventRecord
        self._stream = driver.CUstream(int(stream.handle))
        self._free: list[Any] = []
        self._create()

    def _create(self) -> None:
        timing = int(self._driver.CUevent_flags.CU_EVENT_DEFAULT)
        self._free += [driver_call(self._driver.cuEventCreate, timing) for _ in range(MADE_AT_ONCE)]

    def stamp(self) -> Stamp:
        """Record an event. Raises ``DeviceError``."""
        if not self._free:
            self._create()
        stamp = Stamp(self._free.pop(), self._free)
        driver_call(self._record, stamp.handle, self._stream)
        return stamp

    def elapsed_ns(self, begin: Stamp, end: Stamp) -> int:
        """Wait for the second stamp and return the nanoseconds between the two. Raises ``DeviceError``."""
        driver_call(self._driver.cuEventSynchronize, end.handle)
        milliseconds: float = driver_call(self._driver.cuEventElapsedTime, begin.handle, end.handle)
        return round(milliseconds * 1e6)
