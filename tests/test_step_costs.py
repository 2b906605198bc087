"""The cost of a step: host times add up, recorded launches count as one, and nothing of the search changes."""

from __future__ import annotations

import numpy as np
import pytest

import wayfront
from step_costs import Meter, measure_steps
from wayfront.devices import open_device
from wayfront.kernels.observing import fill
from wayfront.results.result import SearchKind
from wayfront.safe.errors import OptionError
from wayfront.searching.registry import algorithms
from wayfront.synthetic import from_name

NETWORK = from_name("synthetic:grid?columns=20&rows=15&seed=2")


@pytest.mark.parametrize("name", [a.name for a in algorithms(SearchKind.ONE_TREE) if a.stepped])
def test_every_stepped_search_can_be_metered(name: str) -> None:
    costs = measure_steps(NETWORK, 0, name, "cpu", options={})
    trace = wayfront.search(NETWORK, 0, name, "cpu", runs=0, trace=True).trace
    assert trace is not None
    assert costs.algorithm == name
    if name != "adaptive":
        assert costs.steps == len(trace)
    assert costs.wall_us == pytest.approx(costs.launch_us + costs.read_us + costs.python_us)
    assert min(costs.launch_us, costs.read_us, costs.python_us, costs.device_us) > 0
    assert costs.launches > 0
    assert costs.reads > 0


def test_a_recorded_step_counts_as_one_launch() -> None:
    meter = Meter(open_device("cpu"))
    array = meter.empty(4, np.int32)
    launch = meter.prepare(fill)
    step = meter.record(lambda: [launch(4, array, value) for value in (1, 2, 3)])  # type: ignore[arg-type]
    assert meter.launches == 0
    step()
    assert (meter.launches, array.tolist()) == (1, [3] * 4)
    launch(1, array, 9)
    assert (meter.launches, meter.get(array).tolist(), meter.reads) == (2, [9, 3, 3, 3], 1)
    assert meter.device_ns() == 0, "nothing was marked"


def test_an_unknown_search_is_refused() -> None:
    with pytest.raises(OptionError, match="there is no algorithm"):
        measure_steps(NETWORK, 0, "a-moon", "cpu")
    with pytest.raises(OptionError, match="a-star finds a route"):
        measure_steps(NETWORK, 0, "a-star", "cpu")
