"""Made networks: what each shape promises, the city's facts, names that make the same again, and examples of books."""

from __future__ import annotations

import functools
import tracemalloc
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from repository import REPOSITORY
from there import there
from wayfront import search
from wayfront.formats.native.codec import read_native
from wayfront.network.conventions import is_drawing
from wayfront.network.finding import node_called
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.structure import strong_components, weak_components
from wayfront.opening import estimate_memory, open_network
from wayfront.results.result import Result
from wayfront.safe import memory
from wayfront.safe.errors import MemoryShortError, NetworkError, OptionError
from wayfront.searching.result_file import RecordedNetwork, find_network
from wayfront.synthetic import (
    city,
    complete,
    from_name,
    generators,
    grid,
    names,
    random_network,
    regular,
    ring,
    rmat,
    sprand,
)
from wayfront.synthetic.__main__ import main
from wayfront.synthetic.land import make_plan
from wayfront.synthetic.portable_random import Draws, cosine_sine
from wayfront.synthetic.textbooks import EXAMPLES, Example

BUNDLED = REPOSITORY / "assets" / "city.wayfront"
SMALL = 4_000
SMALL_CITY_KEY = "8e92ce163e96e72357359b3c75d8997d"


@functools.cache
def small_city() -> RoadNetwork:
    return city(SMALL, 3)


@functools.cache
def bundled_city() -> RoadNetwork:
    return read_native(BUNDLED)


