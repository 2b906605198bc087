"""Find the network that a trace was recorded on, without opening what the trace names.

A trace is passed on, so it neither says where its sender keeps files nor decides which file its receiver opens. It
names its network by content key and by a bare name: that of a file without its folder, or the call of a generator.
A file of that name is looked for where its user keeps networks, and only one of the same content is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wayfront.errors import FormatError, NetworkNotHereError, OptionError
from wayfront.examples import from_name
from wayfront.network.naming import EXAMPLE, SYNTHETIC, is_made
from wayfront.network.road_network import RoadNetwork
from wayfront.sources import cache, store

_LONGEST_NAME = 255
"""Bytes that file systems allow in a name."""


@dataclass(frozen=True, slots=True)
class RecordedNetwork:
    """What a trace says of its network; none of it is known to be true but ``content_key``, once a network has it.

    origin_name  name of the file it was read from, without folders, or the call of its generator; "" for neither
    reading      how OpenStreetMap data were read, "" for other networks, None where an older trace does not say it
    metric       what the search minimised
    """

    name: str
    content_key: str
    origin_name: str
    reading: str | None
    nodes: int
    arcs: int
    metric: str

    @property
    def can_be_made(self) -> bool:
        """Whether a generator makes the network."""
        return self.origin_name.startswith(SYNTHETIC)

    def describe(self) -> str:
        """Return name and size in words."""
        return f"{self.name} ({self.nodes:,} nodes, {self.arcs:,} arcs)"


def bare_origin(origin: str) -> str:
    """Return what a trace may tell of where a network came from, and what of a trace's word is looked for.

    That is the call of a generator, the name of an example, or a file's name without its folders, on any system; ""
    where it is no name.
    """
    if is_made(origin):
        return origin
    name = re.split(r"[/\\]", origin)[-1]
    plain = name.isprintable() and ":" not in name and name.strip(". ") != ""
    return name if plain and len(name.encode()) <= _LONGEST_NAME else ""


def find_network(
    trace: str | Path,
    recorded: RecordedNetwork,
    open_file: Callable[[Path], RoadNetwork],
    places: Sequence[str | Path] = (),
) -> RoadNetwork:
    """Return the network of a trace, if it is on this machine.

    It is looked for in the cache by its content, among the examples, and then by its file's name beside the trace,
    among the ``places`` (files that may be opened), and among the downloads. ``open_file`` opens a candidate; one of
    another content is left. Nothing is generated or downloaded, and no folder that the trace names is looked at. Raises
    ``NetworkNotHereError`` where none is found.
    """
    cached = cache.find(recorded.content_key)
    if cached is not None:
        return cached
    if recorded.origin_name.startswith(EXAMPLE):
        with suppress(OptionError):  # an example of another version
            example = from_name(recorded.origin_name)
            if example.content_key == recorded.content_key:
                return example
    for path in _candidates(Path(trace), recorded.origin_name, places):
        with suppress(FormatError):  # another file of that name, which is no network
            network = open_file(path)
            if network.content_key == recorded.content_key:
                return network
    raise NetworkNotHereError(trace, recorded.describe(), recorded.origin_name, makeable=recorded.can_be_made)


def _candidates(trace: Path, name: str, places: Sequence[str | Path]) -> Iterator[Path]:
    """Return the files of that name in the places that may be looked at, each once."""
    if not name or is_made(name):
        return
    folders = (trace.absolute().parent, *(store.folder(scheme) for scheme in store.FOLDERS))
    paths = [folder / name for folder in folders]
    paths[1:1] = [Path(place).absolute() for place in places if Path(place).name == name]
    for path in dict.fromkeys(paths):
        with suppress(OSError):
            if path.is_file():
                yield path
