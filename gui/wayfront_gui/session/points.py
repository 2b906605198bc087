"""The points of a slot: a person's table on the map, which of them are meant, and where they are on the roads. No Qt.

Whoever needs points (sources, opportunities) reads ``slot.state(Points)``, and ``session.changed(Points)`` reports it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import LIMIT_M
from wayfront_gui.session.state import SlotState

if TYPE_CHECKING:
    from wayfront.places.places import Places
    from wayfront.places.snapping import SnappedPlaces
    from wayfront_gui.session.slot import Slot

NAMED = 3
"""Points that are named at a node."""
LONGEST_TEXT = 200
FARTHEST_M = 100_000.0


@dataclass(frozen=True, slots=True)
class AskedPoints:
    """What a person wants of points: undo goes back to it.

    places   the table as it was read, None for no points
    path     its file
    limit_m  how far a point may be from its road
    text     only points whose name or id has this in it are meant; case counts for nothing
    least    only points that weigh so much are meant
    """

    places: Places | None = None
    path: str = ""
    limit_m: float = LIMIT_M
    text: str = ""
    least: float = 0.0


class Points(SlotState):
    """The points of one slot.

    ``snapped`` is where they are on its network, None until that is found. ``wanted`` is a table of a session that was
    opened again and is still to be read.
    """

    KEPT = "points"

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.asked = AskedPoints()
        self.snapped: SnappedPlaces | None = None
        self.wanted: AskedPoints | None = None
        self._folded: tuple[Places | None, list[str]] = None, []
        self._meant: tuple[AskedPoints, NDArray[np.bool_]] | None = None
        self._at_nodes: tuple[object, NDArray[np.int32], NDArray[np.int64]] | None = None

    @property
    def places(self) -> Places | None:
        """The table, None for no points."""
        return self.asked.places

    @property
    def weighed(self) -> bool:
        """Whether points weigh differently."""
        weights = np.ones(1) if self.places is None else self.places.weights
        return bool(len(weights)) and float(weights.min()) != float(weights.max())

    @property
    def meant(self) -> NDArray[np.bool_]:
        """Which points pass the filter, bool [k]."""
        asked = self.asked
        if self._meant is None or self._meant[0] is not asked:
            self._meant = asked, self._passing(asked)
        return self._meant[1]

    @property
    def used(self) -> SnappedPlaces | None:
        """The points that pass the filter and are near a road; None until that is known."""
        if self.snapped is None:
            return None
        return self.snapped.chosen(self.meant & self.snapped.on_road)

    def ask(self, asked: AskedPoints) -> None:
        """Want other points, or others of them; where they are on the roads is kept if that stays."""
        before, self.asked, self.wanted = self.asked, asked, None
        if asked == before:
            return
        if asked.places is not before.places:
            self.snapped = None
        elif self.snapped is not None and asked.limit_m != self.snapped.limit_m:
            self.snapped = self.snapped.within(asked.limit_m)
        self.changed()

    def want(self, *, text: str | None = None, least: float | None = None, limit_m: float | None = None) -> None:
        """Filter points otherwise, or let them be farther from their roads."""
        asked = self.asked
        self.ask(
            replace(
                asked,
                text=asked.text if text is None else text[:LONGEST_TEXT],
                least=asked.least if least is None else max(least, 0.0),
                limit_m=asked.limit_m if limit_m is None else min(max(limit_m, 0.0), FARTHEST_M),
            )
        )

    def remove(self) -> None:
        """Have no points."""
        self.ask(AskedPoints(limit_m=self.asked.limit_m))

    def take(self, asked: AskedPoints, snapped: SnappedPlaces) -> bool:
        """Take points, and where they are on the network; return whether these are others than before."""
        fresh = snapped.places is not self.places
        if fresh:
            self.asked, self.wanted = asked, None
        self.snapped = snapped.within(self.asked.limit_m)
        self.changed()
        return fresh

    def about(self, node: int) -> str:
        """Return the names of the points at a node."""
        snapped = self.snapped
        if snapped is None:
            return ""
        key = snapped, self.asked
        if self._at_nodes is None or self._at_nodes[0] != key:
            nodes = np.where(self.meant, snapped.nodes, -1)
            order = np.argsort(nodes, kind="stable")
            self._at_nodes = key, nodes[order], order
        _, nodes, order = self._at_nodes
        begin, end = np.searchsorted(nodes, [node, node + 1]).tolist()
        rows = order[begin:end].tolist()
        names = [_called(snapped.places, row) for row in rows[:NAMED]]
        return ", ".join(names) + (f" + {len(rows) - NAMED:,}" if len(rows) > NAMED else "")

    def forget(self) -> None:
        """Keep the table: it is put on the next network."""
        self.snapped = None
        self.changed()

    def kept(self) -> dict[str, Any] | None:
        """Return the table's file and the filter as plain values; None without points from a file."""
        asked = self.asked
        if asked.places is None or not asked.path:
            return None
        return {"path": asked.path, "limit_m": asked.limit_m, "text": asked.text, "least": asked.least}

    def take_kept(self, plain: dict[str, Any]) -> None:
        """Take what ``kept`` returned: the file is read by who opens points."""
        path, text = plain.get("path"), plain.get("text")
        limit_m, least = _number(plain.get("limit_m"), LIMIT_M), _number(plain.get("least"), 0.0)
        if isinstance(path, str) and path:
            text = text[:LONGEST_TEXT] if isinstance(text, str) else ""
            self.wanted = AskedPoints(None, path, min(limit_m, FARTHEST_M), text, least)
            self.changed()

    def _passing(self, asked: AskedPoints) -> NDArray[np.bool_]:
        places = asked.places
        if places is None:
            return np.zeros(0, np.bool_)
        passing: NDArray[np.bool_] = places.weights >= asked.least
        wanted = asked.text.strip().casefold()
        if wanted:
            if self._folded[0] is not places:
                pairs = zip(places.names.tolist(), places.ids.tolist(), strict=True)
                self._folded = places, [f"{name}\n{place}".casefold() for name, place in pairs]
            passing &= np.fromiter((wanted in text for text in self._folded[1]), np.bool_, len(places))
        return passing


def _called(places: Places, row: int) -> str:
    weight = float(places.weights[row])
    name = str(places.names[row] or places.ids[row])
    return name if weight == 1 else f"{name} ({weight:,.6g})"


def _number(value: Any, otherwise: float) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and np.isfinite(value) and value >= 0 else otherwise
