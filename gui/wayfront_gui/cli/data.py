"""``wayfront data``: list and remove downloaded networks."""

from __future__ import annotations

from typing import Annotated

import typer

from wayfront_gui.cli.arguments import JsonOption
from wayfront_gui.cli.console import plain_table, print_json, print_tables, say

data = typer.Typer(help="Tell which networks were downloaded, and remove them.", add_completion=False)


@data.callback(invoke_without_command=True)
def tell(context: typer.Context, json: JsonOption = False) -> None:
    """Tell what was downloaded, where it lies and how large it is, and what the DIMACS catalogue has."""
    if context.invoked_subcommand is not None:
        return
    from wayfront.sources.catalogue import CATALOGUE
    from wayfront.sources.http import told_bytes
    from wayfront.sources.store import folder, stored

    here = stored()
    if json:
        listed = [{"name": s.name, "bytes": s.size_bytes, "unfinished": s.unfinished} for s in here]
        catalogue = [
            {"name": e.name, "title": e.title, "nodes": e.nodes, "arcs": e.arcs, "here": e.is_here} for e in CATALOGUE
        ]
        print_json({"folder": str(folder()), "stored": listed, "catalogue": catalogue})
        return
    table = plain_table("", "name", "size", "")
    for entry in here:
        table.add_row(entry.name, told_bytes(entry.size_bytes), "not whole yet" if entry.unfinished else "")
    if not here:
        table.add_row("nothing yet", "", "")
    offered = plain_table("\nDIMACS catalogue", "name", "what", "nodes", "arcs", "download", "")
    for known in CATALOGUE:
        about = f"about {told_bytes(known.about_bytes)}"
        state = "here" if known.is_here else ""
        offered.add_row(known.name, known.title, f"{known.nodes:,}", f"{known.arcs:,}", about, state)
    typer.echo(f"Downloaded, in {folder()}")
    print_tables(table, offered)


@data.command("remove")
def remove_data(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Names as 'wayfront data' tells them.")],
) -> None:
    """Delete downloaded networks from this machine."""
    from wayfront.sources.http import told_bytes
    from wayfront.sources.store import remove

    for name in names:
        say(f"{name} is removed, {told_bytes(remove(name))}")
