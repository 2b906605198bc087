"""The DIMACS catalogue: downloads that are whole or not there, and their folder."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from urllib.request import Request

import pytest

from ended_threads import left_running
from recorded_server import Answer, RecordedServer
from wayfront.safe.errors import DownloadError, OpenCancelled
from wayfront.sources import catalogue, store
from wayfront.sources import download as connection
from wayfront.sources import download as downloading
from wayfront.sources.catalogue import CATALOGUE, Entry, entry, fetch, locate

ARCS = b"p sp 4 5\na 1 2 7\na 2 1 7\na 2 3 4\na 3 4 1\na 4 1 9\n"
PLACES = (
    b"p aux sp co 4\nv 1 -73000000 41000000\nv 2 -73000100 41000000\nv 3 -73000100 41000200\nv 4 -73000000 41000200\n"
)
NOISE = bytes(hashlib.sha256(bytes([i % 251, i // 251])).digest()[0] for i in range(20_000))
"""What does not compress, so that a file has bytes enough to break off in."""

CODES = ["NY", "BAY", "COL", "FLA", "NW", "NE", "CAL", "LKS", "E", "W", "CTR", "USA"]
DISTANCE = "/USA-road-d/USA-road-d.TINY.gr.gz"
TIME = "/USA-road-t/USA-road-t.TINY.gr.gz"
COORDINATES = "/USA-road-d/USA-road-d.TINY.co.gz"


def packed(text: bytes) -> bytes:
    return gzip.compress(text + b"c " + NOISE.hex().encode() + b"\n", mtime=0)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "data"
    monkeypatch.setenv("WAYFRONT_DATA", str(home))
    for name in ("WAYFRONT_DIMACS_MIRRORS", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network of four nodes in the catalogue."""
    monkeypatch.setattr(catalogue, "CATALOGUE", (Entry("TINY", "A tiny network", 4, 5),))


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert not left_running(before)


def replies(**changed: Answer | list[Answer]) -> dict[str, Answer | list[Answer]]:
    whole: dict[str, Answer | list[Answer]] = {
        "distance": Answer(packed(ARCS), ranges=True),
        "time": Answer(packed(ARCS), ranges=True),
        "coordinates": Answer(packed(PLACES), ranges=True),
    }
    whole.update(changed)
    return {DISTANCE: whole["distance"], TIME: whole["time"], COORDINATES: whole["coordinates"]}


def serving(**changed: Answer | list[Answer]) -> RecordedServer:
    return RecordedServer({**replies(**changed)})


def fetch_tiny(*servers: RecordedServer, **options: object) -> Path:
    mirrors = tuple(server.url for server in servers)
    return fetch("dimacs:TINY", mirrors=mirrors, timeout_s=2.0, pause_s=0.01, **options)  # type: ignore[arg-type]


def names(data: Path) -> list[str]:
    return sorted(path.name for path in data.rglob("*") if path.is_file())


# ------------------------------------------------------------------------------------------------- the happy way


def test_fetching_brings_three_files_that_open_as_one_network(data: Path) -> None:
    from wayfront import open_network

    stages: list[tuple[str, float]] = []
    with serving() as server:
        path = fetch_tiny(server, progress=lambda stage, fraction: stages.append((stage, fraction)))
    assert names(data) == ["USA-road-d.TINY.co.gz", "USA-road-d.TINY.gr.gz", "USA-road-t.TINY.gr.gz"]
    assert path == locate("dimacs:TINY")
    network = open_network(path, cache=False)
    assert (network.node_count, network.arc_count) == (4, 5)
    assert [metric.name for metric in network.metrics] == ["length", "travel time"]
    assert network.coordinates is not None
    known = [fraction for _, fraction in stages if fraction >= 0]
    assert known == sorted(known), "progress never falls"
    assert known[-1] == pytest.approx(1.0)
    assert any("of" in stage and "kB" in stage for stage, _ in stages)
    agents = {asked.headers["user-agent"] for asked in server.asked}
    assert all(agent.startswith("wayfront/") for agent in agents)


