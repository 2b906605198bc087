"""Make the lower bounds that searches from one end add to their keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.to_target.one_way_kernels import GREAT_CIRCLE, LANDMARKS, NOTHING, Bound


def _nothing(dtype: type) -> NDArray[Any]:
    """Return an empty array as read-only as those of bounds are, since loops are compiled for that."""
    array: NDArray[Any] = np.empty(0, dtype)
    array.flags.writeable = False
    return array


_NO_PLACES, _NO_DISTANCES = _nothing(np.float64), _nothing(np.int64)
_NO_LANDMARKS = np.empty(0, np.int32)


def no_bound(target: int) -> Bound:
    """Return the bound 0, which is everywhere right."""
    return Bound(NOTHING, target, _NO_PLACES, 0.0, _NO_DISTANCES, _NO_DISTANCES, 0, _NO_LANDMARKS)


def great_circle_bound(target: int, places: NDArray[np.float64], per_radian: float) -> Bound:
    """Return the bound by great circles: ``places`` float64 [3 n], and what a radian costs at least."""
    return Bound(GREAT_CIRCLE, target, places, per_radian, _NO_DISTANCES, _NO_DISTANCES, 0, _NO_LANDMARKS)


def landmark_bound(
    target: int, away: NDArray[np.int64], towards: NDArray[np.int64], landmarks: int, active: NDArray[np.int32]
) -> Bound:
    """Return the bound by landmarks: distances from and to them, int64 [n · landmarks], and those that are asked."""
    return Bound(LANDMARKS, target, _NO_PLACES, 0.0, away, towards, landmarks, active)
