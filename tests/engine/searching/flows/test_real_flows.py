"""Flows of New York: local ones of all nodes, proved, and equal to those of trees for some."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wayfront
from wayfront.searching.flows import call

pytestmark = pytest.mark.real_data


def test_local_flows_of_new_york_are_those_of_trees(
    new_york_files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    network = wayfront.open_network(new_york_files["length"])
    found = wayfront.flows(network, radius=2000, device="cpu", verify=True)
    assert found.trips == 104_263_396
    some = np.arange(0, network.node_count, 1321)
    few = wayfront.flows(network, radius=2000, sources=some, ties="all", figures=True, device="cpu", verify=True)
    monkeypatch.setattr(call, "suits", lambda arcs, asked: False)
    trees = wayfront.flows(network, radius=2000, sources=some, ties="all", figures=True, device="cpu", verify=True)
    assert np.allclose(few.arc_flow, trees.arc_flow, rtol=1e-11)
    assert found.starts[some].tolist() == trees.starts.round(6)[some].tolist()
    assert few.figures["reach"].tolist() == trees.figures["reach"].tolist()
