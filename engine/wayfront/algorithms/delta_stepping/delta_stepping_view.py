"""Show what Δ-stepping holds between two steps, and what its threads do in one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wayfront.algorithms.delta_stepping.delta_stepping_kernels import NOWHERE
from wayfront.devices.device import DeviceArray
from wayfront.network.route_arcs import arcs_from
from wayfront.search.run import Run
from wayfront.search.step_view import Recorded, held_state
from wayfront.search.thread_grid import ARC, Blocks, Launch
from wayfront.trace.step_state import StateRow, StepState

BUCKET, REMOVED, RELAXED = "Bucket {number}", "Removed, heavy arcs to come", "Relaxed by the last step"
HEAVY = "heavy arcs"


def read_buckets(
    run: Run, bucket: DeviceArray, removed: tuple[DeviceArray, int], relaxed: tuple[DeviceArray, int]
) -> Callable[[], tuple[StateRow, ...]]:
    """Return what reads the buckets in use, and two lists with their lengths."""

    def read() -> tuple[StateRow, ...]:
        distances, index = run.device.get(run.distances, run.node_count), run.device.get(bucket, run.node_count)
        rows = []
        for number in np.unique(index[index != NOWHERE]).tolist():
            nodes = np.flatnonzero(index == number)
            rows.append(StateRow(BUCKET, nodes.tolist(), distances[nodes].tolist(), number))
        for title, (array, count) in ((REMOVED, removed), (RELAXED, relaxed)):
            nodes = run.device.get(array, count)
            rows.append(StateRow(title, nodes.tolist(), distances[nodes].tolist()))
        return tuple(rows)

    return read


def buckets_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the buckets, what was removed from the open one, and what the last step relaxed."""
    return held_state(recorded, done, "Buckets", ("Held in", "Nodes", "Distances"))


def threads_of_requests(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches that empty the bucket, list the requests, and relax those of the phase, a thread each."""
    note, network = recorded.trace.step(step).note, recorded.network
    nodes = np.array(recorded.held(step + 1, RELAXED), np.int64)
    if not len(nodes):
        return ()
    degrees, arcs = network.out_degrees(), arcs_from(network, nodes)
    heavy = recorded.metric.weights[arcs] > note.high - note.low
    lanes = min(blocks.facts.warp_bits, (len(arcs) // len(nodes)).bit_length())
    listing = blocks.lanes("add_requests", nodes, degrees, lane_bits=lanes)
    relaxing = blocks.launch("relax_request", arcs, heavy == (note.phase == HEAVY), ARC)
    if note.phase == HEAVY:
        return listing, relaxing
    return blocks.nodes("empty_bucket", network.node_count, nodes), listing, relaxing
