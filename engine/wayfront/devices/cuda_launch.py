"""Launches on a card made as cheap as Python allows: arguments stay packed, and whole steps can be captured.

A launch through numba's dispatcher looks at the type of every argument and packs all of them again: some 35 µs for
the fifteen arguments of a typical body. A ``Launcher`` keeps the packed arguments of its last launch, compares each
new one by identity, writes only those that changed, and calls the driver itself. A group of arguments that is the same
tuple as last time is skipped whole; in another tuple only the elements that changed are written. A ``CapturedStep``
goes further: it holds launches as a CUDA graph, so that a step whose arguments never change costs one call.

A launcher holds the arrays of its last launch, a captured step those of all its launches, and neither any others: rows
of earlier trees must not fill the card. This file imports anywhere; its classes need a driver.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from array import array as int64s
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wayfront.devices.entries import flatten
from wayfront.safe.errors import DeviceError

_ARRAY_SLOTS = 7
"""How numba passes an array of one dimension: memory info, parent, items, bytes an item, address, shape, stride."""

_capture = threading.local()
"""``_capture.taken`` is a list while this thread captures launches: of what each of them takes."""

UNASKED_SHARED_BYTES = 48 << 10
"""Shared memory that a block gets without asking the driver for it."""

_Layout = tuple[int, Any] | list[Any]
"""Where an argument is packed: its first slot with its dtype (None for a number), or a list of these for a group."""


def driver_call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the driver and return what it returns beside its status. Raises ``DeviceError``."""
    status, *results = function(*arguments)
    if status != 0:
        raise DeviceError(f"the CUDA driver refused {function.__name__}: {status.name}")
    return results[0] if results else None


def address(array: Any) -> int:
    """Return the address of a device array's first element."""
    return int(array.__cuda_array_interface__["data"][0])


