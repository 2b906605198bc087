"""Adaptive thread creation: relax/update that starts threads only for the nodes that changed, while they are few.

Relax/update starts a thread for every node twice in each step, however few nodes changed in the last one. *List mode*
starts threads for a list of the changed nodes alone: SELECT_RELAX appends a node to the next list when it has just
lowered that node's updating cost and it is not listed yet; SELECT_UPDATE then runs over that list. Appending is an
atomic increment of one counter, which costs more the longer the list is; a warp makes one of those of its lanes, and on
a card several threads share a listed node's arcs, which is ours. *All-nodes mode* is the plain RELAX and UPDATE, which
keep no list. The search starts in list mode and leaves it when a phase took longer than a threshold; it comes back, by
way of SWITCH (``collect_marked``), which lists the marked nodes, when a phase took less. One that took just the
threshold changes nothing.

Both modes do the same work in the same steps, so distances after step k are those of relax/update. Time judged by the
clock makes the choice of modes vary between runs; judged by the number of changed nodes it is repeatable.

Ours are the threshold by number of nodes, the automatic thresholds (the paper's value is not readable in our copy), and
that a node is listed only when its updating cost falls: the paper lists it also where the offer equals what it has. So
every listed node is marked, and SELECT_RELAX need not look. The two lists are swapped, where the paper copies one to
the other. The automatic threshold takes a few phases to measure; that is done once, in the first of several runs, which
is the traced one where there is one, and the clean runs that are timed after it use what it found.

Suzuki, Kan, Hayashi and Yoshikawa, Accelerating SSSP algorithm on GPU with adaptive thread creation. The paper counts
the step's launches and waits in its phase time, and so does this: in list mode it waits until SELECT_UPDATE is done.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns
from typing import NamedTuple

import numpy as np

from wayfront.algorithms.relax_update import (
    COLUMNS,
    MARKED,
    Costs,
    make_costs,
    relax_arcs,
    start_search,
    threads_of_all_nodes,
    update_and_count,
)
from wayfront.devices.atomics import atomic_max, next_place
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, lowers
from wayfront.kernels.observing import collect_marked, fill
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.schema import StateRow, StepNote
from wayfront.trace.step_views import Blocks, Launch, Recorded, Relaxing, held_state

LIST, ALL = "frontier list", "all nodes"

BY_TIME, BY_SIZE = "phase time", "frontier size"

LISTED = "List NR"

IDLE_PHASES = 5
"""Phases over all nodes that are timed, with nothing marked, to find a threshold."""

ABOVE_IDLE = 1.25
"""A threshold below an idle phase over all nodes would never let the search return to its list."""

SHARE_LISTED = 256
"""On an H200 idle threads are so cheap that New York's lists never pay: 24 ms without a list, 31 with one for
frontiers up to a 256th of the nodes, 34 up to a 64th, 47 up to a quarter. Older cards and larger networks draw the
line higher."""

OPTIONS = (
    Option(
        "judge",
        str,
        BY_TIME,
        "What decides the mode of the next step: the time of the last one, as in the paper, or its frontier's size, "
        "which is the same in every run.",
        choices=(BY_TIME, BY_SIZE),
    ),
    Option(
        "threshold",
        float,
        AUTO,
        f"Phase time between the modes; auto is {ABOVE_IDLE} times that of all nodes with nothing to do, measured "
        "once, in the first of several runs.",
        bounds=(0.01, 1e9),
        unit="µs",
        automatic=True,
    ),
    Option(
        "list_up_to",
        int,
        AUTO,
        f"The largest frontier that a list serves; auto is a {SHARE_LISTED}th of the nodes.",
        bounds=(1, 2**31 - 1),
        unit="nodes",
        automatic=True,
    ),
    Option("block", int, 256, "Threads of a block.", choices=(32, 64, 128, 256, 512, 1024), unit="threads"),
)


class Lists(NamedTuple):
    """The lists of the paper, int32 [n] each.

    ``scheduled`` keeps a node from being listed twice. It is not the mask: a thread clears the mask of its own node
    while others may just be listing that node for the next step.

    scheduled   1 while the node is on the list being filled
    updated     NR: the nodes that this phase relaxes
    lowered     NW: the nodes whose updating cost fell
    """

    scheduled: DeviceArray
    updated: DeviceArray
    lowered: DeviceArray


def start_list(i: int, source: int, lists: Lists) -> None:
    """List the source alone."""
    lists.scheduled[i] = 0
    if i == source:
        lists.updated[0] = i


def select_relax(i: int, lane_bits: int, arcs: Arcs, costs: Costs, lists: Lists, count: DeviceArray) -> None:
    """SELECT_RELAX: offer the cost of a listed node along its arcs; list whose updating cost fell, once each.

    2^``lane_bits`` threads share the arcs of one node, which is ours.
    """
    node = lists.updated[i >> lane_bits]
    costs.mask[node] = 0
    reached_at = costs.cost[node]
    lanes = 1 << lane_bits
    arc, end = arcs.offsets[node] + (i & (lanes - 1)), arcs.offsets[node + 1]
    while arc < end:
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        lowered = lowers(costs.updating, target, offer)
        if lowered and lists.scheduled[target] == 0 and atomic_max(lists.scheduled, target, 1) == 0:
            lists.lowered[next_place(count, 0)] = target
        arc += lanes


def select_update(i: int, costs: Costs, lists: Lists, count: DeviceArray) -> None:
    """SELECT_UPDATE: take over the updating cost of a listed node, mark it, and let it be listed again."""
    node = lists.updated[i]
    costs.cost[node] = costs.updating[node]
    costs.mask[node] = 1
    lists.scheduled[node] = 0
    if i == 0:
        count[0] = 0


def list_or_all(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of a step of adaptive thread creation, by its list or over all nodes."""
    listed = recorded.held(step, LISTED)
    if not listed:
        return threads_of_all_nodes(recorded, step, blocks, "relax_arcs", "update_and_count")
    relaxed = blocks.lanes("select_relax", listed, recorded.network.out_degrees())
    return relaxed, blocks.listed("select_update", recorded.held(step + 1, LISTED))


