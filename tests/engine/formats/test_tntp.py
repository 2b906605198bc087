"""TNTP files: networks with places of nodes, tables of trips, flows, and what is wrong with a file, with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sioux_falls
from wayfront.formats.streams import Opening
from wayfront.formats.tntp.reader import read_flows, read_net, read_trips
from wayfront.network.conventions import is_drawing
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError

HEAD = "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n"
ROADS = "1 3 100 2.5 10 0.15 4 30 0 1 ;\n3\t2\t50\t1\t0.25\t0\t0\t0\t7.5\t2;\n"


def written(folder: Path, text: str, name: str = "town_net.tntp") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_sioux_falls_opens_as_a_network(tmp_path: Path) -> None:
    network = open_network(sioux_falls.write(tmp_path).net, cache=False)
    assert (network.name, network.node_count, network.arc_count) == ("SiouxFalls", 24, 76)
    assert [(m.name, m.unit, m.scale) for m in network.metrics] == [("travel time", "", 1.0), ("length", "", 1.0)]
    assert network.metrics[0].weights.tolist() == [time for _, _, _, time, _ in sioux_falls.ROADS]
    ends = zip(network.node_ids[network.tails()], network.node_ids[network.targets], strict=True)
    assert list(ends) == [(tail, head) for tail, head, *_ in sioux_falls.ROADS]


def test_the_tiny_network_is_that_of_the_other_formats(data: Path) -> None:
    read, known = open_network(data / "tiny_net.tntp", cache=False), open_network(data / "tiny-d.gr", cache=False)
    assert read.coordinates is not None
    assert known.coordinates is not None
    assert read.coordinates.tolist() == known.coordinates[known.id_order()[0]].tolist()
    for metric in ("length", "travel time"):
        arcs = [
            sorted(
                zip(
                    network.node_ids[network.tails()].tolist(),
                    network.node_ids[network.targets].tolist(),
                    network.metric(metric).weights.tolist(),
                    strict=True,
                )
            )
            for network in (read, known)
        ]
        assert arcs[0] == arcs[1]


def test_every_column_follows_its_arc(tmp_path: Path) -> None:
    turned = HEAD.replace("\n", "  \t\r\n") + "~ a comment\n" + "".join(reversed(ROADS.splitlines(keepends=True)))
    net = read_net(written(tmp_path, turned), None, Opening())
    assert net.network.node_ids.tolist() == [1, 2, 3]
    assert (net.network.tails().tolist(), net.network.targets.tolist()) == ([0, 2], [2, 1])
    assert (net.zones, net.first_through) == (2, 1)
    columns = (net.capacity, net.length, net.free_flow, net.b, net.power, net.speed, net.toll, net.kind, net.lines)
    assert [column.tolist() for column in columns] == [
        [100, 50], [2.5, 1], [10, 0.25], [0.15, 0], [4, 0], [30, 0], [0, 7.5], [1, 2], [8, 7]
    ]  # fmt: skip
    times, lengths = net.network.metrics
    assert (times.weights.tolist(), times.scale, lengths.weights.tolist(), lengths.scale) == (
        [1000, 25], 0.01, [25, 10], 0.1
    )  # fmt: skip


def test_places_of_a_town_are_degrees_and_others_a_drawing(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + ROADS)
    written(tmp_path, "Node\tX\tY\t;\n3\t-96.5\t43.5\t;\n1 -96.75 43.25\n2\t-96.25\t43.75\t;\n", "town_node.tntp")
    degrees = open_network(path, cache=False).coordinates
    assert degrees is not None
    assert degrees.tolist() == [[-96750000, 43250000], [-96250000, 43750000], [-96500000, 43500000]]
    written(tmp_path, "1 690309 1976022\n2 690309 1876022\n3 640309 1976022\n", "town_node.tntp")
    drawn = open_network(path, cache=False)
    assert is_drawing(drawn)
    assert drawn.coordinates is not None
    x, y = drawn.coordinates.T
    assert (x[0], y[0] - y[1]) == (x[1], 2 * (x[0] - x[2]))


def test_other_ids_than_1_to_n_are_those_that_occur(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + ROADS.replace("3", "75674", 1).replace("\n3\t", "\n75674\t"))
    assert open_network(path, cache=False).node_ids.tolist() == [1, 2, 75674]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEAD + ROADS.replace("1 3", "1 x", 1), "6: the head is a whole number of at least 1, not 'x'"),
        (HEAD + ROADS.replace("100", "-100"), "6: the capacity is a number between 0 and 1e+15, not '-100'"),
        (HEAD + ROADS.replace("0.25", "nan"), "7: the free-flow time is a number between 0 and 1e+15, not 'nan'"),
        (HEAD + ROADS.replace(" 30", ""), "6: a road has 10 fields (tail, head, capacity, "),
        (HEAD + ROADS.splitlines(keepends=True)[0], "4: 2 roads are announced here but the file holds 1: is it cut"),
        (HEAD.replace("LINKS> 2", "LINKS> two") + ROADS, "4: <NUMBER OF LINKS> is a whole number of at least 0,"),
        (HEAD.replace("NODES> 3", "NODES> 2") + ROADS, "2: 2 nodes are announced here but roads name 3"),
        (HEAD.replace("NODES> 3", "NODES> 2000000000") + ROADS, "2: 2,000,000,000 nodes are announced for 2 roads"),
        (HEAD.replace("<NUMBER OF NODES> 3\n", "") + ROADS, ": there is no line <NUMBER OF NODES>"),
        (HEAD + ROADS.replace("0.25", "3e9"), ": a travel time of 3,000,000,000 is above 2,147,483,647"),
        ("<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 1\n\nOrigin 1\n2 : 1;\n", "4: this is a table of trips: open"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_network_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as raised:
        open_network(path, cache=False)
    assert str(raised.value).startswith(f"{path}:{problem}" if problem[0].isdigit() else f"{path}{problem}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 0 0\n2 1 1\n4 1 1\n", "3: the network has no node 4: this file belongs to another one"),
        ("1 0 0\n2 1 1\n2 1 1\n", "3: node 2 is listed twice"),
        ("node x y\n1 0 0\n2 1 east\n", "3: x and y are numbers, not '1 east'"),
        ("1 0 0\n2 1 1\n", ": 1 nodes have no place, the first is node 3"),
        ("1 0\n", "1: a node has an id, x and y"),
    ],
)
def test_what_is_wrong_with_places_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = written(tmp_path, HEAD + ROADS)
    nodes = written(tmp_path, text, "town_node.tntp")
    with pytest.raises(FormatError) as raised:
        open_network(path, cache=False)
    assert str(raised.value).startswith(f"{nodes}:{problem}" if problem[0].isdigit() else f"{nodes}{problem}")


def test_trips_are_read_without_empty_pairs(tmp_path: Path) -> None:
    trips = read_trips(sioux_falls.write(tmp_path).trips, Opening())
    table = np.array([row.split() for row in sioux_falls.TRIPS], float) * 100
    assert (len(trips.amounts), trips.amounts.sum()) == (528, 360_600)
    assert (table[trips.origins - 1, trips.destinations - 1] == trips.amounts).all()
    assert trips.lines[0] == 6


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<NUMBER OF ZONES> 2\n1 : 5.0;\n", "2: trips begin with a line such as 'Origin 1'"),
        ("<NUMBER OF ZONES> 2\nOrigin one\n", "2: the origin is a whole number of at least 1, not 'one'"),
        ("<NUMBER OF ZONES> 2\nOrigin 1\n2 : 5.0; 3 : -1;\n", "3: the number of trips is a number between 0 and"),
        ("<NUMBER OF ZONES> 2\nOrigin 1\n2 5.0;\n", "3: '2 5.0' is no entry such as '2 : 100.0;'"),
        ("<TOTAL OD FLOW> 10\nOrigin 1\n2 : 5.0;\n", "1: 10.0 trips are announced but the file holds 5.0"),
        ("\n", ": this is no table of trips in TNTP"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_trips_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = written(tmp_path, text, "town_trips.tntp")
    with pytest.raises(FormatError) as raised:
        read_trips(path, Opening())
    assert str(raised.value).startswith(f"{path}:{problem}" if problem[0].isdigit() else f"{path}{problem}")


def test_flows_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "From \tTo \tVolume \tCost \n1 \t3 \t7074.9 \t1.15 \n3 2 0 1 ;\n", "town_flow.tntp")
    assert [column.tolist() for column in read_flows(path, Opening())] == [[1, 3], [3, 2], [7074.9, 0], [1.15, 1]]
    with pytest.raises(FormatError, match=r":2: a line of flows has a tail, a head, a flow and a cost"):
        read_flows(written(tmp_path, "From To\n1 3 5\n"), Opening())
