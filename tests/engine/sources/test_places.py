"""Places of OpenStreetMap, asked for at a server on loopback that answers as Nominatim and Overpass do."""

from __future__ import annotations

import email.utils
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ended_threads import left_running
from recorded_server import Answer, Asked, RecordedServer
from wayfront import open_network
from wayfront.formats.options import DOWNLOADABLE
from wayfront.safe.errors import DownloadError, OpenCancelled, PlaceError
from wayfront.sources import osm_service, places, store
from wayfront.sources.places import Area, candidates, download, expected_arcs, locate, too_large

SEARCH, STATUS, ROADS = "/search", "/api/status", "/api/interpreter"

FREE = b"""Connected as: 2130706433
Current time: 2026-11-20T10:00:00Z
Announced endpoint: none
Rate limit: 2
2 slots available now.
Currently running queries (pid, space limit, time limit, start time):
"""
TAKEN = b"""Connected as: 2130706433
Current time: 2026-11-20T10:00:00Z
Announced endpoint: none
Rate limit: 2
Slot available after: 2000-01-01T00:00:01Z, in 1 seconds.
Slot available after: 2000-01-01T00:00:09Z, in 9 seconds.
Currently running queries (pid, space limit, time limit, start time):
"""
UNLIMITED = b"""Connected as: 2130706433
Current time: 2026-11-20T10:00:00Z
Announced endpoint: none
Rate limit: 0
Currently running queries (pid, space limit, time limit, start time):
"""
BUSY_PAGE = b"""<?xml version="1.0" encoding="UTF-8"?>
<html><head><title>OSM3S Response</title></head><body>
<p>The data included in this document is from www.openstreetmap.org.</p>
<p><strong style="color:#FF0000">Error</strong>: runtime error: open64: 0 Success Dispatcher_Client::timeout.
The server is probably too busy to handle your request. </p>
</body></html>
"""
LICENCE = "The data included in this document is from www.openstreetmap.org. The data is made available under ODbL."


def found_place(**changed: Any) -> dict[str, Any]:
    """Return the record of one place as the geocoder sends it."""
    west, south, east, north = 7.0, 43.0, 7.04, 43.03
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    record: dict[str, Any] = {
        "place_id": 88123456,
        "licence": "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
        "osm_type": "relation",
        "osm_id": 1124039,
        "lat": "43.0150000",
        "lon": "7.0200000",
        "class": "boundary",
        "type": "administrative",
        "place_rank": 16,
        "importance": 0.71,
        "addresstype": "town",
        "name": "Testville",
        "display_name": "Testville, Département des Essais, France",
        "boundingbox": [str(south), str(north), str(west), str(east)],
        "geojson": {"type": "Polygon", "coordinates": [ring]},
    }
    record.update(changed)
    return record


