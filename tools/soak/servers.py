"""Servers on loopback that answer what a download does not expect: of networks, of map tiles and of places."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from recorded_server import Answer, RecordedServer
from soak.mutators import change_bytes, change_json_text, change_text
from soak.report import Row

HANG_S = 20.0
"""An answer is used up, or given up, within this time."""
LONGEST_MESSAGE = 800
_TIMEOUT_S, _PATIENCE_S = 0.1, 5.0
_PLACES_EACH = 20
"""A place is asked for in a process of its own, which takes a second: one of so many answers is one of a place."""
_BEGINNING = b"p sp 4 5\n"
_ARCS = _BEGINNING + b"a 1 2 7\na 2 1 7\na 2 3 4\na 3 4 1\na 4 1 9\n" + b"c a comment\n" * 400
_PICTURE = b"\x89PNG\r\n\x1a\n and the rest"
_RING = [[7.0, 43.0], [7.04, 43.0], [7.04, 43.03], [7.0, 43.03], [7.0, 43.0]]
_FOUND: dict[str, Any] = {
    **{"osm_type": "relation", "osm_id": 11, "lat": "43.015", "lon": "7.02", "class": "boundary", "place_rank": 16},
    **{"name": "Testville", "display_name": "Testville, France", "boundingbox": ["43.0", "43.03", "7.0", "7.04"]},
    "geojson": {"type": "Polygon", "coordinates": [_RING]},
}
_STATUSES = (200, 200, 200, 200, 204, 206, 206, 301, 302, 304, 308, 400, 401, 404, 407, 416, 429, 500, 503, 599, 999)
_TEXTS = (
    "",
    "x",
    "-1",
    "0",
    "9" * 30,
    "1e9",
    "\u00b2",
    "a\tb",
    "\x1b[2J",
    "\xff" * 300,
    "x" * 60_000,
    '"abc"',
    'W/"a"',
)
_HEADERS: dict[str, tuple[str, ...]] = {
    "Location": (
        "http://[::1/x",
        "//[",
        "/",
        "?",
        "http://",
        "file:///etc/passwd",
        "http://127.0.0.1:1/",
        "http://a b/",
    ),
    "Content-Range": ("bytes 0-9/10", "bytes 5-", "bytes */0", "bytes 99999999999999999999-1/1", "chars 0-1/2"),
    "Content-Length": ("5", "1 2", "0x10", "99999999999", "-5"),
    "Content-Encoding": ("gzip", "br", "deflate, gzip", "identity"),
    "Transfer-Encoding": ("chunked", "chunked, chunked", "gzip"),
    "Retry-After": ("0", "-5", "99999999999999999", "nan", "Fri, 99 Foo 9999 99:99:99 GMT"),
    "ETag": ('"abc"', 'W/"abc"'),
    "Last-Modified": ("Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"),
    "Content-Type": ("text/html; charset=nonsense", "application/json; charset=utf-7", "image/png"),
}


Attack = Callable[[random.Random, Path], tuple[bool, str]]
"""Asks a hostile server, and returns whether it got what it asked for, and what is wrong with what is there then."""


def attack_downloads(seed: int, count: int) -> list[Row]:
    """Let ``count`` hostile servers answer, and return a row for networks, for tiles and for places."""
    places = count // _PLACES_EACH
    kinds: tuple[tuple[str, int, Attack], ...] = (
        ("servers of networks", (count - places + 1) // 2, _network),
        ("servers of map tiles", (count - places) // 2, _tile),
        ("servers of places", places, _place),
    )
    rows = []
    with mock.patch.dict(os.environ, {"no_proxy": "*", "NO_PROXY": "*"}):  # it also takes back what is set below
        for name, tries, attack in kinds:
            row = Row(f"hostile {name}")
            for index in range(tries):
                with tempfile.TemporaryDirectory(prefix="soak-") as folder:
                    _attack(row, attack, random.Random(f"{seed} {name} {index}"), Path(folder), f"{name} {index}")
            row.remarks = f"{row.taken:,} taken"
            rows.append(row)
    return rows


def _attack(row: Row, attack: Attack, r: random.Random, folder: Path, name: str) -> None:
    """Try one server and count what is wrong with how it ended."""
    from wayfront.safe.errors import WayfrontError

    row.tried += 1
    begun, threads = time.monotonic(), set(threading.enumerate())
    try:
        taken, fault = attack(r, folder)
        row.taken += taken
        if fault:
            row.add_fault("half-written", f"{name}: {fault}")
    except WayfrontError as problem:
        if fault := _unfit(str(problem)):
            row.add_fault("tracebacks", f"{name}: {fault}: {str(problem)[:200]!a}")
    except Exception as problem:  # whatever else comes out is the fault that is looked for
        row.add_fault("tracebacks", f"{name}: {type(problem).__name__}: {str(problem)[:200]!a}")
    if time.monotonic() - begun > HANG_S:
        row.add_fault("hangs", f"{name}: {time.monotonic() - begun:.0f} s")
    left = {thread.name for thread in set(threading.enumerate()) - threads}
    if left:
        row.add_fault("hangs", f"{name}: left running: {', '.join(sorted(left))}")


def _unfit(message: str) -> str:
    """Return what is wrong with a message that a person reads, "" for a fit one."""
    from wayfront.safe.text import printable

    if len(message) > LONGEST_MESSAGE:
        return f"a message of {len(message):,} characters"
    return "" if printable(message) == message else "a message that a terminal obeys"


def _answer(r: random.Random, body: bytes) -> Answer:
    """Return an answer with at least one thing about it that a friendly server would not do, now and then none."""
    answer = Answer(body, ranges=r.random() < 0.5, chunked=r.random() < 0.2)
    for _ in range(r.choice((0, 1, 1, 2, 3))):
        action = r.randrange(6)
        if action == 0:
            answer.status = r.choice(_STATUSES)
        elif action <= 2:
            name = r.choice(list(_HEADERS))
            answer.headers[name] = r.choice((*_HEADERS[name], *_TEXTS))
        elif action == 3:
            answer.break_after = r.randrange(len(answer.body) + 1)
        elif action == 4 and r.random() < 0.2:
            answer.silent_after = r.randrange(len(answer.body) + 1)
        else:
            answer.body = r.choice((change_bytes, change_text))(r, answer.body)
    if answer.status in (301, 302, 308) and r.random() < 0.8:
        answer.headers["Location"] = r.choice((*_HEADERS["Location"], *_TEXTS))
    return answer


def _network(r: random.Random, folder: Path) -> tuple[bool, str]:
    """Download a file of a network; what is there afterwards is the file, or nothing but what a resumed one needs."""
    from wayfront.sources.download import RemoteFile, download

    whole = gzip.compress(_ARCS if r.random() < 0.9 else _ARCS + bytes(20 << 20), mtime=0)
    digest = hashlib.sha256(whole).hexdigest() if r.random() < 0.5 else ""
    with RecordedServer({"/map.gr.gz": [_answer(r, whole) for _ in range(r.choice((1, 2, 4)))]}) as server:
        remote = RemoteFile("map.gr.gz", (f"{server.url}/map.gr.gz",), _BEGINNING, digest, len(whole))
        path = folder / remote.name
        download(remote, path, lambda _stage, _share: None, threading.Event(), timeout_s=_TIMEOUT_S, pause_s=0.001)
    content = path.read_bytes()
    if digest and content != whole:
        return False, "not the file of the digest"
    if _BEGINNING not in gzip.decompress(content)[: 1 << 12]:
        return False, "not the file that was announced"
    left = sorted(each.name for each in folder.iterdir() if each.suffix == ".part")
    return content == whole, f"left beside it: {left}" if left else ""


def _tile(r: random.Random, folder: Path) -> tuple[bool, str]:
    """Fetch a map tile, which is a picture or nothing."""
    from wayfront.sources.tiles import Tile, TileStore

    os.environ["WAYFRONT_CACHE"] = str(folder / "cache")
    with RecordedServer({"/3/4/2.png": [_answer(r, _PICTURE) for _ in range(r.choice((1, 2)))]}) as server:
        os.environ["WAYFRONT_TILES"] = f"{server.url}/{{z}}/{{x}}/{{y}}.png"
        cancel = threading.Event()
        stop = threading.Timer(1.0, cancel.set)  # a person does not look at one tile for longer
        stop.start()
        found = TileStore().fetch(Tile(3, 4, 2), cancel)
        stop.cancel()
        stop.join()
    return found is not None, "" if found is None or found.startswith(_PICTURE[:4]) else f"no picture: {found[:20]!r}"


def _place(r: random.Random, folder: Path) -> tuple[bool, str]:
    """Look a place up by its name."""
    from wayfront.sources.places import candidates

    os.environ["WAYFRONT_CACHE"] = str(folder / "cache")
    body = json.dumps([_FOUND]).encode()
    if r.random() < 0.7:
        body = change_json_text(r, body)
    with RecordedServer({"/search": _answer(r, body), "/api/status": _answer(r, b"Rate limit: 0\n")}) as server:
        os.environ |= {"WAYFRONT_NOMINATIM": server.url, "WAYFRONT_OVERPASS": f"{server.url}/api"}
        cancel = threading.Event()
        stop = threading.Timer(_PATIENCE_S, cancel.set)  # it waits for a busy server as long as that asks for
        stop.start()
        try:
            found = candidates("Testville", cancel=cancel)
        finally:
            stop.cancel()
            stop.join()
    said = " ".join(place.name for place in found)
    return bool(found), _unfit(said[:LONGEST_MESSAGE])
