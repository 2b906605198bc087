"""What README and docs show works: examples run, and commands, targets, links and files exist."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import wayfront
from documents import DOCS, DOCUMENTS, README, blocks, links, shown_commands
from repository import REPOSITORY
from wayfront import devices
from wayfront.formats.registry import own_formats, save
from wayfront.safe.errors import FormatError
from wayfront.searching import registry
from wayfront_gui.cli.command_line import app

MADE_AT_BUILD = {
    DOCS / "algorithms.md",
    DOCS / "development" / "contributing.md",
    *(path.with_suffix(".md") for path in (DOCS / "notebooks").glob("*.ipynb")),
}
"""Pages that ``make docs`` generates."""


ADDED_BY_WALK_THROUGHS = (
    "assets/explanations/smallest.toml",
    "assets/translations/CODE/window.po",
    "assets/translations/LANGUAGE/*.po",
    "engine/wayfront/algorithms/smallest.py",
    "engine/wayfront/devices/counted.py",
    "engine/wayfront/formats/arc_list.py",
    "gui/wayfront_gui/features/reached/feature.py",
    "gui/wayfront_gui/features/reached/panel.py",
)
"""Files that the pages of docs/development let a reader make."""


def wayfront_commands() -> list[list[str]]:
    """Return the words after ``wayfront`` of every shown call of it."""
    return [words[words.index("wayfront") + 1 :] for words in shown_commands() if "wayfront" in words]


def test_the_readme_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.split()) <= 900
    assert len(re.findall(r"!\[", text)) == 6


def test_the_library_example_runs_in_five_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = blocks(README, "python")
    assert len([line for line in example.splitlines() if line]) == 5
    monkeypatch.chdir(REPOSITORY)
    space: dict[str, Any] = {}
    exec(compile(example, "README.md", "exec"), space)
    assert space["result"].verified
    assert len(space["result"].trace) > 3
    assert capsys.readouterr().out


@pytest.mark.usefixtures("qapp")  # some plot, which would make an application that no test of widgets can use
def test_the_examples_of_the_library_page_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    examples = blocks(DOCS / "library.md", "python")
    for example in examples:
        exec(compile(example, "library.md", "exec"), {})
        assert capsys.readouterr().out
    assert len(examples) >= 17


def test_the_recipes_of_the_cookbook_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "assets").mkdir()
    shutil.copy(REPOSITORY / "assets" / "city.wayfront", tmp_path / "assets")
    monkeypatch.chdir(tmp_path)
    recipes = blocks(DOCS / "cookbook.md", "python")
    for recipe in recipes:
        assert len([line for line in recipe.splitlines() if line and not line.startswith("import")]) <= 10
        exec(compile(recipe, "cookbook.md", "exec"), {})
        assert capsys.readouterr().out
    written = {path.name for path in tmp_path.iterdir()} - {"assets"}
    assert written == {"people.csv", "shops.csv", "near.gpkg", "access.gpkg", "flows.gpkg", "route.gpkg"}
    assert len(recipes) >= 8


@pytest.mark.parametrize("words", wayfront_commands(), ids=" ".join)
def test_every_shown_command_exists_with_its_options(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    # Options before a command are the program's own, read without running anything.
    words = [*command.make_parser(command.make_context("wayfront", [], resilient_parsing=True)).parse_args(words)[1]]
    if not words or words[0] not in command.commands:
        assert len(words) <= 1, "without a sub-command there is at most a file"
        return
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    # Reads the words and refuses an option that is not there, without running anything.
    command.make_context(command.name, list(words)).close()


def test_every_shown_make_target_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    inline = [code for document in DOCUMENTS for code in re.findall(r"`make .*?`", document.read_text("utf-8"))]
    shown = set(
        re.findall(
            r"\bmake ([a-z-]+)\b(?=[` ]|$)", "\n".join([*map(" ".join, shown_commands()), *inline]), re.MULTILINE
        )
    )
    assert shown >= {"run", "test", "lint", "benchmark", "docs"}
    assert shown <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    found = [(document.parent / target).resolve() for target in links(document)]
    assert [path for path in found if not path.exists() and path not in MADE_AT_BUILD] == []


def test_every_file_that_a_page_names_exists() -> None:
    """Files are named from the repository's root."""
    text = "\n".join(document.read_text("utf-8") for document in DOCUMENTS)
    named = set(re.findall(r"`((?:engine|gui|assets|tests)/[^`\s]+)`", text))
    assert len(named) > 30
    assert {name for name in named if not (REPOSITORY / name).exists()} == set(ADDED_BY_WALK_THROUGHS)


