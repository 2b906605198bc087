"""How strongly each line of a map is drawn in a tree, kept from one tree to the next. No Qt.

When a source moves a little, most nodes keep their parents and what hangs below them. One pass over the nodes finds
those that do not, and only their links get another strength: a link is the line between two nodes, or, where arcs are
bent, the chain of lines. Lines of a level that is wider than most have the strength 0 and are listed: they are drawn
apart (see ``line_pieces``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop, part_without_allocation
from wayfront_gui.scene.subtrees import Resizing, level_of_size, levels_per_log

if TYPE_CHECKING:
    from wayfront_gui.scene.chains import Chains
    from wayfront_gui.scene.geometry import MapGeometry
    from wayfront_gui.scene.style import LineWeights

_SMALL_SIZES = 4096
"""Sizes of subtrees whose level comes from a table: nearly all."""


class Links(NamedTuple):
    """The links by which each node can hang on another, and their lines.

    first       int32 [n + 1]: where the links of each node begin
    others      int32 [k]: the node at the other end of each of them
    links       int32 [k]; of parallel ones the first is that of the lightest arc
    line_first  int32 [links + 1]: where the lines of a link begin; empty where a link is the line of its number
    lines       int32
    """

    first: NDArray[np.int32]
    others: NDArray[np.int32]
    links: NDArray[np.int32]
    line_first: NDArray[np.int32]
    lines: NDArray[np.int32]

    @classmethod
    def of(cls, geometry: MapGeometry, weights: NDArray[np.int32]) -> Links:
        """Return those of a map; ``weights`` int32 [m] decide between parallel arcs of different courses."""
        if geometry.chains is not None:
            return cls._of_chains(geometry.chains, weights)
        first = np.zeros(geometry.node_count + 1, np.int32)
        lines, others = (np.empty(2 * geometry.line_count, np.int32) for _ in range(2))
        _list_lines(geometry.line_a, geometry.line_b, first, lines, others)
        return cls(first, others, lines, *(np.zeros(0, np.int32) for _ in range(2)))

    @classmethod
    def _of_chains(cls, chains: Chains, weights: NDArray[np.int32]) -> Links:
        tails = np.repeat(np.arange(len(chains.offsets) - 1, dtype=np.int32), np.diff(chains.offsets))
        order = np.lexsort((weights, chains.targets))
        first = _begins(chains.targets, len(chains.offsets) - 1)
        lines = np.argsort(chains.of_line, kind="stable").astype(np.int32)
        return cls(first, tails[order], chains.of_arc[order], _begins(chains.of_line, len(chains.a)), lines)


class Kept(NamedTuple):
    """What is kept of the tree before, each int32 [n], and room for a list of nodes.

    parents, sizes  its parents and the sizes of its subtrees
    links           the link of each node to its parent, -1 for none
    changed         room for the nodes whose parent or size is another
    """

    parents: NDArray[np.int32]
    sizes: NDArray[np.int32]
    links: NDArray[np.int32]
    changed: NDArray[np.int32]


class Scale(NamedTuple):
    """What strength a size of a subtree has in trees of ``reached`` nodes.

    levels      uint8: the levels of small sizes
    strengths   uint8 [256]: the strengths of levels; 0 of wide ones
    wide        uint8 [256]: the first level that is as wide and as strong, of a level wider than most; else 0
    per_log     as ``levels_per_log`` has it
    """

    levels: NDArray[np.uint8]
    strengths: NDArray[np.uint8]
    wide: NDArray[np.uint8]
    per_log: float
    reached: int

    @classmethod
    def of(cls, weights: LineWeights, reached: int) -> Scale:
        """Return the one of trees with so many nodes."""
        usual, per_log = weights.width == weights.width[0], levels_per_log(reached)
        strengths = np.where(usual, weights.coverage + 0.5, 0).astype(np.uint8)
        levels = np.empty(_SMALL_SIZES, np.uint8)
        _find_levels(per_log, levels)
        looks = np.stack((weights.width, weights.coverage))
        first = np.unique(looks, axis=1, return_index=True, return_inverse=True)[1:]
        wide = np.where(usual, 0, first[0][first[1]]).astype(np.uint8)
        return cls(levels, strengths, wide, per_log, reached)


class TreeStrengths:
    """The strengths of all lines of a map in one tree after another.

    strength  uint8 [lines]; 0 for wide lines
    touched   int32: room for the lines that are drawn in another way than in the tree before, some twice
    """

    def __init__(self, geometry: MapGeometry, weights: LineWeights, links: Links) -> None:
        n, lines = geometry.node_count, geometry.line_count
        self.strength = np.full(lines, np.uint8(weights.coverage[0] + 0.5))
        self.links = links
        none = np.full((2, n), -1, np.int32)
        self.kept = Kept(none[0], np.ones(n, np.int32), none[1], np.empty(n, np.int32))
        self.resizing = Resizing.of(n)
        # Parents that are no tree may name a line from both ends, before and now; one more is written in vain.
        self.touched = np.empty((2 * n if geometry.chains is None else 4 * lines) + 1, np.int32)
        self._weights = weights
        self.scale = Scale.of(weights, 1)

    def rescale(self) -> None:
        """Take trees with as many nodes as the present one: every size has another level then."""
        self.scale = Scale.of(self._weights, int(self.kept.sizes.max(initial=1)))


def _begins(keys: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return where each key from 0 to ``count`` - 1 begins among the sorted keys, and their end."""
    return np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=count)))).astype(np.int32)


