"""What is added up of trees while they are made: which points each node has within a distance, and how near they are.

The distances from k points to n nodes are reduced to some numbers of each node as soon as a cell's rows are made, and
nothing of size n × k is kept. Everything is added up in whole numbers: weights are multiplied by a power of two, so
that sums do not depend on the order in which cores or cards add, and what a point contributes can be taken out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

DIGIT_BITS = 6
DIGITS = 1 << DIGIT_BITS
"""Distances are selected by digits of so many bits: a node has a sum for each value of one digit at a time."""

NO_POINT = int(np.iinfo(np.int64).max)
"""In place of a distance to a point that is not within reach."""

FIXED_BITS = 62
"""Sums stay below 2 to the power of this."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """k points whose trees are reduced; each is left by one node or two.

    nodes    int32 [k, 2], −1 for no second node
    costs    int64 [k, 2]: the distance from the point to each
    weights  int64 [k], in parts of ``Asked``'s caller; ``moments`` int64 [k]: the same for sums of weight × distance
    shares   float64 [k]: weights that a decay multiplies before they are rounded down
    times    int32 [k]: how many points lie there
    """

    nodes: NDArray[np.int32]
    costs: NDArray[np.int64]
    weights: NDArray[np.int64]
    moments: NDArray[np.int64]
    shares: NDArray[np.float64]
    times: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.nodes)

    def chosen(self, which: Any) -> Points:
        """Return some of the points."""
        return Points(
            *(self.nodes[which], self.costs[which], self.weights[which]),
            *(self.moments[which], self.shares[which], self.times[which]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is added up of each node.

    reach    a distance from which on nothing counts: cells that are farther from all points of a team are left out
    limits   int64 [t], descending: weights of points nearer than each are added up
    mean     whether weights, and weights × distances, are
    decay    float64: by what a weight is multiplied at a distance, whose number is ``step_of``; 0 behind the last
    exact    a power of 2: distances below it have a number each, and beyond it those that begin with the same bits
    nearest  how many of the smallest distances are kept
    digit    what is counted by digits: the lowest bit of the digit, or −1 for nothing
    floor    int64 [n] by node, or empty for 0: only distances from there on, as far as the digit goes, are counted
    """

    reach: int
    limits: NDArray[np.int64]
    mean: bool
    decay: NDArray[np.float64]
    exact: int
    nearest: int
    digit: int
    floor: NDArray[np.int64]

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """How many numbers each node has in ``within``, ``mean``, ``decayed`` and ``digits`` of ``Reduced``."""
        return len(self.limits), 2 * self.mean, min(len(self.decay), 1), DIGITS if self.digit >= 0 else 0


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """What was added up, by node.

    within   int64 [n, t]; ``mean`` int64 [n, 2]: weights, and weights × distances, or [n, 0]; ``decayed`` int64 [n, 1]
             or [n, 0]; ``digits`` int64 [n, ``DIGITS``] or [n, 0]
    nearest  int64 [n, ``nearest``], ascending; the largest int64 where there are fewer points within reach
    """

    within: NDArray[np.int64]
    mean: NDArray[np.int64]
    decayed: NDArray[np.int64]
    nearest: NDArray[np.int64]
    digits: NDArray[np.int64]


class Reducer(Protocol):
    """Adds up what trees have, some points after others."""

    def add(self, engine: Any, points: Points) -> bool:
        """Add the trees of points; False, and nothing is of use, where the engine's dtype is too narrow for them."""
        ...

    def take(self) -> Reduced:
        """Return the sums."""
        ...


@runtime_checkable
class Reduces(Protocol):
    """An engine that reduces trees to sums of each node without their distances leaving it."""

    @property
    def points_at_once(self) -> int:
        """How many points are best given at once."""
        ...

    @property
    def longest(self) -> int:
        """What no distance exceeds."""
        ...

    def reducer(self, asked: Asked) -> Reducer:
        """Return what adds up; engines of the same network and dtype go on with one another's."""
        ...


def step_of(distance: int, exact: int) -> int:
    """Return the number of a distance: itself below ``exact``, and beyond it that of its leading bits.

    Compiled code does the same.

        >>> from wayfront.dissection.reduced import step_of
        >>> [step_of(distance, 4) for distance in range(12)]
        [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6]
    """
    shift = max(distance.bit_length() - exact.bit_length() + 1, 0)
    return (distance >> shift) + shift * (exact >> 1)


def middle_of(steps: NDArray[np.int64], exact: int) -> NDArray[np.float64]:
    """Return the middle of the distances that have each number, float64."""
    shift = np.maximum(steps // (exact >> 1) - 1, 0)
    return ((steps - shift * (exact >> 1)) << shift) + ((np.int64(1) << shift) - 1) / 2