# --------------------------------------------------------------------------- the walk-throughs of docs/development


def add_module(folder: Path, name: str, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the example of a walk-through to a package, as if its file stood there."""
    package = importlib.import_module(name.rpartition(".")[0])
    example, *_parts = blocks(DOCS / "development" / page, "python")
    (folder / f"{name.rpartition('.')[2]}.py").write_text(example, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])


@pytest.fixture
def smallest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the example's algorithm."""
    registry.algorithms()
    monkeypatch.setattr(registry, "_algorithms", dict(registry._algorithms))
    add_module(tmp_path, "wayfront.algorithms.smallest", "adding-an-algorithm.md", monkeypatch)
    importlib.import_module("wayfront.algorithms.smallest")
    yield
    sys.modules.pop("wayfront.algorithms.smallest")


@pytest.mark.usefixtures("smallest")
def test_the_example_of_an_algorithm_finds_the_same_tree(data: Path) -> None:
    network = wayfront.open_network(data / "tiny-d.gr", cache=False)
    result = wayfront.search(network, 0, "smallest", device="cpu", runs=0, verify=True, trace=True)
    assert result.verified
    assert len(result.trace or ()) > 1
    best = wayfront.search(network, 0, "dijkstra", device="cpu", runs=0, trace=True)
    assert result.distances.tolist() == best.distances.tolist()
    assert result.parents.tolist() == best.parents.tolist()


@pytest.fixture
def arc_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the example's format."""
    add_module(tmp_path, "wayfront.formats.arc_list", "adding-a-format.md", monkeypatch)
    own_formats.cache_clear()
    yield
    own_formats.cache_clear()
    sys.modules.pop("wayfront.formats.arc_list")


@pytest.mark.usefixtures("arc_list")
def test_the_example_of_a_format_reads_what_it_writes(tmp_path: Path, data: Path) -> None:
    (written,) = save(wayfront.open_network(data / "tiny-d.gr", cache=False), tmp_path / "tiny.arcs")
    again = wayfront.open_network(written, cache=False)
    assert save(again, tmp_path / "twice.arcs")[0].read_text() == written.read_text()
    written.write_text("arcs\n1 2\nx\n")
    with pytest.raises(FormatError, match="tail, head and weight"):
        wayfront.open_network(written, cache=False)


def test_the_example_of_a_device_counts_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    add_module(tmp_path, "wayfront.devices.counted", "adding-a-device.md", monkeypatch)
    counted = importlib.import_module("wayfront.devices.counted")
    monkeypatch.setattr(devices, "_FILES", (*devices._FILES, counted))
    devices._find_devices.cache_clear()
    try:
        assert devices.devices()[-1].id == "counted"
        network = wayfront.open_network(data / "tiny-d.gr", cache=False)
        result = wayfront.search(network, 0, "near-far", device="counted", runs=0, verify=True, trace=True)
        assert (result.device, result.verified) == ("counted", True)
        opened: Any = devices.open_device("counted")
        assert sum(opened.launches.values()) > len(result.trace or ())
    finally:
        devices._find_devices.cache_clear()
        devices._open.pop(("counted", 1), None)
        sys.modules.pop("wayfront.devices.counted")
