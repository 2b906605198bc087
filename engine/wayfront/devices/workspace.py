"""Keep work arrays and prepared launches on one device, so that a second run allocates nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate

from numpy.typing import DTypeLike

from wayfront.devices.device import (
    Arguments,
    BlockKernel,
    Body,
    CardKernel,
    Check,
    Device,
    DeviceArray,
    TileKernel,
    no_check,
)


class Workspace:
    """Named device arrays and prepared launches.

    ``block`` is the number of threads of a block of every launch. ``check`` raises an exception where the work is to
    end: whoever does much between two launches calls it now and then.
    """

    def __init__(self, device: Device, block: int, check: Check = no_check) -> None:
        self.device = device
        self.check = check
        self.block: int = min(block, device.most_block)
        self._prepared: dict[Body | BlockKernel[...], Callable[..., None]] = {}
        self._prepared_tiles: dict[tuple[TileKernel[...], int], Callable[..., None]] = {}
        self._prepared_cards: dict[tuple[CardKernel[...], int, int], Callable[..., None]] = {}
        self._arrays: dict[str, DeviceArray] = {}
        self._measured: dict[str, int] = {}

    def array(self, name: str, size: int, dtype: DTypeLike) -> DeviceArray:
        """Return the work array of that name, uninitialised at first and then as the last run left it."""
        if name not in self._arrays:
            self._arrays[name] = self.device.empty(size, dtype)
        return self._arrays[name]

    def has_array(self, name: str) -> bool:
        """Return whether a work array of that name was requested before."""
        return name in self._arrays

    def measured(self, name: str, measure: Callable[[], int]) -> int:
        """Return what ``measure`` finds, which is called the first time alone: further runs do not pay for it."""
        if name not in self._measured:
            self._measured[name] = measure()
        return self._measured[name]

    def launch(
        self,
        body: Callable[Concatenate[int, Arguments], None],
        count: int,
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Run a body for 0 … count−1 on the device."""
        prepared = self._prepared.get(body)
        if prepared is None:
            self.check()  # preparing may compile, which takes long
            prepared = self._prepared[body] = self.device.prepare(body, self.block, self.check)
        prepared(count, *arguments, **named)

    def launch_blocks(
        self,
        kernel: BlockKernel[Arguments],
        blocks: int,
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Run a block kernel over a number of blocks on the device."""
        self.check()
        prepared = self._prepared.get(kernel)
        if prepared is None:
            prepared = self._prepared[kernel] = self.device.prepare_blocks(kernel, self.block)
        prepared(blocks, *arguments, **named)

    def launch_tiles(
        self,
        kernel: TileKernel[Arguments],
        blocks: int,
        share: int,
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Run a tile kernel over a number of blocks; a processor's cores take ``share`` of them at a time."""
        self.check()
        prepared = self._prepared_tiles.get((kernel, share))
        if prepared is None:
            prepared = self.device.prepare_tiles(kernel, share, self.block, self.check)
            self._prepared_tiles[kernel, share] = prepared
        prepared(blocks, *arguments, **named)

    def launch_card(
        self,
        kernel: CardKernel[Arguments],
        blocks: int,
        block: int,
        shared_bytes: int,
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Run a kernel for cards over a number of blocks of so many threads, with so much shared memory each."""
        self.check()
        prepared = self._prepared_cards.get((kernel, block, shared_bytes))
        if prepared is None:
            prepared = self.device.prepare_card(kernel, min(block, self.device.most_block), shared_bytes)
            self._prepared_cards[kernel, block, shared_bytes] = prepared
        prepared(blocks, *arguments, **named)

    def launch_resident(
        self, kernel: Callable[Arguments, None], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> None:
        """Run a whole-search kernel once, over as many threads as the device holds at the same time."""
        self.device.launch_resident(kernel, *arguments, **named)

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return a function that repeats the launches of ``launches`` with the same arguments, at the least cost."""
        return self.device.record(launches)

    def read(self, array: DeviceArray, count: int | None = None) -> list[int]:
        """Wait for the device and return the first ``count`` elements (all by default) as numbers."""
        self.check()  # somebody's search may read in a loop, and never yield
        values: list[int] = self.device.get(array, count).tolist()
        return values
