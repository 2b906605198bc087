"""Map tiles: which ones a view needs, and that a server is asked once, politely, and done without."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorded_server import Answer, RecordedServer
from wayfront.sources import tiles
from wayfront.sources.download import USER_AGENT
from wayfront.sources.tiles import MOST_TILES, Tile, TileStore, tiles_in

PICTURE = b"\x89PNG\r\n\x1a\n and the rest"
TILE = Tile(3, 4, 2)
AT = "/3/4/2.png"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tiles"


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedServer]:
    with RecordedServer({AT: Answer(PICTURE)}) as server:
        monkeypatch.setenv("WAYFRONT_TILES", server.url + "/{z}/{x}/{y}.png")
        yield server


def fetch(store: TileStore, tile: Tile = TILE) -> bytes | None:
    return store.fetch(tile, threading.Event())


def test_the_grid_is_that_of_all_tile_servers() -> None:
    assert Tile(0, 0, 0).bounds == pytest.approx((-180, -85.0511, 180, 85.0511), abs=1e-4)
    (berlin,) = tiles_in(13.40, 52.515, 13.401, 52.516, 50)
    assert (berlin.z, berlin.x, berlin.y) == (11, 1100, 671)
    west, south, east, north = berlin.bounds
    assert west < 13.4 < east and south < 52.515 < north


@pytest.mark.parametrize("metres_per_pixel", [0.001, 1.0, 40.0, 1e4, 1e9])
def test_a_view_is_covered_by_few_tiles(metres_per_pixel: float) -> None:
    west, south, east, north = 6.0, 43.0, 6.4, 43.3
    found = list(tiles_in(west, south, east, north, metres_per_pixel))
    assert 0 < len(found) <= MOST_TILES
    bounds = [tile.bounds for tile in found]
    assert min(b[0] for b in bounds) <= west and max(b[2] for b in bounds) >= east
    assert min(b[1] for b in bounds) <= south and max(b[3] for b in bounds) >= north


def test_nothing_covers_nothing() -> None:
    assert list(tiles_in(6, 43, 6, 43, 1)) == list(tiles_in(0, 86, 1, 88, 1)) == []


def test_a_server_is_asked_once_and_told_who_asks(server: RecordedServer, home: Path) -> None:
    assert fetch(TileStore()) == PICTURE
    assert fetch(TileStore()) == PICTURE
    assert [(asked.path, asked.headers["user-agent"]) for asked in server.asked] == [(AT, USER_AGENT)]
    (kept,) = home.iterdir()
    os.utime(kept, (0, time.time() - tiles.FRESH_S - 60))
    fetch(TileStore())
    assert len(server.asked) == 2, "after a month it is asked for anew"


@pytest.mark.parametrize(
    "answer", [Answer(b"", 403), Answer(b"<html>"), Answer(PICTURE + bytes(tiles.MOST_BYTES)), Answer(PICTURE, 500)]
)
def test_a_server_that_fails_is_left_alone(server: RecordedServer, home: Path, answer: Answer) -> None:
    server.replies[AT] = answer
    store = TileStore()
    assert fetch(store) is None
    assert fetch(store) is None
    assert len(server.asked) == 1
    assert not home.exists() or not list(home.iterdir())


def test_without_a_network_old_tiles_do(server: RecordedServer, home: Path) -> None:
    fetch(TileStore())
    (kept,) = home.iterdir()
    os.utime(kept, (0, time.time() - 10 * tiles.FRESH_S))
    server.replies[AT] = Answer(b"", 500)
    assert fetch(TileStore()) == TileStore().kept(TILE) == PICTURE
    assert TileStore().kept(Tile(3, 0, 0)) is None


def test_the_oldest_tiles_make_room(server: RecordedServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "MOST_KEPT", 2)
    home.mkdir(parents=True, mode=0o700)
    home.parent.chmod(0o700)
    for age in range(4):
        (home / f"{age}.tile").write_bytes(PICTURE)
        os.utime(home / f"{age}.tile", (0, time.time() - 100 * (age + 1)))
    fetch(TileStore())
    assert len(list(home.iterdir())) == 2
    assert (home / "0.tile").exists()
