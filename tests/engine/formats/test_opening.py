"""Opening by content: what every kind of file is taken for, whatever its name."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import shutil
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from wayfront.errors import FormatError
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network


def refusal(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        open_network(path, cache=False)
    assert caught.value.path == path
    return caught.value.problem


def test_a_network_opens_under_any_name(data: Path, tmp_path: Path) -> None:
    for name in ("tiny-d.gr", "tiny.wayfront"):
        copy = tmp_path / f"{name}.pdf"
        shutil.copy(data / name, copy)
        assert open_network(str(copy), cache=False).node_count == 6


def test_both_files_of_the_tiny_network_hold_the_same(data: Path) -> None:
    read = open_network(data / "tiny-d.gr", cache=False)
    assert open_network(data / "tiny.wayfront", cache=False).content_key == read.content_key


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"<!DOCTYPE html><title>404</title>", "web page"),
        (b"\n <html>", "web page"),
        (b"<?xml version='1.0'?>\n<osm version='0.6'>", "OpenStreetMap data are damaged (XML parsing error"),
        (b"<osmChange version='0.6'>", "a change to a map"),
        (b"<?xml version='1.0'?><graphml>", "the XML is damaged"),
        (b"<?xml version='1.0'?><gpx>", "XML of some kind"),
        (b"\0\0\0\x0d\x0a\x09OSMHeader\x18\x7c", "it is cut off"),
        (json.dumps({"version": 0.6, "elements": []}).encode(), "no roads"),
        (b"[1, 2]", "JSON"),
        (b"%%MatrixMarket matrix coordinate", "Matrix Market"),
        (b"% comment\n4 5\n2 3\n", "METIS"),
        (b"264346 733846\n", "METIS"),
        (b"PK\x03\x04\x14\0\0\0", "zip"),
        (b"7z\xbc\xaf\x27\x1c\0", "7z"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd"),
        ((1).to_bytes(8, "little") + (4).to_bytes(8, "little"), "Galois"),
        (bytes(range(256)), "binary data"),
        ("p sp 3 2\n".encode("utf-16"), "binary data"),
        (b"city,lat,lon\n", "begins with 'city,lat,lon'"),
        (b"road network\n", "begins with 'road'"),
    ],
)
def test_what_is_no_network_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "thing.gr"
    path.write_bytes(content)
    assert message in refusal(path)


def test_a_recorded_trace_is_named(tmp_path: Path) -> None:
    """Traces are what ``wayfront.search.result_file`` writes: NumPy archives whose first member is a header."""
    path = tmp_path / "run.wftrace"
    with path.open("wb") as file:
        np.savez_compressed(file, header=np.zeros(3, np.uint8), distances=np.zeros(3))
    assert "recorded trace" in refusal(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "absent.gr")
    assert "folder" in refusal(tmp_path)


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")])
def test_damaged_compression_is_named(tmp_path: Path, pack: Callable[[bytes], bytes], name: str) -> None:
    arcs = "".join(f"a 1 2 {(7919 * i) % 100003}\n" for i in range(3000))
    content = pack(b"p sp 2 3000\n" + arcs.encode())
    path = tmp_path / "some.gr"
    path.write_bytes(content[: len(content) // 2])
    assert f"{name} data is cut off" in refusal(path)
    path.write_bytes(content[:200] + bytes(100) + content[300:])
    assert f"{name} data is damaged" in refusal(path)
    path.write_bytes(content[:9])
    assert f"{name} data is cut off" in refusal(path)


def test_xz_that_asks_for_gigabytes_to_unpack_is_refused(tmp_path: Path) -> None:
    content = bytearray(lzma.compress(b"p sp 1 0\n"))
    header = content[12 : 12 + 4 * (content[12] + 1)]  # size, flags, filter LZMA2 with one byte: the dictionary
    assert header[2:4] == b"\x21\x01"
    header[4] = 40  # 4 GiB
    content[12 : 12 + len(header)] = header[:-4] + zlib.crc32(header[:-4]).to_bytes(4, "little")
    path = tmp_path / "some.gr.xz"
    path.write_bytes(content)
    assert "takes too much memory" in refusal(path)


def test_synthetic_names_go_to_the_generators(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    made = open_network(data / "tiny.wayfront", cache=False)
    asked: list[str] = []

    def from_name(name: str, *, force: bool) -> RoadNetwork:
        assert not force
        asked.append(name)
        return made

    monkeypatch.setitem(sys.modules, "wayfront.synthetic", SimpleNamespace(from_name=from_name))
    fractions: list[float] = []
    assert open_network("synthetic:ring?nodes=9", progress=lambda _, f: fractions.append(f)) is made
    assert asked == ["synthetic:ring?nodes=9"]
    assert fractions[-1] == 1.0
