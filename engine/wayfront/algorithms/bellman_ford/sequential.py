"""Bellman–Ford on one thread: pass over all arcs in their order until nothing changes.

After pass k every node whose shortest path has at most k arcs has its distance, so |V| − 1 passes always suffice;
``stop`` says whether to make them all, as the article's figures do, or to end with the first that changes nothing.
Each pass costs m relaxations, whatever the last one left to do. Distances are lowered in place, so a pass may carry
one along many arcs.

S. Rajkumar and S. Garland set it beside their three versions on a GPU (``versions``). Bellman 1958; Ford 1956.
"""

from __future__ import annotations

from collections.abc import Iterator

from wayfront.algorithms.bellman_ford import in_place_kernels as bodies
from wayfront.algorithms.bellman_ford.bellman_ford_view import reached_after
from wayfront.algorithms.bellman_ford.passes import PAPER, STOP, count_passes, describe_idle
from wayfront.devices.device import Ability
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

NODES_AT_ONCE = 1 << 16
"""Nodes that are served before the search looks whether to stop."""


@algorithm(
    name="bellman-ford",
    reading_order=200,
    title="Bellman–Ford, sequential",
    paper=PAPER,
    family="Bellman–Ford",
    needs=Ability.HOST_LOOPS,
    summary="Passes over all arcs in their order, on one thread, until nothing changes: what the three GPU versions "
    "are measured against.",
    phases=("pass over all arcs",),
    options=(STOP,),
    count_steps=count_passes,
    state=reached_after,
)
def bellman_ford(run: Run) -> Iterator[None]:
    """Run sequential Bellman–Ford; a step is one pass."""
    passes = count_passes(run)
    run.distances[:] = run.infinity
    run.distances[run.source] = 0
    note = StepNote("one thread", "a sequential search", "pass over all arcs")
    more, made = True, 0
    while more:
        run.expand_reached()
        changed, relaxed = _pass_over_arcs(run)
        run.step_done(note._replace(relaxations=relaxed))
        made += 1
        more = changed and made != passes
        yield
    if passes is not None and made < passes:
        run.expand_reached(later=True)
        for _ in range(passes - made):
            _pass_over_arcs(run)
            yield
        idle = passes - made
        run.step_done(note._replace(reason=describe_idle(idle), relaxations=idle * relaxed))


def _pass_over_arcs(run: Run) -> tuple[bool, int]:
    """Relax every arc once, in order; return whether a distance fell, and how many arcs had a reached tail."""
    changed, relaxed = False, 0
    for begin in range(0, run.node_count, NODES_AT_ONCE):
        run.check()
        end = min(begin + NODES_AT_ONCE, run.node_count)
        fell, tried = bodies.pass_over_arcs(begin, end, run.arcs, run.distances, run.infinity)
        changed, relaxed = changed or fell, relaxed + tried
    return changed, relaxed
