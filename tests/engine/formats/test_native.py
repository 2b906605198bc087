"""The .wayfront file: exact, compact, and refused when anything in it was changed."""

from __future__ import annotations

import json
import lzma
import math
import re
import struct
import tempfile
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soak import mutations
from wayfront.formats.native.codec import read_native, save_network
from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import FormatError, MemoryShortError, NetworkError


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
        data_date="2026-05-04",
        notes=["two roads were left out"],
        origin="/somewhere",
    )


def assert_same(one: RoadNetwork, other: RoadNetwork) -> None:
    assert one.content_key == other.content_key
    assert (one.name, one.attribution) == (other.name, other.attribution)
    assert (one.data_date, one.notes) == (other.data_date, other.notes)
    assert np.array_equal(one.offsets, other.offsets)
    assert np.array_equal(one.targets, other.targets)
    assert np.array_equal(one.node_ids, other.node_ids)
    for a, b in ((one.coordinates, other.coordinates), (one.road_class, other.road_class)):
        assert (a is None) == (b is None)
        assert a is None or b is None or np.array_equal(a, b)
    for m, k in zip(one.metrics, other.metrics, strict=True):
        assert (m.name, m.unit, m.scale) == (k.name, k.unit, k.scale)
        assert np.array_equal(m.weights, k.weights)


@given(st.integers(1, 40), st.integers(0, 90), st.integers(0, 2**32), st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_network_is_read_back(nodes: int, arcs: int, seed: int, bare: bool) -> None:
    network = some_network(nodes, arcs, seed, bare=bare)
    with tempfile.TemporaryDirectory() as folder:
        save_network(network, Path(folder) / "x.wayfront")
        assert_same(read_native(Path(folder) / "x.wayfront"), network)


def test_a_file_of_november_2026_opens_for_ever(data: Path, tmp_path: Path) -> None:
    """It has every array that a network may have."""
    read = read_native(data / "kept.wayfront")
    assert read.content_key == "d1360fac532c5a3b7b11ed56b6c1495a"
    assert (read.name, read.attribution, read.data_date) == ("Everything a file may hold", "© someone", "2026-11-23")
    assert [(m.name, m.unit, m.scale) for m in read.metrics] == [("length", "m", 0.1), ("travel time", "s", 0.001)]
    assert read.metrics[0].weights.tolist() == [500, 2**31 - 1, 0, 70, 90]
    assert read.node_ids.tolist() == [10, -7, 2**62, 5]
    assert read.road_class is not None and read.road_class.tolist() == [3, 2, 1, 0, 0]
    assert read.road_names is not None and read.road_names.name(0) == "Große Straße"
    assert read.shapes is not None and read.shapes.of(2).tolist() == [[8_000_500, 49_999_000]]
    assert read.node_names is not None and read.node_names.names == ("A", "", "東京", "d")
    save_network(read, tmp_path / "again.wayfront")
    assert_same(read_native(tmp_path / "again.wayfront"), read)


def test_saving_again_gives_the_same_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    first = path.read_bytes()
    assert read_native(path).origin == str(path)
    assert some_network().origin.encode() not in first, "the file would tell the writer's folders"
    save_network(some_network(), path)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


def test_failed_saving_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "some.wayfront"
    with pytest.raises(OSError, match="absent"):
        save_network(some_network(), path)


def test_other_files_and_other_headers_than_the_saved_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"name": "some"', b'"name": "same"'))
    with pytest.raises(FormatError, match="its header is not what was saved"):
        read_native(path)
    path.write_bytes(b"W" + content[:-1])
    with pytest.raises(FormatError, match=r"this is not a .wayfront file"):
        read_native(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"", "this is not a .wayfront file"),
        (lambda content: content[:12], "the file is cut off: get it again"),
        (
            lambda content: content[:8] + struct.pack("<I", 2) + content[12:],
            "the file has version 2, this program reads version 1: update it",
        ),
        (lambda content: content[:-40], "the file is damaged (it is cut off): get it again"),
        (lambda content: content + b"\0", "the file is damaged (it holds more than it announces): get it again"),
    ],
    ids=["empty", "start", "newer", "end", "more"],
)
def test_an_error_says_what_and_where(tmp_path: Path, change: Callable[[bytes], bytes], message: str) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(FormatError) as caught:
        read_native(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=f"^{re.escape(str(tmp_path / 'no.wayfront'))}: "):
        read_native(tmp_path / "no.wayfront")


# ------------------------------------------------------------------------------------------------ forged files


def forge(path: Path, change: Callable[[dict[str, Any]], object], packed: bytes | None = None) -> None:
    """Rewrite a file with another header, or other packed bytes, under right checksums."""
    magic, version, header, rest = mutations.split(path.read_bytes())
    table = json.loads(header)
    change(table)
    path.write_bytes(mutations.with_header(magic, version, json.dumps(table).encode(), packed or rest))


