"""Ask OpenStreetMap's services through OSMnx: the geocoder (Nominatim) for places, Overpass for roads.

Runs as a process of its own for ``wayfront.sources.places``: one JSON request on standard input, lines of JSON on
standard output (progress, then the answer).

OSMnx writes the queries (which ways are for which traffic, large areas in pieces), caches every answer, and waits
between requests to the geocoder and for a free slot of Overpass. Two things are done here. Where a server is busy
(429, 504) OSMnx would sleep for 55 seconds, repeatedly and silently; so a hook of ``requests`` inspects each answer
first, and the wait is the one that the server asks for, reported and bounded. And OSMnx has no public call for several
candidates or for raw data: the private functions used here are unchanged since OSMnx 2.0, and tests check them.
"""

from __future__ import annotations

import email.utils
import html
import json
import os
import re
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from wayfront.formats.options import NETWORK_TYPES
from wayfront.formats.osm.surroundings import ASKED
from wayfront.safe.errors import DownloadError, PlaceError
from wayfront.safe.memory import available_bytes
from wayfront.safe.text import format_bytes, printable
from wayfront.sources import cache
from wayfront.sources.download import USER_AGENT, ProgressCallback

if TYPE_CHECKING:
    import requests


T = TypeVar("T")

NOMINATIM = "https://nominatim.openstreetmap.org/"
OVERPASS = "https://overpass-api.de/api"
"""The services that are asked unless ``WAYFRONT_NOMINATIM`` and ``WAYFRONT_OVERPASS`` name others."""

LONGEST_WAIT_S = 300.0
"""How long all waits for a busy server may be together."""
USUAL_WAIT_S = {429: 15.0, 503: 30.0, 504: 30.0}
"""How long to wait after a busy answer without a Retry-After header."""
CONNECT_S = 15.0
GEOCODER_S = 30.0
_ANSWERS = "openstreetmap"
"""The folder of cached answers in the cache."""
CACHE_DAYS = 7
"""Days after which an answer is requested again: OpenStreetMap changes by the minute."""

_ALWAYS_BYTES, _MEMORY_PER_BYTE = 64 << 20, 16
"""An answer may have 64 MiB, and beyond that what fits into memory as objects: 16 bytes for each of its text."""
_SLOT_POLLS = 60
"""How often OSMnx may poll, every 5 seconds, whether a running query of this address has ended."""


class _BusyError(Exception):
    """The server asks to retry later."""

    def __init__(self, status: int, seconds: float | None) -> None:
        super().__init__(status)
        self.status = status
        self.seconds = seconds


class _AskAgainError(Exception):
    """The same request can be sent again at once: a setting was corrected."""


def find_candidates(query: str, limit: int, report: ProgressCallback) -> list[dict[str, Any]]:
    """Return the geocoder's records for this name. Raises ``DownloadError``."""
    service = _Service(_chosen("WAYFRONT_NOMINATIM", NOMINATIM), "WAYFRONT_NOMINATIM", GEOCODER_S, report)
    _set_up_osmnx(service)
    from osmnx import _nominatim

    report("asking the geocoder", -1.0)
    found = _patiently(lambda: _nominatim._download_nominatim_element(query, limit=limit), service)
    return _checked(service, lambda: checked_places(found))


