"""How strongly each line of a map is drawn in a tree, kept from one tree to the next. No Qt.

When a source moves a little, most nodes keep their parents and what hangs below them. One pass over the nodes finds
those that do not, and only their lines get another strength. Lines of a level that is wider than most have the strength
0 and are listed: they are drawn apart (see ``line_pieces``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop, loop_without_allocation
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.style import LineWeights
from wayfront_gui.scene.subtrees import level_of_size, levels_per_log, subtree_sizes

_SMALL_SIZES = 4096
"""Sizes of subtrees whose level comes from a table: nearly all."""


class LinesOfNodes(NamedTuple):
    """The lines at each node, and the node at the other end of each.

    first  int32 [n + 1]
    lines, others  int32 [2 · lines]
    """

    first: NDArray[np.int32]
    lines: NDArray[np.int32]
    others: NDArray[np.int32]

    @classmethod
    def of(cls, geometry: MapGeometry) -> LinesOfNodes:
        """Return those of a map whose lines join nodes."""
        first = np.zeros(geometry.node_count + 1, np.int32)
        lines, others = (np.empty(2 * geometry.line_count, np.int32) for _ in range(2))
        _list_lines(geometry.line_a, geometry.line_b, first, lines, others)
        return cls(first, lines, others)


class Wide(NamedTuple):
    """Lines that are wider than most: int32 [k], and their levels uint8 [k]."""

    lines: NDArray[np.int32]
    levels: NDArray[np.uint8]


class TreeStrengths:
    """The strengths of all lines of a map in one tree after another."""

    def __init__(self, geometry: MapGeometry, weights: LineWeights) -> None:
        n, lines = geometry.node_count, geometry.line_count
        usual = weights.width == weights.width[0]
        self.strength = np.full(lines, np.uint8(weights.coverage[0] + 0.5))
        self._by_level = np.where(usual, weights.coverage + 0.5, 0).astype(np.uint8)
        self._first_wide = int(np.flatnonzero(~usual)[0]) if not usual.all() else 256
        self._wide = Wide(np.empty(lines, np.int32), np.empty(lines, np.uint8))
        self._reached = 0
        if geometry.chains is None:
            self._ends = LinesOfNodes.of(geometry)
            self._sizes, self._parents = np.zeros(n, np.int32), np.full(n, -1, np.int32)
            self._next_sizes, self._nodes = np.empty(n, np.int32), np.empty((2, n), np.int32)
            self._touched = np.empty(2 * n, np.int32)
        else:
            self._levels = np.zeros(lines, np.uint8)
            self._touched = np.empty(lines, np.int32)

    def follow(self, parents: NDArray[np.int32]) -> tuple[NDArray[np.int32], Wide]:
        """Bring the strengths to another tree; return the lines whose strength may differ now, and the wide ones."""
        sizes = subtree_sizes(parents, self._next_sizes)
        reached = int(sizes.max(initial=1))
        if reached != self._reached:  # every size has another level now
            self._reached = reached
            self._sizes[:] = 0
            per_log = levels_per_log(reached)
            small = np.array([self._by_level[level_of_size(max(k, 1), per_log)] for k in range(_SMALL_SIZES)], np.uint8)
            self._by_size, self._per_log = small, per_log
            self._wide_from = _first_size(self._first_wide, per_log)
        touched, wide = _follow(
            parents,
            sizes,
            self._parents,
            self._sizes,
            self._nodes,
            self._ends,
            (self._by_size, self._by_level, self._per_log, self._wide_from),
            self.strength,
            self._touched,
            self._wide,
        )
        return self._touched[:touched], Wide(self._wide.lines[:wide], self._wide.levels[:wide])

    def take(self, levels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], Wide]:
        """Do as ``follow``, of lines whose levels are known."""
        by_level = self._by_level, self._first_wide
        touched, wide = _take(levels, self._levels, *by_level, self.strength, self._touched, self._wide)
        return self._touched[:touched], Wide(self._wide.lines[:wide], self._wide.levels[:wide])


def _first_size(level: int, per_log: float) -> int:
    """Return the smallest size of a subtree that has at least a level; one that none has if there is none."""
    if level > 255:
        return int(np.iinfo(np.int32).max)
    size = max(round(math.exp((level - 1) / per_log)), 1)
    while level_of_size(size, per_log) < level:
        size += 1
    while size > 1 and level_of_size(size - 1, per_log) >= level:
        size -= 1
    return size


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
def _line_between(first, lines, others, node, other):  # type: ignore[no-untyped-def]
    """Return the line between two nodes, -1 if none joins them."""
    for i in range(first[node], first[node + 1]):
        if others[i] == other:
            return lines[i]
    return np.int32(-1)


@loop_without_allocation
def _follow(parents, sizes, old_parents, old_sizes, nodes, ends, scale, strength, touched, wide):  # type: ignore[no-untyped-def]
    """Update ``strength``, ``old_parents`` and ``old_sizes``; return the counts of ``touched`` and ``wide``.

    ``nodes`` int32 [2, n] is room for lists. ``scale`` is (strength by small size, strength by level, levels per log,
    smallest wide size).
    """
    by_size, by_level, per_log, wide_from = scale
    first, lines, others = ends
    wide_lines, wide_levels = wide
    changes, large = np.uint64(0), np.uint64(0)
    for v in range(len(parents)):  # lists grow without branches
        nodes[0, changes] = nodes[1, large] = v
        changes += np.uint64((parents[v] != old_parents[v]) | (sizes[v] != old_sizes[v]))
        large += np.uint64((sizes[v] >= wide_from) & (parents[v] >= 0))
    count = 0
    for i in range(changes):
        v = nodes[0, i]
        if old_parents[v] >= 0:
            line = _line_between(first, lines, others, v, old_parents[v])
            if line >= 0:
                strength[line], touched[count] = by_level[0], line
                count += 1
    for i in range(changes):
        v = nodes[0, i]
        old_parents[v], old_sizes[v] = parents[v], sizes[v]
        if parents[v] >= 0:
            line = _line_between(first, lines, others, v, parents[v])
            if line >= 0:
                small = sizes[v] < len(by_size)
                strength[line] = by_size[sizes[v]] if small else by_level[level_of_size(sizes[v], per_log)]
                touched[count] = line
                count += 1
    listed = 0
    for i in range(large):
        v = nodes[1, i]
        line = _line_between(first, lines, others, v, parents[v])
        if line >= 0:
            wide_lines[listed], wide_levels[listed] = line, level_of_size(sizes[v], per_log)
            listed += 1
    return count, listed


@loop
def _take(levels, old_levels, by_level, first_wide, strength, touched, wide):  # type: ignore[no-untyped-def]
    """Update ``strength`` and ``old_levels``; return the counts of ``touched`` and ``wide``."""
    count = listed = 0
    for line in range(len(levels)):
        level = levels[line]
        touched[count] = line
        count += level != old_levels[line]
        old_levels[line] = level
        strength[line] = by_level[level]
        if level >= first_wide:
            wide.lines[listed], wide.levels[listed] = line, level
            listed += 1
    return count, listed
