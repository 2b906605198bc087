"""The names of ``import wayfront``, in whatever order modules are imported; every one has an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wayfront

CHECK = """
for _ in range(3):
    names = [declared.name for declared in wayfront.algorithms()]
    assert "dijkstra" in names, names
assert wayfront.search.__name__ == "search" and wayfront.search.__module__ == "wayfront.searching.call"
try:
    wayfront.search(wayfront.open_network("synthetic:ring?n=5"), 0, "no such", "cpu")
except wayfront.safe.errors.OptionError as refusal:
    assert "bellman-ford" in str(refusal), refusal
from wayfront import algorithms, search
assert callable(algorithms) and callable(search)
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import wayfront",
        "import wayfront; wayfront.algorithms()",
        "import wayfront.searching.call, wayfront.algorithms.dijkstra; import wayfront",
        "import wayfront; from wayfront.searching.registry import algorithms; algorithms(); import wayfront.results",
        "from wayfront.papers import PAPERS; import wayfront; wayfront.search; import wayfront.algorithms.near_far",
        "import wayfront.searching.execution as execution; assert execution.execute; import wayfront",
    ],
)
def test_functions_named_like_packages_stay_functions(imports: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", f"{imports}\n{CHECK}"], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr


def test_every_public_name_can_be_had_and_is_listed() -> None:
    import wayfront

    listed = "import wayfront; assert {*wayfront.__all__} <= {*dir(wayfront)}, dir(wayfront)"
    subprocess.run([sys.executable, "-c", listed], check=True)

    assert all(getattr(wayfront, name) is not None for name in wayfront.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wayfront.nothing


PUBLIC = {name: getattr(wayfront, name) for name in wayfront.__all__ if name != "__version__"}
ENGINE = Path(wayfront.__file__).parent
SHOWING = {
    ".".join(("wayfront", *path.relative_to(ENGINE).with_suffix("").parts))
    for path in ENGINE.rglob("*.py")
    if re.search(r"^ +>>> (import|from) ", path.read_text("utf-8"), re.MULTILINE)
}
"""Modules that have examples, also those of names that nobody imports."""
MODULES = sorted({subject.__module__ for subject in PUBLIC.values()} | SHOWING)
NEEDED = ("networkx", "geopandas", "scipy", "av")
"""What the examples import that not every machine has."""


def examples(subject: Any) -> str:
    """Return the code of all examples of a function, or of a class and its methods."""
    documented = [subject, *(member for _, member in inspect.getmembers(subject) if inspect.isroutine(member))]
    texts = [text for each in documented for text in [inspect.getdoc(each)] if text and ">>>" in text]
    return "\n".join(example.source for text in texts for example in doctest.DocTestParser().get_examples(text))


def methods(subject: type) -> Iterator[str]:
    """Yield the names of the public methods that a class has from us."""
    for name, member in inspect.getmembers(subject):
        function = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("wayfront"):
            yield name


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    subject = PUBLIC[name]
    assert ">>>" in (inspect.getdoc(subject) or ""), f"{name} has no example"
    shown = examples(subject)
    if inspect.isclass(subject):
        bases = [base for base in PUBLIC.values() if base in subject.__mro__[1:]]
        above = {method for base in bases for method in methods(base)}
        missing = [method for method in methods(subject) if f".{method}(" not in shown and method not in above]
        assert missing == [], f"no example of {name} calls these"
    else:
        assert f"wayfront.{name}(" in shown


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in NEEDED:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.attempted > 0
    assert ran.failed == 0
