"""A trace names its network; it neither tells where its sender keeps files nor decides what its receiver opens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wayfront
from search_checks import random_arcs
from trace_files import change_header, members_of
from wayfront.formats.registry import save
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkNotHereError, TraceError
from wayfront.searching.result_file import bare_origin, find_network, read_network_entry, save_trace
from wayfront.sources import cache, store
from wayfront.trace.file import read_header


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test empty folders of its own for the cache and for downloads."""
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))


@pytest.fixture
def network(tmp_path: Path) -> RoadNetwork:
    """A network in a file in a private folder."""
    path = tmp_path / "private" / "roads.wayfront"
    path.parent.mkdir()
    save(random_arcs(30, 90, 9, 1), path)
    return wayfront.open_network(path, cache=False)


@pytest.fixture
def trace(network: RoadNetwork, tmp_path: Path) -> Path:
    """A trace of it, passed on into another folder."""
    path = tmp_path / "received" / "run.wftrace"
    path.parent.mkdir()
    save_trace(wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True), path)
    return path


def find(trace: Path, *places: Path) -> RoadNetwork:
    return find_network(trace, read_network_entry(trace), lambda path: wayfront.open_network(path, cache=False), places)


def move(network: RoadNetwork, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(network.origin).rename(folder / "roads.wayfront")


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        ("/home/anne/secret/roads.gr", "roads.gr"),
        (r"C:\Users\anne\roads.gr", "roads.gr"),
        ("../../etc/passwd", "passwd"),
        ("synthetic:grid?columns=4&rows=3", "synthetic:grid?columns=4&rows=3"),
        ("", ""),
        ("..", ""),
        (".", ""),
        ("/home/anne/", ""),
        ("roads.gr:stream", ""),
        ("roads\0.gr", ""),
        ("roads\x1b[2J.gr", ""),
        ("roads\ud800.gr", ""),
        ("r" * 256, ""),
        ("r" * 255, "r" * 255),
        ("ä" * 128, ""),
    ],
)
def test_of_a_path_only_the_name_is_told_and_believed(origin: str, told: str) -> None:
    assert bare_origin(origin) == told


def test_a_trace_tells_no_folder_of_its_sender(trace: Path, tmp_path: Path) -> None:
    assert read_header(trace)["network"]["origin_name"] == "roads.wayfront"
    whole = b"".join(members_of(trace).values())
    assert b"private" not in whole
    assert str(tmp_path).encode() not in whole


def test_a_network_is_not_opened_where_its_sender_kept_it(trace: Path) -> None:
    with pytest.raises(
        NetworkNotHereError, match=r"read from roads\.wayfront, and no network of that content"
    ) as caught:
        find(trace)
    assert not caught.value.makeable
    assert caught.value.origin_name == "roads.wayfront"


def rename_origin(trace: Path, **entries: object) -> None:
    """Give a trace's network other entries in place of its origin, as older versions or strangers write them."""

    def change(header: dict[str, Any]) -> None:
        del header["network"]["origin_name"]
        header["network"] |= entries

    change_header(trace, change)


def test_an_absolute_path_in_an_older_trace_is_not_opened(trace: Path, network: RoadNetwork) -> None:
    rename_origin(trace, origin=network.origin)
    assert read_network_entry(trace).origin_name == "roads.wayfront"
    with pytest.raises(NetworkNotHereError):
        find(trace)
    move(network, trace.parent)
    assert find(trace).content_key == network.content_key


def test_a_name_that_climbs_out_of_the_folder_is_not_followed(trace: Path, network: RoadNetwork) -> None:
    rename_origin(trace, origin_name="../private/roads.wayfront")
    with pytest.raises(NetworkNotHereError):
        find(trace)


def test_the_network_is_found_beside_the_trace(trace: Path, network: RoadNetwork) -> None:
    path = move(network, trace.parent)
    assert find(trace).origin == str(path)


def test_the_network_is_found_among_recent_files(trace: Path, network: RoadNetwork, tmp_path: Path) -> None:
    path = move(network, tmp_path / "mine")
    assert find(trace, tmp_path / "other.gr", path).origin == str(path)


def test_the_network_is_found_among_downloads(trace: Path, network: RoadNetwork) -> None:
    path = move(network, store.folder(store.PLACE))
    assert find(trace).origin == str(path)


def test_the_network_is_found_in_the_cache_by_its_content(trace: Path, network: RoadNetwork) -> None:
    Path(network.origin).unlink()
    cache.store("0" * 32, network)
    assert find(trace).content_key == network.content_key


def test_other_files_of_that_name_are_left(trace: Path, network: RoadNetwork, tmp_path: Path) -> None:
    beside = trace.parent / "roads.wayfront"
    save(random_arcs(30, 90, 9, 2), beside)
    with pytest.raises(NetworkNotHereError):
        find(trace)
    beside.write_text("no network")
    with pytest.raises(NetworkNotHereError):
        find(trace)
    path = move(network, tmp_path / "mine")
    assert find(trace, beside, path).origin == str(path)


def test_nothing_is_made_unasked(tmp_path: Path) -> None:
    network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
    path = tmp_path / "run.wftrace"
    save_trace(wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True), path)
    entry = read_network_entry(path)
    assert entry.origin_name == network.origin
    with pytest.raises(NetworkNotHereError, match=r"made by synthetic:grid.*--network 'synthetic:grid") as caught:
        find(path)
    assert caught.value.makeable
    with pytest.raises(NetworkNotHereError):
        find_network(path, replace(entry, origin_name="synthetic:../x"), wayfront.open_network, ["synthetic:../x"])


@pytest.mark.parametrize("entry", [{"origin": 7}, {"origin_name": None}, {"reading": ["drive"]}, {"nodes": "many"}])
def test_a_damaged_entry_is_refused(trace: Path, entry: dict[str, object]) -> None:
    rename_origin(trace, **entry)
    with pytest.raises(TraceError, match="damaged"):
        read_network_entry(trace)