def test_what_is_here_is_not_fetched_again(data: Path) -> None:
    with serving() as server:
        fetch_tiny(server)
        (data / "dimacs" / "USA-road-t.TINY.gr.gz").unlink()
        server.asked.clear()
        fetch_tiny(server)
        assert [asked.path for asked in server.asked] == [TIME]


def test_every_network_of_the_challenge_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert [found.code for found in CATALOGUE] == CODES
    for found in CATALOGUE:
        assert entry(found.name) == entry(found.code.lower()) == found
    urls = [remote.urls[0] for remote in entry("dimacs:USA").remote_files(("http://mirror/data/",))]
    assert urls == [
        "http://mirror/data/USA-road-d/USA-road-d.USA.gr.gz",
        "http://mirror/data/USA-road-t/USA-road-t.USA.gr.gz",
        "http://mirror/data/USA-road-d/USA-road-d.USA.co.gz",
    ]
    with pytest.raises(DownloadError, match=r"no 'dimacs:TX'; it has dimacs:NY, dimacs:BAY"):
        entry("dimacs:TX")


@pytest.mark.real_data
def test_the_files_of_new_york_pass_their_checks(
    new_york_files: dict[str, Path], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "CATALOGUE", CATALOGUE)
    new_york = entry("NY")
    files = {f"/{path.name[:10]}/{path.name}": Answer(path.read_bytes()) for path in new_york_files.values()}
    with RecordedServer({**files}) as server:
        fetch("NY", mirrors=(server.url,), pause_s=0.01)
    assert new_york.is_here
    total = sum(path.stat().st_size for path in new_york.paths)
    assert new_york.about_bytes == pytest.approx(total, rel=0.02)


# ------------------------------------------------------------------------------------------------ broken and wrong


def test_a_connection_that_breaks_off_is_taken_up_where_it_broke() -> None:
    body = packed(ARCS)
    broken, whole = Answer(body, ranges=True, break_after=9000), Answer(body, ranges=True)
    with serving(distance=[broken, broken, whole]) as server:
        path = fetch_tiny(server)
        ranges = [asked.headers.get("range") for asked in server.asked if asked.path == DISTANCE]
    assert ranges == [None, "bytes=9000-", "bytes=18000-"]
    assert path.read_bytes() == body


def test_a_server_without_ranges_sends_the_whole_again() -> None:
    body = packed(ARCS)
    with serving(distance=[Answer(body, break_after=9000), Answer(body)]) as server:
        assert fetch_tiny(server).read_bytes() == body


def test_a_crash_leaves_a_part_that_the_next_attempt_goes_on_from(data: Path) -> None:
    body = packed(ARCS)
    part = data / "dimacs" / "USA-road-d.TINY.gr.gz.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(body[:7000])
    with serving() as server:
        path = fetch_tiny(server)
        assert server.asked[0].headers["range"] == "bytes=7000-"
    assert path.read_bytes() == body
    assert not part.exists()


@pytest.mark.parametrize("leftover", [b"\x1f\x8b of another file" * 100, packed(ARCS) + b"and more"])
def test_a_part_of_another_file_is_thrown_away(data: Path, leftover: bytes) -> None:
    part = data / "dimacs" / "USA-road-d.TINY.gr.gz.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(leftover)
    with serving() as server:
        assert fetch_tiny(server).read_bytes() == packed(ARCS)


