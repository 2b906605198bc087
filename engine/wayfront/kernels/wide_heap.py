"""A heap of four children an entry, for searches that enter a node anew when its distance falls.

Keys and values lie in arrays of their own, and their caller counts them.
"""

from __future__ import annotations

from typing import Any

from wayfront.devices.compiling import inlined


@inlined
def enter(keys: Any, values: Any, size: int, key: int, value: int) -> int:
    """Enter a value into a heap of ``size`` entries; return its new size."""
    hole = size
    while hole > 0:
        above = (hole - 1) >> 2
        if keys[above] <= key:
            break
        keys[hole], values[hole] = keys[above], values[above]
        hole = above
    keys[hole], values[hole] = key, value
    return size + 1


@inlined
def drop_first(keys: Any, values: Any, size: int) -> int:
    """Take the least entry out of a heap of ``size`` entries; return its new size."""
    last = size - 1
    key, value = keys[last], values[last]
    hole, child = 0, 1
    while child < last:
        least = child
        for other in range(child + 1, min(child + 4, last)):
            if keys[other] < keys[least]:
                least = other
        if keys[least] >= key:
            break
        keys[hole], values[hole] = keys[least], values[least]
        hole, child = least, 4 * least + 1
    keys[hole], values[hole] = key, value
    return last
