"""Define what a search may ask of a device. Nothing outside this package knows which one it has.

A *body* is a plain per-thread function ``body(i, *arguments)`` of arrays, whole numbers, and groups of them (see
``wayfront.devices.entries``). A device compiles it for itself and runs it for every ``i`` below a count; calls run in
the order they were made. Memory that ``put`` and ``empty`` return belongs to the device and is only passed to bodies
or read back with ``get``.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any, Concatenate, Generic, ParamSpec, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.safe.errors import DeviceError, SearchCancelled

Body = Callable[..., None]
DeviceArray = Any
Check = Callable[[], None]
"""Called now and then during long work, which it ends by raising an exception."""


def no_check() -> None:
    """Let the work go on."""


BLOCKS_OF_ONE = 8
"""Blocks of a card's own size that one of its processors holds at once, and that keep it busy."""

Arguments = ParamSpec("Arguments")

TURN_S = 0.05
"""How often a search that waits for its turn on a device looks whether it was cancelled."""


@dataclass(frozen=True, slots=True)
class BlockKernel(Generic[Arguments]):
    """A kernel whose threads work together in blocks, through shared memory and block barriers.

    ``on_card`` is a plain kernel function for CUDA. ``on_processor`` takes the same steps as a compiled loop: a
    function of (blocks, threads of a block, *arguments).
    """

    on_card: Callable[Arguments, None]
    on_processor: Callable[Concatenate[int, int, Arguments], None]


@dataclass(frozen=True, slots=True)
class TileKernel(Generic[Arguments]):
    """A kernel whose blocks do not depend on one another: each has a part of its own to write, a row or a tile.

    ``on_card`` is a plain kernel function for CUDA, as in ``BlockKernel``. ``on_core`` is a body that does the work
    of one block, a function of (block, *arguments): the cores of a processor divide the blocks.
    """

    on_card: Callable[Arguments, None]
    on_core: Callable[Concatenate[int, Arguments], None]


@dataclass(frozen=True, slots=True)
class CardKernel(Generic[Arguments]):
    """A kernel for devices with blocks alone, whose blocks share more memory than other kernels' do.

    ``on_card`` is a plain kernel function for CUDA; its shared arrays of length 0 are all the memory that it is
    launched with. A thread uses at most ``registers`` registers, as many as the compiler likes where that is 0. Where
    blocks wait for one another, ``together`` has all of them on the card at once, or none; the simulator has but one.
    """

    on_card: Callable[Arguments, None]
    registers: int = 0
    together: bool = False


Divide = Callable[[Callable[[int, int], None], Sequence[int]], None]
"""``Device.divide``: calls work(task, core) for every task on the device's cores."""


class Ability(Flag):
    """What a device can do. An algorithm declares what it needs; it runs on the devices that can do all of that.

    HOST_LOOPS    arrays are in the host's memory, where a compiled sequential function reads and writes them
    KERNELS       runs a body for every index below a count
    BLOCKS        threads of a block run side by side, so that the size of a block matters
    GRID_BARRIER  a kernel's threads can all wait for one another, so that one launch can be a whole search
    """

    HOST_LOOPS = auto()
    KERNELS = auto()
    BLOCKS = auto()
    GRID_BARRIER = auto()


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """How a kind of device with blocks launches kernels; the entries are those of ``Device``, ``warp`` runs in step."""

    block: int
    most_block: int
    lane_bits: int
    warp_bits: int
    warp: int = 32


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """One device of this machine, as it is listed and chosen; also one that cannot be opened.

    id         as typed and recorded: ``cpu``, ``cuda:0``, ``simulator``
    label      short title, for instance ``GPU``
    colour     key of the theme's colour for it: "processor", "card" or "simulator"
    abilities  what it can do
    fastest    name of the search that is fastest on it
    name       name of the hardware, empty if it was not looked up
    available  whether it can be opened here; if not, ``why_not`` gives the reason in one line
    threads    how many threads a search can be given at most
    exclusive  whether a process that opens it can open no other device but the CPU, and times nothing beside it
    launches   how it launches kernels, None where there are no blocks
    """

    id: str
    label: str
    colour: str
    abilities: Ability
    fastest: str
    name: str = ""
    available: bool = False
    why_not: str = ""
    threads: int = 1
    exclusive: bool = False
    launches: LaunchFacts | None = None


