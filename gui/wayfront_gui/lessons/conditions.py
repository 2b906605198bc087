"""When a moment of a lesson is: a step of its search, named by what happens there, such as ``bucket 3 opens``. No Qt.

Steps count from 1, as the window shows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wayfront.network.finding import node_called
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.result import Result
from wayfront_gui.model.player import Change, changes

if TYPE_CHECKING:
    from wayfront.trace.schema import Trace

Recorded = Result | PairsResult
"""A search that a moment shows."""
Results = Sequence[Recorded]
"""The searches that are shown in step, the moment's own first."""
BEFORE, FIRST, LAST = "before the first step", "first step", "last step"
TREE, FINISHED = "tree", "finished"


class NeverError(ValueError):
    """A search has no step at which a condition holds."""


@dataclass(frozen=True, slots=True)
class When:
    """A condition as it is written, with its form and the node or the number in it."""

    text: str
    form: str
    value: str = ""

    @property
    def finished(self) -> bool:
        """Whether the finished search is meant instead of a step: its tree, its route or its matrix."""
        return self.form in (TREE, FINISHED)

    @classmethod
    def parse(cls, text: str) -> When:
        """Return a condition. Raises ``ValueError``, naming the forms there are."""
        plain = " ".join(text.split())
        for form, pattern in _PATTERNS.items():
            found = pattern.fullmatch(plain)
            if found is not None:
                return cls(plain, form, found[1] if pattern.groups else "")
        raise ValueError(f"{text!r} is no moment of a search; there are: {', '.join(_PATTERNS)}")


def step_of(when: When, results: Results) -> int:
    """Return the index of the first step at which the condition holds, of finished searches the last.

    What happens is looked for in the first of the searches that are shown in step; a number, and the end of all, may
    be beyond its last step. The index is −1 before the first step. Raises ``NeverError``, and ``NetworkError`` for a
    node that is not there.
    """
    trace = results[0].trace
    if trace is None or not len(trace):
        raise NeverError("this search has no recorded steps")
    return _FORMS[when.form](when.value, results, trace)


def _before(_value: str, _results: Results, trace: Trace) -> int:
    if trace.tentative is None and trace.matrices is None:
        raise NeverError("what is before the first step is shown on small graphs alone")
    return -1


def _numbered(value: str, results: Results, _trace: Trace) -> int:
    steps = _steps(results)
    if not 1 <= int(value) <= steps:
        raise NeverError(f"this search has the steps 1 to {steps}, not {value}")
    return int(value) - 1


def _bucket(value: str, _results: Results, trace: Trace) -> int:
    return _first(trace.bucket == int(value), f"no step of this search opens bucket {value}")


def _reached(value: str, results: Results, trace: Trace) -> int:
    step = int(trace.first_reached[node_called(results[0].network, value)])
    if step < 0:
        raise NeverError(f"node {value} is never reached")
    return step


def _settled(value: str, results: Results, trace: Trace) -> int:
    """Return the step that settles a node, or the last that expands it, or else the one that gives it its distance."""
    node = node_called(results[0].network, value)
    _reached(value, results, trace)
    alone = np.flatnonzero(trace.settled == node)
    if len(alone):
        return int(alone[0])
    places = np.flatnonzero(trace.frontier_nodes == node)
    if len(places):
        return int(np.searchsorted(trace.frontier_offsets, places[-1], "right")) - 1
    return int(trace.last_improved[node])


def _expanded(value: str, results: Results, trace: Trace) -> int:
    places = np.flatnonzero(trace.frontier_nodes == node_called(results[0].network, value))
    if not len(places):
        raise NeverError(f"no step of this search expands node {value}")
    return int(np.searchsorted(trace.frontier_offsets, places[0], "right")) - 1


def _share(value: str, _results: Results, trace: Trace) -> int:
    steps = np.sort(trace.first_reached[trace.first_reached >= 0])
    needed = int(np.ceil(len(steps) * min(int(value), 100) / 100))
    return int(steps[max(needed - 1, 0)]) if len(steps) else 0


def _distance(value: str, results: Results, trace: Trace) -> int:
    result = results[0]
    if isinstance(result, PairsResult):
        raise NeverError("a search for all pairs has no single source that a node could be away from")
    settled = trace.settled_distance(result.distances)
    return _first(settled >= int(value), f"no node of this search is {value} away")


def _mode(_value: str, _results: Results, trace: Trace) -> int:
    found = changes(trace, Change.MODE)
    if not len(found):
        raise NeverError("every step of this search has the same mode")
    return int(found[0])


def _steps(results: Results) -> int:
    """Return how many steps the longest of searches has that are shown in step."""
    return max(0 if result.trace is None else len(result.trace) for result in results)


def _steps_of(phase: str, trace: Trace) -> np.ndarray:
    """Return whether each step has a phase. Raises ``NeverError`` where none has."""
    holds = np.array([trace.step(index).note.phase == phase for index in range(len(trace))])
    _first(holds, f"no step of this search has the phase {phase!r}")
    return holds


def _first(holds: np.ndarray, never: str) -> int:
    found = np.flatnonzero(holds)
    if not len(found):
        raise NeverError(never)
    return int(found[0])


_FORMS: dict[str, Callable[[str, Results, Trace], int]] = {
    BEFORE: _before,
    FIRST: lambda _value, _results, _trace: 0,
    LAST: lambda _value, _results, trace: len(trace) - 1,
    TREE: lambda _value, results, _trace: _steps(results) - 1,
    FINISHED: lambda _value, results, _trace: _steps(results) - 1,
    "step N": _numbered,
    "bucket N opens": _bucket,
    "node X is reached": _reached,
    "node X is settled": _settled,
    "node X is expanded": _expanded,
    "N % of the nodes are reached": _share,
    "distance N is settled": _distance,
    "the frontier is widest": lambda _value, _results, trace: int(np.argmax(trace.frontier_size)),
    "the mode changes": _mode,
    "phase P begins": lambda value, _results, trace: int(np.argmax(_steps_of(value, trace))),
    "phase P ends": lambda value, _results, trace: int(np.flatnonzero(_steps_of(value, trace))[-1]),
}
_HOLES = {"N": r"(\d{1,15})", "X": r"(.{1,60}?)", "P": r"(.{1,60})"}
_PATTERNS = {form: re.compile(re.sub(r"\b[NXP]\b", lambda hole: _HOLES[hole[0]], form)) for form in _FORMS}
"""What each form of a condition looks like."""
FORMS = tuple(_FORMS)
"""All conditions, as they are written: N a number, X a node, P a phase."""
