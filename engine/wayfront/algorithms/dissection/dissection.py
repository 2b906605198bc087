"""Nested dissection: cut the network once, fold it for a metric, then a tree is a few small (min, +) products a level.

*Cut.* A separator S is a small set of nodes whose removal parts the rest in two. Separators are found for the network,
for both sides of it, and so on, until a cell has at most some 24 nodes. The cells form a tree, and the border A of a
cell is what of the separators above touches its subtree. Only the shape of the network matters, so a cut serves every
metric.

*Customise.* For every cell, children first, form the front: the distances between the nodes of S and A over arcs and
over what the children hold, closed over S as in Floyd's algorithm. That is Gaussian elimination in the semiring
(min, +). It leaves R, from S to S and A, and L, from A to S, exact within the cell's subtree.

*A tree.* Climb from the source's cell to the root: d[S and A] = min(d, d[S] ⊗ R). Then descend, parents first:
d[S] = min(d[S], d[A] ⊗ L). A shortest path rises to the highest cell it meets and comes down again, so after the climb
the root's distances are final, and after each level of the descent those of that level.

The steps of a trace are the levels of the climb, then those of the descent; the frontier of a step are the nodes of its
cells. A node counts as reached in the step that makes its distance final: what the climb brings may still fall, and the
distances that a small graph's trace keeps of each step are those that are final by then. The
relaxations of a step are the additions that it makes. A device does all of it in one go, so that a step's time is its
share of the whole by these additions.

Customising takes some ten milliseconds for New York and cutting seconds; both are told apart from the tree, which
takes less than one. George 1973; Carré 1971; Delling, Goldberg, Pajor and Werneck, Customizable route planning, 2011;
Dibbelt, Strasser and Wagner, Customizable contraction hierarchies, 2016.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import DeviceArray
from wayfront.dissection.shape import Dissection
from wayfront.search.customised import Wanted, customised_on
from wayfront.search.registry import Tell, algorithm
from wayfront.search.result import CUSTOMISE, CUT
from wayfront.search.run import BaseRun, Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import NO_PATH, StepNote

CLIMB = StepNote("one cell", "all of the climb is one chain; its time is shared by additions", "climb")
DESCEND = StepNote(
    "all cells of a level", "all of the descent is one launch; its time is shared by additions", "descend"
)


def prepare(run: BaseRun, tell: Tell, cancel: threading.Event | None) -> Mapping[str, float] | None:
    """Cut the network and customise it for the run's metric without its closures; None if the dtype is too narrow."""
    customised = customised_on(run.device, run.whole, tell, cancel)
    if not customised.customise(Wanted.by(run)):
        return None
    return {CUT: customised.dissection.cut_ms, CUSTOMISE: customised.customise_ms}


@algorithm(
    name="dissection",
    reading_order=400,
    title="Nested dissection",
    paper="George 1973; customisable: Delling, Goldberg, Pajor and Werneck 2011; Dibbelt, Strasser and Wagner 2016",
    family="Dissection",
    summary="Cuts the network once along few nodes and folds it for a metric; then a tree is some (min, +) products on "
    "each level. The fastest for further sources; what is prepared is told apart.",
    phases=("climb", "descend"),
    prepare=prepare,
)
def dissection(run: Run) -> Iterator[int]:
    """Make one tree of the customised dissection."""
    customised = customised_on(run.device, run.whole)
    customised.tree(Wanted.by(run), run.source, run.distances)
    if run.observer.recording:
        _note_steps(run, customised.dissection, run.observer.lap_ns())
    yield 1


def note_final_steps(
    i: int,
    step_of: DeviceArray,
    source: int,
    infinity: int,
    distances: DeviceArray,
    first_reached: DeviceArray,
    last_improved: DeviceArray,
) -> None:
    """Note for every reached node the step that made its distance final; for the source that is the first."""
    step = step_of[i] if distances[i] != infinity else -1
    first_reached[i] = last_improved[i] = 0 if i == source else step


def _note_steps(run: Run, cells: Dissection, time_ns: int) -> None:
    """Record the levels of climb and descent."""
    device, observer = run.device, run.observer
    reached = device.get(run.distances, run.node_count) != run.infinity
    cell_of_node = cells.cell_of[cells.position]
    path = _cells_above(cells, int(cell_of_node[run.source]))
    levels = int(cells.depth.max()) + 1
    step_of = (len(path) + cells.depth[cell_of_node]).astype(np.int32)
    run.launch(
        *(note_final_steps, run.node_count, device.put(step_of), run.source, run.infinity),
        *(run.distances, observer.first_reached, observer.last_improved),
    )
    climbed = [
        nodes[reached[nodes]] for nodes in (cells.node_at[cells.offsets[t] : cells.offsets[t + 1]] for t in path)
    ]
    by_level = np.argsort(step_of, kind="stable")
    descended = by_level[reached[by_level]].astype(np.int32)
    improved = np.bincount(step_of[descended] - len(path), minlength=levels)
    sizes = improved.copy()
    improved[step_of[run.source] - len(path)] -= 1  # its distance is there before the first step
    widths, borders = np.diff(cells.offsets).astype(np.int64), np.diff(cells.border_offsets)
    up = widths[path] * (widths[path] + borders[path])
    down = np.bincount(cells.depth, widths * borders, levels).astype(np.int64)
    times = _share(time_ns, np.concatenate((up, down)))
    none = np.zeros(len(path), np.int64)
    lengths = np.array([len(nodes) for nodes in climbed], np.int64)
    final = _final_distances(run, step_of, len(path) + levels)
    climb_labels, descent_labels = (None, None) if final is None else (final[: len(path)], final[len(path) :])
    table = StepTable(sizes=lengths, improved=none, time_ns=times[: len(path)], note=CLIMB, tentative=climb_labels)
    observer.add_steps(np.concatenate(climbed), table, up)
    table = StepTable(
        sizes=sizes, improved=improved, time_ns=times[len(path) :], note=DESCEND, tentative=descent_labels
    )
    observer.add_steps(descended, table, down)


def _final_distances(run: Run, step_of: NDArray[np.int32], steps: int) -> NDArray[np.int64] | None:
    """Return of a small graph the distances that are final after each step, int64 [steps, n]."""
    labels = run.observer.labels
    if labels is None:
        return None
    distances = labels.labels(run.device.get(run.distances, run.node_count))
    known = (step_of <= np.arange(steps)[:, None]) | (np.arange(run.node_count) == run.source)
    return np.where(known, distances, NO_PATH)


def _cells_above(cells: Dissection, cell: int) -> list[int]:
    """Return a cell and those above it, the root last."""
    path = [cell]
    while cells.parent[path[-1]] >= 0:
        path.append(int(cells.parent[path[-1]]))
    return path


def _share(whole: int, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Divide a whole number in proportion to ``parts``, evenly where they are all 0; the shares add up to it."""
    ends = np.cumsum(parts if parts.any() else np.ones_like(parts), dtype=np.float64)
    return np.diff(np.floor(whole * ends / ends[-1]).astype(np.int64), prepend=0)
