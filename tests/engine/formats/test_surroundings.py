"""Places, water and parks of OpenStreetMap files: in XML and from a server, and in their file of the cache."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wayfront.network.details import KINDS, Surroundings
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError

PLACES = {
    1: {"place": "town", "name": "Upper \n Town", "population": "12,500"},
    2: {"place": "hamlet"},
    3: {"place": "city", "name": "Old City", "population": "many"},
}
POSITIONS = {
    **{node: (10.0 + node / 100, 50.0) for node in (1, 2, 3)},
    **{10 + i: xy for i, xy in enumerate([(10.0, 50.0), (10.01, 50.0), (10.01, 50.01), (10.0, 50.01)])},
    **{20 + i: xy for i, xy in enumerate([(10.004, 50.004), (10.006, 50.004), (10.006, 50.006), (10.004, 50.006)])},
    **{30 + i: (10.02 + i / 1000, 50.0 + i / 1000) for i in range(5)},
}
WAYS: dict[int, tuple[list[int], dict[str, str]]] = {
    100: ([10, 11], {"highway": "residential", "name": "Shore Road"}),
    101: ([10, 11, 12], {}),  # the lake's shore, in two ways, the second of which runs backward
    102: ([10, 13, 12], {}),
    103: ([20, 21, 22, 23, 20], {"leisure": "park", "name": "Isle Park"}),  # its island, a park of its own
    104: ([30, 31], {"waterway": "river", "name": "Long River"}),
    105: ([33, 32, 31], {"waterway": "river", "name": "Long River"}),
    106: ([10, 11, 12, 13], {"natural": "water", "name": "Open Lake"}),  # does not close
    107: ([10, 11, 99, 10], {"natural": "water", "name": "Lost Lake"}),  # names a node that is not there
    108: ([11, 12], {"natural": "coastline"}),
    109: ([10, 11, 12, 13, 10], {"natural": "scrub"}),
    110: ([20, 21, 22, 23, 20], {"highway": "pedestrian", "leisure": "park", "name": "Paved Park"}),  # is a road
}
LAKE = {"type": "multipolygon", "natural": "water", "name": "Great Lake"}


@pytest.fixture
def xml(tmp_path: Path) -> Path:
    def tagged(tags: dict[str, str]) -> str:
        return "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())

    nodes = [
        f'<node id="{i}" lon="{x:.7f}" lat="{y:.7f}">{tagged(PLACES.get(i, {}))}</node>'
        for i, (x, y) in POSITIONS.items()
    ]
    ways = [
        f'<way id="{i}">{"".join(f"<nd ref={chr(34)}{ref}{chr(34)}/>" for ref in refs)}{tagged(tags)}</way>'
        for i, (refs, tags) in WAYS.items()
    ]
    members = "".join(f'<member type="way" ref="{ref}" role=""/>' for ref in (101, 102, 103))
    path = tmp_path / "lake.osm"
    relation = f'<relation id="900">{members}{tagged(LAKE)}</relation>'
    path.write_text(f'<osm version="0.6">{"".join(nodes)}{"".join(ways)}{relation}</osm>', encoding="utf-8")
    return path


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    elements: list[dict[str, Any]] = [
        {"type": "way", "id": way, "nodes": refs, "tags": tags} for way, (refs, tags) in WAYS.items()
    ]
    members = [{"type": "way", "ref": ref, "role": ""} for ref in (101, 102, 103)]
    elements.append({"type": "relation", "id": 900, "members": members, "tags": LAKE})
    for node, (x, y) in POSITIONS.items():
        elements.append({"type": "node", "id": node, "lon": x, "lat": y, "tags": PLACES.get(node, {})})
    path = tmp_path / "lake.json"
    path.write_text(json.dumps({"version": 0.6, "osm3s": {}, "elements": elements}), encoding="utf-8")
    return path


def found(path: Path, *, cache: bool = False) -> Surroundings:
    surroundings = open_network(path, cache=cache).surroundings
    assert surroundings is not None
    return surroundings


def named(surroundings: Surroundings) -> list[tuple[str, str]]:
    return [(KINDS[kind], name) for kind, name in zip(surroundings.kind, surroundings.names, strict=True)]


@pytest.mark.parametrize("form", ["xml", "answer"])
def test_places_and_areas_are_read(form: str, request: pytest.FixtureRequest) -> None:
    around = found(request.getfixturevalue(form))
    assert named(around) == [
        ("city", "Old City"),
        ("town", "Upper Town"),
        ("water", "Great Lake"),
        ("park", "Isle Park"),
        ("river", "Long River"),
        ("coast", ""),
    ]
    assert around.size[:2].tolist() == [0, 12_500]
    assert around.position[:2].tolist() == [[10_030_000, 50_000_000], [10_010_000, 50_000_000]]


def test_an_outline_is_joined_and_keeps_its_hole(xml: Path) -> None:
    around = found(xml)
    lake, river = 2, 4
    first, last = around.outlines[lake : lake + 2]
    shore, island = (around.points[around.offsets[i] : around.offsets[i + 1]] for i in range(first, last))
    assert (len(shore), len(island)) == (5, 5)
    assert shore[0].tolist() == shore[-1].tolist()
    assert around.size[lake] == pytest.approx(1112 * 1112 * np.cos(np.radians(50)), rel=0.01)
    x, y = around.position[lake].tolist()
    assert 10_000_000 < x < 10_010_000 and 50_000_000 < y < 50_010_000
    course = around.points[around.offsets[around.outlines[river]] : around.offsets[around.outlines[river + 1]]]
    assert sorted(course[:, 0].tolist()) == course[:, 0].tolist()
    assert len(course) == 4


def test_they_are_kept_apart(xml: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network is the same with and without them, and a file of them that is lost or damaged is made again."""
    home = tmp_path / "cache"
    monkeypatch.setenv("WAYFRONT_CACHE", str(home))
    first = found(xml, cache=True)
    (beside,) = home.glob("*.surroundings")
    (network,) = home.glob("*.network")
    assert beside.stem == network.stem
    whole = beside.read_bytes()
    assert named(found(xml, cache=True)) == named(first)
    header = struct.unpack("<8sIII", whole[:20])[2]
    damages = {"lost": b"", "cut off": whole[:-1], "a kind": whole[: 20 + header] + bytes(len(whole) - 20 - header)}
    for damage in damages.values():
        beside.write_bytes(damage)
        again = found(xml, cache=True)
        assert named(again) == named(first)
        assert (again.points == first.points).all()
        assert beside.read_bytes() == whole


