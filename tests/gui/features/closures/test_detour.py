"""What closed roads cost: extra distances, totals in words, and when another search is needed to tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import make_grid, make_result

from wayfront.network.road_network import Metric
from wayfront.results.result import Result
from wayfront_gui.features.closures.costs import CUT_OFF, Detour, Detours, extra_distances
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.session import Session

METRES = Metric("length", "m", 1.0, np.zeros(0, np.int32))
NONE = -1


def test_extra_distances_of_two_widths_of_integers() -> None:
    before = np.array([0, 10, 20, 30, NONE], np.int32)
    now = np.array([0, 10, 2000, NONE, NONE], np.int64)
    assert extra_distances(before, now).tolist() == [0, 0, 1980, CUT_OFF, 0]


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ([0, 10, 20, 30], "No node is farther than with all roads open"),
        ([0, 10, 25, 30], "1 node is farther, on average 5 m more, at most 5 m"),
        ([0, 1010, 3020, 30], "2 nodes are farther, on average 2.0 km more, at most 3.0 km"),
        ([0, 10, 20, NONE], "1 node is no longer reached"),
        ([0, 11, NONE, NONE], "1 node is farther, on average 1 m more, at most 1 m; 2 nodes are no longer reached"),
    ],
)
def test_totals_are_told_in_words(now: list[int], text: str) -> None:
    found = Detour.of(METRES, np.array([0, 10, 20, 30], np.int32), np.array(now, np.int32))
    assert found.text == text


def test_totals_have_the_unit_of_the_metric() -> None:
    minutes = Metric("travel time", "s", 0.1, np.zeros(0, np.int32))
    found = Detour.of(minutes, np.array([0, 600], np.int32), np.array([0, 1500], np.int32))
    assert found.text == "1 node is farther, on average 1 min 30 s more, at most 1 min 30 s"
    assert [found.about(node) for node in range(2)] == ["", "1 min 30 s farther"]


def test_a_node_that_is_cut_off_says_so() -> None:
    found = Detour.of(METRES, np.array([0, 6], np.int32), np.array([0, NONE], np.int32))
    assert found.about(1) == "no longer reached" and (found.cut_off, found.longer, found.farthest) == (1, 0, None)


@pytest.fixture
def tree() -> Result:
    grid = make_grid()
    return make_result(grid, 5)


def farther(tree: Result, by: int) -> Result:
    distances = tree.distances.copy()
    distances[7] += by
    return replace(tree, distances=distances, closures=as_arcs([by]))


def make_detours() -> tuple[Detours, list[int | None]]:
    seen: list[int | None] = []
    made = Detours(Session().active)
    made.changed.connect(lambda: seen.append(None if made.found is None else made.found.total))
    return made, seen


def test_a_tree_shown_before_with_all_roads_open_is_compared_with(tree: Result) -> None:
    detours, seen = make_detours()
    detours.want(True)
    detours.show(tree)
    detours.show(farther(tree, 3))
    detours.show(farther(tree, 8))
    assert not detours.needs_open_tree
    detours.show(tree)
    assert seen == [None, 3, 8, None]


def test_without_one_a_search_with_all_roads_open_is_needed(tree: Result) -> None:
    detours, seen = make_detours()
    detours.show(farther(tree, 3))
    needed = [detours.needs_open_tree]  # nobody wants to see it
    detours.want(True)
    needed.append(detours.needs_open_tree)
    detours.take_open(tree)
    needed.append(detours.needs_open_tree)
    assert seen == [None, 3]
    detours.want(False)
    assert [*needed, detours.needs_open_tree] == [False, True, False, False] and detours.found is None


@pytest.mark.parametrize("other", ["source", "metric"])
def test_trees_of_another_source_or_metric_are_not_compared_but_shown_until_there_are(tree: Result, other: str) -> None:
    detours, _ = make_detours()
    detours.want(True)
    detours.show(tree)
    detours.show(farther(tree, 3))
    kept = detours.found
    moved = farther(tree, 4)
    moved = replace(moved, source=6) if other == "source" else replace(moved, metric=tree.network.metrics[1])
    detours.show(moved)
    assert detours.needs_open_tree and detours.found is kept
    detours.take_open(replace(moved, closures=as_arcs([]), distances=tree.distances))
    assert detours.found is not None and detours.found.total == 4


def test_what_was_found_of_another_network_is_not_shown(tree: Result) -> None:
    detours, _ = make_detours()
    detours.want(True)
    detours.show(tree)
    detours.show(farther(tree, 3))
    detours.show(None)
    assert detours.found is None and not detours.needs_open_tree
