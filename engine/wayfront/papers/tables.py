"""The papers' single-source tables: every figure they give for one search from one source.

A is Suzuki and others, B the study of four CUDA searches (its scan is garbled: only figures that can be read beyond
doubt are here), C is Liu and Wang, D is Okuyama and others (all pairs only), E is the article by Rajkumar and Garland
(its table of further graphs is a picture that did not come through), and F is no paper of the project but what others
publish of near-far and its kin.
"""

from __future__ import annotations

from wayfront.devices.device import Ability
from wayfront.papers.description import Contender, Graph, Paper, Ratio, Rival, Table

NEW_YORK = Graph("New York", "dimacs:NY", sum_distance=186_686_642_878)
FLORIDA = Graph("Florida", "dimacs:FLA")
COLORADO = Graph("Colorado", "dimacs:COL")
GRAPH_4096 = Graph("Graph4096", "synthetic:regular?nodes=4096&degree=6")
GRAPH_65536 = Graph("Graph65536", "synthetic:regular?nodes=65536&degree=6")

# ------------------------------------------------------------------------------------------------------- paper A

_A = Paper(
    "A",
    "Accelerating SSSP algorithm on GPU with adaptive thread creation",
    "Suzuki, Kan, Hayashi, Yoshikawa",
    "year not in the copy at hand",
    "GPU not named in the copy at hand",
    (
        Table(
            "Adaptive thread creation beside relax/update",
            (Graph(NEW_YORK.name, NEW_YORK.location, "the Kanto region", NEW_YORK.sum_distance),),
            (Contender("relax/update", "relax-update"), Contender("adaptive", "adaptive")),
            ratios=(Ratio("adaptive", "relax/update", {"the Kanto region": (1.18, 1.18)}),),
            note="The paper's map of the Kanto region is not public: New York replaces it here. The paper reports "
            "18 % more performance and no times.",
        ),
    ),
)

# ------------------------------------------------------------------------------------------------------- paper B

_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_SIZED = {
    size: Graph(f"{size:,} nodes", f"synthetic:sprand?nodes={size}&degree=2", vast=size > 1_000_000) for size in _SIZES
}
# Microseconds for one ExtractMin, by size: the paper's figures are for 1,000 of them and read as milliseconds.
_EXTRACT_MIN_US = {
    "128 threads": (43.12, 59.4, 145.4, 1033.26, 8033.73),
    "256 threads": (43.05, 50.49, 112.43, 556.43, 4839.28),
    "512 threads": (41.55, 45.97, 92.04, 470.487, 4075.55),
    "1024 threads": (49.77, 46.74, 108.75, 734.59, 6475.09),
    "loop": (None, None, None, 630.0, 6710.0),
    "binary heap": (None, None, None, 0.124, 0.1311),
}

_EXTRACT_MIN = Table(
    "Time of one ExtractMin",
    tuple(_SIZED.values()),
    (
        *(
            Contender(f"{block} threads", "cuda-dijkstra", {"block": block}, Ability.BLOCKS, "step")
            for block in (128, 256, 512, 1024)
        ),
        Contender("loop", "cuda-dijkstra", {}, Ability.HOST_LOOPS, "step"),
        Contender("binary heap", "dijkstra-heap", {}, Ability.HOST_LOOPS, "per node"),
    ),
    {
        (_SIZED[size].name, label): us / 1000
        for label, row in _EXTRACT_MIN_US.items()
        for size, us in zip(_SIZES, row, strict=True)
        if us is not None
    },
    (
        Ratio("512 threads", "128 threads"),
        Ratio("512 threads", "loop"),
        Ratio("binary heap", "512 threads"),
        Ratio("binary heap", "loop"),
    ),
    note="The paper times 1,000 ExtractMin and heads them ns, which no memory could serve; they are read as "
    "milliseconds, so microseconds each. Ours are whole steps, which also relax the arcs of the node found, on SPRAND "
    "networks with two arcs a node; the heap's is a whole search divided by its nodes. 'loop' is the paper's compiled "
    "with -O2.",
)

_QUEUE = Table(
    "Bellman–Ford with a queue, by order",
    (GRAPH_65536, NEW_YORK),
    tuple(Contender(order, "bellman-ford-queue", {"order": order}) for order in ("FIFO", "SLF", "LLL", "SLF + LLL")),
    ratios=(
        Ratio("SLF", "FIFO", {"": (1.15, 1.20)}),
        Ratio("LLL", "FIFO"),
        Ratio("SLF + LLL", "FIFO", {"": (1.5, 1.5)}),
    ),
    note="The paper gives no times: SLF raises the performance by 15 to 20 %, SLF + LLL by about 50 %, one node after "
    "the other. Here a step takes a batch of nodes from the queue's head.",
)

_DELTA = Table(
    "Δ-stepping, by rule for Δ",
    (GRAPH_65536, NEW_YORK),
    tuple(
        Contender(label, "delta-stepping", {"rule": rule})
        for label, rule in (
            ("largest weight / largest degree", "largest weight / largest degree"),
            ("mean weight", "mean weight"),
            ("median weight", "median weight"),
        )
    ),
    ratios=(
        Ratio("mean weight", "largest weight / largest degree"),
        Ratio("median weight", "largest weight / largest degree"),
    ),
    note="The paper names the three rules; its times cannot be read in the copy at hand.",
)

_MATRIX = Table(
    "Bellman–Ford as sparse matrix–vector product",
    (GRAPH_65536, NEW_YORK),
    tuple(Contender(form, "bellman-ford-matrix", {"format": form}) for form in ("CSR", "ELL")),
    ratios=(Ratio("ELL", "CSR"),),
    note="The paper's times cannot be read in the copy at hand.",
)

