"""Reading OpenStreetMap data: the hand-written square of tests/data/tiny.osm in every format and with every option."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from there import there
from wayfront.formats.options import OsmOptions
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ROAD_CLASSES
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError, NetworkError, OpenCancelled, OptionError
from wayfront.safe.memory import available_bytes

FAR = 5_000_000_000
DRIVE_ARCS = {
    *((1, 2), (2, 1), (2, 8), (8, 2), (8, 3), (3, 8), (4, 3), (1, 4), (5, 6), (6, 7), (7, 5), (3, 5), (5, 3)),
    *((9, 10), (7, 9), (9, 7), (1, FAR), (FAR, 1)),
}


@pytest.fixture
def tiny(data: Path) -> Path:
    return data / "tiny.osm"


def opened(path: Path, **options: object) -> RoadNetwork:
    return open_network(path, osm=OsmOptions(**options), cache=False)  # type: ignore[arg-type]


def arcs(network: RoadNetwork) -> dict[tuple[int, int], int]:
    """Return the arc number of each (from, to), which are distinct in these networks."""
    pairs = zip(network.node_ids[network.tails()].tolist(), network.node_ids[network.targets].tolist(), strict=True)
    return {pair: arc for arc, pair in enumerate(pairs)}


def test_roads_become_arcs(tiny: Path) -> None:
    network = opened(tiny)
    assert network.name == "tiny"
    assert sorted(network.node_ids) == [*range(1, 11), FAR]
    assert set(arcs(network)) == DRIVE_ARCS
    assert network.arc_count == len(DRIVE_ARCS)
    assert network.attribution == "© OpenStreetMap contributors, ODbL 1.0"
    assert network.data_date == "2026-05-04T03:02:01Z"
    assert network.notes == (
        "roads cut where they name nodes that the file lacks: 1 mentions in 1 ways",
        "the speed of 10 of 18 arcs is assumed from the kind of road",
    )


def test_coordinates_are_microdegrees(tiny: Path) -> None:
    network = opened(tiny)
    assert there(network.coordinates)[network.node(7)].tolist() == [10_008_000, 50_021_000]


def test_metrics_names_and_classes(tiny: Path) -> None:
    network = opened(tiny)
    arc = arcs(network)
    length, time = network.metric("length"), network.metric("travel time")
    assert (length.unit, length.scale, time.unit, time.scale) == ("m", 0.1, "s", 0.001)
    metres = 2 * np.pi * 6_371_009 / 360 * 0.01  # a hundredth of a degree along a meridian
    assert length.weights[arc[1, 4]] == round(metres * 10)
    assert length.weights[arc[1, 2]] == pytest.approx(metres * 10 * np.cos(np.radians(50)), abs=1)
    assert time.weights[arc[1, 2]] == pytest.approx(length.weights[arc[1, 2]] * 360 / 50, rel=1e-4)
    assert time.weights[arc[4, 3]] == pytest.approx(length.weights[arc[4, 3]] * 360 / 48.28032, rel=1e-4)
    assert time.weights[arc[3, 5]] == pytest.approx(length.weights[arc[3, 5]] * 360 / 60, rel=1e-4)
    assert time.weights[arc[5, 3]] == pytest.approx(length.weights[arc[5, 3]] * 360 / 40, rel=1e-4)
    assert time.weights[arc[1, FAR]] == pytest.approx(length.weights[arc[1, FAR]] * 360 / 5, rel=1e-4)
    assert network.road_names is not None
    assert network.road_names.name(arc[2, 1]) == "High Street"
    assert network.road_names.name(arc[1, 4]) == "K 7"
    assert network.road_names.name(arc[9, 10]) == ""
    assert network.road_class is not None
    classes = [ROAD_CLASSES[network.road_class[arc[pair]]] for pair in ((9, 10), (1, 2), (4, 3), (1, 4), (2, 8))]
    assert classes == ["motorway", "primary", "secondary", "secondary", "minor"]


def test_network_types(tiny: Path) -> None:
    public = set(arcs(opened(tiny, network_type="drive-public")))
    assert public == DRIVE_ARCS - {(7, 9), (9, 7)}
    walk = opened(tiny, network_type="walk")
    assert {(1, 11), (11, 1), (2, 12), (12, 11), (3, 4), (4, 3), (6, 5)} <= set(arcs(walk))
    assert {(9, 10), (7, 9)}.isdisjoint(arcs(walk))
    assert "travel times are at 5 km/h on every road" in walk.notes
    bike = set(arcs(opened(tiny, network_type="bike")))
    assert {(1, 11), (11, 1), (4, 1), (4, 3)} <= bike
    assert {(2, 12), (3, 4), (9, 10), (6, 5)}.isdisjoint(bike)
    with pytest.raises(OptionError, match="drive, drive-public, walk, bike"):
        OsmOptions(network_type="fly")


def test_largest_component(tiny: Path) -> None:
    network = opened(tiny, largest_component=True)
    assert sorted(network.node_ids) == [1, 2, 3, 4, 5, 6, 7, 8, 9, FAR]
    assert set(arcs(network)) == DRIVE_ARCS - {(9, 10)}
    assert "1 of 11 nodes are left out: they are not in the largest connected component" in network.notes


def test_simplified(tiny: Path) -> None:
    """Nodes 8 and 6 only give a road its shape; 4 joins roads of other names, 7 and 9 those of other kinds."""
    network = opened(tiny, simplify=True)
    assert sorted(network.node_ids) == [1, 2, 3, 4, 5, 7, 9, 10, FAR]
    arc, whole = arcs(network), opened(tiny)
    assert set(arc) == (DRIVE_ARCS - {(2, 8), (8, 2), (8, 3), (3, 8), (5, 6), (6, 7)}) | {(2, 3), (3, 2), (5, 7)}
    assert network.shapes is not None
    assert network.shapes.of(arc[2, 3]).tolist() == [[10_011_000, 50_005_000]]
    assert network.shapes.of(arc[5, 7]).tolist() == [[10_012_000, 50_021_000]]
    assert network.shapes.of(arc[1, 2]).tolist() == []
    old = arcs(whole)
    for name in ("length", "travel time"):
        weights, pieces = network.metric(name).weights, whole.metric(name).weights
        assert weights[arc[3, 2]] == pieces[old[3, 8]] + pieces[old[8, 2]]
    assert there(network.road_names).name(arc[3, 2]) == "Curved Lane"
    assert "2 of 11 nodes only give roads their shape" in network.notes


@pytest.mark.parametrize("suffix", ["osm", "osm.gz", "osm.bz2", "osm.pbf", "json", "geometry.json"])
def test_every_format_holds_the_same(tiny: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tiny.{suffix}"
    write_as(tiny, path)
    stages: list[tuple[str, float]] = []
    network = open_network(path, cache=False, progress=lambda stage, done: stages.append((stage, done)))
    assert set(arcs(network)) == DRIVE_ARCS
    assert network.content_key == opened(tiny).content_key
    fractions = [done for _, done in stages]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert {"reading roads", "arranging"} <= {stage for stage, _ in stages}


def write_as(tiny: Path, path: Path) -> None:
    """Write the tiny map in the format that the path's suffix names."""
    content = tiny.read_bytes()
    if path.name.endswith(".pbf"):
        import osmium

        with osmium.SimpleWriter(str(path)) as writer:
            for entity in osmium.FileProcessor(str(tiny)):
                writer.add(entity)
    elif path.name.endswith(".json"):
        path.write_text(json.dumps(overpass(tiny, geometry="geometry" in path.name)))
    else:
        packed = {".gz": gzip.compress(content), ".bz2": bz2.compress(content)}
        path.write_bytes(packed.get(path.suffix, content))


