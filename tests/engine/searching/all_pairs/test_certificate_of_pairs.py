"""Wrong rows and figures are found, each way that they can be wrong; a recorded search comes back checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from search_checks import make_network, plain_distances, random_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.results.pairs import PairsResult, PairsSummary
from wayfront.safe.errors import CertificateError, NetworkError, TraceError
from wayfront.searching.all_pairs.proof import Prover
from wayfront.searching.certificate import certify
from wayfront.searching.result_file import PAIRS_FIELDS
from wayfront.trace.schema import TRACE_FIELDS

ROWS = [(0, 1, 0), (1, 2, 0), (2, 1, 0), (2, 3, 4), (0, 3, 5), (5, 5, 1), (4, 5, 0), (5, 4, 0)]
"""0 → 1 ⇄ 2 by weights of 0, 3 behind them; 4 ⇄ 5 apart."""


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0, 0, 0, 4, -1, -1], ""),
        ([0, 0, 0, 5, -1, -1], "an arc from node 3 gives a shorter path"),
        ([0, 0, 0, 3, -1, -1], "no path has the distance of node 4"),
        ([1, 1, 1, 5, -1, -1], "the source has another distance than 0"),
        ([0, 0, 0, 4, 7, 7], "no path has the distance of node 5"),
        ([0, 0, 0, -1, -1, -1], "an arc from node 1 gives a shorter path"),
        ([0, 0, 0, 4, -1, -2], "the distance of node 6 is negative"),
        ([0, -1, -1, 5, -1, -1], "an arc from node 1 gives a shorter path"),
    ],
)
def test_a_row_is_proved_alone(row: list[int], message: str) -> None:
    network = make_network(6, ROWS)
    prover = Prover(network, network.metrics[0], np.array([0, 1], np.int32))
    rows = np.array([row], np.int64)
    if not message:
        prover.take(np.array([0]), rows)
        assert (int(prover.proved.sum()), prover.compared) == (1, 1)
        return
    with pytest.raises(CertificateError, match=f"^the row of node 1 is wrong: {message}"):
        prover.take(np.array([0]), rows)


def test_a_cycle_of_weight_0_that_nothing_enters_is_no_proof() -> None:
    network = make_network(3, [(1, 2, 0), (2, 1, 0), (0, 1, 9)])
    prover = Prover(network, network.metrics[0], np.array([0], np.int32))
    prover.take(np.array([0]), np.array([[0, 9, 9]]))
    with pytest.raises(CertificateError, match="no path has the distance of node 2"):
        prover.take(np.array([0]), np.array([[0, 5, 5]]))


@pytest.mark.parametrize("wrong", [-1, 0, 1, 3, 4, 6])
def test_an_arc_of_weight_0_leads_only_to_where_it_begins(wrong: int) -> None:
    network = make_network(3, [(0, 1, 5), (1, 2, 0)])
    Prover(network, network.metrics[0], np.array([0], np.int32)).take(np.array([0]), np.array([[0, 5, 5]]))
    with pytest.raises(CertificateError):
        prove_alone(network, 0, [0, 5, wrong])


def prove_alone(network: RoadNetwork, source: int, row: list[int]) -> None:
    """Prove a row by its arcs alone, without the comparison with another search."""
    prover = Prover(network, network.metrics[0], np.array([source], np.int32))
    prover._compare.clear()
    prover.take(np.array([0]), np.array([row], np.int64))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_row_with_a_wrong_value_is_proved(data: st.DataObject) -> None:
    """Most arcs weigh nothing: of a correct row every single value is changed in every way that is near another one."""
    n = data.draw(st.integers(1, 7))
    node = st.integers(0, n - 1)
    weight = st.sampled_from([0, 0, 0, 1, 2, 5])
    network = make_network(n, data.draw(st.lists(st.tuples(node, node, weight), max_size=24)))
    source = data.draw(node)
    row = [-1 if d is None else d for d in plain_distances(network, source)]
    prove_alone(network, source, row)
    others = {-2, -1, *row, *(d + by for d in row for by in (-1, 1, 2))}
    for place in range(n):
        for value in others - {row[place]}:
            with pytest.raises(CertificateError):
                prove_alone(network, source, [*row[:place], value, *row[place + 1 :]])
    several = data.draw(st.lists(st.sampled_from(sorted(others)), min_size=n, max_size=n))
    if several != row:
        with pytest.raises(CertificateError):
            prove_alone(network, source, several)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_tree_with_a_wrong_value_is_proved(data: st.DataObject) -> None:
    """The same of the distances of one tree, whatever its parents are; unreached is the largest number there."""
    n = data.draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    network = make_network(n, data.draw(st.lists(st.tuples(node, node, st.sampled_from([0, 0, 0, 1, 4])), max_size=18)))
    tree = wayfront.search(network, data.draw(node), "dijkstra", "cpu", runs=0)
    certify(tree)
    place = data.draw(node)
    parents = np.array(data.draw(st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)), np.int32)
    for value in {-1, 0, 1, 4, tree.unreached, *(tree.distances + 1).tolist()} - {int(tree.distances[place])}:
        if abs(value) <= tree.unreached:
            distances = tree.distances.copy()
            distances[place] = value
            for some in (tree.parents, parents):
                with pytest.raises(CertificateError):
                    certify(replace(tree, distances=distances, parents=some))


def test_rows_are_compared_with_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    network = make_network(3, [(0, 1, 2), (1, 2, 2)])
    prover = Prover(network, network.metrics[0], np.array([0], np.int32))
    monkeypatch.setattr(prover, "_prove", lambda *_: None)
    with pytest.raises(CertificateError, match="the row of node 1 is wrong: node 3 is at 4, not at 5"):
        prover.take(np.array([0]), np.array([[0, 2, 5]]))


@pytest.fixture
def result() -> PairsResult:
    return wayfront.all_pairs(
        random_arcs(12, 30, 9, 3), "relax-update-in-turn", "cpu", keep="matrix", runs=1, trace=True
    )


def with_figures(result: PairsResult, **changes: Callable[[Any], Any]) -> PairsResult:
    values = {field.name: getattr(result.figures, field.name).copy() for field in fields(PairsSummary)}
    values |= {name: change(values[name]) for name, change in changes.items()}
    return replace(result, figures=PairsSummary(**values))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("name", ["eccentricity", "farthest", "total", "reached", "done"])
def test_the_certificate_compares_every_figure(result: PairsResult, name: str, rows: bool) -> None:
    whole = result if rows else replace(result, matrix=None)
    certify(whole)

    def wrong(array: Any) -> Any:
        array[11] = not array[11] if array.dtype == bool else (array[11] + 1) % 12
        return array

    with pytest.raises(CertificateError, match="not every source" if name == "done" else "are not those of its row"):
        certify(with_figures(whole, **{name: wrong}))


def test_the_certificate_proves_every_row_that_was_kept(result: PairsResult) -> None:
    matrix = result.matrix.copy()
    matrix[7, 7] = 1
    with pytest.raises(CertificateError, match="the source has another distance"):
        certify(replace(result, matrix=matrix))


@pytest.mark.parametrize("part", [np.s_[:11], np.s_[:, :11]])
def test_a_matrix_of_another_shape_is_refused(result: PairsResult, part: Any) -> None:
    with pytest.raises(CertificateError, match="its matrix is not of its sources and nodes"):
        certify(replace(result, matrix=result.matrix[part]))


def test_a_row_is_found_by_its_source(result: PairsResult) -> None:
    assert result.row(5).tolist() == result.matrix[5].tolist()
    with pytest.raises(NetworkError, match="no internal node 12"):
        result.row(12)
    with pytest.raises(NetworkError, match="search again with keep='matrix'"):
        replace(result, matrix=None).row(5)


def test_a_recorded_search_comes_back(result: PairsResult, tmp_path: Path) -> None:
    path = tmp_path / "pairs.wftrace"
    wayfront.save_trace(result, path)
    back = wayfront.load_pairs_trace(path, result.network)
    assert back.compared == 4
    assert back.trace is not None
    assert result.trace is not None
    for field in TRACE_FIELDS:
        assert np.array_equal(getattr(back.trace, field.name), getattr(result.trace, field.name))
    assert {**back.summary(), "rows_compared": 0} == result.summary()
    with pytest.raises(TraceError, match=r"finds 'all pairs', wayfront\.load_pairs_trace reads it"):
        wayfront.load_trace(path, result.network)


def rewritten(path: Path, **changes: Callable[[Any], Any]) -> None:
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays |= {name: change(arrays[name]) for name, change in changes.items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("sources", lambda a: a[::-1], "are not those of its row"),
        ("sources", lambda a: a[:-1], "damaged"),
        ("sources", lambda a: np.where(a == 3, 4, a), "distinct"),
        ("total", lambda a: a + 1, "are not those of its row"),
        ("reached", lambda a: a * 0, "reached"),
        ("farthest", lambda a: a + 12, "farthest"),
        ("eccentricity", lambda a: a.astype(np.int32), "eccentricity"),
        ("first_reached", lambda a: a * 0 - 1, "not those of its sources"),
        ("last_improved", lambda a: a * 0, "no sources"),
    ],
)
def test_nothing_in_a_recorded_search_is_believed(
    result: PairsResult, tmp_path: Path, name: str, change: Callable[[Any], Any], message: str
) -> None:
    path = tmp_path / "pairs.wftrace"
    wayfront.save_trace(result, path)
    assert {field.name for field in PAIRS_FIELDS} == {"sources", "eccentricity", "farthest", "total", "reached"}
    rewritten(path, **{name: change})
    with pytest.raises(TraceError, match=message):
        wayfront.load_pairs_trace(path, result.network)
