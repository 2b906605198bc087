"""Damaged and hostile OpenStreetMap files: each is refused by a named error, early, without the memory it asks for."""

from __future__ import annotations

import gzip
import json
import resource
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repository import REAL_DATA, TEST_DATA
from wayfront.formats.streams import BLOCK_BYTES
from wayfront.opening import estimate_memory, open_network
from wayfront.safe import memory
from wayfront.safe.errors import FormatError, MemoryShortError, NetworkError
from wayfront.safe.text import printable

TINY = TEST_DATA / "tiny.osm"
REAL = REAL_DATA / "osm"

GRAPHML = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="x"/><key id="d1" for="node" attr.name="y"/>
<key id="d2" for="edge" attr.name="length"/><key id="d3" for="edge" attr.name="highway"/>
<key id="d4" for="edge" attr.name="geometry"/><key id="d5" for="edge" attr.name="maxspeed"/>
<graph edgedefault="directed">
<node id="1"><data key="d0">10.0</data><data key="d1">50.0</data></node>
<node id="2"><data key="d0">10.1</data><data key="d1">50.0</data></node>
<edge source="1" target="2" id="0"><data key="d2">7150.5</data><data key="d3">['residential', 'primary']</data>
<data key="d4">LINESTRING (10 50, 10.05 50.001, 10.1 50)</data><data key="d5">['50', '30 mph']</data></edge>
<edge source="2" target="1" id="0"><data key="d2">7150.5</data><data key="d3">service</data></edge>
</graph></graphml>
"""


def refusal(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        open_network(path, cache=False)
    return caught.value.problem


def written(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@cache
def as_pbf(*options: str) -> bytes:
    """Return the tiny map as PBF."""
    import tempfile

    import osmium

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.pbf"
        with osmium.SimpleWriter(osmium.io.File(str(path), ",".join(("pbf", *options)))) as writer:
            for entity in osmium.FileProcessor(str(TINY)):
                writer.add(entity)
        return path.read_bytes()


def field(number: int, content: bytes | int) -> bytes:
    """Return one field of a protocol buffers message."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes((*parts, value))


def block(message: bytes, kind: bytes = b"OSMData", packing: int = 3) -> bytes:
    blob = field(2, len(message)) + field(packing, zlib.compress(message))
    header = field(1, kind) + field(3, len(blob))
    return len(header).to_bytes(4, "big") + header + blob


def texts(*table: bytes) -> bytes:
    return field(1, b"".join(field(1, text) for text in table))


def way(keys: bytes, values: bytes, nodes: int = 2) -> bytes:
    """Return a group of one way; each byte of ``keys`` and ``values`` names a text."""
    return field(2, field(3, field(1, 1) + field(2, keys) + field(3, values) + field(8, b"\2" * nodes)))


def dense(count: int, users: bool = False) -> bytes:
    """Return a group of so many nodes in one place, by the author whose name is text 1."""
    zeros = bytes(count)
    authors = b"".join(field(number, zeros) for number in range(1, 5)) + field(5, b"\2" + zeros[1:])
    info = field(5, authors) if users else b""
    return field(2, field(2, field(1, b"\2" * count) + info + field(8, zeros) + field(9, zeros)))


HEADER = block(field(4, b"OsmSchema-V0.6") + field(4, b"DenseNodes"), b"OSMHeader")