class Device(Protocol):
    """Runs kernel bodies. ``id``, ``name`` and ``abilities`` are those of its ``DeviceInfo``.

    ``fastest`` is the name of the search that is fastest on it. ``threads`` is the number of the CPU's cores that it
    uses, and ``shared_launches`` counts the launches that were divided among several; they are 1 and 0 on a card.
    ``memory`` names the memory that ``put`` copies to: devices with the same name can use one another's copies.
    ``compiles`` is False where bodies run as plain Python: then nothing has to be warmed up.

    2^``lane_bits`` threads should share the arcs of one node where an algorithm can divide them: 1 where threads are
    expensive, more where they wait for memory. 2^``warp_bits`` threads run in step, and should write what belongs to
    one node side by side. ``block`` is the number of threads of a block where nobody asks for another, and
    ``most_block`` how many there can be. ``busy_blocks`` such blocks keep the whole device busy. A block
    can have ``shared_bytes`` of shared memory, 0 where there is none. ``asynchronous`` is
    True where a launch may return before its work is done. ``wide_sums`` is True where bodies compute the sum of two
    int32 in 64 bits. ``why_unusable`` says in a line why the device cannot be used any more, and is empty while it can.
    """

    id: str
    name: str
    abilities: Ability
    fastest: str
    memory: str
    threads: int
    shared_launches: int
    compiles: bool
    lane_bits: int
    warp_bits: int
    block: int
    most_block: int
    busy_blocks: int
    shared_bytes: int
    asynchronous: bool
    wide_sums: bool
    why_unusable: str

    def put(self, array: NDArray[Any]) -> DeviceArray:
        """Return the device's own copy of an array (the array itself where the device reads it in place)."""
        ...

    def empty(self, size: int, dtype: DTypeLike) -> DeviceArray:
        """Return device memory for ``size`` elements, not initialised."""
        ...

    def get(self, array: DeviceArray, count: int | None = None) -> NDArray[Any]:
        """Wait for the device and return a copy of the first ``count`` elements (all by default)."""
        ...

    def reader(self, size: int, dtype: DTypeLike) -> Reader:
        """Return what copies up to so many elements back while the device goes on."""
        ...

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return a function of (count, *arguments) that runs ``body(i, *arguments)`` for every i in 0 … count−1.

        They run in any order, some at once. Keep the function: further calls are cheaper than the first. ``block`` is
        the number of threads of a block, where there are blocks. A device on which a launch ends only with its work
        calls ``check`` between parts of a long one; if that raises, the rest is not run.
        """
        ...

    def prepare_shared(
        self, body: Body, share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return what ``prepare`` returns, for a body of which each index is long work, such as a whole search.

        A processor's cores take ``share`` indices at a time, with a ``check`` before each share.
        """
        ...

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return a function of (blocks, *arguments) that runs a block kernel; keep it, as above."""
        ...

    def prepare_tiles(
        self, kernel: TileKernel[...], share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return a function of (blocks, *arguments) that runs a tile kernel; shares are as for ``prepare_shared``."""
        ...

    def prepare_card(self, kernel: CardKernel[...], block: int, shared_bytes: int) -> Callable[..., None]:
        """Return a function of (blocks, *arguments) that runs a kernel for cards with so much shared memory a block.

        Raises ``DeviceError`` on a device without blocks.
        """
        ...

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return a function that repeats the launches of ``launches`` with the arguments they had.

        A device may run ``launches`` now or only later: do not read what it computes from here.
        """
        ...

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Run a whole-search kernel once, over as many threads as can be resident at the same time.

        Raises ``DeviceError`` on a device that has no grid-wide barrier.
        """
        ...

    def divide(self, work: Callable[[int, int], None], tasks: Sequence[int]) -> None:
        """Call ``work(task, core)`` for every task on the device's cores, where it runs compiled loops on the host."""
        ...

    def synchronize(self) -> None:
        """Wait until all that was launched is done."""
        ...

    def stamps(self) -> Stamps:
        """Return a clock by which times can be noted in the stream of launches; each has its own times."""
        ...

    def hold(self) -> None:
        """Hold back all that is launched from now on until ``release``, so that it then runs without gaps.

        Do not wait for the device meanwhile.
        """
        ...

    def release(self) -> None:
        """Start what was held back."""
        ...

    def reserve(self, cancel: threading.Event | None) -> AbstractContextManager[None]:
        """Return a context in which one search runs: where searches would meet, a second thread's waits for its turn.

        Raises ``SearchCancelled`` where ``cancel`` is set while it waits. Faults of the device that come up within are
        raised as ``DeviceMemoryError``, ``KernelError`` or ``DeviceLostError``.
        """
        ...

    def free_bytes(self) -> int:
        """Return how much memory is free on the device."""
        ...

    def describe(self) -> dict[str, str]:
        """Return the facts to report beside times: card or processor, driver and CUDA versions."""
        ...


