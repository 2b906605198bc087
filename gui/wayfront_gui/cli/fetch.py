"""``wayfront fetch``: download networks by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import PlaceError
from wayfront.formats.osm_network_types import DRIVE
from wayfront.sources.store import DIMACS, split_name
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import DownloadedNetworkTypeOption, JsonOption, a_number, refuse_given
from wayfront_gui.cli.completion import complete_download
from wayfront_gui.cli.console import (
    ProgressCallback,
    cancel_on_interrupt,
    make_table,
    print_json,
    print_line,
    print_message,
    print_tables,
    progress_bar,
)

if TYPE_CHECKING:
    from wayfront.sources.places import Area, Candidate


@dataclass(frozen=True, slots=True)
class PlaceArguments:
    """Which area of OpenStreetMap is downloaded, and which of its roads."""

    network_type: DownloadedNetworkTypeOption = DRIVE
    radius: Annotated[
        float | None,
        typer.Option(
            "--radius",
            callback=a_number,
            metavar="METRES",
            min=1,
            help="Take the square that reaches so far from the point.",
        ),
    ] = None
    candidate: Annotated[
        int | None,
        typer.Option("--candidate", metavar="N", min=1, help="Take the Nth of the places that --candidates lists."),
    ] = None
    candidates: Annotated[bool, typer.Option("--candidates", help="List the places of that name, and stop.")] = False
    force: Annotated[bool, typer.Option("--force", help="Download an area however large it is.")] = False


@expand_groups
def fetch(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="dimacs:NY as in 'wayfront data', or a place: 'place:Porto, Portugal', place:LATITUDE,LONGITUDE with "
            "--radius, place:WEST,SOUTH,EAST,NORTH.",
            autocompletion=complete_download,
        ),
    ],
    place: PlaceArguments,
    json: JsonOption = False,
) -> None:
    """Download a DIMACS network or a place of OpenStreetMap.

    The path of the file is printed; the network is then opened by its name.
    """
    key = split_name(name)
    _check_options(context, name, place)
    with cancel_on_interrupt() as cancel, progress_bar() as show:
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
        print_json({"name": opened_by, "path": str(path), "bytes": path.stat().st_size})
    else:
        print_message(f"{opened_by} is downloaded; open it by that name")
        print_line(str(path))


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


def _fetch_catalogue(name: str, show: ProgressCallback, cancel: Event) -> tuple[str, Path]:
    from wayfront.sources import catalogue

    entry = catalogue.entry(name)
    return entry.name, catalogue.fetch(entry.name, progress=show, cancel=cancel)


def _fetch_place(area: Area, place: PlaceArguments, show: ProgressCallback, cancel: Event) -> tuple[str, Path]:
    from wayfront.sources import places
    from wayfront.sources.store import PLACE, PLACE_SUFFIX

    largest = float("inf") if place.force else places.LARGEST_KM2
    path = places.download(area, place.network_type, progress=show, cancel=cancel, largest_km2=largest)
    return f"{PLACE}:{path.name.removesuffix(PLACE_SUFFIX)}", path


def _area(text: str, place: PlaceArguments, show: ProgressCallback, cancel: Event) -> Area:
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
    print_message(f"{_described(chosen)}{others}")
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
        print_json(
            {
                "candidates": [
                    {"name": c.name, "kind": c.kind, "km2": round(c.km2, 3), "bounds": list(c.bounds)} for c in found
                ]
            }
        )
        return
    table = make_table(
        "", ("--candidate", "place", "what", "km²"), figures=("--candidate", "km²"), folded=("place", "what")
    )
    for number, candidate in enumerate(found, 1):
        area = f"{candidate.km2:,.1f}" if candidate.outline else "a point"
        table.add_row(str(number), candidate.name, candidate.kind, area)
    print_tables(table)
