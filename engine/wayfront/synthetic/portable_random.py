"""Random numbers, noise and sines with the same bits on every machine.

A generator that grows streets makes millions of decisions, each of which a last-bit difference could flip, and
one flipped decision changes everything after it. So the generators draw only raw bits of PCG64 (which NumPy
promises never to change, unlike the distributions made from them) and calculate only with + − × ÷ and √, which
IEEE 754 fixes to the last bit; sines come from a series, decay from fractions, and sums run in a fixed order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import part

_UNIT = 1.0 / (1 << 53)
_TAU = 6.283185307179586


class Draws:
    """A stream of random numbers with the same values on every machine and NumPy."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, low: float, high: float) -> float:
        """Return one number in [low, high)."""
        return low + (high - low) * (int(self._bits.random_raw()) >> 11) * _UNIT

    def integers(self, low: int, high: int, count: int) -> NDArray[np.int64]:
        """Return int64 [count] in low … high, both included."""
        raw = self._bits.random_raw(count) >> np.uint64(1)
        span = np.uint64(high - low + 1)
        return np.asarray(raw % span).astype(np.int64) + low

    def fractions(self, count: int) -> NDArray[np.float64]:
        """Return float64 [count] in [0, 1)."""
        return np.asarray(self._bits.random_raw(count) >> np.uint64(11)).astype(np.float64) * _UNIT

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


@part
def hash_unit(i: int, j: int, salt: int) -> float:
    """Return a number in [0, 1) that depends on the bits of three integers (the finaliser of SplitMix64)."""
    h = np.uint64(i) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(j) * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(salt)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h = h ^ (h >> np.uint64(31))
    return np.float64(np.int64(h >> np.uint64(11))) * _UNIT


@part
def noise(x: float, y: float, salt: int) -> float:
    """Return smooth noise in −1 … 1 with features of about one unit (value noise on the integer lattice)."""
    i, j = np.int64(np.floor(x)), np.int64(np.floor(y))
    s, t = x - i, y - j
    s, t = s * s * (3.0 - 2.0 * s), t * t * (3.0 - 2.0 * t)
    low = hash_unit(i, j, salt) * (1.0 - s) + hash_unit(i + 1, j, salt) * s
    high = hash_unit(i, j + 1, salt) * (1.0 - s) + hash_unit(i + 1, j + 1, salt) * s
    return 2.0 * (low * (1.0 - t) + high * t) - 1.0


@part
def fractal(x: float, y: float, octaves: int, salt: int) -> float:
    """Return noise in about −1 … 1 with detail down to 2**-octaves units."""
    total, amplitude, scale = 0.0, 0.55, 1.0
    for k in range(octaves):
        # Shifted, since lattice points of all octaves would otherwise meet at the origin.
        total += amplitude * noise(x * scale + 17.3 * k, y * scale - 9.1 * k, salt + k)
        amplitude *= 0.5
        scale *= 2.0
    return total
