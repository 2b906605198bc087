"""Nested dissection: cut the network once, customise it for a metric, then a tree is a few (min, +) products a level.

*Cut.* A separator S is a small set of nodes whose removal parts the rest in two. Separators are found for the network,
for both sides of it, and so on, until a cell has at most some 24 nodes. The cells form a tree, and the border A of a
cell is what of the separators above touches its subtree. Only the shape of the network matters, so a cut serves every
metric.

*Customise.* For every cell, children first, form the front: the distances between the nodes of S and A over arcs and
over what the children leave, closed over S as in Floyd's algorithm. That is Gaussian elimination in the semiring
(min, +). It leaves R, from S to S and A, and L, from A to S, exact within the cell's subtree.

*A tree.* Ascend from the source's cell to the root: d[S and A] = min(d, d[S] ⊗ R). Then descend, parents first:
d[S] = min(d[S], d[A] ⊗ L). A shortest path rises to the highest cell it meets and comes down again, so after the
ascent the root's distances are final, and after each level of the descent those of that level.

The steps of a trace are the levels of the ascent, then those of the descent; the frontier of a step are the nodes of
its cells. A node counts as reached in the step that makes its distance final: what the ascent brings may still fall,
and the distances that a small graph's trace keeps of each step are those that are final by then. The relaxations of a
step are the additions that it makes. A device does all of it in one go, so that a step's time is its share of the whole
by these additions.

*All pairs.* Every source ascends and descends in the fronts of one customised network. The matrices of a cell are read
once for many sources, which lie side by side. Sao, Kannan, Gera and Vuduc, A supernodal all-pairs shortest path
algorithm, PPoPP 2020, eliminate the same way and then make the whole matrix.

Customising takes some ten milliseconds for New York and cutting seconds; both are timed apart from the tree, which
takes less than one. George 1973; Carré 1971; Delling, Goldberg, Pajor and Werneck, Customizable route planning, 2011;
Dibbelt, Strasser and Wagner, Customizable contraction hierarchies, 2016.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Ability, DeviceArray
from wayfront.dissection.host.class_figures import compile_figures
from wayfront.dissection.shape import Dissection, Figures
from wayfront.results.result import CUSTOMISE, CUT, SET_UP, SearchKind
from wayfront.searching.all_pairs.run import PairsRun
from wayfront.searching.customised import Customised, Wanted, customised_on
from wayfront.searching.registry import Tell, algorithm
from wayfront.searching.run import BaseRun, Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import NO_PATH, StepNote
from wayfront.trace.step_views import Relaxing

ASCENT = StepNote("one cell", "all of the ascent is one chain; its time is shared by additions", "ascend")
DESCEND = StepNote(
    "all cells of a level", "all of the descent is one launch; its time is shared by additions", "descend"
)


ON_CARD, A_CORE = 1024, 256
"""Sources taken side by side, on a card and for each core of a processor: so many read a matrix together."""

WITHOUT_ROWS, FIGURE_BYTES = 1 << 15, 64
"""Sources that a card takes together where it keeps no rows of distances, and the bytes that each of them takes."""

TREES = StepNote("many sources", "a cell's matrices are read once for all of them", "ascend and descend")


def prepare(run: BaseRun, tell: Tell, cancel: threading.Event | None) -> Mapping[str, float] | None:
    """Cut the network and customise it for the run's metric without its closures; None if the dtype is too narrow."""
    customised = customised_on(run.device, run.whole, tell, cancel)
    seeds = run.seeds if isinstance(run, Run) else None
    if not customised.customise(Wanted.by(run), spare=0 if seeds is None else int(seeds.costs.max())):
        return None
    return {
        CUT: customised.dissection.cut_ms,
        SET_UP: customised.set_up_ms,
        CUSTOMISE: customised.customise_ms,
    }


