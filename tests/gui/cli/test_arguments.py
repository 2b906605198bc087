"""Texts of arguments as values, and groups of arguments."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import pytest
import typer

from calling import Command
from wayfront.formats.options import OpeningOptions, OsmOptions
from wayfront.safe.errors import OptionError
from wayfront_gui.cli.arguments import (
    expand_groups,
    option,
    parse_bounds,
    parse_list,
    parse_size,
)
from wayfront_gui.cli.command_line import EXAMPLES, app
from wayfront_gui.cli.searching import SearchArguments


def options(given: list[str] | None) -> dict[str, str]:
    return SearchArguments("near-far", "cpu", 1, None, given, False).options()


def test_texts_become_values() -> None:
    assert options(["delta=5", "near-far:rule=a=b"]) == {"delta": "5", "rule": "a=b"}
    assert options(None) == {}
    assert parse_list(" a, b,a ,") == ["a", "b"]
    assert parse_size("1600x1000") == (1600, 1000)
    assert parse_bounds("-74.1,40.5,-73.9,40.9") == (-74.1, 40.5, -73.9, 40.9)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_size, "0x100"),
        (parse_size, "100"),
        (parse_size, "99999x100"),
        (parse_bounds, "1,2,3,x"),
        (parse_bounds, "10,2,3,4"),
        (parse_bounds, "nan,0,1,1"),
        (parse_list, " , "),
        (options, ["a=1", "a=2"]),
        (options, ["dijkstra:delta=1"]),
    ],
)
def test_wrong_texts_are_refused(parse: Callable[[Any], Any], text: Any) -> None:
    with pytest.raises(OptionError):
        parse(text)


# ------------------------------------------------------------------------------------------------------------ groups


@dataclass(frozen=True)
class Colours:
    """A group of two options."""

    red: int = option(1, "How red.")
    green: int = option(2, "How green.", "--green", "-g")


def test_a_command_shows_the_fields_of_its_groups_and_is_called_with_an_instance() -> None:
    seen = []

    @expand_groups
    def paint(name: str, *, colours: Colours, very_loud: bool = option(False, "How loud.")) -> None:
        seen.append((name, colours, very_loud))

    assert list(inspect.signature(paint).parameters) == ["name", "red", "green", "very_loud"]
    app = typer.Typer()
    app.command()(paint)
    app(["wall", "-g", "5", "--very-loud"], standalone_mode=False)
    assert seen == [("wall", Colours(1, 5), True)]


@pytest.mark.parametrize(
    "command",
    [
        ("solve",),
        ("info",),
        ("render",),
        ("save",),
        ("compare",),
        ("first-light",),
        ("benchmark", "search"),
    ],
    ids=" ".join,
)
def test_every_command_that_opens_a_network_takes_all_opening_options(
    command: tuple[str, ...], wayfront: Command
) -> None:
    shown = wayfront(*command, "--help").out
    for group in (OpeningOptions, OsmOptions):
        for field in fields(group):
            if "help" in field.metadata:
                assert f"--{field.name.replace('_', '-')}" in shown


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_below_the_help_can_be_typed(name: str, wayfront: Command) -> None:
    shown = wayfront(*name.split(), "--help").out
    assert max(len(line) for line in shown.splitlines()) <= 80
    for example in EXAMPLES[name]:
        assert f"wayfront {name} {example}\n" in shown
        words = [*name.split(), *shlex.split(example.partition("|")[0])]
        group: Any = typer.main.get_command(app)
        while hasattr(group, "commands"):  # a wrong option or argument is an exception
            group = group.commands[words.pop(0)]
        group.make_context(name, words)


def test_every_command_has_examples(wayfront: Command) -> None:
    assert {name.split()[0] for name in EXAMPLES} == set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_help_prints_no_type_for_flags(wayfront: Command) -> None:
    for command in ("solve", "render", "compare", "reproduce", "fetch", "list"):
        shown = wayfront(command, "--help").out
        assert "<bool>" not in shown
        assert max(len(line) for line in shown.splitlines()) <= 80