def download_roads(request: dict[str, Any], report: ProgressCallback) -> None:
    """Write the roads of an area to ``request["part"]`` as one Overpass answer.

    Raises ``DownloadError`` and ``PlaceError``.
    """
    url = _chosen("WAYFRONT_OVERPASS", OVERPASS)
    service = _Service(url, "WAYFRONT_OVERPASS", request["timeout_s"], report)
    network_type, name = request["network_type"], request["name"]
    _set_up_osmnx(service)
    from osmnx import _overpass

    outline = import_module("shapely.geometry").shape(request["outline"])
    report("asking the server for roads", -1.0)

    def ask() -> list[dict[str, Any]]:  # whose pieces that came before a wait are in the cache
        return list(_overpass._download_overpass_network(outline, NETWORK_TYPES[network_type].osmnx_filter, None))

    answers = _patiently(ask, service)
    pieces = _checked(service, lambda: checked_pieces(answers))
    for piece in pieces:
        remark = str(piece.get("remark", ""))
        if remark.startswith("runtime error"):
            raise DownloadError(f"{service.host} gave up ({remark}): take a smaller area, or try again later")
    if not any(element["type"] == "way" for piece in pieces for element in piece.get("elements", ())):
        raise PlaceError(
            f"OpenStreetMap has no roads {NETWORK_TYPES[network_type].purpose} in {name}: take a larger area"
        )
    around = _around(outline, service)
    report("writing the file", -1.0)
    dates = [str(piece.get("osm3s", {}).get("timestamp_osm_base", "")) for piece in pieces]
    asked = {"name": name, "network_type": network_type, "service": url}
    _write(Path(request["part"]), pieces[0], min(dates), asked, _merged([*pieces, *around]))


def _around(outline: Any, service: _Service) -> list[dict[str, Any]]:
    """Return the answers with places, water and parks in an area, none where the server refuses: roads do without."""
    from osmnx import _overpass

    service.report("asking the server for places, water and parks", -1.0)

    def ask() -> list[dict[str, Any]]:
        head = _overpass._make_overpass_settings()
        areas = _overpass._make_overpass_polygon_coord_strs(outline)
        return [_overpass._overpass_request(OrderedDict(data=surroundings_query(head, area))) for area in areas]

    try:
        answers = _patiently(ask, service)
        return _checked(service, lambda: checked_pieces(answers))
    except DownloadError as problem:
        service.report(f"going on without places, water and parks: {problem}", -1.0)
        return []


def _checked(service: _Service, check: Callable[[], T]) -> T:
    """Return what a check of an answer returns. Raises ``DownloadError`` where the answer is not what was asked for."""
    try:
        return check()
    except ValueError as problem:
        raise DownloadError(f"what {service.host} sent is damaged ({problem}): try again later") from None


