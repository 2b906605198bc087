"""Edge lists: what may stand in them, how they are refused, and that they come back as they were saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from there import there
from wayfront.formats.edge_list.table import looks_like_arcs
from wayfront.formats.registry import save
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError, NetworkError
from wayfront.synthetic.textbooks import EXAMPLES, Example


def opened(folder: Path, arcs: str, nodes: str = "", name: str = "graph.csv") -> RoadNetwork:
    path = folder / name
    path.write_text(arcs, encoding="utf-8")
    if nodes:
        (folder / "graph.nodes.csv").write_text(nodes, encoding="utf-8")
    return open_network(path, cache=False)


def arcs_of(network: RoadNetwork, metric: int = 0) -> list[tuple[str, str, int]]:
    called = [network.node_name(node) for node in range(network.node_count)]
    ends = zip(network.tails().tolist(), network.targets.tolist(), strict=True)
    weights = network.metrics[metric].weights.tolist()
    return [(called[tail], called[head], w) for (tail, head), w in zip(ends, weights, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        "tail,head,weight\nA,B,9\nB,A,4\nA,C,0\n",
        "A,B,9\nB,A,4\nA,C,0",
        "\ufeffsource;target;weight\r\nA;B;9\r\nB;A;4\r\nA;C;0\r\n",
        "# from a book, 3\n\nA\tB\t9\nB\tA\t4\n\n A \t C \t 0 \n",
        'weight,to,from\n9,"B","A"\n4,A,B\n0,C,A\n',
        "Source,Target,Type,Id,Label,Weight\nA,B,Directed,0,,9\nB,A,Directed,1,,4\nA,C,Directed,2,,0\n",
    ],
    ids=["titles", "plain", "semicolons", "tabs", "columns in another order", "Gephi"],
)
def test_arcs_are_read_however_the_table_is_written(tmp_path: Path, text: str) -> None:
    network = opened(tmp_path, text)
    assert arcs_of(network) == [("A", "B", 9), ("A", "C", 0), ("B", "A", 4)]
    assert network.node_ids.tolist() == [1, 2, 3]
    assert (network.name, network.coordinates) == ("graph", None)
    assert [(m.name, m.unit, m.scale) for m in network.metrics] == [("weight", "", 1.0)]


def test_nodes_that_are_whole_numbers_keep_them_as_ids(tmp_path: Path) -> None:
    network = opened(tmp_path, "30,-2,5\n-2,7,6\n7,7,1\n")
    assert network.node_ids.tolist() == [-2, 7, 30]
    assert network.node_names is None
    assert arcs_of(network) == [("-2", "7", 6), ("7", "7", 1), ("30", "-2", 5)]
    padded = opened(tmp_path, "07,7,5\n")
    assert [padded.node_name(node) for node in range(2)] == ["07", "7"]


def test_every_further_column_is_a_metric_with_unit_and_scale(tmp_path: Path) -> None:
    network = opened(tmp_path, "tail,head,length [0.1 m],travel time [s]\nA,B,120,9\n")
    assert [(m.name, m.unit, m.scale) for m in network.metrics] == [("length", "m", 0.1), ("travel time", "s", 1.0)]
    assert [arcs_of(network, metric)[0][2] for metric in (0, 1)] == [120, 9]
    plain = opened(tmp_path, "A,B,120,9\n")
    assert [m.name for m in plain.metrics] == ["weight", "weight 2"]


def test_the_table_beside_it_gives_nodes_their_order_places_and_names(tmp_path: Path) -> None:
    network = opened(tmp_path, "B,A,4\n", "node,x,y\nB,10,-2.5\nZ,0.001,0\nA,0,0\n")
    assert [network.node_name(node) for node in range(3)] == ["B", "Z", "A"]
    assert there(network.coordinates).tolist() == [[10_000, -2_500], [1, 0], [0, 0]]
    named = opened(tmp_path, "2,1,4\n", "id;name;longitude;latitude\n2;Porto;-8.61;41.15\n1;;-9.14;38.72\n")
    assert [named.node_name(node) for node in range(2)] == ["Porto", "1"]
    assert named.node_ids.tolist() == [2, 1]
    assert there(named.coordinates).tolist() == [[-8_610_000, 41_150_000], [-9_140_000, 38_720_000]]


@pytest.mark.parametrize(
    ("arcs", "problem"),
    [
        ("A,B,9\nA,C\n", r"graph\.csv:2: the line has 2 fields where the first has 3"),
        ("A,B,9\nA,,3\n", r"graph\.csv:2: the arc has no tail or no head"),
        ("A,B,9\n\nA,C,x\n", r"graph\.csv:3: the weight 'x' is no number"),
        ("A,B,-9\n", r"graph\.csv:1: the weight -9 is negative"),
        ("A,B,1.5\n", r"graph\.csv:1: the weight 1\.5 is no whole number: multiply all"),
        ("A,B,2147483648\n", r"graph\.csv:1: the weight 2147483648 is above 2,147,483,647"),
        (f"A,B,{'9' * 5000}\n", r"graph\.csv:1: the weight 9+ is above 2,147,483,647"),
        ('A,B,9\nA,"C,3\n', r"graph\.csv:2: the quotes of this line do not close"),
        ("tail,head,weight,weight\nA,B,9,9\n", r"graph\.csv: two of the metrics .* have the same name"),
        ("tail,head,a[b]c\nA,B,9\n", r"graph\.csv:1: 'a\[b\]c' is no title of weights"),
        ("source,target,id\nA,B,9\n", r"graph\.csv:1: there is no column of weights"),
        ("tail,head,weight\n", r"graph\.csv: there are no arcs in it"),
        (f"{'A' * 65},B,9\n", r"graph\.csv: the name of node 1 has 65 characters"),
        ("A\x1b[31m,B,9\n", r"the name 'A\\x1b\[31m' holds control characters"),
        ("node,x,y\nA,1,2\n", r"graph\.csv: this is a table of nodes: open the table of arcs"),
    ],
)
def test_a_wrong_line_is_named_with_what_to_do(tmp_path: Path, arcs: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        opened(tmp_path, arcs)


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ("A,1,2\nB,1,2\n", r"nodes\.csv:1: a table of nodes begins with the titles"),
        ("node,x\nA,1\n", r"nodes\.csv:1: a table of nodes begins with the titles"),
        ("node,x,y\n", r"nodes\.csv: the table of nodes is empty"),
        ("node,x,y\nA,1,2\n", r"graph\.csv:1: node 'B' is not in graph\.nodes\.csv"),
        ("node,x,y\nA,1,2\nA,1,2\n", r"nodes\.csv:3: node 'A' is listed twice"),
        ("node,x,y\nA,1,2\n,1,2\n", r"nodes\.csv:3: the node has no id"),
        ("node,x,y\nA,1,2\nB,,\n", r"nodes\.csv:3: some nodes have a place and some have none"),
        ("node,x,y\nA,1,2001\n", r"nodes\.csv:2: .* x and y of a drawing are numbers within ±2,000"),
        ("node,x,y\nA,nan,1\n", r"nodes\.csv:2: the node has no place"),
        ("node,lon,lat\nA,10,91\n", r"nodes\.csv:2: .* degrees within ±180 and ±90"),
        ("node,name\nA,a\nB,b\n", r"names in the column node and in a column name"),
    ],
)
def test_a_wrong_table_of_nodes_is_refused(tmp_path: Path, nodes: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        opened(tmp_path, "A,B,9\n", nodes)


def test_text_that_is_no_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "graph.csv").write_bytes(b"A,B,9\nA,\xe9,3\n")
    with pytest.raises(FormatError, match=r"graph\.csv:2: the text is not UTF-8"):
        open_network(tmp_path / "graph.csv", cache=False)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
@pytest.mark.parametrize("example", [EXAMPLES[0], EXAMPLES[4], EXAMPLES[6]], ids=lambda example: example.name)
def test_examples_come_back_with_names_places_and_weights(tmp_path: Path, example: Example, suffix: str) -> None:
    network = example.build()
    written = save(network, tmp_path / f"graph{suffix}")
    assert sorted(path.name for path in written) == sorted([f"graph{suffix}", f"graph.nodes{suffix}"])
    again = open_network(tmp_path / f"graph{suffix}", cache=False)
    assert again.content_key == network.content_key


def test_a_town_comes_back_but_for_what_no_table_holds(data: Path, tmp_path: Path) -> None:
    network = open_network(data / "tiny-d.gr", cache=False)
    save(network, tmp_path / "town.csv")
    again = open_network(tmp_path / "town.csv", cache=False)
    assert again.node_ids.tolist() == network.node_ids.tolist()
    assert there(again.coordinates).tolist() == there(network.coordinates).tolist()
    for one, other in zip(network.metrics, again.metrics, strict=True):
        assert (one.name, one.unit, one.scale) == (other.name, other.unit, other.scale)
        assert one.weights.tolist() == other.weights.tolist()


def test_an_attribution_goes_into_the_table(data: Path, tmp_path: Path) -> None:
    save(open_network(data / "tiny.osm", cache=False), tmp_path / "town.csv")
    assert (
        (tmp_path / "town.csv").read_text(encoding="utf-8").startswith("# tiny, saved by wayfront\n# © OpenStreetMap")
    )
    assert open_network(tmp_path / "town.csv", cache=False).node_count


def test_names_that_a_table_would_take_for_something_else_stand_beside_ids(tmp_path: Path) -> None:
    for names in ("07,7", "A,A", "b,#a"):
        network = opened(tmp_path, f"{names},3\n")
        save(network, tmp_path / "again.csv")
        assert open_network(tmp_path / "again.csv", cache=False).content_key == network.content_key


@pytest.mark.parametrize(("unit", "title"), [("", "time [0.01]"), ("h", "time [0.01 h]")])
def test_weights_keep_their_scale_with_and_without_a_unit(tmp_path: Path, unit: str, title: str) -> None:
    metrics = [Metric("time", unit, 0.01, np.array([50, 125], np.int32))]
    ends = np.array([0, 1]), np.array([1, 0])
    network = RoadNetwork.from_arcs(name="pair", node_count=2, tails=ends[0], heads=ends[1], metrics=metrics)
    save(network, tmp_path / "pair.csv")
    assert f"tail,head,{title}\n" in (tmp_path / "pair.csv").read_text(encoding="utf-8")
    again = open_network(tmp_path / "pair.csv", cache=False)
    assert (again.metrics[0].name, again.metrics[0].unit, again.metrics[0].scale) == ("time", unit, 0.01)
    assert again.content_key == network.content_key


def test_a_network_that_no_table_holds_is_refused(tmp_path: Path) -> None:
    none = np.zeros(0, np.int32)
    for metric, count, problem in (("weight", 0, "has no nodes"), ("a [b] c", 1, "no table can hold")):
        metrics = [Metric(metric, "", 1.0, none)]
        network = RoadNetwork.from_arcs(name="g", node_count=count, tails=none, heads=none, metrics=metrics)
        with pytest.raises(NetworkError, match=problem):
            save(network, tmp_path / "graph.csv")
    assert not list(tmp_path.iterdir())


def test_the_table_of_nodes_may_lie_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("node,x,y\nB,1,2\nA,3,4\n")
    (tmp_path / "graph.csv").write_text("A,B,9\n")
    network = open_network(tmp_path / "graph.csv", coordinates=tmp_path / "places.csv", cache=False)
    assert [network.node_name(node) for node in range(2)] == ["B", "A"]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (b"from,to\n1,2\n", False),
        (b"c a, b, 3\np sp 2 1\na 1 2 3\n", False),
        (b"[1,2,3]", False),
        (b"a,b,c\nd,e,f\n", False),
        (b"a,b,weight\nd,e,5\n", True),
        (b"1\t2\t3\n", True),
        (b"\0,1,2", False),
        (b'a,"b,3', False),
        (b"", False),
    ],
)
def test_what_is_taken_for_an_edge_list(text: bytes, is_one: bool) -> None:
    assert looks_like_arcs(text) is is_one


@pytest.mark.parametrize(
    ("nodes", "line"),
    [('"node,longitude,latitude\nA,1,2\nB,2,3\n', 1), ('node,longitude,latitude\nA,1,2\n"B,2,3\n', 3)],
)
def test_quotes_that_do_not_close_in_a_table_of_nodes_are_named_with_their_line(
    nodes: str, line: int, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=rf"graph\.nodes\.csv:{line}: the quotes of this line do not close"):
        opened(tmp_path, "A,B,9\n", nodes)


def test_a_name_as_long_as_a_system_allows_has_no_table_of_nodes_beside_it(tmp_path: Path) -> None:
    assert opened(tmp_path, "A,B,9\n", name=f"{'x' * 250}.csv").node_count == 2
