"""The most critical road: chosen among busy ones, and the costliest of all by trying each in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import make_grid, make_result

from wayfront.network.arcs import without_arcs
from wayfront.results.result import Result
from wayfront_gui.features.closures.costs import Critical, busiest, extra_distances, most_critical
from wayfront_gui.map.subtrees import subtree_sizes
from wayfront_gui.session.closures import Arcs, as_arcs, road_arcs
from wayfront_gui.session.slot import Slot

GRID = make_grid()
ALL = as_arcs(np.arange(GRID.arc_count))


@pytest.fixture(scope="module")
def tree() -> Result:
    return make_result(GRID, 50)


def tree_arcs(tree: Result) -> Arcs:
    return busiest(tree, subtree_sizes(tree.parents), ALL, 10_000)


def distances_from(source: int) -> Callable[[Arcs], np.ndarray]:
    return lambda closed: make_result(without_arcs(GRID, closed), source).distances


def test_the_busiest_arcs_are_those_of_the_tree_with_most_above_them(tree: Result) -> None:
    sizes = subtree_sizes(tree.parents)
    arcs = tree_arcs(tree)
    assert sorted(GRID.targets[arcs].tolist()) == np.flatnonzero(tree.parents >= 0).tolist()
    assert (tree.parents[GRID.targets[arcs]] == GRID.tails()[arcs]).all()
    above = sizes[GRID.targets[arcs]]
    assert (np.diff(above) <= 0).all() and busiest(tree, sizes, ALL, 3).tolist() == arcs[:3].tolist()
    some = as_arcs(arcs[5:9])
    assert sorted(busiest(tree, sizes, some).tolist()) == some.tolist()


def test_closed_arcs_are_in_no_tree(tree: Result) -> None:
    arc = tree_arcs(tree)[0]
    closed = replace(tree, closures=as_arcs([arc]))
    assert arc not in busiest(closed, subtree_sizes(tree.parents), ALL, 10_000)


def test_the_costliest_closure_is_found(tree: Result) -> None:
    roads = [road_arcs(GRID, as_arcs([arc])) for arc in tree_arcs(tree)[:25]]
    progress: list[int] = []
    found = most_critical(tree, roads, distances_from(50), progress.append)
    assert found is not None and progress == list(range(25))
    costs = [int(extra_distances(tree.distances, distances_from(50)(road)).sum()) for road in roads]
    assert found.detour.total == max(costs) and found.arcs.tolist() == roads[int(np.argmax(costs))].tolist()
    assert found.text.startswith("Most critical of 25 roads here: ") and "farther, on average" in found.text


def test_cutting_off_one_node_is_worse_than_any_detour(tree: Result) -> None:
    corner = next(arc for arc in range(GRID.arc_count) if (GRID.tails()[arc], GRID.targets[arc]) == (1, 0))
    other = next(arc for arc in range(GRID.arc_count) if (GRID.tails()[arc], GRID.targets[arc]) == (12, 0))
    already = road_arcs(GRID, as_arcs([other]))
    result = replace(make_result(without_arcs(GRID, already), 50), network=GRID, closures=already)
    roads = [road_arcs(GRID, as_arcs([arc])) for arc in (*tree_arcs(tree)[:5], corner)]
    found = most_critical(result, roads, distances_from(50))
    assert found is not None and found.arcs.tolist() == roads[-1].tolist() and found.detour.cut_off == 1
    assert "1 node is no longer reached" in found.text


def test_no_roads_have_no_most_critical_one(tree: Result) -> None:
    assert most_critical(tree, [], distances_from(50)) is None


def test_a_slot_shows_it_only_with_the_tree_it_was_found_for(tree: Result) -> None:
    from wayfront_gui.session.session import Session

    slot: Slot = Session().active
    slot.open(GRID)
    slot.show(tree)
    found = most_critical(tree, [as_arcs([3])], distances_from(50))
    slot.state(Critical).take(found)
    assert slot.state(Critical).road is found
    slot.show(replace(tree, note="timed"))
    assert slot.state(Critical).road is found, "the same tree with other figures"
    slot.show(make_result(GRID, 51))
    assert slot.state(Critical).road is None
    slot.state(Critical).take(found)
    assert slot.state(Critical).road is None, "it came too late"
