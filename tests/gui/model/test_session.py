"""The session is driven without a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from wayfront.errors import NetworkError, OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, Option
from wayfront.search.registry import Algorithm
from wayfront.search.result import Result
from wayfront_gui.model import session as session_module
from wayfront_gui.model.notice import Notice
from wayfront_gui.model.session import Live, Session


@pytest.fixture
def session(grid: RoadNetwork) -> Session:
    session = Session()
    session.open(grid)
    return session


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two declared algorithms, so that this does not depend on which there are."""
    width = Option("width", int, AUTO, "Width.", bounds=(1, 100), unit="m", automatic=True)
    declared = {
        "one": Algorithm("one", "One", "A paper", "family", ("cpu",), "An idea.", (width,), lambda _: iter(())),
        "two": Algorithm("two", "Two", "A paper", "family", ("cpu",), "An idea.", (), lambda _: iter(())),
    }

    def find(name: str) -> Algorithm:
        if name not in declared:
            raise OptionError(f"there is no algorithm {name!r}")
        return declared[name]

    monkeypatch.setattr(session_module, "find_algorithm", find)


def copy_of(network: RoadNetwork) -> RoadNetwork:
    """Return another network that happens to have equal arrays."""
    return RoadNetwork.from_arrays(
        name="Copy", offsets=network.offsets, targets=network.targets.copy(), metrics=network.metrics
    )


def count(notice: Notice) -> list[int]:
    calls: list[int] = []
    notice.connect(lambda: calls.append(1))
    return calls


def offers(session: Session) -> tuple[bool, bool]:
    """Return whether a tree and a route are offered."""
    return session.tree_offered, session.route() is not None


def test_a_running_search_is_shown_in_place_of_the_result(session: Session, grid: RoadNetwork, result: Result) -> None:
    trace, by_time = result.trace, grid.metric("travel time")
    assert trace is not None
    session.show(result)
    session.choose_target(5)
    assert offers(session) == (True, True)
    changes, routes = count(session.live_changed), count(session.target_changed)
    session.show_live(Live(trace, by_time))
    session.show_live(Live(trace, by_time))
    assert (len(changes), len(routes)) == (2, 1), "the route of the result before it goes once"
    assert offers(session) == (False, False)
    assert session.shown_metric is by_time
    first = int(trace.first_reached[5]) + 1
    assert session.describe_node(5) == f"Node 105  ·  reached in step {first}"
    assert session.describe_node(108) == "Node 208  ·  not reached yet"
    session.show(result)
    assert session.live is None and offers(session) == (True, True)
    assert session.shown_metric is result.metric


def test_a_node_improved_again_in_a_running_search_is_told_so(session: Session, result: Result) -> None:
    assert result.trace is not None and session.metric is not None
    later = replace(result.trace, last_improved=result.trace.first_reached + 3)
    session.show_live(Live(later, session.metric))
    first = int(result.trace.first_reached[5]) + 1
    assert session.describe_node(5).endswith(f"reached in step {first}, improved until {first + 3} so far")


def test_figures_keep_the_metric_of_their_search(session: Session, result: Result) -> None:
    session.show(result)
    session.choose_metric("travel time")
    assert session.metric is not None and session.metric.name == "travel time"
    assert session.shown_metric is result.metric


def test_opening_another_network_forgets_source_and_result(session: Session, grid: RoadNetwork, result: Result) -> None:
    session.place_source(3)
    session.choose_target(5)
    session.show(result)
    session.open(grid.with_coordinates(np.array(grid.coordinates) + 5))
    assert session.source == 3 and session.result is result, "the same arcs on another map keep what was found"
    session.open(copy_of(grid))
    found: list[object] = [session.source, session.target, session.result]
    assert found == [None, None, None]


def test_central_node_is_inside_and_has_arcs(session: Session, grid: RoadNetwork) -> None:
    node = session.central_node()
    assert node is not None
    assert grid.coordinates is not None
    middle = np.median(grid.coordinates, axis=0)
    assert (np.abs(grid.coordinates[node] - middle) <= 1000).all()
    assert grid.out_degrees()[node] >= 2


def test_metric_is_kept_where_the_next_network_has_it(session: Session, grid: RoadNetwork) -> None:
    session.choose_metric("travel time")
    session.open(grid)
    assert session.metric is not None and session.metric.name == "travel time"
    with pytest.raises(NetworkError, match="no metric 'beauty'"):
        session.choose_metric("beauty")


@pytest.mark.usefixtures("known")
def test_each_algorithm_remembers_its_options(session: Session) -> None:
    told = count(session.choice_changed)
    session.choose_algorithm("one")
    session.set_option("width", 20)
    session.set_option("width", 20)
    session.choose_algorithm("two")
    assert session.options() == {}
    session.choose_algorithm("one")
    assert session.options() == {"width": 20}
    assert len(told) == 4, "what does not change is not told"
    with pytest.raises(OptionError, match="between 1 and 100"):
        session.set_option("width", 1000)
    with pytest.raises(OptionError, match="no algorithm 'three'"):
        session.choose_algorithm("three")
    assert session.algorithm == "one"


def test_a_request_holds_what_is_chosen(session: Session, grid: RoadNetwork) -> None:
    assert session.request(runs=0, trace_budget=None) is None, "there is no source yet"
    session.place_source_id(117)
    session.choose_metric("travel time")
    session.choose_device("cpu")
    job = session.request(runs=3, trace_budget=1000, live=True)
    assert job is not None
    assert (job.network, job.source, job.metric, job.device) == (grid, grid.node(117), "travel time", "cpu")
    assert (job.algorithm, job.runs, job.trace_budget, job.live) == (AUTO, 3, 1000, True)
    with pytest.raises(NetworkError, match="no node 7"):
        session.place_source_id(7)


def test_route_in_words(session: Session, grid: RoadNetwork, result: Result) -> None:
    assert session.route() is None
    session.place_source(result.source)
    session.show(result)
    session.choose_target_id(131)
    route = session.route()
    assert route is not None
    assert route.nodes.tolist() == [grid.node(130), grid.node(131)]
    assert route.text == f"Route to node 131: {result.distances[grid.node(131)]} m over 1 arc"
    session.choose_target(grid.node_count - 1)
    lost = session.route()
    assert lost is not None and len(lost.nodes) == 0
    assert lost.text == "No way leads from node 130 to node 208"


def test_a_new_result_moves_the_route(session: Session, result: Result) -> None:
    session.show(result)
    session.choose_target(4)
    told = count(session.target_changed)
    session.show(result)
    assert told == [1]


def test_describe_node(session: Session, grid: RoadNetwork, result: Result) -> None:
    assert session.describe_node(-1) == ""
    assert session.describe_node(0) == "Node 100"
    session.show(result)
    assert session.describe_node(grid.node(130)) == "Node 130  ·  0 m  ·  reached in step 1"
    assert session.describe_node(grid.node_count - 1) == "Node 208  ·  not reached"


def test_timings_compare_only_with_the_same_network_metric_and_source(session: Session, result: Result) -> None:
    session.place_source(result.source)
    session.add_timing(result)
    (timing,) = session.timings
    assert timing["time_ms"] == {"median": 1.5, "min": 1.0, "max": 2.0, "runs": 2}
    assert session.comparable(timing)
    session.choose_metric("travel time")
    assert not session.comparable(timing)
    session.choose_metric("length")
    session.place_source(0)
    assert not session.comparable(timing)
    session.remove_timing(0)
    assert session.timings == []
