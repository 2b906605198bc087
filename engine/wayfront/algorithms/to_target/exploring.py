"""What the compiled loops from one end and from both ends share: labels, settling, and the log of steps."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.dijkstra.logging_kernels import (
    BEGUN,
    CARRIED_NS,
    CLOCKED_NS,
    COLUMNS,
    END,
    IMPROVED,
    LAST_NS,
    RELAXED,
    ROWS,
    STEP,
    TIME_NS,
    StepLog,
)
from wayfront.algorithms.dijkstra.settling import note_improved
from wayfront.algorithms.to_target.heap import Heap, drop_least
from wayfront.compiling import part_without_allocation
from wayfront.devices.clocks import timer_ns
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Recording
from wayfront.search.to_target.run import NO_NODE, Labels

INFINITY = (1 << 63) - 1


class Steps(NamedTuple):
    """How a loop divides its work into steps, and when it comes back.

    log        where steps are written down
    relaxed    int64 [1]: arcs tried since the last step ended
    share      nodes settled in a step
    at_least   come back when so many nodes are settled
    most_work  or when so many nodes and arcs were looked at
    """

    log: StepLog
    relaxed: DeviceArray
    share: int
    at_least: int
    most_work: int


@part_without_allocation
def clear(labels: Labels, settled: DeviceArray) -> None:
    """Take back what the search before wrote."""
    for index in range(1, labels.listed[0] + 1):
        node = labels.listed[index]
        labels.distance[node] = INFINITY
        labels.parent[node] = NO_NODE
        settled[node] = 0
    labels.listed[0] = 0


@part_without_allocation
def label(labels: Labels, node: int, distance: int, parent: int, recording: Recording) -> None:
    """Note a shorter path to a node."""
    if labels.distance[node] == INFINITY:
        labels.listed[0] += 1
        labels.listed[labels.listed[0]] = node
    labels.distance[node] = distance
    labels.parent[node] = parent
    if recording.on != 0:
        note_improved(recording, node)


@part_without_allocation
def drop_outdated(heap: Heap, labels: Labels, settled: DeviceArray) -> int:
    """Remove entries of settled nodes and of distances that fell since from the top; return how many there were."""
    dropped = 0
    while heap.size[0] > 0:
        node = heap.node[0]
        if settled[node] == 0 and heap.distance[0] == labels.distance[node]:
            break
        drop_least(heap)
        dropped += 1
    return dropped


@part_without_allocation
def end_step(steps: Steps, count: int, recording: Recording) -> None:
    """Write down the present step."""
    log, state = steps.log, steps.log.state
    row, now = state[ROWS] * COLUMNS, timer_ns()
    time_ns = now - state[LAST_NS]
    log.rows[row + END] = count
    log.rows[row + RELAXED] = steps.relaxed[0]
    log.rows[row + IMPROVED] = recording.improved[0]
    log.rows[row + TIME_NS] = state[CARRIED_NS] + time_ns
    steps.relaxed[0] = 0
    state[LAST_NS], state[CARRIED_NS], state[BEGUN] = now, 0, count
    state[CLOCKED_NS] += time_ns
    state[STEP] += 1
    state[ROWS] += 1
