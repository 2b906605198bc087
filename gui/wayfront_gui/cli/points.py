"""Points on the command line: a table of places, a table or list of node ids, or ids with commas."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import FormatError, NotInNetworkError, OptionError
from wayfront_gui.cli import arguments
from wayfront_gui.cli.outputs import is_there
from wayfront_gui.cli.places import CRS, LIMIT, put_on, read_places

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.places.places import Places

NODE = ("node", "node_id")
"""What the column of node ids is called."""
NODE_FILES = (".csv", ".txt", ".tsv")
_LONGEST = 1 << 28
FILE = "FILE|ID,ID…"


@dataclass(frozen=True, slots=True)
class PointArguments:
    """How tables of places are read and put on roads."""

    places_crs: str | None = CRS
    limit: float = LIMIT

    def read(self, text: str, cancel: Event) -> Places | None:
        """Return the places of a table, None for a table of nodes or ids with commas, before a network is opened.

        Raises as ``Places.read`` does, and ``OptionError`` for what is neither a file nor ids.
        """
        if not is_there(text):
            for word in arguments.parse_list(text):
                _whole(word, text)
            return None
        path = Path(text)
        if path.suffix.lower() in NODE_FILES and _node_rows(path) is not None:
            return None
        return read_places(text, self.places_crs, cancel)

    def on(self, network: RoadNetwork, text: str, places: Places | None, cancel: Event) -> Any:
        """Return places on roads, or internal node numbers. Raises ``FormatError`` with the line, ``NetworkError``."""
        import numpy as np

        if places is not None:
            return put_on(network, places, self.limit, cancel)
        if not is_there(text):
            return np.array([network.node(_whole(word, text)) for word in arguments.parse_list(text)], np.int32)
        return np.array(_nodes(Path(text), network), np.int32)


def _whole(word: str, text: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise OptionError(f"{text}: there is no such file, and it is no list of node ids with commas") from None


def _node_rows(path: Path) -> list[tuple[int, str]] | None:
    """Return the ids of nodes in a text file with their lines, None where it is no such file."""
    from wayfront.safe.files import read_at_most

    text = read_at_most(path, _LONGEST, "it is too large for a list of nodes").decode("utf-8-sig", "replace")
    lines = text.splitlines()
    if not lines:
        return None
    separator = next((mark for mark in ";\t" if mark in lines[0]), ",")
    titles = [title.strip().lower() for title in lines[0].split(separator)]
    column = next((index for index, title in enumerate(titles) if title in NODE), None)
    alone = len(titles) == 1 and titles[0].lstrip("-").isdigit()
    if column is None and not alone:
        return None
    begin, place = (0, 0) if column is None else (1, column)
    rows = csv.reader(lines[begin:], delimiter=separator)
    return [
        (rows.line_num + begin, row[place].strip() if len(row) > place else "")
        for row in rows
        if any(cell.strip() for cell in row)
    ]


def _nodes(path: Path, network: RoadNetwork) -> list[int]:
    """Return the nodes that a text file names by their ids. Raises ``FormatError``."""
    nodes = []
    for line, word in _node_rows(path) or ():
        try:
            nodes.append(network.node(int(word)))
        except NotInNetworkError as problem:
            raise FormatError(str(problem), path, line) from None
        except ValueError:
            raise FormatError(f"the id of a node is a whole number, not {word!r}", path, line) from None
    return nodes
