"""An index of all that has a name in a network: its nodes, its roads, and the places and areas round it.

Names are folded: case, accents and signs are gone, ``Þórsgata`` is ``thorsgata``, katakana is hiragana. Every word that
is typed has to begin a word of the name, in any order; what is written without blanks, as Japanese, may stand anywhere
in it. Of equal names the larger goes first. An answer takes two binary searches for each word, and is independent of
the network's nodes and arcs.

A road of one name is parted into stretches: what is joined by its own arcs, or lies within about a kilometre, is one,
so that a street with gaps is found once, and those of two towns are two.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.details import AREAS, KINDS, LINES
from wayfront.network.positions import Position, distances_m, nearest_node
from wayfront.network.road_network import RoadNetwork
from wayfront.network.structure import join

Int64Array = NDArray[np.int64]
NODE, ROAD, CROSSING, POSITION = "node", "road", "crossing", "position"
"""Kinds of what can be found, beside those of ``details.KINDS``."""
MOST = 30
"""Results that are returned at most: nobody reads more, but types on."""
_CELL = 4_500
"""Side of the squares, in microdegrees of latitude: pieces of a road in squares that touch are one stretch."""
_KNOWN = (NODE, ROAD, *KINDS)
_SIZES = {"city": 8.0, "town": 7.0, "village": 6.0, "suburb": 5.5, "island": 5.5, "quarter": 5.0, "hamlet": 4.5}
_SIZES |= {"river": 4.0, "coast": 2.5}
"""How large a place is: as the logarithm of a road's length in metres, or half that of an area's square metres."""
REACHES = {"city": 8_000, "town": 3_500, "village": 1_500, "suburb": 1_500, "quarter": 1_000, "hamlet": 800}
"""How far one says to be in a place, in metres, about. Nobody says to be near an island."""
NODE_KINDS = (NODE, CROSSING, POSITION)
"""Kinds whose ``Named.index`` is that of a node."""
_FARTHEST, _FARTHEST_OF_PART = 8.0, 3.0
"""How many times as far one still says to be near a place, and near a part of a town."""
_A_CLASS = 0.4
"""How much larger a road is for each class that it is above the minor ones."""
_A_WORD = 0.5
"""How much larger a name has to be for each word more that it has than another."""
_ONE_RIVER_M = 50_000.0
_ANYWHERE = 3
"""Letters of a text that is also looked for inside of words, where too few begin so."""
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "đ": "d", "þ": "th", "ł": "l", "ı": "i", "ŋ": "n", "ħ": "h", "ŧ": "t"}
    | {chr(code): chr(code - 0x60) for code in range(ord("ァ"), ord("ヶ") + 1)}
)
"""Letters that are no letter with an accent, and how they are typed without them; katakana as hiragana."""
_WORD = re.compile(r"[^\W_]+")
_UNPARTED = re.compile("[\u0e00-\u0eff\u1000-\u11ff\u3040-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Letters of scripts that do not part words by blanks."""


class Fit(IntEnum):
    """How well a name fits what was typed, the best first."""

    SAME = 0
    SAME_WORDS = 1
    FIRST_WORDS = 2
    BEGINS = 3
    WORDS_BEGIN = 4
    INSIDE = 5


