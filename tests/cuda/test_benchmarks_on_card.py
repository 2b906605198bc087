"""The benchmark of trees on a card: every stage runs there, is checked, and reaches a share of what the card can do."""

from __future__ import annotations

from threading import Event

import pytest

from wayfront.benchmarks.tree_times import Stage
from wayfront.benchmarks.trees import Request, benchmark_trees
from wayfront.devices import devices
from wayfront.synthetic import from_name

CARD = devices()[1]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARD.available, reason=CARD.why_not or "no card")]


def test_every_stage_is_timed_and_right() -> None:
    network = from_name("synthetic:grid?columns=50&rows=60")
    found = benchmark_trees(network, Request(("cuda",), sources=4, batch=32, seconds=5.0), Event())
    on_card = {one.stage: one for one in found.times if one.program == "nested dissection" and one.device == "cuda:0"}
    assert set(on_card) == set(Stage) - {Stage.CUT}
    assert all(on_card[stage].median_ms > 0 for stage in (Stage.CUSTOMISE, Stage.TREE, Stage.IN_A_ROW, Stage.BATCH))
    assert any(one.program == "near-far-resident" for one in found.times)
