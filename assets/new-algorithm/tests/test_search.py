"""What has to hold after every change: the distances of a reference, the certificate, the same on a simulated card."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import new_algorithm.search  # noqa: F401 - declares the search
import wayfront
from wayfront.searching.registry import find_algorithm

NAME = "new-algorithm"
SOURCES = Path(__file__).resolve().parents[1] / "src"
NETWORKS = ("example:paper-e", "synthetic:grid?columns=9&rows=7", "synthetic:random?nodes=60&degree=3&seed=5")


@pytest.mark.parametrize("network", NETWORKS)
def test_distances_are_those_of_dijkstra_and_the_certificate_holds(network: str) -> None:
    opened = wayfront.open_network(network)
    for source in (0, opened.node_count - 1):
        found = wayfront.search(opened, source, NAME, "cpu", verify=True)  # raises where it is wrong
        reference = wayfront.search(opened, source, "dijkstra", "cpu")
        assert found.distances.tolist() == reference.distances.tolist()
        assert found.parents.tolist() == reference.parents.tolist()


def test_every_option_keeps_it_right() -> None:
    network = wayfront.open_network(NETWORKS[1])
    expected = wayfront.search(network, 0, "dijkstra", "cpu").distances.tolist()
    for options in ({"look_every": 3}, {"look_every": 100}):
        found = wayfront.search(network, 0, NAME, "cpu", options=options, verify=True)
        assert found.distances.tolist() == expected


ON_A_CARD = """
import new_algorithm.search
import wayfront

network = wayfront.open_network("example:paper-e")
found = wayfront.search(network, 0, "new-algorithm", "simulator", trace=True, verify=True)
print(found.distances.tolist(), len(found.trace))
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="the simulator of cards needs numba-cuda, which macOS lacks")
def test_a_simulated_card_finds_the_same() -> None:
    folders = os.pathsep.join([str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": folders}
    command = [sys.executable, "-c", ON_A_CARD]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = wayfront.search(wayfront.open_network("example:paper-e"), 0, NAME, "cpu", trace=True)
    assert found.trace is not None
    assert done.stdout == f"{found.distances.tolist()} {len(found.trace)}\n"


def test_every_step_lights_a_line_of_the_pseudo_code() -> None:
    explanations = pytest.importorskip("wayfront_gui.features.explanation.texts")
    told = explanations.explain(NAME)
    for phase in find_algorithm(NAME).phases:
        assert told.line_at_work(phase, "") in told.lines_of(phase, "")
