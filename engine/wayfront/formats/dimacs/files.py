"""Find the files of one DIMACS network: the arcs, the coordinates beside them, and the twin with another metric.

The challenge names its files ``USA-road-d.NY.gr.gz`` (``-d``: length), ``USA-road-t.NY.gr.gz`` (``-t``: travel
time) and ``USA-road-d.NY.co.gz`` (coordinates, one for both).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wayfront.formats.streams import COMPRESSIONS

LENGTH, TRAVEL_TIME = "length", "travel time"

_SUFFIXES = ("", *(suffix for _, suffix, _, _ in COMPRESSIONS))
_LETTER = re.compile(r"-([dt])(?=\.|$)")
_TWIN_LETTER = {"d": "t", "t": "d"}


@dataclass(frozen=True, slots=True)
class MetricKind:
    """What the weights of one file measure; ``weight * scale`` is in ``unit``, ``""`` where that is unknown."""

    name: str
    unit: str
    scale: float


_KINDS = {
    "d": MetricKind(LENGTH, "m", 0.1),
    "t": MetricKind(TRAVEL_TIME, "", 1.0),  # the challenge does not say in what
    "": MetricKind("weight", "", 1.0),
}


@dataclass(frozen=True, slots=True)
class DimacsFiles:
    """The files of one network; a twin that was found by its name, not given, is left out where it does not fit."""

    arcs: Path
    coordinates: Path | None
    twin: Path | None
    twin_given: bool

    @property
    def name(self) -> str:
        """The name of the network: that of the arcs' file without ``.gr`` and compression."""
        return _stem(self.arcs)

    @property
    def paths(self) -> list[Path]:
        """All files, the arcs first."""
        return [path for path in (self.arcs, self.coordinates, self.twin) if path is not None]

    @property
    def metric_kinds(self) -> list[MetricKind]:
        """What each file of weights measures by its name, the opened file first."""
        kinds = [_KINDS[_letter(_stem(path))] for path in (self.arcs, self.twin) if path is not None]
        if len(kinds) == 2 and kinds[0].name == kinds[1].name:
            kinds[1] = MetricKind(f"second {kinds[1].name}", kinds[1].unit, kinds[1].scale)
        return kinds


def find_files(arcs: Path, coordinates: Path | None = None, second_metric: Path | None = None) -> DimacsFiles:
    """Return the files that belong to ``arcs``: those given, else those found beside it by their names."""
    stem = _stem(arcs)
    letter = _letter(stem)
    twin_stem = _LETTER.sub(f"-{_TWIN_LETTER[letter]}", stem, count=1) if letter else None
    if coordinates is None:
        stems = [stem, twin_stem, _LETTER.sub("", stem, count=1)] if twin_stem else [stem]
        coordinates = next((p for s in stems if s for p in _beside(arcs, s, ".co")), None)
    twin = second_metric
    if twin is None and twin_stem:
        twin = next(_beside(arcs, twin_stem, ".gr"), None)
    return DimacsFiles(arcs, coordinates, twin, second_metric is not None)


def _beside(arcs: Path, stem: str, suffix: str) -> Iterator[Path]:
    """Yield existing files of that name in any compression, that of ``arcs`` first."""
    for compression in sorted(_SUFFIXES, key=lambda c: c != _compression(arcs.name)):
        path = arcs.with_name(f"{stem}{suffix}{compression}")
        if path.is_file():
            yield path


def _compression(name: str) -> str:
    return next((suffix for suffix in _SUFFIXES[1:] if name.lower().endswith(suffix)), "")


def _stem(path: Path) -> str:
    name = path.name[: len(path.name) - len(_compression(path.name))]
    return name[:-3] if name.lower().endswith(".gr") and len(name) > 3 else name


def _letter(stem: str) -> str:
    found = _LETTER.search(stem)
    return found[1] if found else ""
