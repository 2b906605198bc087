"""The figures of a search that a lesson's text names in braces, such as ``{steps}``: computed while it plays. No Qt.

``{ball.relaxations}`` is the figure of an earlier moment that is named ``ball``, and ``{relaxations/ball.relaxations}``
how many times as large the one is as the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from wayfront_gui.model.device_names import short_device_name
from wayfront_gui.model.formatting import milliseconds, title
from wayfront_gui.model.network_title import title_of

if TYPE_CHECKING:
    from wayfront.search.result import Result

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
    "time",
)
WORDS = ("network", "algorithm", "device", "source", "farthest", "bucket")
NAMES = (*NUMBERS, "per_node", *WORDS)
"""Every figure: see docs/lessons.md."""
UNKNOWN = "…"

_FIELD = re.compile(r"\$[^$\n]+\$|\{([a-z_0-9.-]+)(?:/([a-z_0-9.-]+))?\}")
"""A figure in braces; or a formula, whose braces are its own."""


def figures_of(result: Result, step: int) -> dict[str, float | str]:
    """Return all figures of a search at a step (index), −1 before the first."""
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
        "source": network.node_name(result.source),
        "farthest": network.node_name(result.farthest),
    }
    if trace is not None and step < 0:
        none = dict.fromkeys(("step", "frontier", "tried", "improved"), 0)
        found |= {**none, "reached": 1, "widest": int(trace.frontier_size.max()), "bucket": UNKNOWN}
    elif trace is not None and len(trace):
        found |= {
            "step": step + 1,
            "frontier": int(trace.frontier_size[step]),
            "widest": int(trace.frontier_size.max()),
            "tried": int(trace.relaxations[step]),
            "improved": int(trace.improved[step]),
            "reached": int(np.count_nonzero((trace.first_reached >= 0) & (trace.first_reached <= step))),
            "bucket": UNKNOWN if trace.bucket[step] < 0 else f"{int(trace.bucket[step]):,}",
        }
    return found


def unknown_field(text: str, earlier: Mapping[str, object]) -> str | None:
    """Return the first field of a text that is no figure, None where all are; ``earlier`` moments have names."""
    for found in _FIELD.finditer(text):
        for name in filter(None, found.groups()):
            of, _, figure = name.rpartition(".")
            if figure not in NAMES or (of and of not in earlier):
                return name
    return None


def filled(text: str, now: Figures, earlier: Mapping[str, Figures]) -> str:
    """Return a text with its figures; one that is not known yet is an ellipsis."""

    def value(name: str) -> float | str:
        of, _, figure = name.rpartition(".")
        return (earlier.get(of, {}) if of else now).get(figure, float("nan"))

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