@loop
def _find_levels(per_log, levels):  # type: ignore[no-untyped-def]
    """Fill ``levels`` with those of all sizes from 0 on; 0, which none has, is taken for 1."""
    for size in range(len(levels)):
        levels[size] = level_of_size(max(size, 1), per_log)


@loop
def _list_lines(line_a, line_b, first, lines, others):  # type: ignore[no-untyped-def]
    """Fill ``first``, which is zero, ``lines`` and ``others``."""
    n = len(first) - 1
    for line in range(len(line_a)):
        first[line_a[line]] += 1
        first[line_b[line]] += 1
    total = 0
    for v in range(n):
        total += first[v]
        first[v] = total
    first[n] = total
    for line in range(len(line_a) - 1, -1, -1):
        a, b = line_a[line], line_b[line]
        first[a] -= 1
        lines[first[a]], others[first[a]] = line, b
        first[b] -= 1
        lines[first[b]], others[first[b]] = line, a


@inlined
def _link_to(first, others, links, node, other):  # type: ignore[no-untyped-def]
    """Return the link of a node to another, -1 if none joins them."""
    for i in range(first[node], first[node + 1]):
        if others[i] == other:
            return links[i]
    return np.int32(-1)


@inlined
def _set_line(line, strength, wide, strengths, wides, touched, count):  # type: ignore[no-untyped-def]
    """Give a line a strength and a wide level; return the end of ``touched``, to which it is added if it had others."""
    touched[count] = line
    count += np.uint64((strengths[line] != strength) | (wides[line] != wide))
    strengths[line], wides[line] = strength, wide
    return count


@inlined
def _set_link(link, strength, wide, line_first, lines, strengths, wides, touched, count):  # type: ignore[no-untyped-def]
    """Do as ``_set_line`` with all lines of a link."""
    if len(line_first):
        for i in range(line_first[link], line_first[link + 1]):
            count = _set_line(lines[i], strength, wide, strengths, wides, touched, count)
        return count
    return _set_line(link, strength, wide, strengths, wides, touched, count)


@part_without_allocation
def follow(parents, changes, rescaled, kept, joins, scale, strengths, wides, touched):  # type: ignore[no-untyped-def]
    """Bring the strengths and the wide levels of lines to another tree; return the count of ``touched``.

    The first ``changes`` of ``kept.changed`` have another parent or size; ``rescaled``, every node may.
    """
    first, others, links, line_first, lines = joins
    old_parents, sizes, old_links, changed = kept
    if rescaled:
        changes = np.uint64(len(changed))
        for node in range(changes):
            changed[node] = node
    count, none = np.uint64(0), np.uint8(0)
    for i in range(changes):  # all before the first gets a new link: that may have been another's
        v = np.uint64(changed[i])
        if parents[v] != old_parents[v]:
            if old_links[v] >= 0:
                outside = scale.strengths[0]
                count = _set_link(old_links[v], outside, none, line_first, lines, strengths, wides, touched, count)
            old_parents[v] = parents[v]
            linked = parents[v] >= 0
            old_links[v] = _link_to(first, others, links, np.int64(v), parents[v]) if linked else np.int32(-1)
    for i in range(changes):
        v = np.uint64(changed[i])
        size = sizes[v]
        if old_links[v] >= 0:
            level = scale.levels[size] if size < _SMALL_SIZES else level_of_size(size, scale.per_log)
            strength, wide = scale.strengths[level], scale.wide[level]
            count = _set_link(old_links[v], strength, wide, line_first, lines, strengths, wides, touched, count)
    return count
