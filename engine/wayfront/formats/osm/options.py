"""What a person chooses when OpenStreetMap data are opened."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wayfront.errors import OptionError
from wayfront.formats.osm.rules import DRIVE, NETWORK_TYPES

AS_DOWNLOADED = ""

ALL_PARTS, LARGEST_PART = "all", "largest"
PARTS = (ALL_PARTS, LARGEST_PART)

_EVERY_NODE, _SIMPLIFIED = "every node", "simplified"


@dataclass(frozen=True, slots=True)
class OsmOptions:
    """How OpenStreetMap data become a network; the same file gives another network with other options.

    network_type  one of ``NETWORK_TYPES``: for which traffic (see ``rules``); or ``AS_DOWNLOADED``, what the file was
                  downloaded for where this program did that, else ``drive``
    simplify      whether nodes that only give a road its shape are left out and kept as geometry; a search then
                  takes fewer nodes, and distances between the nodes left are the same. Off, so that the map shows
                  a frontier move along the roads and every node of the file can be a source
    parts         ``all``, or ``largest``: only the largest strongly connected part, in which every node reaches
                  every other

    Raises ``OptionError`` for a value there is not.
    """

    network_type: str = AS_DOWNLOADED
    simplify: bool = False
    parts: str = ALL_PARTS

    def __post_init__(self) -> None:
        if self.network_type not in (*NETWORK_TYPES, AS_DOWNLOADED):
            raise OptionError(f"there is no network type {self.network_type!r}; choose {', '.join(NETWORK_TYPES)}")
        if self.parts not in PARTS:
            raise OptionError(f"parts are {' or '.join(PARTS)}, not {self.parts!r}")

    def settled(self, downloaded_for: str | None) -> OsmOptions:
        """Return the same options with a network type."""
        return self if self.network_type else replace(self, network_type=downloaded_for or DRIVE)

    def describe(self) -> str:
        """Return all choices as text, by which cached networks are told apart, and which traces keep."""
        return f"{self.network_type}, {_SIMPLIFIED if self.simplify else _EVERY_NODE}, {self.parts} parts"

    @classmethod
    def described(cls, text: str) -> OsmOptions:
        """Undo ``describe``. Raises ``OptionError`` for any other text."""
        network_type, nodes, parts = [*text.split(", "), "", ""][:3]
        options = cls(network_type, nodes == _SIMPLIFIED, parts.removesuffix(" parts"))
        if options.describe() != text:
            raise OptionError(f"{text!r} does not tell how OpenStreetMap data are read")
        return options
