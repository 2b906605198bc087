"""What searches on small graphs hold between two steps, and what their threads do, against tables worked by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from plain_labels import PAPER_E, arcs_of, delta_rows, near_far_rows
from search_checks import make_network, plain_distances, random_arcs, variants
from trace_files import array_bytes, change_header, replace_members
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import TraceError
from wayfront.searching.registry import algorithms, find_algorithm, state_after, thread_grid
from wayfront.searching.result_file import load_trace, save_trace
from wayfront.trace.pivots import improve_by_pivots, matrix_of_arcs
from wayfront.trace.schema import NO_PATH
from wayfront.trace.step_views import NOTHING, Launch, Recorded

EXAMPLE = make_network(5, list(PAPER_E))
DENSE = random_arcs(24, 110, 60, 11)
A, B, C, D, E = range(5)


_FOUND: dict[tuple[Any, ...], Result] = {}
"""Searches by network, algorithm and options; a result keeps its network, so that no other gets its id."""


def recorded(network: RoadNetwork, name: str, device: str = "cpu", **options: Any) -> Recorded:
    """Return a search recorded on the CPU, as if on another device; each is made once."""
    key = (id(network), name, *options.items())
    if key not in _FOUND:
        _FOUND[key] = wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace=True)
    result = _FOUND[key]
    found = Recorded.of(replace(result, device=device))
    assert found is not None
    return found


def rows_after(search: Recorded, done: int) -> dict[str, list[tuple[int, int]]]:
    """Return nodes and keys of each row that is not empty, by its name."""
    state = state_after(search, done)
    assert state is not None
    keys = [row.keys or [-1] * len(row.nodes) for row in state.rows]
    return {
        row.name: list(zip(row.nodes, k, strict=True)) for row, k in zip(state.rows, keys, strict=True) if row.nodes
    }


HEAP = "Heap, place by place"
BY_HAND: list[tuple[str, dict[str, Any], list[dict[str, list[tuple[int, int]]]]]] = [
    ("dijkstra-heap", {}, [
        {HEAP: [(A, 0)]}, {HEAP: [(C, 4), (B, 9)]}, {HEAP: [(D, 6), (B, 9), (E, 15)]},
        {HEAP: [(B, 8), (E, 15), (B, 9)]}, {HEAP: [(B, 9), (E, 15), (E, 11)]}, {HEAP: [(E, 15)]},
    ]),
    ("dijkstra-heap", {"heap": "decrease-key"}, [
        {HEAP: [(A, 0)]}, {HEAP: [(C, 4), (B, 9)]}, {HEAP: [(D, 6), (B, 9), (E, 15)]}, {HEAP: [(B, 8), (E, 15)]},
        {HEAP: [(E, 11)]}, {},
    ]),
    ("dijkstra", {}, [
        {"Coarse bucket 0": [(A, 0)]},
        {"Distance 4": [(C, 4)], "Distance 9": [(B, 9)]},
        {"Distance 6": [(D, 6)], "Distance 9": [(B, 9)], "Distance 15": [(E, 15)]},
        {"Distance 8": [(B, 8)], "Distance 9": [(B, 9)], "Distance 15": [(E, 15)]},
        {"Distance 9": [(B, 9)], "Distance 11": [(E, 11)], "Distance 15": [(E, 15)]},
        {"Distance 15": [(E, 15)]},
    ]),
    ("bellman-ford-v3", {}, [
        {"Flagged": [(A, 0)]}, {"Flagged": [(B, 9), (C, 4)]}, {"Flagged": [(D, 6), (E, 12)]}, {"Flagged": [(B, 8)]},
        {"Flagged": [(E, 11)]}, {},
    ]),
    ("near-far", {"delta": 4}, [
        {"Near pile": [(A, 0)]},
        {"Near pile": [(C, 4)], "Far pile": [(B, 9)]},
        {"Near pile": [(D, 6)], "Far pile": [(B, 9), (E, 15)]},
        {"Near pile": [(B, 8)], "Far pile": [(E, 15)]},
        {"Near pile": [(E, 11)], "Far pile": [(E, 11)]},
        {},
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "table"), BY_HAND, ids=str)
def test_the_example_holds_what_was_worked_by_hand(
    name: str, options: dict[str, Any], table: list[dict[str, list[tuple[int, int]]]]
) -> None:
    search = recorded(EXAMPLE, name, **options)
    assert [rows_after(search, done) for done in range(len(search.trace) + 1)] == table


def test_buckets_of_the_example_are_those_worked_by_hand() -> None:
    search = recorded(EXAMPLE, "delta-stepping")
    names = ("Bucket 0", "Bucket 1", "Bucket 2", "Bucket 3", "Removed, heavy arcs to come")
    held = [tuple([node for node, _ in rows_after(search, done).get(name, [])] for name in names) for done in range(9)]
    assert held == [
        ([A], [], [], [], []),
        ([], [C], [], [], [A]),
        ([], [C], [B], [], []),
        ([], [D], [B], [], [C]),
        ([], [], [B], [], [C, D]),
        ([], [], [B], [E], []),
        ([], [], [E], [], [B]),
        ([], [], [], [], [B, E]),
        ([], [], [], [], []),
    ]


@pytest.mark.parametrize("delta", [4, 30])
def test_piles_and_buckets_are_those_of_their_definitions(delta: int) -> None:
    n, arcs = DENSE.node_count, arcs_of(DENSE)
    search = recorded(DENSE, "near-far", delta=delta)
    piles = [list(search.held(step, "Near pile")) for step in range(len(search.trace))]
    assert piles == near_far_rows(n, arcs, 0, delta)[1]

    search = recorded(DENSE, "delta-stepping", delta=delta)
    rows, _ = delta_rows(n, arcs, 0, delta)
    for step in range(len(search.trace)):
        held = rows_after(search, step + 1)
        buckets = {name: nodes for name, nodes in held.items() if name.startswith("Bucket")}
        assert all(name == f"Bucket {key // delta}" for name, nodes in buckets.items() for _, key in nodes)
        assert all(key == rows[step + 1][node] for nodes in buckets.values() for node, key in nodes)
        if step + 1 < len(search.trace) and search.trace.step(step + 1).note.phase == "light arcs":
            assert search.trace.frontier(step + 1).tolist() == sorted(node for node, _ in next(iter(buckets.values())))


@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_what_a_search_holds_fits_its_labels_and_its_frontiers(name: str, options: dict[str, Any]) -> None:
    search = recorded(DENSE, name, **options)
    trace = search.trace
    if find_algorithm(name).state is None:
        assert state_after(search, 0) is None
        return
    for done in range(len(trace) + 1):
        labels, held = search.labels(done), rows_after(search, done)
        waiting = {
            node for row, nodes in held.items() for node, _ in nodes if row not in ("Taken by the last step", "Settled")
        }
        in_place = name == "bellman-ford" or "update" in options
        if done < len(trace) and not in_place:  # else a pass also expands what it reaches
            assert set(trace.frontier(done).tolist()) <= waiting
        for nodes in held.values():
            assert all(key == -1 or key >= labels[node] for node, key in nodes), (
                "an entry is as good as the label, or outdated"
            )


def busy_items(launch: Launch) -> set[int]:
    return set(launch.items[launch.busy].tolist())


@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_every_expanded_node_and_each_of_its_arcs_has_a_thread(name: str, options: dict[str, Any]) -> None:
    search = recorded(DENSE, name, **options)
    if find_algorithm(name).sequential or find_algorithm(name).threads is None:
        assert thread_grid(search, 0) is None
        return
    degrees, tails = DENSE.out_degrees(), DENSE.tails()
    for step in search.trace:
        grid = thread_grid(search, step.index)
        assert grid is not None
        assert not grid.as_launched
        taken = set()
        for launch in grid.launches:
            assert launch.threads % launch.block == 0
            assert launch.items.shape == launch.busy.shape
            assert not (launch.busy & (launch.items == NOTHING)).any()
            nodes = tails[launch.items[launch.busy]].tolist() if launch.of == "arc" else busy_items(launch)
            taken |= set(nodes)
        if name != "bellman-ford-matrix":  # its rows gather
            assert {node for node in step.frontier.tolist() if degrees[node]} <= taken or "arcs" in step.note.phase


EXAMPLES_OPTIONS: dict[str, dict[str, Any]] = {
    "bellman-ford-v1": {},
    "bellman-ford-v3": {"block": 32},
    "near-far": {"delta": 4},
}


def test_threads_of_the_example_worked_by_hand() -> None:
    launches = {
        name: (thread_grid(recorded(EXAMPLE, name, **options), 1) or pytest.fail("no grid")).launches
        for name, options in EXAMPLES_OPTIONS.items()
    }
    relax, update = launches["bellman-ford-v1"]
    assert (relax.kernel, update.kernel) == ("relax", "update_distance")
    assert (relax.block, relax.warp, relax.threads) == (256, 32, 256)
    assert relax.items[0, :6].tolist() == [A, B, C, D, E, NOTHING]
    assert (busy_items(relax), busy_items(update)) == ({A, B, C}, {D, E})
    relax, update = launches["bellman-ford-v3"]
    assert relax.threads == 32
    assert (busy_items(relax), busy_items(update)) == ({B, C}, {D, E})
    (near,) = launches["near-far"]
    assert near.items[0, :9].tolist() == [C] * 8 + [NOTHING], "a card gives a node 8 threads"
    assert near.busy[0, :9].tolist() == [True, True] + [False] * 7, "and C has two arcs"


def test_a_grid_stride_takes_several_turns() -> None:
    search = recorded(DENSE, "bellman-ford-v2", block=32)
    large = recorded(random_arcs(150, 400, 9, 3), "bellman-ford-v2", block=32)
    for found, shape in ((search, (1, 32)), (large, (5, 32))):
        grid = thread_grid(found, 2)
        assert grid is not None
        assert [launch.items.shape for launch in grid.launches] == [shape, shape]
    assert grid is not None
    items = grid.launches[0].items
    assert items.ravel()[:150].tolist() == list(range(150))
    assert (items[1] - items[0]).tolist() == [32] * 32


def test_the_simulator_launches_smaller_blocks_with_two_threads_a_node() -> None:
    grid = thread_grid(recorded(EXAMPLE, "near-far", "simulator", delta=4), 1)
    assert grid is not None
    assert grid.as_launched
    (near,) = grid.launches
    assert (near.threads, near.items[0, :3].tolist()) == (32, [C, C, NOTHING])


def test_a_pivot_gives_each_row_with_a_path_to_it_a_block() -> None:
    search = Recorded.of(wayfront.all_pairs(EXAMPLE, "floyd-warshall", "cpu", runs=0, trace=True))
    assert search is not None
    grid = thread_grid(search, C)
    assert grid is not None
    (rows,) = grid.launches
    assert (rows.of, rows.block, rows.threads) == ("row", 256, 5 * 256)
    assert busy_items(rows) == {A, B, D}, "D reaches C by way of B, E reaches nothing yet, and C is the pivot"
    delivering = thread_grid(search, len(search.trace) - 1)
    assert delivering is not None
    assert delivering.launches == ()


def pairs_grids(network: RoadNetwork, name: str, **options: Any) -> list[tuple[Launch, ...]]:
    search = Recorded.of(wayfront.all_pairs(network, name, "cpu", options=options, runs=0, trace=True))
    assert search is not None
    assert state_after(search, 0) is None
    grids = [thread_grid(search, step) for step in range(len(search.trace))]
    return [grid.launches for grid in grids if grid is not None]


def test_blocks_of_the_blocked_search_take_tiles() -> None:
    grids = pairs_grids(random_arcs(70, 300, 9, 4), "floyd-warshall-blocked", tile=32)
    phases = [launch for launches in grids for launch in launches]
    assert [launch.kernel for launch in phases] == ["close_tile", "join_cross", "join_rest"] * 3, "three tiles a side"
    assert {(launch.of, launch.block) for launch in phases} == {("tile", 16)}
    close, cross, rest = phases[3:6]
    assert [launch.items[0, ::16].tolist() for launch in (close, cross, rest)] == [
        [4], [3, 1, 4, 4, 5, 7], list(range(9)),
    ]  # fmt: skip
    assert [busy_items(launch) for launch in (close, cross, rest)] == [{4}, {1, 3, 5, 7}, {0, 2, 6, 8}]


@pytest.mark.parametrize(("options", "threads"), [({}, 64), ({"tile": 32}, 16), ({"tile": 128}, 256)])
def test_a_tile_wider_than_its_graph_keeps_its_threads(options: dict[str, int], threads: int) -> None:
    close, _, _ = [
        launch for launches in pairs_grids(EXAMPLE, "floyd-warshall-blocked", **options) for launch in launches
    ]
    assert (close.kernel, close.block, busy_items(close)) == ("close_tile", threads, {0})


def test_threads_of_many_searches_at_once_take_sources_or_nodes() -> None:
    (heaps,) = pairs_grids(EXAMPLE, "heap-apsp")[0]
    assert (heaps.kernel, heaps.block, heaps.items.tolist()) == ("settle_nodes", 1, [[A, B, C, D, E]])
    (heaps,) = pairs_grids(EXAMPLE, "heap-apsp", block=32)[0]
    assert (heaps.threads, busy_items(heaps)) == (32, {A, B, C, D, E})
    relax, update = pairs_grids(EXAMPLE, "task-parallel")[0]
    assert (relax.kernel, update.kernel) == ("relax_together", "update_tasks")
    warps = relax.items.reshape(-1, relax.warp)
    assert [set(warp) for warp in warps[:5].tolist()] == [{A}, {B}, {C}, {D}, {E}], "a warp serves one node"
    assert relax.busy.reshape(-1, 32)[0].tolist() == [True] * 5 + [False] * 27


def test_every_search_of_one_tree_says_what_it_holds_and_what_its_threads_do() -> None:
    ours = [a for a in algorithms() if a.search.__module__.startswith("wayfront.algorithms")]  # not those of tests
    found = [a for a in ours if a.kind is SearchKind.ONE_TREE]
    shown_otherwise = ["dissection", "regions"]  # by its cells; regions are worked off many nodes at once
    assert [a.name for a in found if a.state is None] == shown_otherwise
    assert [a.name for a in found if a.threads is None and not a.sequential] == shown_otherwise


def test_larger_networks_show_neither() -> None:
    search = recorded(random_arcs(300, 900, 9, 3), "near-far")
    assert (state_after(search, 0), thread_grid(search, 0)) == (None, None)


def test_what_was_held_comes_back_from_a_file_and_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    result = wayfront.search(EXAMPLE, 0, "near-far", "cpu", options={"delta": 4}, runs=0, trace=True)
    save_trace(result, path)
    back = load_trace(path, EXAMPLE).trace
    assert back is not None
    assert result.trace is not None
    assert [back.held(done) for done in range(6)] == [result.trace.held(done) for done in range(6)]
    arrays = {name: array for name, array in result.trace.arrays().items() if name.startswith("held")}
    assert len(arrays) == 6
    whole = path.read_bytes()
    for name, array in arrays.items():
        worst = array.copy()
        worst[-1] = -7
        for changed in (worst, array[:-1], array.astype(np.float64)):
            replace_members(path, **{name: array_bytes(changed)})
            with pytest.raises(TraceError, match="damaged"):
                load_trace(path, EXAMPLE)
            path.write_bytes(whole)


@pytest.mark.parametrize("title", ["{row.__class__}", "{}", "a{number:>9}"])
def test_a_title_has_no_other_field_than_its_number(title: str, tmp_path: Path) -> None:
    path = tmp_path / "run.wftrace"
    save_trace(wayfront.search(EXAMPLE, 0, "near-far", "cpu", runs=0, trace=True), path)
    change_header(path, lambda header: header.update(held=[title, "Far pile"]))
    with pytest.raises(TraceError, match="which it cannot be"):
        load_trace(path, EXAMPLE)


def test_an_odd_file_shows_odd_tables_and_no_error(tmp_path: Path) -> None:
    """Nodes and titles of a stranger's file are in range; that they make sense nobody can say."""
    path = tmp_path / "run.wftrace"
    for name in ("near-far", "delta-stepping", "bellman-ford-queue", "adaptive"):
        result = wayfront.search(EXAMPLE, 0, name, "cpu", runs=0, trace=True)
        save_trace(result, path)
        assert result.trace is not None
        titles = result.trace.held_titles
        assert titles is not None
        replace_members(path, held_titles=array_bytes(np.zeros_like(titles)))
        odd = Recorded.of(load_trace(path, EXAMPLE))
        assert odd is not None
        for step in range(len(odd.trace)):
            assert state_after(odd, step) is not None
            assert thread_grid(odd, step) is not None


