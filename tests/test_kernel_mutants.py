"""The table of changed kernels fits the sources: a change that cannot be made says nothing about the tests."""

from __future__ import annotations

import ast

import kernel_mutants
from repository import REPOSITORY
from wayfront.searching.registry import algorithms

SIMULATOR = REPOSITORY / "tests" / "engine" / "searching" / "test_simulator.py"


def test_every_change_can_be_made() -> None:
    changes = list(kernel_mutants.mutants())
    assert len({(change.file, change.old, change.new) for change in changes}) == len(changes) > 100
    for change in changes:
        path = REPOSITORY / kernel_mutants.PACKAGE / change.file
        assert path.is_file(), change.file
        text = path.read_text(encoding="utf-8")
        assert text.count(change.old) == 1, change.title
        changed = change.change(text)
        assert changed.count("\n") == text.count("\n"), change.title
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)), change.title


def test_every_change_names_tests_that_there_are() -> None:
    names = " ".join(each.name for each in algorithms()) + SIMULATOR.read_text(encoding="utf-8")
    for change in kernel_mutants.mutants():
        assert change.cases or change.tests, change.title
        assert [word for word in change.cases if word not in names] == [], change.title
        assert [name for name in change.tests if not (REPOSITORY / name).is_file()] == [], change.title