def undirected(network: RoadNetwork) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the two ends of each street between crossings, and how many arcs it has (1: one-way)."""
    a, b = network.tails().astype(np.int64), network.targets.astype(np.int64)
    key, arcs = np.unique(np.minimum(a, b) << 32 | np.maximum(a, b), return_counts=True)
    return key >> 32, key & 0xFFFFFFFF, arcs


# ---------------------------------------------------------------------------------------------------- bits


def test_draws_and_angles_are_the_same_everywhere() -> None:
    draws = Draws(1)
    assert draws.integers(1, 1000, 4).tolist() == [64, 44, 943, 890]
    assert draws.uniform(-1.0, 1.0) == -0.3763370959790291
    turns = np.linspace(-2.0, 3.0, 1001)
    cosine, sine = cosine_sine(turns)
    assert np.abs(cosine - np.cos(turns * 2 * np.pi)).max() < 1e-10
    assert np.abs(sine - np.sin(turns * 2 * np.pi)).max() < 1e-10


def test_small_city_keeps_its_content_on_every_machine() -> None:
    assert small_city().content_key == SMALL_CITY_KEY


# -------------------------------------------------------------------------------------------------- shapes


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.integers(1, 50))
@settings(max_examples=40, deadline=None)
def test_grid_joins_every_crossing_to_its_neighbours(columns: int, rows: int, seed: int, largest: int) -> None:
    network = grid(columns, rows, seed, largest)
    weights = network.metric().weights
    assert network.node_count == columns * rows
    assert network.arc_count == 2 * ((columns - 1) * rows + columns * (rows - 1))
    assert network.arc_count == 0 or (weights.min() >= 1 and weights.max() <= largest)
    tails, heads = network.tails(), network.targets
    steps = np.abs(np.stack((tails % columns - heads % columns, tails // columns - heads // columns)))
    assert (steps.sum(axis=0) == 1).all()
    pairs = dict(zip(zip(tails.tolist(), heads.tolist(), strict=True), weights.tolist(), strict=True))
    assert all(pairs[b, a] == weight for (a, b), weight in pairs.items())
    assert len(np.unique(there(network.coordinates), axis=0)) == network.node_count


@given(st.integers(1, 40), st.integers(0, 200), st.integers(1, 9), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_random_networks_have_what_was_asked(nodes: int, arcs: int, largest: int, seed: int) -> None:
    for network in (random_network(nodes, arcs, largest, seed), rmat(nodes, arcs, largest, seed)):
        assert (network.node_count, network.arc_count) == (nodes, arcs)
        assert network.coordinates is None
        assert arcs == 0 or network.metric().weights.max() <= largest


def test_rmat_is_uneven_and_random_is_even() -> None:
    uneven, even = (make(4096, 65_536, 10, 1).out_degrees() for make in (rmat, random_network))
    assert uneven.max() > 8 * even.max() / 2
    assert even.max() < 50 < np.sort(uneven)[-40]
    loops = random_network(50, 5000, 10, 1)
    assert (loops.tails() == loops.targets).any()


def test_rmat_quarters_follow_their_probabilities() -> None:
    network = rmat(1024, 200_000, 10, 1, a=0.5, b=0.3, c=0.15)
    lower, right = network.tails() >= 512, network.targets >= 512
    assert (~lower & right).mean() == pytest.approx(0.3, abs=0.01)
    assert (lower & ~right).mean() == pytest.approx(0.15, abs=0.01)


@given(st.integers(2, 60), st.integers(1, 9), st.integers(1, 9), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_regular_networks_have_the_degree_out_and_in_and_reach_all(
    nodes: int, degree: int, largest: int, seed: int
) -> None:
    network = regular(nodes, degree, largest, seed)
    assert (network.out_degrees() == degree).all()
    assert (np.bincount(network.targets, minlength=nodes) == degree).all()
    assert (network.tails() != network.targets).all()
    assert strong_components(network).max() == 0
    assert 1 <= network.metric().weights.min() <= network.metric().weights.max() <= largest


@given(st.integers(2, 60), st.integers(0, 100), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_sprand_has_a_cycle_through_all_nodes_and_arcs_between_others(nodes: int, more: int, seed: int) -> None:
    network = sprand(nodes, nodes + more, smallest_weight=5, largest_weight=9, cycle_weight=2, seed=seed)
    assert network.arc_count == nodes + more
    tails, heads, weights = network.tails(), network.targets, network.metric().weights
    assert (tails != heads).all()
    on_cycle = weights == 2
    assert (on_cycle.sum(), weights[~on_cycle].min(initial=5), weights.max(initial=2) <= 9) == (nodes, 5, True)
    following = dict(zip(tails[on_cycle].tolist(), heads[on_cycle].tolist(), strict=True))
    node, seen = 0, set()
    while node not in seen:
        seen.add(node)
        node = following[node]
    assert len(seen) == nodes


def test_sprand_is_the_papers_unless_told_otherwise() -> None:
    weights = from_name("synthetic:sprand?n=4000&m=16000").metric().weights
    assert (weights == 1).sum() >= 4000
    assert weights.min() <= 20
    assert 9_950 < weights.max() <= 10_000
    drawn = from_name("synthetic:sprand?n=4000&m=4000&cycle_weight=auto").metric().weights
    assert (drawn == 1).sum() < 10
    assert drawn.max() > 9_900


def test_regular_and_sprand_keep_their_content_on_every_machine() -> None:
    assert regular(64, 6).content_key == "219ea4816d004e798d703b199758d055"
    assert sprand(64, 256).content_key == "cde49ca8c6325e4e079cd3aea9cb16c2"


@pytest.mark.parametrize(("nodes", "arcs"), [(1, 0), (2, 2), (3, 6), (10, 20)])
def test_ring_is_a_circle(nodes: int, arcs: int) -> None:
    network = ring(nodes)
    assert network.arc_count == arcs
    assert strong_components(network).max() == 0
    assert (network.out_degrees() == min(nodes - 1, 2)).all()


@pytest.mark.parametrize("nodes", [1, 2, 7])
def test_complete_network_joins_all(nodes: int) -> None:
    network = complete(nodes)
    pairs = set(zip(network.tails().tolist(), network.targets.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(nodes) for b in range(nodes) if a != b}
    assert network.arc_count == nodes * (nodes - 1)


# --------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "nodes", "arcs"),
    [
        ("synthetic:rmat?n=4096&m=16384&seed=1", 4096, 16384),
        ("synthetic:random?n=20&m=50", 20, 50),
        ("synthetic:grid?columns=4&rows=3", 12, 34),
        ("synthetic:ring?n=1000", 1000, 2000),
        ("synthetic:complete?n=20", 20, 380),
        ("synthetic:random?n=1000&k=2.5&C=7", 1000, 2500),
        ("synthetic:rmat?n=1024", 1024, 8192),
        ("synthetic:regular?n=4096&k=6", 4096, 24_576),
        ("synthetic:sprand?n=1000&m=3000", 1000, 3000),
        ("synthetic:sprand?n=50&k=4&cycle_weight=auto", 50, 200),
    ],
)
def test_names_make_networks_whose_origin_makes_them_again(name: str, nodes: int, arcs: int) -> None:
    network = from_name(name)
    assert (network.node_count, network.arc_count) == (nodes, arcs)
    assert from_name(network.origin).content_key == network.content_key
    assert from_name(network.origin).origin == network.origin


def test_defaults_of_every_generator_are_within_its_own_bounds() -> None:
    known = ["city", "grid", "ring", "complete", "random", "rmat", "regular", "sprand"]
    assert [generator.name for generator in names()] == known
    for generator in names():
        for option in generator.parameters:
            assert option.parse(option.default) == option.default


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("synthetic:village", "there is no generator of networks"),
        ("grid?columns=3", "there is no generator of networks"),
        ("synthetic:grid?colums=3", "there is no option 'colums'"),
        ("synthetic:grid?columns=three", "columns is a whole number"),
        ("synthetic:grid?columns=0", "columns lies between 1"),
        ("synthetic:grid?columns", "is not written like"),
        ("synthetic:grid:1225", r"is not written like 'synthetic:grid\?columns=200&rows=200': parameters stand"),
        ("synthetic:ring?n=3&nodes=4", "gives nodes twice"),
        ("synthetic:city?nodes=3", "nodes lies between 2,000"),
        ("synthetic:rmat?a=0.9&b=0.9", "add up to at most 1"),
        ("synthetic:random?m=9&k=3", "either arcs or degree"),
        ("synthetic:regular?n=1", "nodes lies between 2"),
        ("synthetic:regular?k=0", "degree lies between 1"),
        ("synthetic:sprand?n=9&m=8", "the cycle through 9 nodes takes 9 arcs"),
        ("synthetic:sprand?n=9&smallest_weight=6&C=5", "is above the largest"),
    ],
)
def test_wrong_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        from_name(name)


# ---------------------------------------------------------------------------------------------- components


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40))
@settings(max_examples=150, deadline=None)
def test_components_agree_with_networkx(nodes: int, arcs: list[tuple[int, int]]) -> None:
    networkx = pytest.importorskip("networkx")
    inside = [(a % nodes, b % nodes) for a, b in arcs]
    network = RoadNetwork.from_arcs(
        name="any",
        node_count=nodes,
        tails=np.array([a for a, _ in inside], np.int64),
        heads=np.array([b for _, b in inside], np.int64),
        metrics=[Metric("weight", "", 1.0, np.ones(len(inside), np.int32))],
    )
    graph = networkx.MultiDiGraph(inside)
    graph.add_nodes_from(range(nodes))
    for labels, components in (
        (strong_components(network), networkx.strongly_connected_components(graph)),
        (weak_components(network), networkx.weakly_connected_components(graph)),
    ):
        assert labels.dtype == np.int32
        found = {frozenset(np.flatnonzero(labels == k).tolist()) for k in range(int(labels.max()) + 1)}
        assert found == {frozenset(component) for component in components}
        assert (np.diff(np.bincount(labels)) <= 0).all()


# ---------------------------------------------------------------------------------------------------- city


def check_city(network: RoadNetwork, wanted: int) -> None:
    assert abs(network.node_count - wanted) <= 0.05 * wanted
    assert 2.2 < network.arc_count / network.node_count < 3.0
    assert strong_components(network).max() == 0
    assert network.node_ids.tolist() == list(range(1, network.node_count + 1))
    assert set(np.unique(there(network.road_class))) == {0, 1, 2, 3}
    a, b, arcs = undirected(network)
    assert 0.03 < (arcs == 1).mean() < 0.25
    degree = np.bincount(np.concatenate((a, b)))
    assert 0.05 < (degree == 1).mean() < 0.25
    assert (a != b).all()


def check_metrics(network: RoadNetwork) -> None:
    length, time = network.metric("length"), network.metric("travel time")
    assert (length.unit, length.scale, time.unit, time.scale) == ("m", 0.1, "s", 0.001)
    assert length.weights.min() >= 1
    lon, lat = np.radians(there(network.coordinates) / 1e6).T
    a, b = network.tails(), network.targets
    half = np.sin((lat[b] - lat[a]) / 2) ** 2 + np.cos(lat[a]) * np.cos(lat[b]) * np.sin((lon[b] - lon[a]) / 2) ** 2
    great_circle = 2 * 6_371_000 * np.arcsin(np.sqrt(half))
    assert np.abs(length.weights * 0.1 - great_circle).max() < 0.2
    speed = length.weights * 0.1 / (time.weights * 0.001) * 3.6
    assert network.road_class is not None
    medians = [float(np.median(speed[network.road_class == k])) for k in range(4)]
    assert medians == pytest.approx([30, 50, 70, 110], rel=0.01)


def bridges(network: RoadNetwork, nodes: int, seed: int) -> int:
    """Count the places, 250 m apart, where streets cross the middle of the river above its mouth."""
    plan = make_plan((nodes / 40_000) ** 0.5, seed)
    river = plan.rivers[0][0]
    river = river[: int(0.7 * len(river)) : 4]
    assert network.coordinates is not None
    x = (network.coordinates[:, 0] - 8e6) * 0.111195 * 0.6427876 + plan.width / 2
    y = (network.coordinates[:, 1] - 50e6) * 0.111195 + plan.height / 2
    a, b, _ = undirected(network)
    found: list[tuple[float, float]] = []
    for p, q in pairwise(river):
        side = [(q[0] - p[0]) * (y[e] - p[1]) - (q[1] - p[1]) * (x[e] - p[0]) for e in (a, b)]
        ends = [(x[b] - x[a]) * (r[1] - y[a]) - (y[b] - y[a]) * (r[0] - x[a]) for r in (p, q)]
        if ((side[0] * side[1] < 0) & (ends[0] * ends[1] < 0)).any():
            middle = (float(p[0] + q[0]) / 2, float(p[1] + q[1]) / 2)
            if all((middle[0] - u) ** 2 + (middle[1] - v) ** 2 > 250.0**2 for u, v in found):
                found.append(middle)
    return len(found)


def test_small_city_is_a_city() -> None:
    check_city(small_city(), SMALL)
    check_metrics(small_city())


def test_a_city_is_made_again_bit_for_bit() -> None:
    again = from_name(f"synthetic:city?seed=3&nodes={SMALL}")
    assert again.content_key == small_city().content_key
    assert again.origin == small_city().origin
    assert city(SMALL, 4).content_key != again.content_key


def test_bundled_city_is_a_city() -> None:
    network = bundled_city()
    assert BUNDLED.stat().st_size < 1_500_000
    assert network.name == "Wayfront City"
    assert network.attribution == "Synthetic city, made by wayfront.synthetic"
    check_city(network, 40_000)
    check_metrics(network)
    assert 6 <= bridges(network, 40_000, 1) <= 8


def test_bundled_city_is_the_generators_own() -> None:
    assert city(40_000, 1).content_key == bundled_city().content_key
    assert BUNDLED.stat().st_size < 1_500_000


def test_bundled_city_thins_out_from_the_centre() -> None:
    coordinates = there(bundled_city().coordinates)
    away = np.hypot(*((coordinates - np.median(coordinates, axis=0)) * [0.0000715, 0.0001112]).T)
    inner, outer = (away < 3).sum() / 9, ((away > 9) & (away < 11)).sum() / 40
    assert inner > 3 * outer


def test_command_writes_the_same_bytes_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "a.wayfront", tmp_path / "b.wayfront"]
    for path in paths:
        assert main(["grid", "--columns", "9", "--rows", "5", "--seed", "2", "--output", str(path)]) == 0
    assert "45 nodes" in capsys.readouterr().out
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert read_native(paths[0]).content_key == grid(9, 5, 2).content_key


def test_command_tells_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "--columns", "0", "--output", str(tmp_path / "x.wayfront")]) == 2
    assert "columns lies between 1" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------
# Made networks are estimated before they are made: truly, for every kind, and refused where memory is too short.


SIZES = {
    "city": "nodes=4000",
    "grid": "columns=200&rows=100",
    "ring": "nodes=20000",
    "complete": "nodes=300",
    "random": "nodes=10000&arcs=40000",
    "rmat": "nodes=10000&arcs=40000",
    "regular": "nodes=10000&degree=6",
    "sprand": "nodes=10000&arcs=40000",
}
"""For each kind a network of a few megabytes, which outweighs what else Python allocates meanwhile."""

TOO_LARGE = [
    "synthetic:complete?nodes=30000",
    "synthetic:grid?columns=2147483647&rows=1",
    "synthetic:ring?nodes=2147483647",
    "synthetic:random?nodes=2147483647",
    "synthetic:random?nodes=5&arcs=2147483647",
    "synthetic:rmat?nodes=2147483647&degree=1000000",
    "synthetic:regular?nodes=2147483647&degree=10000",
    "synthetic:sprand?n=2147483647&k=1000",
    "synthetic:city?nodes=1000000",
]


def never(**_arguments: object) -> RoadNetwork:
    raise AssertionError("it is made")


@pytest.fixture
def nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a gigabyte, and fail where a generator is called."""
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**9)
    changed = tuple(replace(generator, make=never) for generator in names())
    monkeypatch.setattr(generators, "_GENERATORS", changed)


