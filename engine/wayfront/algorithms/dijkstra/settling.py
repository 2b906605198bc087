"""What the compiled loops of both sequential Dijkstra searches share."""

from __future__ import annotations

from numba import njit

from wayfront.kernels.arguments import Recording

MOST_WORK = 1 << 19
"""Nodes settled and arcs relaxed before a loop returns to Python: some ten milliseconds, so that cancelling and Ctrl-C
work at once, however large a bucket or a node's degree is."""

without_allocation = njit(nogil=True, cache=True, _nrt=False)
"""These loops allocate nothing. Saying so keeps numba from counting references at every call between them, which
would cost more than the calls."""


@without_allocation
def note_improved(recording: Recording, node: int) -> None:
    """Note that a node's distance fell in the present step: append it to ``improved``, whose first element counts.

    Looking up what the node's arrays say of it would cost the loop a third of its time; that is done afterwards.
    """
    recording.improved[0] += 1
    recording.improved[recording.improved[0]] = node