def test_a_connection_that_always_breaks_ends_in_plain_words_and_keeps_what_came(data: Path) -> None:
    broken = Answer(packed(ARCS), break_after=9000)
    with serving(distance=broken) as server, pytest.raises(DownloadError) as refused:
        fetch_tiny(server)
    assert "broke off after 9 of 23 kB" in str(refused.value)
    assert "the next attempt goes on after the 9 kB that are here" in str(refused.value)
    assert names(data) == ["USA-road-d.TINY.gr.gz.part"]
    assert len(server.asked) <= downloading.ATTEMPTS


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Answer(b"<html>Please log in</html>"), "not a gzip file, perhaps a web page"),
        (Answer(b"gone", 404), "does not exist (404)"),
        (Answer(b"no", 503), "refuses with 503 (Service Unavailable)"),
        (Answer(packed(b"p sp 5 5\n")), "does not announce 'p sp 4 5'"),
        (Answer(packed(ARCS)[:-9], chunked=True), "arrived damaged"),
        (Answer(packed(ARCS)[:5000] + b"????" + packed(ARCS)[5004:]), "arrived damaged"),
        (Answer(b""), "does not announce 'p sp 4 5'"),
        (Answer(b"", 302, headers={"Location": "http://[::1/x"}), "leads on to an address that is none"),
        (Answer(packed(ARCS)[:99], 206), "sends a part of the file, though the whole was asked for"),
        (Answer(packed(ARCS), 206, {"Content-Range": "bytes 0-9/10"}), "sends a part of the file, though the whole"),
        (Answer(b"", 416), "does not send the file from its beginning"),
        (Answer(packed(ARCS + bytes(17 << 20))), "unpacks to more than the 16 MiB that a file of its size may hold"),
    ],
)
def test_what_is_not_the_file_leaves_nothing_and_says_why(data: Path, wrong: Answer, message: str) -> None:
    with serving(distance=wrong) as server, pytest.raises(DownloadError) as refused:
        fetch_tiny(server)
    assert message in str(refused.value)
    assert "USA-road-d.TINY.gr.gz could not be downloaded" in str(refused.value)
    assert names(data) == []


def test_the_next_mirror_is_asked_where_one_fails() -> None:
    with serving(distance=Answer(b"", 404)) as first, serving() as second:
        path = fetch_tiny(first, second)
        assert path.read_bytes() == packed(ARCS)
        assert [asked.path for asked in second.asked] == [DISTANCE], "the other files came from the first mirror"


def test_mirrors_can_be_chosen_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        monkeypatch.setenv("WAYFRONT_DIMACS_MIRRORS", f"{server.url}/ , http://127.0.0.1:1")
        fetch("dimacs:tiny", pause_s=0.01)
        assert len(server.asked) == 3
    monkeypatch.delenv("WAYFRONT_DIMACS_MIRRORS")
    assert catalogue.chosen_mirrors() == catalogue.MIRRORS


def test_a_digest_that_differs_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256(packed(ARCS)).hexdigest()
    monkeypatch.setattr(catalogue, "_SHA256", {"USA-road-d.TINY.gr.gz": digest, "USA-road-t.TINY.gr.gz": "0" * 64})
    with serving() as server, pytest.raises(DownloadError, match="SHA-256 differs"):
        fetch_tiny(server)
    assert names(data) == ["USA-road-d.TINY.gr.gz"], "the right one stays"


def no_names(*_address: object, **_options: object) -> None:
    """Look no name up, as without a network."""
    raise socket.gaierror(socket.EAI_AGAIN, "no names here")


def test_no_server_and_no_network_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1 takes no connections"):
        fetch("TINY", mirrors=(f"http://127.0.0.1:{port}",), pause_s=0.01)
    monkeypatch.setattr(socket, "getaddrinfo", no_names)
    with pytest.raises(DownloadError, match="there may be no connection to the internet"):
        fetch("TINY", mirrors=("http://nowhere.invalid",), pause_s=0.01)


def test_a_server_that_says_nothing_is_given_up() -> None:
    started = time.monotonic()
    with serving(distance=Answer(silent_after=0)) as server, pytest.raises(DownloadError, match="does not answer"):
        fetch("TINY", mirrors=(server.url,), timeout_s=0.2, pause_s=0.01)
    assert time.monotonic() - started < 5


