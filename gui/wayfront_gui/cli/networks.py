"""``wayfront info``, ``save``, ``fetch`` and ``data``: what is in a network, its files, and downloaded networks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import typer

from wayfront.formats.options import OpeningOptions
from wayfront.formats.registry import describe_formats, format_to_save, own_formats
from wayfront.safe.errors import PlaceError
from wayfront.sources.store import DIMACS, split_name
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import JSON, NETWORK, NETWORK_TYPE, argument, option, refuse_given
from wayfront_gui.cli.completion import complete_download, complete_stored
from wayfront_gui.cli.outputs import check_output

if TYPE_CHECKING:
    from wayfront.sources.places import Area, Candidate

WRITTEN = describe_formats([each for each in own_formats() if each.save is not None])
"""The program's own formats that can be written; those of plug-ins are looked for only where something is saved."""


# ----------------------------------------------------------------------------------------------------------------- info


def info(network: str = NETWORK, *, opening: OpeningOptions, json: bool = JSON) -> None:
    """Print a network's size, metrics, components and origin."""
    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        from wayfront_gui.cli import facts

        record = facts.network_record(opened)
    console.print_found(json, record, lambda _: console.facts_table(opened.name, facts.network_facts(record)))


# ----------------------------------------------------------------------------------------------------------------- save


def save(
    network: str = NETWORK,
    out: str = argument(..., f"The file to write: {WRITTEN}.", "OUT"),
    *,
    opening: OpeningOptions,
) -> None:
    """Save a network; the suffix of the file names the format."""
    format_to_save(Path(out))
    check_output(out)
    with console.cancel_on_interrupt() as cancel:
        opened = searching.open_network(network, cancel, opening)
        from wayfront.formats.registry import save as save_as

        with console.progress_bar() as show:
            written = save_as(opened, out, progress=show, cancel=cancel)
    for path in written:
        console.print_message(f"{opened.node_count:,} nodes and {opened.arc_count:,} arcs written to {path}")


# ---------------------------------------------------------------------------------------------------------------- fetch


@dataclass(frozen=True, slots=True)
class PlaceArguments:
    """Which area of OpenStreetMap is downloaded, and which of its roads."""

    network_type: str = NETWORK_TYPE
    radius: float | None = option(None, "Take the square that reaches so far from the point.", metavar="METRES", min=1)
    candidate: int | None = option(None, "Take the Nth of the places that --candidates lists.", metavar="N", min=1)
    candidates: bool = option(False, "List the places of that name, and stop.")
    force: bool = option(False, "Download an area however large it is.")


FETCHED = (
    "dimacs:NY as in 'wayfront data', or a place: 'place:Porto, Portugal', place:LATITUDE,LONGITUDE with --radius, "
    "place:WEST,SOUTH,EAST,NORTH."
)


def fetch(
    context: typer.Context,
    name: str = argument(..., FETCHED, "NAME", complete_download),
    *,
    place: PlaceArguments,
    json: bool = JSON,
) -> None:
    """Download a DIMACS network or a place of OpenStreetMap.

    The path of the file is printed; the network is then opened by its name.
    """
    key = split_name(name)
    _check_options(context, name, place)
    with console.cancel_on_interrupt() as cancel, console.progress_bar() as show:
        if key is None or key[0] == DIMACS:
            opened_by, path = _fetch_catalogue(name, show, cancel)
        elif not place.candidates:
            area = _area(key[1], place, show, cancel)
            opened_by, path = _fetch_place(area, place, show, cancel)
        else:
            from wayfront.sources import places

            _print_candidates(places.candidates(key[1], progress=show, cancel=cancel), json)
            return
    if json:
        console.print_json({"name": opened_by, "path": str(path), "bytes": path.stat().st_size})
    else:
        console.print_message(f"{opened_by} is downloaded; open it by that name")
        console.print_line(str(path))


def _check_options(context: typer.Context, name: str, place: PlaceArguments) -> None:
    """Refuse options that this kind of name leaves without effect. Raises ``OptionError``."""
    key = split_name(name)
    by_name = ("candidate", "candidates")
    if key is None or key[0] == DIMACS:
        everything = ("network_type", "radius", *by_name, "force")
        refuse_given(context, everything, "it is for places, and the DIMACS catalogue has none")
        return
    numbers = len(_numbers(key[1]))
    if numbers == 4:
        refuse_given(context, ("radius", *by_name), "four bounds say exactly which area is meant")
    elif numbers == 2:
        refuse_given(context, by_name, "a point is not looked up by name")
    elif place.candidates:
        others = ("network_type", "radius", "candidate", "force")
        refuse_given(context, others, "--candidates downloads nothing")


def _fetch_catalogue(name: str, show: console.ProgressCallback, cancel: Event) -> tuple[str, Path]:
    from wayfront.sources import catalogue

    entry = catalogue.entry(name)
    return entry.name, catalogue.fetch(entry.name, progress=show, cancel=cancel)


