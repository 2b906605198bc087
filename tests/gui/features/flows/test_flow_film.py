"""The film of what streets carry within farther and farther distances: what is found, and what is drawn when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import wayfront
from wayfront.safe.errors import OptionError
from wayfront_gui.features.export.replay_film import Shot
from wayfront_gui.features.flows import film
from wayfront_gui.features.flows.film import FlowsFilm, find_stages
from wayfront_gui.features.flows.layer import FlowMarks, flow_colours
from wayfront_gui.features.flows.state import FlowsFound
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import AS_ROADS, Scene

pytestmark = pytest.mark.usefixtures("qapp")
TOWN = "synthetic:grid?columns=14&rows=9&seed=3"
NONE_CLOSED = np.zeros(0, np.int64)
SHOT = Shot(320, 200, 1.0, fps=10, seconds=4.0, captions=False)


@pytest.fixture(scope="module")
def stages() -> list[FlowsFound]:
    return find_stages(wayfront.open_network(TOWN), "weight", NONE_CLOSED, "one")


def scene_of(found: FlowsFound) -> Scene:
    scene = Scene.of(found.network)
    scene.wanted = AS_ROADS
    scene.put(FlowMarks(flow_colours(found)))
    return scene


def test_stages_are_the_flows_within_rising_distances_and_everywhere(
    stages: list[FlowsFound], monkeypatch: pytest.MonkeyPatch
) -> None:
    network = stages[-1].network
    radii = [each.asked.radius for each in stages]
    assert len(radii) > 3 and radii[-1] is None and radii[:-1] == sorted(each for each in radii if each is not None)
    trips = [float(each.flows.trips) for each in stages]
    assert trips == sorted(set(trips)) and trips[0] >= film.FEWEST * network.node_count
    assert trips[-1] == network.node_count * (network.node_count - 1)
    within = wayfront.flows(network, metric="weight", radius=stages[1].flows.radius, device="cpu")
    assert stages[1].flows.arc_flow.tolist() == within.arc_flow.tolist()
    monkeypatch.setattr(film, "MOST_PAIRS", 3000)
    fewer = find_stages(network, "weight", NONE_CLOSED, "one", everywhere=stages[-1])
    assert fewer[-1] is stages[-1] and len(fewer) < len(stages)


def test_a_film_begins_with_the_shortest_trips_and_ends_with_all(stages: list[FlowsFound]) -> None:
    taken = FlowsFilm.of(scene_of(stages[-1]), stages, replace(SHOT, loops=True))
    cut = taken.cut
    assert taken.draw(0) == render(scene_of(stages[0]), 320, 200)
    assert taken.draw(cut.replay + cut.fade - 1) == render(scene_of(stages[-1]), 320, 200)
    assert taken.draw(taken.frame_count - cut.back - 1) == taken.draw(cut.replay + cut.fade - 1), "it rests"
    assert taken.draw(taken.frame_count - 1) not in (taken.draw(0), taken.draw(cut.replay + cut.fade - 1))
    moments = [taken.stage_at(share) for share in np.linspace(0, 1, 40)]
    assert moments == sorted(moments) and moments[0] == (0, 0.0) and moments[-1] == (len(stages) - 1, 0.0)
    still = FlowsFilm.of(scene_of(stages[-1]), stages, replace(SHOT, fades=False))
    shown = {still.stage_at(share) for share in np.linspace(0, 1, 40)}
    assert shown == {(stage, 0.0) for stage in range(len(stages))}
    with pytest.raises(OptionError, match="some distance"):
        FlowsFilm.of(scene_of(stages[-1]), [], SHOT)


def test_captions_name_the_distance(stages: list[FlowsFound]) -> None:
    told = [film._caption(each, "Town") for each in stages]
    assert [caption.figures[0].text for caption in told[:2]] == [
        each.title.removeprefix("trips within ") for each in stages[:2]
    ]
    assert told[-1].figures[0].text == "any distance" and told[-1].title == "Town"
    plain = FlowsFilm.of(scene_of(stages[-1]), stages, SHOT)
    titled = FlowsFilm.of(scene_of(stages[-1]), stages, replace(SHOT, captions=True), "Town")
    assert plain.draw(3) != titled.draw(3)