@pytest.mark.parametrize(
    "change",
    [
        {"kind": np.array([len(KINDS)] * 6, np.uint8)},
        {"outlines": np.array([0, 0, 0, 5, 3, 4, 5])},
        {"name_text": np.frombuffer(b"one", np.uint8)},
        {"name_text": np.frombuffer(b"\xff\n\n\n\n\n", np.uint8)},
        {"points": np.zeros((1, 2), np.int32)},
        {"size": np.full(6, -1)},
    ],
)
def test_what_no_file_may_hold_is_refused(xml: Path, change: dict[str, Any]) -> None:
    arrays = found(xml).arrays()
    assert named(Surroundings.from_arrays(arrays)) == named(found(xml))
    with pytest.raises(ValueError):
        Surroundings.from_arrays(arrays | change)


def test_other_formats_have_none(data: Path) -> None:
    assert open_network(data / "tiny-d.gr", cache=False).surroundings is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"id": 109', '"id": [109]'),
        ('"id": 106', '"id": 1e99'),
        ('"ref": 101', '"ref": {}'),
        ('"ref": 102', '"ref": null'),
    ],
)
def test_an_id_that_cannot_be_is_refused(answer: Path, old: str, new: str) -> None:
    text = answer.read_text("utf-8")
    assert old in text
    answer.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match="element of the Overpass answer is damaged"):
        found(answer)
