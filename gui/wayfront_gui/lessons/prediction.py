"""Predict the next step: which nodes a search expands next, and how well they were guessed. No Qt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wayfront.trace.schema import Trace

MOST_NODES = 200
"""Nodes of a frontier that a person is asked for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The nodes that were guessed and come next, those that do not, and those that were missed; internal numbers."""

    right: tuple[int, ...]
    wrong: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def perfect(self) -> bool:
        """Whether exactly the nodes that come next were guessed."""
        return not self.wrong and not self.missed


def next_nodes(trace: Trace | None, step: int) -> tuple[int, ...]:
    """Return the nodes that the step after ``step`` expands, ascending; none where it is not known whole, or too many.

    Before the first step, ``step`` is -1.
    """
    if trace is None or trace.stride != 1 or not 0 <= step + 1 < len(trace):
        return ()
    nodes = sorted({int(node) for node in trace.frontier(step + 1)})
    return tuple(nodes) if len(nodes) <= MOST_NODES else ()


def judge(expected: Collection[int], picked: Collection[int]) -> Verdict:
    """Compare what was guessed with what comes next."""
    return Verdict(
        tuple(sorted(set(expected) & set(picked))),
        tuple(sorted(set(picked) - set(expected))),
        tuple(sorted(set(expected) - set(picked))),
    )
