"""When a moment of a lesson is: a step of its search, named by what happens there, such as ``bucket 3 opens``. No Qt.

Steps count from 1, as the window shows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wayfront.network.finding import node_called
from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result, RouteResult
from wayfront.trace.schema import EARLIER_PHASES, Trace
from wayfront_gui.session.formatting import milliseconds, short_device_name, title, title_of
from wayfront_gui.session.replay import Change, changes
from wayfront_gui.ui.translation import translated

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
    named = EARLIER_PHASES.get(phase, phase)
    holds = np.array([trace.step(index).note.phase in (phase, named) for index in range(len(trace))])
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


Figures = Mapping[str, float | str]
"""What is known of one moment, by the names of ``NAMES``; a number that is not known is NaN."""

NUMBERS = (
    "nodes",
    "arcs",
    "steps",
    "step",
    "frontier",
    "widest",
    "relaxations",
    "tried",
    "improved",
    "reached",
    "expanded",
    "time",
)
WORDS = ("network", "algorithm", "device", "source", "target", "distance", "farthest", "bucket")
NAMES = (*NUMBERS, "per_node", *WORDS)
"""Every figure: see docs/lessons.md."""
UNKNOWN = "…"

_FIELD = re.compile(r"\$[^$\n]+\$|\{([a-z_0-9.-]+)(?:/([a-z_0-9.-]+))?\}")
"""A figure in braces; or a formula, whose braces are its own."""


def figures_of(results: Results, step: int) -> dict[str, float | str]:
    """Return all figures of the searches that are shown at a step (index), −1 before the first.

    Those of the first have their plain names, and those of each have its number before them.
    """
    each = [_of_search(result, step) for result in results]
    numbered = {f"{number}.{name}": value for number, found in enumerate(each, 1) for name, value in found.items()}
    return each[0] | numbered


def _of_search(result: Recorded, step: int) -> dict[str, float | str]:
    network, trace = result.network, result.trace
    found: dict[str, float | str] = {
        "nodes": network.node_count,
        "arcs": network.arc_count,
        "steps": float("nan") if result.steps is None else result.steps,
        "relaxations": float("nan") if result.relaxations is None else result.relaxations,
        "per_node": float("nan") if not result.relaxations else result.relaxations / max(network.node_count, 1),
        "time": float("nan") if result.timing.median_ms is None else result.timing.median_ms,
        "network": title_of(network.name),
        "algorithm": title(result.algorithm),
        "device": short_device_name(result.device_name),
        **_ends_of(result),
    }
    if trace is None or not len(trace):
        return found
    step = min(step, len(trace) - 1)
    found |= {"widest": int(trace.frontier_size.max()), "expanded": int(trace.frontier_size[: step + 1].sum())}
    if step < 0:
        return found | dict.fromkeys(("step", "frontier", "tried", "improved"), 0) | {"reached": 1, "bucket": UNKNOWN}
    return found | {
        "step": step + 1,
        "frontier": int(trace.frontier_size[step]),
        "tried": int(trace.relaxations[step]),
        "improved": int(trace.improved[step]),
        "reached": int(np.count_nonzero((trace.first_reached >= 0) & (trace.first_reached <= step))),
        "bucket": UNKNOWN if trace.bucket[step] < 0 else f"{int(trace.bucket[step]):,}",
    }


def _ends_of(result: Recorded) -> dict[str, str]:
    """Return the nodes between which a search found paths, where these are two."""
    if isinstance(result, PairsResult):
        return {}
    name = result.network.node_name
    if not isinstance(result, RouteResult):
        return {"source": name(result.source), "farthest": name(result.farthest)}
    far = result.metric.describe(result.distance) if len(result.path) else translated("no path")
    return {"source": name(result.source), "target": name(result.target), "distance": far}


def unknown_field(text: str, earlier: Mapping[str, object], searches: int = 1) -> str | None:
    """Return the first field of a text that is no figure, None where all are.

    ``earlier`` moments have names; of the ``searches`` that are shown each has its number, from 1.
    """
    known = {"", *earlier, *map(str, range(1, searches + 1))}
    for found in _FIELD.finditer(text):
        for name in filter(None, found.groups()):
            of, _, figure = name.rpartition(".")
            if figure not in NAMES or of not in known:
                return name
    return None


def filled(text: str, now: Figures, earlier: Mapping[str, Figures]) -> str:
    """Return a text with its figures; one that is not known yet is an ellipsis."""

    def value(name: str) -> float | str:
        of, _, figure = name.rpartition(".")
        return earlier[of].get(figure, float("nan")) if of in earlier else now.get(name, float("nan"))

    def write(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        over, under = value(found[1]), None if found[2] is None else value(found[2])
        if under is None:
            return _written(found[1].rpartition(".")[2], over)
        if isinstance(over, str) or isinstance(under, str) or not under:
            return UNKNOWN
        return _ratio(over / under)

    return _FIELD.sub(write, text)


def _written(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value
    if value != value:  # noqa: PLR0124 - not a number
        return UNKNOWN
    if name == "time":
        return milliseconds(value)
    return _ratio(value) if name == "per_node" else f"{value:,.0f}"


def _ratio(value: float) -> str:
    if value != value:  # noqa: PLR0124 - not a number
        return UNKNOWN
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2g}"


def uses_time(text: str) -> bool:
    """Return whether a text names the time of its moment's search, which then has to be measured."""
    return any("time" in found.groups() for found in _FIELD.finditer(text))