def test_a_full_disk_is_told_before_anything_is_written(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type(shutil.disk_usage("/"))(10**9, 10**9, 10_000)
    monkeypatch.setattr("wayfront.sources.download.shutil.disk_usage", lambda _path: usage)
    with serving() as server, pytest.raises(DownloadError) as refused:
        fetch_tiny(server)
    assert "the disk is full: 23 kB are still to come and 10 kB are free" in str(refused.value)
    assert names(data) == []


# ------------------------------------------------------------------------------------------ hostile servers


@pytest.mark.parametrize("chunked", [False, True])
def test_a_file_of_more_than_twice_its_size_is_cut_off(data: Path, chunked: bool) -> None:
    endless = Answer(packed(ARCS) + bytes(2_000_000), chunked=chunked)
    with serving(distance=endless) as server, pytest.raises(DownloadError, match="sends more than 200 kB: it is not"):
        fetch_tiny(server)
    assert names(data) == []


def test_a_file_of_unknown_size_has_an_absolute_bound() -> None:
    assert downloading.RemoteFile("a.gz", (), b"").most_bytes == downloading.LARGEST_BYTES


@pytest.mark.parametrize(
    "address", ["http://[::1/x", "file:///etc/passwd", "ftp://127.0.0.1/a", "data:,a", "gopher://a/b"]
)
def test_only_http_and_https_are_asked_also_after_a_redirect(data: Path, address: str) -> None:
    with pytest.raises(DownloadError, match="is no http or https address"):
        fetch("TINY", mirrors=(address,), pause_s=0.01)
    moved = Answer(b"", 302, headers={"Location": address})
    with (
        serving(distance=moved) as server,
        pytest.raises(DownloadError, match=r"not as safe|refuses with 302|address that is none"),
    ):
        fetch_tiny(server)
    assert names(data) == []


def test_a_redirect_from_https_to_http_is_refused() -> None:
    follow = connection._Redirects().redirect_request
    with pytest.raises(connection.RefusedError, match="leads on to 'http://b/c', which is not as safe"):
        follow(Request("https://a/b"), None, 302, "", Message(), "http://b/c")
    for before, after in (("http://a/b", "https://b/c"), ("https://a/b", "https://b/c"), ("http://a", "http://b")):
        assert follow(Request(before), None, 302, "", Message(), after) is not None


def test_mirrors_with_https_come_first() -> None:
    (first, *_) = entry("TINY").remote_files(("http://a", "https://b", "http://c", "HTTPS://d"))
    assert [url.split("/USA")[0] for url in first.urls] == ["https://b", "HTTPS://d", "http://a", "http://c"]


@pytest.mark.parametrize(("version", "asked"), [('"abc"', '"abc"'), ('W/"abc"', None)])
def test_the_rest_of_a_file_is_asked_for_only_of_the_same_version(version: str, asked: str | None) -> None:
    body = packed(ARCS)
    broken = Answer(body, headers={"ETag": version}, ranges=True, break_after=9000)
    with serving(distance=[broken, Answer(body, headers={"ETag": version}, ranges=True)]) as server:
        fetch_tiny(server)
        headers = [found.headers for found in server.asked if found.path == DISTANCE]
    assert [found.get("if-range") for found in headers] == [None, asked]


# ------------------------------------------------------------------------------------------ two programs at once

TWIN = """
import sys
from wayfront.sources import catalogue
catalogue.CATALOGUE = (catalogue.Entry("TINY", "A tiny network", 4, 5),)
catalogue.fetch("dimacs:TINY", mirrors=(sys.argv[1],), pause_s=0.01)
"""
HOLDER = """
import sys, threading, time
from pathlib import Path
from wayfront.sources.download import locked
with locked(Path(sys.argv[1]), threading.Event(), lambda: None):
    print("held", flush=True)
    time.sleep(60)
"""


def test_two_programs_that_download_the_same_take_turns(data: Path) -> None:
    with serving() as server:
        twins = [subprocess.Popen([sys.executable, "-c", TWIN, server.url], stderr=subprocess.PIPE) for _ in range(2)]
        said = [twin.communicate(timeout=60)[1].decode() for twin in twins]
        assert [twin.returncode for twin in twins] == [0, 0], said
        assert sorted(asked.path for asked in server.asked) == sorted((DISTANCE, TIME, COORDINATES))
    assert names(data) == ["USA-road-d.TINY.co.gz", "USA-road-d.TINY.gr.gz", "USA-road-t.TINY.gr.gz"]


def test_the_lock_of_a_killed_program_holds_nobody_up(data: Path) -> None:
    (data / "dimacs").mkdir(parents=True)
    path = entry("TINY").paths[0]
    with serving() as server, subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        cancel, stages = threading.Event(), []

        def on_progress(stage: str, _fraction: float) -> None:
            stages.append(stage)
            cancel.set()

        with pytest.raises(OpenCancelled):
            fetch_tiny(server, progress=on_progress, cancel=cancel)
        assert stages == ["another program downloads USA-road-d.TINY.gr.gz"]
        holder.kill()
        holder.wait()
        assert fetch_tiny(server) == path


# --------------------------------------------------------------------------------------------------------- cancel


@pytest.mark.parametrize("silent_after", [0, 9000])
def test_cancel_works_at_once_while_a_server_is_silent_and_leaves_nothing(data: Path, silent_after: int) -> None:
    cancel = threading.Event()
    with serving(distance=Answer(packed(ARCS), silent_after=silent_after)) as server:
        timer = threading.Timer(0.3, cancel.set)
        timer.start()
        started = time.monotonic()
        with pytest.raises(OpenCancelled):
            fetch("TINY", mirrors=(server.url,), cancel=cancel)
        assert time.monotonic() - started < 1.5
        timer.join()
    assert names(data) == []


def test_cancel_between_two_pieces_leaves_nothing(data: Path) -> None:
    cancel = threading.Event()

    def stop(_stage: str, fraction: float) -> None:
        if fraction > 0:
            cancel.set()

    with serving() as server, pytest.raises(OpenCancelled):
        fetch_tiny(server, progress=stop, cancel=cancel)
    assert names(data) == []


# ------------------------------------------------------------------------------------------------ the data folder


def test_the_place_tells_what_is_here_and_removes_it(data: Path) -> None:
    with serving() as server:
        fetch_tiny(server)
    (data / "places").mkdir()
    (data / "places" / "monaco-drive.osm.json").write_bytes(b"{}")
    (data / "places" / "porto-walk.osm.json.part").write_bytes(b"{")
    (data / "places" / "notes.txt").write_bytes(b"a person's own file")
    here = {found.name: found for found in store.stored()}
    assert list(here) == ["dimacs:TINY", "place:monaco-drive", "place:porto-walk"]
    assert here["dimacs:TINY"].size_bytes == sum(path.stat().st_size for path in entry("TINY").paths)
    assert [found.unfinished for found in here.values()] == [False, False, True]
    assert store.remove("dimacs:tiny") == here["dimacs:TINY"].size_bytes
    assert not entry("TINY").is_here
    with pytest.raises(DownloadError, match="not on this machine yet: get it with 'wayfront fetch dimacs:TINY'"):
        locate("dimacs:TINY")
    with pytest.raises(DownloadError, match=r"there is no dimacs:TINY in .*; there is place:monaco-drive"):
        store.remove("dimacs:TINY")
    store.remove("place:porto-walk")
    assert names(data) == ["monaco-drive.osm.json", "notes.txt"]


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("São Paulo", "sao-paulo-drive"),
        ("../../etc/passwd", "etc-passwd-drive"),
        ("東京都渋谷区", "東京都渋谷区-drive"),
        ("!!!", "place-drive"),
        ("a" * 300, "a" * 80 + "-drive"),
    ],
)
def test_a_place_has_a_name_that_is_safe_for_files(title: str, stem: str) -> None:
    assert store.place_stem(title, "drive") == stem


@pytest.mark.parametrize(
    ("name", "split"),
    [("dimacs:NY", ("dimacs", "NY")), ("Place: Monaco", ("place", "Monaco")), ("C:\\a.gr", None), ("a.gr", None)],
)
def test_names_are_told_from_paths(name: str, split: tuple[str, str] | None) -> None:
    assert store.split_name(name) == split
