"""The .wayfront file: exact, compact, and refused when anything in it was changed."""

from __future__ import annotations

import json
import lzma
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfront.errors import FormatError, NetworkError
from wayfront.formats.native.codec import read_native, save_network
from wayfront.network.road_network import Metric, RoadNetwork


def some_network(nodes: int = 50, arcs: int = 120, seed: int = 1, *, bare: bool = False) -> RoadNetwork:
    chance = np.random.default_rng(seed)
    limit = 2**31
    return RoadNetwork.from_arcs(
        name="some",
        node_count=nodes,
        tails=chance.integers(0, nodes, arcs),
        heads=chance.integers(0, nodes, arcs),
        metrics=[
            Metric("length", "m", 0.1, chance.integers(0, limit, arcs).astype(np.int32)),
            Metric("zero", "", 1.0, np.zeros(arcs, np.int32)),
        ],
        node_ids=chance.permutation(nodes) * 2**40 - 2**62,
        coordinates=None if bare else chance.integers(-limit, limit, (nodes, 2)),
        road_class=None if bare else chance.integers(0, 4, arcs),
        attribution="© someone",
        origin="/somewhere",
    )


def assert_same(one: RoadNetwork, other: RoadNetwork) -> None:
    assert one.content_key == other.content_key
    assert (one.name, one.attribution) == (other.name, other.attribution)
    assert np.array_equal(one.offsets, other.offsets)
    assert np.array_equal(one.targets, other.targets)
    assert np.array_equal(one.node_ids, other.node_ids)
    for a, b in ((one.coordinates, other.coordinates), (one.road_class, other.road_class)):
        assert (a is None) == (b is None)
        assert a is None or b is None or np.array_equal(a, b)
    for m, k in zip(one.metrics, other.metrics, strict=True):
        assert (m.name, m.unit, m.scale) == (k.name, k.unit, k.scale)
        assert np.array_equal(m.weights, k.weights)


@pytest.mark.parametrize(("nodes", "arcs", "bare"), [(50, 120, False), (50, 120, True), (3, 0, False), (1, 1, True)])
def test_what_is_saved_is_read_back(tmp_path: Path, nodes: int, arcs: int, bare: bool) -> None:
    network = some_network(nodes, arcs, bare=bare)
    path = tmp_path / "some.wayfront"
    save_network(network, path)
    read = read_native(path)
    assert_same(read, network)
    assert read.origin == str(path)


@given(st.integers(1, 40), st.integers(0, 90), st.integers(0, 2**32), st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_network_is_read_back(nodes: int, arcs: int, seed: int, bare: bool) -> None:
    network = some_network(nodes, arcs, seed, bare=bare)
    with tempfile.TemporaryDirectory() as folder:
        save_network(network, Path(folder) / "x.wayfront")
        assert_same(read_native(Path(folder) / "x.wayfront"), network)


def test_saving_again_gives_the_same_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    first = path.read_bytes()
    save_network(some_network(), path)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


def test_failed_saving_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "some.wayfront"
    with pytest.raises(OSError, match="absent"):
        save_network(some_network(), path)


def test_a_city_fits_in_the_bundle(tmp_path: Path) -> None:
    """A street grid of 40,000 nodes with jittered places and two metrics stays below 1.5 MB."""
    side, chance = 200, np.random.default_rng(5)
    node = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()]), np.stack([node[:-1].ravel(), node[1:].ravel()])], axis=1
    )
    pairs = pairs[:, chance.random(pairs.shape[1]) < 0.65]
    lengths = chance.integers(300, 3000, pairs.shape[1])
    network = RoadNetwork.from_arcs(
        name="city",
        node_count=side * side,
        tails=np.concatenate([pairs[0], pairs[1]]),
        heads=np.concatenate([pairs[1], pairs[0]]),
        metrics=[
            Metric("length", "m", 0.1, np.tile(lengths, 2)),
            Metric("travel time", "s", 0.1, np.tile(lengths * 5 // 2, 2)),
        ],
        coordinates=np.stack(np.divmod(node.ravel(), side), axis=1) * 1000 + chance.integers(-400, 400, (side**2, 2)),
        road_class=np.zeros(2 * pairs.shape[1], np.uint8),
    )
    assert network.arc_count > 100_000
    path = tmp_path / "city.wayfront"
    save_network(network, path)
    assert path.stat().st_size < 1_500_000
    assert_same(read_native(path), network)


@pytest.mark.parametrize("keep", [0, 5, 12, 19, 60, 300, -1])
def test_cut_files_are_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FormatError) as caught:
        read_native(path)
    assert caught.value.path == path


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_changed_byte_is_refused_or_harmless(data_source: st.DataObject) -> None:
    network = some_network(8, 12)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.wayfront"
        save_network(network, path)
        content = bytearray(path.read_bytes())
        at = data_source.draw(st.integers(0, len(content) - 1), "at")
        content[at] ^= data_source.draw(st.integers(1, 255), "bits")
        path.write_bytes(content)
        try:
            read = read_native(path)
        except FormatError:
            return
        assert read.content_key == network.content_key


def test_newer_version_asks_for_an_update(tmp_path: Path) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    content = path.read_bytes()
    path.write_bytes(content[:8] + struct.pack("<I", 2) + content[12:])
    with pytest.raises(FormatError, match="version 2"):
        read_native(path)


def forged(table: object, packed: bytes) -> bytes:
    header = json.dumps(table).encode()
    return struct.pack("<8sIII", b"WAYFRONT", 1, len(header), zlib.crc32(header)) + header + packed


@pytest.mark.parametrize(
    "arrays",
    [
        [{"name": "offsets", "dtype": "<i8", "shape": [2**38], "width": 0}],
        [{"name": "offsets", "dtype": "<i8", "shape": [2**38], "width": 8}],
        [{"name": "offsets", "dtype": "<i8", "shape": [-1], "width": 1}],
        [{"name": "offsets", "dtype": "|O", "shape": [4], "width": 1}],
        [{"name": "offsets", "dtype": "<i8", "shape": [4], "width": 9}],
        [{"name": "targets", "dtype": "<i4", "shape": [4], "width": 1}],
        [{"name": "offsets"}],
        "arrays",
    ],
)
def test_forged_headers_are_refused_without_unpacking(tmp_path: Path, arrays: object) -> None:
    path = tmp_path / "forged.wayfront"
    path.write_bytes(forged({"network": {}, "arrays": arrays}, lzma.compress(bytes(1 << 20))))
    with pytest.raises(FormatError, match="damaged"):
        read_native(path)


def test_a_network_that_looks_like_a_bomb_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront.formats.native.codec._ALWAYS_BYTES", 1000)
    ring = RoadNetwork.from_arcs(
        name="ring",
        node_count=9000,
        tails=np.arange(9000),
        heads=(np.arange(9000) + 1) % 9000,
        metrics=[Metric("weight", "", 1.0, np.ones(9000, np.int32))],
    )
    with pytest.raises(NetworkError, match="bomb"):
        save_network(ring, tmp_path / "ring.wayfront")
    assert not list(tmp_path.iterdir())
