"""Refuse networks whose separators are so large that dissection is no help: dense, random and very large grids.

Folding a front of s separator and a border nodes takes s (s + a)² additions, and all its entries take memory.
Separators are known while a network is cut, borders only afterwards: hopeless networks are refused after a few cuts.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection
from wayfront.errors import NetworkError
from wayfront.memory import available_bytes

MOST_ADDITIONS = 3e11
"""About two minutes on one core with explicit vectors. New York takes 1.7e8, a grid of a million nodes 1e11."""
_ADDITIONS_A_SECOND = 2.5e9
_ENTRY_BYTES = 4


class SeparatorLimit:
    """Adds up what separators cost at the least, and refuses when it becomes too much; any thread may ask."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._additions = 0.0
        self._largest = 0
        self._lock = Lock()

    def check(self, separators: NDArray[np.int64]) -> None:
        """Add separators of these sizes. Raises ``NetworkError`` when together they are too large."""
        if not len(separators):
            return
        with self._lock:
            self._additions += float((separators.astype(np.float64) ** 3).sum())
            self._largest = max(self._largest, int(separators.max()))
            if self._additions > MOST_ADDITIONS:
                raise _refusal(self._name, self._largest, self._additions, at_least=True)


def additions(cells: Dissection) -> float:
    """Return how many additions customising takes."""
    own = np.diff(cells.offsets).astype(np.float64)
    return float((own * cells.front_sizes.astype(np.float64) ** 2).sum())


def matrix_bytes(cells: Dissection) -> int:
    """Return about how many bytes a customised dissection takes: rows of inner cells both ways, of leaves one way."""
    own, border = np.diff(cells.offsets).astype(np.int64), np.diff(cells.border_offsets)
    inner = ~cells.is_leaf
    entries = int((own * border).sum() + (own * (own + border))[inner].sum())
    return _ENTRY_BYTES * (entries + 2 * int(cells.front_sizes.max()) ** 2)


def require_small_fronts(cells: Dissection, name: str) -> None:
    """Raise ``NetworkError`` where customising a cut takes too long, or more memory than is free."""
    needed, size = additions(cells), matrix_bytes(cells)
    if needed > MOST_ADDITIONS or size > available_bytes():
        raise _refusal(name, int(cells.front_sizes.max()), needed, size)


def _refusal(name: str, largest: int, needed: float, size: Any = None, *, at_least: bool = False) -> NetworkError:
    minutes = needed / _ADDITIONS_A_SECOND / 60
    memory = "" if size is None else f" and {size / 1e9:,.1f} GB of memory"
    return NetworkError(
        f"{name}: it does not fall apart along few nodes (up to {largest:,} at a time), so customising a dissection "
        f"would take {'more than' if at_least else 'about'} {minutes:,.0f} min{memory}: take another algorithm, for "
        "instance near-far"
    )
