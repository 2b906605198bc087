"""Whole weights from numbers of any kind: a search needs whole numbers, and what rounding does is told or refused.

A weight is stored as a whole number of ``scale`` units. Whole numbers are stored as they are. Of others, decimal
fractions such as 12.345 have a scale at which nothing is rounded, which is found; else the finest power of ten at which
the largest weight fits 32 bits is taken. Rounding keeps the order of any two weights, but it may make them equal, and
small ones 0: a scale that somebody names is refused where that would happen, unless they say that it may.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.errors import NetworkError, OptionError
from wayfront.network.schema import LARGEST_WEIGHT

MOST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Whole:
    """Weights as whole numbers, int64 [m]: ``weights * scale`` are the given ones; ``note`` tells what was rounded."""

    weights: NDArray[np.int64]
    scale: float
    note: str = ""


Naming = Callable[[int], str]
"""Returns what people call the arc at a position."""


def _by_number(arc: int) -> str:
    return f"arc {arc + 1}"


def whole_weights(
    values: ArrayLike,
    scale: float | None = None,
    *,
    lossy: bool = False,
    what: str = "weight",
    naming: Naming = _by_number,
) -> Whole:
    """Return weights as whole numbers of ``scale``, which is found where it is None.

    ``lossy`` accepts that weights which differ become equal, or 0. ``what`` is what errors call a weight, and
    ``naming`` its arc. Raises ``NetworkError`` for a weight that is negative or no number, and ``OptionError`` for a
    scale at which weights do not fit or lose their order.
    """
    numbers = _numbers(values, what, naming)
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise OptionError(f"a scale is a number above 0, not {scale!r}")
    largest = float(numbers.max(initial=0.0))
    found = _best_scale(numbers, largest) if scale is None else scale
    if largest / found > LARGEST_WEIGHT + 0.5:
        raise OptionError(
            f"a {what} of {largest:g} has more than 32 bits at scale {found:g}; the finest scale that fits is "
            f"{_finest(largest):g}"
        )
    whole = np.rint(numbers / found).astype(np.int64)
    rounded = float(np.abs(whole * found - numbers).max(initial=0.0))
    # What adds nothing to the largest weight in the numbers of Python is 0 there too.
    zeros = int(((whole == 0) & (numbers > largest * 2.0**-53)).sum())
    if rounded <= found * 1e-6 and not zeros:
        return Whole(whole, found)
    merged = len(np.unique(numbers)) - len(np.unique(whole))
    if not lossy and (zeros or (merged and scale is not None)):
        _refuse(numbers, whole, found, largest, what)
    note = f"Each {what} was rounded to a multiple of {found:g}, by {rounded:.2g} at most."
    return Whole(whole, found, note + (f" So {merged:,} of them became equal to others." if merged else ""))


def _numbers(values: ArrayLike, what: str, naming: Naming) -> NDArray[np.float64]:
    kind = np.asarray(values).dtype
    if kind.kind in "mMc":
        instead = "; .dt.total_seconds() makes numbers of them" if kind.kind == "m" else ""
        raise NetworkError(f"every {what} has to be a number, not {kind.name}{instead}")
    try:
        numbers: NDArray[Any] = np.asarray(values, np.float64).reshape(-1)
    except (TypeError, ValueError) as problem:
        raise NetworkError(f"every {what} has to be a number: {problem}") from None
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if len(bad):
        raise NetworkError(
            f"the {what} of {naming(int(bad[0]))} is {numbers[bad[0]]:g}; it has to be 0 or more, and finite"
        )
    return numbers


def _best_scale(numbers: NDArray[np.float64], largest: float) -> float:
    """Return the coarsest power of ten at which nothing is rounded, else the finest at which all fit."""
    for decimals in range(MOST_DECIMALS + 1):
        power = 10.0**decimals
        if largest * power > LARGEST_WEIGHT:
            break
        if (np.rint(numbers * power) / power == numbers).all():
            return 10.0**-decimals
    return _finest(largest)


def _finest(largest: float) -> float:
    """Return the finest power of ten at which a weight fits."""
    return 10.0 ** math.ceil(math.log10(largest / LARGEST_WEIGHT)) if largest > 0 else 1.0


def _refuse(numbers: NDArray[np.float64], whole: NDArray[np.int64], scale: float, largest: float, what: str) -> None:
    """Raise ``OptionError`` naming weights that would lose their order."""
    order = np.lexsort((numbers, whole))
    same = np.flatnonzero((np.diff(whole[order]) == 0) & (np.diff(numbers[order]) > 0))
    zero = numbers[(whole == 0) & (numbers > 0)]
    if len(zero):
        lost = f"a {what} of {zero.min():g} would become 0"
    else:
        one, other = numbers[order][same[0]], numbers[order][same[0] + 1]
        lost = f"the {what}s {one:.12g} and {other:.12g} would become equal"
    finest = _finest(largest)
    instead = f"the finest scale that fits is {finest:g}; " if finest < scale else ""
    raise OptionError(f"at scale {scale:g} {lost}; {instead}lossy=True accepts it")
