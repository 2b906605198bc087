"""``wayfront new``: the package that it makes works, and passes its own tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from calling import Command
from wayfront.devices.cuda_support import WHY_NOT
from wayfront.plugins import loading
from wayfront.search import registry


@pytest.fixture
def far_sight(tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package made by the command, which is not installed; what it declares is forgotten after the test."""
    monkeypatch.chdir(tmp_path)
    made = wayfront("new", "algorithm", "far-sight")
    assert made.code == 0, made.err
    assert made.out.splitlines() == ["cd far-sight", "pytest", "wayfront --plugin src/far_sight/search.py"]
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    monkeypatch.setattr(loading, "_named", {})
    return tmp_path / "far-sight"


def its_tests(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("tests_of_far_sight", folder / "tests" / "test_search.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_new_package_passes_its_own_tests(far_sight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(far_sight / "src")
    tests = its_tests(far_sight)
    try:
        for network in tests.NETWORKS:
            tests.test_distances_are_those_of_dijkstra_and_the_certificate_holds(network)
        tests.test_every_option_keeps_it_right()
        tests.test_every_step_lights_a_line_of_the_pseudo_code()
        if not WHY_NOT:
            tests.test_a_simulated_card_finds_the_same()
    finally:
        for name in ("far_sight", "far_sight.search"):
            sys.modules.pop(name, None)
    assert {name for name in vars(tests) if name.startswith("test_")} == {
        "test_distances_are_those_of_dijkstra_and_the_certificate_holds",
        "test_every_option_keeps_it_right",
        "test_every_step_lights_a_line_of_the_pseudo_code",
        "test_a_simulated_card_finds_the_same",
    }


def test_no_trace_of_the_template_is_left_in_a_new_package(far_sight: Path) -> None:
    files = [path for path in far_sight.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"search.py", "far-sight.toml", "test_search.py", "pyproject.toml"}
    for path in files:
        assert "new" not in str(path.relative_to(far_sight))
        assert not {"new-algorithm", "new_algorithm", "New algorithm"} & set(path.read_text("utf-8").split())
    assert list(far_sight.parent.iterdir()) == [far_sight], "nothing else is left behind"


def test_a_new_package_is_listed_and_explained_as_a_plugin(far_sight: Path, wayfront: Command) -> None:
    search = far_sight / "src" / "far_sight" / "search.py"
    record = wayfront("list", "--plugin", search, "--json").record
    assert record["plugins"] == [{"name": "search.py", "declares": ["algorithm far-sight"], "problem": ""}]
    (declared,) = (each for each in record["algorithms"] if each["name"] == "far-sight")
    assert [option["name"] for option in declared["options"]] == ["look_every"]
    explained = wayfront("explain", "far-sight", "--plugin", search)
    assert "Far sight" in explained.out
    assert "lower d[v] to d[u] + w(u,v)" in explained.out
    (search.parent / "far-sight.toml").unlink()
    missing = wayfront("explain", "far-sight", "--plugin", search)
    assert (missing.code, missing.out) == (1, "")
    assert "far-sight.toml: there is no such file; it would explain far-sight" in missing.err


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("far-sight", "there is such a folder already"),
        ("Far Sight", "small letters, figures and hyphens, not 'Far Sight'"),
        ("../up", "small letters, figures and hyphens"),
        ("a" * 61, "small letters, figures and hyphens"),
        ("json", "would be the module json, a name that Python or wayfront has"),
        ("dijkstra", "there is an algorithm 'dijkstra' already"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, problem: str, far_sight: Path, wayfront: Command) -> None:
    before = sorted(far_sight.parent.iterdir())
    refused = wayfront("new", "algorithm", name)
    assert (refused.code, refused.out) == (1, "")
    assert problem in refused.err
    assert sorted(far_sight.parent.iterdir()) == before