def overpass(tiny: Path, *, geometry: bool = False) -> dict[str, object]:
    """Return the tiny map as an Overpass server would answer, with "out geom" or with nodes on their own."""
    nodes, ways, positions = [], [], {}
    for entity in ElementTree.parse(tiny).getroot():
        tags = {tag.get("k"): tag.get("v") for tag in entity.iter("tag")}
        if entity.tag == "node":
            number, position = int(entity.get("id", "")), {key: float(entity.get(key, "")) for key in ("lat", "lon")}
            positions[number] = position
            nodes.append({"type": "node", "id": number, **position, "tags": tags})
        elif entity.tag == "way":
            refs = [int(nd.get("ref", "")) for nd in entity.iter("nd")]
            way: dict[str, object] = {"type": "way", "id": int(entity.get("id", "")), "nodes": refs, "tags": tags}
            ways.append({**way, "geometry": [positions.get(ref) for ref in refs]} if geometry else way)
    head = {"version": 0.6, "osm3s": {"timestamp_osm_base": "2026-05-04T03:02:01Z"}}
    return {**head, "elements": ways if geometry else nodes + ways}


def test_ways_before_their_nodes(tiny: Path, tmp_path: Path) -> None:
    root = ElementTree.parse(tiny).getroot()
    root[:] = sorted(root, key=lambda entity: entity.tag != "way")
    path = tmp_path / "tiny.osm"
    ElementTree.ElementTree(root).write(path)
    assert opened(path).content_key == opened(tiny).content_key