def _fetch_place(area: Area, place: PlaceArguments, show: console.ProgressCallback, cancel: Event) -> tuple[str, Path]:
    from wayfront.sources import places
    from wayfront.sources.store import PLACE, PLACE_SUFFIX

    largest = float("inf") if place.force else places.LARGEST_KM2
    path = places.download(area, place.network_type, progress=show, cancel=cancel, largest_km2=largest)
    return f"{PLACE}:{path.name.removesuffix(PLACE_SUFFIX)}", path


def _area(text: str, place: PlaceArguments, show: console.ProgressCallback, cancel: Event) -> Area:
    """Return the area that a text means: four degrees, a point with a radius, or a name to look up."""
    from wayfront.sources import places

    degrees = _numbers(text)
    if len(degrees) == 4:
        west, south, east, north = degrees
        return places.Area.of_bounds(west, south, east, north)
    if len(degrees) == 2:
        if place.radius is None:
            raise PlaceError("a point needs --radius METRES, such as --radius 1000")
        return places.Area.around(degrees[1], degrees[0], place.radius)
    found = places.candidates(text, progress=show, cancel=cancel)
    chosen = _choose(found, place)
    others = f"; --candidates lists all {len(found)} of that name" if len(found) > 1 else ""
    console.print_message(f"{_described(chosen)}{others}")
    return chosen.area(place.radius)


def _choose(found: tuple[Candidate, ...], place: PlaceArguments) -> Candidate:
    """Return the candidate asked for, else the likeliest; without a radius, the likeliest that has an outline."""
    if place.candidate is not None:
        if place.candidate > len(found):
            raise PlaceError(f"there is no candidate {place.candidate}, only {len(found)}")
        return found[place.candidate - 1]
    if place.radius is not None:
        return found[0]
    return next((candidate for candidate in found if candidate.outline is not None), found[0])


def _described(candidate: Candidate) -> str:
    size = f", {candidate.km2:,.1f} km²" if candidate.outline is not None else ""
    return f"{candidate.name} ({candidate.kind}{size})"


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        return []


def _print_candidates(found: tuple[Candidate, ...], json: bool) -> None:
    if json:
        records = [{"name": c.name, "kind": c.kind, "km2": round(c.km2, 3), "bounds": list(c.bounds)} for c in found]
        console.print_json({"candidates": records})
        return
    columns, figures = ("--candidate", "place", "what", "km²"), ("--candidate", "km²")
    rows = (
        (str(number), each.name, each.kind, f"{each.km2:,.1f}" if each.outline else "a point")
        for number, each in enumerate(found, 1)
    )
    console.print_tables(console.make_table("", columns, rows, figures=figures, folded=("place", "what")))


# ----------------------------------------------------------------------------------------------------------------- data


def data(context: typer.Context, json: bool = JSON) -> None:
    """List downloaded networks, or remove them.

    Without a command: what was downloaded, into which folder, how large it is, and what the DIMACS catalogue has.
    """
    if context.invoked_subcommand is not None:
        refuse_given(context, ("json",), f"'data {context.invoked_subcommand}' prints no JSON")
        return
    from wayfront.safe.text import format_bytes
    from wayfront.sources.catalogue import CATALOGUE
    from wayfront.sources.store import folder, stored

    here = stored()
    if json:
        listed = [{"name": s.name, "bytes": s.size_bytes, "unfinished": s.unfinished} for s in here]
        catalogue = [
            {"name": e.name, "title": e.title, "nodes": e.nodes, "arcs": e.arcs, "here": e.is_here} for e in CATALOGUE
        ]
        console.print_json({"folder": str(folder()), "stored": listed, "catalogue": catalogue})
        return
    rows = [(s.name, format_bytes(s.size_bytes), "not complete yet" if s.unfinished else "") for s in here]
    figures = ("nodes", "arcs", "download")
    offered = (
        (
            *(known.name, known.title, f"{known.nodes:,}", f"{known.arcs:,}"),
            *(f"about {format_bytes(known.about_bytes)}", "downloaded" if known.is_here else ""),
        )
        for known in CATALOGUE
    )
    console.print_line(f"Downloaded to {folder()}")
    console.print_tables(
        console.make_table("", ("name", "size", ""), rows or [("nothing yet", "", "")], figures=("size",)),
        console.make_table(
            "\nDIMACS catalogue", ("name", "what", *figures, ""), offered, figures=figures, folded=("what",)
        ),
    )


def remove_data(
    names: list[str] = argument(..., "Names as 'wayfront data' lists them.", "NAME…", complete_stored),
) -> None:
    """Delete downloaded networks from this machine."""
    from wayfront.safe.text import format_bytes
    from wayfront.sources.store import remove

    for name in names:
        console.print_message(f"{name} is removed, {format_bytes(remove(name))}")
