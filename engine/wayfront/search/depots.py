"""Choose where depots should be: the best of a few candidates, by trying every choice of them.

Each node is served by the depot from which it is nearest. Two aims are usual (Hakimi, Optimum locations of switching
centers and the absolute centers and medians of a graph, Operations Research 12(3), 1964): the least sum of distances
over all nodes (p-median), and the least largest distance (p-center). Both are hard for many candidates; with at most
``MOST_CANDIDATES`` of them every choice of up to three is tried, so that what is found is the best there is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.errors import NetworkError, SearchCancelled

MOST_CANDIDATES = 40
"""Ten thousand choices of three, each of which takes a look at every node."""
MOST_DEPOTS = 3
_AT_ONCE = 1 << 12
"""Nodes that all choices look at before the next ones: their distances from all candidates stay in a core's cache."""


class Aim(StrEnum):
    """What the best choice has least of."""

    TOTAL = "total"
    LARGEST = "largest"


@dataclass(frozen=True, slots=True)
class Depots:
    """One choice of depots, and how well it serves the nodes.

    nodes      internal numbers, in the order of the candidates
    total      the sum of the distances to all nodes that are reached, each from its nearest depot, in raw weights
    largest    the largest of these distances
    unreached  how many nodes no depot reaches

        >>> import wayfront
        >>> wayfront.Depots((4, 7), total=90, largest=30, unreached=1).mean(10)
        10.0
    """

    nodes: tuple[int, ...]
    total: int
    largest: int
    unreached: int

    def mean(self, node_count: int) -> float:
        """Return the mean distance of the nodes that are reached, in raw weights."""
        return self.total / max(node_count - self.unreached, 1)


def best_depots(
    candidates: Sequence[int],
    rows: NDArray[Any],
    *,
    most: int = MOST_DEPOTS,
    cancel: threading.Event | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[tuple[int, str], Depots]:
    """Return the best choice of one depot, of two, and so on up to ``most``, for either aim.

    Keys are the number of depots and the aim, ``"total"`` or ``"largest"``.

    ``candidates`` are internal node numbers [c], ``rows`` the distances [c, n] from each of them; −1 and the dtype's
    largest value mean that there is no path, as in all pairs and in a result. A choice that reaches more nodes is
    better than any that reaches fewer; of equal ones the first in the order of the candidates is taken. ``progress``
    receives the fraction done.

    Raises ``NetworkError`` for no candidates or more than ``MOST_CANDIDATES``, and ``SearchCancelled``.

        >>> import wayfront
        >>> ring = wayfront.open_network("synthetic:ring?nodes=6")
        >>> rows = wayfront.all_pairs(ring, "dijkstra-in-turn", "cpu", keep="matrix", runs=0).matrix
        >>> best = wayfront.best_depots([0, 1, 3], rows[[0, 1, 3]])
        >>> best[2, "largest"].nodes
        (0, 3)
    """
    unreached = int(np.iinfo(rows.dtype).max)
    if not 1 <= len(candidates) <= MOST_CANDIDATES or len(set(candidates)) < len(candidates):
        raise NetworkError(
            f"depots are chosen among 1 to {MOST_CANDIDATES} different nodes, not among {len(candidates)}: "
            "name fewer candidates, each once"
        )
    choices = [choice for count in range(1, min(most, len(candidates)) + 1) for choice in _choices(candidates, count)]
    padded = np.array([choice + choice[:1] * (MOST_DEPOTS - len(choice)) for choice in choices], np.int32)
    figures = np.zeros((len(choices), 3), np.int64)
    for first in range(0, rows.shape[1], _AT_ONCE):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("choosing depots was stopped")
        part = rows[:, first : first + _AT_ONCE]
        part = np.ascontiguousarray(np.where(part < 0, rows.dtype.type(unreached), part))
        _add_nodes(part, padded, unreached, figures)
        if progress is not None:
            progress(min((first + _AT_ONCE) / rows.shape[1], 1.0))
    found: dict[tuple[int, str], Depots] = {}
    for choice, (total, largest, missing) in zip(choices, figures.tolist(), strict=True):
        depots = Depots(tuple(int(candidates[place]) for place in choice), total, largest, missing)
        for aim in Aim:
            known = found.get((len(choice), aim))
            if known is None or _key(depots, aim) < _key(known, aim):
                found[len(choice), aim] = depots
    return found


def _choices(candidates: Sequence[int], count: int) -> list[tuple[int, ...]]:
    return list(combinations(range(len(candidates)), count))


def _key(depots: Depots, aim: Aim) -> tuple[int, int, int]:
    """Return what orders choices: nodes without a depot, then the aim, then the other one."""
    figures = (depots.total, depots.largest) if aim is Aim.TOTAL else (depots.largest, depots.total)
    return depots.unreached, *figures


@loop
def _add_nodes(rows: NDArray[Any], choices: NDArray[np.int64], unreached: int, figures: NDArray[np.int64]) -> None:
    """Add some nodes' distances ``rows`` [c, nodes] to the sum, the largest and the number unreached of each choice."""
    for k in range(len(choices)):
        first, second, third = rows[choices[k, 0]], rows[choices[k, 1]], rows[choices[k, 2]]
        total, largest, missing = np.int64(0), np.int64(0), np.int64(0)
        for v in range(rows.shape[1]):
            nearest = min(first[v], second[v], third[v])
            reached = nearest != unreached
            distance = np.int64(nearest) if reached else np.int64(0)
            total += distance
            largest = max(largest, distance)
            missing += not reached
        figures[k, 0] += total
        figures[k, 1] = max(figures[k, 1], largest)
        figures[k, 2] += missing
