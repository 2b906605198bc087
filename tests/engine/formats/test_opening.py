"""Opening by content: what every kind of file is taken for, whatever its name."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import wayfront.formats
from wayfront.formats.options import OpeningOptions, OsmOptions
from wayfront.formats.registry import describe_formats, first_tag, formats, own_formats, save, writable
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import estimate_memory, open_network
from wayfront.safe.errors import FormatError, OptionError


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
    """Traces are what ``wayfront.searching.result_file`` writes: NumPy archives whose first member is a header."""
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


# ----------------------------------------------------------------------------------------------------
# Recognising a file takes no longer than reading its beginning, whatever stands there.


LONG = 120
"""Seconds that opening a file of some hundred bytes may take at most; the pattern that backtracked never ended."""


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (b"<osm version='0.6'>", b"osm"),
        (b"\n <?xml version='1.0'?>\n<!-- a > b -->\n<osm>", b"osm"),
        (b"<?xml version='1.0'?><!DOCTYPE graphml><graphml xmlns='x'>", b"graphml"),
        (b"<!DOCTYPE graphml [<!ENTITY a 'b'>]> <graphml>", b"graphml"),
        (b"<?xml version='1.0'?><?xml-stylesheet href='a'?><osmChange>", b"osmChange"),
        (b"<!-- <osm> -->", b""),
        (b"<!-- never ends <osm>", b""),
        (b"<?xml <osm>", b""),
        (b"<!DOCTYPE a [<osm>", b""),
        (b"<osmium", b""),
        (b"text <osm>", b""),
        (b"", b""),
    ],
)
def test_the_first_tag_is_found_behind_what_may_stand_before_it(text: bytes, tag: bytes) -> None:
    assert first_tag(text) == tag


@pytest.mark.parametrize(
    "content",
    [
        b"<?xml version='1.0'?>" + b"<!---->" * 40,
        b"<?xml version='1.0'?>" + b"<!--a--> " * 400,
        b"<!" + b"> <!" * 400,
        b"<!-- -->" * 30 + b"<gpx>",
    ],
)
def test_a_text_of_comments_is_refused_at_once(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "comments.osm"
    path.write_bytes(content)
    program = "import sys, wayfront; wayfront.open_network(sys.argv[1], cache=False)"
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert "it is XML of some kind" in done.stderr


# ----------------------------------------------------------------------------------------------------
# Formats are found by themselves: one new file is a format everywhere.


TOY = """
from pathlib import Path
from typing import Any

from wayfront.safe.errors import FormatError
from wayfront.safe.files import write_text_whole
from wayfront.formats.registry import Format, Reading


def _read(path):
    import numpy as np

    from wayfront.network.road_network import Metric, RoadNetwork

    try:
        rows = [[int(number) for number in line.split()] for line in path.read_text().splitlines()[1:]]
        tails, heads, weights = np.array(rows).T
    except ValueError:
        raise FormatError("a line does not hold three numbers", path) from None
    metrics = [Metric("weight", "", 1.0, weights)]
    count = int(max(tails.max(), heads.max())) + 1
    return RoadNetwork.from_arcs(name=path.stem, node_count=count, tails=tails, heads=heads, metrics=metrics)


def _save(network, path, opening):
    opening.enter("writing arcs", 1.0)
    rows = zip(network.tails(), network.targets, network.metrics[0].weights)
    write_text_whole(path, "toy\\n" + "".join(f"{tail} {head} {weight}\\n" for tail, head, weight in rows))
    return [path]


FORMAT = Format(
    label="Toy list",
    suffixes=(".toy",),
    recognise=lambda head: head.startswith(b"toy\\n"),
    prepare=lambda path, options, opening: Reading([path], "toy", lambda: _read(path)),
    save=_save,
    estimate_memory=lambda path, opening: 7,
)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add one file to the folder of formats."""
    folder = tmp_path / "more formats"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY)
    monkeypatch.setattr(wayfront.formats, "__path__", [*wayfront.formats.__path__, str(folder)])
    own_formats.cache_clear()
    yield
    own_formats.cache_clear()
    sys.modules.pop("wayfront.formats.toy", None)


@pytest.mark.usefixtures("toy")
def test_a_format_in_one_new_file_opens_saves_and_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "three.txt"
    path.write_text("toy\n0 1 4\n1 2 5\n")
    network = open_network(path)
    assert (network.node_count, network.metrics[0].weights.tolist()) == (3, [4, 5])
    (written,) = save(network, tmp_path / "copy.toy")
    assert open_network(written).content_key == network.content_key
    assert estimate_memory(path) == 7
    assert "Toy list (.toy)" in describe_formats(writable())
    path.write_text("toy\nx\n")
    with pytest.raises(FormatError, match=r"three\.txt: a line does not hold three numbers"):
        open_network(path)
    with pytest.raises(FormatError, match=r"Toy list \(\.toy\)"):
        open_network(__file__)
    with pytest.raises(OptionError, match=r"simplify has no effect on this kind of network \(Toy list\)"):
        open_network(written, osm=OsmOptions(simplify=True))


def test_suffixes_belong_to_one_format() -> None:
    suffixes = [suffix for declared in formats() for suffix in declared.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert {".gr", ".osm", ".pbf", ".json", ".graphml", ".wayfront"} <= set(suffixes)


# ------------------------------------------------------------------------------------- options that have no effect


@pytest.mark.parametrize(
    ("name", "chosen", "problem"),
    [
        ("tiny-d.gr", {"osm": OsmOptions(simplify=True)}, r"tiny-d\.gr: simplify has no effect .*\(DIMACS\)"),
        (
            "tiny.wayfront",
            {"osm": OsmOptions("walk", largest_component=True)},
            r"network_type and largest_component have no effect .*\(wayfront network\)",
        ),
        ("tiny.osm", {"coordinates": "x.co"}, r"coordinates has no effect .*\(OpenStreetMap extract\)"),
        ("tiny.wayfront", {"second_metric": "x.gr"}, "second_metric has no effect"),
    ],
)
def test_options_without_effect_are_refused(data: Path, name: str, chosen: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        open_network(data / name, **chosen)


def test_made_networks_take_no_options_of_files() -> None:
    with pytest.raises(OptionError, match=r"simplify has no effect .*\(synthetic\)"):
        open_network("synthetic:grid?columns=3&rows=3", osm=OsmOptions(simplify=True))


def test_defaults_and_remembered_options_are_silent(data: Path) -> None:
    remembered = OpeningOptions(osm=OsmOptions("walk", simplify=True), remembered_osm=True)
    for options in (None, OpeningOptions(osm=OsmOptions()), remembered):
        assert open_network(data / "tiny-d.gr", options, cache=False).node_count == 6
    assert open_network(data / "tiny.osm", remembered, cache=False).reading == "walk, simplified, all parts"


def test_keywords_are_the_fields_of_the_options(data: Path) -> None:
    with pytest.raises(OptionError, match="no option 'simplfy'"):
        open_network(data / "tiny.osm", simplfy=True)
