"""Places of OpenStreetMap by name, by point and radius, or by bounds: find them, and download their roads.

    found = candidates("Monaco")                      # the geocoder's candidates for that name
    path = download(found[0].area(), "drive")         # the roads, as a file that ``open_network`` reads

The geocoder is Nominatim and the roads come from the Overpass service, both asked through OSMnx (see
``osm_service``) in a process of its own: OSMnx keeps its settings in global variables, exchanges a function of
``socket`` and may sleep for minutes, and it loads pandas and shapely. A process can be stopped at once, and isolates
all of that. Both services are donated, so nothing here sends the same request twice.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from wayfront.formats.options import DOWNLOADABLE, DRIVE
from wayfront.safe.errors import DownloadError, OpenCancelled, PlaceError
from wayfront.sources.download import ProgressCallback, part_of, when_cancelled
from wayfront.sources.store import PLACE, PLACE_SUFFIX, folder, place_stem, split_name

LARGEST_KM2 = 5_000.0
"""Default limit: a larger area takes the public service minutes and hundreds of MB."""
ARCS_PER_KM2 = (10, 450)
"""In a country with empty lands (Iceland has 10), and in a dense city (Shibuya has 490, Monaco 410, Porto 320)."""
KM2_PER_REQUEST = 2_500.0
"""OSMnx asks for a larger area in pieces of this size."""
TIMEOUT_S = 180.0
"""How long the services may take to answer; also sent to Overpass as its limit."""

_EARTH_RADIUS_KM = 6371.0088
_KILOMETRES_PER_DEGREE = math.pi * _EARTH_RADIUS_KM / 180
_LARGEST_RADIUS_M = 200_000

Ring = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the Earth; ``outline`` is a GeoJSON polygon or multipolygon in degrees."""

    name: str
    outline: Mapping[str, Any]

    @classmethod
    def of_bounds(cls, west: float, south: float, east: float, north: float, name: str = "") -> Area:
        """Return the rectangle between these degrees. Raises ``PlaceError`` where they do not form one."""
        sane = -180 <= west < east <= 180 and -90 <= south < north <= 90
        if not sane:
            raise PlaceError(
                "bounds go from west to east and from south to north, in degrees, and not across the 180th meridian; "
                f"{west:g},{south:g},{east:g},{north:g} do not"
            )
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        name = name or f"{west:.4f},{south:.4f},{east:.4f},{north:.4f}"
        return cls(name, {"type": "Polygon", "coordinates": [ring]})

    @classmethod
    def around(cls, longitude: float, latitude: float, radius_m: float, name: str = "") -> Area:
        """Return the square with this half width round a point. Raises ``PlaceError`` for an impossible one."""
        if not 0 < radius_m <= _LARGEST_RADIUS_M:
            raise PlaceError(f"a radius is more than 0 and at most {_LARGEST_RADIUS_M:,} m, not {radius_m:g}")
        up = radius_m / 1000 / _KILOMETRES_PER_DEGREE
        across = up / max(math.cos(math.radians(latitude)), 1e-6)
        name = name or f"{latitude:.4f},{longitude:.4f}"
        return cls.of_bounds(longitude - across, latitude - up, longitude + across, latitude + up, name)

    @property
    def km2(self) -> float:
        """Area in km² without holes."""
        return sum(_ring_km2(rings[0]) - sum(_ring_km2(hole) for hole in rings[1:]) for rings in self._polygons)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north in degrees."""
        points = [point for rings in self._polygons for point in rings[0]]
        longitudes, latitudes = [point[0] for point in points], [point[1] for point in points]
        return min(longitudes), min(latitudes), max(longitudes), max(latitudes)

    @property
    def _polygons(self) -> Sequence[Sequence[Ring]]:
        coordinates: Sequence[Any] = self.outline["coordinates"]
        return [coordinates] if self.outline["type"] == "Polygon" else coordinates


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that the geocoder found by a name.

    ``kind`` is the geocoder's category (city, country, suburb, road …); ``bounds`` are west, south, east,
    north; ``outline`` is None where a place is only a point or a line, such as an address.
    """

    name: str
    short_name: str
    kind: str
    longitude: float
    latitude: float
    bounds: tuple[float, float, float, float]
    outline: Mapping[str, Any] | None

    def area(self, radius_m: float | None = None) -> Area:
        """Return its outline, or the square of ``radius_m`` round it. Raises ``PlaceError`` where it has none."""
        if radius_m is not None:
            return Area.around(self.longitude, self.latitude, radius_m, self.short_name)
        if self.outline is None:
            raise PlaceError(f"{self.short_name} is a {self.kind} without an outline: say how far round it, in metres")
        return Area(self.short_name, self.outline)

    @property
    def km2(self) -> float:
        """Area in km², 0 without an outline."""
        return 0.0 if self.outline is None else Area(self.name, self.outline).km2


def candidates(
    query: str, *, progress: ProgressCallback | None = None, cancel: threading.Event | None = None, limit: int = 8
) -> tuple[Candidate, ...]:
    """Return the geocoder's candidates for a place or an address, the likeliest first.

    Raises ``PlaceError`` where it finds none, ``DownloadError`` and ``OpenCancelled``.
    """
    query = " ".join(query.split())
    if not query:
        raise PlaceError("which place? Write its name, such as 'Porto, Portugal'")
    request = {"task": "candidates", "query": query, "limit": limit}
    answer = _ask(request, progress or _say_nothing, cancel or threading.Event())
    found = tuple(Candidate(**{**record, "bounds": tuple(record["bounds"])}) for record in answer["found"])
    if not found:
        raise PlaceError(f"OpenStreetMap knows no place called {query!r}: check the spelling, or add the country")
    return found