def folded(text: str) -> str:
    """Return the words of a text without case, accents and signs, so that two ways to write it are equal."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return " ".join(_WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter))))


@dataclass(frozen=True, slots=True)
class Named:
    """Something that was found by its name.

    kind      ``NODE``, ``ROAD``, ``CROSSING``, ``POSITION``, or one of ``details.KINDS``
    fit       how well it fits what was typed
    index     of the node, of the stretch of a road, or of the feature round the network
    at        where it is, the middle of a road; None without a map
    length_m  of a road, else 0: how far the position that was typed is from the node
    size      as ``Surroundings.size``
    near      the place where it is, and how many metres from its middle; "" for none
    """

    kind: str
    name: str
    fit: Fit
    index: int
    at: Position | None = None
    length_m: float = 0.0
    size: int = 0
    near: str = ""
    near_m: float = 0.0


class NameIndex:
    """Finds by name what a network has; make one with ``of``, at most once for a network."""

    def __init__(self, network: RoadNetwork) -> None:
        self._network = network
        self.stretches: Stretches = Stretches.of(network)
        entries = sorted(self._entries())
        self._names = [name for index, (name, *_) in enumerate(entries) if not index or entries[index - 1][0] != name]
        self._weight = np.array([entry[1] for entry in entries])
        self._kind = np.array([entry[2] for entry in entries], np.int64)
        self._index = np.array([entry[3] for entry in entries], np.int64)
        first = np.array([not index or entries[index - 1][0] != entry[0] for index, entry in enumerate(entries)], bool)
        self._begin = np.append(np.flatnonzero(first), len(entries))
        self._word_count = np.array([name.count(" ") + 1 for name in self._names], np.float64)
        self._letters = "\n".join(self._names)
        self._starts = np.array([0, *accumulate(len(name) + 1 for name in self._names)])[: len(self._names)]
        of_word: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            for word in dict.fromkeys(name.split(" ")):
                of_word.setdefault(word, []).append(number)
        self._words = sorted(of_word)
        self._word_begin = np.array([0, *accumulate(len(of_word[word]) for word in self._words)])
        self._of_word = np.array([number for word in self._words for number in of_word[word]], np.int64)
        around = network.surroundings
        kinds = [] if around is None else [KINDS[kind] for kind in around.kind.tolist()]
        near = [at for at, kind in enumerate(kinds) if kind in REACHES and around is not None and around.names[at]]
        self._places = np.array(near, np.int64)
        self._reach = np.array([REACHES[kinds[at]] for at in near], np.float64)
        self._beyond = np.array(
            [_FARTHEST_OF_PART if kinds[at] in ("suburb", "quarter") else _FARTHEST for at in near], np.float64
        )
        network.id_order()  # a node's id is typed as often as a name

    @classmethod
    def of(cls, network: RoadNetwork) -> NameIndex:
        """Return the index of a network, made at the first call: of Iceland in about half a second."""
        return network.derive("name index", lambda: cls(network))

    @staticmethod
    def is_made(network: RoadNetwork) -> bool:
        """Return whether ``of`` returns at once."""
        return network.has_derived("name index")

    def __len__(self) -> int:
        """Return how many things have a name."""
        return len(self._index)

    def _entries(self) -> Iterable[tuple[str, float, int, int]]:
        """Yield the folded name of everything, how large it is, its kind's index and its own."""
        network, around = self._network, self._network.surroundings
        for node, name in enumerate(() if network.node_names is None else network.node_names.names):
            if key := folded(name):
                yield key, 9.0, _KNOWN.index(NODE), node
        if network.road_names is not None:
            keys = [folded(name) for name in network.road_names.names]
            stretches = self.stretches
            for stretch, (name, size) in enumerate(
                zip(stretches.name.tolist(), stretches.weight.tolist(), strict=True)
            ):
                if keys[name]:
                    yield keys[name], size, _KNOWN.index(ROAD), stretch
        for feature, name in enumerate(() if around is None else around.names):
            if key := folded(name):
                kind, size = KINDS[around.kind[feature]], max(int(around.size[feature]), 1)  # type: ignore[union-attr]
                larger = math.log10(size) / (10 if kind in _SIZES else 2)
                yield key, _SIZES.get(kind, 0.0) + larger, _KNOWN.index(kind), feature

    # ------------------------------------------------------------------------------------------------- looking up

    def find(self, typed: str, most: int = MOST) -> list[Named]:
        """Return what has a name that fits what was typed, the best first."""
        wanted = folded(typed)
        if not wanted or not self._names:
            return []
        chosen = self._begin_so(wanted.split(" "))
        fits = np.full(len(chosen), Fit.WORDS_BEGIN)
        for text, fit in ((wanted, Fit.BEGINS), (wanted + " ", Fit.FIRST_WORDS)):
            fits[(chosen >= bisect_left(self._names, text)) & (chosen < self._behind(text))] = fit
        fits[chosen == self._number(wanted)] = Fit.SAME
        words = sorted(wanted.split(" "))
        for at in np.flatnonzero(fits == Fit.WORDS_BEGIN) if len(words) > 1 else ():
            name = self._names[chosen[at]]
            if len(name) == len(wanted) and sorted(name.split(" ")) == words:
                fits[at] = Fit.SAME_WORDS
        if len(chosen) < most and len(wanted) >= _ANYWHERE:
            inside = np.setdiff1d(self._anywhere(wanted), chosen)
            chosen, fits = np.concatenate([chosen, inside]), np.append(fits, np.full(len(inside), Fit.INSIDE))
        counts = self._begin[chosen + 1] - self._begin[chosen]
        fits = np.repeat(fits, counts)
        ends = np.cumsum(counts)
        entries = np.arange(len(fits)) + np.repeat(self._begin[chosen] - (ends - counts), counts)
        rank = fits * 100.0 - self._weight[entries] + np.repeat(_A_WORD * self._word_count[chosen], counts)
        if len(rank) > most:
            some = np.argpartition(rank, most)[:most]
            entries, fits, rank = entries[some], fits[some], rank[some]
        found: list[Named] = []
        for at in np.lexsort((entries, rank)):
            each = self._named(int(entries[at]), Fit(int(fits[at])))
            if each.kind in (*AREAS, *LINES) and any(_is_same(each, other) for other in found):
                continue
            found.append(each)
        return found

    def called(self, name: str) -> list[Named]:
        """Return all that has exactly this name, or its words in another order, the largest first."""
        return [each for each in self.find(name) if each.fit <= Fit.SAME_WORDS]

    def similar(self, name: str, most: int) -> list[str]:
        """Return some names that resemble one that nothing has."""
        found = [each.name for each in self.find(name)]
        if not found:
            close = difflib.get_close_matches(folded(name), self._names, most)
            found = [self._named(int(self._begin[self._number(each)]), Fit.INSIDE).name for each in close]
        return list(dict.fromkeys(found))[:most]

    def _behind(self, text: str) -> int:
        """Return the number of the first name after all that begin with a text."""
        return bisect_left(self._names, text[:-1] + chr(ord(text[-1]) + 1))

    def _number(self, name: str) -> int:
        at = bisect_left(self._names, name)
        return at if at < len(self._names) and self._names[at] == name else -1

    def _begin_so(self, words: Sequence[str]) -> Int64Array:
        """Return the numbers of the names in which every one of these words begins a word, rising."""
        chosen: Int64Array | None = None
        for word in sorted(words, key=len, reverse=True):
            if _UNPARTED.search(word):
                found = self._anywhere(word)
            else:
                low, high = bisect_left(self._words, word), bisect_right(self._words, word + "\U0010ffff")
                found = np.unique(self._of_word[self._word_begin[low] : self._word_begin[high]])
            chosen = found if chosen is None else np.intersect1d(chosen, found, assume_unique=True)
            if not len(chosen):
                break
        return np.empty(0, np.int64) if chosen is None else chosen

    def _anywhere(self, text: str) -> Int64Array:
        """Return the numbers of the names that have a text inside, rising."""
        places = [found.start() for found in re.finditer(re.escape(text), self._letters)]
        return np.unique(np.searchsorted(self._starts, places, "right") - 1)

    def _named(self, entry: int, fit: Fit) -> Named:
        kind, index, network = _KNOWN[self._kind[entry]], int(self._index[entry]), self._network
        if kind == NODE:
            return node_named(network, index, fit)
        if kind == ROAD:
            at, name = self.stretches.middle(index), int(self.stretches.name[index])
            near, metres = self.place_near(at)
            assert network.road_names is not None
            length = float(self.stretches.length_m[index])
            return Named(kind, network.road_names.names[name], fit, index, at, length, 0, near, metres)
        around = network.surroundings
        assert around is not None
        east, north = around.position[index].tolist()
        at = Position(north / 1e6, east / 1e6)
        near, metres = self.place_near(at, but=index)
        return Named(kind, around.names[index], fit, index, at, 0.0, int(around.size[index]), near, metres)

    def place_near(self, at: Position | None, but: int = -1) -> tuple[str, float]:
        """Return the name of the place in or near which a position is, and how many metres from its middle."""
        around = self._network.surroundings
        if at is None or around is None or not len(self._places):
            return "", 0.0
        metres = distances_m(around.position[self._places], at)
        share = metres / self._reach
        share[(self._places == but) | (share > self._beyond)] = np.inf
        nearest = int(np.argmin(share))
        if not math.isfinite(share[nearest]):
            return "", 0.0
        return around.names[self._places[nearest]], float(metres[nearest])

    # ------------------------------------------------------------------------------------------- what was found

    def nodes(self, named: Named) -> NDArray[np.int32]:
        """Return the nodes of a road that was found, int32, rising; of anything else the node nearest to it."""
        if named.kind == ROAD:
            arcs = self.arcs(named)
            return np.unique(np.concatenate([self._network.tails()[arcs], self._network.targets[arcs]]))
        return np.array([self.node(named)], np.int32)

    def node(self, named: Named) -> int:
        """Return the node at what was found: that nearest to its middle; of a road, on it. -1 without a map."""
        if named.kind in NODE_KINDS:
            return named.index
        if named.kind == ROAD:
            return middle_of(self._network, self.nodes(named), named.at)
        if named.at is None or self._network.coordinates is None or not self._network.node_count:
            return -1
        return nearest_node(self._network, named.at)[0]

    def arcs(self, named: Named) -> Int64Array:
        """Return the arcs of a road that was found, in one direction each, int64; none of anything else."""
        return self.stretches.arcs_of(named.index) if named.kind == ROAD else np.empty(0, np.int64)

    def crossings(self, one: str, other: str, *, exactly: bool = False, most: int = 5) -> list[Named]:
        """Return where two roads meet that are called so, or begin so; at most one for each pair of stretches."""
        look = self.called if exactly else self.find
        first, second = ([each for each in look(name) if each.kind == ROAD] for name in (one, other))
        found: dict[int, Named] = {}
        reached = [(each, self.nodes(each)) for each in second]
        for road in first:
            nodes = self.nodes(road)
            for crossed, others in reached:
                common = np.intersect1d(nodes, others, assume_unique=True)
                if road.index == crossed.index or not len(common):
                    continue
                node = middle_of(self._network, common)
                fit = max(road.fit, crossed.fit)
                found.setdefault(node, node_named(self._network, node, fit, CROSSING, f"{road.name} / {crossed.name}"))
                if len(found) == most:
                    return list(found.values())
        return list(found.values())


