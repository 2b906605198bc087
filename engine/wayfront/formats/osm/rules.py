"""Derive roads from OpenStreetMap's tags: who may use a way, in which direction, how fast, how important it is.

Pure functions over the tags of one way, and the tables they read. The conventions are those of the OpenStreetMap
wiki (keys ``highway``, ``oneway``, ``access``, ``junction``, ``maxspeed``); where it leaves a choice, the tables
state the one taken.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wayfront.formats.options import BIKE, MOTORWAYS, NETWORK_TYPES, WALK

Tags = Mapping[str, str]

BOTH_WAYS, FORWARD, BACKWARD = 0, 1, -1

CLOSED = ("no", "private", "agricultural", "forestry", "emergency", "psv", "bus", "military")
_ALLOWED = ("yes", "designated", "permissive", "official")

BLOCKING = frozenset(
    (
        *("block", "bollard", "bus_trap", "chain", "cycle_barrier", "debris", "ditch", "fence", "hedge"),
        *("full-height_turnstile", "jersey_barrier", "kissing_gate", "log", "motorcycle_barrier", "planter", "stile"),
        *("sump_buster", "turnstile", "wall", "wicket_gate"),
    )
)
"""Values of ``barrier`` that no car passes; gates, cattle grids, toll booths, kerbs and unknown ones are passed."""
_LOWERED = ("rising", "automatic")
"""Bollards that let cars pass."""

_YES, _NO, _REVERSE = ("yes", "true", "1"), ("no", "false", "0"), ("-1", "reverse")
_CIRCLES = ("roundabout", "circular")

SPEEDS = tomllib.loads(Path(__file__).with_name("speeds.toml").read_text("utf-8"))
DEFAULT_SPEED_KMH: dict[str, float] = SPEEDS["highway"]
"""Assumed speed of a car where ``maxspeed`` is missing or cannot be parsed."""

UNLIMITED_KMH = 130.0
"""Speed for ``maxspeed=none``: what Germany recommends on motorways without a limit."""

WALKING_KMH = 5.0
FASTEST_KMH = 300.0
"""A higher limit is an error in the data and counts as missing."""

_UNITS_KMH = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "kmph": 1.0, "mph": 1.609344, "knots": 1.852}
_SPEED = re.compile(r"(\d{1,4}(?:[.,]\d{1,3})?)\s*(km/h|kmh|kph|kmph|mph|knots|)")
_ZONE = re.compile(r"([a-z]{2})(?:-[a-z]{2,3})?:(?:zone:?)?([a-z_]*?)_?(\d{1,3})?(?:\s*(mph))?")

_IMPORTANCE = {
    **dict.fromkeys((*MOTORWAYS, "trunk", "trunk_link"), 3),
    **dict.fromkeys(("primary", "primary_link"), 2),
    **dict.fromkeys(("secondary", "secondary_link", "tertiary", "tertiary_link"), 1),
}


def is_taken(tags: Tags, network_type: str) -> bool:
    """Return whether a way belongs to the network of that type."""
    declared = NETWORK_TYPES[network_type]
    highway = tags.get("highway")
    if highway in declared.by_permission:
        return tags.get(declared.access_keys[0]) in _ALLOWED
    if highway not in declared.taken:
        return False
    for key in declared.access_keys:
        value = tags.get(key)
        if value is not None:
            return value not in CLOSED
    if network_type in (WALK, BIKE):
        return tags.get("motorroad") != "yes"
    return True


def blocks(tags: Tags, network_type: str) -> bool:
    """Return whether nobody drives past a node with a ``barrier``; pedestrians and cyclists pass all.

    What the node says of access decides before the kind of the barrier; ``private`` and its like close it where they
    close roads.
    """
    declared = NETWORK_TYPES[network_type]
    if declared.speed_kmh is not None:
        return False
    closed = CLOSED if declared.access_keys else ("no",)
    own = next((tags[key] for key in declared.turn_keys if key in tags), None)
    if own is not None:
        return own in closed
    if tags["barrier"] in BLOCKING:
        return tags.get("bollard") not in _LOWERED and tags.get("access") not in _ALLOWED
    return bool(declared.access_keys) and tags.get("access") in CLOSED


def direction(tags: Tags, network_type: str) -> int:
    """Return ``FORWARD``, ``BACKWARD`` (against the order of the way's nodes) or ``BOTH_WAYS``."""
    if network_type == WALK:
        return _tagged_direction(tags.get("oneway:foot")) or BOTH_WAYS
    if network_type == BIKE:
        tagged = _tagged_direction(tags.get("oneway:bicycle"))
        if tagged is not None:
            return tagged
        if any(
            str(tags.get(key, "")).startswith("opposite") or tags.get(f"{key}:oneway") in (*_NO, *_REVERSE)
            for key in _CYCLEWAYS
        ):
            return BOTH_WAYS
    for key in _ONEWAY_KEYS if NETWORK_TYPES[network_type].speed_kmh is None else _ONEWAY_KEYS[-1:]:
        tagged = _tagged_direction(tags.get(key))
        if tagged is not None:
            return tagged
    if tags.get("junction") in _CIRCLES or tags.get("highway") in MOTORWAYS:
        return FORWARD
    return BOTH_WAYS


_ONEWAY_KEYS = ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway")
_CYCLEWAYS = ("cycleway", "cycleway:left", "cycleway:right", "cycleway:both")


def _tagged_direction(value: str | None) -> int | None:
    """Return the direction of a ``oneway`` value, None where it names none, as ``reversible`` does."""
    if value in _YES:
        return FORWARD
    if value in _REVERSE:
        return BACKWARD
    return BOTH_WAYS if value in _NO else None


class Speeds(NamedTuple):
    """How fast a way is: km/h along its nodes and against them, and at most on its surface.

    assumed    whether one of its directions that are driven has no limit
    unlimited  whether none has
    """

    along: float
    against: float
    most: float
    assumed: bool
    unlimited: bool


def speeds(tags: Tags, network_type: str, way: int) -> Speeds:
    """Return the speeds of a way with this ``direction``; each look-up is a search in a list, so there are few."""
    speed = NETWORK_TYPES[network_type].speed_kmh
    if speed is not None:
        return Speeds(speed, speed, FASTEST_KMH, assumed=False, unlimited=False)
    common = parse_speed(tags.get("maxspeed"))
    if common is None:
        common = next((limit for key in _ZONE_KEYS if (limit := _of_zone(tags.get(key))) is not None), None)
    along = parse_speed(tags.get("maxspeed:forward")) or common
    against = parse_speed(tags.get("maxspeed:backward")) or common
    usual = DEFAULT_SPEED_KMH.get(tags.get("highway", ""), DEFAULT_SPEED_KMH["road"])
    assumed = (along is None and way != BACKWARD) or (against is None and way != FORWARD)
    most = SPEEDS["surface"].get(tags.get("surface"), FASTEST_KMH)
    most = min(most, SPEEDS["tracktype"].get(tags.get("tracktype"), FASTEST_KMH))
    unlimited = along is None and against is None
    return Speeds(min(along or usual, most), min(against or usual, most), most, assumed, unlimited)


def country_of(tags: Tags) -> str:
    """Return the country that a zone names, such as ``de`` of ``DE:urban``, "" for none."""
    for key in ("maxspeed", *_ZONE_KEYS):
        value = tags.get(key)
        if value is not None and ":" in value:
            country = value[:2].lower()
            return country if country in COUNTRIES and value[2] in ":-" else ""
    return ""


def country_of_place(tags: Tags) -> str:
    """Return the country that an address or a place names, in small letters, "" for none."""
    code = tags.get("addr:country") or tags.get("is_in:country_code") or ""
    return code.lower() if len(code) == 2 else ""


def country_within(tags: Tags) -> str:
    """Return the country whose boundary a relation is, in small letters, "" for anything else."""
    if tags.get("boundary") != "administrative" or tags.get("admin_level") != "2":
        return ""
    return (tags.get("ISO3166-1:alpha2") or tags.get("ISO3166-1") or "").lower()


COUNTRIES: dict[str, str] = SPEEDS["country_name"]
"""The countries whose limits are known: their names by their codes."""
LEFT_HAND: frozenset[str] = frozenset(SPEEDS["left_hand"])
"""Codes of countries that drive on the left."""
KINDS: tuple[str, ...] = tuple(DEFAULT_SPEED_KMH)
"""Values of ``highway`` that cars drive on."""


def assumed_in(country: str) -> dict[str, float]:
    """Return the speed of a car on each kind of road without a limit of its own, in km/h, in a country or "".

    >>> assumed_in("")["motorway"], assumed_in("de")["motorway"], assumed_in("ch")["secondary"]
    (110.0, 130.0, 60.0)
    """
    found = {kind: float(speed) for kind, speed in DEFAULT_SPEED_KMH.items()}
    limits = SPEEDS["country"].get(country)
    if limits is None:
        return found
    rural = float(limits.get("rural", SPEEDS["zone"]["rural"]))
    for kind in ("trunk", "primary", "secondary", "tertiary", "unclassified", "road"):
        found[kind] = min(found[kind], rural)
    found["trunk"] = float(limits.get("trunk", rural))
    for kind, limit in (("motorway", "motorway"), ("residential", "urban"), ("living_street", "living_street")):
        found[kind] = float(limits.get(limit, found[kind]))
    return found


_ZONE_KEYS = ("maxspeed:type", "source:maxspeed", "zone:maxspeed", "zone:traffic")
"""Where the kind of zone may stand that a road without ``maxspeed`` is in."""


def _of_zone(text: str | None) -> float | None:
    """Return the limit of a zone, such as ``DE:urban``; None for anything else, as ``sign``."""
    return parse_speed(text) if text and ":" in text else None


def parse_speed(text: str | None) -> float | None:
    """Return a ``maxspeed`` value (``50``, ``30 mph``, ``RO:urban``, ``none``) in km/h, None where it is no speed.

    Of a list (``50;30`` or ``80|100``) the lowest counts, since the value does not say where each one applies.
    """
    if not text:
        return None
    limits = re.split(r"[;|]", text.lower())
    found = [speed for limit in limits if (speed := _one_speed(limit.strip())) is not None]
    return min(found, default=None)


def _one_speed(text: str) -> float | None:
    if text in ("none", "unlimited"):
        return UNLIMITED_KMH
    if text in ("walk", "walking"):
        return WALKING_KMH
    number = _SPEED.fullmatch(text)
    if number:
        return _plausible(float(number[1].replace(",", ".")) * _UNITS_KMH[number[2]])
    zone = _ZONE.fullmatch(text)
    if zone:
        country, kind, limit, unit = zone.groups()
        if limit:
            in_miles = unit or country in ("gb", "us")
            return _plausible(float(limit) * _UNITS_KMH["mph" if in_miles else ""])
        legal: float | None = SPEEDS["country"].get(country, {}).get(kind, SPEEDS["zone"].get(kind))
        return legal
    return None


def _plausible(speed: float) -> float | None:
    return speed if 0 < speed <= FASTEST_KMH else None


def importance(highway: str | None) -> int:
    """Return the road class of a ``highway`` value, an index into ``wayfront.network.schema.ROAD_CLASSES``."""
    return _IMPORTANCE.get(highway or "", 0)


def road_name(tags: Tags) -> str:
    """Return the road's name, else its number, else an empty string."""
    return tags.get("name") or tags.get("ref") or ""