def test_nodes_that_were_never_uploaded(tiny: Path, tmp_path: Path) -> None:
    """An editor gives new objects negative ids."""
    path = tmp_path / "edited.osm"
    path.write_text(tiny.read_text().replace('id="2"', 'id="-2"').replace('ref="2"', 'ref="-2"'))
    assert {(1, -2), (-2, 1), (-2, 8)} <= set(arcs(opened(path)))


def test_the_cache_keeps_everything_and_tells_options_apart(tiny: Path) -> None:
    first = open_network(tiny, osm=OsmOptions(simplify=True))
    again = open_network(tiny, osm=OsmOptions(simplify=True))
    assert isinstance(again.offsets.base, memoryview) or not again.offsets.flags.owndata
    for network in (first, again):
        assert network.node_count == 9
        assert "High Street" in there(network.road_names).names
        assert there(network.shapes).points.shape == (3, 2)
        assert network.data_date == "2026-05-04T03:02:01Z"
        assert len(network.notes) == 3
    assert again.content_key == first.content_key
    assert open_network(tiny).node_count == 11


def test_cancelling(tiny: Path) -> None:
    cancel = Event()
    cancel.set()
    with pytest.raises(OpenCancelled):
        open_network(tiny, cache=False, cancel=cancel)

    def stop(stage: str, _: float) -> None:
        if stage == "reading roads":
            later.set()

    later = Event()
    with pytest.raises(OpenCancelled):
        open_network(tiny, cache=False, progress=stop, cancel=later)


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        ("", "no roads: no way in this file has a highway tag"),
        (
            '<way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="steps"/></way>',
            "no drivable roads: none of the 1",
        ),
        (
            '<way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="road"/></way>',
            "nodes missing: the 1 roads name 1 ",
        ),
        ('<way id="1"><nd ref="1"/><tag k="highway" v="road"/></way>', "nodes missing"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, cut: str, message: str) -> None:
    path = tmp_path / "some.osm"
    path.write_text(f'<osm version="0.6"><node id="1" lat="1" lon="2"/>{cut}</osm>')
    with pytest.raises(FormatError, match=message):
        opened(path)


