"""``wayfront fetch`` and ``wayfront data``, against a server on loopback."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calling import command
from recorded_server import Answer, RecordedServer
from wayfront.sources import catalogue
from wayfront.sources.catalogue import Entry

Fetch = Callable[..., tuple[int, str, str]]

ARCS = gzip.compress(b"p sp 4 5\na 1 2 7\na 2 1 7\na 2 3 4\na 3 4 1\na 4 1 9\n", mtime=0)
PLACES = gzip.compress(b"p aux sp co 4\nv 1 -73000000 41000000\nv 2 -73000100 41000000\nv 3 -73000100 41000200\nv 4 -73000000 41000200\n")  # fmt: skip  # noqa: E501
CATALOGUE = {
    "/USA-road-d/USA-road-d.TINY.gr.gz": Answer(ARCS),
    "/USA-road-t/USA-road-t.TINY.gr.gz": Answer(ARCS),
    "/USA-road-d/USA-road-d.TINY.co.gz": Answer(PLACES),
}


def place(name: str, kind: str, number: int, *, outline: bool) -> dict[str, Any]:
    ring = [[7.0, 43.0], [7.04, 43.0], [7.04, 43.03], [7.0, 43.03], [7.0, 43.0]]
    geometry = {"type": "Polygon", "coordinates": [ring]} if outline else {"type": "Point", "coordinates": [7.02, 43]}
    return {
        "osm_type": "node",
        "osm_id": number,
        "lat": "43.015",
        "lon": "7.02",
        "addresstype": kind,
        "name": name.split(",", maxsplit=1)[0],
        "display_name": name,
        "boundingbox": ["43.0", "43.03", "7.0", "7.04"],
        "geojson": geometry,
    }


FOUND = [
    place("Testville, a shop in France", "shop", 1, outline=False),
    place("Testville, France", "town", 2, outline=True),
    place("Testville, Ohio", "village", 3, outline=True),
]
ROADS = {
    "version": 0.6,
    "osm3s": {"timestamp_osm_base": "2026-11-19T08:15:00Z", "copyright": "ODbL"},
    "elements": [
        {"type": "node", "id": 10, "lat": 43.01, "lon": 7.01},
        {"type": "node", "id": 11, "lat": 43.02, "lon": 7.02},
        {"type": "way", "id": 1, "nodes": [10, 11], "tags": {"highway": "residential"}},
    ],
}
SERVICES = {
    "/search": Answer(json.dumps(FOUND).encode()),
    "/api/status": Answer(b"Connected as: 1\nCurrent time: x\nAnnounced endpoint: none\nRate limit: 0\n"),
    "/api/interpreter": Answer(json.dumps(ROADS).encode()),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RecordedServer]:
    """Stands in for every service, with a data folder and a cache of this test's own."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(catalogue, "CATALOGUE", (Entry("TINY", "A tiny network", 4, 5),))
    with RecordedServer({**CATALOGUE, **SERVICES}) as running:
        monkeypatch.setenv("WAYFRONT_DIMACS_MIRRORS", running.url)
        monkeypatch.setenv("WAYFRONT_NOMINATIM", running.url)
        monkeypatch.setenv("WAYFRONT_OVERPASS", f"{running.url}/api")
        yield running


@pytest.fixture
def wayfront(server: RecordedServer, capsys: pytest.CaptureFixture[str]) -> Fetch:
    def call(*arguments: str) -> tuple[int, str, str]:
        outcome = command(capsys)(*arguments)
        return outcome.code, outcome.out, outcome.err

    return call


def test_a_network_of_the_catalogue_is_fetched_opened_listed_and_removed(wayfront: Fetch, tmp_path: Path) -> None:
    code, _, err = wayfront("info", "dimacs:TINY")
    assert code == 1
    assert "get it with 'wayfront fetch dimacs:TINY'" in err

    code, out, err = wayfront("fetch", "tiny")
    assert code == 0
    assert out == f"{tmp_path / 'data' / 'dimacs' / 'USA-road-d.TINY.gr.gz'}\n"
    assert "dimacs:TINY is downloaded" in err

    code, out, _ = wayfront("solve", "dimacs:TINY", "--source", "1", "--device", "cpu", "--runs", "0", "--json")
    assert code == 0
    assert json.loads(out)["network"]["nodes"] == 4

    data_record = json.loads(wayfront("data", "--json")[1])
    assert data_record["folder"] == str(tmp_path / "data")
    assert [entry["name"] for entry in data_record["stored"]] == ["dimacs:TINY"]
    assert data_record["catalogue"] == [
        {"name": "dimacs:TINY", "title": "A tiny network", "nodes": 4, "arcs": 5, "here": True}
    ]
    table = wayfront("data")[1]
    assert str(tmp_path / "data") in table
    assert "A tiny network" in table

    code, _, err = wayfront("data", "remove", "dimacs:tiny")
    assert code == 0
    assert "dimacs:tiny is removed" in err
    assert json.loads(wayfront("data", "--json")[1])["stored"] == []
    assert "nothing yet" in wayfront("data")[1]
    assert wayfront("data", "remove", "dimacs:TINY")[0] == 1


