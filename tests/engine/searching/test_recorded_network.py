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


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A trace of a city in a file beside it, two turns of which were closed, before turns cost and after it."""
    path = tmp_path / "received" / "city.wayfront"
    path.parent.mkdir()
    save(wayfront.open_network("synthetic:city?nodes=2000"), path)
    network = wayfront.open_network(path, cache=False)
    closed = wayfront.without_turns(network, turn_of(network, 40))
    costly = wayfront.with_turn_costs(closed, wayfront.TurnCosts(left=9), [int(network.node_ids[7])])
    closed = wayfront.without_turns(costly, turn_of(network, 900))
    trace = path.with_suffix(".wftrace")
    save_trace(wayfront.search(closed, 0, "dijkstra", "cpu", metric="travel time", runs=0, trace=True), trace)
    return trace


def turn_of(network: RoadNetwork, via: int) -> list[tuple[int, ...]]:
    """Return a turn at the first node from ``via`` on where three roads meet."""
    before, order = network.in_arcs()
    via = next(v for v in range(via, network.node_count) if network.offsets[v + 1] - network.offsets[v] > 2)
    tail = network.tails()[order[before[via]]]
    heads = network.targets[network.offsets[via] : network.offsets[via + 1]]
    head = next(head for head in heads if head != tail)
    return [tuple(int(network.node_ids[each]) for each in (tail, via, head))]


def test_a_network_with_closed_turns_and_turn_costs_is_made_again_from_its_file(changed: Path) -> None:
    entry = read_network_entry(changed)
    assert [bool(change.closed) for change in entry.turn_changes] == [True, False, True]
    found = find(changed)
    assert found.content_key == entry.content_key
    assert wayfront.load_trace(changed, found).verified
    opened = wayfront.open_network(changed.with_suffix(".wayfront"), cache=False)
    assert entry.is_made_from(opened) and entry.is_made_from(found)
    assert entry.changed(found) is found


def test_changes_that_a_stranger_wrote_are_refused(changed: Path) -> None:
    def close(*ids: int, of: str | None = None) -> None:
        def change(header: dict[str, Any]) -> None:
            header["network"]["turn_changes"][0]["closed"] = ids
            header["network"]["turn_changes"][0]["of"] = of or first

        change_header(changed, change)

    first = read_network_entry(changed).turn_changes[0].of
    close(1, 1, 1)
    with pytest.raises(TraceError, match="the trace names turns that its network does not have: the turn 1-1-1"):
        find(changed)
    close(1, 2)
    with pytest.raises(TraceError, match="its closed turns are not of three nodes each"):
        find(changed)
    close(1, 2, 3, of="another")
    with pytest.raises(NetworkNotHereError):
        find(changed)


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