XML = '<osm version="0.6">{}</osm>'
ROAD = '<way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="road"/></way>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (XML.format(f'<node id="{2**63}" lat="1" lon="1"/>' + ROAD), "damaged.*illegal id"),
        (XML.format(f'<node id="{2**63 - 1}" lat="1" lon="1"/>' + ROAD), "damaged.*illegal id"),
        (XML.format('<node id="1" lat="1e400" lon="1"/>' + ROAD), "nodes missing"),
        (XML.format('<node id="1" lat="nan" lon="1"/>' + ROAD), "damaged.*coordinate"),
        (XML.format('<node id="1" lat="91" lon="1"/><node id="2" lat="1" lon="1"/>' + ROAD), "nodes missing"),
        (XML.format('<node id="1" lat="1" lon="181"/><node id="2" lat="1" lon="1"/>' + ROAD), "nodes missing"),
        ('<!DOCTYPE osm [<!ENTITY a "&b;&b;">]><osm version="0.6">&a;</osm>', "declares entities|not a road network"),
        ('<osm version="0.6"><!DOCTYPE osm [<!ENTITY a "bb">]>&a;</osm>', "declares entities"),
        ('<osm version="0.6">' + "<a>" * 5000, "damaged"),
        (XML.format(" " * ((1 << 20) - 24) + "<!DOCTYPE osm>"), "declares entities"),
        ('<osm version="0.5"></osm>', "damaged.*version"),
        ('<osm version="0.6"><node id="1" lat="1" lon="1"><tag k="a" v="' + "x" * (3 << 20), "megabyte without a tag"),
        (HEADER + HEADER[:30], "cut off"),
        (HEADER + b"\xff\xff\xff\xff" + bytes(100), "block at byte .* is damaged"),
        (HEADER + block(field(1, field(1, b"a\0b"))), "block at byte .* is damaged"),
        (HEADER + block(field(1, b"\x0a\xff\xff\xff\xff\x07a")), "block at byte .* is damaged"),
        (HEADER + block(b"", packing=7), "packed with zstd"),
        (lambda: HEADER + block(bytes(40 << 20)), "block at byte .* is damaged"),
        (lambda: HEADER + block(field(2, field(9, bytes(30 << 20)))) * 10, "taken for a bomb"),
        (lambda: HEADER + block(bytes(30 << 20)), "block at byte .* is damaged"),
        (lambda: HEADER + block(texts(b"", b"x" * 1000) + dense(9_000_000)), "taken for a bomb"),
        (lambda: HEADER + block(texts(b"", b"x" * 1000) + way(b"\1" * 300_000, b"\1" * 300_000)), "taken for a bomb"),
        (lambda: HEADER + block(texts(b"", b"x" * 1000) + dense(600_000, users=True)), "taken for a bomb"),
        (
            lambda: HEADER + block(texts(b"", b"highway", b"road") + way(b"\1", b"\2", 1_000_001)),
            "way 1 has 1,000,001 nodes",
        ),
        (lambda: gzip.compress(b'<osm version="0.6">' + b"<a/> " * (60 << 20)), "taken for a bomb"),
        (lambda: b'{"elements": [' + b" " * (30 << 20), "no Overpass answer|cut off"),
        (lambda: gzip.compress(b'{"elements": [' + b"{}," * (100 << 20)), "damaged|taken for a bomb"),
        ('{"elements": [' + "[" * 100_000, "cut off"),
        ('{"elements": [{"type": "node", "id": 1e99, "lat": 1, "lon": 1}]}', "element of the Overpass answer"),
        (f'{{"elements": [{{"type": "node", "id": {2**63}, "lat": 1, "lon": 1}}]}}', "element of the Overpass answer"),
        ('{"elements": [{"type": "node", "id": 1, "lat": 1e99, "lon": 1}]}', "element of the Overpass answer"),
        ('{"elements": [{"type": "way", "id": 1, "nodes": "abc"}]}', "element of the Overpass answer"),
        ('{"elements": [{"type": "node"}, 7, null]}', "element of the Overpass answer is damaged .number 2, "),
        ('{"elements": [{"type": "way", "id": 1, "nodes": [1' + ",2" * 1_000_000 + "]}]}", "1,000,001 nodes"),
        ('{"elements": [], "remark": 7', "cut off or damaged"),
        (GRAPHML.replace("<graphml", '<!DOCTYPE g [<!ENTITY a "bb">]><graphml'), "declares entities"),
        (GRAPHML.replace("<graph ", "<a>" * 100 + "<graph "), "nested or declared like no graph"),
        (
            GRAPHML.replace("<graph ", "".join(f'<key id="{i}"/>' for i in range(10_002)) + "<graph "),
            "declared like no",
        ),
        (GRAPHML.replace('id="1"', f'id="{2**63}"'), "a node is damaged"),
        (GRAPHML.replace('id="1"', f'id="{"9" * 5000}"'), "a node is damaged"),
        (GRAPHML.replace('target="2"', 'target="3"'), "nodes missing: 1 edges"),
        (GRAPHML.replace('id="2"', 'id="1"'), "two nodes have the same id"),
        (GRAPHML.replace(">10.1<", ">521000.7<"), "project the graph back"),
        (GRAPHML.replace("7150.5", "nan"), "an edge is damaged"),
        (GRAPHML.replace("7150.5", "-1"), "an edge is damaged"),
        (GRAPHML.replace('"length"', '"weight"'), "no 'length'"),
        (GRAPHML.replace("</graphml>", ""), "the XML is damaged"),
        (GRAPHML.replace("LINESTRING", "x" * (5 << 20)), "megabyte without a tag"),
        (GRAPHML.replace("edge", "hyperedge"), "no roads"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) <= 60 else "",
)
def test_hostile_files_are_refused_early(
    tmp_path: Path, content: bytes | str | Callable[[], bytes], message: str
) -> None:
    """Large contents are made here, not by every process that imports this module."""
    path = written(tmp_path / "map", content() if callable(content) else content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FormatError, match=message):
        open_network(path, cache=False)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10  # in KiB


