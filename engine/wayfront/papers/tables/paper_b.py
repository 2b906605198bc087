"""Paper B: one ExtractMin, whole, and four searches, beside Boost's.

The columns of its table are restored from their order; the last four rows of the scan run into one another.
"""

from __future__ import annotations

from wayfront.papers.boost import BELLMAN_FORD, DIJKSTRA
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Table, TableKind
from wayfront.papers.tables.graphs import GRAPH_4096, GRAPH_65536, NEW_YORK, WHOLE_SEARCH

_CPU = Hardware.CPU
_SIZES = tuple(10**k for k in range(8))
_SIZED = tuple(Graph(f"n = {size:,}", value=size) for size in _SIZES)

_EXTRACT_MINIMUM = {
    "128 threads": (40.82, 35.92, 39.63, 43.12, 59.4, 145.4, 1033.26, 8033.73),
    "256 threads": (48.56, 57.37, 43.96, 43.05, 50.49, 112.43, 556.43, 4839.28),
    "512 threads": (42.64, 47.32, 41.2, 41.55, 45.97, 92.04, 470.487, 4075.55),
    "1024 threads": (43.81, 43.76, 45.52, 49.77, 46.74, 108.75, 734.59, 6475.09),
    "library": (324.8, 65.97, 73.04, 513.12, 453.91, 450.91, 498.5, 1105.1),
    "loop": (0.0, 0.0, 0.0, 0.0, 150.0, 630.0, 5620.0, 56790.0),
    "loop, optimised": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 630.0, 6710.0),
    "binary heap": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.124, 0.1311),
}
"""The paper's figures by row and size, read as microseconds; its 0 is a clock too coarse."""

_TABLE_1 = Table(
    "Table 1: time of one ExtractMin",
    _SIZED,
    (
        *(Contender(f"{block} threads", "blocks", {"block": block}) for block in (128, 256, 512, 1024)),
        Contender("library", "library"),
        Contender("loop", "loop", on=_CPU),
        Contender("loop, optimised", "loop, optimised", on=_CPU),
        Contender("binary heap", "heap", on=_CPU),
    ),
    {
        (graph.name, label): us / 1000
        for label, row in _EXTRACT_MINIMUM.items()
        for graph, us in zip(_SIZED, row, strict=True)
    },
    (
        Ratio("512 threads", "128 threads"),
        Ratio("512 threads", "loop, optimised"),
        Ratio("library", "512 threads"),
        Ratio("library", "loop, optimised"),
        Ratio("binary heap", "512 threads"),
    ),
    kind=TableKind.EXTRACT_MINIMUM,
    ours="the mean of up to 1,000 minima of n distances, sent one after the other with one wait at the end. The blocks "
    "reduce distances and marks as cuda-dijkstra does, in two launches. The library is CuPy's argmin in the place of "
    "Thrust, or numba's cuda.reduce (the minimum alone) where there is no CuPy; its row says which. The loop is "
    "compiled without optimisation and with it; the heap gives its smallest entry and takes another, n staying as it "
    "is",
    theirs="the mean of 1,000 ExtractMin, headed ns, of which only microseconds are plausible; 0 is a clock too "
    "coarse. Which Thrust call, and which heap, is not told; the optimised loop is compiled with -O2",
    note="A loop is best for small n, a reduction for large n, and the heap beats them all: it looks at a few entries "
    "where the others look at n.",
    sweep="entries",
)

_ORDERS = ("FIFO", "SLF", "LLL", "SLF + LLL")
_BATCHES, _ONE_HEAD = "batches (ours)", "one head a step (paper)"

