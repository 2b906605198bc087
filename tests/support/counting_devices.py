"""Devices that count work instead of time: the launches of a search, and the arcs that its kernels try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import BlockKernel, Body, Check, HostStamps, Stamps, no_check
from wayfront.kernels.arguments import Arcs, InArcs


class TickingDevice(CpuDevice):
    """The CPU with a clock that advances by one nanosecond at every launch, and at nothing else.

    Launches of ``fill`` are free: traced runs reset counters that clean ones do not need.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ticks = 0

    def stamps(self) -> Stamps:
        """Return a clock that tells the number of launches so far."""
        return HostStamps(lambda: self.ticks)

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return the CPU's launcher, counted."""
        return self._counted(super().prepare(body, block, check), 0 if body.__name__ == "fill" else 1)

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return the CPU's launcher, counted."""
        return self._counted(super().prepare_blocks(kernel, block), 1)

    def _counted(self, launch: Callable[..., None], ticks: int) -> Callable[..., None]:
        def counted(*arguments: Any) -> None:
            self.ticks += ticks
            launch(*arguments)

        return counted


class ArcCountingDevice(CpuDevice):
    """The CPU with kernels run as plain Python, which counts how often they look up the other end of an arc."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = 0

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return a function that calls the body for every index."""

        def launch(count: int, *arguments: Any) -> None:
            watched = self._watch(arguments)
            for i in range(count):
                body(i, *watched)

        return launch

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return a function that calls the kernel's form for processors."""
        width = block or self.block
        return lambda blocks, *arguments: kernel.on_processor(blocks, width, *self._watch(arguments))

    def _watch(self, arguments: tuple[Any, ...]) -> list[Any]:
        return [self._watched(argument) for argument in arguments]

    def _watched(self, argument: Any) -> Any:
        """Return an argument whose arcs are counted; groups of arrays may hold groups."""
        if isinstance(argument, Arcs):
            return argument._replace(targets=_Counted(argument.targets, self))
        if isinstance(argument, InArcs):
            return argument._replace(tails=_Counted(argument.tails, self))
        if isinstance(argument, tuple) and hasattr(argument, "_fields"):
            return type(argument)(*map(self._watched, argument))
        return argument


class _Counted:
    """An array that counts how often an element is read."""

    def __init__(self, array: Any, device: ArcCountingDevice) -> None:
        self._array = array
        self._device = device

    def __getitem__(self, index: int) -> Any:
        self._device.tried += 1
        return self._array[index]
