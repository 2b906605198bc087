"""Jobs that download networks, and the list of what can be downloaded.

They run on a worker of their own, not on the engine's: a server may not answer for minutes, and searches should go on
meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wayfront.sources import places
from wayfront.sources.http import format_bytes
from wayfront.sources.store import stored
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.sources.places import Area, Candidate

LANE = "download"


@dataclass(frozen=True, slots=True)
class CandidatesJob:
    """Ask the geocoder for places of this name."""

    query: str
    lane: str = field(default=LANE, init=False)
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> tuple[Candidate, ...]:
        """Return the places that it found."""
        return places.candidates(self.query, progress=report.progress, cancel=report.cancel)


@dataclass(frozen=True, slots=True)
class PlaceJob:
    """Download the roads of an area."""

    area: Area
    network_type: str
    lane: str = field(default=LANE, init=False)
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> str:
        """Return the file to open."""
        return str(places.download(self.area, self.network_type, progress=report.progress, cancel=report.cancel))


@dataclass(frozen=True, slots=True)
class CatalogueJob:
    """Download a network of the DIMACS catalogue."""

    name: str
    lane: str = field(default=LANE, init=False)
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> str:
        """Return the name to open it by."""
        from wayfront.sources import catalogue

        catalogue.fetch(self.name, progress=report.progress, cancel=report.cancel)
        return self.name


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the catalogue: a network that is on this machine or can be downloaded."""

    name: str
    title: str
    nodes: str
    arcs: str
    size: str
    here: bool
    unfinished: bool


def offers() -> tuple[Offer, ...]:
    """Return the DIMACS networks, then the places that were downloaded."""
    from wayfront.sources.catalogue import CATALOGUE

    kept = {entry.name: entry for entry in stored()}
    rows = []
    for entry in CATALOGUE:
        mine = kept.pop(entry.name, None)
        here = entry.is_here
        size = (
            format_bytes(mine.size_bytes)
            if mine and here
            else translated("about {size}", size=format_bytes(entry.about_bytes))
        )
        unfinished = mine is not None and not here
        rows.append(Offer(entry.name, entry.title, f"{entry.nodes:,}", f"{entry.arcs:,}", size, here, unfinished))
    for mine in kept.values():
        place, _, network_type = mine.name.partition(":")[2].rpartition("-")
        title = f"{place.replace('-', ' ').title()}, {network_type}"
        size = format_bytes(mine.size_bytes)
        rows.append(Offer(mine.name, title, "", "", size, not mine.unfinished, mine.unfinished))
    return tuple(rows)


def describe(candidate: Candidate) -> str:
    """Return what kind of place a candidate is, and its area."""
    size = f"  ·  {candidate.km2:,.1f} km²" if candidate.outline is not None else ""
    return f"{candidate.kind[:1].upper()}{candidate.kind[1:]}{size}"


def expectation(area: Area) -> str:
    """Return the size of an area and the number of arcs to expect in it."""
    low, high = places.expected_arcs(area.km2)
    return translated(
        "{km2:,.1f} km²: between {fewest} arcs, if it is empty land, and {most}, if it is a city",
        km2=area.km2,
        fewest=_round(low),
        most=_round(high),
    )


def _round(count: int) -> str:
    """Format a number rounded to two digits."""
    unit = 10 ** max(len(str(count)) - 2, 0)
    return f"{count // unit * unit:,}"
