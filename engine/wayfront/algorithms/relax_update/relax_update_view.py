"""Show what the relax/update searches hold between two steps, and what their threads do in one."""

from __future__ import annotations

from wayfront.search.step_view import Recorded, held_state
from wayfront.search.thread_grid import Blocks, Launch
from wayfront.trace.step_state import StepState

LISTED, MARKED = "List NR", "Marked, M = 1"
_COLUMNS = ("Held in", "Nodes", "Costs C")


def mask_after(recorded: Recorded, done: int) -> StepState:
    """Return the marked nodes: those whose cost fell in the last step."""
    return StepState("Mask M", _COLUMNS, (recorded.row(MARKED, recorded.expanded_next(done), done),))


def list_or_mask_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the list of adaptive thread creation where it is kept, else the marked nodes."""
    return held_state(recorded, done, "List or mask", _COLUMNS)


def relax_and_update(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return RELAX and UPDATE: a thread for every node, of which few are marked, and few were lowered."""
    return _all_nodes(recorded, step, blocks, "relax_arcs", "update_costs")


def relax_under_locks(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the same with locks."""
    return _all_nodes(recorded, step, blocks, "relax_under_locks", "update_costs")


def list_or_all(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of a step of adaptive thread creation, by the list that it served or over all nodes."""
    listed = recorded.held(step, LISTED)
    if not listed:
        return _all_nodes(recorded, step, blocks, "relax_arcs", "update_and_count")
    relaxed = blocks.lanes("select_relax", listed, recorded.network.out_degrees())
    return relaxed, blocks.listed("select_update", recorded.held(step + 1, LISTED))


def _all_nodes(recorded: Recorded, step: int, blocks: Blocks, relax: str, update: str) -> tuple[Launch, ...]:
    n = recorded.network.node_count
    marked, lowered = recorded.trace.frontier(step), recorded.changed(step)
    return blocks.nodes(relax, n, marked), blocks.nodes(update, n, lowered)