class Launcher:
    """A kernel made ready for one stream. Call it with the number of threads and the kernel's further arguments.

    ``enter`` makes the stream's context current in the calling thread. A block gets ``shared_bytes`` of shared memory
    beside what the kernel declares. With ``together`` all blocks are on the card at once, or the launch is refused.
    """

    def __init__(
        self,
        dispatcher: Any,
        block: int,
        stream: Any,
        enter: Callable[[], None],
        shared_bytes: int = 0,
        *,
        together: bool = False,
    ) -> None:
        from cuda.bindings import driver

        self._dispatcher = dispatcher
        self._enter = enter
        self._block = block
        self._shared_bytes = shared_bytes
        self._stream = driver.CUstream(int(stream.handle))
        self._launch = driver.cuLaunchCooperativeKernel if together else driver.cuLaunchKernel
        self._further: tuple[int, ...] = () if together else (0,)
        self._layout: list[_Layout] | None = None
        self._handle: Any = None
        self._held: list[Any] = []
        self._packed: dict[int, tuple[weakref.ref[Any], int64s[int]]] = {}
        self._values = int64s("q")
        self._pointers = np.empty(0, np.uint64)

    def __call__(self, count: int, *arguments: Any) -> None:
        """Run the kernel over at least ``count`` threads; it gets the count as its first argument."""
        if count > 0:
            self.launch((count + self._block - 1) // self._block, count, *arguments)

    def launch(self, blocks: int, *arguments: Any) -> None:
        """Run the kernel over a number of blocks."""
        self._enter()
        if not self._update(arguments):
            self._prepare(arguments)
        taken = getattr(_capture, "taken", None)
        if taken is not None:
            taken.append(arguments)
        grid = blocks, 1, 1, self._block, 1, 1
        (status,) = self._launch(
            self._handle, *grid, self._shared_bytes, self._stream, self._pointers_at, *self._further
        )
        if status != 0:
            raise DeviceError(f"the card refused a launch of {self._dispatcher.__name__}: {status.name}")

    def _update(self, arguments: tuple[Any, ...]) -> bool:
        """Write the arguments that changed; return False if the kernel was not compiled for these types."""
        if self._layout is None:
            return False
        held = self._held
        for index, argument in enumerate(arguments):
            before = held[index]
            if argument is not before:
                if not self._write(self._layout[index], argument, before):
                    return False
                held[index] = argument
        return True

    def _write(self, layout: _Layout, argument: Any, before: Any) -> bool:
        """Write what changed of one argument since it was ``before``; return False for an array of another type."""
        if isinstance(layout, list):
            for inner, new, old in zip(layout, argument, before or itertools.repeat(None), strict=False):
                if new is not old and not self._write(inner, new, old):
                    return False
            return True
        slot, dtype = layout
        if dtype is None:
            self._values[slot] = argument
            return True
        if argument.dtype != dtype:
            return False
        self._values[slot : slot + _ARRAY_SLOTS] = self._pack(argument)
        return True

    def _pack(self, array: Any) -> int64s[int]:
        """Return an array as the kernel gets it; what was packed is kept, since asking for an address is slow."""
        packed = self._packed.get(id(array))
        if packed is None:
            item = array.dtype.itemsize
            values = int64s("q", (0, 0, array.size, item, address(array), array.size, item))
            forget, key = self._packed.pop, id(array)  # which another array may have once this one is gone
            packed = self._packed[key] = weakref.ref(array, lambda _: forget(key, None)), values
        return packed[1]

    def _prepare(self, arguments: tuple[Any, ...]) -> None:
        """Compile for the arguments' types, and pack them all."""
        from numba import types

        signature = tuple(
            self._dispatcher.typeof_pyval(element) if _is_array(element) else types.int64
            for element in flatten(arguments)
        )
        kernel = self._dispatcher.compile(signature)
        self._handle = kernel._codelibrary.get_cufunc().handle
        if self._shared_bytes > UNASKED_SHARED_BYTES:
            self._ask_for_shared_memory()
        self._layout, size = _lay_out(arguments, 0)
        self._values = int64s("q", bytes(8 * size))
        self._pointers = (self._values.buffer_info()[0] + 8 * np.arange(size)).astype(np.uint64)
        self._pointers_at = int(self._pointers.ctypes.data)
        self._held = [None] * len(arguments)
        self._update(arguments)

    def _ask_for_shared_memory(self) -> None:
        """Let a block of the kernel have more shared memory than every kernel may have, and what others asked for."""
        from cuda.bindings import driver

        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        card = driver_call(driver.cuCtxGetDevice)
        if driver_call(driver.cuKernelGetAttribute, attribute, self._handle, card) < self._shared_bytes:
            driver_call(driver.cuKernelSetAttribute, attribute, self._shared_bytes, self._handle, card)


def _is_array(argument: Any) -> bool:
    return hasattr(argument, "__cuda_array_interface__")


def _lay_out(arguments: Sequence[Any], slot: int) -> tuple[list[_Layout], int]:
    """Return where arguments are packed from a slot on, and the slot after them."""
    layout: list[_Layout] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            inner, slot = _lay_out(argument, slot)
            layout.append(inner)
        else:
            array = _is_array(argument)
            layout.append((slot, argument.dtype if array else None))
            slot += _ARRAY_SLOTS if array else 1
    return layout, slot


class CapturedStep:
    """Launches captured as a CUDA graph; calling it runs them all again with the arguments they had."""

    def __init__(self, launches: Callable[[], None], stream: Any, enter: Callable[[], None]) -> None:
        from cuda.bindings import driver

        self._enter = enter
        self._stream = driver.CUstream(int(stream.handle))
        self._launch = driver.cuGraphLaunch
        relaxed = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        driver_call(driver.cuStreamBeginCapture, self._stream, relaxed)
        self._taken: list[Any] = []
        _capture.taken = self._taken
        try:
            launches()
        finally:
            _capture.taken = None
            graph = driver_call(driver.cuStreamEndCapture, self._stream)
        self._graph = driver_call(driver.cuGraphInstantiate, graph, 0)
        driver_call(driver.cuGraphDestroy, graph)
        self._free = weakref.finalize(self, driver.cuGraphExecDestroy, self._graph)

    def __call__(self) -> None:
        """Run the captured launches."""
        self._enter()
        (status,) = self._launch(self._graph, self._stream)
        if status != 0:
            raise DeviceError(f"the card refused a captured step: {status.name}")