@algorithm(
    name="dissection",
    reading_order=400,
    title="Nested dissection",
    paper="George 1973; customisable: Delling, Goldberg, Pajor and Werneck 2011; Dibbelt, Strasser and Wagner 2016",
    family="Dissection",
    summary="Cuts the network once along few nodes and customises it for a metric; then a tree is some (min, +) "
    "products on each level. The fastest for further sources; what is prepared is told apart.",
    phases=("ascend", "descend"),
    prepare=prepare,
    relaxing=Relaxing.NO_ARCS,
    seeded=True,
)
def dissection(run: Run) -> Iterator[int]:
    """Make one tree of the customised dissection, or the forest of several seeds."""
    customised = customised_on(run.device, run.whole)
    if run.seeds is None:
        customised.tree(Wanted.by(run), run.source, run.distances)
    else:
        run.distances = customised.forest(Wanted.by(run), run.seeds, run.distances)
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
    """Record the levels of ascent and descent."""
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
    ascended = [
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
    lengths = np.array([len(nodes) for nodes in ascended], np.int64)
    final = _final_distances(run, step_of, len(path) + levels)
    ascent_labels, descent_labels = (None, None) if final is None else (final[: len(path)], final[len(path) :])
    table = StepTable(sizes=lengths, improved=none, time_ns=times[: len(path)], note=ASCENT, tentative=ascent_labels)
    observer.add_steps(np.concatenate(ascended), table, up)
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


def _at_once(run: PairsRun) -> int:
    if run.device.lane_bits and run.distance_dtype == np.int32 and not run.keeper.wants_rows:
        return run.at_once(FIGURE_BYTES, most=WITHOUT_ROWS)  # a card's engine divides them itself
    if Ability.HOST_LOOPS in run.device.abilities and not run.keeper.wants_rows:  # few, so that it can be cancelled
        return run.at_once(FIGURE_BYTES, most=A_CORE * run.device.threads)
    most = ON_CARD if run.device.lane_bits else A_CORE * run.device.threads
    return run.at_once(run.node_count * run.distance_dtype.itemsize, most=most)


def prepare_pairs(run: PairsRun, tell: Tell, cancel: threading.Event | None) -> Mapping[str, float] | None:
    """Cut and customise as for one tree, and compile what finds figures, which no run on a tiny network does."""
    prepared = prepare(run, tell, cancel)
    if prepared is not None and not run.keeper.wants_rows:
        customised, wanted = customised_on(run.device, run.whole), Wanted.by(run)
        if customised.finds_figures(wanted):
            customised.figures(wanted, run.sources[: _at_once(run)])
            if customised.shares_trees(wanted, len(run.sources)):
                compile_figures(run.distance_dtype)
    return prepared


def _count_batches(run: PairsRun) -> int:
    """Return how many batches there will be."""
    return -(-len(run.sources) // _at_once(run))


@algorithm(
    name="dissection-all-pairs",
    reading_order=605,
    title="Nested dissection from every source",
    paper="George 1973; all pairs: Sao, Kannan, Gera and Vuduc 2020",
    family="All pairs",
    summary="Cuts the network and customises it for the metric once, then makes the trees of many sources together.",
    phases=("ascend and descend",),
    count_steps=_count_batches,
    kind=SearchKind.ALL_PAIRS,
    prepare=prepare_pairs,
)
def dissection_all_pairs(run: PairsRun) -> Iterator[int]:
    """Make the trees of every source; a step is a batch of them."""
    customised, wanted = customised_on(run.device, run.whole), Wanted.by(run)
    if customised.finds_figures(wanted) and not run.keeper.wants_rows:
        return _find_figures(run, customised, wanted)
    return _find_rows(run, customised, wanted)


def _find_figures(run: PairsRun, customised: Customised, wanted: Wanted) -> Iterator[int]:
    at_once = _at_once(run)
    if not run.observer.recording and customised.shares_trees(wanted, len(run.sources)):
        yield from _find_together(run, customised, wanted, -(-len(run.sources) // at_once))
        return
    for first in range(0, len(run.sources), at_once):
        run.check()
        found = customised.figures(wanted, run.sources[first : first + at_once])
        run.figures_done(first, found.eccentricity, found.farthest, found.total, found.reached, note=TREES)
        yield 1


def _find_together(run: PairsRun, customised: Customised, wanted: Wanted, steps: int) -> Iterator[int]:
    """Find the figures of all nodes' trees, and deliver those of the sources; as long as so many batches."""
    finding, done = customised.all_figures(wanted), 0
    while True:
        run.check()
        try:
            reached = int(next(finding) * (steps - 1))
        except StopIteration as end:
            found: Figures = end.value
            break
        if reached > done:
            done, taken = reached, reached - done
            yield taken
    run.figures_done(0, *(figure[run.sources] for figure in found), note=TREES)
    yield steps - done


def _find_rows(run: PairsRun, customised: Customised, wanted: Wanted) -> Iterator[int]:
    n, at_once = run.node_count, _at_once(run)
    rows = run.array("distances", at_once * n, run.distance_dtype)
    source_stride, node_stride = (1, at_once) if run.device.lane_bits else (n, 1)
    for batch in run.batches(at_once):
        run.check()
        sources = run.sources[batch.first : batch.first + batch.count]
        customised.trees(wanted, sources, rows, source_stride=source_stride, node_stride=node_stride)
        run.rows_done(batch, rows, source_stride=source_stride, node_stride=node_stride, note=TREES)
        yield 1
