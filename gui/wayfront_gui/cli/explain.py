"""``wayfront explain``: how an algorithm works, on the terminal, as the window tells it beside the map."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront_gui.cli.arguments import JsonOption
from wayfront_gui.cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from wayfront.search.registry import Algorithm
    from wayfront_gui.model.explanations import CodeLine, Explanation, Figures

WIDEST = 92
"""Columns of running text; longer lines are hard to read."""


def explain(
    algorithm: Annotated[str, typer.Argument(metavar="ALGORITHM", help="A name as in 'wayfront list'.")],
    json: JsonOption = False,
) -> None:
    """Explain an algorithm: its idea, pseudo-code, what to look for, cost, figures and sources."""
    from wayfront.search.registry import find_algorithm
    from wayfront_gui.model import explanations

    declared = find_algorithm(algorithm)
    told = explanations.explain(algorithm)
    if json:
        print_json({"title": declared.title, "paper": declared.paper, "family": declared.family} | asdict(told))
        return
    from rich.console import Console

    terminal = Console()
    width = min(terminal.width, WIDEST) if terminal.is_terminal else WIDEST
    _print(Console(highlight=False, markup=False, width=width), declared, told)


def _print(console: Console, declared: Algorithm, told: Explanation) -> None:
    from rich.padding import Padding

    from wayfront_gui.model.explanations import NOTATION

    console.print(declared.title, style="bold")
    console.print(declared.paper, style="dim")
    console.print()
    console.print(told.idea)
    _heading(console, "Pseudo-code")
    console.print(Padding(_code(told.code), (0, 2)))
    _heading(console, "What to look for on the map")
    for text in told.look:
        _bullet(console, text)
    _heading(console, "Cost")
    console.print(told.cost.order, style="bold")
    console.print(NOTATION, style="dim")
    console.print(f"On a road network. {told.cost.roads}")
    console.print(f"On a GPU. {told.cost.gpu}")
    if told.figures:
        _heading(console, "Figures")
    for place, figures in enumerate(told.figures):
        if place:
            console.print()
        _print_figures(console, figures)
    _heading(console, "Sources")
    for source in told.sources:
        _bullet(console, source)


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(text, style="bold dim")


def _bullet(console: Console, text: str) -> None:
    from rich.table import Table

    row = Table.grid(padding=(0, 1))
    row.add_row("•", text)
    console.print(row)


def _code(lines: tuple[CodeLine, ...]) -> Table:
    """Return the code with, beside each line, the phases and modes of the steps that run it, if they tell it apart."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 3))
    table.add_column(no_wrap=True, min_width=max(len(line.text) for line in lines))
    table.add_column(overflow="fold")
    several = len({(line.phases, line.modes) for line in lines if line.phases}) > 1
    before = ""
    for line in lines:
        runs_in = " / ".join(line.phases + line.modes)
        note = runs_in if several and runs_in != before else ""
        table.add_row(Text(line.text), Text(note, style="dim"))
        before = runs_in
    return table


def _print_figures(console: Console, figures: Figures) -> None:
    from rich.table import Table

    owner = "Measured by wayfront: " if figures.ours else ""
    console.print(f"{owner}{figures.title}")
    console.print(figures.hardware, style="dim")
    if figures.rows:
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for place, column in enumerate(figures.columns):
            table.add_column(column, justify="right" if place else "left")
        for row in figures.rows:
            table.add_row(*row)
        console.print(table)
    if figures.note:
        console.print(figures.note)
