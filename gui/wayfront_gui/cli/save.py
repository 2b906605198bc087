"""``wayfront save``: a network in a file that other programs read."""

from __future__ import annotations

from typing import Annotated

import typer

from wayfront.formats.registry import describe_formats, writable
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.arguments import (
    CoordinatesOption,
    ForceOption,
    LargestPartOption,
    NetworkArgument,
    NetworkTypeOption,
    SimplifyOption,
)
from wayfront_gui.cli.console import progress_bar, say, stoppable


def save(
    network: NetworkArgument,
    out: Annotated[str, typer.Argument(metavar="OUT", help=f"The file to write: {describe_formats(writable())}.")],
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
) -> None:
    """Save a network in the format that the suffix of the file names."""
    with stoppable() as cancel:
        osm = engine_calls.map_options(network_type, simplify, largest_part)
        opened = engine_calls.open_network(network, cancel, coordinates, osm=osm, force=force)
        from wayfront.formats.saving import save as save_as

        with progress_bar() as show:
            written = save_as(opened, out, progress=show, cancel=cancel)
    for path in written:
        say(f"{opened.node_count:,} nodes and {opened.arc_count:,} arcs written to {path}")
