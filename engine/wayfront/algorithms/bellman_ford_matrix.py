"""Bellman–Ford as linear algebra: distances times the matrix of weights, over the (min, +) semiring.

In (min, +), adding is taking the smaller and multiplying is adding, so one product of the distance vector with the
weight matrix relaxes every arc once: d'[v] = min(d[v], min over arcs (u, v) of d[u] + w(u, v)). Repeated until the
vector stays the same. Each row gathers from the arcs that enter its node, so no two threads write to the same element
and no atomic operation is needed; the price is that all m arcs are read in every step. After step k exactly the nodes
whose shortest path has at most k arcs have their distance: as many steps as relax/update.

The matrix is stored in **CSR** (rows one after the other) or in **ELL** (rows padded to the longest and transposed, so
that the threads of a warp read neighbouring elements; ``PADDING`` fills them up). ELL suits matrices whose rows are
about equally long, as those of roads are; with one very long row the padding outgrows any memory, and the search says
so before it begins.

The study names the product and the two formats, and our copy breaks off there: the semiring as written here, ELL's
padding and its order by columns are ours.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011); formats
as in Bell and Garland, Implementing sparse matrix–vector multiplication on throughput-oriented processors, SC 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from wayfront.algorithms.bellman_ford import reached_after
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import InArcs
from wayfront.kernels.observing import fill
from wayfront.safe.errors import OptionError
from wayfront.safe.options import Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.schema import StepNote
from wayfront.trace.step_views import ROW, Blocks, Launch, Recorded, Relaxing

CSR, ELL = "CSR", "ELL"

FREE_SHARE = 0.8
"""The share of a device's free memory that a padded matrix may take."""

PADDING = -1


class Ell(NamedTuple):
    """The matrix in ELL: the element (row, column) has the index column · rows + row.

    tails     int32 [rows · width]: each arc's tail, or PADDING
    weights   int32 [rows · width]
    """

    rows: int
    width: int
    tails: DeviceArray
    weights: DeviceArray


class Product(NamedTuple):
    """The distances before and after a product, [n] each, and int32 [1], set to 1 where one of them fell."""

    before: DeviceArray
    after: DeviceArray
    changed: DeviceArray


Multiply = Callable[[Product], None]


def start_search(i: int, source: int, infinity: int, distances: DeviceArray) -> None:
    """Give the source distance 0 and all others infinity."""
    distances[i] = 0 if i == source else infinity


def fill_ell(i: int, matrix: InArcs, ell: Ell) -> None:
    """Write row i of the ELL form from the CSR form."""
    begin, length = matrix.offsets[i], matrix.offsets[i + 1] - matrix.offsets[i]
    for column in range(ell.width):
        index = column * ell.rows + i
        ell.tails[index] = PADDING
        ell.weights[index] = 0
        if column < length:
            ell.tails[index] = matrix.tails[begin + column]
            ell.weights[index] = matrix.weights[begin + column]


def multiply_csr(i: int, infinity: int, matrix: InArcs, product: Product) -> None:
    """Write the least of the row's own distance and of distance plus weight over its arcs."""
    best = product.before[i]
    for arc in range(matrix.offsets[i], matrix.offsets[i + 1]):
        distance = product.before[matrix.tails[arc]]
        if distance != infinity:
            best = min(best, distance + matrix.weights[arc])
    product.after[i] = best
    if best != product.before[i]:
        product.changed[0] = 1


def multiply_ell(i: int, infinity: int, ell: Ell, product: Product) -> None:
    """Do the same over the padded row."""
    best = product.before[i]
    for column in range(ell.width):
        tail = ell.tails[column * ell.rows + i]
        if tail != PADDING:
            distance = product.before[tail]
            if distance != infinity:
                best = min(best, distance + ell.weights[column * ell.rows + i])
    product.after[i] = best
    if best != product.before[i]:
        product.changed[0] = 1


def thread_a_row(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the product: a thread for every row, with work for those whose arcs come from a reached node."""
    network = recorded.network
    rows = np.arange(network.node_count)
    heads = network.targets[np.isin(network.tails(), recorded.reached(step))]
    kernel = "multiply_csr" if recorded.options.get("format") == "CSR" else "multiply_ell"
    return (blocks.launch(kernel, rows, np.isin(rows, heads), ROW),)


@algorithm(
    name="bellman-ford-matrix",
    reading_order=250,
    title="Bellman–Ford as matrix–vector product",
    paper="A Chinese study of four shortest-path searches on CUDA; formats: Bell and Garland 2009",
    family="Bellman–Ford",
    summary="Multiplies the distances with the weight matrix over (min, +) until nothing changes. Every row gathers "
    "from the arcs entering its node, so nothing needs to be atomic.",
    phases=("multiply",),
    options=(
        Option("format", str, CSR, "How the matrix is stored; ELL pads all rows to the longest.", choices=(CSR, ELL)),
        Option("block", int, 256, "Threads of a block.", choices=(32, 64, 128, 256, 512, 1024), unit="threads"),
    ),
    state=reached_after,
    threads=thread_a_row,
    relaxing=Relaxing.AT_ONCE,
)
def bellman_ford_matrix(run: Run) -> Iterator[None]:
    """Run Bellman–Ford by matrix–vector products; a step is one product."""
    n = run.node_count
    changed = run.array("changed", 1, np.int32)
    multiply = _csr_product(run) if run.options["format"] == CSR else _ell_product(run)
    distances, others = run.distances, run.array("product", n, run.distance_dtype)
    run.launch(start_search, n, run.source, run.infinity, run.distances)

    def recorded(product: Product) -> Callable[[], None]:
        def launches() -> None:
            run.observer.expand_reached(product.before)
            run.launch(fill, 1, changed, 0)
            multiply(product)

        return run.record(launches)

    products = (Product(distances, others, changed), Product(others, distances, changed))
    steps = [recorded(product) for product in products]
    note = StepNote("all nodes", "a row for each thread", "multiply", relaxations=run.network.arc_count)
    made, more = 0, True
    while more:
        product = products[made % 2]
        steps[made % 2]()
        more = run.read(changed)[0] != 0
        run.observer.step_done(product.after, note, None)
        made += 1
        yield


def _csr_product(run: Run) -> Multiply:
    """Return the product with the matrix in CSR."""
    rows, matrix = run.node_count, run.in_arcs()
    return lambda product: run.launch(multiply_csr, rows, run.infinity, matrix, product)


def _ell_product(run: Run) -> Multiply:
    """Return the product with the matrix in ELL. Raises ``OptionError`` if its padding does not fit the memory."""
    rows, width = run.node_count, int(np.diff(run.network.in_arcs()[0]).max())
    elements = rows * width
    free = run.device.free_bytes()
    known = run.has_array("ell tails")
    if not known and 8 * elements > FREE_SHARE * free:
        raise OptionError(
            f"ELL pads all {rows:,} rows to the longest one's {width:,} arcs: {8 * elements / 2**20:,.0f} MiB, and "
            f"{free / 2**20:,.0f} MiB are free; choose format CSR, which needs {8 * run.network.arc_count / 2**20:,.1f}"
        )
    tails, weights = (run.array(f"ell {name}", elements, np.int32) for name in ("tails", "weights"))
    ell = Ell(rows, width, tails, weights)
    if not known:
        run.launch(fill_ell, rows, run.in_arcs(), ell)
    return lambda product: run.launch(multiply_ell, rows, run.infinity, ell, product)