def download(
    area: Area,
    network_type: str = DRIVE,
    *,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
    largest_km2: float = LARGEST_KM2,
    timeout_s: float = TIMEOUT_S,
) -> Path:
    """Download the roads of an area and return the file to open; an older file is replaced.

    The file is the Overpass answer with all its tags and the request. A cancel or a failure leaves an older file
    unchanged. Raises ``PlaceError`` (no roads, too large), ``DownloadError`` and ``OpenCancelled``.
    """
    if network_type not in DOWNLOADABLE:
        raise PlaceError(f"there is no network type {network_type!r}; choose {', '.join(DOWNLOADABLE)}")
    if area.km2 > largest_km2:
        raise PlaceError(too_large(area, largest_km2))
    report, cancel = progress or _say_nothing, cancel or threading.Event()
    path = folder(PLACE) / (place_stem(area.name, network_type) + PLACE_SUFFIX)
    with part_of(path, area.name, report, cancel) as part:
        request = {
            "task": "roads",
            "outline": area.outline,
            "name": area.name,
            "network_type": network_type,
            "part": str(part),
            "timeout_s": timeout_s,
        }
        try:
            _ask(request, report, cancel)
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return path


def locate(name: str) -> Path:
    """Return the file to open for ``place:Monaco`` or ``place:monaco-walk``. Raises ``DownloadError`` if not here."""
    key = split_name(name)
    title = key[1] if key else name
    stems = [title, *(place_stem(title, network_type) for network_type in DOWNLOADABLE)]
    for stem in stems:
        path = folder(PLACE) / f"{Path(stem).name}{PLACE_SUFFIX}"
        if os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where a name is too long for a file
            return path
    raise DownloadError(f"{name} is not on this machine yet: get it with 'wayfront fetch \"{PLACE}:{title}\"'")


def too_large(area: Area, largest_km2: float = LARGEST_KM2) -> str:
    """Return a message why an area is too large for a public service, and what to do instead."""
    low, high = expected_arcs(area.km2)
    requests = math.ceil(area.km2 / KM2_PER_REQUEST)
    return (
        f"{area.name} has {area.km2:,.0f} km², and more than {largest_km2:,.0f} km² are too much to ask a public "
        f"service for: {_round(low)} to {_round(high)} arcs in about {requests:,} requests. Take a part of it, or get "
        "the extract of the region from https://download.geofabrik.de and open that .osm.pbf file"
    )


def expected_arcs(km2: float) -> tuple[int, int]:
    """Return the least and the most arcs of a network of this area, from empty country to dense city."""
    low, high = ARCS_PER_KM2
    return round(km2 * low), round(km2 * high)


# ------------------------------------------------------------------------------------------ the other process


def _ask(request: Mapping[str, Any], report: ProgressCallback, cancel: threading.Event) -> dict[str, Any]:
    """Return another process's answer to a request; the process is stopped as soon as ``cancel`` is set."""
    if find_spec("osmnx") is None:
        raise PlaceError("places need OSMnx, which is not installed: pip install 'wayfront[places]'")
    report("starting", -1.0)
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows would show a terminal
        )
        try:
            with when_cancelled(cancel, process.kill), process:
                answer = _talk(process, request, report)
        except BaseException:
            process.kill()
            raise
        if cancel.is_set():
            raise OpenCancelled("the download was cancelled")
        if answer is None:
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise DownloadError(f"the process that asks OpenStreetMap has failed: {last[0]}")
    if "place" in answer:
        raise PlaceError(answer["place"])
    if "download" in answer:
        raise DownloadError(answer["download"])
    return answer


def _command() -> list[str]:
    """Return the command of the process that asks the services.

    Python runs isolated, so that no module is taken from the current folder, from ``PYTHONPATH`` or from the user's
    packages: a file ``html.py`` in a folder of downloads would be executed instead of Python's own. The folder of
    this very package comes last on the path, since bare sources are not among the installed packages.
    """
    code = "import sys; sys.path.append(sys.argv[1]); from wayfront.sources.osm_service import main; main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", code, str(Path(__file__).resolve().parents[2])]


def _talk(
    process: subprocess.Popen[str], request: Mapping[str, Any], report: ProgressCallback
) -> dict[str, Any] | None:
    """Send the request and read lines of JSON: progress as it comes, then the answer; None without one."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):
        process.stdin.write(json.dumps(request))
        process.stdin.close()
    for line in process.stdout:
        message = json.loads(line)
        if "stage" in message:
            report(message["stage"], message["fraction"])
        else:
            return message
    return None


# ------------------------------------------------------------------------------------------------- small things


def _say_nothing(_stage: str, _fraction: float) -> None:
    """Take a report that nobody asked for."""


def _ring_km2(ring: Ring) -> float:
    """Return the area inside a closed ring on the sphere."""
    total = 0.0
    for (west, south), (east, north) in pairwise(ring):
        total += math.radians(east - west) * (2 + math.sin(math.radians(south)) + math.sin(math.radians(north)))
    return abs(total) * _EARTH_RADIUS_KM**2 / 2


def _round(count: int) -> str:
    """Return a rough number as rounded text."""
    if count >= 1_000_000:
        return f"{count / 1e6:,.0f} million"
    return f"{count:,.0f}" if count < 1000 else f"{count // 1000:,},000"
