"""Bellman–Ford as linear algebra: distances times the matrix of weights, over the (min, +) semiring.

In (min, +), adding is taking the smaller and multiplying is adding, so one product of the distance vector with the
weight matrix relaxes every arc once: d'[v] = min(d[v], min over arcs (u, v) of d[u] + w(u, v)). Repeated until the
vector stays the same. Each row gathers from the arcs that enter its node, so no two threads write to the same element
and no atomic operation is needed; the price is that all m arcs are read in every step. After step k exactly the nodes
whose shortest path has at most k arcs have their distance: as many steps as relax/update.

The matrix is stored in **CSR** (rows one after the other) or in **ELL** (rows padded to the longest and transposed, so
that the threads of a warp read neighbouring elements). ELL suits matrices whose rows are about equally long, as those
of roads are; with one very long row the padding outgrows any memory, and the search says so before it begins.

The study names the product and the two formats, and our copy breaks off there: the semiring as written here, ELL's
padding and its order by columns are ours.

A Chinese study of CUDA Dijkstra, Bellman–Ford, Δ-stepping and sparse matrix–vector Bellman–Ford (after 2011); formats
as in Bell and Garland, Implementing sparse matrix–vector multiplication on throughput-oriented processors, SC 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wayfront.algorithms.bellman_ford import matrix_kernels as bodies
from wayfront.algorithms.bellman_ford.bellman_ford_view import reached_after, thread_a_row
from wayfront.errors import OptionError
from wayfront.kernels.observing import fill
from wayfront.options import Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

CSR, ELL = "CSR", "ELL"

FREE_SHARE = 0.8
"""The share of a device's free memory that a padded matrix may take."""

Multiply = Callable[[bodies.Product], None]


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
)
def bellman_ford_matrix(run: Run) -> Iterator[None]:
    """Run Bellman–Ford by matrix–vector products; a step is one product."""
    n = run.node_count
    changed = run.array("changed", 1, np.int32)
    multiply = _csr_product(run) if run.options["format"] == CSR else _ell_product(run)
    distances, others = run.distances, run.array("product", n, run.distance_dtype)
    run.launch(bodies.start_search, n, run.source, run.infinity, run.distances)

    def recorded(product: bodies.Product) -> Callable[[], None]:
        def launches() -> None:
            run.observer.expand_reached(product.before)
            run.launch(fill, 1, changed, 0)
            multiply(product)

        return run.record(launches)

    products = (bodies.Product(distances, others, changed), bodies.Product(others, distances, changed))
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
    # The last product changed nothing, so both vectors are the same.


def _csr_product(run: Run) -> Multiply:
    """Return the product with the matrix in CSR."""
    rows, matrix = run.node_count, run.in_arcs()
    return lambda product: run.launch(bodies.multiply_csr, rows, run.infinity, matrix, product)


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
    ell = bodies.Ell(rows, width, tails, weights)
    if not known:
        run.launch(bodies.fill_ell, rows, run.in_arcs(), ell)
    return lambda product: run.launch(bodies.multiply_ell, rows, run.infinity, ell, product)
