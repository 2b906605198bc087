"""Saving networks for other programs, and reading back what was saved."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import numpy as np
import pytest

from wayfront.formats.options import OsmOptions
from wayfront.formats.registry import save
from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront.safe.errors import NetworkError, OpenCancelled, OptionError, WriteError
from wayfront.safe.text import printable


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz"])
def test_dimacs_networks_come_back_bit_for_bit(data: Path, tmp_path: Path, packing: str) -> None:
    network = open_network(data / "tiny-d.gr", cache=False)
    written = save(network, tmp_path / f"copy.gr{packing}")
    assert [path.name for path in written] == [f"copy-{end}{packing}" for end in ("d.gr", "t.gr", "d.co")]
    again = open_network(written[0], cache=False)
    assert again.content_key == network.content_key
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in written)


def test_new_york_comes_back_bit_for_bit(new_york_files: dict[str, Path], tmp_path: Path) -> None:
    network = open_network(new_york_files["length"])
    written = save(network, tmp_path / "NY-d.gr")
    again = open_network(written[0], cache=False)
    assert again.content_key == network.content_key


def test_openstreetmap_networks_become_dimacs(data: Path, tmp_path: Path) -> None:
    network = open_network(data / "tiny.osm", cache=False)
    written = save(network, tmp_path / "town.gr")
    assert [path.name for path in written] == ["town-d.gr", "town-t.gr", "town-d.co"]
    lines = written[0].read_text().splitlines()
    assert "c © OpenStreetMap contributors, ODbL 1.0 2026-05-04T03:02:01Z" in lines
    assert "c nodes are numbered by rising id of the file they are from" in lines
    again = open_network(written[0], cache=False)
    order = network.id_order()[0]
    assert (again.coordinates[again.id_order()[0]] == network.coordinates[order]).all()  # type: ignore[index]
    for one, other in zip(network.metrics, again.metrics, strict=True):
        assert arcs(network, one, network.id_order()[1] + 1) == arcs(again, other, again.node_ids)


def arcs(network: RoadNetwork, metric: Metric, numbers: np.ndarray) -> list[tuple[int, int, int]]:
    columns = (numbers[network.tails()], numbers[network.targets], metric.weights)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("simplify", [False, True])
def test_graphml_comes_back(data: Path, tmp_path: Path, simplify: bool) -> None:
    network = open_network(data / "tiny.osm", osm=OsmOptions(simplify=simplify), cache=False)
    (path,) = save(network, tmp_path / "town.graphml")
    again = open_network(path, cache=False)
    for one, other in zip(network.metrics, again.metrics, strict=True):
        assert arcs(network, one, network.node_ids) == arcs(again, other, again.node_ids)
    assert np.array_equal(again.coordinates, network.coordinates)  # type: ignore[arg-type]
    assert again.road_class.tolist() == network.road_class.tolist()  # type: ignore[union-attr]
    for arc in range(network.arc_count):
        assert again.road_names.name(arc) == network.road_names.name(arc)  # type: ignore[union-attr]
        if network.shapes is not None and again.shapes is not None:
            assert again.shapes.of(arc).tolist() == network.shapes.of(arc).tolist()


def test_osmnx_reads_our_graphml(data: Path, tmp_path: Path) -> None:
    osmnx = pytest.importorskip("osmnx")
    network = open_network(data / "tiny.osm", osm=OsmOptions(simplify=True), cache=False)
    (path,) = save(network, tmp_path / "town.graphml")
    graph = osmnx.load_graphml(path)
    assert graph.graph["crs"] == "epsg:4326"
    assert set(graph.nodes) == set(network.node_ids.tolist())
    assert graph.number_of_edges() == network.arc_count
    assert graph.edges[2, 3, 0]["geometry"].length > 0
    assert graph.edges[1, 2, 0]["name"] == "High Street"
    assert graph.edges[1, 2, 0]["length"] == pytest.approx(714.8, abs=0.1)
    nodes, _ = osmnx.graph_to_gdfs(graph)
    assert nodes.loc[7, "x"] == 10.008


def test_parallel_arcs_have_their_own_keys(data: Path, tmp_path: Path) -> None:
    network = open_network(data / "tiny-d.gr", cache=False)
    (path,) = save(network, tmp_path / "tiny.graphml")
    assert '<edge source="1" target="2" id="0">' in path.read_text()
    assert '<edge source="1" target="2" id="1">' in path.read_text()
    again = open_network(path, cache=False)
    assert again.arc_count == network.arc_count


def test_names_of_other_metrics(tmp_path: Path) -> None:
    metrics = [Metric(name, "", 1.0, np.array([7])) for name in ("hops", "cost of fuel")]
    network = RoadNetwork.from_arcs(name="two", node_count=2, tails=np.array([0]), heads=np.array([1]), metrics=metrics)
    assert [path.name for path in save(network, tmp_path / "two.gr")] == ["two.gr", "two.cost-of-fuel.gr"]


def test_names_from_a_stranger_write_no_lines_and_no_other_files(tmp_path: Path) -> None:
    """A name may come from a file of someone else's making: it stays a comment, and beside the file that was named."""
    names = ("hops\na 1 2 -5", "../../x\0", "..//x!", "é" * 300)
    metrics = [Metric(name, "", 1.0, np.array([7])) for name in names]
    arc = np.array([0])
    network = RoadNetwork.from_arcs(
        name="-->\x01\udcff---\na 1 2 -5", node_count=2, tails=arc, heads=arc + 1, metrics=metrics,
        coordinates=np.array([[0, 0], [1, 1]]),
    )  # fmt: skip
    written = save(network, tmp_path / "two.gr")
    assert [path.name for path in written] == ["two.gr", "two.-x-.gr", "two.-x-.2.gr", f"two.{'é' * 40}.gr", "two.co"]
    assert all(path.parent == tmp_path and path.is_file() for path in written)
    for path in written[:-1]:
        assert [line for line in path.read_text("utf-8").splitlines() if line[0] != "c"] == ["p sp 2 1", "a 1 2 7"]
    (graph,) = save(network, tmp_path / "two.graphml")
    assert open_network(graph, cache=False).arc_count == 1


