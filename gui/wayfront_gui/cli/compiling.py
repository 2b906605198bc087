"""What the window's first start runs as a process of its own: compile what a window needs, and report each part.

usage: python -m wayfront_gui.cli.compiling

A line is a stage, the number of the part that begins and how many there are, or "done" and a stage. It ends when its
standard input does, since then nobody waits for it. Two of them take turns, part by part; what one has compiled the
other finds.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from wayfront.safe.folders import alone, make_private
from wayfront_gui.app.awaiting import MAP, SEARCH, TREES, finished_note, turn_note
from wayfront_gui.app.jobs import spare_blas
from wayfront_gui.resources import BUNDLED, asset

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

_NICE = 5


def main() -> None:
    """Compile everything, the most urgent first."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    spare_blas()
    parts = list(_parts())
    for number, (stage, compile_part) in enumerate(parts):
        _say(f"{stage} {number + 1} {len(parts)}")
        with alone(turn_note()):
            compile_part()
        if number + 1 == len(parts):  # before it is said: the window may end then, and this process with it
            with suppress(OSError):
                make_private(finished_note().parent)
                finished_note().touch()
        if number + 1 == len(parts) or parts[number + 1][0] != stage:
            _say(f"done {stage}")
            _give_way()


def _parts() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the parts with their stages; that of a search compiles for the arrays of the bundled network."""
    from wayfront import open_network, search
    from wayfront.dissection.cut.cutting import dissect
    from wayfront.searching.prepared import compile_for
    from wayfront_gui.features.live_tree.picture import warm_up_drag
    from wayfront_gui.map.frame import warm_up_map
    from wayfront_gui.map.geometry import MapGeometry

    network = open_network(str(asset(BUNDLED)))
    yield SEARCH, lambda: search(network, 0, "dijkstra", "cpu", runs=0, trace=True)
    yield SEARCH, lambda: search(network, 0, "dijkstra", "cpu", runs=1, verify=True)
    yield MAP, lambda: MapGeometry.of(network)
    yield MAP, lambda: warm_up_map(bent=False)
    yield MAP, lambda: warm_up_map(bent=True)
    yield TREES, lambda: dissect(network, threads=1)
    yield TREES, lambda: compile_for("cpu")
    yield TREES, lambda: warm_up_drag(bent=False)
    yield TREES, lambda: warm_up_drag(bent=True)
    yield TREES, lambda: compile_for("cpu", zeros=True)
    yield TREES, lambda: _close_a_turn(network)


def _close_a_turn(network: RoadNetwork) -> None:
    """Close the first turn of a network, whichever that is: it is what a person may do next."""
    from wayfront.network.closed_turns import without_turns

    ids, targets = network.node_ids, network.targets
    arriving = next(arc for arc in range(network.arc_count) if network.out_degrees()[targets[arc]] > 1)
    via = int(targets[arriving])
    turn = ids[[network.tails()[arriving], via, targets[network.offsets[via]]]]
    without_turns(network, [turn.tolist()])


def _give_way() -> None:
    """Let other processes go first: what a click waits for is there."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICE)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    with suppress(OSError):
        while os.read(0, 64):  # not by ``sys.stdin``, whose lock the end of the program waits for
            pass
    os._exit(0)


if __name__ == "__main__":
    main()