def _is_same(piece: Named, other: Named) -> bool:
    """Return whether two areas or lines are of one river or lake, which a file has in several pieces."""
    if (piece.kind, piece.name) != (other.kind, other.name) or piece.at is None or other.at is None:
        return False
    return math.dist(piece.at, other.at) * METRES_PER_DEGREE < _ONE_RIVER_M


def node_named(network: RoadNetwork, node: int, fit: Fit = Fit.SAME, kind: str = NODE, name: str = "") -> Named:
    """Return a node as something that was found."""
    at = None
    if network.coordinates is not None:
        east, north = network.coordinates[node].tolist()
        at = Position(north / 1e6, east / 1e6)
    return Named(kind, name or network.node_name(node), fit, node, at)


def middle_of(network: RoadNetwork, nodes: NDArray[np.integer], at: Position | None = None) -> int:
    """Return the node nearest to ``at``, or to the middle of some; without a map, that of the smallest id."""
    nodes = nodes[np.argsort(network.node_ids[nodes], kind="stable")]
    if network.coordinates is None:
        return int(nodes[0])
    points = network.coordinates[nodes]
    if at is None:
        east, north = points.mean(axis=0).tolist()
        at = Position(north / 1e6, east / 1e6)
    return int(nodes[np.argmin(distances_m(points, at))])


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The stretches of all named roads.

    name      int32 [k]: which of ``RoadNames.names`` each has
    offsets   int64 [k+1]: the arcs of stretch s are ``arcs[offsets[s]:offsets[s + 1]]``, those in one direction
    arcs      int64
    middles   float64 [k, 2]: longitude and latitude of the middle in degrees; none without a map
    length_m  float64 [k], 0 without a map and a metric in metres
    weight    float64 [k]: how large each is among all that has a name
    """

    name: NDArray[np.int32]
    offsets: Int64Array
    arcs: Int64Array
    middles: NDArray[np.float64]
    length_m: NDArray[np.float64]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, network: RoadNetwork) -> Stretches:
        """Return the stretches of a network's roads."""
        arcs, names = _one_way(network)
        if not len(arcs):
            nothing = np.zeros(0)
            return cls(names, np.zeros(1, np.int64), arcs, np.zeros((0, 2)), nothing, nothing)
        tails, heads = network.tails()[arcs], network.targets[arcs]
        stretch = _stretches(network, names, tails, heads)
        order = np.argsort(stretch, kind="stable")
        arcs, tails, heads, stretch = arcs[order], tails[order], heads[order], stretch[order]
        counts = np.bincount(stretch)
        offsets = np.append(0, np.cumsum(counts))
        name = names[order][offsets[:-1]]
        middles = np.zeros((0, 2))
        metric = next((each for each in network.metrics if each.unit == "m"), None)
        metres = np.zeros(len(arcs)) if metric is None else metric.weights[arcs] * metric.scale
        if network.coordinates is not None:
            ends = network.coordinates[tails] / 1e6, network.coordinates[heads] / 1e6
            across = (ends[1][:, 0] - ends[0][:, 0] + 180) % 360 - 180
            upward = ends[1][:, 1] - ends[0][:, 1]
            straight = np.hypot(across * np.cos(np.radians(ends[0][:, 1])), upward) * METRES_PER_DEGREE
            metres = straight if metric is None else metres
            share = straight + 1e-3  # of arcs without a length too
            whole = np.bincount(stretch, share)
            start = ends[0][offsets[:-1]]
            east = start[stretch, 0] + (ends[0][:, 0] - start[stretch, 0] + 180) % 360 - 180 + across / 2
            middles = np.stack(
                [np.bincount(stretch, value * share) / whole for value in (east, ends[0][:, 1] + upward / 2)], axis=1
            )
            middles[:, 0] = (middles[:, 0] + 180) % 360 - 180
        length = np.bincount(stretch, metres).astype(np.float64)
        weight = np.log10(np.maximum(length, counts))
        if network.road_class is not None:
            weight += _A_CLASS * np.maximum.reduceat(network.road_class[arcs], offsets[:-1]).astype(np.float64)
        return cls(name, offsets, arcs, middles, length, weight)

    def arcs_of(self, stretch: int) -> Int64Array:
        """Return the arcs of a stretch, in one direction each."""
        return self.arcs[self.offsets[stretch] : self.offsets[stretch + 1]]

    def middle(self, stretch: int) -> Position | None:
        """Return the middle of a stretch, None without a map."""
        if not len(self.middles):
            return None
        east, north = self.middles[stretch].tolist()
        return Position(north, east)