def test_before_the_first_pivot_there_are_arcs_alone() -> None:
    network = make_network(3, [(0, 1, 7), (0, 1, 4), (1, 1, 9), (2, 0, 0)])
    assert matrix_of_arcs(network).tolist() == [[0, 4, NO_PATH], [NO_PATH, 0, NO_PATH], [0, NO_PATH, 0]]


def improve(matrix: np.ndarray, first: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a matrix after the pivots ``first`` … ``end`` − 1, and when its cells first and last changed."""
    matrix, begun, lowered = matrix.copy(), np.full(matrix.shape, -1, np.int32), np.full(matrix.shape, -1, np.int32)
    pivots = np.arange(first, end, dtype=np.int32)
    improve_by_pivots(matrix, pivots, pivots, begun, lowered)
    return matrix, begun, lowered


def test_a_pivot_allows_paths_over_it_and_no_other() -> None:
    network = make_network(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 2, 9)])
    over_1, begun, lowered = improve(matrix_of_arcs(network), 1, 2)
    assert [over_1[0, 2], over_1[0, 3], over_1[1, 3]] == [2, NO_PATH, NO_PATH]
    assert (begun == -1).all(), "the pair had an arc"
    assert lowered.max() == lowered[0, 2] == 1 and (lowered >= 0).sum() == 1
    whole, begun, lowered = improve(matrix_of_arcs(network), 0, 4)
    assert (begun[0, 3], lowered[0, 3], whole[0, 3]) == (2, 2, 3)


def test_after_all_pivots_it_holds_the_distances_however_they_are_divided() -> None:
    for network in (random_arcs(40, 90, 9, 1), random_arcs(30, 70, 2**31 - 1, 2), random_arcs(1, 2, 5, 3)):
        n = network.node_count
        halfway, *_ = improve(matrix_of_arcs(network), 0, n // 2)
        found, *_ = improve(halfway, n // 2, n)
        expected = [[NO_PATH if d is None else d for d in plain_distances(network, i)] for i in range(n)]
        assert np.array_equal(found, np.array(expected))