def _merged(pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the elements of all pieces without duplicates."""
    found = {(e.get("type"), e.get("id")): e for piece in pieces for e in piece.get("elements", ())}
    return list(found.values())


def _write(path: Path, head: dict[str, Any], date: str, asked: dict[str, Any], elements: list[dict[str, Any]]) -> None:
    """Write an Overpass answer. JSON can name halves of characters, which become question marks."""
    answer = {
        "version": head.get("version", 0.6),
        "generator": head.get("generator", ""),
        "osm3s": {**head.get("osm3s", {}), "timestamp_osm_base": date},
        "wayfront": asked,
        "elements": elements,
    }
    path.write_text(json.dumps(answer, ensure_ascii=False), "utf-8", "replace")


# ------------------------------------------------------------------------------------------- OSMnx and its settings


@dataclass(slots=True)
class _Service:
    """A server: its URL, the environment variable that names another one, its time limit, the progress callback."""

    url: str
    variable: str
    timeout_s: float
    report: ProgressCallback
    polls: int = 0

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or self.url

    def on_response(self, response: requests.Response, **_options: Any) -> None:
        """Inspect an answer before OSMnx does. Raises what ``_patiently`` handles, and ``DownloadError``."""
        if response.is_redirect:
            return
        if response.ok and not urlsplit(response.url).path.endswith("/status"):
            self._receive(response)
            return
        with closing(response):
            if response.status_code in USUAL_WAIT_S:
                raise _BusyError(response.status_code, _retry_after(response.headers.get("Retry-After", "")))
            if not urlsplit(response.url).path.endswith("/status"):
                raise DownloadError(f"{self.host} refuses with {response.status_code}{_reason(response.text)}")
            self._look_at_slots(response.text if response.ok else "")

    def _receive(self, response: requests.Response) -> None:
        """Read an answer and keep it there for OSMnx, reporting how much has come. Raises ``DownloadError``."""
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() else None
        content, most = bytearray(), max(_ALWAYS_BYTES, available_bytes() // _MEMORY_PER_BYTE)
        for piece in response.iter_content(1 << 16):
            content += piece
            if len(content) > most:
                raise DownloadError(
                    f"{self.host} sends more than this machine can hold ({format_bytes(most)}): take a smaller area"
                )
            received = response.raw.tell()
            self.report(f"receiving, {format_bytes(received, total)}", min(received / total, 1.0) if total else -1.0)
        response._content = bytes(content)

    def _look_at_slots(self, status: str) -> None:
        """Report a wait for a free slot, which OSMnx then makes. Raises ``_AskAgainError`` where there are no slots."""
        from osmnx import settings

        wait = re.search(r"^Slot available after: .*in (-?\d+) seconds", status, re.MULTILINE)
        if re.search(r"^\d+ slots? available now", status, re.MULTILINE):
            self.report("asking the server for roads", -1.0)
        elif wait:
            if int(wait[1]) > LONGEST_WAIT_S:
                raise DownloadError(f"{self.host} has no time for this address for {wait[1]} s: try again then")
            self.report(f"waiting {max(int(wait[1]), 1)} s for a free slot of {self.host}", -1.0)
        elif re.search(r"^Rate limit: [1-9]", status, re.MULTILINE):
            self.polls += 1
            if self.polls > _SLOT_POLLS:
                raise DownloadError(f"{self.host} still works on another query of this address: try again later")
            self.report(f"waiting for a free slot of {self.host}", -1.0)
        else:  # a private server without slots, which OSMnx would poll for ever
            settings.overpass_rate_limit = False
            raise _AskAgainError


def _set_up_osmnx(service: _Service) -> None:
    """Set OSMnx up for this service, its waits and our reports: its settings are this process's."""
    from osmnx import settings

    folder = cache.subfolder(_ANSWERS)
    if folder is not None:
        _drop_old(folder)
    ours: dict[str, Any] = {
        "cache_folder": folder,
        "use_cache": folder is not None,
        "doh_url_template": None,
        "http_referer": USER_AGENT,
        "http_user_agent": USER_AGENT,
        "nominatim_url": service.url,
        "overpass_rate_limit": _reachable(service.url),  # else it would wait a minute for a status that cannot come
        "overpass_url": service.url,
        "requests_kwargs": {"stream": True, "hooks": {"response": service.on_response}},
        "requests_timeout": max(int(service.timeout_s), 1),
    }
    for name, value in ours.items():
        setattr(settings, name, value)


def _patiently(ask: Callable[[], T], service: _Service) -> T:
    """Return the result of ``ask``, retrying after the wait that a busy server asks for. Raises ``DownloadError``."""
    import requests
    from osmnx._errors import InsufficientResponseError

    waited, damaged = 0.0, False
    while True:
        try:
            return ask()
        except _AskAgainError:
            continue
        except _BusyError as busy:
            seconds = USUAL_WAIT_S[busy.status] if busy.seconds is None else busy.seconds
            waited += max(seconds, 1.0)
            if waited > LONGEST_WAIT_S:
                raise DownloadError(_too_busy(service, busy, seconds)) from None
            _count_down(seconds, service)
        except json.JSONDecodeError:
            if damaged:
                raise DownloadError(f"the cached answer is damaged: delete {cache.folder()}") from None
            damaged = True
            _drop_old(cache.folder() / _ANSWERS, days=-1)
        except (InsufficientResponseError, RecursionError):
            raise DownloadError(f"what {service.host} sent is cut off, or no JSON: try again") from None
        except requests.RequestException as problem:
            raise DownloadError(_failed(service, problem)) from None


def _count_down(seconds: float, service: _Service) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        service.report(f"{service.host} is busy: asking again in {left:.0f} s", -1.0)
        time.sleep(min(left, 1.0))


# --------------------------------------------------------------------------------------------------- messages


def _failed(service: _Service, problem: requests.RequestException) -> str:
    import requests
    from urllib3.exceptions import ReadTimeoutError

    late = isinstance(problem, requests.Timeout) or any(isinstance(a, ReadTimeoutError) for a in problem.args)
    if late:
        return (
            f"{service.host} did not answer within {service.timeout_s:g} s: take a smaller area, try again later, or "
            f"name another server in {service.variable}"
        )
    if isinstance(problem, requests.exceptions.ChunkedEncodingError):
        return f"the connection to {service.host} broke off: try again"
    if isinstance(problem, requests.exceptions.SSLError):
        return f"{service.host} has no valid certificate"
    if isinstance(problem, requests.ConnectionError):
        return (
            f"{service.host} cannot be reached: there may be no connection to the internet. Check it, or name another "
            f"server in {service.variable}"
        )
    return f"{service.host} could not be asked ({type(problem).__name__}): check {service.variable}"


def _too_busy(service: _Service, busy: _BusyError, seconds: float) -> str:
    when = f"asks to wait {seconds:.0f} s" if busy.seconds is not None else "has no time"
    return (
        f"{service.host} is busy ({busy.status}) and {when}: try again later, or name another server in "
        f"{service.variable}"
    )


def _reason(page: str) -> str:
    """Return the error in a page of Overpass, with a colon before it, or an empty string."""
    text = html.unescape(re.sub(r"<[^<>]*>", "", page))
    found = re.search(r"Error\s*:\s*(.+)", text)
    return f": {printable(found[1].strip()[:300])}" if found else ""


def _retry_after(header: str) -> float | None:
    """Return the seconds of a Retry-After header, which holds seconds or a date; None where it holds neither."""
    if header.strip().isdecimal():
        return float(header)
    with suppress(TypeError, ValueError):
        return max(email.utils.parsedate_to_datetime(header).timestamp() - time.time(), 0.0)
    return None


def _reachable(url: str) -> bool:
    """Return whether something listens at this address, or a proxy is configured for it."""
    import requests

    if requests.utils.select_proxy(url, requests.utils.get_environ_proxies(url)):
        return True
    address = urlsplit(url)
    try:
        port = address.port or {"http": 80}.get(address.scheme, 443)
        with socket.create_connection((address.hostname or "", port), CONNECT_S):
            return True
    except (OSError, ValueError):
        return False


def _drop_old(folder: Path, days: float = CACHE_DAYS) -> None:
    with suppress(OSError):
        for path in folder.glob("*.json"):
            if path.stat().st_mtime < time.time() - days * 24 * 3600:
                path.unlink()


def _chosen(variable: str, usual: str) -> str:
    return os.environ.get(variable, "").strip() or usual


def main() -> None:
    """Answer the one request on standard input."""
    request = json.loads(sys.stdin.read())

    def say(record: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()

    def report(stage: str, fraction: float) -> None:
        say({"stage": stage, "fraction": fraction})

    try:
        if request["task"] == "candidates":
            say({"found": find_candidates(request["query"], request["limit"], report)})
        else:
            download_roads(request, report)
            say({})
    except PlaceError as problem:
        say({"place": str(problem)})
    except DownloadError as problem:
        say({"download": str(problem)})


_LONGEST_NAME = 200
_MOST_POINTS = 1_000_000
"""Most points of a place's outline; the most of any real one are a tenth of that."""
_SHORTEST_RING = 4


def checked_places(records: Any) -> list[dict[str, Any]]:
    """Return the geocoder's records that are places, as what a ``places.Candidate`` is made of, each once.

    Others are left out, as is an outline that is no polygon on the Earth. Raises ``ValueError`` where none is a place.
    """
    if not isinstance(records, list):
        raise ValueError("it is no list")  # noqa: TRY004 - wrong content, not a wrong call
    places: dict[tuple[str, str], dict[str, Any]] = {}
    for record in records:
        with suppress(KeyError, TypeError, ValueError, OverflowError):
            place = _place(record)
            places.setdefault((_text(record.get("osm_type")), _text(record.get("osm_id"))), place)
    if records and not places:
        raise ValueError("nothing in it is a place")
    return list(places.values())


def checked_pieces(pieces: Iterable[Any]) -> list[dict[str, Any]]:
    """Return Overpass answers whose elements are objects. Raises ``ValueError``."""
    checked = list(pieces)
    for piece in checked:
        if not (isinstance(piece, dict) and isinstance(piece.get("osm3s", {}), dict)):
            raise ValueError("it is no answer of an Overpass server")  # noqa: TRY004
        elements = piece.get("elements", [])
        if not (isinstance(elements, list) and all(map(_is_element, elements))):
            raise ValueError("its elements are none")
    return checked


def _is_element(element: Any) -> bool:
    return isinstance(element, dict) and isinstance(element.get("type"), str) and type(element.get("id")) is int


def _place(record: Any) -> dict[str, Any]:
    longitude, latitude = _position((record["lon"], record["lat"]))
    south, north, west, east = (float(value) for value in record["boundingbox"])
    if not (
        isinstance(record["boundingbox"], list)
        and _position((west, south)) <= _position((east, north))
        and south <= north
    ):
        raise ValueError
    name = _text(record["display_name"])
    if not name:
        raise ValueError
    kind = _text(record.get("addresstype")) or _text(record.get("type")) or "place"
    return {
        "name": name,
        "short_name": _text(record.get("name")) or name.split(",", maxsplit=1)[0],
        "kind": kind.replace("_", " "),
        "longitude": longitude,
        "latitude": latitude,
        "bounds": (west, south, east, north),
        "outline": _outline(record.get("geojson")),
    }


def _text(value: Any) -> str:
    return printable(str(value)[:_LONGEST_NAME]) if isinstance(value, str | int) else ""


def _position(pair: Any) -> tuple[float, float]:
    """Return longitude and latitude. Raises ``ValueError`` where they are not on the Earth."""
    longitude, latitude = float(pair[0]), float(pair[1])
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):  # false for no number, too
        raise ValueError
    return longitude, latitude


def _outline(shape: Any) -> dict[str, Any] | None:
    """Return a polygon or several, None for any other shape and for one that cannot be."""
    if not isinstance(shape, dict) or shape.get("type") not in ("Polygon", "MultiPolygon"):
        return None
    several = shape["type"] == "MultiPolygon"
    try:
        polygons = [_rings(rings) for rings in (shape["coordinates"] if several else [shape["coordinates"]])]
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None
    if not polygons or sum(len(ring) for rings in polygons for ring in rings) > _MOST_POINTS:
        return None
    return {"type": shape["type"], "coordinates": polygons if several else polygons[0]}


def _rings(rings: Any) -> list[list[tuple[float, float]]]:
    checked = [[_position(point) for point in ring] for ring in rings]
    if not checked or any(len(ring) < _SHORTEST_RING for ring in checked):
        raise ValueError
    return checked


def surroundings_query(settings: str, area: str) -> str:
    """Return the query of what lies round roads and of restrictions of turns.

    ``settings`` begin it, and ``area`` is a list of latitudes and longitudes.

    One statement a key, and not one a tag as OSMnx would write, each with the whole outline of the area.
    """
    wanted = {key: "|".join(values) for key, values in ASKED.items()}
    places = f'node["place"~"^({wanted.pop("place")})$"]["name"](poly:{area!r});'
    areas = [
        f'{kind}["{key}"~"^({values})$"](poly:{area!r});'
        for key, values in wanted.items()
        for kind in ("way", "relation")
    ]
    turns = f'relation["type"="restriction"](poly:{area!r});'
    return f"{settings};({places}{turns}{''.join(areas)});(._;>;);out;"
