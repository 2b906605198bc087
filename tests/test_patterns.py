"""No regular expression of the program takes more than linear time, whatever text a stranger wrote.

``re`` keeps Python's lock while it matches, so one that backtracks stops the whole program, Ctrl-C included.
"""

from __future__ import annotations

import ast
import functools
import importlib
import operator
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from pattern_growth import METHODS, Pattern, growing
from repository import REPOSITORY
from wayfront.formats import registry
from wayfront.network import id_tables, positions
from wayfront_gui.ui import translation

ROOTS = (REPOSITORY / "engine", REPOSITORY / "gui")
FUNCTIONS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer", "compile")
BUILT: dict[tuple[str, str], tuple[str, ...]] = {
    ("wayfront.safe.schema", "field.pattern"): (),  # each is found where it is declared: HeaderField(pattern=…)
    ("wayfront.network.id_tables", "','.join([_ID] * count)"): tuple(id_tables._row_of(n).pattern for n in (1, 2, 3)),
    ("wayfront.network.positions", "form"): positions._IN_LINKS,
    ("wayfront.network.names", "re.escape(text)"): (re.escape("a.b (c) *"),),  # letters as they stand
    ("wayfront.synthetic.generators", r"f'{generator.name}\\W'"): (r"grid\W",),
    ("wayfront.formats.registry", "pattern"): tuple(
        pattern.decode("latin-1") for pattern, _ in (*registry._BINARY, *registry._TEXT)
    ),
    ("wayfront_gui.ui.translation", "pattern"): (
        translation._pattern("{a} of {b}: {c}, and {a} with {d} more").pattern,
        translation._pattern("there is no {a} called {b} in {c}").pattern,
        translation._pattern("{a}{b} at {c}.").pattern,
    ),
}
"""Patterns that are put together where they are used, by module and expression, and what they can be."""


def calls(tree: ast.AST, owner: str) -> Iterator[ast.Call]:
    """Yield the calls of attributes of a name, ``re.match(…)`` of ``re``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = node.func.value
            if isinstance(value, ast.Name) and value.id == owner:
                yield node


@functools.cache
def sources() -> dict[str, ast.Module]:
    """Return the syntax trees of all modules that use ``re`` or declare a pattern, by the modules' names."""
    found = {}
    for root in ROOTS:
        for path in sorted(root.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "re." in text or "pattern=" in text:
                parts = path.relative_to(root).with_suffix("").parts
                found[".".join(parts).removesuffix(".__init__")] = ast.parse(text)
    return found


def patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Yield the compiled patterns in a value: itself, or inside tuples, lists and tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (tuple, list, dict)):
        for inner in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from patterns_in(inner, depth - 1)


IN_TURN = {"_KNOWN": ("search",), "_FILE_NAMES": ("fullmatch",), "_BINARY": ("match",), "_TEXT": ("match",)}
"""Patterns in tables that a loop goes through, and the method it calls."""


def methods_of(name: str, module: str) -> tuple[str, ...]:
    """Return with which methods a module or its importers use a compiled pattern, all methods where none is seen."""
    if name in IN_TURN:
        return IN_TURN[name]
    used = {method for user in (module, *importers()[module, name]) for method in called(user)[name]}
    return tuple(sorted(used & {*METHODS})) or METHODS


@functools.cache
def importers() -> dict[tuple[str, str], list[str]]:
    """Return by whom a name of a module is imported."""
    found = defaultdict(list)
    for importer, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for each in node.names:
                    found[node.module, each.name].append(importer)
    return found


@functools.cache
def called(module: str) -> dict[str, set[str]]:
    """Return the attributes that a module uses of each name."""
    found = defaultdict(set)
    for node in ast.walk(sources()[module]):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found[node.value.id].add(node.attr)
    return found


def found_in(name: str, tree: ast.Module) -> Iterator[Pattern]:
    """Yield the patterns of a module: those it has compiled, and those it gives to ``re`` and to header fields."""
    own = [(call, call.func.attr) for call in calls(tree, "re") if call.func.attr in FUNCTIONS]  # type: ignore[attr-defined]
    fields = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "HeaderField"
        for keyword in node.keywords
        if keyword.arg == "pattern"
    ]
    if not own and not fields:
        return
    inside = {node for part in ast.walk(tree) if isinstance(part, ast.FunctionDef) for node in ast.walk(part)}
    module = importlib.import_module(name)
    compiled = {
        (pattern.pattern, pattern.flags & ~re.UNICODE): variable
        for variable, value in vars(module).items()
        for pattern in patterns_in(value)
    }
    for (text, flags), variable in compiled.items():
        yield f"{name}.{variable} {text[:50]!r}", text, flags, methods_of(variable, name)
    for field in fields:
        text = evaluated(field, module)
        yield f"{name} {text[:50]!r}", text, 0, ("fullmatch",)
    for call, method in own:
        key = name, ast.unparse(call.args[0])
        try:
            text = evaluated(call.args[0], module)
        except NameError:
            if method == "compile" and call not in inside:
                continue  # in a comprehension of the module: it is among the compiled ones
            assert key in BUILT, f"{key}: say in BUILT what this pattern can be"
            for text in BUILT[key]:
                yield f"{name} {text[:50]!r}", text, 0, ("fullmatch",) if method == "compile" else (method,)
            continue
        if method != "compile":
            yield f"{name} {text[:50]!r}", text, flags_of(call), (method,)
        elif not any(text == known for known, _ in compiled):
            yield f"{name} {text[:50]!r}", text, flags_of(call), METHODS


def evaluated(expression: ast.expr, module: ModuleType) -> Any:
    """Return the value of an expression in its module. Raises ``NameError`` for one with local names."""
    return eval(compile(ast.Expression(expression), "pattern", "eval"), vars(module))


def flags_of(call: ast.Call) -> int:
    """Return the flags that a call of ``re`` names."""
    names = {
        node.attr
        for argument in (*call.args[1:], *(k.value for k in call.keywords))
        for node in ast.walk(argument)
        if isinstance(node, ast.Attribute)
    }
    named = (getattr(re, name, 0) for name in names)  # a method of re in an argument is no flag
    return functools.reduce(operator.or_, (int(flag) for flag in named if isinstance(flag, re.RegexFlag)), 0)


@pytest.fixture(autouse=True)
def worker_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    support = str(REPOSITORY / "tests" / "support")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [support, os.environ.get("PYTHONPATH", "")])))


def test_no_pattern_takes_more_than_linear_time() -> None:
    patterns = [pattern for name, tree in sources().items() for pattern in found_in(name, tree)]
    assert len(patterns) > 60, "the search for patterns finds them"
    assert growing(patterns) == []


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (rb"\s*(<!--.*?-->\s*)*<osm[\s>]", "match"),
        (r"(a+)+b", "fullmatch"),
        (r"\s+$", "search"),
        (r"<[^>]*>", "sub"),
    ],
)
def test_what_backtracks_is_seen(pattern: str | bytes, method: str) -> None:
    (problem,) = growing([("bad", pattern, int(re.DOTALL), (method,))], longest_s=1.0)
    assert problem.startswith("bad ")


def test_every_pattern_that_is_built_is_still_there() -> None:
    built = {
        (name, ast.unparse(call.args[0])) for name, tree in sources().items() for call in calls(tree, "re") if call.args
    }
    assert {*BUILT} <= built
