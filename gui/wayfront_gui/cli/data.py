"""``wayfront data``: list and remove downloaded networks."""

from __future__ import annotations

from typing import Annotated

import typer

from wayfront_gui.cli.arguments import JsonOption, refuse_given
from wayfront_gui.cli.completion import complete_stored
from wayfront_gui.cli.console import make_table, print_json, print_line, print_message, print_tables

data = typer.Typer(help="List downloaded networks, or remove them.", add_completion=False)


@data.callback(invoke_without_command=True)
def list_data(context: typer.Context, json: JsonOption = False) -> None:
    """List downloaded networks, or remove them.

    Without a command: what was downloaded, into which folder, how large it is, and what the DIMACS catalogue has.
    """
    if context.invoked_subcommand is not None:
        refuse_given(context, ("json",), f"'data {context.invoked_subcommand}' prints no JSON")
        return
    from wayfront.sources.catalogue import CATALOGUE
    from wayfront.sources.http import format_bytes
    from wayfront.sources.store import folder, stored

    here = stored()
    if json:
        listed = [{"name": s.name, "bytes": s.size_bytes, "unfinished": s.unfinished} for s in here]
        catalogue = [
            {"name": e.name, "title": e.title, "nodes": e.nodes, "arcs": e.arcs, "here": e.is_here} for e in CATALOGUE
        ]
        print_json({"folder": str(folder()), "stored": listed, "catalogue": catalogue})
        return
    table = make_table("", ("name", "size", ""), figures=("size",))
    for entry in here:
        table.add_row(entry.name, format_bytes(entry.size_bytes), "not complete yet" if entry.unfinished else "")
    if not here:
        table.add_row("nothing yet", "", "")
    figures = ("nodes", "arcs", "download")
    offered = make_table("\nDIMACS catalogue", ("name", "what", *figures, ""), figures=figures, folded=("what",))
    for known in CATALOGUE:
        about = f"about {format_bytes(known.about_bytes)}"
        state = "downloaded" if known.is_here else ""
        offered.add_row(known.name, known.title, f"{known.nodes:,}", f"{known.arcs:,}", about, state)
    print_line(f"Downloaded to {folder()}")
    print_tables(table, offered)


@data.command("remove")
def remove_data(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME…", help="Names as 'wayfront data' lists them.", autocompletion=complete_stored),
    ],
) -> None:
    """Delete downloaded networks from this machine."""
    from wayfront.sources.http import format_bytes
    from wayfront.sources.store import remove

    for name in names:
        print_message(f"{name} is removed, {format_bytes(remove(name))}")
