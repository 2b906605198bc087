"""Random numbers and sines with the same bits on every machine.

A generator that grows streets makes millions of decisions, each of which a last-bit difference could flip, and
one flipped decision changes everything after it. So the generators draw only raw bits of PCG64 (which NumPy
promises never to change, unlike the distributions made from them) and calculate only with + − × ÷ and √, which
IEEE 754 fixes to the last bit; sines come from a series, decay from fractions, and sums run in a fixed order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

UNIT = 1.0 / (1 << 53)
"""What 53 random bits are multiplied by to lie in [0, 1)."""
_TAU = 6.283185307179586


class Draws:
    """A stream of random numbers with the same values on every machine and NumPy."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, low: float, high: float) -> float:
        """Return one number in [low, high)."""
        return low + (high - low) * (int(self._bits.random_raw()) >> 11) * UNIT

    def integers(self, low: int, high: int, count: int) -> NDArray[np.int64]:
        """Return int64 [count] in low … high, both included."""
        raw = self._bits.random_raw(count) >> np.uint64(1)
        span = np.uint64(high - low + 1)
        return np.asarray(raw % span).astype(np.int64) + low

    def fractions(self, count: int) -> NDArray[np.float64]:
        """Return float64 [count] in [0, 1)."""
        return np.asarray(self._bits.random_raw(count) >> np.uint64(11)).astype(np.float64) * UNIT

    def permutation(self, count: int) -> NDArray[np.int64]:
        """Return the numbers 0 … count − 1 in random order, int64 [count]."""
        # Sorting draws of 64 bits: two alike are as good as impossible, and a stable sort would order even those.
        return np.argsort(self._bits.random_raw(count), kind="stable").astype(np.int64)

    def salt(self) -> int:
        """Return a number below 2**62 that seeds a noise field."""
        return int(self._bits.random_raw()) >> 2


def cosine_sine(turns: Any) -> tuple[Any, Any]:
    """Return cosine and sine of an angle in turns (a number or an array), to about 1e-12."""
    angle = (turns - np.floor(turns + 0.5)) * _TAU
    square = angle * angle
    cosine, sine = 1.0, 1.0
    for k in range(15, 0, -1):
        cosine = 1.0 - square / ((2 * k - 1) * (2 * k)) * cosine
        sine = 1.0 - square / ((2 * k) * (2 * k + 1)) * sine
    return cosine, angle * sine
