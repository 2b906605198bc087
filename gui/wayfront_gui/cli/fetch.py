"""``wayfront fetch``: download networks by name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from wayfront.errors import PlaceError
from wayfront_gui.cli.arguments import JsonOption
from wayfront_gui.cli.console import (
    ProgressCallback,
    plain_table,
    print_json,
    print_tables,
    progress_bar,
    say,
    stoppable,
)

if TYPE_CHECKING:
    from wayfront.sources.places import Area, Candidate


class NetworkType(StrEnum):
    """For whom the roads of a place are."""

    DRIVE = "drive"
    WALK = "walk"
    BIKE = "bike"


def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="dimacs:NY as in 'wayfront data', or a place: 'place:Porto, Portugal', place:LATITUDE,LONGITUDE with "
            "--radius, place:WEST,SOUTH,EAST,NORTH.",
        ),
    ],
    network: Annotated[NetworkType, typer.Option("--network", "-n", help="Whose roads to take of a place.")] = (
        NetworkType.DRIVE
    ),
    radius: Annotated[
        float | None, typer.Option("--radius", metavar="METRES", min=1, help="Take the square so far round a place.")
    ] = None,
    candidate: Annotated[
        int | None, typer.Option("--candidate", metavar="N", min=1, help="The Nth of the places of that name.")
    ] = None,
    candidates: Annotated[bool, typer.Option("--candidates", help="Only list the places of that name.")] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Take an area however large it is.")] = False,
    json: JsonOption = False,
) -> None:
    """Download a network by name: a part of the USA from the DIMACS catalogue, or any place of OpenStreetMap."""
    from wayfront.sources.store import DIMACS, split_name

    key = split_name(name)
    with stoppable() as cancel, progress_bar() as show:
        if key is None or key[0] == DIMACS:
            opened_by, path = _fetch_catalogue(name, show, cancel)
        elif not candidates:
            area = _area(key[1], radius, candidate, show, cancel)
            opened_by, path = _fetch_place(area, network.value, anyway, show, cancel)
        else:
            from wayfront.sources import places

            _tell_candidates(places.candidates(key[1], progress=show, cancel=cancel), json)
            return
    if json:
        print_json({"name": opened_by, "path": str(path), "bytes": path.stat().st_size})
    else:
        say(f"{opened_by} is here; open it by that name")
        typer.echo(path)


def _fetch_catalogue(name: str, show: ProgressCallback, cancel: Event) -> tuple[str, Path]:
    from wayfront.sources import catalogue

    entry = catalogue.entry(name)
    return entry.name, catalogue.fetch(entry.name, progress=show, cancel=cancel)


def _fetch_place(
    area: Area, network_type: str, anyway: bool, show: ProgressCallback, cancel: Event
) -> tuple[str, Path]:
    from wayfront.sources import places
    from wayfront.sources.store import PLACE, PLACE_SUFFIX

    largest = float("inf") if anyway else places.LARGEST_KM2
    path = places.download(area, network_type, progress=show, cancel=cancel, largest_km2=largest)
    return f"{PLACE}:{path.name.removesuffix(PLACE_SUFFIX)}", path


def _area(text: str, radius: float | None, candidate: int | None, show: ProgressCallback, cancel: Event) -> Area:
    """Return the area that a place's text means: four degrees, a point with a radius, or a name to look up."""
    from wayfront.sources import places

    degrees = _numbers(text)
    if len(degrees) == 4:
        west, south, east, north = degrees
        return places.Area.of_bounds(west, south, east, north)
    if len(degrees) == 2:
        if radius is None:
            raise PlaceError("a point needs --radius METRES")
        return places.Area.around(degrees[1], degrees[0], radius)
    found = places.candidates(text, progress=show, cancel=cancel)
    chosen = _choose(found, candidate, radius)
    others = f"; --candidates lists all {len(found)} of that name" if len(found) > 1 else ""
    say(f"{_described(chosen)}{others}")
    return chosen.area(radius)


def _choose(found: tuple[Candidate, ...], candidate: int | None, radius: float | None) -> Candidate:
    """Return the one a person named, else the likeliest; without a radius, the likeliest that has an outline."""
    if candidate is not None:
        if candidate > len(found):
            raise PlaceError(f"there is no candidate {candidate}, only {len(found)}")
        return found[candidate - 1]
    if radius is not None:
        return found[0]
    return next((place for place in found if place.outline is not None), found[0])


def _described(place: Candidate) -> str:
    size = f", {place.km2:,.1f} km²" if place.outline is not None else ""
    return f"{place.name} ({place.kind}{size})"


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []


def _tell_candidates(found: tuple[Candidate, ...], json: bool) -> None:
    if json:
        print_json(
            {
                "candidates": [
                    {"name": c.name, "kind": c.kind, "km2": round(c.km2, 3), "bounds": list(c.bounds)} for c in found
                ]
            }
        )
        return
    table = plain_table("", "--candidate", "place", "what", "km²")
    for number, place in enumerate(found, 1):
        table.add_row(str(number), place.name, place.kind, f"{place.km2:,.1f}" if place.outline else "a point")
    print_tables(table)
