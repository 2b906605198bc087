"""The cache: the same network, faster; and nothing that is wrong with it stops an opening."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from soak import mutations
from there import there
from wayfront import opening
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import arrays_of, check_network
from wayfront.opening import open_network
from wayfront.safe.errors import FormatError
from wayfront.safe.schema import LONGEST_HEADER
from wayfront.sources import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "cache"
    monkeypatch.setenv("WAYFRONT_CACHE", str(home))
    monkeypatch.setattr(cache, "_refused", set())
    return home


@pytest.fixture
def network(data: Path) -> RoadNetwork:
    return open_network(data / "tiny.wayfront", cache=False)


def files(folder: Path) -> list[Path]:
    """Return all files below the folder: notes of what is being written, too."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.network"))


def is_cached(network: RoadNetwork) -> bool:
    """Tell whether the arrays are views of one file."""
    return _root(network.targets) is _root(network.node_ids)


def _root(array: np.ndarray) -> object:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def test_second_opening_takes_the_same_network_from_the_cache(data: Path, folder: Path) -> None:
    first = open_network(data / "tiny-d.gr")
    assert len(stored(folder)) == 1
    assert not is_cached(first)
    second = open_network(data / "tiny-d.gr")
    assert is_cached(second)
    assert (second.name, second.origin, second.content_key) == (first.name, first.origin, first.content_key)
    assert [(m.name, m.unit, m.scale) for m in second.metrics] == [(m.name, m.unit, m.scale) for m in first.metrics]
    weights = [(m.weights, k.weights) for m, k in zip(first.metrics, second.metrics, strict=True)]
    arrays, others = arrays_of(first), arrays_of(second)
    assert arrays.keys() == others.keys() and "coordinates" in arrays
    for array, other in [*weights, *((arrays[name], others[name]) for name in arrays)]:
        assert np.array_equal(array, other)
        assert not other.flags.writeable


def test_without_cache_nothing_is_stored(data: Path, folder: Path) -> None:
    open_network(data / "tiny-d.gr", cache=False)
    assert not folder.exists()


def test_origin_is_where_it_was_opened_last(data: Path, tmp_path: Path, folder: Path) -> None:
    open_network(data / "tiny.wayfront")
    moved = tmp_path / "moved.wayfront"
    shutil.copy(data / "tiny.wayfront", moved)
    assert open_network(moved).origin == str(moved)
    assert len(stored(folder)) == 1


def test_any_changed_input_is_read_anew(data: Path, tmp_path: Path, folder: Path) -> None:
    for name in ("tiny-d.gr", "tiny-t.gr", "tiny-d.co"):
        shutil.copy(data / name, tmp_path / name)
    keys = {open_network(tmp_path / "tiny-d.gr").content_key}
    for name, old, new in (
        ("tiny-d.gr", "a 6 1 40", "a 6 1 41"),
        ("tiny-t.gr", "a 6 1 100", "a 6 1 101"),
        ("tiny-d.co", "v 6 -74010000", "v 6 -74010001"),
    ):
        path = tmp_path / name
        path.write_text(path.read_text().replace(old, new))
        keys.add(open_network(tmp_path / "tiny-d.gr").content_key)
    (tmp_path / "tiny-t.gr").unlink()
    keys.add(open_network(tmp_path / "tiny-d.gr").content_key)
    (tmp_path / "tiny-d.co").unlink()
    keys.add(open_network(tmp_path / "tiny-d.gr").content_key)
    assert len(keys) == len(stored(folder)) == 6


def test_same_bytes_in_another_role_are_another_network(data: Path, tmp_path: Path) -> None:
    shutil.copy(data / "tiny-d.gr", tmp_path / "plain.gr")
    shutil.copy(data / "tiny-d.gr", tmp_path / "plain-d.gr")
    assert open_network(tmp_path / "plain.gr").metrics[0].name == "weight"
    assert open_network(tmp_path / "plain-d.gr").metrics[0].name == "length"


