"""Compiled loops on the processor that bring logged frontiers into node order, and add up their arcs.

A frontier comes as a list in the order in which threads happened to append, or as a bit map of all nodes. Lists are
ordered by way of a bit map too, with a second one over its words: that costs a few operations a node, and n / 4096 for
each step, where sorting costs log of the frontier's size for each node.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.kernels.bits import ones, trailing_zeros

_SHORT = 16
"""Frontiers up to this length are ordered by insertion."""


def order_steps(
    nodes: NDArray[np.int32], sizes: NDArray[np.int64], ordered: NDArray[np.bool_], degrees: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Bring the frontiers that lie one after the other in ``nodes`` into node order; return the degrees' sum of each.

    Those that are ``ordered`` already are left as they are. No frontier may hold a node twice.
    """
    words = np.zeros((len(degrees) >> 6) + 1, np.uint64)
    groups = np.zeros((len(words) >> 6) + 1, np.uint64)
    sums = np.empty(len(sizes), np.int64)
    _order(nodes, sizes, ordered, degrees, words, groups, sums)
    return sums


@loop_without_allocation
def count_bits(words: NDArray[np.uint32]) -> int:
    """Return how many bits of the words are set."""
    count = 0
    for word in words:
        count += types.int64(ones(types.uint64(word)))
    return count


@loop_without_allocation
def unpack_words(words: NDArray[np.uint32], nodes: NDArray[np.int32]) -> None:
    """List the nodes whose bits are set, in node order."""
    count = 0
    for index in range(len(words)):
        rest = types.uint64(words[index])
        while rest != 0:
            nodes[count] = (index << 5) + types.int64(trailing_zeros(rest))
            rest &= rest - types.uint64(1)
            count += 1


@loop_without_allocation
def _order(
    nodes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    ordered: NDArray[np.bool_],
    degrees: NDArray[np.int32],
    words: NDArray[np.uint64],
    groups: NDArray[np.uint64],
    sums: NDArray[np.int64],
) -> None:
    begin = types.int64(0)
    for step in range(len(sizes)):
        end = begin + sizes[step]
        if not ordered[step]:
            if end - begin <= _SHORT:
                _insert(nodes, begin, end)
            else:
                _mark(nodes, begin, end, words, groups)
                _list(nodes, begin, words, groups)
        arcs = 0
        for index in range(begin, end):
            arcs += degrees[nodes[index]]
        sums[step] = arcs
        begin = end


@part_without_allocation
def _insert(nodes: NDArray[np.int32], begin: int, end: int) -> None:
    for index in range(begin + 1, end):
        node, hole = nodes[index], index
        while hole > begin and nodes[hole - 1] > node:
            nodes[hole] = nodes[hole - 1]
            hole -= 1
        nodes[hole] = node


@part_without_allocation
def _mark(
    nodes: NDArray[np.int32], begin: int, end: int, words: NDArray[np.uint64], groups: NDArray[np.uint64]
) -> None:
    for index in range(begin, end):
        node = types.int64(nodes[index])
        word = node >> 6
        words[word] |= types.uint64(1) << types.uint64(node & 63)
        groups[word >> 6] |= types.uint64(1) << types.uint64(word & 63)


@loop_without_allocation
def _list(nodes: NDArray[np.int32], index: int, words: NDArray[np.uint64], groups: NDArray[np.uint64]) -> None:
    for group in range(len(groups)):
        left = groups[group]
        groups[group] = 0
        while left != 0:
            word = (group << 6) + types.int64(trailing_zeros(left))
            left &= left - types.uint64(1)
            rest = words[word]
            words[word] = 0
            while rest != 0:
                nodes[index] = (word << 6) + types.int64(trailing_zeros(rest))
                rest &= rest - types.uint64(1)
                index += 1
