"""What the papers published: every figure of their tables.

A is Suzuki and others, B the study of four CUDA searches (its scan is garbled), C is Liu and Wang, D is
Okuyama and others, E is the article by Rajkumar and Garland with its repository, and F is no paper of the project but
what others publish of near-far and its kin.
"""

from __future__ import annotations

from collections.abc import Mapping

from wayfront.papers.boost import BELLMAN_FORD, DIJKSTRA
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Rival, Sources, Table, TableKind
from wayfront.safe.options import OptionValue

_GPU, _CPU = Hardware.GPU, Hardware.CPU

NEW_YORK = Graph("New York", "dimacs:NY", sum_distance=186_686_642_878)
COLORADO = Graph("Colorado", "dimacs:COL")
FLORIDA = Graph("Florida", "dimacs:FLA")
CALIFORNIA = Graph("California", "dimacs:CAL")
EAST = Graph("eastern USA", "dimacs:E")
GRAPH_4096 = Graph("Graph4096", "synthetic:regular?nodes=4096&degree=6")
GRAPH_65536 = Graph("Graph65536", "synthetic:regular?nodes=65536&degree=6")

WHOLE_SEARCH = (
    "a whole search from node 1, its input on the device and everything compiled; opening, copying back and making the "
    "tree are left out"
)
"""What is timed of a search from one source."""


# --------------------------------------------------------------------- A: adaptive thread creation beside relax/update

_KANTO = "the Kanto region"
_STAND_IN = Graph(NEW_YORK.name, NEW_YORK.location, _KANTO, NEW_YORK.sum_distance)

_A = Paper(
    "A",
    "Accelerating SSSP algorithm on GPU with adaptive thread creation",
    "Suzuki, Kan, Hayashi, Yoshikawa",
    "year not in the copy at hand",
    "GPU not named in the copy at hand",
    (
        Table(
            "Adaptive thread creation beside relax/update",
            (_STAND_IN,),
            (
                Contender("relax/update", "relax-update"),
                Contender("adaptive", "adaptive"),
                Contender("adaptive, by frontier", "adaptive", {"judge": "frontier size"}),
            ),
            ratios=(
                Ratio("adaptive", "relax/update", {_KANTO: (1.18, 1.18)}),
                Ratio("adaptive, by frontier", "relax/update"),
            ),
            ours=WHOLE_SEARCH,
            theirs="not in the copy at hand, which has no times: 18 % faster is all it reports",
            note="The paper's map of the Kanto region is not public: New York replaces it. Its threshold is not "
            "readable either; ours is measured. Judging by the frontier's size is ours.",
        ),
    ),
)


# --------------------------------------------------------- B: one ExtractMin, whole, and four searches, beside Boost's

# The columns of its table are restored from their order; the last four rows of the scan run into one another.

_COUNTS = tuple(10**k for k in range(8))
_SIZED = tuple(Graph(f"n = {size:,}", value=size) for size in _COUNTS)

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

