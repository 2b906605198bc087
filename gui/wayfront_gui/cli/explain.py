"""``wayfront explain``: how an algorithm works, with the texts of the window's explanation panel."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from wayfront_gui.cli.arguments import JSON, argument
from wayfront_gui.cli.completion import complete_explained
from wayfront_gui.cli.console import make_console, print_json, print_tables
from wayfront_gui.cli.declared import declared
from wayfront_gui.cli.list import algorithms_table, with_devices
from wayfront_gui.ui.translation import translated, translated_message

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from wayfront.searching.registry import Algorithm
    from wayfront_gui.features.explanation.texts import CodeLine, Explanation, Figures

WIDEST = 92
"""Columns of running text; longer lines are hard to read."""


def explain(
    algorithm: str | None = argument(
        None, "A name as in 'wayfront list'; without one, the algorithms are listed.", "ALGORITHM", complete_explained
    ),
    json: bool = JSON,
) -> None:
    """Explain an algorithm, or list all.

    Prints its idea, pseudo-code, what to look for on the map, its cost, published figures and sources.
    """
    if algorithm is None:
        known = declared()["algorithms"]
        if json:
            shown = ("name", "title", "kind", "paper")
            print_json({"algorithms": [{name: each[name] for name in shown} for each in known]})
        else:
            print_tables(algorithms_table(with_devices(known)))
        return
    from wayfront.searching.registry import find_algorithm
    from wayfront_gui.features.explanation import texts as explanations

    found = find_algorithm(algorithm)
    explanation = explanations.explain(algorithm)
    if json:
        print_json({"title": found.title, "paper": found.paper, "family": found.family} | asdict(explanation))
        return
    terminal = make_console()
    width = min(terminal.width, WIDEST) if terminal.is_terminal else WIDEST
    _print(make_console(width=width), found, explanation)


def _print(console: Console, declared: Algorithm, explanation: Explanation) -> None:
    from rich.padding import Padding

    from wayfront_gui.features.explanation.texts import NOTATION

    console.print(translated_message(declared.title), style="bold")
    console.print(declared.paper, style="dim")
    console.print()
    console.print(explanation.idea)
    _heading(console, translated("Pseudo-code"))
    console.print(Padding(_code(explanation.code), (0, 2)))
    _heading(console, translated("On the map"))
    for text in explanation.look:
        _bullet(console, text)
    _heading(console, translated("Cost"))
    console.print(explanation.cost.order, style="bold")
    console.print(translated(NOTATION), style="dim")
    console.print(f"{translated('On a road network')}. {explanation.cost.roads}")
    console.print(f"{translated('On a GPU')}. {explanation.cost.gpu}")
    if explanation.figures:
        _heading(console, translated("Figures"))
    for index, figures in enumerate(explanation.figures):
        if index:
            console.print()
        _print_figures(console, figures)
    _heading(console, translated("References"))
    for source in explanation.sources:
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
    """Return the code; beside a line, the phases and modes of the steps that run it, where lines differ in them."""
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

    owner = translated("Ours: ") if figures.ours else ""
    console.print(f"{owner}{figures.title}")
    console.print(figures.hardware, style="dim")
    if figures.rows:
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for index, column in enumerate(figures.columns):
            table.add_column(column, justify="right" if index else "left")
        for row in figures.rows:
            table.add_row(*row)
        console.print(table)
    if figures.note:
        console.print(figures.note)
