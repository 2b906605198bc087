"""Show what searches to a target hold between two steps."""

from __future__ import annotations

from wayfront.search.step_view import Recorded, held_state
from wayfront.trace.step_state import StepState

FROM_SOURCE, TO_TARGET = "Heap from the source, place by place", "Heap from the target, place by place"

_COLUMNS = ("Held in", "Nodes", "Keys")


def heap_after(recorded: Recorded, done: int) -> StepState | None:
    """Return the heap of a search from one end."""
    return held_state(recorded, done, "Binary heap", _COLUMNS)


def heaps_after(recorded: Recorded, done: int) -> StepState | None:
    """Return both heaps of a search from both ends."""
    return held_state(recorded, done, "Two binary heaps", _COLUMNS)
