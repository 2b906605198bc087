"""Ranges on a profiler's time line."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from wayfront import open_network, search
from wayfront.safe.errors import OptionError
from wayfront.timing import ranges


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is pushed and popped, in order, in place of the package."""
    calls: list[str] = []
    package: Any = ModuleType("nvtx")
    package.push_range = lambda name, domain: calls.append(name)
    package.pop_range = lambda domain: calls.append("end")
    monkeypatch.setitem(sys.modules, "nvtx", package)
    monkeypatch.setattr(ranges, "_nvtx", None)
    return calls


def test_runs_and_steps_are_marked_once_that_is_asked_for(noted: list[str]) -> None:
    grid = open_network("synthetic:ring?nodes=9")
    plain = search(grid, 0, "dijkstra", "cpu", runs=1)
    assert noted == [] and not ranges.are_marked()
    ranges.mark_ranges()
    result = search(grid, 0, "dijkstra", "cpu", runs=1, trace=True)
    assert (result.distances == plain.distances).all()
    assert noted[0] == "dijkstra: tracing" and "dijkstra: timing" in noted and "step 0" in noted
    assert noted.count("end") * 2 == len(noted), "each range ends"


def test_without_the_package_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_nvtx", None)
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with pytest.raises(OptionError, match="need the package nvtx: pip install"):
        ranges.mark_ranges()