@pytest.mark.parametrize("kind", [generator.name for generator in names()])
def test_the_estimate_is_the_peak_within_a_third(kind: str) -> None:
    name = f"synthetic:{kind}?{SIZES[kind]}"
    from_name(name)  # whose first call compiles
    tracemalloc.start()
    try:
        from_name(name)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak / 1.33 < estimate_memory(name) < 1.33 * peak


@pytest.mark.usefixtures("nothing_is_made")
@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_does_not_fit_is_refused_before_it_is_made(name: str) -> None:
    with pytest.raises(MemoryShortError, match=r"takes about [\d,]+\.\d GB of memory, and 1\.0 GB are free") as caught:
        open_network(name)
    assert caught.value.needed == estimate_memory(name) > 10**9
    assert "nodes and" in caught.value.what
    with pytest.raises(AssertionError, match="it is made"):
        open_network(name, force=True)


def test_every_kind_is_refused_where_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 0)
    for generator in names():
        with pytest.raises(MemoryShortError, match=rf"^synthetic:{generator.name} of .* nodes and .* arcs: it takes"):
            open_network(f"synthetic:{generator.name}")


@pytest.mark.usefixtures("nothing_is_made")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("grid?columns=2147483648", "columns lies between"),
        ("grid?columns=2147483647&rows=2147483647", "a network has at most 2,147,483,647 nodes"),
        ("grid?columns=-5", "columns lies between"),
        ("grid?columns=nan", "columns is a whole number"),
        ("complete?nodes=30001", "nodes lies between"),
        ("random?degree=nan", "degree lies between"),
        ("random?degree=inf", "degree lies between"),
        ("random?arcs=-1", "arcs lies between"),
        ("rmat?a=nan", "a lies between"),
        (f"ring?nodes={'9' * 5000}", "nodes is a whole number, not '999"),
        ("ring?" + "x" * 5000, "is not written like"),
        ("nothing" * 800, "there is no generator of networks"),
    ],
)
def test_impossible_sizes_are_refused_in_a_short_sentence(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        open_network(f"synthetic:{name}")
    assert len(str(caught.value)) < 400


def test_a_grid_is_no_larger_than_its_numbers_can_count() -> None:
    with pytest.raises(OptionError, match="crossings is at most"):
        grid(2**20, 2**20)


def raise_memory_error(*_arguments: object, **_options: object) -> RoadNetwork:
    raise MemoryError


@pytest.mark.parametrize("where", ["wayfront.opening._make", "wayfront.opening.recognise"])
def test_memory_that_ends_all_the_same_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setattr(where, raise_memory_error)
    name = "synthetic:grid" if where.endswith("_make") else __file__
    with pytest.raises(NetworkError, match="this machine has not enough memory for it: close other") as caught:
        open_network(name)
    assert str(caught.value).startswith(name)
    assert caught.value.__cause__ is None


BY_HAND = {
    "paper-e": "A 0, C 4, D 6, B 8, E 11",
    "cormen-dijkstra": "s 0, t 8, x 9, y 5, z 7",
    "cormen-trees": "s 0, t 3, x 9, y 5, z 11",
    "cormen-nine": "a 0, b 4, c 12, d 19, e 21, f 11, g 9, h 8, i 14",
    "sedgewick-eight": "0 0, 1 105, 2 26, 3 99, 4 38, 5 73, 6 151, 7 60",
    "six-roads": "1 0, 2 7, 3 9, 4 20, 5 20, 6 11",
    "romania": "Arad 0, Bucharest 418, Sibiu 140, Rimnicu Vilcea 220, Pitesti 317, Neamt 824, Eforie 687, Drobeta 374",
    "detours": "s 0, a 1, b 2, c 3, d 4, t 5, u 6, v 7, w 8",
    "light-and-heavy": "a 0, b 3, c 2, d 7, e 28, f 30, g 31, h 33, i 27, j 31, k 34",
    "three-wide": "s 0, a1 4, a2 2, a3 3, a4 5, b1 7, b2 4, b3 4, b4 7, c1 9, c2 6, c3 8, c4 9",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_opened_by_its_name_and_has_its_book_s_distances(example: Example) -> None:
    network = open_network(example.opened_by)
    found = search(network, node_called(network, example.start), "dijkstra", "cpu")
    assert isinstance(found, Result)
    by_hand = dict(entry.rsplit(" ", 1) for entry in BY_HAND[example.name].split(", "))
    assert {name: int(found.distances[node_called(network, name)]) for name in by_hand} == {
        name: int(distance) for name, distance in by_hand.items()
    }
    assert is_drawing(network)
    assert network.origin == example.opened_by
    assert network.notes == (example.source,)


def test_an_example_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(OptionError, match=r"no example 'example:none'; there are: example:paper-e, example:cormen"):
        open_network("example:none")


def test_a_trace_finds_the_example_it_was_recorded_on() -> None:
    network = EXAMPLES[0].build()
    recorded = RecordedNetwork("five nodes", network.content_key, EXAMPLES[0].opened_by, "", 5, 9, "weight")
    found = find_network("nowhere.wftrace", recorded, lambda path: pytest.fail(f"{path} was opened"))
    assert found.content_key == network.content_key
