"""What a search on a small graph holds after the step shown, and what its threads did in it, for tables. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.session.slot import Slot, is_small
from wayfront_gui.ui.translation import translated, translated_message

if TYPE_CHECKING:
    from wayfront.trace.step_views import Launch, Recorded, ThreadGrid


@dataclass(frozen=True, slots=True)
class HeldNode:
    """A node that is held: its internal number, what it is called, and its distance as text, "" for none."""

    node: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A part of what is held, such as a bucket, with its nodes in their order."""

    title: str
    nodes: tuple[HeldNode, ...]


@dataclass(frozen=True, slots=True)
class HeldTable:
    """What a search holds after a step: what that is called, and its parts."""

    title: str
    rows: tuple[HeldRow, ...]

    @property
    def text(self) -> str:
        """All of it in words, a line for each part."""
        lines = []
        for row in self.rows:
            held = ", ".join(f"{node.name} {node.key}".strip() for node in row.nodes)
            lines.append(f"{row.title}: {held or translated('empty')}")
        return "\n".join([self.title, *lines])


def held_table(slot: Slot) -> HeldTable | None:
    """Return what the shown search holds after the step shown; None where it does not tell."""
    recorded = _recorded(slot)
    if recorded is None:
        return None
    from wayfront.searching.registry import state_after

    state = state_after(recorded, _steps_done(slot))
    if state is None:
        return None
    numbers = Numbers.of(recorded.metric, recorded.network.distance_bound(recorded.metric))
    rows = []
    for row in state.rows:
        keys = [numbers.text(int(key)) for key in row.keys] or [""] * len(row.nodes)
        names = [recorded.network.node_name(int(node)) for node in row.nodes]
        held = (HeldNode(int(node), name, key) for node, name, key in zip(row.nodes, names, keys, strict=True))
        title = translated_message(row.title).replace("{number}", f"{row.number:,}")
        rows.append(HeldRow(title, tuple(held)))
    return HeldTable(translated_message(state.title), tuple(rows))


@dataclass(frozen=True, slots=True, eq=False)
class ThreadTable:
    """What the threads of a card did in a step; ``network`` has the names of what they took."""

    grid: ThreadGrid
    network: RoadNetwork

    def taken(self, launch: Launch, turn: int, thread: int) -> str:
        """Return what a thread took in one of its turns, "" where it was beyond the work."""
        item = int(launch.items[turn, thread])
        if item < 0:
            return ""
        if launch.of == "arc":
            tail, head = int(self.network.tails()[item]), int(self.network.targets[item])
            return f"{self.network.node_name(tail)} → {self.network.node_name(head)}"
        return self.network.node_name(item)

    def node_of(self, launch: Launch, turn: int, thread: int) -> int:
        """Return the node that a thread took, the tail of its arc, or -1 for none."""
        item = int(launch.items[turn, thread])
        return int(self.network.tails()[item]) if item >= 0 and launch.of == "arc" else item


def thread_table(slot: Slot) -> ThreadTable | None:
    """Return what threads did in the step shown; None for searches without threads, and where it is not known."""
    recorded, done = _recorded(slot), _steps_done(slot)
    if recorded is None or not done:
        return None
    from wayfront.searching.registry import thread_grid

    grid = thread_grid(recorded, done - 1)
    return None if grid is None or not grid.launches else ThreadTable(grid, recorded.network)


def _recorded(slot: Slot) -> Recorded | None:
    """Return the finished search that a slot shows, None where none with steps on a small graph is shown."""
    result = slot.result if slot.pairs is None else slot.pairs.result
    if result is None or result.trace is None or slot.live is not None or slot.dragged is not None:
        return None
    if not is_small(slot.network) or not len(result.trace):
        return None
    from wayfront.trace.step_views import Recorded

    return Recorded.of(result)


def _steps_done(slot: Slot) -> int:
    return slot.player.step_count if slot.tree_shown else slot.player.steps_done


INFINITE = "∞"
UNKNOWN = "?"
NO_LABEL, NOT_KNOWN = -1, -2
"""Labels of nodes that have none yet, and of nodes of which a trace does not say which they have."""

_LONGEST = 5
"""Digits that fit on a disc's label."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How weights are written: divided by ``divisor``, with ``digits`` behind the point, in ``unit``, "" for none."""

    divisor: float
    digits: int
    unit: str

    @classmethod
    def of(cls, metric: Metric, largest: int) -> Numbers:
        """Return numbers that are exact, or in a larger unit where ``largest`` (as stored) would be too long."""
        value = largest * metric.scale
        larger = {"m": (1000.0, "km"), "s": (60.0, "min")}.get(metric.unit)
        exact = _digits_of(metric, 1 / metric.scale)
        if larger is None or len(f"{value:.{exact}f}") <= _LONGEST:
            return cls(1 / metric.scale, exact, metric.unit)
        divisor = larger[0] / metric.scale
        return cls(divisor, min(_digits_of(metric, divisor), 2 if value < 100 * larger[0] else 1), larger[1])

    def text(self, label: int) -> str:
        """Return a weight or a label (as stored) as text."""
        if label == NO_LABEL:
            return INFINITE
        return UNKNOWN if label == NOT_KNOWN else f"{label / self.divisor:.{self.digits}f}"


def _digits_of(metric: Metric, divisor: float) -> int:
    """Return how many digits a metric's weights have behind the point when they are divided, three at most."""
    values = metric.weights / divisor
    return next((digits for digits in range(3) if np.abs(values - values.round(digits)).max(initial=0.0) < 1e-9), 3)
