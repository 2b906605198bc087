"""What a page holds of a small graph: discs, arcs and weights, and what the search has done by every step. No Qt.

The section ``graph`` is JSON, of which ``web/src/diagram.ts`` has the types. States of nodes are 0 unreached, 1
waiting, 2 expanded in the step, 3 settled; kinds of arcs 0 plain, 1 tried, 2 in the tree so far, 3 lowered a distance.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront.trace.step_views import NO_ARC
from wayfront_gui.features.small_graphs.moment import Moment, ShownGraph
from wayfront_gui.features.small_graphs.words import NO_LABEL
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.results.result import Result

UNREACHED, WAITING, EXPANDED, SETTLED = range(4)
TRIED, IN_TREE, LOWERED = range(1, 4)


def graph_of(result: Result) -> bytes | None:
    """Return the section of a result's network, None where that is no small graph."""
    bare = ShownGraph.of(result.network, result.metric)
    if bare is None or result.trace is None:
        return None
    shown, graph, trace = bare.with_result(result), bare.graph, result.trace
    courses = graph.courses
    moments = [shown.moment(step, None, whole=False) for step in range(-1, len(trace))]
    told: dict[str, Any] = {
        "x": graph.x.round(2).tolist(),
        "y": graph.y.round(2).tolist(),
        "radius": graph.radius,
        "names": graph.names,
        "long": graph.long_names,
        "arcs": [
            [*ends, round(x, 2), round(y, 2), graph.weights[ends[2]]]
            for ends, x, y in zip(
                np.stack([courses.tail, courses.head, courses.arc, courses.back], axis=1).tolist(),
                courses.control_x.tolist(),
                courses.control_y.tolist(),
                strict=True,
            )
        ],
        "moments": [_moment(shown, moment) for moment in moments],
        "tree": _moment(shown, shown.moment(0, None, whole=True)),
        "held": [_held(shown, result, done) for done in range(len(trace) + 1)],
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _moment(shown: ShownGraph, moment: Moment) -> dict[str, Any]:
    """Return labels of nodes, what those that fell were before, states of nodes, and kinds of arcs."""
    text = shown.graph.numbers.text
    states = np.where(moment.labels == NO_LABEL, UNREACHED, WAITING)
    states[moment.settled], states[moment.frontier] = SETTLED, EXPANDED
    kinds = np.zeros(shown.graph.network.arc_count, np.int64)
    kinds[moment.tried] = TRIED
    kinds[moment.parents[moment.parents != NO_ARC]] = IN_TREE
    kinds[moment.improving] = LOWERED
    fell = np.flatnonzero(moment.changed).tolist()
    return {
        "labels": [text(label) for label in moment.labels.tolist()],
        "fell": {node: "" if moment.before[node] == NO_LABEL else text(int(moment.before[node])) for node in fell},
        "states": "".join(map(str, states.tolist())),
        "kinds": "".join(map(str, kinds.tolist())),
    }


def _held(shown: ShownGraph, result: Result, done: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the rows of what the search held after so many steps: a title, and each node's name and key."""
    assert result.trace is not None
    names, text = shown.graph.names, shown.graph.numbers.text
    rows = []
    for row in result.trace.held(done) or ():
        keys = [text(key) for key in row.keys] or [""] * len(row.nodes)
        title = translated(row.title, number=row.number)
        rows.append((title, [(names[node], key) for node, key in zip(row.nodes, keys, strict=True)]))
    return rows