def entry_of(table: dict[str, Any], name: str) -> dict[str, Any]:
    entry: dict[str, Any] = next(entry for entry in table["arrays"] if entry["name"] == name)
    return entry


def described(**changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda table: table["network"].update(changes)


def announced(array: str, **changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda table: entry_of(table, array).update(changes)


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda table: table["arrays"].remove(entry_of(table, name))


def backwards(table: dict[str, Any]) -> None:
    table["arrays"].reverse()


def too_many_nodes(table: dict[str, Any]) -> None:
    for name, shape in (("offsets", [2**31]), ("node_ids", [2**31 - 1]), ("coordinates", [2**31 - 1, 2])):
        entry_of(table, name)["shape"] = shape


def doubled(table: dict[str, Any]) -> None:
    table["arrays"].append(table["arrays"][-1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (announced("offsets", shape=[2**38], width=0), "274877906943 nodes need"),
        (announced("offsets", shape=[2**40]), "offsets: 1099511627776 rows"),
        (announced("offsets", shape=[-1]), "shape\\[0\\] in its header is -1, out of bounds"),
        (announced("offsets", shape=[True]), "is True, not a whole number"),
        (announced("offsets", shape=51), "shape in its header is 51, not a list"),
        (announced("offsets", shape=[0]), "offsets: empty"),
        (announced("offsets", shape=[2, 2, 2]), "more than 2 entries"),
        (announced("offsets", dtype="|O"), "an array of type '.O', which no network has"),
        (announced("offsets", dtype="|u1"), "offsets: of type uint8"),
        (announced("targets", dtype="<i8"), "targets: of type int64"),
        (announced("offsets", width=9), "width in its header is 9, out of bounds"),
        (announced("offsets", width=-1), "width in its header is -1, out of bounds"),
        (announced("offsets", width=1.0), "width in its header is 1.0, not a whole number"),
        (announced("targets", shape=[121]), "121 arcs need"),
        (announced("coordinates", name="more"), "an array that does not belong there: 'more'"),
        (announced("coordinates", shape=[100]), "coordinates: 1 dimensions, not 2"),
        (announced("coordinates", name="node_ids"), "two arrays have the same name"),
        (without("targets"), "targets: missing"),
        (without("weights 1"), "weights of metric 'zero': missing"),
        (too_many_nodes, "2147483647 nodes are more than"),
        (doubled, "two arrays have the same name"),
        (backwards, "targets stand before the offsets"),
        (described(metrics=[]), "does not belong there: .weights 0"),
        (described(metrics=[{"name": "a", "unit": "", "scale": 1.0}] * 2), "the same name"),
        (described(metrics=[{"name": "a", "unit": "", "scale": None}]), "scale in its header is None, not a number"),
        (described(name=None), "name in its header is None"),
        (described(name="n" * 10_001), "name in its header has more than 10,000"),
        (described(notes="note"), "notes in its header is 'note', not a list"),
        (described(attribution=3), "attribution in its header is 3"),
        (described(content_key="no key"), "content_key in its header is 'no key', which it cannot be"),
        (described(content_key="0" * 32), "its arrays are not those that were saved"),
        (lambda table: table.clear(), "its header lacks network"),
        (lambda table: table.update(arrays="arrays"), "arrays in its header is 'arrays', not a list"),
    ],
)
def test_forged_headers_are_refused(tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    path = tmp_path / "forged.wayfront"
    save_network(some_network(), path)
    forge(path, change)
    with pytest.raises(FormatError, match=f"^{re.escape(str(path))}: the file is damaged .*{message}"):
        read_native(path)


@pytest.mark.parametrize(
    "header", [b"[" * 100_000, b'{"network": ' * 100_000, b"[]", b"\xff", b"{}" + b" " * (1 << 20)]
)
def test_headers_that_are_no_table_are_refused(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "forged.wayfront"
    path.write_bytes(mutations.with_header(b"WAYFRONT", 1, header, b""))
    with pytest.raises(FormatError, match=r"the file is damaged \(.*its header"):
        read_native(path)


def planes_of(path: Path) -> dict[str, bytearray]:
    """Return the byte planes of each array in a file."""
    _, _, header, packed = mutations.split(path.read_bytes())
    planes, begin, content = {}, 0, lzma.decompress(packed)
    for entry in json.loads(header)["arrays"]:
        end = begin + math.prod(entry["shape"]) * entry["width"]
        planes[entry["name"]] = bytearray(content[begin:end])
        begin = end
    return planes


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("offsets", "offsets: they must rise"),
        ("targets", "targets: a value of"),
        ("node_ids", "its arrays are not those that were saved"),
        ("weights 0", "weights of metric 'length': a value of -"),
        ("road_class", "road classes: a value of"),
    ],
)
def test_forged_values_are_refused(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / "forged.wayfront"
    save_network(some_network(), path)
    planes = planes_of(path)
    planes[name][-1] ^= 0x55
    planes[name][0] ^= 1
    forge(path, lambda table: None, lzma.compress(b"".join(planes.values())))
    with pytest.raises(FormatError, match=message):
        read_native(path)


def test_other_weights_are_not_those_that_were_saved(tmp_path: Path) -> None:
    """All checksums are right and every value is possible: only the content key tells."""
    path = tmp_path / "forged.wayfront"
    save_network(some_network(), path)
    planes = planes_of(path)
    planes["weights 0"][0] ^= 2
    forge(path, lambda table: None, lzma.compress(b"".join(planes.values())))
    with pytest.raises(FormatError, match="its arrays are not those that were saved"):
        read_native(path)


def test_ids_that_occur_twice_and_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "forged.wayfront"
    network = some_network()
    save_network(network, path)
    planes = planes_of(path)
    planes["node_ids"] = bytearray(len(planes["node_ids"]))
    forge(path, lambda table: None, lzma.compress(b"".join(planes.values())))
    with pytest.raises(FormatError, match="node ids: 0 is that of nodes at several places"):
        read_native(path)
    names = RoadNames(("é",), np.zeros(network.arc_count, np.int32))
    save_network(replace(network, road_names=names), path)
    planes = planes_of(path)
    planes["road_name_text"][0] ^= 0x80  # the first byte of two becomes a continuation
    forge(path, lambda table: None, lzma.compress(b"".join(planes.values())))
    with pytest.raises(FormatError, match=r"the file is damaged .'utf-8' codec"):
        read_native(path)


def test_what_follows_the_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "forged.wayfront"
    save_network(some_network(), path)
    whole = path.read_bytes()
    content = b"".join(planes_of(path).values())
    for packed in (lzma.compress(content + b"1"), lzma.compress(content) + b"1"):
        forge(path, lambda table: None, packed)
        with pytest.raises(FormatError, match="it holds more than it announces"):
            read_native(path)
    path.write_bytes(whole[:-8])  # all numbers are there, the end of the stream is not
    with pytest.raises(FormatError, match="it is cut off"):
        read_native(path)


def test_a_stream_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    """The dictionary of an xz stream is allocated before a byte is unpacked."""
    path = tmp_path / "forged.wayfront"
    save_network(some_network(), path)
    packed = bytearray(lzma.compress(b"".join(planes_of(path).values())))
    block = packed[12 : 12 + 4 * (packed[12] + 1)]
    block[block.index(b"\x21\x01") + 2] = 40  # 4 GiB
    block[-4:] = struct.pack("<I", zlib.crc32(block[:-4]))
    packed[12 : 12 + len(block)] = block
    forge(path, lambda table: None, bytes(packed))
    with pytest.raises(FormatError, match=r"the file is damaged .Memory usage limit exceeded"):
        read_native(path)


# ------------------------------------------------------------------------------------------------------ memory


def ring(count: int, metrics: int = 1) -> RoadNetwork:
    return RoadNetwork.from_arcs(
        name="ring",
        node_count=count,
        tails=np.arange(count),
        heads=(np.arange(count) + 1) % count,
        metrics=[Metric(f"weight {k}", "", 1.0, np.zeros(count, np.int32)) for k in range(metrics)],
    )


def peak_of_reading(path: Path) -> int:
    """Return the most bytes that reading a file takes in Python and NumPy, whether it is refused or not."""
    tracemalloc.start()
    try:
        with suppress(FormatError):
            read_native(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_reading_takes_little_more_than_the_network(tmp_path: Path) -> None:
    """Arrays of no bytes a number and of regular numbers were unpacked into several times their size."""
    path = tmp_path / "ring.wayfront"
    network = ring(400_000, metrics=6)
    save_network(network, path)
    read_native(path)
    assert path.stat().st_size < 20_000
    assert peak_of_reading(path) < network.nbytes + (16 << 20)


@pytest.mark.parametrize("change", [0x7F, 0x80, 0xFF])
def test_forged_offsets_are_refused_before_they_are_expanded(tmp_path: Path, change: int) -> None:
    """An offset of billions made as many tails of the arcs, before anything was checked."""
    path = tmp_path / "forged.wayfront"
    save_network(ring(1000), path)
    planes = planes_of(path)
    magic, version, header, _ = mutations.split(path.read_bytes())
    table = json.loads(header)
    count = entry_of(table, "offsets")["shape"][0]
    entry_of(table, "offsets")["width"] = 4
    planes["offsets"] = planes["offsets"].ljust(4 * count, b"\0")
    planes["offsets"][-1] = change
    packed = lzma.compress(b"".join(planes.values()))
    path.write_bytes(mutations.with_header(magic, version, json.dumps(table).encode(), packed))
    assert peak_of_reading(path) < 16 << 20  # most of it is for unpacking itself
    with pytest.raises(FormatError, match="offsets: they must rise"):
        read_native(path)


def test_a_bomb_is_refused_by_its_proportions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ring.wayfront"
    save_network(ring(9000), path)
    read_native(path)
    monkeypatch.setattr("wayfront.formats.native.codec._ALWAYS_BYTES", 1000)
    with pytest.raises(NetworkError, match="taken for a bomb"):
        save_network(ring(9000), tmp_path / "again.wayfront")
    assert list(tmp_path.iterdir()) == [path]
    assert peak_of_reading(path) < 1 << 20
    with pytest.raises(FormatError, match="it announces more than it can hold"):
        read_native(path)


def test_names_and_wide_numbers_count_as_what_they_become(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of empty names takes many times its text, and a number of eight bytes more than the byte it becomes."""
    path = tmp_path / "forged.wayfront"
    names = RoadNames(tuple("" for _ in range(300_000)), np.full(5, -1, np.int32))
    save_network(replace(ring(5), road_names=names), path)
    monkeypatch.setattr("wayfront.formats.native.codec._ALWAYS_BYTES", 1 << 20)
    with pytest.raises(FormatError, match="it announces more than it can hold"):
        read_native(path)
    monkeypatch.undo()
    save_network(replace(ring(300_000), road_class=np.zeros(300_000, np.uint8)), path)
    size = ring(300_000).nbytes + 300_000
    monkeypatch.setattr("wayfront.formats.native.codec._ALWAYS_BYTES", size)
    with pytest.raises(FormatError, match="not those that were saved"):  # the class was not in the key
        read_native(path)
    forge(path, lambda table: [entry.update(width=8) for entry in table["arrays"]])
    with pytest.raises(FormatError, match="it announces more than it can hold"):
        read_native(path)


def test_memory_is_asked_for_before_anything_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ring.wayfront"
    network = ring(200_000)
    save_network(network, path)
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: network.nbytes)
    assert peak_of_memory_error(path) < 1 << 20
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: network.nbytes + (200 << 20))
    read_native(path)


def peak_of_memory_error(path: Path) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(MemoryShortError, match=r"ring.wayfront"):
            read_native(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_that_ends_all_the_same_is_an_error_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.wayfront"
    save_network(some_network(), path)

    def ends(*_arguments: object, **_others: object) -> None:
        raise MemoryError

    monkeypatch.setattr("wayfront.formats.native.codec.put_together", ends)
    with pytest.raises(FormatError, match=r"some.wayfront: reading it takes more memory than there is"):
        read_native(path)


# ------------------------------------------------------------------------------------------------------ the rest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metrics": (Metric("weight", "", float("inf"), np.zeros(4, np.int32)),)}, "Infinity"),
        ({"metrics": (Metric("\ud800", "", 1.0, np.zeros(4, np.int32)),)}, "a character that does not exist"),
        ({"attribution": "©" * 10_001}, "attribution in its header has more than"),
        ({"notes": ("note" * 100,) * 9999}, "more than the 1,048,576"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(NetworkError, match=f"ring cannot be stored: .*{message}"):
        save_network(replace(ring(4), **changes), tmp_path / "ring.wayfront")
    assert not list(tmp_path.iterdir())


def test_a_file_name_of_any_bytes_stays_the_name(tmp_path: Path) -> None:
    """A network is called like its file, and file names may hold bytes that are no UTF-8."""
    save_network(replace(ring(4), name="\udcff"), tmp_path / "ring.wayfront")
    assert read_native(tmp_path / "ring.wayfront").name == "\udcff"


def test_a_pipe_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="this is a folder"):
        read_native(tmp_path)
    with pytest.raises(FormatError, match="there is no such file"):
        read_native(tmp_path / "absent.wayfront")


def test_mutations_are_refused_in_a_sentence_or_are_the_network(tmp_path: Path) -> None:
    path = tmp_path / "mutated.wayfront"
    network = replace(some_network(20, 40), road_names=RoadNames(("A", "é"), np.zeros(40, np.int32)))
    network = RoadNetwork.from_arrays(
        **{name: getattr(network, name) for name in ("name", "offsets", "targets", "metrics", "node_ids", "road_names")}
    )
    save_network(network, path)
    whole, refused = path.read_bytes(), 0
    for seed in range(400):
        path.write_bytes(mutations.mutate_native(whole, Random(seed)))
        try:
            assert read_native(path).content_key == network.content_key
        except FormatError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ")
    assert 300 < refused < 400