@pytest.mark.parametrize(
    "content",
    [
        '<osm version="0.6\u202e\x9b31m\u2066"></osm>',
        '<osm version="0.6"><node id="\u202e\x9b" lat="1" lon="1"/></osm>',
        '<osm version="0.6"><node id="1" lat="1" lon="\u202e\x9b"/></osm>',
        '{"elements": [], "remark": "error \u202e\x9b31m"}',
        '{"elements": [{"type": "node", "id": 1, "lat": "\u202e\x9b", "lon": 1}]}',
        GRAPHML.replace("7150.5", "\u202e\x9b"),
    ],
)
def test_what_an_error_quotes_obeys_no_control_character(tmp_path: Path, content: str) -> None:
    said = refusal(written(tmp_path / "map", content))
    assert said == printable(said)


def test_a_zero_byte_in_a_name_is_noticed(tmp_path: Path) -> None:
    """libosmium would read beyond its memory."""
    content = as_pbf("pbf_compression=none")
    assert content.count(b"High Street") == 1
    path = written(tmp_path / "map.pbf", content.replace(b"High Street", b"High\0Street"))
    assert "is damaged" in refusal(path)


@pytest.mark.parametrize("beyond", [-1000, 1, 300, 60_000])
def test_an_answer_may_end_anywhere_in_a_block(tmp_path: Path, beyond: int) -> None:
    """The last elements are read also where the file ends soon behind a block of text."""
    content = seeds()[2]
    at = content.index(b"{", 1)
    padded = content[:at] + b" " * (BLOCK_BYTES + beyond - len(content)) + content[at:]
    assert open_network(written(tmp_path / "map.json", padded), cache=False).node_count == 4


def test_graphml_of_osmnx(tmp_path: Path) -> None:
    network = open_network(written(tmp_path / "some.graphml", GRAPHML), cache=False)
    assert network.name == "some"
    assert network.node_ids.tolist() == [1, 2]
    assert network.metric("length").weights.tolist() == [71505, 71505]
    assert network.metric("travel time").weights.tolist() == [533_174, 1_716_120]
    assert network.road_class is not None
    assert network.road_class.tolist() == [2, 0]
    assert network.shapes is not None
    assert network.shapes.of(0).tolist() == [[10_050_000, 50_001_000]]
    assert network.notes == ("the speed of 1 of 2 arcs is assumed from the kind of road",)
    both = GRAPHML.replace('"directed"', '"undirected"')
    network = open_network(written(tmp_path / "both.graphml", both), cache=False)
    assert network.arc_count == 4
    assert network.shapes is not None
    assert [network.shapes.of(arc).tolist() for arc in range(4)].count([[10_050_000, 50_001_000]]) == 2


# ----------------------------------------------------------------------------------------------- mutations