def roads(**changed: Any) -> dict[str, Any]:
    """An Overpass answer: a street both ways, a one-way street, and a path for feet."""

    def way(number: int, nodes: list[int], **tags: str) -> dict[str, Any]:
        return {"type": "way", "id": number, "nodes": nodes, "tags": tags}

    nodes = [
        {"type": "node", "id": 100 + k, "lat": 43.01 + 0.001 * (k // 3), "lon": 7.01 + 0.001 * (k % 3)}
        for k in range(6)
    ]
    return {
        "version": 0.6,
        "generator": "Overpass API 0.7.62.8 e802775f",
        "osm3s": {"timestamp_osm_base": "2026-11-19T08:15:00Z", "copyright": LICENCE},
        "elements": [
            *nodes,
            way(1, [100, 101, 102], highway="residential", name="Rue Élan"),
            way(2, [102, 105], highway="primary", oneway="yes"),
            way(3, [103, 104, 105], highway="footway"),
        ],
        **changed,
    }


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def world(**changed: Any) -> RecordedServer:
    """A server that knows one town and its roads; ``search``, ``status`` and ``roads`` are answered otherwise."""
    replies = {
        "search": Answer(text([found_place()])),
        "status": Answer(FREE),
        "roads": Answer(text(roads())),
        **changed,
    }
    return RecordedServer({SEARCH: replies["search"], STATUS: replies["status"], ROADS: replies["roads"]})


TOWN = Area.of_bounds(7.0, 43.0, 7.04, 43.03, "Testville")


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder and a cache of this test's own, no proxy, and nothing left running behind it."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    before = set(threading.enumerate())
    yield tmp_path / "data"
    assert not left_running(before)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a server stand in for both services."""

    def point(server: RecordedServer) -> RecordedServer:
        monkeypatch.setenv("WAYFRONT_NOMINATIM", server.url)
        monkeypatch.setenv("WAYFRONT_OVERPASS", f"{server.url}/api")
        return server

    return point


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask in this process, which is quicker, and put back what that changes; ``places`` itself asks in another."""
    from osmnx import settings

    for name, value in vars(settings).items():
        monkeypatch.setattr(settings, name, value)
    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)

    def ask(request: dict[str, Any], progress: Any, _cancel: Any) -> dict[str, Any]:
        report = progress or (lambda _stage, _fraction: None)
        if request["task"] == "candidates":
            return {"found": osm_service.find_candidates(request["query"], request["limit"], report)}
        osm_service.download_roads(request, report)
        return {}

    monkeypatch.setattr(places, "_ask", ask)
    monkeypatch.setattr("osmnx._nominatim.time.sleep", lambda _seconds: None)


def names(data: Path) -> list[str]:
    return sorted(path.name for path in data.rglob("*") if path.is_file())


# ------------------------------------------------------------------------------------------ in another process


def test_a_town_comes_from_its_name_to_a_network_with_its_licence_and_date(clean: Path, at: Any) -> None:
    stages: list[str] = []
    with at(world(status=[Answer(TAKEN), Answer(FREE)])) as server:
        found = candidates("  Testville,  France ")
        path = download(found[0].area(), "walk", progress=lambda stage, _: stages.append(stage), timeout_s=20)
        agents = {asked.headers["user-agent"] for asked in server.asked}
    assert names(clean) == ["testville-walk.osm.json"]
    assert path == locate("place:Testville") == locate("place:testville-walk")
    assert [found.name for found in store.stored()] == ["place:testville-walk"]
    assert all(agent.startswith("wayfront/") for agent in agents)
    assert {"asking the server for roads", "waiting 1 s for a free slot of 127.0.0.1", "writing the file"} <= set(
        stages
    )
    assert any(stage.startswith("receiving, ") for stage in stages)
    network = open_network("place:Testville", cache=False)
    assert network.node_count == 6, "a walker takes the footway"
    assert network.data_date.startswith("2026-11-19")
    assert "OpenStreetMap" in network.attribution
    assert "ODbL" in network.attribution


@pytest.mark.parametrize("silent", [SEARCH, ROADS])
def test_cancel_stops_at_once_whatever_the_server_does(clean: Path, at: Any, silent: str) -> None:
    cancel = threading.Event()
    kept = clean / "places" / "testville-drive.osm.json"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"from before")
    nothing = Answer(silent_after=0)
    with at(world(search=nothing, roads=nothing)) as server:

        def cancel_when_asked() -> None:
            while not any(asked.path == silent for asked in server.asked):
                time.sleep(0.02)
            cancel.set()

        helper = threading.Thread(target=cancel_when_asked)
        helper.start()
        with pytest.raises(OpenCancelled):
            if silent == SEARCH:
                candidates("Testville", cancel=cancel)
            else:
                download(TOWN, cancel=cancel)
        helper.join()
    assert names(clean) == ["testville-drive.osm.json"]
    assert kept.read_bytes() == b"from before"


def test_what_the_other_process_refuses_is_raised_here(at: Any) -> None:
    with at(world(search=Answer(b"[]"))), pytest.raises(PlaceError, match="knows no place called 'Nowhere'"):
        candidates("Nowhere")


def test_an_area_without_roads_is_refused(here: None, at: Any) -> None:
    with at(world(roads=Answer(text(roads(elements=[]))))), pytest.raises(PlaceError, match="no roads to drive on"):
        download(TOWN)


