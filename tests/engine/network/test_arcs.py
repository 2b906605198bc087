"""Closed arcs are found by their ends, and come back from a file as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wayfront.network import arcs as table
from wayfront.network.arcs import arcs_between, checked_arcs, read_closures, write_closures
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import FormatError, NetworkError


@pytest.fixture
def network() -> RoadNetwork:
    """Return 40 ⇄ 30 → 20 with two arcs from 40 to 30, a loop at 20 and a node -7 alone."""
    arcs = np.array([(0, 1), (1, 0), (1, 2), (0, 1), (2, 2)])
    return RoadNetwork.from_arcs(
        name="Tiny",
        node_count=4,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=[Metric("length", "m", 1.0, np.arange(5, dtype=np.int32))],
        node_ids=np.array([40, 30, 20, -7]),
    )


def test_parallel_arcs_are_all_found_once_and_one_direction_alone(network: RoadNetwork) -> None:
    found = arcs_between(network, np.array([0, 2, 0]), np.array([1, 2, 1]))
    assert network.targets[found].tolist() == [1, 1, 2] and network.tails()[found].tolist() == [0, 0, 2]
    assert found.dtype == np.int64 and (np.diff(found) > 0).all()
    assert len(arcs_between(network, np.array([], int), np.array([], int))) == 0


def test_ends_that_no_arc_joins_are_named_by_their_ids(network: RoadNetwork) -> None:
    with pytest.raises(NetworkError, match="from node 20 to node 30"):
        arcs_between(network, np.array([0, 2]), np.array([1, 1]))


@pytest.mark.parametrize("arcs", [[], [0, 1], [2], [0, 1, 2, 3, 4]])
def test_a_written_table_reads_back_the_same_arcs(network: RoadNetwork, tmp_path: Path, arcs: list[int]) -> None:
    path = tmp_path / "closed.csv"
    write_closures(path, network, np.array(arcs, np.int64))
    assert read_closures(path, network).tolist() == arcs


def test_a_table_lists_each_pair_of_ends_once_by_rising_ids(network: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    write_closures(path, network, np.array([3, 0, 1, 2], np.int64))
    assert path.read_text() == "from,to\n30,20\n30,40\n40,30\n"


def test_tables_of_other_programs_are_read(network: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    path.write_bytes('\ufeff"From", "To"\r\n "40" , +30 \r\n\r\n30,20'.encode())
    assert read_closures(path, network).tolist() == arcs_between(network, np.array([0, 1]), np.array([1, 2])).tolist()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "begins with the line from,to"),
        ("40,30\n", 1, "begins with the line from,to"),
        ("from,to\n40,30\nforty,30\n", 3, "'forty,30' is no closed road"),
        ("from,to\n40,30,20\n", 2, "two node ids"),
        ("from,to\n40\n", 2, "two node ids"),
        ("from,to\n40,3.0\n", 2, "two node ids"),
        ("from,to\n40,٣٠\n", 2, "two node ids"),
        (f"from,to\n40,{'9' * 19}\n", 2, "two node ids"),
        (f"from,to\n40,{'9' * 5000}\n", 2, "9'…"),
        ("from,to\n40,\x1b[2J\n", 2, r"\\x1b"),
        ("from,to\n\n40,31\n", 3, "no node 31"),
        ("from,to\n41,30\n", 2, "no node 41"),
        ("from,to\n40,30\n20,30\n", 3, "from node 20 to node 30"),
    ],
)
def test_what_is_no_table_of_this_network_is_refused_with_its_line(
    network: RoadNetwork, tmp_path: Path, text: str, line: int, problem: str
) -> None:
    path = tmp_path / "closed.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=problem) as refused:
        read_closures(path, network)
    assert refused.value.line == line and str(path) in str(refused.value)


def test_what_is_no_text_too_large_or_no_file_is_refused(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "closed.csv"
    path.write_bytes(b"from,to\n\xff\xfe")
    with pytest.raises(FormatError, match="no text in UTF-8"):
        read_closures(path, network)
    with pytest.raises(FormatError, match="folder"):
        read_closures(tmp_path, network)
    with pytest.raises(FormatError, match="no such file"):
        read_closures(tmp_path / "nowhere.csv", network)
    monkeypatch.setattr(table, "LARGEST_FILE", 9)
    with pytest.raises(FormatError, match="too large"):
        read_closures(path, network)


def test_a_row_of_blanks_is_refused_at_once(network: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    path.write_text("from,to\n1" + " " * 400_000 + "x\n")  # took minutes while each blank was tried in four places
    with pytest.raises(FormatError, match="no closed road"):
        read_closures(path, network)


@pytest.mark.parametrize("arcs", [[[1], [2, 3]], [[1, 2]], [0.5], ["1"], [2**70], [True], 3], ids=repr)
def test_what_is_no_arc_number_is_refused_in_a_sentence(network: RoadNetwork, arcs: Any) -> None:
    with pytest.raises(NetworkError, match="closed roads are given as internal arc numbers, not as "):
        checked_arcs(network, arcs)


@pytest.mark.parametrize("arc", [-1, 10**9])
def test_an_arc_that_is_not_there_is_named(network: RoadNetwork, arc: int) -> None:
    with pytest.raises(NetworkError, match=f"has no internal arc {arc}; they are 0…"):
        checked_arcs(network, [arc])
