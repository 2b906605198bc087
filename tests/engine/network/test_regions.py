"""Regions: what lies together is one, what lies far apart is several, and the antimeridian is no border."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfront.network.regions import CELL, regions, unbroken
from wayfront.network.road_network import Metric, RoadNetwork


def nodes_at(positions: list[tuple[int, int]] | None, count: int = 0) -> RoadNetwork:
    none = np.zeros(0, np.int32)
    return RoadNetwork.from_arcs(
        name="placed",
        node_count=count if positions is None else len(positions),
        tails=none,
        heads=none,
        metrics=[Metric("length", "m", 1, none)],
        coordinates=None if positions is None else np.array(positions, np.int32).reshape(-1, 2),
    )


def test_what_touches_is_one_region_and_the_largest_comes_first() -> None:
    town = [(1_000_000 + 100_000 * k, 50_000_000 + 100_000 * k) for k in range(20)]
    island = [(30_000_000, -10_000_000), (30_010_000, -10_020_000)]
    found = regions(nodes_at(island + town))
    assert [each.node_count for each in found] == [20, 2]
    assert (found[1].west, found[1].south, found[1].east, found[1].north) == (
        *(30_000_000, -10_020_000),
        *(30_010_000, -10_000_000),
    )


def test_both_sides_of_the_antimeridian_are_one_region() -> None:
    fiji = [(177_500_000 + 200_000 * k, -17_000_000) for k in range(13)] + [(-179_900_000, -17_000_000)]
    (only,) = regions(nodes_at(fiji))
    assert only.west == 177_500_000
    assert only.east == 180_100_000


def test_nothing_has_no_regions() -> None:
    assert regions(nodes_at(None, 3)) == ()
    assert regions(nodes_at([])) == ()
    assert unbroken(np.zeros((0, 2), np.int32)).shape == (0, 2)


@given(st.lists(st.tuples(st.integers(-180_000_000, 180_000_000), st.integers(-90_000_000, 90_000_000)), min_size=1))
def test_every_node_is_in_one_region(positions: list[tuple[int, int]]) -> None:
    network = nodes_at(positions)
    found = regions(network)
    assert sum(each.node_count for each in found) == len(positions)
    assert network.coordinates is not None
    whole = unbroken(network.coordinates)
    assert (np.abs(whole[:, 0] - network.coordinates[:, 0]) % 360_000_000 == 0).all()
    assert (whole[:, 1] == network.coordinates[:, 1]).all()
    assert min(each.west for each in found) == whole[:, 0].min()
    assert max(each.north for each in found) == whole[:, 1].max()


@pytest.mark.parametrize("longitude", [-180_000_000, 180_000_000, 0])
def test_a_single_node_is_a_region(longitude: int) -> None:
    assert [each.node_count for each in regions(nodes_at([(longitude, 0)]))] == [1]


def test_coordinates_far_from_the_earth_take_no_more_memory() -> None:
    """A count for each cell between two nodes at the ends of int32 would take gigabytes."""
    ends = [(-(2**31), -(2**31)), (2**31 - 1, 2**31 - 1), (2**31 - 1, 2**31 - 300_000)]
    network = nodes_at(ends)
    tracemalloc.start()
    found = regions(network)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sorted(each.node_count for each in found) == [1, 2]
    assert peak < 1_000_000


def test_the_last_cell_of_a_row_does_not_touch_the_first_of_the_next() -> None:
    west, east = 0, 20 * CELL
    found = regions(nodes_at([(west, 0), (east, 0), (west, CELL), (east, CELL), (west, 2 * CELL)]))
    assert [each.node_count for each in found] == [3, 2]
