"""Names of nodes: what may be one, and how they come back from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wayfront import open_network
from wayfront.errors import NetworkError
from wayfront.formats.saving import save
from wayfront.network.finding import node_called
from wayfront.network.node_names import LONGEST_NODE_NAME, NodeNames
from wayfront.network.road_network import Metric, RoadNetwork


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
