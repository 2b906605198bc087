"""Read turn restrictions of OpenStreetMap: relations that forbid a turn, or leave only one.

A restriction names a way that one comes from, a node or ways in between (``via``), and the way to. What no rule of the
wiki covers is left out and counted with its reason; nothing in a relation makes a file unreadable. The conventions are
those of the wiki's page ``Relation:restriction``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.options import NETWORK_TYPES
from wayfront.formats.osm.rules import Tags
from wayfront.formats.osm.turns import Turn

KEY = "restriction"
_TURNS = ("left_turn", "right_turn", "straight_on", "u_turn", "entry", "exit")
_KINDS = frozenset((*(f"no_{turn}" for turn in _TURNS), *(f"only_{turn}" for turn in _TURNS[:4])))
_HOURS = ("day_on", "day_off", "hour_on", "hour_off")
"""Keys by which restrictions were limited to some hours before there was ``restriction:conditional``."""
_MOST_VIA = 16
_MOST_MEMBERS = 64
_MOST_PIECES = 10_000
"""Of a way that a restriction names: editors and servers allow 2,000 nodes."""

CONDITIONAL = "at certain times only"
EXCEPTED = "not for this traffic"
UNKNOWN_KIND = "of a kind that is not known"
MEMBERS = "without the members that they need"
NO_ROADS = "on ways that are no roads here"
APART = "on ways that do not meet end to end"
IMPOSSIBLE = "of turns that cannot be made anyway"
"""Why a restriction is left out, as notes of the network list it."""

Member = tuple[str, int, str]
"""Kind of the object (``n``, ``w`` or ``r``), its id, and its role."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """One relation: from any of the ways ``origins`` to any of ``ends``, by a node or along ways.

    only      whether it is the only turn that may be made, and not the one that is forbidden
    via_node  id of the node, None where there are ways in between
    via_ways  ids of the ways in between, in any order
    """

    only: bool
    origins: tuple[int, ...]
    ends: tuple[int, ...]
    via_node: int | None
    via_ways: tuple[int, ...] = ()


@dataclass
class Restrictions:
    """Restrictions for one kind of traffic, collected relation by relation; ``left_out`` counts the others by reason.

    >>> found = Restrictions("drive")
    >>> members = [("w", 1, "from"), ("n", 5, "via"), ("w", 2, "to")]
    >>> found.add({"type": "restriction", "restriction": "no_left_turn"}, members)
    >>> found.add({"type": "restriction", "restriction:conditional": "no_u_turn @ (07:00-09:00)"}, members)
    >>> len(found.kept), dict(found.left_out)
    (1, {'at certain times only': 1})
    """

    network_type: str
    kept: list[Restriction] = field(default_factory=list, init=False)
    left_out: Counter[str] = field(default_factory=Counter, init=False)

    def add(self, tags: Tags, members: Iterable[Member]) -> None:
        """Take a relation if it is a restriction."""
        if not is_restriction(tags):
            return
        kind, problem = self._kind(tags)
        if problem:
            self.left_out[problem] += 1
            return
        found = _with_members(kind.startswith("only"), list(members))
        if found is None:
            self.left_out[MEMBERS] += 1
        else:
            self.kept.append(found)

    @property
    def count(self) -> int:
        """How many there are, whether they apply or not."""
        return len(self.kept) + self.left_out.total()

    @property
    def reasons(self) -> str:
        """How many are left out for which reasons."""
        return "; ".join(f"{count:,} {reason}" for reason, count in sorted(self.left_out.items()))

    def _kind(self, tags: Tags) -> tuple[str, str]:
        """Return what the turn is called, or else why the restriction is left out."""
        traffic = NETWORK_TYPES[self.network_type].turn_keys
        if set(_listed(tags.get("except", ""))).intersection(traffic):
            return "", EXCEPTED
        of_type = tags.get("type", "").partition(":")[2]
        if of_type and of_type not in traffic:
            return "", EXCEPTED
        keys = (*(f"{KEY}:{key}" for key in traffic), KEY)
        value = next((tags[key] for key in keys if key in tags), None)
        if any(f"{key}:conditional" in tags for key in keys) or any(key in tags for key in _HOURS):
            return "", CONDITIONAL
        if value is None:
            return "", EXCEPTED if any(key.startswith(f"{KEY}:") for key in _keys(tags)) else UNKNOWN_KIND
        kinds = _listed(value)
        if not kinds or not _KINDS.issuperset(kinds) or len({each[:2] for each in kinds}) > 1:
            return "", UNKNOWN_KIND
        return kinds[0], ""


def is_restriction(tags: Tags) -> bool:
    """Return whether a relation says that it is a restriction of turns."""
    return tags.get("type", "").partition(":")[0] == KEY


def _keys(tags: Tags) -> list[str]:
    return list(dict(tags))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _with_members(only: bool, members: list[Member]) -> Restriction | None:
    """Return the restriction of these members, None where some are missing or contradict each other."""
    if len(members) > _MOST_MEMBERS:
        return None
    of = {(kind, role): [] for kind in "nw" for role in ("from", "via", "to")}  # type: dict[tuple[str, str], list[int]]
    for kind, ref, role in members:
        if (kind, role) in of:
            of[kind, role].append(ref)
    origins, ends = tuple(dict.fromkeys(of["w", "from"])), tuple(dict.fromkeys(of["w", "to"]))
    nodes, ways = set(of["n", "via"]), of["w", "via"]
    if not origins or not ends or bool(nodes) == bool(ways) or len(nodes) > 1:
        return None
    if ways and min(len(origins), len(ends)) > 1:
        return None
    if len(ways) > _MOST_VIA or len(set(ways)) < len(ways) or (only and len(ends) > 1):
        return None
    return Restriction(only, origins, ends, nodes.pop() if nodes else None, tuple(ways))


# ------------------------------------------------------------------------------------------------------ turns


@dataclass(frozen=True, slots=True, eq=False)
class WaysOfArcs:
    """Which arcs ways have become, in arrays over the nodes of ways, way after way.

    ids        int64 [w] of the ways
    offsets    int64 [w+1]: where the nodes of each begin
    refs       int64 [r]: ids of nodes
    starts     int64 [s], rising: the nodes of ``refs`` from which a piece leads to the node behind
    forward, backward   bool [s]: whether a piece is an arc in the way's direction, and against it. Arcs are numbered in
               the order of pieces, those in the way's direction first
    """

    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    refs: NDArray[np.int64]
    starts: NDArray[np.int64]
    forward: NDArray[np.bool_]
    backward: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Way:
    """One way: the ids of its end nodes, and its arcs in its direction, and against it from its end; −1 for none."""

    first: int
    last: int
    along: tuple[int, ...]
    against: tuple[int, ...]

    def arriving(self, node: int) -> int:
        """Return the arc that ends the way at one of its ends."""
        return self.along[-1] if node == self.last else self.against[-1]

    def leaving(self, node: int) -> int:
        """Return the arc by which one leaves one of its ends."""
        return self.along[0] if node == self.first else self.against[0]


class _Ways:
    """Finds ways by their ids."""

    def __init__(self, ways: WaysOfArcs, wanted: set[int]) -> None:
        self._ways = ways
        index = np.flatnonzero(np.isin(ways.ids, np.fromiter(wanted, np.int64)))
        self._index = dict(zip(ways.ids[index].tolist(), index.tolist(), strict=True))
        self._ahead, self._behind = np.cumsum(ways.forward) - 1, np.cumsum(ways.backward) - 1
        self._behind += int(ways.forward.sum())

    def __contains__(self, way: int) -> bool:
        return way in self._index

    def __getitem__(self, way: int) -> _Way | None:
        """Return a way, None for one that is cut, or a loop."""
        ways, index = self._ways, self._index[way]
        begin, end = int(ways.offsets[index]), int(ways.offsets[index + 1])
        low, high = np.searchsorted(ways.starts, (begin, end))
        refs, pieces = ways.refs, range(int(low), int(high))
        starts = ways.starts[low:high]
        if not 0 < len(starts) <= _MOST_PIECES or refs[begin] == refs[end - 1]:
            return None
        if (refs[starts[1:]] != refs[starts[:-1] + 1]).any() or refs[starts[0]] != refs[begin]:
            return None
        if refs[starts[-1] + 1] != refs[end - 1]:
            return None
        along = tuple(int(self._ahead[piece]) if ways.forward[piece] else -1 for piece in pieces)
        against = tuple(int(self._behind[piece]) if ways.backward[piece] else -1 for piece in reversed(pieces))
        return _Way(int(refs[begin]), int(refs[end - 1]), along, against)


def turns_of(restrictions: Restrictions, ways: WaysOfArcs) -> list[Turn]:
    """Return the turns of all restrictions that can be made; those that cannot are moved to ``left_out``."""
    wanted = {way for each in restrictions.kept for way in (*each.origins, *each.via_ways, *each.ends)}
    found, turns, kept = _Ways(ways, wanted), [], []
    for restriction in restrictions.kept:
        made, problem = _turns_of_one(restriction, found)
        if made:
            kept.append(restriction)
            turns += made
        else:
            restrictions.left_out[problem] += 1
    restrictions.kept = kept
    return turns


def _turns_of_one(restriction: Restriction, ways: _Ways) -> tuple[list[Turn], str]:
    """Return the turns of one restriction, and else why there is none."""
    turns, problem = [], NO_ROADS
    if any(way not in ways for way in restriction.via_ways):
        return [], NO_ROADS
    for origin in restriction.origins:
        for end in restriction.ends:
            if origin not in ways or end not in ways:
                continue
            arcs = _arcs_along(restriction, ways, origin, end)
            if arcs is None:
                problem = APART
            elif min(arcs) < 0:
                problem = IMPOSSIBLE
            else:
                turns.append(Turn(restriction.only, arcs))
    return turns, problem


def _arcs_along(restriction: Restriction, ways: _Ways, origin: int, end: int) -> tuple[int, ...] | None:
    """Return the arcs of a turn, −1 for those against a one-way street; None for ways that do not meet."""
    begin, last, via = ways[origin], ways[end], [ways[way] for way in restriction.via_ways]
    if begin is None or last is None or None in via:
        return None
    if restriction.via_node is not None:
        node = restriction.via_node
        if node not in (begin.first, begin.last) or node not in (last.first, last.last):
            return None
        return begin.arriving(node), last.leaving(node)
    for node in (begin.first, begin.last):
        found = _along(node, [way for way in via if way is not None], last)
        if found is not None:
            return begin.arriving(node), *found
    return None


def _along(node: int, ways: list[_Way], last: _Way) -> tuple[int, ...] | None:
    """Return the arcs from a node along all these ways, in whatever order they meet, and on to the last way.

    Where several go on, the first is taken: to try them in every order would take for ever on ways side by side.
    """
    arcs: list[int] = []
    left = list(ways)
    while left:
        way = next((each for each in left if node in (each.first, each.last)), None)
        if way is None:
            return None
        left.remove(way)
        node, passed = (way.last, way.along) if node == way.first else (way.first, way.against)
        arcs += passed
    return (*arcs, last.leaving(node)) if node in (last.first, last.last) else None
