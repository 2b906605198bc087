"""``wayfront save``: write a network to a file that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import describe_formats, format_to_save, own_formats
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import NetworkArgument
from wayfront_gui.cli.console import cancel_on_interrupt, print_message, progress_bar
from wayfront_gui.cli.paths import check_output

WRITTEN = describe_formats([each for each in own_formats() if each.save is not None])
"""The program's own formats that can be written; those of plug-ins are looked for only where something is saved."""


@expand_groups
def save(
    network: NetworkArgument,
    out: Annotated[str, typer.Argument(metavar="OUT", help=f"The file to write: {WRITTEN}.")],
    *,
    opening: OpeningOptions,
) -> None:
    """Save a network; the suffix of the file names the format."""
    format_to_save(Path(out))
    check_output(out)
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        from wayfront.formats.saving import save as save_as

        with progress_bar() as show:
            written = save_as(opened, out, progress=show, cancel=cancel)
    for path in written:
        print_message(f"{opened.node_count:,} nodes and {opened.arc_count:,} arcs written to {path}")
