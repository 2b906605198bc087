"""What a page holds of an algorithm's pseudo-code: its lines, and which of them each step runs. No Qt.

The heading's ``code`` has ``lines``, and ``runs``: the line where most work is done, −1 for none, and all that are run.
The section ``code`` has of each step which of the runs it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront_gui.features.explanation.texts import ExplanationError, explain
from wayfront_gui.features.page.coding import varints

if TYPE_CHECKING:
    from wayfront.results.result import Result


def code_of(result: Result) -> tuple[dict[str, Any] | None, dict[str, bytes]]:
    """Return what heading and sections have of the pseudo-code of a search; nothing where nothing explains it."""
    trace = result.trace
    try:
        told = explain(result.algorithm)
    except ExplanationError:  # a recorded search may come from another version
        return None, {}
    if trace is None or not told.code:
        return None, {}
    in_vain = (trace.improved == 0).astype(np.int64)
    keys = np.stack([trace.labels[:, 0], trace.labels[:, 2], in_vain], axis=1)
    kinds, of_step = np.unique(keys, axis=0, return_inverse=True)
    runs = []
    for mode, phase, vain in kinds.tolist():
        names = trace.label_names[phase], trace.label_names[mode]
        at_work = told.line_at_work(*names, in_vain=bool(vain))
        runs.append([-1 if at_work is None else at_work, list(told.lines_of(*names, in_vain=bool(vain)))])
    return {"lines": [line.text for line in told.code], "runs": runs}, {"code": varints(of_step.ravel())}
