"""Find a minimum with a library on the card, in the place of the Thrust call that paper B timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LibraryMinimum:
    """A library's way: ``many`` finds the smallest so many times, waits, and returns it; ``name`` says which it is."""

    name: str
    many: Callable[[int], int]


def find(distances: NDArray[np.int32]) -> LibraryMinimum | None:
    """Return CuPy's ``argmin``, without CuPy numba's ``cuda.reduce``, or None where neither is here."""
    return _cupy(distances) or _numba(distances)


def _cupy(distances: NDArray[np.int32]) -> LibraryMinimum | None:
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        return None
    on_card = cupy.asarray(distances)

    def many(times: int) -> int:
        place: Any = None
        for _ in range(times):
            place = on_card.argmin()
        return int(on_card[place])  # which waits for the card

    return LibraryMinimum(f"CuPy {cupy.__version__} argmin", many)


def _numba(distances: NDArray[np.int32]) -> LibraryMinimum | None:
    from numba import cuda

    if not cuda.is_available():
        return None
    reduce: Any = cuda.reduce(lambda a, b: a if a < b else b)
    on_card, result = cuda.to_device(distances), cuda.device_array(1, np.int32)

    def many(times: int) -> int:
        for _ in range(times):
            reduce(on_card, res=result, init=np.int32(2**31 - 1))
        return int(result.copy_to_host()[0])

    return LibraryMinimum("numba cuda.reduce, the value alone", many)
