"""Fetch map tiles, small pictures of the world in a square grid, and keep them in the cache.

Tiles are asked for as somebody looks at them, one after the other, with this program's name, never ahead and never
twice within a month; a server that fails is left alone for a minute. Without a network what is in the cache is used,
however old. The server is OpenStreetMap's own, or the one that ``WAYFRONT_TILES`` names by a pattern such as
``https://tiles.example.org/{z}/{x}/{y}.png``.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wayfront.safe.errors import WayfrontError
from wayfront.safe.files import open_regular, write_whole
from wayfront.sources import cache

TILES = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
CREDIT = "background © OpenStreetMap contributors"
CLOSEST = 19
MOST_TILES = 80
"""Tiles of one view; a view that would need more takes larger ones."""
MOST_BYTES = 1 << 20
MOST_KEPT = 20_000
"""Tiles in the cache, some 20 kB each."""
_LOOKED_AFTER = 200
FRESH_S = 30 * 24 * 3600.0
PAUSE_S = 60.0
TIMEOUT_S = 20.0
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
_EQUATOR_M = 40_075_016.686
_FARTHEST_NORTH = 85.0511
"""Degrees: the grid of tiles is a square, which ends there."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One square of the grid that has 2**z columns and rows, from the west and from the north."""

    z: int
    x: int
    y: int

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north in degrees."""
        count = 2**self.z
        north, south = (math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y / count)))) for y in (self.y, self.y + 1))
        return self.x / count * 360 - 180, south, (self.x + 1) / count * 360 - 180, north


def tiles_in(west: float, south: float, east: float, north: float, metres_per_pixel: float) -> Iterator[Tile]:
    """Yield the tiles that cover a part of the Earth in degrees, of the zoom whose 256 pixels are nearest to these."""
    south, north = max(south, -_FARTHEST_NORTH), min(north, _FARTHEST_NORTH)
    if not (west < east and south < north and metres_per_pixel > 0):
        return
    across = _EQUATOR_M * math.cos(math.radians((south + north) / 2)) / 256
    z = min(max(round(math.log2(across / metres_per_pixel)), 0), CLOSEST)
    while True:
        left, top = _column_and_row(west, north, z)
        right, bottom = _column_and_row(east, south, z)
        if (right - left + 1) * (bottom - top + 1) <= MOST_TILES:
            break
        z -= 1
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            yield Tile(z, x, y)


def _column_and_row(longitude: float, latitude: float, z: int) -> tuple[int, int]:
    """Return column and row of the tile with a position."""
    count = 2**z
    x = (longitude + 180) / 360 * count
    y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * count
    return min(max(int(x), 0), count - 1), min(max(int(y), 0), count - 1)


class TileStore:
    """Tiles by column and row of the grid; one thread at a time may ``fetch``, any may look with ``kept``."""

    def __init__(self) -> None:
        self._pattern = os.environ.get("WAYFRONT_TILES", TILES)
        self._paused_until = 0.0
        self._written = 0

    def kept(self, tile: Tile) -> bytes | None:
        """Return a tile from the cache, however old, None where it is not there."""
        path = self._path(tile)
        with suppress(OSError, WayfrontError):
            if path is not None:
                with open_regular(path) as file:
                    return _picture(file.read(MOST_BYTES + 1))
        return None

    def fetch(self, tile: Tile, cancel: threading.Event) -> bytes | None:
        """Return a tile from the cache, or from the server if it is not there or old; None where neither has it.

        Raises ``OpenCancelled``.
        """
        from http.client import HTTPException  # few have tiles, and a start is quicker without the network's modules

        from wayfront.sources.download import BrokenOffError, NoSuchRangeError, RefusedError, open_address

        kept, path = self.kept(tile), self._path(tile)
        if (kept is not None and self._is_fresh(path)) or time.monotonic() < self._paused_until:
            return kept
        url = self._pattern.replace("{z}", str(tile.z)).replace("{x}", str(tile.x)).replace("{y}", str(tile.y))
        try:
            with open_address(url, cancel, TIMEOUT_S) as answer:
                content = _picture(answer.read(MOST_BYTES + 1))
        except (RefusedError, BrokenOffError, NoSuchRangeError, OSError, HTTPException):
            content = None
        if content is None:
            self._paused_until = time.monotonic() + PAUSE_S
            return kept
        if path is not None:
            with suppress(OSError, WayfrontError):
                with write_whole(path) as file:
                    file.write(content)
                self._drop_oldest(path.parent)
        return content

    def _drop_oldest(self, folder: Path) -> None:
        """Delete the oldest tiles beyond the limit, once in a while."""
        self._written += 1
        if self._written % _LOOKED_AFTER == 1:
            tiles = sorted(folder.glob("*.tile"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in tiles[MOST_KEPT:]:
                path.unlink()

    def _path(self, tile: Tile) -> Path | None:
        """Return where a tile of this server is kept, None where the cache cannot be used."""
        folder = cache.subfolder("tiles")
        server = hashlib.blake2b(self._pattern.encode(), digest_size=6).hexdigest()
        return None if folder is None else folder / f"{server}-{tile.z}-{tile.x}-{tile.y}.tile"

    @staticmethod
    def _is_fresh(path: Path | None) -> bool:
        with suppress(OSError):
            return path is not None and path.stat().st_mtime > time.time() - FRESH_S
        return False


def _picture(content: bytes) -> bytes | None:
    """Return a file's content if it is a picture of a tile's size in bytes."""
    return content if content.startswith(_PICTURES) and len(content) <= MOST_BYTES else None
