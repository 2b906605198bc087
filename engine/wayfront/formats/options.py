"""Declare the options of opening a network, each once with its help, for the library, the jobs and the command line.

Kinds of traffic, for which OpenStreetMap data become a network, are ``NETWORK_TYPES``: forms, the command line, the
reading rules, the downloads and the messages all read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from wayfront.network.turn_costs import SECONDS, TurnCosts
from wayfront.safe.errors import OptionError, UnusedOptionError

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
    turn_keys      names of its traffic in restrictions of turns, the most particular first
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
    turn_keys: tuple[str, ...] = ()
    speed_kmh: float | None = None
    osmnx_filter: str = ""


DRIVE, DRIVE_PUBLIC, WALK, BIKE = "drive", "drive-public", "walk", "bike"

_CAR_KEYS = ("motorcar", "motor_vehicle", "vehicle", "access")
_BICYCLE_KEYS = ("bicycle", "vehicle", "access")
_CAR_ROADS = frozenset((*MOTORWAYS, *_MAJOR, *_LOCAL))

_TYPES = (
    NetworkType(  # private roads included
        name=DRIVE,
        label="Roads to drive on",
        adjective="drivable",
        purpose="to drive on",
        taken=_CAR_ROADS,
        turn_keys=_CAR_KEYS[:-1],
        osmnx_filter="drive_service",  # with service roads, so that a download has the roads that an extract has
    ),
    NetworkType(  # an answer to "drive" holds these roads, too, so they are not downloaded apart
        name=DRIVE_PUBLIC,
        label="Public roads to drive on",
        adjective="publicly drivable",
        purpose="to drive on",
        taken=_CAR_ROADS,
        access_keys=_CAR_KEYS,
        turn_keys=_CAR_KEYS[:-1],
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
        access_keys=_BICYCLE_KEYS,
        turn_keys=_BICYCLE_KEYS[:-1],
        speed_kmh=15,
        osmnx_filter="bike",
    ),
)

NETWORK_TYPES: dict[str, NetworkType] = {declared.name: declared for declared in _TYPES}
"""All of them by name, in the order of every list."""

DOWNLOADABLE = tuple(declared.name for declared in _TYPES if declared.osmnx_filter)
"""Names of those for which places can be downloaded."""


AS_DOWNLOADED = ""

_EVERY_NODE, _SIMPLIFIED = "every node", "simplified"
ON, OFF = "on", "off"
_FORBIDDEN, _ANY, _USUAL = "forbidden turns", "any turns", "usual turns"
_COUNTRY, _COSTS = "limits of ", "turns cost "
_ALL_COMPONENTS, _LARGEST_COMPONENT = "all parts", "largest parts"
"""Texts of ``describe``: traces and settings store them, so they never change."""
_USUAL_COSTS = ",".join(f"{name}={getattr(TurnCosts(), name):g}" for name in SECONDS)


@dataclass(frozen=True, slots=True)
class OsmOptions:
    """How OpenStreetMap data become a network; the same file gives another network with other options.

    network_type       one of ``NETWORK_TYPES``: for which traffic; or ``AS_DOWNLOADED``, what the file was downloaded
                       for where this program did that, else ``drive``
    simplify           whether nodes that only give a road its shape are left out and kept as geometry; a search then
                       takes fewer nodes, and distances between the nodes left are the same. Off, so that the map shows
                       a frontier move along the roads and every node of the file can be a source
    largest_component  whether only the largest strongly connected component is kept, in which every node reaches
                       every other
    turns              "on" or "off": whether turns that are forbidden cannot be made; "" is on for cars, off for others
    country            the ISO code of the country whose usual limits roads without one have; "" is the one that zones
                       in the file (``DE:urban``), addresses or a boundary name, or none
    turn_costs         ``TurnCosts``, or their text: what turns cost in metrics of time; "" is nothing

    Raises ``OptionError`` for a network type that does not exist.

        >>> import wayfront
        >>> options = wayfront.OsmOptions("walk", simplify=True)
        >>> wayfront.OsmOptions.described(options.describe()) == options
        True
        >>> options.settled("drive").turns, wayfront.OsmOptions().settled("drive").turns
        ('off', 'on')
    """

    network_type: str = field(
        default=AS_DOWNLOADED,
        metadata={
            "help": f"OpenStreetMap: the traffic whose roads are taken: {', '.join(NETWORK_TYPES)}.",
            "metavar": "TYPE",
            "choices": tuple(NETWORK_TYPES),
            "label": "Roads",
            "hint": "Which roads to take from the file",
        },
    )
    simplify: bool = field(
        default=False,
        metadata={
            "help": "OpenStreetMap: leave out nodes that only give a road its shape.",
            "label": "Simplify",
            "hint": "Leave out nodes that only give roads their shape; distances stay the same",
        },
    )
    largest_component: bool = field(
        default=False,
        metadata={
            "help": "OpenStreetMap: keep only the largest strongly connected component.",
            "label": "Largest component",
            "hint": "Keep only the nodes that can all reach one another",
        },
    )

    turns: str = field(
        default="",
        metadata={
            "help": "OpenStreetMap: whether forbidden turns cannot be made; on for cars, off for others.",
            "metavar": "ON",
            "choices": (ON, OFF),
            "label": "Forbidden turns",
            "hint": "Make no turn that OpenStreetMap has a restriction against",
        },
    )

    country: str = field(
        default="",
        metadata={
            "help": "OpenStreetMap: whose usual limits roads without one have; default: as the file says.",
            "metavar": "CODE",
            "label": "Limits of",
            "hint": "The country whose usual limits roads without a limit of their own have",
        },
    )

    turn_costs: str = field(
        default="",
        metadata={
            "help": f"OpenStreetMap: let turns cost seconds: usual, or {_USUAL_COSTS}.",
            "metavar": "COSTS",
            "label": "Turns cost time",
            "hint": "Let turns take time; networks become 2 to 3 times as large, simplified ones 4 to 5 times",
        },
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "country", str(self.country or "").lower())
        costs = str(self.turn_costs or "")
        object.__setattr__(self, "turn_costs", str(TurnCosts.described(costs)) if costs else "")
        if self.country and not (len(self.country) == 2 and self.country.isascii() and self.country.isalpha()):
            raise OptionError(f"a country is named by two letters, as de or gb, not {self.country!r:.40}")
        if self.turns not in (ON, OFF, ""):
            raise OptionError(f"turns are on or off, not {self.turns!r}")
        if self.network_type not in (*NETWORK_TYPES, AS_DOWNLOADED):
            raise OptionError(f"there is no network type {self.network_type!r}; choose {', '.join(NETWORK_TYPES)}")

    def settled(self, downloaded_for: str | None) -> OsmOptions:
        """Return the same options with a network type, and turns on or off."""
        network_type = self.network_type or downloaded_for or DRIVE
        usual = OFF if NETWORK_TYPES[network_type].speed_kmh else ON
        return replace(self, network_type=network_type, turns=self.turns or usual)

    def describe(self) -> str:
        """Return all choices as one text, which the cache's keys, traces and settings hold."""
        nodes = _SIMPLIFIED if self.simplify else _EVERY_NODE
        components = _LARGEST_COMPONENT if self.largest_component else _ALL_COMPONENTS
        if self.network_type:  # what was read before turns were has the same text as what is read without them
            turns = {ON: f", {_FORBIDDEN}", OFF: "", "": f", {_USUAL}"}[self.turns]
        else:
            turns = {ON: f", {_FORBIDDEN}", OFF: f", {_ANY}", "": ""}[self.turns]
        country = f", {_COUNTRY}{self.country}" if self.country else ""
        costs = f", {_COSTS}{self.turn_costs}" if self.turn_costs else ""
        return f"{self.network_type}, {nodes}, {components}{turns}{country}{costs}"

    @classmethod
    def described(cls, text: str) -> OsmOptions:
        """Return the options that ``describe`` turned into this text. Raises ``OptionError`` for any other text."""
        network_type, nodes, components, *more = [*text.split(", "), "", ""]
        said = {_FORBIDDEN: ON, _ANY: OFF, _USUAL: ""}
        turns = next((said[each] for each in more if each in said), OFF if network_type else "")
        country = next((each.removeprefix(_COUNTRY) for each in more if each.startswith(_COUNTRY)), "")
        costs = next((each.removeprefix(_COSTS) for each in more if each.startswith(_COSTS)), "")
        options = cls(network_type, nodes == _SIMPLIFIED, components == _LARGEST_COMPONENT, turns, country, costs)
        if options.describe() != text:
            raise OptionError(f"{text!r} does not describe how OpenStreetMap data are read")
        return options


