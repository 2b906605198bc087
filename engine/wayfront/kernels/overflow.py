"""Find out whether distances have outgrown their dtype (see ``wayfront.search.distances``)."""

from __future__ import annotations

from typing import Any


def find_above(i: int, limit: int, infinity: int, distances: Any, found: Any) -> None:
    """Set ``found[0]`` if node i is reached at a distance above a limit."""
    if limit < distances[i] < infinity:
        found[0] = 1


def find_unreached_head(i: int, offsets: Any, targets: Any, distances: Any, infinity: int, found: Any) -> None:
    """Set ``found[0]`` if an arc leads from node i, which is reached, to a node that is not."""
    if distances[i] == infinity:
        return
    for arc in range(offsets[i], offsets[i + 1]):
        if distances[targets[arc]] == infinity:
            found[0] = 1
