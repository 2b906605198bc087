"""Made networks are estimated before they are made: truly, for every kind, and refused where memory is too short."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from wayfront import memory
from wayfront.errors import MemoryShortError, NetworkError, OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import estimate_memory, open_network
from wayfront.synthetic import from_name, generators, grid, names

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
