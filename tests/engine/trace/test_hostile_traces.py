"""A trace comes from a stranger: whatever it holds, it is refused in a sentence or proved right, and costs little."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import random_arcs
from there import there
from trace_files import HEADER, array_bytes, change_header, header_bytes, header_of, members_of, pack, replace_members
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import MemoryShortError, TraceError
from wayfront.searching import registry
from wayfront.searching.result_file import load_trace, read_network_entry, save_trace
from wayfront.trace.file import MOST_KINDS, is_trace_file, read_header

END = struct.Struct("<4s4H2LH")


@pytest.fixture(scope="module")
def result() -> Result:
    return wayfront.search(random_arcs(120, 300, 30, 5), 3, "near-far", "cpu", runs=2, trace=True)


@pytest.fixture
def network(result: Result) -> RoadNetwork:
    return result.network


@pytest.fixture
def trace(result: Result, tmp_path: Path) -> Path:
    path = tmp_path / "run.wftrace"
    save_trace(result, path)
    return path


def refused(path: Path, network: RoadNetwork, message: str) -> None:
    """Check that a trace is refused in one sentence that names the file and says why."""
    with pytest.raises(TraceError, match=message) as caught:
        load_trace(path, network)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def spoilt(array: Any, at: int, value: int) -> bytes:
    copy = np.array(array)
    copy.flat[at] = value
    return array_bytes(copy)


# ------------------------------------------------------------------------------------------------------ the result


def test_a_result_is_proved_and_its_word_not_taken(trace: Path, result: Result, network: RoadNetwork) -> None:
    change_header(trace, lambda header: header.update(verified=False))
    assert load_trace(trace, network).verified is True
    change_header(trace, lambda header: header.update(verified=True))
    node = int(result.farthest)
    replace_members(trace, distances=spoilt(result.distances, node, int(result.distances[node]) - 1))
    refused(trace, network, "the result of near-far is wrong")


def test_a_cycle_of_parents_is_refused(trace: Path, result: Result, network: RoadNetwork) -> None:
    node = int(result.farthest)
    parents = np.array(result.parents)
    parents[parents[node]] = node
    replace_members(trace, parents=array_bytes(parents))
    refused(trace, network, "is wrong")


@pytest.mark.parametrize("parent", [10_000_000, 120, -2])
def test_a_parent_that_is_no_node_is_refused(trace: Path, result: Result, network: RoadNetwork, parent: int) -> None:
    replace_members(trace, parents=spoilt(result.parents, result.farthest, parent))
    refused(trace, network, "parents: a value of")


def test_the_trace_must_be_that_of_the_tree(trace: Path, result: Result, network: RoadNetwork) -> None:
    made = there(result.trace)
    whole = trace.read_bytes()
    unreached, other = int(np.flatnonzero(~result.reached)[0]), int(result.farthest)
    for changes in (
        {"first_reached": spoilt(made.first_reached, unreached, 0)},
        {"first_reached": spoilt(made.first_reached, other, -1)},
        {"last_improved": spoilt(made.last_improved, unreached, 0)},
        {"last_improved": spoilt(made.last_improved, other, -1)},
        {"last_improved": spoilt(made.last_improved, other, int(made.first_reached[other]) - 1)},
    ):
        trace.write_bytes(whole)
        replace_members(trace, **changes)
        refused(trace, network, "the steps that reached nodes")
    trace.write_bytes(whole)
    late = {name: spoilt(getattr(made, name), result.source, 1) for name in ("first_reached", "last_improved")}
    replace_members(trace, **late)
    refused(trace, network, "did not begin at the source")


@pytest.mark.parametrize("figure", ["steps", "relaxations"])
def test_the_header_must_count_what_the_trace_does(trace: Path, network: RoadNetwork, figure: str) -> None:
    change_header(trace, lambda header: header.update({figure: header[figure] + 1}))
    refused(trace, network, "not those of its header")


@pytest.mark.parametrize("name", ["relaxations", "improved", "time_ns"])
def test_figures_that_cannot_be_added_up_are_refused(
    trace: Path, result: Result, network: RoadNetwork, name: str
) -> None:
    replace_members(trace, **{name: spoilt(getattr(result.trace, name), 0, 2**63 - 1)})
    refused(trace, network, f"{name}: the sum is beyond 64 bits")


@pytest.mark.parametrize("column", [0, 2])
def test_a_trace_of_countless_modes_is_refused(trace: Path, network: RoadNetwork, column: int) -> None:
    """The window compares every two of them."""
    result = wayfront.search(network, 3, "dijkstra-heap", "cpu", runs=0, trace=True)
    assert result.trace is not None
    assert len(result.trace) > MOST_KINDS
    save_trace(result, trace)
    labels = np.zeros_like(result.trace.labels)
    labels[: MOST_KINDS + 1, column] = np.arange(MOST_KINDS + 1)
    change_header(trace, lambda header: header.update(words=[str(i) for i in range(MOST_KINDS + 1)]))
    replace_members(trace, labels=array_bytes(labels))
    refused(trace, network, "modes or phases")
    labels[MOST_KINDS, column] = 0
    replace_members(trace, labels=array_bytes(labels))
    load_trace(trace, network)


def test_labels_must_lead_from_the_source_to_the_result(trace: Path, result: Result, network: RoadNetwork) -> None:
    assert result.trace is not None
    labels = there(result.trace.tentative)
    whole, last = trace.read_bytes(), len(labels) - 1
    node = int(np.argmax(result.trace.first_reached))
    first = int(result.trace.first_reached[node])
    assert 0 < first < last
    final = int(labels[last, node])
    for row, value, why in (
        (slice(0, first + 1), final + 900, "do not lead from the source"),
        (last, final - 1, "do not lead from the source"),
        (last, final + 1, "a distance rises"),
        (last, -1, "a distance rises"),
        (first, final + 900, "do not come in the steps"),
        (1, -2, "a value of -2"),
    ):
        changed = labels.copy()
        changed[row, node] = value
        trace.write_bytes(whole)
        replace_members(trace, tentative=array_bytes(changed))
        refused(trace, network, why)
    for shape in (labels[:-1], labels[:, :-1], labels[None], labels.astype(np.int32), labels.reshape(-1)):
        trace.write_bytes(whole)
        replace_members(trace, tentative=array_bytes(shape))
        refused(trace, network, "tentative|not a wayfront trace")
    trace.write_bytes(whole)
    trace.write_bytes(pack({name: data for name, data in members_of(trace).items() if name != "tentative.npy"}))
    older = there(load_trace(trace, network).trace)
    assert older.tentative is None


def test_matrices_must_lead_to_the_figures(tmp_path: Path) -> None:
    network, path = random_arcs(12, 40, 30, 5), tmp_path / "pairs.wftrace"
    result = wayfront.all_pairs(network, "floyd-warshall", "cpu", runs=0, trace=True)
    save_trace(result, path)
    back = there(wayfront.load_pairs_trace(path, network).trace)
    matrices = np.array(there(result.trace).matrices)
    assert np.array_equal(np.array(back.matrices), matrices)
    matrices[-1, 1] -= 1
    replace_members(path, matrices=array_bytes(matrices))
    with pytest.raises(TraceError, match="the last is not that of its figures"):
        wayfront.load_pairs_trace(path, network)


# ------------------------------------------------------------------------------------------------------ the header

PATHS = [
    ("kind",), ("network",), ("source",), ("algorithm",), ("options",), ("device",), ("device_name",), ("steps",),
    ("relaxations",), ("timing",), ("stride",), ("words",), ("network", "name"), ("network", "content_key"),
    ("network", "nodes"), ("network", "arcs"), ("network", "metric"), ("timing", "runs_ms"), ("timing", "transfer_ms"),
    ("timing", "tree_ms"), ("timing", "traced_ms"), ("timing", "machine"),
]  # fmt: skip
NASTY: tuple[Any, ...] = (b"gone", True, [[]], {"a": []}, "\ud800", 10**30, -1.5, -(2**63))


@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_every_entry_of_the_header_is_checked(trace: Path, network: RoadNetwork, path: tuple[str, ...]) -> None:
    whole = trace.read_bytes()
    for value in NASTY:

        def change(header: dict[str, Any], value: Any = value) -> None:
            for name in path[:-1]:
                header = header[name]
            if value == b"gone":
                del header[path[-1]]
            else:
                header[path[-1]] = value

        trace.write_bytes(whole)
        if path == ("network", "name") and value == "\ud800":
            continue  # a file's name may hold bytes that are no text
        change_header(trace, change)
        refused(trace, network, ": ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "all pairs"}, "finds 'all pairs', wayfront.load_pairs_trace reads it"),
        ({"kind": "many trees"}, "finds 'many trees', which this version cannot show"),
        ({"algorithm": "quantum"}, "there is no algorithm 'quantum'"),
        ({"source": 10**9}, "no node 1000000000"),
        ({"options": {"delta": "fast"}}, "auto"),
        ({"options": {"delta": 0}}, "auto"),
        ({"options": {"delta": None}}, "options.'delta' in its header"),
        ({"format": "wayfront trace 3"}, "written by another version"),
        ({"format": 2}, "written by another version"),
        ({"stride": 2}, "the sizes of its frontiers"),
        ({"stride": 0}, "stride in its header is 0, out of bounds"),
        ({"words": []}, "labels: a value of"),
        ({"source": -5}, "source in its header is -5, out of bounds|no node -5"),
        ({"words": ["one"]}, "labels: a value of"),
    ],
    ids=str,
)
def test_entries_that_mean_nothing_are_refused(
    trace: Path, network: RoadNetwork, change: dict[str, Any], message: str
) -> None:
    change_header(trace, lambda header: header.update(change))
    if message == "auto":  # in older files numbers out of bounds stood for it
        assert load_trace(trace, network).options == {"delta": "auto"}
    else:
        refused(trace, network, message)


def test_an_algorithm_that_finds_something_else_is_refused(
    trace: Path, network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(registry.find_algorithm("near-far"), kind=SearchKind.ALL_PAIRS)
    monkeypatch.setattr(registry, "_algorithms", {**registry._algorithms, "near-far": other})
    refused(trace, network, "near-far finds all pairs, not one tree")


def test_texts_are_shown_and_not_obeyed(trace: Path, network: RoadNetwork) -> None:
    def change(header: dict[str, Any]) -> None:
        header.update(note="\x1b[2J", device="\u202ecpu", device_name="a\nb")
        header["words"][0] = "\x07"

    change_header(trace, change)
    back = load_trace(trace, network)
    assert (back.note, back.device, back.device_name) == ("\\x1b[2J", "\\u202ecpu", "a\\nb")
    assert there(back.trace).label_names[0] == "\\x07"


def test_a_value_out_of_bounds_of_an_option_is_refused(trace: Path, network: RoadNetwork) -> None:
    result = wayfront.search(network, 3, "delta-stepping", "cpu", runs=0, trace=True)
    save_trace(result, trace)
    change_header(trace, lambda header: header["options"].update(rule="the worst"))
    refused(trace, network, "rule is one of")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[1, 2]",
        b"\xff\xfe",
        b'{"format": "wayfront trace 2"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"format": "wayfront trace 2", "format": "wayfront trace 2"}',
        b'{"format": "wayfront trace 2", "stride": NaN}',
        b'{"format": "wayfront trace 2", "stride": ' + b"9" * 5000 + b"}",
    ],
    ids=("empty", "list", "no text", "cut off", "deep list", "deep table", "twice", "NaN", "long number"),
)
def test_a_header_that_is_no_table_is_refused(trace: Path, network: RoadNetwork, text: bytes) -> None:
    replace_members(trace, header=header_bytes(text))
    refused(trace, network, "another version" if text == b"[1, 2]" else "damaged: ")
    with pytest.raises(TraceError):
        read_header(trace)
    with pytest.raises(TraceError):
        read_network_entry(trace)


def test_a_header_of_another_type_or_size_is_refused(
    trace: Path, network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.trace.file.LONGEST_HEADER", 5000)
    load_trace(trace, network)
    for member in (
        array_bytes(np.zeros(3, np.int32)),
        array_bytes(np.zeros((3, 3), np.uint8)),
        header_bytes(b" " * 5001),
    ):
        replace_members(trace, header=member)
        refused(trace, network, "its header is no text, or too long")


# ----------------------------------------------------------------------------------------------------- the archive


class Mischief:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("name", ["settled", "header"])
def test_pickled_objects_are_not_unpickled(trace: Path, network: RoadNetwork, name: str) -> None:
    mark = trace.parent / "unpickled"
    pickled = array_bytes(np.array([Mischief(mark)], object), pickled=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        np.load(io.BytesIO(pickled), allow_pickle=False)
    replace_members(trace, **{name: pickled})
    refused(trace, network, f"{name} is no array")
    assert not mark.exists()


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i4', 'fortran_order': True, 'shape': (5,), }\n",
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (-5,), }\n",
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (True,), }\n",
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (5, 5, 5), }\n",
        b"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (5,), }\n",
        b"{'descr': '|V1000000000', 'fortran_order': False, 'shape': (5,), }\n",
        b"(" * 2000 + b"\n",
        b"",
    ],
)
def test_arrays_announce_themselves_as_traces_do(trace: Path, network: RoadNetwork, header: bytes) -> None:
    for start in (b"\x93NUMPY\1\0", b"\x93NUMPY\2\0", b"\x93NUMPX\1\0"):
        member = start + struct.pack("<H", len(header)) + header + bytes(20)
        replace_members(trace, settled=member)
        refused(trace, network, "settled is no array")
    replace_members(trace, settled=b"\x93NUM")
    refused(trace, network, "settled is no array")


@pytest.mark.parametrize("shape", [(4,), (6,), (10**12,), (999_999_999_999_999,)])
def test_an_array_has_as_many_bytes_as_it_announces(trace: Path, network: RoadNetwork, shape: tuple[int]) -> None:
    header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }\n" % shape
    replace_members(trace, settled=b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(20))
    refused(trace, network, "and its header announces")


@pytest.mark.parametrize("name", ["improved.npy", "parents.npy", HEADER])
def test_a_missing_member_is_refused(trace: Path, network: RoadNetwork, name: str) -> None:
    members = members_of(trace)
    del members[name]
    trace.write_bytes(pack(members))
    refused(trace, network, "missing")
    assert is_trace_file(trace) == (name != HEADER)


@pytest.mark.parametrize("name", ["../more.npy", "settled", "settled.npy/", "SETTLED.npy", "parents.npy "])
def test_a_surplus_member_is_refused(trace: Path, network: RoadNetwork, name: str) -> None:
    members = members_of(trace)
    trace.write_bytes(pack(members | {name: members["settled.npy"]}))
    refused(trace, network, "does not belong there")


def with_entry_twice(content: bytes) -> bytes:
    """Return an archive whose directory has its first entry twice."""
    begin = content.index(b"PK\1\2")
    entry, end = content[begin : content.index(b"PK\1\2", begin + 1)], content.index(b"PK\5\6")
    sign, disk, other, here, entries, size, offset, comment = END.unpack(content[end:])
    record = END.pack(sign, disk, other, here + 1, entries + 1, size + len(entry), offset, comment)
    return content[:end] + entry + record


def with_field(content: bytes, name: bytes, at: int, value: bytes) -> bytes:
    """Return an archive with other bytes in the entry of a member in the directory."""
    entry = content.index(name, content.index(b"PK\1\2")) - 46
    return content[: entry + at] + value + content[entry + at + len(value) :]


def test_archives_that_no_writer_of_traces_makes_are_refused(trace: Path, network: RoadNetwork) -> None:
    whole = pack(members_of(trace))
    directory = whole.index(b"PK\1\2")
    for content, message in (
        (with_entry_twice(whole), "or twice"),
        (with_field(whole, b"settled.npy", 8, b"\1\0"), "it is encrypted"),
        (with_field(whole, b"settled.npy", 10, b"\x09\0"), "packed in a way"),
        (with_field(whole, b"settled.npy", 24, b"\xff\xff\xff\x7f"), "announces more than it can hold"),
        (with_field(whole, b"settled.npy", 20, b"\xff\xff\xff\x0f"), "over each other"),
        (with_field(whole, b"settled.npy", 42, bytes(4)), "over each other"),
        (with_field(whole, b"last_improved.npy", 20, b"\xff\xff\xff\x0f"), "over each other"),
        (with_field(whole, b"settled.npy", 16, b"\1\2\3\4"), "Bad CRC"),
        (whole[:-2] + b"\1\0!", "no whole archive"),
        (whole[:directory], "no whole archive"),
        (whole[:-22] + END.pack(b"PK\5\6", 0, 0, 65, 65, 4000, directory, 0), "directory is none of a trace"),
        (whole[:-22] + END.pack(b"PK\5\6", 0, 0, 17, 17, 2**31, directory, 0), "directory is none of a trace"),
        (whole[:-22] + END.pack(b"PK\5\6", 0, 0, 17, 17, 1000, directory, 5), "directory is none of a trace"),
        (whole[:-22] + END.pack(b"PK\5\6", 0, 0, 17, 17, 1000, 2**31, 0), "directory is none of a trace"),
        (b"PK\3\4", "no whole archive"),
        (b"", "no whole archive"),
    ):
        trace.write_bytes(content)
        refused(trace, network, message)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(trace: Path, network: RoadNetwork, method: int) -> None:
    members = members_of(trace)
    with zipfile.ZipFile(trace, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    refused(trace, network, "packed in a way that traces are not")


def test_members_that_are_not_packed_are_read(trace: Path, result: Result) -> None:
    members = members_of(trace)
    with zipfile.ZipFile(trace, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    assert load_trace(trace, result.network).distances.tolist() == result.distances.tolist()


def beyond_2_gib(content: bytes, entries: int) -> bytes:
    """Return an archive with the end that those beyond 2 GiB have."""
    end = len(content) - END.size
    *_, size, offset, _ = END.unpack(content[end:])
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    return content[:end] + record + locator + END.pack(b"PK\5\6", 0, 0, 17, 17, size, 2**32 - 1, 0)


def test_the_end_of_large_archives_is_read_and_checked(trace: Path, result: Result, network: RoadNetwork) -> None:
    whole = pack(members_of(trace))
    trace.write_bytes(beyond_2_gib(whole, 17))
    assert load_trace(trace, network).distances.tolist() == result.distances.tolist()
    trace.write_bytes(beyond_2_gib(whole, 10_000_000))
    refused(trace, network, "directory is none of a trace")
    trace.write_bytes(beyond_2_gib(whole, 17).replace(b"PK\6\6", b"PK\6\5"))
    refused(trace, network, "no whole archive")


# -------------------------------------------------------------------------------------------------- memory and files


def peak_of(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bomb_is_refused_before_it_is_unpacked(trace: Path, network: RoadNetwork) -> None:
    members = members_of(trace)
    members["settled.npy"] = array_bytes(np.zeros(2_500_000, np.int32))
    trace.write_bytes(pack(members))
    assert trace.stat().st_size < 50_000
    peak = peak_of(lambda: refused(trace, network, "settled: shape"))
    assert peak < 3_000_000, "the 10 MB were not unpacked"


def test_what_fits_no_memory_is_not_unpacked(
    trace: Path, network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = len(json.dumps(header_of(members_of(trace))))
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 30 * text)
    with pytest.raises(MemoryShortError, match=r"run\.wftrace"):
        read_header(trace)
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 45 * text)
    read_header(trace)
    monkeypatch.setattr("wayfront.trace.container.announced_bytes", lambda _: 46 * text)
    monkeypatch.setattr("wayfront.trace.container.check_values", lambda *_: pytest.fail("arrays were unpacked"))
    with pytest.raises(MemoryShortError, match=r"run\.wftrace"):
        load_trace(trace, network)


def test_a_lack_of_memory_is_told_in_a_sentence(
    trace: Path, network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("wayfront.trace.container.np.empty", short)
    refused(trace, network, "not enough memory")


def test_what_is_no_file_is_no_trace(tmp_path: Path, network: RoadNetwork) -> None:
    pipe = tmp_path / "pipe.wftrace"
    names = [str(tmp_path), str(tmp_path / "none.wftrace"), "a\0b", "/dev/zero"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        names.append(str(pipe))
    for name in names:
        assert not is_trace_file(name)
        with pytest.raises(TraceError):
            load_trace(name, network)


def test_other_archives_are_no_traces(trace: Path, tmp_path: Path) -> None:
    assert is_trace_file(trace)
    members = members_of(trace)
    for dropped in (HEADER, "last_improved.npy"):
        other = tmp_path / "other.zip"
        other.write_bytes(pack({name: data for name, data in members.items() if name != dropped}))
        assert not is_trace_file(other)
    for content in (b"", b"PK", b"PK\3\4" + bytes(100), b"PK\5\6" + bytes(18), bytes(1000)):
        other.write_bytes(content)
        assert not is_trace_file(other)
