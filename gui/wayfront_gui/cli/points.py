"""Points on the command line: a table of places, a table or list of node ids, or ids with commas."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from wayfront.safe.errors import FormatError, NotInNetworkError, OptionError
from wayfront_gui.cli import arguments
from wayfront_gui.cli.arguments import option
from wayfront_gui.cli.console import print_message, progress_bar
from wayfront_gui.cli.outputs import is_there

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

NODE = ("node", "node_id")
"""What the column of node ids is called."""
NODE_FILES = (".csv", ".txt", ".tsv")
_LONGEST = 1 << 28
_SHOWN = 20
"""Points without a road that are named one by one."""
FILE = "FILE|ID,ID…"


@dataclass(frozen=True, slots=True)
class PlaceArguments:
    """How tables of places are read and put on roads."""

    crs: str | None = option(
        None, "What x and y of a table are, such as EPSG:3763; degrees need nothing.", metavar="CRS"
    )
    limit: float | None = option(
        None, "How far from a road a place may be, in metres; what is farther is listed.  [default: 500]",
        min=0.0, metavar="METRES", show_default=False,
    )  # fmt: skip

    def points(self, text: str, network: RoadNetwork, cancel: Event) -> Any:
        """Return the points that an argument names: places on roads, or internal node numbers.

        Raises ``FormatError`` with the line, ``OptionError`` and ``NetworkError``.
        """
        import numpy as np

        from wayfront.places.places import Places

        if not is_there(text):
            return np.array([network.node(_whole(word, text)) for word in arguments.parse_list(text)], np.int32)
        path = Path(text)
        nodes = _nodes(path, network) if path.suffix.lower() in NODE_FILES else None
        if nodes is not None:
            return np.array(nodes, np.int32)
        with progress_bar() as show:
            places = Places.read(path, crs=self.crs, progress=show, cancel=cancel)
            for note in places.notes:
                print_message(f"{path}: {note}")
            how = {} if self.limit is None else {"limit_m": self.limit}
            found = places.on(network, progress=show, cancel=cancel, **how)
        if len(found.far):
            shown = [str(places.names[far] or places.ids[far]) for far in found.far[:_SHOWN].tolist()]
            more = "" if len(found.far) <= _SHOWN else f" and {len(found.far) - _SHOWN:,} more"
            print_message(
                f"{path}: {len(found.far):,} of {len(places):,} places have no road within the limit, so that their "
                f"distances are missing: {', '.join(shown)}{more}"
            )
        return found


def _whole(word: str, text: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise OptionError(f"{text}: there is no such file, and it is no list of node ids with commas") from None


def _nodes(path: Path, network: RoadNetwork) -> list[int] | None:
    """Return the nodes that a text file names by their ids, None where it is no such file."""
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
    nodes = []
    rows = csv.reader(lines[0 if alone else 1 :], delimiter=separator)
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        line = rows.line_num + (0 if alone else 1)
        word = row[column or 0].strip() if len(row) > (column or 0) else ""
        try:
            nodes.append(network.node(int(word)))
        except ValueError:
            raise FormatError(f"the id of a node is a whole number, not {word!r}", path, line) from None
        except NotInNetworkError as problem:
            raise FormatError(str(problem), path, line) from None
    return nodes