def test_a_place_is_fetched_by_name_and_says_which_it_took(wayfront: Fetch) -> None:
    code, out, err = wayfront("fetch", "place:Testville", "--json")
    assert code == 0
    assert json.loads(out)["name"] == "place:testville-drive"
    assert "Testville, France (town, 10.8 km²); --candidates lists all 3 of that name" in err, "not the point before it"
    assert json.loads(wayfront("info", "place:Testville", "--json")[1])["nodes"] == 2


def test_the_candidates_are_listed_and_any_of_them_can_be_taken(wayfront: Fetch) -> None:
    listed = wayfront("fetch", "place:Testville", "--candidates")[1].splitlines()
    assert [line.split()[0] for line in listed if line.strip()[:1].isdigit()] == ["1", "2", "3"]
    assert any("Testville, a shop in France" in line and "a point" in line for line in listed)
    record = json.loads(wayfront("fetch", "place:Testville", "--candidates", "--json")[1])
    assert [found["kind"] for found in record["candidates"]] == ["shop", "town", "village"]
    code, _, err = wayfront("fetch", "place:Testville", "--candidate", "1")
    assert code == 1
    assert "Testville is a shop without an outline: say how far round it" in err
    code, out, err = wayfront(
        "fetch", "place:Testville", "--candidate", "1", "--radius", "400", "--network-type", "walk"
    )
    assert code == 0
    assert out.strip().endswith("testville-walk.osm.json")
    assert "there is no candidate 9, only 3" in wayfront("fetch", "place:Testville", "--candidate", "9")[2]


def test_bounds_and_points_need_no_geocoder(wayfront: Fetch, server: RecordedServer) -> None:
    assert wayfront("fetch", "place:7.0,43.0,7.04,43.03")[0] == 0
    assert wayfront("fetch", "place:43.015,7.02", "--radius", "300")[0] == 0
    assert "/search" not in {asked.path for asked in server.asked}
    queries = [asked.body["data"] for asked in server.asked if asked.path == "/api/interpreter"]
    queries = [query for query in queries if '["highway"' in query]
    assert "43.000000 7.000000" in queries[0]
    assert "43.012302" in queries[1], "300 m south of the point"
    assert "a point needs --radius" in wayfront("fetch", "place:43.015,7.02")[2]
    assert "bounds go from west to east" in wayfront("fetch", "place:8,43,7,44")[2]


def test_a_large_area_is_refused_and_can_be_asked_for_on_purpose(wayfront: Fetch, server: RecordedServer) -> None:
    code, _, err = wayfront("fetch", "place:0,0,1,1")
    assert code == 1
    assert "12,3" in err
    assert "https://download.geofabrik.de" in err
    assert not server.asked
    assert wayfront("fetch", "place:0,0,0.7,0.7", "--force")[0] == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [("dimacs:TX", "the catalogue has no 'dimacs:TX'"), ("Porto", "is place:NAME"), ("place:", "which place?")],
)
def test_a_name_that_is_none_is_refused(wayfront: Fetch, name: str, message: str) -> None:
    code, out, err = wayfront("fetch", name)
    assert (code, out) == (1, "")
    assert message in err


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_stops_a_download_at_once_and_leaves_nothing(server: RecordedServer, tmp_path: Path) -> None:
    path = "/USA-road-d/USA-road-d.NY.gr.gz"
    server.replies[path] = Answer(ARCS, silent_after=10)
    script = "from wayfront_gui.cli.command_line import main; main(['fetch', 'dimacs:NY'])"
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) as process:
        while not any(asked.path == path for asked in server.asked):
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "wayfront: cancelled\n"
    assert not [found for found in (tmp_path / "data").rglob("*") if found.is_file()]
