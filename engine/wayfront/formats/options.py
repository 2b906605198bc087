"""Declare the options of opening a network, each once with its help, for the library, the jobs and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from wayfront.errors import UnusedOptionError
from wayfront.formats.osm_options import OsmOptions


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