_QUEUE = Table(
    "Bellman–Ford with a queue, by order",
    (GRAPH_4096, GRAPH_65536, NEW_YORK),
    (
        *(Contender(o, "bellman-ford-queue", {"order": o, "serving": _ONE_HEAD}) for o in _ORDERS),
        *(Contender(f"{o}, batches", "bellman-ford-queue", {"order": o, "serving": _BATCHES}) for o in _ORDERS),
    ),
    ratios=(
        Ratio("SLF", "FIFO", {"": (1.15, 1.20)}),
        Ratio("LLL", "FIFO"),
        Ratio("SLF + LLL", "FIFO", {"": (1.5, 1.5)}),
        *(Ratio(f"{order}, batches", "FIFO, batches") for order in _ORDERS[1:]),
        Ratio("FIFO, batches", "FIFO"),
    ),
    ours=WHOLE_SEARCH + ". The paper's queue relaxes one head a step; batches of nodes from the head are ours",
    theirs="nothing: the paper cites, before any experiment of its own, that SLF raises the speed by 15 to 20 % and "
    "SLF + LLL by about 50 %, one node after the other",
)

_RULES = ("largest weight / largest degree", "sum of weights / nodes", "mean weight", "median weight")

_DELTA = Table(
    "Δ-stepping, by rule for Δ",
    (GRAPH_65536, NEW_YORK),
    tuple(Contender(rule, "delta-stepping", {"rule": rule}) for rule in _RULES),
    ratios=tuple(Ratio(rule, _RULES[0]) for rule in _RULES[1:]),
    ours=WHOLE_SEARCH,
    theirs="not in the copy at hand: it names the rules and breaks off",
    note="The mean weight is printed as the sum of all weights over n, the number of nodes; over the number of arcs is "
    "the other reading.",
)

_MATRIX = Table(
    "Bellman–Ford as sparse matrix–vector product",
    (GRAPH_65536, NEW_YORK),
    tuple(Contender(form, "bellman-ford-matrix", {"format": form}) for form in ("CSR", "ELL")),
    ratios=(Ratio("ELL", "CSR"),),
    ours=WHOLE_SEARCH,
    theirs="not in the copy at hand",
)

_BESIDE_BOOST = Table(
    "The four searches beside Boost's",
    (GRAPH_65536, NEW_YORK),
    (
        Contender("Boost, Dijkstra", DIJKSTRA, on=_CPU),
        Contender("Boost, Bellman–Ford", BELLMAN_FORD, on=_CPU),
        Contender("Dijkstra, binary heap", "dijkstra-heap", on=_CPU),
        Contender("Bellman–Ford, one thread", "bellman-ford", on=_CPU),
        Contender("CUDA Dijkstra", "cuda-dijkstra", alike=True),
        Contender("CUDA Bellman–Ford, queue", "bellman-ford-queue"),
        Contender("CUDA Δ-stepping", "delta-stepping"),
        Contender("CUDA Bellman–Ford, matrix", "bellman-ford-matrix"),
    ),
    ratios=(
        Ratio("CUDA Dijkstra", "Boost, Dijkstra"),
        Ratio("CUDA Bellman–Ford, queue", "Boost, Bellman–Ford"),
        Ratio("CUDA Δ-stepping", "Boost, Dijkstra"),
        Ratio("CUDA Bellman–Ford, matrix", "Boost, Bellman–Ford"),
        Ratio("Dijkstra, binary heap", "Boost, Dijkstra"),
        Ratio("Bellman–Ford, one thread", "Boost, Bellman–Ford"),
    ),
    ours=WHOLE_SEARCH
    + ". Boost's are its calls alone, compiled with -O2 on its compressed sparse rows, in a process of "
    "their own, hence not in turns with ours",
    theirs="not in the copy at hand, which only says that Boost's sequential and parallel searches were compared",
)

PAPER = Paper(
    "B",
    "Parallel shortest-path searches in CUDA: Dijkstra, Bellman–Ford, Δ-stepping, sparse matrix–vector",
    "a study in Chinese",
    "after 2011",
    "hardware not named in the copy at hand",
    (_TABLE_1, _QUEUE, _DELTA, _MATRIX, _BESIDE_BOOST),
)