class _FullFrom:
    """Stands for ``os.fsync`` of a disk that takes a number of files, and no more."""

    def __init__(self, files: int) -> None:
        self.left = files

    def __call__(self, _descriptor: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("room", "said"), [(0, ""), (1, "; two.co of the same network is written"), (2, "and two.co")])
def test_of_several_files_none_is_replaced_before_all_are_complete(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, said: str
) -> None:
    network = open_network(data / "tiny-d.gr", coordinates=data / "tiny-d.co", cache=False)
    names = ["two-d.gr", "two-t.gr", "two-d.co"] if len(network.metrics) > 1 else ["two-d.gr", "two-d.co"]
    for name in names:
        (tmp_path / name).write_text("old")
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    cancel = Event()

    def at_the_last(_stage: str, fraction: float) -> None:
        if fraction > 0.5:
            cancel.set()

    with pytest.raises(OpenCancelled):
        save(network, tmp_path / "two.gr", cancel=cancel, progress=at_the_last)
    assert [(tmp_path / name).read_text() for name in names] == ["old"] * len(names)
    monkeypatch.setattr(os, "fsync", _FullFrom(min(room, len(names) - 1)))
    with pytest.raises(WriteError, match=r"two-.\.(gr|co) cannot be written: No space left on device") as caught:
        save(network, tmp_path / "two.gr")
    replaced = [name for name in names if (tmp_path / name).read_text() != "old"]
    assert len(replaced) == min(room, len(names) - 1)
    assert all(name in str(caught.value) for name in replaced)


def test_what_cannot_be_saved_is_refused(data: Path, tmp_path: Path) -> None:
    network = open_network(data / "tiny-d.gr", cache=False)
    with pytest.raises(OptionError, match=r"map\.txt: networks are saved as wayfront network .* and DIMACS \(\.gr\)$"):
        save(network, tmp_path / "map.txt")
    arc = np.array([0])
    bare = RoadNetwork.from_arcs(
        name="bare", node_count=1, tails=arc, heads=arc, metrics=[Metric("hops", "", 1.0, np.array([1]))]
    )
    with pytest.raises(NetworkError, match="bare has no coordinates"):
        save(bare, tmp_path / "bare.graphml")
    cancel = Event()
    cancel.set()
    with pytest.raises(OpenCancelled):
        save(network, tmp_path / "never.gr", cancel=cancel)
    assert not list(tmp_path.iterdir())


def test_own_files(data: Path, tmp_path: Path) -> None:
    network = open_network(data / "tiny.osm", osm=OsmOptions(simplify=True), cache=False)
    (path,) = save(network, tmp_path / "town.wayfront")
    again = open_network(path, cache=False)
    assert again.content_key == network.content_key
    assert again.notes == network.notes


def test_graphml_of_names_with_control_characters_is_read_by_any_xml_parser(data: Path, tmp_path: Path) -> None:
    town = open_network(data / "tiny-d.gr", cache=False)
    codes = (*range(32), *range(0x7F, 0xA0), 0x2028, 0x202E, 0x2066, 0xFFFE, 0xFFFF, 0xDC80)
    nasty = "".join(map(chr, codes)) + "]]>--&<"
    names = RoadNames.collect([f"High {nasty} Street"] * town.arc_count)
    network = replace(town, name=f"a{nasty}b", attribution=f"by {nasty}", road_names=names)
    (path,) = save(network, tmp_path / "nasty.graphml")
    texts = [element.text or "" for element in ElementTree.parse(path).getroot().iter()]
    assert "High ]]>--&< Street" in {" ".join(text.split()) for text in texts}
    assert all(printable(text.strip()) == text.strip() for text in texts)
    assert open_network(path, cache=False).arc_count == town.arc_count
