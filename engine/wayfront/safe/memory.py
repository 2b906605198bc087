"""How much memory is free, and how much a compressed file may unpack to: what goes beyond is refused beforehand.

A compressed file of some kilobytes can hold gigabytes of one letter. Readers ask here, before they unpack where the
file announces what it holds, and otherwise while they do.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from wayfront.safe.errors import MemoryShortError

_CONTAINER = Path("/sys/fs/cgroup")
"""Where a Linux container says what it may use and uses; psutil knows only the whole machine's memory."""


def available_bytes() -> int:
    """Return how much memory a program can still take without swapping."""
    import psutil  # here, since every start of the command line imports this module

    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # no container, or one without a limit: "max" is no number
        limit, used = (int((_CONTAINER / name).read_text()) for name in ("memory.max", "memory.current"))
        lines = (_CONTAINER / "memory.stat").read_text().splitlines()
        reclaimable = next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
        free = min(free, limit - used + reclaimable)
    return max(free, 0)


def require_memory(
    needed_bytes: int, what: str | Path, *, can_be_forced: bool = False, instead: str | None = None
) -> None:
    """Raise ``MemoryShortError`` where ``what``, a file or the name of a network, needs more memory than is free.

    Call it before anything of that size is unpacked or made. ``can_be_forced`` says that the caller has a way to go
    on all the same, which the error then offers; ``instead`` replaces the advice to take a smaller one.
    """
    free = available_bytes()
    if needed_bytes > free:
        raise MemoryShortError(needed_bytes, free, what, can_be_forced=can_be_forced, instead=instead)


ALWAYS_BYTES = 16 << 20
LARGEST_RATIO = 100
"""A file may unpack to 16 MiB, and beyond that to 100 times its size. Measured: real maps and road networks stay under
25 times, regular made-up ones such as grids under 60."""


def most_unpacked(packed_bytes: int) -> int:
    """Return to how many bytes a file of so many bytes may unpack."""
    return max(ALWAYS_BYTES, LARGEST_RATIO * packed_bytes)


def describe_bomb(packed_bytes: int) -> str:
    """Return in words that a file unpacks to more than it may, without the file's name."""
    most = most_unpacked(packed_bytes) >> 20
    return f"it unpacks to more than the {most:,} MiB that a file of its size may hold: it is taken for a bomb"
