"""Options of how OpenStreetMap data become a network."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wayfront.errors import OptionError
from wayfront.formats.osm_network_types import DRIVE, NETWORK_TYPES

AS_DOWNLOADED = ""

_EVERY_NODE, _SIMPLIFIED = "every node", "simplified"
_ALL_COMPONENTS, _LARGEST_COMPONENT = "all parts", "largest parts"
"""Texts of ``describe``: traces and settings store them, so they never change."""


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

    Raises ``OptionError`` for a network type that does not exist.

        >>> import wayfront
        >>> options = wayfront.OsmOptions("walk", simplify=True)
        >>> wayfront.OsmOptions.described(options.describe()) == options.settled("drive") == options
        True
    """

    network_type: str = field(
        default=AS_DOWNLOADED,
        metadata={
            "help": f"OpenStreetMap: the traffic whose roads are taken: {', '.join(NETWORK_TYPES)}.",
            "metavar": "TYPE",
            "choices": tuple(NETWORK_TYPES),
        },
    )
    simplify: bool = field(
        default=False, metadata={"help": "OpenStreetMap: leave out nodes that only give a road its shape."}
    )
    largest_component: bool = field(
        default=False, metadata={"help": "OpenStreetMap: keep only the largest strongly connected component."}
    )

    def __post_init__(self) -> None:
        if self.network_type not in (*NETWORK_TYPES, AS_DOWNLOADED):
            raise OptionError(f"there is no network type {self.network_type!r}; choose {', '.join(NETWORK_TYPES)}")

    def settled(self, downloaded_for: str | None) -> OsmOptions:
        """Return the same options with a network type."""
        return self if self.network_type else replace(self, network_type=downloaded_for or DRIVE)

    def describe(self) -> str:
        """Return all choices as one text, which the cache's keys, traces and settings hold."""
        nodes = _SIMPLIFIED if self.simplify else _EVERY_NODE
        components = _LARGEST_COMPONENT if self.largest_component else _ALL_COMPONENTS
        return f"{self.network_type}, {nodes}, {components}"

    @classmethod
    def described(cls, text: str) -> OsmOptions:
        """Return the options that ``describe`` turned into this text. Raises ``OptionError`` for any other text."""
        network_type, nodes, components = [*text.split(", "), "", ""][:3]
        options = cls(network_type, nodes == _SIMPLIFIED, components == _LARGEST_COMPONENT)
        if options.describe() != text:
            raise OptionError(f"{text!r} does not describe how OpenStreetMap data are read")
        return options
