"""The figures of a search that a lesson's text names in braces, such as ``{steps}``: computed while it plays. No Qt.

``{ball.relaxations}`` is the figure of an earlier moment that is named ``ball``, and ``{relaxations/ball.relaxations}``
how many times as large the one is as the other. Where several searches are shown, ``{2.steps}`` is that of the second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.model.device_names import short_device_name
from wayfront_gui.model.formatting import milliseconds, title
from wayfront_gui.model.network_title import title_of
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.lessons.conditions import Recorded, Results

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