_B = Paper(
    "B",
    "Parallel shortest-path searches in CUDA: Dijkstra, Bellman–Ford, Δ-stepping, sparse matrix–vector",
    "a study in Chinese",
    "after 2011",
    "hardware not named in the copy at hand",
    (_EXTRACT_MIN, _QUEUE, _DELTA, _MATRIX),
)

# ------------------------------------------------------------------------------------------------------- paper C

_C_MS = {
    "Graph4096": (6.28, 0.98, 1.32),
    "Graph65536": (21.53, 4.15, 3.76),
    "New York": (157.0, 102.0, 118.0),
    "Florida": (1086.0, 1651.0, 1593.0),
}
_C_LABELS = ("heap Dijkstra, CPU", "relax/update", "Advanced_Atomics")

_C = Paper(
    "C",
    "Two improved shortest path algorithms on GPU",
    "Liu, Wang",
    "2014",
    "Intel Core i3 760, GeForce GTX 550 Ti",
    (
        Table(
            "SSSP",
            (GRAPH_4096, GRAPH_65536, NEW_YORK, FLORIDA),
            (
                Contender(_C_LABELS[0], "dijkstra-heap", needs=Ability.HOST_LOOPS),
                Contender(_C_LABELS[1], "relax-update"),
                Contender(_C_LABELS[2], "advanced-atomics"),
            ),
            {(graph, label): ms for graph, row in _C_MS.items() for label, ms in zip(_C_LABELS, row, strict=True)},
            (
                Ratio(_C_LABELS[2], _C_LABELS[0]),
                Ratio(_C_LABELS[1], _C_LABELS[0]),
                Ratio(_C_LABELS[2], _C_LABELS[1]),
            ),
            note="relax/update is the paper's 'SSSP GPU'. Of Graph4096 and Graph65536 it says only that every node "
            "has degree 6; here each has six arcs out and in, with weights 1 to 1,000.",
        ),
    ),
    later="its table of all pairs, with Heap_APSP, comes later",
)

# ------------------------------------------------------------------------------------------------------- paper D

_D = Paper(
    "D",
    "Accelerating all-pairs shortest paths with CUDA",
    "Okuyama, Ino, Hagihara",
    "2008",
    "GeForce 8800 GTX, Core2 Extreme X6800",
    later="every table of it is of all pairs, and those come later",
)

# ------------------------------------------------------------------------------------------------------- paper E

_ALL = {"stop": "after n − 1 passes"}
_SPRAND = Graph("SPRAND", "synthetic:sprand?nodes=100000&arcs=1000000")
_E_RATIOS = (
    Ratio("v1", "sequential"),
    Ratio("v2", "sequential"),
    Ratio("v3", "sequential"),
    Ratio("v3", "v1"),
    Ratio("v2", "v1"),
)


def _versions(options: dict[str, str]) -> tuple[Contender, ...]:
    return (
        Contender("sequential", "bellman-ford", options, Ability.HOST_LOOPS),
        *(Contender(f"v{k}", f"bellman-ford-v{k}", options) for k in (1, 2, 3)),
    )


_E = Paper(
    "E",
    "Bellman–Ford single source shortest path algorithm on GPU using CUDA",
    "Rajkumar, Garland",
    "2020",
    "GeForce GTX 1080 Ti (TACC Maverick2)",
    (
        Table(
            "All |V| − 1 passes",
            (NEW_YORK, COLORADO, _SPRAND),
            _versions(_ALL),
            {
                ("New York", "sequential"): 3.25 * 3_600_000,
                ("New York", "v1"): 39_000.0,
                ("New York", "v2"): 42_000.0,
                ("New York", "v3"): 16_000.0,
            },
            _E_RATIOS,
            note="The article calls its graph New York, but gives it over 400,000 nodes and a million arcs, which "
            "is Colorado's size: its own repository has 39.3 s for v1 on Colorado and 17.3 s on New York.",
        ),
        Table(
            "Until nothing changes",
            (NEW_YORK, COLORADO, _SPRAND),
            _versions({}),
            ratios=tuple(Ratio(ratio.fast, ratio.slow) for ratio in _E_RATIOS),
            note="The same searches, ended by the first pass that changes nothing; the article did not measure that.",
        ),
    ),
)

# ------------------------------------------------------------------------------------------- F: beyond the papers

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
                Contender("near-far, one launch", "near-far-resident"),
                Contender("near-far, stepped", "near-far"),
                Contender("Dijkstra, bucket queue", "dijkstra", needs=Ability.HOST_LOOPS),
                Contender("Dijkstra, binary heap", "dijkstra-heap", needs=Ability.HOST_LOOPS),
            ),
            ratios=(
                Ratio("near-far, one launch", "near-far, stepped"),
                Ratio("near-far, one launch", "Dijkstra, bucket queue"),
                Ratio("Dijkstra, bucket queue", "Dijkstra, binary heap"),
            ),
            rivals=(
                Rival("MLMQ", "New York", 6.46, "A100, published"),
                Rival("ADDS", "New York", 10.66, "A100, published"),
                Rival("ADDS", "New York", 8.6, "H200, measured"),
                Rival("Lonestar near-far", "New York", 11.0, "H200, measured"),
                Rival("GAPBS Δ-stepping", "New York", 11.5, "one thread, measured"),
                Rival("RoutingKit", "New York", 28.0, "one thread, measured"),
                Rival("Boost", "New York", 30.0, "one thread, measured"),
                Rival("SciPy", "New York", 36.0, "one thread, measured"),
                Rival("igraph", "New York", 120.0, "one thread, measured"),
                Rival("networkx", "New York", 748.0, "one thread, measured"),
            ),
            note="Figures of others were measured elsewhere, loading left out; ours on this machine.",
        ),
    ),
)

PAPERS = (_A, _B, _C, _D, _E, _F)
