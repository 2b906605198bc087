"""Arrays in the host's memory that suit its vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64
"""Bytes that a processor reads and writes together; also those of its widest vectors."""


def aligned_empty(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an uninitialised array that begins with a cache line, so that none of its vectors lies across two."""
    itemsize = np.dtype(dtype).itemsize
    memory = np.empty(size + CACHE_LINE // itemsize, dtype)
    skipped = -memory.ctypes.data % CACHE_LINE // itemsize
    return memory[skipped : skipped + size]