class Immediate:
    """Base of devices whose launches are done when they return."""

    asynchronous = False

    def reader(self, _size: int, _dtype: DTypeLike) -> Reader:
        """Return what copies at once."""
        return CopyingReader(self.get)

    @abstractmethod
    def get(self, array: DeviceArray, count: int | None = None) -> NDArray[Any]:
        """Return a copy of the first ``count`` elements."""

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return the launches themselves: there is nothing to save."""
        return launches

    def hold(self) -> None:
        """Do nothing: no launch is ever waiting."""

    def release(self) -> None:
        """Do nothing."""

    def stamps(self) -> Stamps:
        """Return the host's clock."""
        return HostStamps()


class OneSearchAtATime:
    """Base of devices whose launches, buffers and clocks belong to one search until it ends."""

    why_unusable = ""

    def __init__(self) -> None:
        self._searching = threading.RLock()  # the same thread may search again from its own progress report

    @contextmanager
    def reserve(self, cancel: threading.Event | None) -> Iterator[None]:
        """Wait until no other thread searches here, then keep the others waiting."""
        while not self._searching.acquire(timeout=TURN_S):
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("cancelled while another search ran on the device")
        try:
            yield
        finally:
            self._searching.release()


class InBlocks(OneSearchAtATime, ABC):
    """Base of devices whose threads run in blocks: every thread of a grid takes one index of a body."""

    threads = 1
    shared_launches = 0

    def __init__(self, info: DeviceInfo, launches: LaunchFacts) -> None:
        super().__init__()
        self.id: str = info.id
        self.name: str = info.name
        self.abilities: Ability = info.abilities
        self.fastest: str = info.fastest
        self.block: int = launches.block
        self.most_block: int = launches.most_block
        self.lane_bits: int = launches.lane_bits
        self.warp_bits: int = launches.warp_bits

    @abstractmethod
    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return a function of (count, *arguments) that runs a body over a grid of as many threads."""

    @abstractmethod
    def in_blocks(self, on_card: Callable[..., None], block: int | None) -> Callable[..., None]:
        """Return a function of (blocks, *arguments) that runs a whole kernel."""

    def prepare_shared(
        self, body: Body, share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return what ``prepare`` returns: every thread takes one index."""
        return self.prepare(body, block, check)

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return what runs the kernel over as many blocks as it is asked for."""
        return self.in_blocks(kernel.on_card, block)

    def prepare_tiles(
        self, kernel: TileKernel[...], share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return what runs the kernel over as many blocks as it is asked for."""
        return self.in_blocks(kernel.on_card, block)

    def divide(self, work: Callable[[int, int], None], tasks: Sequence[int]) -> None:
        """Refuse: loops on the host are the CPU's."""
        raise DeviceError("a search by compiled loops on the host needs the CPU")


# ---------------------------------------------------------------------------- times in the stream of launches

STAMPS = 1 << 12
"""Times that a device keeps at most until they are taken; a power of two."""


class Reader(Protocol):
    """Copies an array back at a time, while the device does what is launched meanwhile."""

    def start(self, array: DeviceArray, count: int) -> None:
        """Copy the first ``count`` elements as soon as all that was launched is done; leave them as they are then."""
        ...

    def finish(self) -> NDArray[Any]:
        """Wait for what was started, and return it; it stays until the next start."""
        ...


class CopyingReader:
    """Copies when it starts, by what a device copies with."""

    def __init__(self, get: Callable[[DeviceArray, int], NDArray[Any]]) -> None:
        self._get = get

    def start(self, array: DeviceArray, count: int) -> None:
        """Copy the first elements."""
        self._copied = self._get(array, count)

    def finish(self) -> NDArray[Any]:
        """Return what was copied."""
        return self._copied


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