@cache
def seeds() -> list[bytes]:
    """Return one small file of every format, and real ones where they are."""
    overpass = {
        "elements": [
            *({"type": "node", "id": i, "lat": i / 100, "lon": 10} for i in range(4)),
            {"type": "way", "id": 1, "nodes": [0, 1, 2, 3], "tags": {"highway": "road", "maxspeed": "30 mph"}},
        ]
    }
    small = [TINY.read_bytes(), gzip.compress(TINY.read_bytes()), json.dumps(overpass).encode(), GRAPHML.encode()]
    small += [as_pbf(), as_pbf("pbf_compression=none"), as_pbf("pbf_compression=none", "pbf_dense_nodes=false")]
    names = ("edge-whitelion_reversed_oneway.osm.pbf", "west-oakland.osm.bz2", "edge-overpass-missing-nodes.json")
    return small + [(REAL / name).read_bytes() for name in names if (REAL / name).is_file()]


STRANGE = (
    b"9223372036854775808",
    b"-1",
    b"1e309",
    b"nan",
    b"<",
    b'"',
    b"&x;",
    b"\0",
    b"\xff" * 9 + b"\x01",
    b"[",
    b"}",
)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    content = bytearray(draw(st.sampled_from(seeds())))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content) - 1))
        what = draw(st.sampled_from((*STRANGE, "flip", "cut", "repeat", "end")))
        if isinstance(what, bytes):
            content[at : at + draw(st.sampled_from((0, len(what))))] = what
        elif what == "flip":
            content[at] ^= 1 << draw(st.integers(0, 7))
        elif what == "cut":
            del content[at : at + draw(st.integers(1, 40))]
        elif what == "repeat":
            content[at:at] = content[max(at - 60, 0) : at]
        elif at > 16:
            del content[at:]
        content = content or bytearray(b" ")
    return bytes(content)


@given(mutations())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_files_raise_nothing_but_named_errors(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path / "map", content)
    try:
        network = open_network(path, cache=False)
    except FormatError:
        return
    assert network.node_count


# -------------------------------------------------------------------------------------------------- memory


def test_what_does_not_fit_is_refused_unless_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = estimate_memory(TINY)
    assert 100e6 < needed < 300e6
    monkeypatch.setattr(memory, "available_bytes", lambda: needed - 1)
    with pytest.raises(NetworkError, match=r"takes about [12]\d\d\.\d MB of memory, and [12]\d\d\.\d MB are free"):
        open_network(TINY, cache=False)
    assert open_network(TINY, cache=False, force=True).node_count == 11
    monkeypatch.setattr(memory, "available_bytes", lambda: needed + 1)
    assert open_network(TINY, cache=False).node_count == 11


def test_packed_text_is_estimated_by_what_it_unpacks_to(tmp_path: Path) -> None:
    """A few packed kilobytes would take a hundred times more memory than was asked for."""
    text = b'{"elements": [' + b" " * (10 << 20)
    plain, packed = written(tmp_path / "a.json", text), written(tmp_path / "a.json.gz", gzip.compress(text))
    assert packed.stat().st_size < 100_000
    assert estimate_memory(plain) == estimate_memory(packed) > 3 * len(text)


def test_roads_that_do_not_fit_are_refused_before_they_are_arranged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = ",".join(["0", "1"] * 400_000)
    path = written(tmp_path / "map.json", seeds()[2].replace(b"[0, 1, 2, 3]", f"[{refs}]".encode()))
    needed = estimate_memory(path)
    monkeypatch.setattr(memory, "available_bytes", lambda: needed - 50_000_000)
    with pytest.raises(MemoryShortError):
        open_network(path, cache=False)
    monkeypatch.setattr("wayfront.formats.osm.roads._arcs_of_roads", None)  # called, it would be a TypeError
    monkeypatch.setattr(memory, "available_bytes", lambda: 60_000_000)
    monkeypatch.setattr("wayfront.formats.osm.overpass_json.memory_for_text", lambda _path, _opening: 0)
    with pytest.raises(MemoryShortError, match=r"takes about \d+\.\d MB of memory, and 60\.0 MB are free"):
        open_network(path, cache=False)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "lowest", "highest"), [("iceland-latest.osm.pbf", 284, 600), ("porto.osm.pbf", 160, 400)]
)
def test_estimates_are_of_the_right_size(name: str, lowest: float, highest: float) -> None:
    """Measured peaks: 284 MB and 224 MB."""
    if not (REAL / name).is_file():
        pytest.skip(f"needs {name} in ../shared/data/osm beside the repository")
    assert lowest < estimate_memory(REAL / name) / 2**20 < highest