def _one_way(network: RoadNetwork) -> tuple[Int64Array, NDArray[np.int32]]:
    """Return the arcs that have a name, one of those that join the same nodes under it, and their names."""
    if network.road_names is None:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    arcs = np.flatnonzero(network.road_names.of_arc >= 0)
    tails, heads, names = network.tails()[arcs], network.targets[arcs], network.road_names.of_arc[arcs]
    keys = np.minimum(tails, heads).astype(np.uint64) * np.uint64(network.node_count)
    keys += np.maximum(tails, heads).astype(np.uint64)
    # Mixed with the name into 64 bits: three numbers have no room beside each other in them.
    keys = keys * np.uint64(0x9E3779B97F4A7C15) ^ names.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    first = np.unique(keys, return_index=True)[1]
    return arcs[first], names[first]


def _stretches(
    network: RoadNetwork, names: NDArray[np.int32], tails: NDArray[np.int32], heads: NDArray[np.int32]
) -> Int64Array:
    """Return the stretch of every arc, numbered from 0 on, int64: squares that a road of one name joins or touches."""
    around: tuple[int, ...] = ()
    if network.coordinates is None:
        squares, width = np.arange(network.node_count), network.node_count
    else:
        low, high = network.coordinates.min(axis=0), network.coordinates.max(axis=0)
        narrow = max(math.cos(math.radians((int(low[1]) + int(high[1])) / 2e6)), 0.05)
        column, row = ((network.coordinates[:, 0] - low[0]) // int(_CELL / narrow)), network.coordinates[:, 1] - low[1]
        column, row = column.astype(np.int64), (row // _CELL).astype(np.int64)
        width = int(column.max()) + 2  # a free column, so that the first square does not touch the last of another row
        squares, around = row * width + column, (1, width - 1, width, width + 1)
        width *= int(row.max()) + 2
    named = names.astype(np.int64) * width
    keys, index = np.unique(np.concatenate([named + squares[tails], named + squares[heads]]), return_inverse=True)
    pairs = [np.stack([index[: len(names)], index[len(names) :]])]
    for apart in around:
        at = np.minimum(np.searchsorted(keys, keys - apart), len(keys) - 1)
        touching = np.flatnonzero(keys[at] == keys - apart)
        pairs.append(np.stack([touching, at[touching]]))
    ends = np.concatenate(pairs, axis=1)
    ends = ends[:, ends[0] != ends[1]]
    ends = ends[:, np.argsort(ends[0], kind="stable")]
    offsets = np.append(0, np.cumsum(np.bincount(ends[0], minlength=len(keys))))
    roots = join(offsets, np.ascontiguousarray(ends[1]))
    return np.unique(roots[index[: len(names)]], return_inverse=True)[1]
