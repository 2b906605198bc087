"""Paper D: all pairs by 32 searches at once, beside searches in turn and Floyd–Warshall."""

from __future__ import annotations

from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Sources, Table, TableKind

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

# ------------------------------------------------------------------------------------------------------- Table 1

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

# ------------------------------------------------------------------------------------------------------- Table 2

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

# ------------------------------------------------------------------------------------------------- Figures 5 and 6

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

PAPER = Paper(
    "D",
    "Accelerating all-pairs shortest paths with CUDA",
    "Okuyama, Ino, Hagihara",
    "2008",
    "GeForce 8800 GTX, Core2 Extreme X6800",
    (_TABLE_1, _TABLE_2, _FIGURE_5, _FIGURE_6),
)