def test_a_newer_reader_reads_anew(data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_network(data / "tiny-d.gr")
    monkeypatch.setattr(opening, "READER_VERSION", opening.READER_VERSION + 1)
    assert not is_cached(open_network(data / "tiny-d.gr"))
    assert len(stored(folder)) == 2


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _change_one(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [_shorten, _empty, lambda path: _change_one(path, path.stat().st_size // 2)])
def test_damaged_files_are_rebuilt_silently(data: Path, folder: Path, damage: Callable[[Path], None]) -> None:
    first = open_network(data / "tiny-d.gr")
    damage(stored(folder)[0])
    assert cache.find(first.content_key) is None
    again = open_network(data / "tiny-d.gr")
    assert again.content_key == first.content_key
    assert not is_cached(again)
    assert is_cached(open_network(data / "tiny-d.gr"))


def test_every_changed_byte_is_noticed_or_harmless(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    path = stored(folder)[0]
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        found = cache.load("ab")
        assert found is None or np.array_equal(found.targets, network.targets)


def test_a_trace_finds_its_network(network: RoadNetwork) -> None:
    cache.store("ab", network)
    found = there(cache.find(network.content_key))
    assert found.content_key == network.content_key
    assert cache.find("0" * 32) is None
    assert cache.find("*") is None


def test_size_and_clear(network: RoadNetwork, folder: Path) -> None:
    assert cache.size() == 0
    cache.store("ab", network)
    (folder / "mine.txt").write_text("not ours to delete")
    assert cache.size() == stored(folder)[0].stat().st_size > network.nbytes
    cache.clear()
    assert cache.size() == 0
    assert [path.name for path in files(folder)] == ["mine.txt"]


def test_the_network_not_opened_for_longest_goes_first(
    network: RoadNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for age, key in enumerate(("aa", "bb", "cc")):
        cache.store(key, network)
        old = time.time() - 1000 + age
        os.utime(next(folder.glob(f"{key}-*")), (old, old))
    assert cache.load("aa") is not None  # now the youngest
    monkeypatch.setattr(cache, "LIMIT_BYTES", int(2.5 * cache.size() / 3))
    cache.store("cc", network)
    assert [path.name[:2] for path in stored(folder)] == ["aa", "cc"]


def test_what_a_killed_program_left_is_removed_in_time(network: RoadNetwork, folder: Path) -> None:
    folder.mkdir()
    for name, age in (("old.partial", 2 * 86400), ("young.partial", 60)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    cache.store("ab", network)
    assert [path.name for path in folder.glob("*.partial")] == ["young.partial"]


def test_a_folder_that_cannot_be_used_stops_nothing(data: Path, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    assert open_network(data / "tiny-d.gr").node_count == 6
    assert cache.size() == 0
    assert cache.find("00") is None
    assert cache.subfolder("answers") is None
    cache.clear()


def test_a_full_disk_stops_nothing_and_leaves_nothing(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wayfront.sources.cache.os.fsync", full)
    assert open_network(data / "tiny-d.gr").node_count == 6
    assert files(folder) == []


def test_a_file_that_cannot_be_replaced_is_kept(
    network: RoadNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows does not replace a file that some program has mapped."""
    cache.store("ab", network)

    def denied(_self: Path, _target: Path) -> Path:
        raise PermissionError(13, "in use")

    monkeypatch.setattr(Path, "replace", denied)
    cache.store("ab", network)
    assert cache.load("ab") is not None
    assert len(files(folder)) == 1


def test_a_folder_inside_folders_that_are_not_there_is_made(
    network: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "a" / "b"))
    for _ in range(2):
        assert cache.subfolder("answers") == tmp_path / "a" / "b" / "answers"
    cache.store("ab", network)
    assert cache.load("ab") is not None


def test_a_whole_file_is_found_beside_a_damaged_one(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    (folder / f"ab-{'0' * 32}.network").write_bytes(b"damaged, and first by its name")
    found = there(cache.load("ab"))
    assert found.content_key == network.content_key


def test_files_that_cannot_be_deleted_or_touched_stop_nothing(
    network: RoadNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "in use")

    cache.store("ab", network)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", denied)
        patch.setattr(cache, "LIMIT_BYTES", 0)
        cache.clear()
        cache._drop_oldest()
    monkeypatch.setattr(os, "utime", denied)
    assert cache.load("ab") is not None


def test_a_file_that_comes_in_pieces_is_put_together(network: RoadNetwork, folder: Path) -> None:
    """As a network drive may deliver it."""

    class Slow(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            return super().readinto(buffer[:1000])

    content = np.arange(5000, dtype=np.uint8)
    assert cache.read_content(Slow(content.tobytes()), 5000, folder).tolist() == content.tolist()


def test_inputs_are_named_by_any_role_and_missing_ones_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    roles = ["", "\udcff", "\udcfe"]
    assert len({cache.input_key([tmp_path / "a"], role) for role in roles}) == 3
    with pytest.raises(FormatError, match=f"^{re.escape(str(tmp_path / 'b'))}: .*file"):
        cache.input_key([tmp_path / "b"], "")


@pytest.mark.parametrize("count", [0, 3, 8, 9, 17, 5000])
def test_a_checksum_covers_every_byte(count: int) -> None:
    array = np.arange(count, dtype=np.uint8)
    whole = cache.checksum(array)
    for at in range(count):
        array[at] ^= 0x40
        assert cache.checksum(array) != whole
        array[at] ^= 0x40


def test_a_network_outlives_its_file(network: RoadNetwork, folder: Path) -> None:
    """A file that is cut off while it is mapped ends the process with a bus error."""
    cache.store("ab", network)
    cached = there(cache.load("ab"))
    os.truncate(stored(folder)[0], 0)
    assert np.array_equal(cached.targets, network.targets)
    cache.store("ab", network)
    cache.clear()
    assert np.array_equal(cached.targets, network.targets)


def test_programs_at_the_same_time_see_whole_files_only(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)

    def work(turn: int) -> bool:
        if turn % 2:
            cache.store("ab", network)
        return cache.load("ab") is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(120)))
    assert len(files(folder)) == 1


def test_the_system_has_a_place_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYFRONT_CACHE")
    assert "wayfront" in cache.folder().parts[-1] or sys.platform == "win32"


# ------------------------------------------------------------------------------------------ whose the folder is

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are those of POSIX")


@posix
def test_folder_and_files_are_made_for_their_owner_alone(network: RoadNetwork, folder: Path) -> None:
    before = os.umask(0)
    try:
        cache.store("ab", network)
        assert cache.subfolder("answers") == folder / "answers"
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "answers").stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(stored(folder)[0].stat().st_mode) == 0o600


def assert_unused(folder: Path, network: RoadNetwork, caplog: pytest.LogCaptureFixture) -> None:
    """Check that nothing in the folder is read, written or deleted, and that the log says so once, in a sentence."""
    before = [(path.name, path.read_bytes()) for path in stored(folder)]
    assert cache.load("ab") is None
    assert cache.find(network.content_key) is None
    cache.store("cd", network)
    cache.clear()
    assert cache.size() == 0
    assert [(path.name, path.read_bytes()) for path in stored(folder)] == before
    assert cache.subfolder("answers") is None
    assert not (folder / "answers").exists()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"the cache folder {folder} is not used, since it belongs to someone else or")


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_write_in_is_not_used(
    network: RoadNetwork, folder: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    cache.store("ab", network)
    folder.chmod(mode)
    assert_unused(folder, network, caplog)
    folder.chmod(0o755)
    assert cache.load("ab") is not None


@posix
def test_a_folder_of_someone_else_is_not_used(
    network: RoadNetwork, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("ab", network)
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    assert_unused(folder, network, caplog)


@posix
def test_a_link_of_someone_else_is_not_followed(
    network: RoadNetwork, folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("ab", network)
    link = folder.with_name("link")
    link.symlink_to(folder)
    monkeypatch.setenv("WAYFRONT_CACHE", str(link))
    assert cache.load("ab") is not None
    real = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda path: _of_someone_else(real(path)))
    assert_unused(link, network, caplog)


def _of_someone_else(status: os.stat_result) -> os.stat_result:
    return os.stat_result((*status[:4], status.st_uid + 1, *status[5:]))


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_may_write_is_not_believed(network: RoadNetwork, folder: Path, mode: int) -> None:
    cache.store("ab", network)
    stored(folder)[0].chmod(mode)
    assert cache.load("ab") is None
    cache.store("ab", network)
    assert cache.load("ab") is not None


@posix
def test_a_file_of_someone_else_is_not_believed(
    network: RoadNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("ab", network)
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda descriptor: _of_someone_else(real(descriptor)))
    assert cache.load("ab") is None


@posix
def test_a_pipe_with_the_name_of_a_network_is_passed_over(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    path = stored(folder)[0]
    path.unlink()
    os.mkfifo(path)
    assert cache.load("ab") is None


# --------------------------------------------------------------------------------------------------- forged files


def forge(path: Path, change: Callable[[dict[str, Any], dict[str, bytearray]], None]) -> None:
    """Rewrite a file with another header and other arrays, under right checksums and lengths."""
    magic, version, header, _ = mutations.split(path.read_bytes())
    table = json.loads(header)
    extents = mutations.extents(table["arrays"], len(header))
    whole = path.read_bytes()
    arrays = {e["name"]: bytearray(whole[a:b]) for e, (a, b) in zip(table["arrays"], extents, strict=True)}
    change(table, arrays)
    for entry in table["arrays"]:
        if entry.get("name") in arrays:
            entry["checksum"] = cache.checksum(np.frombuffer(arrays[entry["name"]], np.uint8))
    content = mutations.with_header(magic, version, json.dumps(table).encode(), b"")
    for array in arrays.values():
        content += bytes(-len(content) % 64) + array
    path.write_bytes(content)


def entry_of(table: dict[str, Any], name: str) -> dict[str, Any]:
    entry: dict[str, Any] = next(entry for entry in table["arrays"] if entry["name"] == name)
    return entry


def number(name: str, value: int, dtype: str = "<i4", at: int = -1) -> Callable[[Any, Any], None]:

    def change(_table: dict[str, Any], arrays: dict[str, bytearray]) -> None:
        np.frombuffer(arrays[name], dtype)[at] = value

    return change


def shape(name: str, *extents: int) -> Callable[[Any, Any], None]:
    def change(table: dict[str, Any], arrays: dict[str, bytearray]) -> None:
        entry = entry_of(table, name)
        entry["shape"] = extents
        size = math.prod(extents) * int(entry["dtype"][-1])
        arrays[name] = arrays[name][: max(size, 0)].ljust(min(size, 1 << 20), b"\0")

    return change


def dtype(name: str, value: str) -> Callable[[Any, Any], None]:
    return lambda table, _arrays: entry_of(table, name).update(dtype=value)


def described(**changes: Any) -> Callable[[Any, Any], None]:
    return lambda table, _arrays: table["network"].update(changes)


def drop(name: str) -> Callable[[Any, Any], None]:
    def change(table: dict[str, Any], arrays: dict[str, bytearray]) -> None:
        table["arrays"].remove(entry_of(table, name))
        del arrays[name]

    return change


def rename(name: str, other: str) -> Callable[[Any, Any], None]:
    return lambda table, _arrays: entry_of(table, name).update(name=other)


def twice(table: dict[str, Any], _arrays: dict[str, bytearray]) -> None:
    table["arrays"].append(dict(table["arrays"][0]))


def test_a_forger_without_changes_is_believed(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    forge(stored(folder)[0], lambda table, arrays: None)
    assert cache.load("ab") is not None


@pytest.mark.parametrize(
    "change",
    [
        number("offsets", -1, at=1),
        number("offsets", 1, at=0),
        number("offsets", 2**31 - 1, at=2),
        number("targets", -1),
        number("targets", 6),
        number("weights 0", -1),
        number("road_class", 4, "u1"),
        shape("offsets", 0),
        shape("offsets", -1),
        shape("targets", 2**39),
        shape("coordinates", 6, 1),
        shape("weights 0", 1),
        dtype("targets", "|O"),
        dtype("targets", "<i8"),
        drop("targets"),
        drop("weights 0"),
        rename("coordinates", "more"),
        twice,
        described(content_key="0" * 32),
        described(content_key="../" * 10),
        described(metrics=[]),
        described(name=7),
        described(notes=[7]),
    ],
)
def test_forged_files_with_right_checksums_are_not_believed(
    network: RoadNetwork, folder: Path, change: Callable[[Any, Any], None]
) -> None:
    cache.store("ab", network)
    forge(stored(folder)[0], change)
    assert cache.load("ab") is None


def _restart(path: Path, change: Callable[[bytes, int, bytes], tuple[bytes, int, bytes]]) -> None:
    """Rewrite magic, version and header under a right checksum, with the arrays where the new header leaves them."""
    magic, version, header, _ = mutations.split(path.read_bytes())
    table = json.loads(header)["arrays"]
    whole = path.read_bytes()
    arrays = [whole[a:b] for a, b in mutations.extents(table, len(header))]
    content = mutations.with_header(*change(magic, version, header), b"")
    for array in arrays:
        content += bytes(-len(content) % 64) + array
    path.write_bytes(content)


def _letter_of_the_name(path: Path) -> None:
    _change_one(path, path.read_bytes().index(b'"tiny') + 2)


def _under_another_name(path: Path) -> None:
    path.rename(path.with_name(f"ab-{'0' * 32}.network"))


ALONE: dict[str, Callable[[Path], object]] = {
    "magic": lambda path: _restart(path, lambda magic, version, header: (b"WAYCACHF", version, header)),
    "older version": lambda path: _restart(path, lambda magic, version, header: (magic, version - 1, header)),
    "newer version": lambda path: _restart(path, lambda magic, version, header: (magic, version + 1, header)),
    "header longer than any": lambda path: _restart(
        path, lambda magic, version, header: (magic, version, header.ljust(LONGEST_HEADER + 1))
    ),
    "checksum of the header": _letter_of_the_name,
    "checksum of an array": lambda path: _change_one(path, path.stat().st_size - 1),
    "a byte too much": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "content key of the name": _under_another_name,
}


@pytest.mark.parametrize("fault", ALONE)
def test_one_fault_alone_is_enough(network: RoadNetwork, folder: Path, fault: str) -> None:
    """Each check is needed: in these files all else is right."""
    cache.store("ab", network)
    ALONE[fault](stored(folder)[0])
    assert cache.load("ab") is None


def test_the_longest_header_is_read(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    _restart(stored(folder)[0], lambda magic, version, header: (magic, version, header.ljust(LONGEST_HEADER)))
    assert cache.load("ab") is not None


def test_a_network_larger_than_the_memory_is_not_read(
    network: RoadNetwork, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("ab", network)
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: stored(folder)[0].stat().st_size - 1)
    assert cache.load("ab") is None


def test_mutations_of_a_cached_network_are_refused_or_are_networks(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)
    path = stored(folder)[0]
    whole = path.read_bytes()
    believed = 0
    for seed in range(400):
        path.write_bytes(
            mutations.mutate_cached(whole, Random(seed), lambda data: cache.checksum(np.frombuffer(data, np.uint8)))
        )
        found = cache.load("ab")
        if found is not None:
            believed += 1
            check_network(arrays_of(found), [(m.name, m.weights) for m in found.metrics], 0, distinct_ids=False)
    assert 10 < believed < 200


@pytest.mark.real_data
def test_new_york_is_opened_again_without_the_reader(new_york_files: dict[str, Path]) -> None:
    first = open_network(new_york_files["length"])
    second = open_network(new_york_files["length"])
    assert is_cached(second)
    assert second.content_key == first.content_key
