"""What answers for loops of this folder while they are compiled, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def join(offsets: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.int32]:
    """Return the smallest node that each node is connected with: arcs hook roots on smaller ones, paths are halved."""
    n = len(offsets) - 1
    tails, above = np.repeat(np.arange(n, dtype=np.int32), np.diff(offsets)), np.arange(n, dtype=np.int32)
    while True:
        a, b = above[tails], above[targets]
        if np.array_equal(a, b):
            return above
        np.minimum.at(above, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(further := above[above], above):
            above = further
