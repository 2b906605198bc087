"""Points on the command line: a table of places, a table or list of node ids, or ids with commas."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import FormatError, NotInNetworkError, OptionError
from wayfront.safe.files import open_regular, read_at_most
from wayfront_gui.cli import arguments
from wayfront_gui.cli.outputs import is_there
from wayfront_gui.cli.places import CRS, LIMIT, put_on, read_places

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.places.places import Places

NODE = ("node", "node_id")
"""What the column of node ids is called."""
NODE_FILES = (".csv", ".txt", ".tsv")
_LONGEST, _LONGEST_HEAD = 1 << 28, 1 << 20
"""Bytes of a list of nodes, and of its first line."""
FILE = "FILE|ID,ID…"


@dataclass(frozen=True, slots=True)
class NodeIds:
    """Ids of nodes with their lines in a file, or of none."""

    path: Path | None
    rows: list[tuple[int, str]]

    def nodes(self, network: RoadNetwork) -> list[int]:
        """Return their internal numbers. Raises ``FormatError`` with the line, without a file ``NotInNetworkError``."""
        nodes = []
        for line, word in self.rows:
            try:
                nodes.append(network.node(int(word)))
            except NotInNetworkError as problem:
                if self.path is None:
                    raise
                raise FormatError(str(problem), self.path, line) from None
            except ValueError:
                raise FormatError(f"the id of a node is a whole number, not {word!r}", self.path, line) from None
        return nodes


@dataclass(frozen=True, slots=True)
class PointArguments:
    """How tables of places are read and put on roads."""

    places_crs: str | None = CRS
    limit: float = LIMIT

    def read(self, text: str, cancel: Event) -> Places | NodeIds:
        """Return the places of a table, or the ids of a table of nodes or with commas, before a network is opened.

        Raises as ``Places.read`` does, and ``OptionError`` for what is neither a file nor ids.
        """
        if not is_there(text):
            return NodeIds(None, [(0, str(_whole(word, text))) for word in arguments.parse_list(text)])
        path = Path(text)
        rows = _node_rows(path) if path.suffix.lower() in NODE_FILES else None
        return read_places(text, self.places_crs, cancel) if rows is None else NodeIds(path, rows)

    def on(self, network: RoadNetwork, points: Places | NodeIds, cancel: Event) -> Any:
        """Return places on roads, or internal node numbers. Raises ``FormatError`` with the line, ``NetworkError``."""
        import numpy as np

        if isinstance(points, NodeIds):
            return np.array(points.nodes(network), np.int32)
        return put_on(network, points, self.limit, cancel)


def _whole(word: str, text: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise OptionError(f"{text}: there is no such file, and it is no list of node ids with commas") from None


def _node_rows(path: Path) -> list[tuple[int, str]] | None:
    """Return the ids of nodes in a text file with their lines, None where it is no such file."""
    try:
        with open_regular(path) as file:
            lines = file.readline(_LONGEST_HEAD).decode("utf-8-sig", "replace").splitlines()
    except OSError:  # reading places says why
        return None
    if not lines:
        return None
    separator = next((mark for mark in ";\t" if mark in lines[0]), ",")
    titles = [title.strip().lower() for title in lines[0].split(separator)]
    column = next((index for index, title in enumerate(titles) if title in NODE), None)
    alone = len(titles) == 1 and titles[0].lstrip("-").isdigit()
    if column is None and not alone:
        return None
    text = read_at_most(path, _LONGEST, "it is too large for a list of nodes").decode("utf-8-sig", "replace")
    lines, (begin, place) = text.splitlines(), (0, 0) if column is None else (1, column)
    rows = csv.reader(lines[begin:], delimiter=separator)
    return [
        (rows.line_num + begin, row[place].strip() if len(row) > place else "")
        for row in rows
        if any(cell.strip() for cell in row)
    ]
