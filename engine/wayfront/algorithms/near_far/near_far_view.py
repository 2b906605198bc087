"""Show what the near-far searches hold between two steps, and what their threads do in one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.search.run import Run
from wayfront.search.step_view import Recorded, held_state
from wayfront.search.thread_grid import Blocks, Launch
from wayfront.trace.step_state import StateRow, StepState

NEAR, FAR, RELAXED = "Near pile", "Far pile", "Relaxed by the last step"


def read_piles(
    run: Run,
    near: DeviceArray,
    near_count: int,
    far: DeviceArray,
    far_count: int,
    relaxed: NDArray[np.int32] | None = None,
) -> Callable[[], tuple[StateRow, ...]]:
    """Return what reads the two piles, in their order; a node on the far pile may have come nearer since.

    A resident search splits the far pile at the beginning of a step, and so says after it what it ``relaxed``.
    """

    def read() -> tuple[StateRow, ...]:
        distances = run.device.get(run.distances, run.node_count)
        piles = ((NEAR, run.device.get(near, near_count)), (FAR, run.device.get(far, far_count)))
        rows = [StateRow(title, nodes.tolist(), distances[nodes].tolist()) for title, nodes in piles]
        return (*rows, *(() if relaxed is None else (StateRow(RELAXED, relaxed.tolist()),)))

    return read


def piles_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the near and the far pile."""
    return held_state(recorded, done, "Piles", ("Pile", "Nodes", "Distances"))


def threads_of_pile(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the relaxing launch: several threads for each near node, in the order of the pile."""
    return (blocks.lanes("relax_near", recorded.held(step, NEAR), recorded.network.out_degrees()),)


def resident_block(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return what the threads of block 0 did, to which a resident search leaves a pile as short as a small graph's."""
    work = blocks.lanes("search_near_far", recorded.held(step + 1, RELAXED), recorded.network.out_degrees())
    return (blocks.rounds(work.kernel, work.items.ravel(), work.busy.ravel(), blocks.block),)
