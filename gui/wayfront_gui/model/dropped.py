"""What becomes of files that are dropped on the window together: what is opened, and why others are not. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.edge_list.columns import looks_like_arcs
from wayfront.formats.streams import read_head
from wayfront.trace.file import SUFFIX
from wayfront_gui.translation import plural, translated


@dataclass(frozen=True, slots=True)
class Dropped:
    """What to open of some files.

    network      the network, with ``coordinates`` if a file of them came with it or is meant for the open one
    trace        the recorded search
    closures     the table of closed roads
    left_out     why files are not opened, one sentence, empty where all are
    """

    network: str = ""
    coordinates: str = ""
    trace: str = ""
    closures: str = ""
    left_out: str = ""

    @classmethod
    def of(cls, paths: Sequence[str]) -> Dropped:
        """Sort files by name, tables by what is in them: one of each kind is opened, the first that was dropped."""
        kinds: dict[str, list[str]] = {"network": [], "coordinates": [], "trace": [], "closures": []}
        for path in paths:
            kinds[_kind(path)].append(path)
        more = [Path(path).name for found in kinds.values() for path in found[1:]]
        one = "One map is open at a time: {files} was not opened."
        many = "One map is open at a time: {files} were not opened."
        why = plural(one, many, len(more), files=_listed(more)) if more else ""
        return cls(**{kind: found[0] if found else "" for kind, found in kinds.items()}, left_out=why)


def _kind(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if ".co" in suffixes:
        return "coordinates"
    if suffixes[-2:] == [".nodes", ".csv"]:  # the nodes of an edge list, with their places
        return "coordinates"
    last = suffixes[-1] if suffixes else ""
    if last == ".csv":
        return "network" if _holds_arcs(path) else "closures"
    return "trace" if last == SUFFIX else "network"


def _holds_arcs(path: str) -> bool:
    """Return whether a table is an edge list, which its name does not tell from a table of closed roads."""
    try:
        return looks_like_arcs(read_head(Path(path)))
    except FormatError:
        return False


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return translated("{files} and {last}", files=", ".join(names[:-1]), last=names[-1])