def test_what_an_overpass_server_says_went_wrong(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    answer = overpass(tiny)
    path.write_text(json.dumps({**answer, "remark": 'runtime error: Query timed out in "query" at line 3'}))
    with pytest.raises(FormatError, match=r"server gave up \(runtime error: Query timed out.*smaller area"):
        opened(path)
    path.write_text(json.dumps(answer)[:-300])
    with pytest.raises(FormatError, match="cut off"):
        opened(path)
    path.write_text(json.dumps({**answer, "remark": "served by a mirror"}))
    assert opened(path).arc_count == len(DRIVE_ARCS)


def test_long_answers_are_read_in_blocks(tiny: Path, tmp_path: Path) -> None:
    """Elements straddle the blocks that are read, and some text is longer than the first look at an element."""
    answer = overpass(tiny)
    ways = answer["elements"]
    assert isinstance(ways, list)
    fill = [{"type": "node", "id": 10_000 + i, "lat": 1, "lon": 2, "tags": {"note": "é" * 400}} for i in range(5000)]
    fill[7]["tags"] = {"note": "x" * 300_000}
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({**answer, "elements": fill + ways}, ensure_ascii=False), encoding="utf-8")
    assert opened(path).content_key == opened(tiny).content_key


def test_road_names_and_shapes_keep_their_arcs() -> None:
    names = RoadNames.collect(["A  1", "", "B", "A 1"])
    assert names.names == ("A 1", "B")
    assert names.of_arc.tolist() == [0, -1, 1, 0]
    turned = names.reordered(np.array([2, 1]))
    assert [turned.name(0), turned.name(1)] == ["B", ""]
    again = RoadNames.from_arrays(names.text, names.of_arc)
    assert again.names == names.names
    shapes = Shapes(np.array([0, 2, 2, 3]), np.array([[1, 1], [2, 2], [3, 3]], np.int32))
    turned_shapes = shapes.reordered(np.array([2, 0, 1]))
    assert [turned_shapes.of(arc).tolist() for arc in range(3)] == [[[3, 3]], [[1, 1], [2, 2]], []]


def test_a_cached_map_needs_neither_numba_nor_pyosmium(tiny: Path) -> None:
    """Importing them takes longer than opening."""
    open_network(tiny)
    check = "import sys, wayfront; wayfront.open_network(sys.argv[1]); print({'numba', 'osmium'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", check, str(tiny)], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"road_names": RoadNames(("A",), np.array([0], np.int32))}, r"road names: shape \(1,\), where 2 arcs need"),
        (
            {"road_names": RoadNames(("A",), np.array([0, 1], np.int32))},
            "road names: a value of 1, where there are 1 road names",
        ),
        (
            {"shapes": Shapes(np.array([0, 1]), np.zeros((1, 2), np.int32))},
            r"offsets of shapes: shape \(2,\), where 2 arcs need",
        ),
        ({"shapes": Shapes(np.array([0, 2, 1]), np.zeros((1, 2), np.int32))}, "offsets of shapes: they must rise"),
        ({"shapes": Shapes(np.array([0, 0, 1]), np.zeros(1, np.int32))}, "points of shapes: 1 dimensions, not 2"),
    ],
)
def test_details_that_do_not_fit_are_refused(details: dict[str, Any], message: str) -> None:
    ends = np.array([0, 1])
    with pytest.raises(NetworkError, match=message):
        RoadNetwork.from_arrays(
            name="",
            offsets=np.array([0, 1, 2]),
            targets=ends,
            metrics=[Metric("length", "m", 0.1, ends)],
            **details,
        )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("iceland-latest.osm.pbf", "iceland"),
        ("town.osm.gz", "town"),
        ("a.b.json", "a.b"),
        (".osm", ".osm"),
        ("plain", "plain"),
    ],
)
def test_a_network_is_called_like_its_file(tiny: Path, tmp_path: Path, file: str, name: str) -> None:
    path = tmp_path / file
    path.write_bytes(tiny.read_bytes())
    assert opened(path).name == name


def test_free_memory_is_known() -> None:
    free = available_bytes()
    assert 1 << 20 < free < 1 << 50
