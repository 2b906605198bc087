"""RoadNetwork: invariants, derived forms, and the ways on to SciPy and networkx."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse.csgraph import dijkstra

from search_checks import make_network, networks, plain_distances, random_arcs
from wayfront.errors import NetworkError
from wayfront.network.archive import put_together, take_apart
from wayfront.network.node_names import NodeNames
from wayfront.network.road_details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ARRAY_FIELDS, NODES


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
    monkeypatch.setattr("wayfront.network.invariants.check_arrays", lambda *_: {NODES: 2**31 - 1})
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