@dataclass(slots=True)
class _State:
    """The arrays of one search, the length of the list being filled (int32 [1]), and the step over all nodes."""

    costs: Costs
    lists: Lists
    count: DeviceArray
    all_nodes: Callable[[], None]


@algorithm(
    name="adaptive",
    reading_order=310,
    title="Adaptive thread creation",
    paper="Suzuki, Kan, Hayashi and Yoshikawa: adaptive thread creation",
    family="Relax/update",
    summary="Relax/update that starts threads for a list of the changed nodes while they are few, and for all nodes "
    "when a phase takes too long.",
    phases=("select relax, select update", "relax, update", "relax, update, switch"),
    options=OPTIONS,
    state=held_state("List or mask", COLUMNS),
    threads=list_or_all,
    relaxing=Relaxing.AT_ONCE,
)
def adaptive(run: Run) -> Iterator[None]:
    """Run adaptive thread creation until no node is marked."""
    judge = _Judge.of(run)
    state = _start(run)
    mode, marked, reason = LIST, 1, "the search starts with its list"
    run.observer.hold(lambda: _held(run, state, 1))
    while marked:
        if mode == LIST:
            run.expand_list(state.lists.updated, marked)
        else:
            with run.observer.untimed():  # and before the phase, which is judged by the host's clock
                run.expand_marked(state.costs.mask)
        begin_ns = perf_counter_ns()
        marked = _list_phase(run, state, marked, judge) if mode == LIST else _all_phase(run, state)
        other, next_reason = judge.choose(mode, perf_counter_ns() - begin_ns, marked)
        switching = mode == ALL and other == LIST
        if switching:
            run.launch(fill, 1, state.count, 0)
            run.launch(collect_marked, run.node_count, state.costs.mask, state.lists.updated, state.count)
            run.launch(fill, 1, state.count, 0)
        phase = "select relax, select update" if mode == LIST else "relax, update"
        listed = marked if mode == LIST or switching else None
        run.step_done(StepNote(mode, reason, f"{phase}, switch" if switching else phase, queue=marked))
        run.observer.hold(functools.partial(_held, run, state, listed))
        mode, reason = other, next_reason
        yield


