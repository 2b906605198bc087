"""RoadNetwork: invariants, derived forms, and the ways on to SciPy and networkx."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

from search_checks import make_network, networks, plain_distances, random_arcs
from wayfront import open_network
from wayfront.formats.registry import save
from wayfront.network.archive import put_together, take_apart
from wayfront.network.details import LONGEST_NODE_NAME, NodeNames, RoadNames, Shapes
from wayfront.network.finding import node_called
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ARRAY_FIELDS, NODES
from wayfront.network.structure import CELL, regions, unbroken
from wayfront.safe.errors import NetworkError


def arrays(**changes: object) -> dict[str, object]:
    good: dict[str, object] = {
        "name": "n",
        "offsets": np.array([0, 1, 2]),
        "targets": np.array([1, 0]),
        "metrics": [Metric("weight", "", 1, np.array([3, 4]))],
    }
    return good | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": np.array([0, 2, 1])}, "rise from 0"),
        ({"offsets": np.array([1, 1, 2])}, "rise from 0"),
        ({"targets": np.array([2, 0])}, "targets: a value of 2, where there are 2 nodes"),
        ({"targets": np.array([-1, 0])}, "targets: a value of -1"),
        ({"metrics": []}, "at least one metric"),
        (
            {"metrics": [Metric("weight", "", 1, np.array([3]))]},
            r"weights of metric 'weight': shape \(1,\), where 2 arcs need \(2,\)",
        ),
        ({"metrics": [Metric("weight", "", 1, np.array([3, -1]))]}, "below 0"),
        ({"metrics": [Metric("weight", "", 1, np.array([3, 2**31]))]}, "does not fit"),
        ({"metrics": [Metric("weight", "", 1, np.array([3.5, 1]))]}, "whole numbers"),
        ({"node_ids": np.array([7, 7])}, "distinct"),
        ({"coordinates": np.zeros((3, 2), int)}, "shape"),
        ({"road_class": np.zeros(3, int)}, "road classes"),
        ({"road_class": np.array([0, 4])}, "road classes: a value of 4, not below 4"),
        ({"metrics": [Metric("weight", "", 1, np.array([3, 4]))] * 2}, "the same name"),
        ({"offsets": np.zeros(0, int), "targets": np.zeros(0, int)}, "offsets: empty"),
    ],
)
def test_broken_arrays_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        RoadNetwork.from_arrays(**arrays(**changes))  # type: ignore[arg-type]


def test_nodes_are_numbered_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront.network.schema.check_arrays", lambda *_: {NODES: 2**31 - 1})
    with pytest.raises(NetworkError, match="2147483647 nodes are more than the 2,147,483,646"):
        RoadNetwork.from_arrays(**arrays())  # type: ignore[arg-type]


def test_a_known_key_spares_only_the_search_for_ids_that_occur_twice() -> None:
    ids = np.array([7, 7])
    assert RoadNetwork.from_arrays(**arrays(content_key="ab", node_ids=ids)).content_key == "ab"  # type: ignore[arg-type]
    with pytest.raises(NetworkError, match="targets: a value of 2"):
        RoadNetwork.from_arrays(**arrays(content_key="ab", targets=np.array([2, 0])))  # type: ignore[arg-type]


def test_arrays_are_read_only_and_the_key_names_the_content() -> None:
    network, twin = random_arcs(9, 20, 5, 1), random_arcs(9, 20, 5, 1)
    with pytest.raises(ValueError, match="read-only"):
        network.targets[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        network.tails()[0] = 0
    assert network.content_key == twin.content_key != random_arcs(9, 20, 5, 2).content_key


def test_nodes_are_found_by_the_files_id() -> None:
    network = make_network(3, [(0, 1, 1)], [50, 7, 12])
    assert [network.node(i) for i in (50, 7, 12)] == [0, 1, 2]
    with pytest.raises(NetworkError, match="no node 8; its ids lie between 7 and 50"):
        network.node(8)


@settings(max_examples=60, deadline=None)
@given(networks())
def test_no_distance_exceeds_the_bound(network: RoadNetwork) -> None:
    longest = max(d for d in plain_distances(network, 0) if d is not None)
    assert longest <= network.distance_bound(network.metrics[0])


def test_scipy_and_networkx_agree_with_the_plain_search() -> None:
    network = random_arcs(60, 300, 9, 8)
    expected = plain_distances(network, 4)
    positive = make_network(60, [(0, 1, 2), (0, 1, 1), (1, 1, 5), (1, 2, 3)])
    assert dijkstra(positive.to_scipy(), indices=0)[:3].tolist() == [0, 1, 4]
    graph = network.to_networkx()
    found = networkx.single_source_dijkstra_path_length(graph, int(network.node_ids[4]))
    assert [found.get(i) for i in network.node_ids.tolist()] == expected
    assert graph.number_of_edges() == network.arc_count


def test_distances_are_told_in_words() -> None:
    none = np.zeros(0, np.int32)
    length, time, plain = Metric("length", "m", 0.1, none), Metric("t", "s", 0.001, none), Metric("w", "", 1, none)
    assert (length.describe(1234), length.describe(1234567), length.raw_unit) == ("123 m", "123.5 km", "0.1 m")
    assert (time.describe(61_000), time.describe(3_840_000), time.raw_unit) == ("1 min 01 s", "1 h 04 min", "0.001 s")
    assert (plain.describe(1234), plain.raw_unit) == ("1,234", "unit")
    fine = Metric("w", "", 0.01, none)
    assert (fine.describe(175), fine.describe(200), fine.raw_unit) == ("1.75", "2", "0.01")


def test_every_array_of_the_schema_is_checked_hashed_and_written() -> None:
    """An array that the table of fields does not reach would be lost in files and left out of the content key."""
    network = RoadNetwork.from_arrays(
        **arrays(  # type: ignore[arg-type]
            coordinates=np.array([[0, 0], [9, 9]]),
            road_class=np.array([0, 3]),
            road_names=RoadNames(("A", "B"), np.array([1, -1], np.int32)),
            shapes=Shapes(np.array([0, 0, 1]), np.array([[4, 5]], np.int32)),
            node_names=NodeNames.of(["A", "B"]),
        )
    )
    description, written = take_apart(network)
    assert set(written) == {field.name for field in ARRAY_FIELDS} | {"weights 0"}
    again = put_together(description, written, trusted=False)
    assert again.content_key == network.content_key == "3c11396748f8f016e6e062c725bc8f3e"
    unnamed = {name: array for name, array in written.items() if not name.startswith("node_name_")}
    before = put_together(description, unnamed, trusted=False)
    assert before.content_key == "ae676b7c3a9d85de422996ad87ebf2e4"  # as it was before nodes had names
    for key in written:
        changed = {name: array.copy() for name, array in written.items()}
        changed[key].reshape(-1)[-1] ^= 1
        try:
            other = put_together(description, changed, trusted=False)
        except NetworkError:
            continue
        assert other.content_key != network.content_key, key


# ----------------------------------------------------------------------------------------------------
# Names of nodes: what may be one, and how they come back from files.


@pytest.fixture(scope="module")
def pair() -> RoadNetwork:
    return RoadNetwork.from_arcs(
        name="pair",
        node_count=3,
        tails=np.array([1, 0]),
        heads=np.array([0, 1]),
        metrics=[Metric("weight", "", 1.0, np.array([4, 5]))],
        node_ids=np.array([10, 20, 30]),
        node_names=NodeNames.of(["北", "", "20"]),
    )


def test_a_node_without_a_name_is_called_by_its_id(pair: RoadNetwork) -> None:
    assert [pair.node_name(node) for node in range(3)] == ["北", "20", "20"]
    assert replace(pair, node_names=None).node_name(0) == "10"


def test_a_node_is_found_by_its_name_before_another_with_that_id(pair: RoadNetwork) -> None:
    assert [node_called(pair, name) for name in ("北", "20", "10")] == [0, 2, 0]
    with pytest.raises(NetworkError, match="pair has no node called '南'; its nodes are called 北, 20"):
        node_called(pair, "南")
    with pytest.raises(NetworkError, match="its nodes have ids alone"):
        node_called(replace(pair, node_names=None), "A")


@pytest.mark.parametrize("name", ["x" * (LONGEST_NODE_NAME + 1), "a\nb", " a", "a\x1b[31m", "\ud800"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(NetworkError, match="the name"):
        NodeNames.of([name])


def test_names_are_part_of_the_network_in_its_file(pair: RoadNetwork, tmp_path: Path) -> None:
    save(pair, tmp_path / "pair.wayfront")
    opened = open_network(tmp_path / "pair.wayfront", cache=False)
    assert opened.node_names is not None
    assert opened.node_names.names == ("北", "", "20")
    assert opened.content_key == pair.content_key
    again = open_network(tmp_path / "pair.wayfront"), open_network(tmp_path / "pair.wayfront")
    assert [network.node_name(0) for network in again] == ["北", "北"]


@pytest.mark.parametrize("offsets", [[0, 2, 1], [1, 2, 2], [0, 1, 3], []])
def test_offsets_that_do_not_cut_the_text_are_refused(offsets: list[int]) -> None:
    with pytest.raises(NetworkError, match="rise from 0"):
        NodeNames.from_arrays(np.array(offsets, np.int64), np.frombuffer(b"ab", np.uint8))


def test_names_that_are_not_one_for_each_node_are_refused(pair: RoadNetwork) -> None:
    with pytest.raises(NetworkError, match="node names"):
        RoadNetwork.from_arrays(
            name="pair",
            offsets=pair.offsets,
            targets=pair.targets,
            metrics=pair.metrics,
            node_names=NodeNames.of(["a", "b"]),
        )


# ----------------------------------------------------------------------------------------------------
# Regions: what lies together is one, what lies far apart is several, and the antimeridian is no border.


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


def test_more_nodes_than_can_be_numbered_are_refused_before_an_array_is_made() -> None:
    nobody = np.zeros(0, np.int32)
    with pytest.raises(NetworkError, match=r"more than the .* that can be numbered"):
        RoadNetwork.from_arcs(
            name="vast", node_count=10**20, tails=nobody, heads=nobody, metrics=[Metric("length", "m", 1.0, nobody)]
        )
