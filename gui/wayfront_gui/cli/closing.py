"""Roads that are closed for a search, as several sub-commands take them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wayfront.network.road_network import RoadNetwork

_ROAD = re.compile(r"(-?\d{1,19})-(-?\d{1,19})", re.ASCII)
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class ClosingArguments:
    """Which roads are closed: searches take their arcs for absent."""

    close: Annotated[
        list[str] | None,
        typer.Option(
            "--close",
            metavar="FROM-TO,…",
            help="Close the road from one node to another, by their ids in the file; may be repeated.",
        ),
    ] = None
    close_file: Annotated[
        str | None,
        typer.Option("--close-file", metavar="FILE.csv", help="Close the roads in a table with the header from,to."),
    ] = None

    def roads(self) -> list[tuple[int, int]]:
        """Return the ids of the ends of the roads that ``--close`` names. Raises ``OptionError`` for other texts."""
        roads = []
        for word in (word.strip() for text in self.close or [] for word in text.split(",")):
            ends = _ROAD.fullmatch(word)
            if ends is None:
                shown = word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…"
                raise OptionError(f"--close takes FROM-TO, two node ids with a hyphen between them, not {shown!r}")
            roads.append((int(ends[1]), int(ends[2])))
        return roads

    def arcs(self, network: RoadNetwork) -> NDArray[np.int64]:
        """Return the internal numbers of all arcs that are closed, ascending.

        Raises ``OptionError``, ``NetworkError`` for roads that the network lacks, and ``FormatError`` with the line of
        a file that is no table of its roads.
        """
        import numpy as np

        from wayfront.network.closures import arcs_between, read_closures

        ends = np.array([(network.node(tail), network.node(head)) for tail, head in self.roads()], np.int64)
        tails, heads = ends.reshape(-1, 2).T
        found = arcs_between(network, tails, heads)
        return found if self.close_file is None else np.union1d(found, read_closures(self.close_file, network))