_ONE_MINIMUM = Table(
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

_B = Paper(
    "B",
    "Parallel shortest-path searches in CUDA: Dijkstra, Bellman–Ford, Δ-stepping, sparse matrix–vector",
    "a study in Chinese",
    "after 2011",
    "hardware not named in the copy at hand",
    (_ONE_MINIMUM, _QUEUE, _DELTA, _MATRIX, _BESIDE_BOOST),
)


# -------------------------------- C: one source with and without atomic records; all pairs with a heap for each thread

_GRAPHS = (GRAPH_4096, GRAPH_65536, NEW_YORK, FLORIDA)

_ONE_SOURCE_MS = {
    "Graph4096": (6.28, 0.98, 1.32),
    "Graph65536": (21.53, 4.15, 3.76),
    "New York": (157.0, 102.0, 118.0),
    "Florida": (1086.0, 1651.0, 1593.0),
}
_HEAP, _SSSP, _ATOMICS = _ONE_SOURCE_LABELS = ("heap Dijkstra, CPU", "SSSP on GPU", "Advanced_Atomics")

_ALL_PAIRS_S = {
    "Graph4096": (545.0, 12.44, 9.6),
    "Graph65536": (13104.0, 743.0, 252.0),
    "New York": (23518.0, 1569.0, 511.0),
    "Florida": (65950.0, 2652.0, 1403.0),
}
_SPREAD = "Heap_APSP, spread over the card, ours"
_FLOYD_ON_CPU, _BY_SSSP, _HEAP_APSP = _ALL_PAIRS_LABELS = ("Floyd–Warshall, CPU", "APSP by SSSP", "Heap_APSP")

_ABOUT_GRAPHS = (
    "Of Graph4096 and Graph65536 the paper says only that every node has degree 6; here each has six arcs out and in, "
    "with weights 1 to 1,000."
)

_ONE_SOURCE = Table(
    "SSSP",
    _GRAPHS,
    (
        Contender(_HEAP, "dijkstra-heap", on=Hardware.CPU),
        Contender(_SSSP, "relax-update"),
        Contender(_ATOMICS, "advanced-atomics"),
    ),
    {
        (graph, label): ms
        for graph, row in _ONE_SOURCE_MS.items()
        for label, ms in zip(_ONE_SOURCE_LABELS, row, strict=True)
    },
    (Ratio(_ATOMICS, _HEAP), Ratio(_SSSP, _HEAP), Ratio(_ATOMICS, _SSSP)),
    ours=WHOLE_SEARCH,
    theirs="not told, nor the number of runs",
    note=_ABOUT_GRAPHS + " The paper finds Florida slower on its GPU than on its CPU.",
)

_ALL_PAIRS = Table(
    "APSP",
    _GRAPHS,
    (
        Contender(_FLOYD_ON_CPU, "floyd-warshall", on=Hardware.CPU, sources=Sources.ALL),
        Contender(_BY_SSSP, "relax-update-in-turn"),
        Contender(_HEAP_APSP, "heap-apsp", {"block": 512}, sources=Sources.TOGETHER),
        Contender(_SPREAD, "heap-apsp", sources=Sources.TOGETHER),
    ),
    {
        (graph, label): seconds * 1000
        for graph, row in _ALL_PAIRS_S.items()
        for label, seconds in zip(_ALL_PAIRS_LABELS, row, strict=True)
    },
    (
        Ratio(_HEAP_APSP, _BY_SSSP),
        Ratio(_HEAP_APSP, _FLOYD_ON_CPU),
        Ratio(_BY_SSSP, _FLOYD_ON_CPU),
        Ratio(_SPREAD, _HEAP_APSP),
    ),
    kind=TableKind.ALL_PAIRS,
    ours="all sources, their rows reduced on the device to sums and eccentricities and not copied out; where that "
    "would take too long, evenly drawn sources, their time scaled to all of them",
    theirs="not told, nor the number of runs",
    note="The paper's times cannot be of all pairs throughout: its Floyd–Warshall grows 24-fold from 4,096 to 65,536 "
    "nodes, where n³ asks for 4,096 times, and n² distances of its two road networks fill 280 GB and 4.6 TB. It "
    "claims 4.7 to 5.7 times for degree 6, 46 to 56 (40 to 50 in its conclusion) over the CPU, 1 to 3 over APSP by "
    "SSSP. " + _ABOUT_GRAPHS,
)

_C = Paper(
    "C",
    "Two improved shortest path algorithms on GPU",
    "Liu, Wang",
    "2014",
    "Intel Core i3 760, GeForce GTX 550 Ti",
    (_ONE_SOURCE, _ALL_PAIRS),
)


# ------------------------------------- D: all pairs by 32 searches at once, beside searches in turn and Floyd–Warshall

_K = 1024

_ITERATION, _TASKS, _UNSHARED = "SSSP iteration", "task-parallel", "task-parallel, no shared memory"
_FLOYD, _DIJKSTRA, _FLOYD_CPU = "Floyd–Warshall, GPU", "iterated Dijkstra, CPU", "Floyd–Warshall, CPU, 2 threads"
_BLOCKED, _WIDE = "blocked Floyd–Warshall, ours", "task-parallel, 512 at once, ours"

_ON_GPU = (
    Contender(_ITERATION, "relax-update-in-turn"),
    Contender(_TASKS, "task-parallel", sources=Sources.TOGETHER),
    Contender(_FLOYD, "floyd-warshall", sources=Sources.ALL),
)

_TIMED = (
    "all sources, costs only; rows are reduced on the device to sums and eccentricities and not copied out. Where that "
    "would take too long, evenly drawn sources, their time scaled to all of them"
)
_TIMED_THERE = (
    "all sources, costs only. Their GPU has no global atomic operations, so their costs may be wrong, as they write; "
    "ours are checked"
)

_SIZES = tuple(_K << k for k in range(6))
_RANDOM = tuple(
    Graph(
        f"random, {size // _K}K nodes",
        f"synthetic:random?nodes={size}&arcs={4 * size}&largest_weight={size}",
        value=size,
    )
    for size in _SIZES
)
_TABLE_1_MS = {
    _ITERATION: (827, 1813, 4316, 10117, 27506, 75300),
    _TASKS: (44, 125, 407, 1400, 5478, 21437),
    _UNSHARED: (54, 164, 583, 2147, 8634, 34408),
    _FLOYD: (131, 629, 3863, 27804, None, None),
    _DIJKSTRA: (145, 645, 2851, 12495, 53854, 233628),
    _FLOYD_CPU: (583, 5281, 39615, 327793, 2585213, None),
}

_TABLE_1 = Table(
    "Table 1: random graphs",
    _RANDOM,
    (
        *_ON_GPU[:2],
        Contender(_UNSHARED, "task-parallel", {"shared": False}, sources=Sources.TOGETHER),
        _ON_GPU[2],
        Contender(_BLOCKED, "floyd-warshall-blocked", sources=Sources.ALL),
        Contender(_WIDE, "task-parallel", {"searches": 512}, sources=Sources.TOGETHER),
        Contender(_DIJKSTRA, "dijkstra-in-turn", on=Hardware.CPU),
        Contender(_FLOYD_CPU, "floyd-warshall", on=Hardware.CPU, threads=2, sources=Sources.ALL),
    ),
    {
        (graph.name, label): float(ms)
        for label, row in _TABLE_1_MS.items()
        for graph, ms in zip(_RANDOM, row, strict=True)
        if ms is not None
    },
    (
        Ratio(_TASKS, _ITERATION),
        Ratio(_TASKS, _UNSHARED),
        Ratio(_TASKS, _FLOYD),
        Ratio(_TASKS, _DIJKSTRA),
        Ratio(_BLOCKED, _FLOYD),
        Ratio(_WIDE, _TASKS),
    ),
    kind=TableKind.ALL_PAIRS,
    ours=_TIMED,
    theirs=_TIMED_THERE,
    note="m = 4n, weights 1 to n, K = 1,024. Their limits were memory: 14K nodes for Floyd–Warshall on the GPU, 22K on "
    "the CPU. They claim 3.5 to 18 times over SSSP iteration, and 1.2 to 1.5 times by shared memory, where their own "
    "table gives 1.23 to 1.61.",
    sweep="nodes",
)

_N = 4600
_SHAPES = (
    Graph("random, 4.6K nodes", f"synthetic:random?nodes={_N}&arcs={16 * _K}&largest_weight={4 * _K}"),
    Graph("R-MAT", f"synthetic:rmat?nodes={_N}&arcs={16 * _K}&largest_weight={4 * _K}"),
    Graph("ring, one way", f"synthetic:sprand?nodes={_N}&arcs={_N}"),
    Graph("complete", f"synthetic:complete?nodes={_N}&largest_weight=1"),
)
_TABLE_2_S = {
    _SHAPES[0].name: (5.9, 0.6, 5.4),
    _SHAPES[1].name: (10.3, 1.0, 3.2),
    _SHAPES[2].name: (1150.8, 67.8, 3.8),
    _SHAPES[3].name: (1446.3, 8.9, 10.2),
}

_TABLE_2 = Table(
    "Table 2: shapes",
    _SHAPES,
    _ON_GPU,
    {
        (graph, contender.label): seconds * 1000
        for graph, row in _TABLE_2_S.items()
        for contender, seconds in zip(_ON_GPU, row, strict=True)
    },
    (Ratio(_TASKS, _ITERATION), Ratio(_TASKS, _FLOYD)),
    kind=TableKind.ALL_PAIRS,
    ours=_TIMED,
    theirs=_TIMED_THERE,
    note="4.6K is read as 4,600 nodes; random and R-MAT have 16K arcs of weights 1 to 4K, ring and complete weights of "
    "1. Their R-MAT graph has a node of degree 1,241. They find R-MAT 1.7 and 1.6 times as slow as random, SSSP "
    "iteration 240 times as slow on the complete graph and task-parallel 15 times.",
)

_ARCS = tuple(4 * _K << k for k in range(8))
_WEIGHTS = tuple(4**k for k in range(11))
_NO_VALUES = "Its values are a picture that the copy at hand lacks."
_ABOUT_TIMES = (Ratio(_TASKS, _ITERATION), Ratio(_TASKS, _FLOYD))

_FIGURE_5 = Table(
    "Figure 5: number of arcs",
    tuple(
        Graph(f"{arcs // _K}K arcs", f"synthetic:random?nodes={4 * _K}&arcs={arcs}&largest_weight={4 * _K}", value=arcs)
        for arcs in _ARCS
    ),
    _ON_GPU,
    ratios=_ABOUT_TIMES,
    kind=TableKind.ALL_PAIRS,
    ours=_TIMED,
    theirs=_TIMED_THERE,
    note=f"4K nodes, weights 1 to 4K. {_NO_VALUES} They claim that from 8K to 16K arcs both searches get faster, since "
    "the mean number of launches falls from 27 to 20, that beyond it falls by 1 or 2 with each doubling while each "
    "launch takes longer, and that Floyd–Warshall hardly changes.",
    sweep="arcs",
)

_FIGURE_6 = Table(
    "Figure 6: largest weight",
    tuple(
        Graph(
            f"weights 1 to {largest:,}",
            f"synthetic:random?nodes={4 * _K}&arcs={16 * _K}&largest_weight={largest}",
            value=largest,
        )
        for largest in _WEIGHTS
    ),
    _ON_GPU,
    ratios=_ABOUT_TIMES,
    kind=TableKind.ALL_PAIRS,
    ours=_TIMED,
    theirs=_TIMED_THERE,
    note=f"4K nodes, 16K arcs. {_NO_VALUES} They claim that both searches take longer as weights spread, since more "
    "distances are corrected later, but less so than with more arcs.",
    sweep="largest weight",
)

_D = Paper(
    "D",
    "Accelerating all-pairs shortest paths with CUDA",
    "Okuyama, Ino, Hagihara",
    "2008",
    "GeForce 8800 GTX, Core2 Extreme X6800",
    (_TABLE_1, _TABLE_2, _FIGURE_5, _FIGURE_6),
)


# ----------------------------------------------------------------------------------- E: Bellman–Ford in three versions

_ALL = {"stop": "after n − 1 passes"}
_TIMED_BY_PASSES = (
    WHOLE_SEARCH
    + ". Where n − 1 passes would take too long, the first of them are timed and scaled: later ones change "
    "nothing and take as long on a card, and less on a core"
)
_TIMED_BY_AUTHORS = (
    "one run of n − 1 passes; the timer starts before the graph's files are loaded and stops before results are copied "
    "back"
)

_RATIOS = (
    Ratio("v1", "sequential"),
    Ratio("v2", "sequential"),
    Ratio("v3", "sequential"),
    Ratio("v3", "v1"),
    Ratio("v2", "v1"),
)

_SPRAND = {
    Graph(f"SPRAND {nodes}k/{arcs}M", f"synthetic:sprand?nodes={nodes * 1000}&arcs={arcs * 1_000_000}"): seconds
    for nodes, arcs, seconds in ((200, 4, 225), (300, 6, 561), (400, 8, 1060), (100, 10, 478))
}
_ROADS = {NEW_YORK: 17.3, COLORADO: 39.3, FLORIDA: 229.0, CALIFORNIA: 765.0, EAST: 2880.0}


def _versions(options: Mapping[str, OptionValue], *, alike: bool) -> tuple[Contender, ...]:
    return (
        Contender("sequential", "bellman-ford", options, Hardware.CPU, alike=alike),
        *(Contender(f"v{k}", f"bellman-ford-v{k}", options, alike=alike) for k in (1, 2, 3)),
    )


_ARTICLE = Table(
    "The article: all |V| − 1 passes",
    (COLORADO, NEW_YORK),
    _versions(_ALL, alike=True),
    {
        (COLORADO.name, "sequential"): 3.25 * 3_600_000,
        (COLORADO.name, "v1"): 39_000.0,
        (COLORADO.name, "v2"): 42_000.0,
        (COLORADO.name, "v3"): 16_000.0,
    },
    _RATIOS,
    ours=_TIMED_BY_PASSES,
    theirs=_TIMED_BY_AUTHORS,
    note="The article calls its graph New York, but gives it over 400,000 nodes and more than a million arcs, which "
    "are Colorado's counts, and its authors' repository has 39.3 s for v1 on Colorado: so its figures stand at "
    "Colorado. Its saving of 99.4 % disagrees with its times, which make 99.67 to 99.86 %.",
)

_REPOSITORY = Table(
    "The repository: v1, blocks of 1,024 threads",
    (*_ROADS, *_SPRAND),
    (Contender("v1", "bellman-ford-v1", {**_ALL, "block": 1024}, alike=True),),
    {(graph.name, "v1"): seconds * 1000.0 for graph, seconds in (_ROADS | _SPRAND).items()},
    ours=_TIMED_BY_PASSES,
    theirs=_TIMED_BY_AUTHORS,
    note="SPRAND's weights are drawn from 0 to 10,000 here; the repository does not tell its own.",
)

_EARLY = Table(
    "Until nothing changes",
    (NEW_YORK, COLORADO, *tuple(_SPRAND)[::2]),
    _versions({}, alike=False),
    ratios=_RATIOS,
    ours=WHOLE_SEARCH,
    theirs="nothing: the article made all passes",
    note="The same searches, ended by the first pass that changes nothing. The article finds that v2 beats v1 only "
    "above a million nodes and four million arcs.",
)

_E = Paper(
    "E",
    "Bellman–Ford single source shortest path algorithm on GPU using CUDA",
    "Rajkumar, Garland",
    "2020",
    "GeForce GTX 1080 Ti (TACC Maverick2)",
    (_ARTICLE, _REPOSITORY, _EARLY),
)


# ------------------------------------------------------------ F: near-far beside what others publish of it and its kin

_RESIDENT, _BUCKETS = "near-far, one launch", "Dijkstra, bucket queue"

_F = Paper(
    "F",
    "Near-far, beside what others publish",
    "Davidson and others 2014; ADDS, MLMQ, Lonestar, GAPBS, RoutingKit, Boost, SciPy",
    "2014 and later",
    "hardware as named in each row",
    (
        Table(
            "Near-far and its kin",
            (NEW_YORK,),
            (
                Contender(_RESIDENT, "near-far-resident"),
                Contender("near-far, stepped", "near-far"),
                Contender(_BUCKETS, "dijkstra", on=_CPU),
                Contender("Dijkstra, binary heap", "dijkstra-heap", on=_CPU),
            ),
            ratios=(
                Ratio(_RESIDENT, "near-far, stepped"),
                Ratio(_RESIDENT, _BUCKETS),
                Ratio(_BUCKETS, "Dijkstra, binary heap"),
            ),
            rivals=(
                Rival("MLMQ", NEW_YORK.name, 6.46, "A100, published", _GPU),
                Rival("ADDS", NEW_YORK.name, 10.66, "A100, published", _GPU),
                Rival("ADDS", NEW_YORK.name, 8.6, "H200, measured", _GPU),
                Rival("Lonestar near-far", NEW_YORK.name, 11.0, "H200, measured", _GPU),
                Rival("GAPBS Δ-stepping", NEW_YORK.name, 11.5, "one thread, measured", _CPU),
                Rival("RoutingKit", NEW_YORK.name, 28.0, "one thread, measured", _CPU),
                Rival("Boost", NEW_YORK.name, 30.0, "one thread, measured", _CPU),
                Rival("SciPy", NEW_YORK.name, 36.0, "one thread, measured", _CPU),
                Rival("igraph", NEW_YORK.name, 120.0, "one thread, measured", _CPU),
                Rival("networkx", NEW_YORK.name, 748.0, "one thread, measured", _CPU),
            ),
            ours=WHOLE_SEARCH,
            theirs="a search without loading, by whoever measured it",
            note="Figures of others were measured elsewhere, ours on this machine.",
        ),
    ),
)


PAPERS = (_A, _B, _C, _D, _E, _F)
