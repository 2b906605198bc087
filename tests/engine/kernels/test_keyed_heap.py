"""The heap with decrease-key: it hands out nodes in order, and every node's record names its entry's place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfront.kernels.keyed_heap import NOT_IN_HEAP, PAIR, KeyedHeap, drop_least, lower_node

FAR = 2**31 - 1
NODES = 12


def empty_heap(searches: int, *, interleaved: bool) -> list[KeyedHeap]:
    """Return heaps of several searches in shared arrays, one after the other or element by element."""
    assist = np.full(PAIR * NODES * searches, FAR, np.int32)
    assist[1::PAIR] = NOT_IN_HEAP
    entries = np.full(PAIR * NODES * searches, -7, np.int32)
    step = PAIR * searches if interleaved else PAIR
    firsts = [PAIR * s if interleaved else PAIR * NODES * s for s in range(searches)]
    return [KeyedHeap(assist, entries, first, step, first, step) for first in firsts]


@pytest.mark.parametrize("seed", range(2))
def test_a_full_heap_hands_out_its_nodes_in_order(seed: int) -> None:
    distances = np.random.default_rng(seed).permutation(NODES).tolist()
    (heap,) = empty_heap(1, interleaved=False)
    size, taken = 0, []
    for node, distance in enumerate(distances):
        size = lower_node(heap, size, node, distance)
    while size > 0:
        taken.append((int(heap.entries[0]), int(heap.entries[1])))
        size = drop_least(heap, size)
    assert taken == [(distance, distances.index(distance)) for distance in range(NODES)]


@pytest.mark.parametrize("interleaved", [False, True])
@settings(max_examples=40, deadline=None)
@given(
    moves=st.lists(st.tuples(st.integers(0, 1), st.integers(0, NODES - 1), st.integers(0, 30) | st.none()), max_size=40)
)
def test_any_moves_leave_two_heaps_that_are_right(interleaved: bool, moves: list[tuple[int, int, int | None]]) -> None:
    heaps = empty_heap(2, interleaved=interleaved)
    sizes: list[int] = [0, 0]
    waiting: list[dict[int, int]] = [{}, {}]
    done: list[set[int]] = [set(), set()]
    for which, node, distance in moves:
        heap = heaps[which]
        if distance is None and waiting[which]:
            least, taken = heap.entries[heap.first_entry], int(heap.entries[heap.first_entry + 1])
            assert least == waiting[which].pop(taken)
            assert least <= min(waiting[which].values(), default=FAR)
            sizes[which] = drop_least(heap, sizes[which])
            done[which].add(taken)
        elif distance is not None and node not in done[which] and distance < waiting[which].get(node, FAR):
            sizes[which] = lower_node(heap, sizes[which], node, distance)
            waiting[which][node] = distance
    for heap, size, expected in zip(heaps, sizes, waiting, strict=True):
        assert size == len(expected)
        for node, distance in expected.items():
            record = heap.first_node + node * heap.node_step
            entry = heap.first_entry + heap.assist[record + 1] * heap.entry_step
            assert heap.assist[record] == distance
            assert heap.entries[entry : entry + 2].tolist() == [distance, node]
