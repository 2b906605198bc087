"""The cache: the same network, faster; and nothing that is wrong with it stops an opening."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from wayfront import opening
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.sources import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "cache"
    monkeypatch.setenv("WAYFRONT_CACHE", str(home))
    return home


@pytest.fixture
def network(data: Path) -> RoadNetwork:
    return open_network(data / "tiny.wayfront", cache=False)


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.network"))


def is_mapped(network: RoadNetwork) -> bool:
    """Tell whether the arrays are views of a file."""
    return network.targets.base is not None and "mmap" in type(_root(network.targets)).__module__


def _root(array: object) -> object:
    base = array
    while True:
        below = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
        if below is None:
            return base
        base = below


def test_second_opening_maps_the_same_network(data: Path, folder: Path) -> None:
    first = open_network(data / "tiny-d.gr")
    assert len(stored(folder)) == 1
    assert not is_mapped(first)
    second = open_network(data / "tiny-d.gr")
    assert is_mapped(second)
    assert (second.name, second.origin, second.content_key) == (first.name, first.origin, first.content_key)
    assert [(m.name, m.unit, m.scale) for m in second.metrics] == [(m.name, m.unit, m.scale) for m in first.metrics]
    for array, other in (
        (first.offsets, second.offsets),
        (first.targets, second.targets),
        (first.node_ids, second.node_ids),
        (first.coordinates, second.coordinates),
        (first.road_class, second.road_class),
        *((m.weights, k.weights) for m, k in zip(first.metrics, second.metrics, strict=True)),
    ):
        assert array is not None
        assert other is not None
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
    assert not is_mapped(open_network(data / "tiny-d.gr"))
    assert len(stored(folder)) == 2


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _flip(place: float) -> Callable[[Path], None]:
    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(place * (len(content) - 1))] ^= 0x10
        path.write_bytes(content)

    return flip


def _make_older(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8] = 0
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [_shorten, _empty, _flip(0), _flip(0.1), _flip(0.5), _flip(1), _make_older])
def test_damaged_files_are_rebuilt_silently(data: Path, folder: Path, damage: Callable[[Path], None]) -> None:
    first = open_network(data / "tiny-d.gr")
    damage(stored(folder)[0])
    assert cache.find(first.content_key) is None
    again = open_network(data / "tiny-d.gr")
    assert again.content_key == first.content_key
    assert not is_mapped(again)
    assert is_mapped(open_network(data / "tiny-d.gr"))


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
    found = cache.find(network.content_key)
    assert found is not None
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
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


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
    cache.clear()


def test_a_full_disk_stops_nothing_and_leaves_nothing(
    data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wayfront.sources.cache.os.fsync", full)
    assert open_network(data / "tiny-d.gr").node_count == 6
    assert list(folder.iterdir()) == []


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
    assert len(list(folder.iterdir())) == 1


def test_a_mapped_network_outlives_its_file(network: RoadNetwork) -> None:
    cache.store("ab", network)
    mapped = cache.load("ab")
    assert mapped is not None
    cache.store("ab", network)
    cache.clear()
    assert np.array_equal(mapped.targets, network.targets)


def test_programs_at_the_same_time_see_whole_files_only(network: RoadNetwork, folder: Path) -> None:
    cache.store("ab", network)

    def work(turn: int) -> bool:
        if turn % 2:
            cache.store("ab", network)
        return cache.load("ab") is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(120)))
    assert len(list(folder.iterdir())) == 1


def test_the_system_has_a_place_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYFRONT_CACHE")
    assert "wayfront" in cache.folder().parts[-1] or sys.platform == "win32"


@pytest.mark.real_data
def test_new_york_is_mapped_without_the_reader(new_york_files: dict[str, Path]) -> None:
    first = open_network(new_york_files["length"])
    second = open_network(new_york_files["length"])
    assert is_mapped(second)
    assert second.content_key == first.content_key
