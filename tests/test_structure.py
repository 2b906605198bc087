"""No module and no folder imports itself in a circle; imports in functions count, those for types only never run.

Files that ``make mutants`` changes, and tests that it runs, are there.
"""

from __future__ import annotations

from pathlib import Path

import grimp
import pytest

import mutants
import structure
from repository import REPOSITORY


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return structure.read_imports()


def test_every_module_of_both_packages_is_looked_at(imports: grimp.ImportGraph) -> None:
    modules = [*(REPOSITORY / "engine").rglob("*.py"), *(REPOSITORY / "gui").rglob("*.py")]
    assert len(imports.modules) == len(modules)


def test_no_module_imports_itself_in_a_circle(imports: grimp.ImportGraph) -> None:
    assert structure.describe_cycles(imports, None) == []


def test_no_folder_imports_itself_in_a_circle(imports: grimp.ImportGraph) -> None:
    found = {package: structure.describe_cycles(imports, package) for package in structure.packages(imports)}
    assert {package: lines for package, lines in found.items() if lines} == {}


@pytest.fixture
def circular_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> grimp.ImportGraph:
    """Two folders that import each other in functions; one imports a third for types only, which imports it."""
    for folder, text in {
        "low": "def late():\n    import circular.high.module\n",
        "high": (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import circular.types.module\n"
            "def late():\n    import circular.low.module\n"
        ),
        "types": "import circular.high.module\n",
    }.items():
        module = tmp_path / "circular" / folder / "module.py"
        module.parent.mkdir(parents=True)
        (module.parent / "__init__.py").touch()
        module.write_text(text, encoding="utf-8")
    (tmp_path / "circular" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return structure.read_imports(["circular"])


@pytest.mark.parametrize("package", [None, "circular"], ids=["modules", "folders"])
def test_lazy_imports_are_seen_and_those_for_types_are_not(
    circular_package: grimp.ImportGraph, package: str | None
) -> None:
    assert structure.describe_cycles(circular_package, package) == [
        "circular.high.module:5 imports circular.low.module",
        "circular.low.module:2 imports circular.high.module",
    ]
    assert structure.CIRCLE_COLOUR in structure.draw_graph(circular_package, ["circular"])


def test_files_that_are_mutated_and_the_tests_that_are_to_notice_it_are_there() -> None:
    engine = REPOSITORY / "engine" / "wayfront"
    for target in mutants.TARGETS:
        assert (engine / target.file).is_file(), target
        assert all((REPOSITORY / "tests" / "engine" / name).is_file() for name in target.tests), target
