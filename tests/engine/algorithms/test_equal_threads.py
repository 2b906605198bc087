"""The search by parallel reduction compares sizes of blocks at equal threads."""

from __future__ import annotations

import pytest

from wayfront.algorithms.dijkstra.cuda_dijkstra import REDUCING_THREADS, count_blocks
from wayfront.search.registry import find_algorithm

BLOCKS = next(option for option in find_algorithm("cuda-dijkstra").options if option.name == "block").choices


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("node_count", [1, 1000, 264_346, 10**7])
def test_the_size_of_a_block_leaves_the_number_of_threads(node_count: int, block: int) -> None:
    threads = count_blocks(node_count, block) * block
    assert threads == REDUCING_THREADS if node_count >= REDUCING_THREADS else 0 <= threads - node_count < block
