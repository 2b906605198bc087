"""Subtrees are counted for every forest, whatever a stranger's parents are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfront_gui.map import subtrees
from wayfront_gui.map.subtrees import Resizing, resize, subtree_sizes


@st.composite
def forests(draw: st.DrawFn, least: int = 1, most: int = 40) -> list[int]:
    """Draw parents of a forest whose nodes have any order."""
    n = draw(st.integers(least, most))
    order = draw(st.permutations(range(n)))
    parents = [-1] * n
    for i in range(1, n):
        above = draw(st.integers(-1, i - 1))
        parents[order[i]] = order[above] if above >= 0 else -1
    return parents


@settings(max_examples=60, deadline=None)
@given(forests(), st.sampled_from([26, 2]))
def test_every_node_counts_for_all_above_it(parents: list[int], bits: int) -> None:
    expected = [0] * len(parents)
    for node in range(len(parents)):
        above = node
        while above >= 0:
            expected[above] += 1
            above = parents[above]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subtrees, "SIZE_BITS", bits)  # with 2 bits, trees are "large" and counted in 64
        assert subtree_sizes(np.array(parents, np.int32)).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(forests(12, 12), min_size=1, max_size=6))
def test_from_forest_to_forest_only_what_differs_is_counted_anew(later: list[list[int]]) -> None:
    """The work arrays are as before after each: what is left in them would be counted the next time."""
    parents, work = np.full(12, -1, np.int32), Resizing.of(12)
    sizes, changed = np.ones(12, np.int32), np.empty(12, np.int32)
    for forest in later:
        following, before = np.array(forest, np.int32), sizes.copy()
        count = resize(following, parents, sizes, changed, work)
        assert sizes.tolist() == subtree_sizes(following).tolist()
        assert sorted(changed[:count]) == np.flatnonzero((following != parents) | (sizes != before)).tolist()
        parents = following


def test_subtrees_are_counted_with_their_roots() -> None:
    parents = np.array([-1, 0, 0, 1, 1, 4, -1], np.int32)
    assert subtree_sizes(parents).tolist() == [6, 4, 1, 1, 2, 1, 1]


@pytest.mark.parametrize("children", [31, 32, 5000])
def test_nodes_with_more_children_than_fit_beside_a_size(children: int) -> None:
    parents = np.zeros(children + 1, np.int32)
    parents[0] = -1
    assert subtree_sizes(parents).tolist() == [children + 1] + [1] * children


def test_parents_that_form_no_tree_are_neither_followed_nor_written() -> None:
    """The kernel does not check indices by itself: a parent beyond the nodes was written to."""
    parents = np.array([10_000_000, 0, -5, 4, 3, 7, 2**31 - 1], np.int32)
    assert subtree_sizes(parents).tolist() == [2, 1, 1, 1, 1, 1, 1]
    assert subtree_sizes(np.array([1, 0, 0, 2, 4], np.int32)).tolist() == [3, 1, 2, 1, 1]
    sizes, work, forest = np.ones(7, np.int32), Resizing.of(7), np.full(7, -1, np.int32)
    for following in (parents, forest):
        resize(following, forest if following is parents else parents, sizes, np.empty(7, np.int32), work)
        assert (work.left == -1).all() and not work.growth.any()
