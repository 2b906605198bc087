"""What a map shows beside roads and searches, as a person has chosen. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Layers:
    """Names of roads and places; water and parks; background tiles; small graphs as graphs rather than as roads."""

    names: bool = True
    areas: bool = True
    tiles: bool = False
    graph: bool = True


LAYERS = tuple(field.name for field in fields(Layers))
"""The names of all choices, which commands and settings have too."""
AS_ROADS = Layers(graph=False)
"""What a road map shows, however small it is."""
