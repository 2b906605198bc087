"""New algorithm: every step relaxes the arcs of the nodes whose distance fell in the step before.

After step k every node whose shortest path has at most k arcs has its distance. This is Bellman's and Ford's search
without the nodes that have nothing new to offer: begin with it, and change what you like. The tests tell whether it
still finds shortest paths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.devices.atomics import atomic_min
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.safe.options import Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.schema import StepNote

NOTE = StepNote(mode="all nodes", reason="this search has no other mode", phase="relax")


def start(
    i: int, source: int, infinity: int, distances: DeviceArray, marked: DeviceArray, following: DeviceArray
) -> None:
    """Give the source distance 0 and mark it, and no other node."""
    distances[i] = 0 if i == source else infinity
    marked[i] = 1 if i == source else 0
    following[i] = 0


def relax(
    i: int, arcs: Arcs, distances: DeviceArray, marked: DeviceArray, following: DeviceArray, fell: DeviceArray
) -> None:
    """Relax the arcs that leave node i, if it is marked; mark in ``following`` the nodes whose distance falls."""
    if marked[i] == 0:
        return
    marked[i] = 0
    reached_at = distances[i]
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        node = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # Another thread may lower the same distance now: the atomic minimum lets the smaller offer win.
        if offer < distances[node] and offer < atomic_min(distances, node, offer):
            following[node] = 1
            fell[0] = 1


@algorithm(
    name="new-algorithm",
    title="New algorithm",
    paper="unpublished",
    family="My searches",
    summary="Every step relaxes the arcs of the nodes whose distance fell in the step before.",
    phases=("relax",),
    options=(Option("look_every", int, 1, "Look after so many steps whether any distance fell.", bounds=(1, 1000)),),
)
def search(run: Run) -> Iterator[None]:
    """Relax the arcs of marked nodes until no distance falls; wayfront looks on wherever this function yields."""
    n, look_every = run.node_count, int(run.options["look_every"])
    marked, following = run.array("marked", n, np.int8), run.array("following", n, np.int8)
    run.launch(start, n, run.source, run.infinity, run.distances, marked, following)
    searching = True
    while searching:
        fell = run.counters(1)
        for _ in range(look_every):
            run.expand_marked(marked)
            run.launch(relax, n, run.arcs, run.distances, marked, following, fell)
            run.step_done(NOTE)
            yield
            marked, following = following, marked
        searching = run.read(fell)[0] > 0
