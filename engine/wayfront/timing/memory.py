"""How much memory is free, so that what would not fit can be told before it is tried."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_CGROUP_USE = Path("/sys/fs/cgroup/memory.current")


def available_bytes() -> int | None:
    """Return how much memory a program can still take without swapping, None where the system does not say."""
    if sys.platform == "win32":
        return _windows()
    free: list[int] = []
    with suppress(OSError, AttributeError, ValueError):
        found = re.search(r"MemAvailable:\s+(\d+) kB", _MEMINFO.read_text())
        if found:
            free.append(int(found[1]) << 10)
    with suppress(OSError, ValueError):  # a container may have less than its machine; "max" is no number
        free.append(int(_CGROUP_LIMIT.read_text()) - int(_CGROUP_USE.read_text()))
    if not free:
        with suppress(OSError, ValueError):  # macOS tells all there is, not what is free
            free.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return max(min(free), 0) if free else None


def _windows() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in ("total", "free", "page_total", "page_free")),
            *((name, ctypes.c_uint64) for name in ("virtual_total", "virtual_free", "extended")),
        )

    status = Status(length=ctypes.sizeof(Status))
    windll = getattr(ctypes, "windll", None)
    told = windll is not None and windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.free) if told else None