@dataclass(frozen=True, slots=True)
class OpeningOptions:
    """How a network is opened. Fields with a help text are options of the command line, those of ``osm`` included.

    ``remembered_osm`` says that ``osm`` was chosen for other files: formats that do not read it then ignore it, where
    they refuse it otherwise.
    """

    coordinates: str | Path | None = field(
        default=None,
        metadata={"help": "DIMACS: the file with coordinates, if it is not beside the network.", "metavar": "FILE"},
    )
    second_metric: str | Path | None = field(
        default=None,
        metadata={"help": "DIMACS: a file with a second metric, if it is not beside the network.", "metavar": "FILE"},
    )
    osm: OsmOptions = field(default_factory=OsmOptions)
    close_turns: str | Path | Sequence[Sequence[int]] | None = field(
        default=None,
        metadata={
            "help": "Close turns, by the ids of three nodes, or those in a table with the header from,via,to.",
            "metavar": "FROM-VIA-TO,…|FILE.csv",
        },
    )
    force: bool = field(default=False, metadata={"help": "Open a network even if memory seems too short for it."})
    cache: bool = True
    remembered_osm: bool = False

    def require(self, known: frozenset[str], path: object, label: str) -> None:
        """Raise ``UnusedOptionError`` for options that were given but have no effect on this kind of network."""
        unused = [name for name in self._given() if name not in known]
        if unused:
            raise UnusedOptionError(unused, path, label)

    def _given(self) -> Iterator[str]:
        """Yield the names of options that differ from their defaults and depend on the format."""
        for name in ("coordinates", "second_metric"):
            if getattr(self, name) is not None:
                yield name
        if not self.remembered_osm:
            for declared in fields(self.osm):
                if getattr(self.osm, declared.name) != declared.default:
                    yield declared.name


OSM_OPTIONS = frozenset(declared.name for declared in fields(OsmOptions))
"""Names of the options that formats of OpenStreetMap data read."""
WITHOUT_TURNS = OSM_OPTIONS - {"turns"}
"""Of those, the names that formats without restrictions of turns read."""
