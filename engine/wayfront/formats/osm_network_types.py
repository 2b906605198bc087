"""Declare the kinds of traffic for which OpenStreetMap data become a network, each once.

Forms, the command line, the reading rules, the downloads and the messages all read ``NETWORK_TYPES``.
"""

from __future__ import annotations

from dataclasses import dataclass

MOTORWAYS = ("motorway", "motorway_link")
_MAJOR = ("trunk", "trunk_link", "primary", "primary_link", "secondary", "secondary_link", "tertiary", "tertiary_link")
_LOCAL = ("unclassified", "residential", "living_street", "service", "road")
_PATHS = ("path", "track", "bridleway", "cycleway")
_FOOTWAYS = ("pedestrian", "footway", "steps", "corridor", "platform")


@dataclass(frozen=True, slots=True)
class NetworkType:
    """One kind of traffic.

    name           what is typed and stored
    label          what forms show
    adjective      what its roads are called in messages
    purpose        what its roads are for, in messages
    taken          values of the ``highway`` tag that it takes
    by_permission  values it takes only where the first of ``access_keys`` allows it, as ``bicycle=yes`` on a footway
    access_keys    tags that close a way or open it, the most particular first: the first one present decides
    speed_kmh      the one speed of traffic that ``maxspeed`` does not concern, None for cars
    osmnx_filter   OSMnx's name of the filter with which places are downloaded, "" where they are not
    """

    name: str
    label: str
    adjective: str
    purpose: str
    taken: frozenset[str]
    by_permission: frozenset[str] = frozenset()
    access_keys: tuple[str, ...] = ()
    speed_kmh: float | None = None
    osmnx_filter: str = ""


DRIVE, DRIVE_PUBLIC, WALK, BIKE = "drive", "drive-public", "walk", "bike"

_CAR_ROADS = frozenset((*MOTORWAYS, *_MAJOR, *_LOCAL))

_TYPES = (
    NetworkType(  # private roads included
        name=DRIVE,
        label="Roads to drive on",
        adjective="drivable",
        purpose="to drive on",
        taken=_CAR_ROADS,
        osmnx_filter="drive_service",  # with service roads, so that a download has the roads that an extract has
    ),
    NetworkType(  # an answer to "drive" holds these roads, too, so they are not downloaded apart
        name=DRIVE_PUBLIC,
        label="Public roads to drive on",
        adjective="publicly drivable",
        purpose="to drive on",
        taken=_CAR_ROADS,
        access_keys=("motorcar", "motor_vehicle", "vehicle", "access"),
    ),
    NetworkType(
        name=WALK,
        label="Ways to walk",
        adjective="walkable",
        purpose="to walk on",
        taken=frozenset((*_MAJOR, *_LOCAL, *_PATHS, *_FOOTWAYS)),
        by_permission=frozenset(MOTORWAYS),
        access_keys=("foot", "access"),
        speed_kmh=5,
        osmnx_filter="walk",
    ),
    NetworkType(
        name=BIKE,
        label="Ways to cycle",
        adjective="cyclable",
        purpose="to cycle on",
        taken=frozenset((*_MAJOR, *_LOCAL, *_PATHS)),
        by_permission=frozenset((*MOTORWAYS, *_FOOTWAYS)),
        access_keys=("bicycle", "vehicle", "access"),
        speed_kmh=15,
        osmnx_filter="bike",
    ),
)

NETWORK_TYPES: dict[str, NetworkType] = {declared.name: declared for declared in _TYPES}
"""All of them by name, in the order of every list."""

DOWNLOADABLE = tuple(declared.name for declared in _TYPES if declared.osmnx_filter)
"""Names of those for which places can be downloaded."""
