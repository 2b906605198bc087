"""What the compiled loops of both sequential Dijkstra searches share."""

from __future__ import annotations

from wayfront.compiling import part_without_allocation
from wayfront.kernels.arguments import Recording

MOST_WORK = 1 << 19
"""Nodes settled and arcs relaxed before a loop returns to Python: some ten milliseconds, so that cancelling and Ctrl-C
work at once, however large a bucket or a node's degree is."""


@part_without_allocation
def note_improved(recording: Recording, node: int) -> None:
    """Note that a node's distance fell in the present step: append it to ``improved``, whose first element counts.

    Looking up what the node's arrays say of it would cost the loop a third of its time; that is done afterwards.
    """
    recording.improved[0] += 1
    recording.improved[recording.improved[0]] = node