def _start(run: Run) -> _State:
    n = run.node_count
    costs = make_costs(run, run.distances)
    lists = Lists(
        scheduled=run.array("scheduled", n, np.int32),
        updated=run.array("updated nodes", n, np.int32),
        lowered=run.array("lowered nodes", n, np.int32),
    )
    count = run.counters(1)

    def all_nodes() -> None:
        run.launch(fill, 1, count, 0)
        run.launch(relax_arcs, n, run.arcs, costs)
        run.launch(update_and_count, n, costs, count)

    recorded = run.record(all_nodes)
    run.launch(start_search, n, run.source, run.infinity, costs)
    run.launch(start_list, n, run.source, lists)
    return _State(costs, lists, count, recorded)


def _held(run: Run, state: _State, listed: int | None) -> tuple[StateRow]:
    """Return the list with its length, or without one the marked nodes."""
    if listed is None:
        title, nodes = MARKED, np.flatnonzero(run.device.get(state.costs.mask, run.node_count))
    else:
        title, nodes = LISTED, run.device.get(state.lists.updated, listed)
    return (StateRow(title, nodes.tolist(), run.device.get(run.distances, run.node_count)[nodes].tolist()),)


def _list_phase(run: Run, state: _State, listed: int, judge: _Judge) -> int:
    """Relax and update the listed nodes; return how many are listed now, once all is done if it is timed."""
    lanes = run.device.lane_bits
    run.launch(select_relax, listed << lanes, lanes, run.arcs, state.costs, state.lists, state.count)
    lowered = run.read(state.count)[0]
    state.lists = state.lists._replace(updated=state.lists.lowered, lowered=state.lists.updated)
    run.launch(select_update, lowered, state.costs, state.lists, state.count)
    if judge.by_time:
        run.device.synchronize()
    return lowered


def _all_phase(run: Run, state: _State) -> int:
    """Relax and update all nodes; return how many are marked now."""
    state.all_nodes()
    return run.read(state.count)[0]


@dataclass(frozen=True, slots=True)
class _Judge:
    """Chooses the next step's mode by the last one's time (nanoseconds) or by how many nodes it changed."""

    by_time: bool
    threshold: int

    @classmethod
    def of(cls, run: Run) -> _Judge:
        """Take the thresholds from the options, or find them."""
        if run.options["judge"] == BY_TIME:
            threshold_us = run.options["threshold"]
            if threshold_us == AUTO:
                return cls(True, max(1, round(ABOVE_IDLE * run.measured("idle phase", lambda: _idle_phase_ns(run)))))
            return cls(True, round(1e3 * float(threshold_us)))
        list_up_to = run.options["list_up_to"]
        return cls(False, max(1, run.node_count // SHARE_LISTED) if list_up_to == AUTO else int(list_up_to))

    def choose(self, mode: str, elapsed_ns: int, changed: int) -> tuple[str, str]:
        """Return the next mode and why: just at the threshold it stays as it is by time, and is the list by size."""
        if not self.by_time:
            above = changed > self.threshold
            how = "more than" if above else "no more than"
            return ALL if above else LIST, f"the last phase changed {how} {self.threshold:,} nodes"
        if mode == LIST:
            chosen, how = (ALL, "more than") if elapsed_ns > self.threshold else (LIST, "no more than")
        else:
            chosen, how = (LIST, "less than") if elapsed_ns < self.threshold else (ALL, "no less than")
        return chosen, f"the last phase took {how} {self.threshold / 1e3:,.4g} µs"


def _idle_phase_ns(run: Run) -> int:
    """Time phases over all nodes with nothing marked: what the list mode has to beat."""
    state = _start(run)
    run.launch(fill, run.node_count, state.costs.mask, 0)
    times = []
    for _ in range(IDLE_PHASES):
        begin_ns = perf_counter_ns()
        _all_phase(run, state)
        times.append(perf_counter_ns() - begin_ns)
    return round(median(times))