def test_no_file_in_the_current_folder_or_on_pythonpath_is_executed(
    at: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each of these modules is imported by the other process, and would be taken from here."""
    trap, marker = tmp_path / "trap", tmp_path / "executed"
    trap.mkdir()
    for name in ("html", "json", "osmnx", "requests", "sitecustomize", "usercustomize", "wayfront"):
        (trap / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(trap)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(trap), ".", "")))
    monkeypatch.setenv("PYTHONUSERBASE", str(trap))
    with at(world()):
        assert candidates("Testville")[0].short_name == "Testville"
    assert not marker.exists(), marker.read_text()


def test_bare_sources_are_found_by_the_other_process() -> None:
    """Without installed packages (-S) only the folder that the command names is left to find this one in."""
    code = "import sys; sys.path.append(sys.argv[1]); import wayfront.safe.errors"
    subprocess.run([sys.executable, "-I", "-S", "-c", code, places._command()[-1]], check=True)


def test_a_process_that_dies_is_told_with_its_last_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\ncat > /dev/null; echo out of luck >&2; exit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(DownloadError, match="has failed: out of luck"):
        candidates("Testville")


def test_without_osmnx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "osmnx", None)
    monkeypatch.setattr(places, "find_spec", lambda _name: None)
    with pytest.raises(PlaceError, match=r"pip install 'wayfront\[places\]'"):
        candidates("Testville")


# ------------------------------------------------------------------------------------------------------ the geocoder


def test_candidates_tell_what_they_are_and_how_large(here: None, at: Any) -> None:
    street = {
        "osm_type": "way",
        "osm_id": 5,
        "name": "",
        "addresstype": "house_number",
        "display_name": "7, Rue Élan, Testville",
        "geojson": {"type": "Point", "coordinates": [7.02, 43.01]},
    }
    found_twice = found_place()
    with at(world(search=Answer(text([found_place(), found_twice, found_place(**street)])))) as server:
        town, house = candidates("Testville")
        query = server.asked[0].query
    assert query["q"] == "Testville"
    assert query["format"] == "json"
    assert (town.short_name, town.kind, town.bounds) == ("Testville", "town", (7.0, 43.0, 7.04, 43.03))
    assert town.km2 == pytest.approx(3.2535 * 3.3358, rel=1e-3)
    assert town.area().bounds == pytest.approx(town.bounds)
    assert (house.short_name, house.kind, house.km2) == ("7", "house number", 0.0)
    with pytest.raises(PlaceError, match="7 is a house number without an outline: say how far round it"):
        house.area()
    assert house.area(500).km2 == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    "changed",
    [
        {"lat": "nan"},
        {"lon": "181"},
        {"lon": "1e400"},
        {"lat": [1]},
        {"lat": None},
        {"boundingbox": ["1", "2", "3"]},
        {"boundingbox": "1234"},
        {"boundingbox": [43, 42, 7, 8]},
        {"boundingbox": [float("nan")] * 4},
        {"display_name": {"a": 1}},
        {"display_name": ""},
    ],
)
def test_a_record_that_is_no_place_is_left_out(here: None, at: Any, changed: dict[str, Any]) -> None:
    odd = found_place(osm_id=7, **changed)
    with at(world(search=[Answer(text([odd, 3, None, [], found_place()])), Answer(text([odd]))])):
        assert [place.short_name for place in candidates("Testville")] == ["Testville"]
        with pytest.raises(DownloadError, match=r"127\.0\.0\.1 sent is damaged \(nothing in it is a place\)"):
            candidates("Elsewhere")


@pytest.mark.parametrize(
    "coordinates",
    [
        [],
        [[]],
        5,
        None,
        [[[1, 2]]],
        [[[7, 43], [8, 43], [8, 44], ["x", 1]]],
        [[[7, 43], [8, 43], [8, 94], [7, 43]]],
        "abcd",
    ],
)
def test_an_outline_that_cannot_be_is_left_out(here: None, at: Any, coordinates: Any) -> None:
    shape = {"type": "Polygon", "coordinates": coordinates}
    with at(world(search=Answer(text([found_place(geojson=shape)])))):
        (found,) = candidates("Testville")
    assert found.outline is None
    assert found.km2 == 0


def test_names_from_the_geocoder_are_short_and_obeyed_by_nobody(here: None, at: Any) -> None:
    hostile = found_place(display_name="\x1b[2J\u202egnp" + "x" * 10_000, name="../../a\0\n", addresstype="\x07town")
    with at(world(search=Answer(text([hostile])))):
        (found,) = candidates("Testville")
    assert found.name.startswith("\\x1b[2J\\u202egnp")
    assert len(found.name) < 250
    assert (found.short_name, found.kind) == ("../../a\\x00\\n", "\\x07town")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"[" * 100_000),
        Answer(b'{"elements": 5}'),
        Answer(b'{"elements": [7]}'),
        Answer(b'{"elements": [{"type": [], "id": {}}]}'),
        Answer(b'{"elements": [], "osm3s": 3}'),
    ],
    ids=range(5),
)
def test_an_answer_of_another_kind_is_refused(here: None, at: Any, clean: Path, answer: Answer) -> None:
    with at(world(roads=answer)), pytest.raises(DownloadError, match=r"what 127\.0\.0\.1 sent is"):
        download(TOWN)
    assert names(clean) == []


def test_half_a_character_in_an_answer_is_written_as_a_question_mark(here: None, at: Any) -> None:
    answer = text(roads()).replace("Élan".encode(), b"\\ud800lan")
    with at(world(roads=Answer(answer))):
        assert "Rue ?lan" in download(TOWN).read_text("utf-8")


def test_an_answer_larger_than_memory_is_cut_off(here: None, at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osm_service, "_ALWAYS_BYTES", 100_000)
    monkeypatch.setattr(osm_service, "available_bytes", lambda: 0)
    packed = gzip.compress(b'{"elements": [' + b" " * 1_000_000 + b"]}")
    describe_bomb = pytest.raises(DownloadError, match=r"sends more than this machine can hold \(100 kB\)")
    with at(world(roads=Answer(packed, headers={"Content-Encoding": "gzip"}))), describe_bomb:
        download(TOWN)


def test_the_same_question_is_asked_once(here: None, at: Any) -> None:
    with at(world()) as server:
        assert candidates("Testville") == candidates("Testville")
        download(TOWN)
        download(TOWN)
    assert [asked.path for asked in server.asked] == [SEARCH, STATUS, ROADS, STATUS, ROADS], (
        "roads, then what is round them"
    )
    download(TOWN)  # also when there is no network any more


def test_an_old_or_damaged_answer_is_asked_for_anew(here: None, at: Any, tmp_path: Path) -> None:
    with at(world()) as server:
        candidates("Testville")
        (kept,) = (tmp_path / "cache" / "openstreetmap").glob("*.json")
        kept.write_text('[{"cut o')
        assert candidates("Testville")[0].short_name == "Testville"
        (kept,) = (tmp_path / "cache" / "openstreetmap").glob("*.json")
        os.utime(kept, (0, time.time() - 8 * 24 * 3600))
        candidates("Testville")
    assert [asked.path for asked in server.asked] == [SEARCH] * 3


def test_an_empty_question_is_not_asked() -> None:
    with pytest.raises(PlaceError, match="which place"):
        candidates("   ")


# -------------------------------------------------------------------------------------------------- busy and broken


def test_a_busy_server_is_asked_again_when_it_says(here: None, at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(osm_service, "_count_down", lambda seconds, _service: waits.append(seconds))
    date = email.utils.formatdate(time.time() + 90, usegmt=True)
    answers = [
        Answer(BUSY_PAGE, 429, {"Retry-After": "7"}),
        Answer(BUSY_PAGE, 429, {"Retry-After": date}),
        Answer(BUSY_PAGE, 504),
        Answer(text(roads())),
    ]
    with at(world(roads=answers)):
        download(TOWN)
    assert waits == [7.0, pytest.approx(90, abs=3), osm_service.USUAL_WAIT_S[504]]


def test_the_wait_is_told_second_by_second(here: None, at: Any) -> None:
    stages: list[str] = []
    with at(world(search=[Answer(b"", 429, {"Retry-After": "1"}), Answer(text([found_place()]))])):
        candidates("Testville", progress=lambda stage, _: stages.append(stage))
    assert "127.0.0.1 is busy: asking again in 1 s" in stages


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(BUSY_PAGE, 429, {"Retry-After": "3600"}), "127.0.0.1 is busy (429) and asks to wait 3600 s"),
        (Answer(BUSY_PAGE, 504, {"Retry-After": "soon"}), "127.0.0.1 is busy (504) and has no time: try again later"),
        (Answer(BUSY_PAGE, 400), "refuses with 400: runtime error: open64: 0 Success Dispatcher_Client::timeout."),
        (Answer(b"", 404), "127.0.0.1 refuses with 404"),
        (Answer(text(roads())[:400]), "is cut off, or no JSON: try again"),
        (Answer(b"<html>Log in to this network</html>"), "is cut off, or no JSON: try again"),
        (Answer(text(roads()), break_after=300), "the connection to 127.0.0.1 broke off: try again"),
        (Answer(text(roads(remark="runtime error: Query timed out in \"query\" at line 1 after 25 seconds."))),
         "gave up (runtime error: Query timed out in \"query\" at line 1 after 25 seconds.): take a smaller area"),
        (Answer(silent_after=0), "did not answer within 1 s: take a smaller area"),
        (Answer(text(roads()), silent_after=300), "did not answer within 1 s: take a smaller area"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_plainly_and_leaves_nothing(
    here: None, at: Any, clean: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer, message: str
) -> None:
    monkeypatch.setattr(osm_service, "_count_down", lambda _seconds, _service: None)
    with at(world(roads=answer)), pytest.raises(DownloadError) as refused:
        download(TOWN, timeout_s=1)
    assert message in str(refused.value)
    assert names(clean) == []


def test_no_network_is_told_at_once(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv("WAYFRONT_OVERPASS", f"http://127.0.0.1:{port}/api")
    monkeypatch.setenv("WAYFRONT_NOMINATIM", "http://nominatim.invalid/")
    started = time.monotonic()
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1 cannot be reached: there may be no connection"):
        download(TOWN)

    def no_names(*_address: object, **_options: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "no names here")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", no_names)
        with pytest.raises(DownloadError, match=r"nominatim\.invalid cannot be reached.* in WAYFRONT_NOMINATIM"):
            candidates("Testville")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("status", [Answer(UNLIMITED), Answer(b"", 404), Answer(b"what is this?")])
def test_a_server_without_slots_is_asked_without_waiting(here: None, at: Any, status: Answer) -> None:
    started = time.monotonic()
    with at(world(status=status)) as server:
        download(TOWN)
    assert [asked.path for asked in server.asked] == [STATUS, ROADS, ROADS]
    assert time.monotonic() - started < 10


# ----------------------------------------------------------------------------------------------------- what is asked


def test_each_network_type_asks_for_its_roads(here: None, at: Any) -> None:
    queries = {}
    with at(world()) as server:
        for network_type in DOWNLOADABLE:
            server.asked.clear()
            download(TOWN, network_type)
            queries[network_type] = next(asked.body["data"] for asked in server.asked if asked.path == ROADS)
    for query in queries.values():
        assert query.startswith("[out:json][timeout:180]")
        assert "43.000000 7.000000" in query
    assert len(set(queries.values())) == 3
    assert '["foot"!~"no"]' in queries["walk"]
    assert '["bicycle"!~"no"]' in queries["bike"]
    with pytest.raises(PlaceError, match="no network type 'fly'; choose drive, walk, bike"):
        download(TOWN, "fly")


def test_places_and_water_come_with_the_roads_or_are_done_without(here: None, at: Any) -> None:
    town = {"type": "node", "id": 900, "lat": 43.01, "lon": 7.01, "tags": {"place": "town", "name": "Testville"}}
    stages: list[str] = []
    with at(world(roads=[Answer(text(roads())), Answer(text(roads(elements=[town])))])) as server:
        around = open_network(download(TOWN), cache=False).surroundings
        query = server.asked[-1].body["data"]
    assert around is not None and around.names == ("Testville",)
    assert all(part in query for part in ('node["place"~"^(', 'relation["natural"~"^(coastline|', "43.000000 7.000000"))
    with at(world(roads=[Answer(text(roads())), Answer(b"", 400)])):
        path = download(TOWN, "walk", progress=lambda stage, _: stages.append(stage))
        assert open_network(path, cache=False).node_count == 6
    assert any(stage.startswith("going on without places, water and parks: 127.0.0.1 refuses") for stage in stages)


def test_a_large_area_comes_in_pieces_and_what_lies_on_their_border_once(here: None, at: Any, clean: Path) -> None:
    def half(asked: Asked) -> Answer:
        date = f"2026-11-{10 + len([a for a in server.asked if a.path == ROADS])}T00:00:00Z"
        return Answer(text(roads(osm3s={"timestamp_osm_base": date, "copyright": LICENCE})))

    wide = Area.of_bounds(7.0, 43.0, 7.8, 43.6, "Wideland")
    with at(world(roads=half)) as server:
        path = download(wide)
    answer = json.loads(path.read_text(encoding="utf-8"))
    assert len([asked for asked in server.asked if asked.path == ROADS]) > 1
    assert len(answer["elements"]) == 9
    assert answer["osm3s"]["timestamp_osm_base"] == "2026-11-11T00:00:00Z", "the oldest piece dates the whole"
    assert answer["wayfront"]["name"] == "Wideland"


def test_too_large_an_area_is_refused_with_an_estimate_and_another_way() -> None:
    iceland = Area.of_bounds(-24.5, 63.4, -13.6, 66.5, "Iceland")
    with pytest.raises(PlaceError) as refused:
        download(iceland)
    message = str(refused.value)
    assert message == too_large(iceland)
    assert "Iceland has 1" in message
    assert "km²" in message
    assert "https://download.geofabrik.de" in message
    low, high = expected_arcs(103_000)
    assert low < 1_061_990 < high, "the arcs of Iceland are between the two"


@pytest.mark.parametrize(
    "bounds",
    [(7, 43, 6, 44), (7, 43, 7, 44), (7, 44, 8, 43), (170, 0, 190, 1), (0, 80, 1, 91), (float("nan"), 0, 1, 1)],
)
def test_impossible_bounds_are_refused(bounds: tuple[float, float, float, float]) -> None:
    with pytest.raises(PlaceError, match="bounds go from west to east"):
        Area.of_bounds(*bounds)


@pytest.mark.parametrize("radius", [0, -5, float("nan"), 1e9])
def test_impossible_radii_are_refused(radius: float) -> None:
    with pytest.raises(PlaceError, match="a radius is more than 0"):
        Area.around(7, 43, radius)


def test_areas_are_measured_on_the_sphere() -> None:
    eighth = Area.of_bounds(0, 0, 90, 90)
    assert eighth.km2 == pytest.approx(510_065_600 / 8, rel=1e-4)
    outer, hole = [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]], [[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5], [0.5, 0.5]]
    ring = Area("ring", {"type": "MultiPolygon", "coordinates": [[outer, hole]]})
    assert ring.km2 == pytest.approx(Area.of_bounds(0, 0, 2, 2).km2 - Area.of_bounds(0.5, 0.5, 1.5, 1.5).km2)


def test_a_name_leads_to_no_file_outside_the_folder(clean: Path) -> None:
    (clean / "places").mkdir(parents=True)
    (clean / "secret.osm.json").write_bytes(b"{}")
    for name in ("../secret", f"{clean}/secret", "places/../../secret", "x" * 5000, "a\0b", "\udcff"):
        with pytest.raises(DownloadError, match="is not on this machine yet"):
            locate(f"place:{name}")
    (clean / "places" / "secret.osm.json").write_bytes(b"{}")
    assert locate("place:../secret") == clean / "places" / "secret.osm.json"


def test_what_was_not_downloaded_says_how_to_get_it() -> None:
    with pytest.raises(DownloadError, match="get it with 'wayfront fetch \"place:Monaco\"'"):
        open_network("place:Monaco")
    with pytest.raises(DownloadError, match="get it with 'wayfront fetch dimacs:NY'"):
        open_network("dimacs:NY")
