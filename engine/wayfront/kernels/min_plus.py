"""The lesser of a distance and a sum of two, in as many bits as distances have, and the type of an index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from wayfront.devices.cuda_support import cuda_overload

Index = np.uint64
"""The type of an index into an array. Of an index with a sign a compiler cannot know that it does not count from the
end of the array; testing that costs a kernel more than the sum and the comparison it is about, and keeps the
processor from doing several at once."""


def lesser_sum(known: Any, first: Any, second: Any) -> Any:
    """Return the lesser of a distance and the sum of two, each of them ≥ 0 and at most the dtype's largest value.

    Compiled, the sum is taken in as many bits as the distances have, but without a sign: that of two infinities, the
    largest value 2³¹ − 1, is 2³² − 2, which fits, and is no less than any distance. So an infinity needs no test of its
    own, and on cards from Hopper on sum and minimum are one instruction.
    """
    return min(known, int(first) + int(second))


@overload(lesser_sum)
@cuda_overload(lesser_sum)
def _lesser_sum_without_sign(known: Any, first: Any, second: Any) -> Any:
    """Return ``lesser_sum`` for numbers of one width, where numba would widen the sum to 64 bits."""
    signed, unsigned = (types.int32, types.uint32) if known.bitwidth == 32 else (types.int64, types.uint64)

    def form(known: Any, first: Any, second: Any) -> Any:
        return signed(min(unsigned(known), unsigned(first + second)))

    return form
