"""How much memory is free, so that what would not fit can be refused before it is tried."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from wayfront.errors import MemoryShortError

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


def require_memory(needed_bytes: int, what: str | Path, *, can_be_forced: bool = False) -> None:
    """Raise ``MemoryShortError`` where ``what``, a file or the name of a network, needs more memory than is free.

    Call it before anything of that size is unpacked or made. ``can_be_forced`` says that the caller has a way to go
    on all the same, which the error then offers.
    """
    free = available_bytes()
    if needed_bytes > free:
        raise MemoryShortError(needed_bytes, free, what, can_be_forced=can_be_forced)
