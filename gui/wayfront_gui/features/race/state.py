"""A race: two to six searches on one clock, who is where on it, and in which order they end. No Qt.

A session whose slots are several is a race; a command of the shell makes its runners from results. By measured time a
search lasts as long as its clean runs did: recording slows some searches more than others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, describe_device
from wayfront.network.road_network import Metric
from wayfront.network.small_graphs import CutOut, Near, cut_out
from wayfront.results.result import SearchKind
from wayfront.safe.options import AUTO, OptionValue
from wayfront.searching.registry import find_algorithm
from wayfront.timing.harness import spread
from wayfront_gui.features.closures.costs import CUT_OFF
from wayfront_gui.features.race.field import FIELD, ROUTE_FIELD
from wayfront_gui.session import formatting
from wayfront_gui.session.replay import Player, ReplayClock
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import MOST_LANES, Notice, Walk
from wayfront_gui.ui.translation import Catalogue, current, marked, plural, translated

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.session.slot import Slot


NOT_RUN = marked("not run yet")
ORDINALS = {1: marked("{place}st"), 2: marked("{place}nd"), 3: marked("{place}rd"), 4: marked("{place}th")}
_TIE = 1e-9
"""Two that end within this share of each other end together."""


@dataclass(frozen=True, slots=True, eq=False)
class Runner:
    """One search of a race: its replay, what it found (None until then), and the choice that makes its name.

    ``where`` names the neighbourhood that is searched, "" for the whole network.
    """

    player: Player
    result: Result | None
    algorithm: str
    device: str
    options: Mapping[str, OptionValue]
    note: str = ""
    where: str = ""

    @classmethod
    def of_slot(cls, slot: Slot, note: str) -> Runner:
        """Return the runner of a slot: what it found, if that is still what is chosen."""
        chosen, result = slot.algorithm, slot.result
        if result is not None and slot.algorithm == AUTO and result.trace is not None:
            chosen = result.algorithm
        device = result.device if result is not None and slot.device == AUTO else slot.device
        nodes = 0 if slot.part is None else slot.part.network.node_count
        where = plural("{count:,} node", "{count:,} nodes", nodes) if nodes else ""
        return cls(slot.player, result, chosen, device, slot.options(), note, where)

    @classmethod
    def of_result(cls, result: Result, clock: ReplayClock) -> Runner:
        """Return the runner of a recorded search, with a player of its own on ``clock``."""
        player = Player(clock)
        player.load(result.trace, result.distances, result.timing.median_ms)
        return cls(player, result, result.algorithm, result.device, result.options)

    @property
    def title(self) -> str:
        """The algorithm's name."""
        return _title(self.algorithm, current())


@dataclass(frozen=True, slots=True)
class Lane:
    """What is said of one runner at one moment.

    title     the algorithm's name
    detail    in what it differs from the others: device, options
    figure    how far it is, or what it took once it has ended
    place     1 for who ends first, shared where clean runs differ too much to tell; None until it has ended
    share     how much of the clock's length it takes, 0 … 1
    progress  how much of it is over, 0 … 1
    """

    title: str
    detail: str
    figure: str
    place: int | None
    share: float
    progress: float

    @property
    def text(self) -> str:
        """The lane in one line, for screen readers and captions without room."""
        place = f"{ordinal(self.place)}: " if self.place is not None else ""
        return place + " · ".join(filter(None, (self.title, self.detail, self.figure)))


@dataclass(frozen=True, slots=True)
class Caption:
    """What a map of a race says of its search; ``chosen`` marks the one that the panels show.

    ``scale`` and ``credit`` say whether scale bar and legend are on this map, and who made the data: once is enough.
    """

    lane: Lane
    chosen: bool = False
    scale: bool = True
    credit: bool = True


def lanes(runners: Sequence[Runner], clock: ReplayClock) -> list[Lane]:
    """Return a lane for each runner, as the clock stands."""
    timed = [clock.walk is Walk.TIME and runner.player.timed for runner in runners]
    # Recording slows some searches more than others: times with it and without have no order.
    complete = all(runner.player.trace is not None for runner in runners) and len(set(timed)) == 1
    spans = [runner.player.span if runner.player.trace is not None else 0.0 for runner in runners]
    quickest = [
        span - _noise(runner) if clean else span for runner, span, clean in zip(runners, spans, timed, strict=True)
    ]
    slowest = [
        span + _noise(runner) if clean else span for runner, span, clean in zip(runners, spans, timed, strict=True)
    ]
    # So many others were surely quicker; and nobody is placed before one that ended earlier.
    told = [1 + sum(other < own * (1 - _TIE) for other in slowest) for own in quickest]
    places = [max(place for place, other in zip(told, spans, strict=True) if other <= span) for span in spans]
    details = _details(runners)
    found = []
    for runner, span, detail, its in zip(runners, spans, details, places, strict=True):
        recorded = runner.player.trace is not None
        ended = recorded and clock.now >= span * (1 - _TIE)
        place = its if complete and ended else None
        share = span / clock.length if recorded else 0.0
        figure = _figure(runner, clock, ended) if recorded else runner.note
        progress = (min(max(clock.now, 0.0) / span, 1.0) if span > 0 else 1.0) if recorded else 0.0
        found.append(Lane(runner.title, detail, figure, place, min(share, 1.0), progress))
    return found


def _noise(runner: Runner) -> float:
    """Return by how much the clean runs of a search differ from their median, in nanoseconds of the clock.

    Searches whose times, with that on both sides, overlap share a place: another sitting could have another order.
    """
    runs_ms = () if runner.result is None else runner.result.timing.runs_ms
    return spread(runs_ms) * runner.player.span


def ordinal(place: int) -> str:
    """Return a place as it is written: ``1st``, ``2nd``, ``4th``; there are at most ``MOST_LANES``."""
    return translated(ORDINALS.get(place, "{place}th"), place=place)


@lru_cache(maxsize=64)
def _title(algorithm: str, _catalogue: Catalogue | None) -> str:
    """Return an algorithm's title in the language of a catalogue; captions ask for it in every frame."""
    return translated("Automatic") if algorithm == AUTO else formatting.title(algorithm)


def _figure(runner: Runner, clock: ReplayClock, ended: bool) -> str:
    """Return how far a runner is in what the clock counts; what it took in all once it has ended."""
    player, result = runner.player, runner.result
    if clock.walk is Walk.TIME and player.whole > 0:
        return formatting.milliseconds((player.span if ended else max(clock.now, 0.0)) * 1e-6)
    if clock.walk is Walk.DISTANCE and result is not None:
        return result.metric.describe(round(min(max(player.at, 0.0), player.span)))
    count = player.step_count
    if ended:
        return plural("{count:,} step", "{count:,} steps", count)
    return translated("step {step:,} of {steps:,}", step=player.steps_done, steps=count)


def _details(runners: Sequence[Runner]) -> list[str]:
    """Return what sets each runner apart: its device where they differ, and options in which namesakes differ."""
    devices = {runner.device for runner in runners}
    details = []
    for runner in runners:
        namesakes = [other.options for other in runners if other.algorithm == runner.algorithm]
        own = formatting.option_texts(
            {
                name: value
                for name, value in runner.options.items()
                if any(options.get(name) != value for options in namesakes)
            }
        )
        device = [] if len(devices) == 1 or runner.device == AUTO else [describe_device(runner.device).label]
        where = [runner.where] if runner.where else []
        details.append(" · ".join((*where, *device, *own)))
    return details


class Race:
    """Whether the slots of a session race, and how that is shown.

    ``difference`` shows on all maps but the first where their distances differ from those of the first. ``notes`` say
    of a slot, by its id, why nothing of it is recorded. ``changed`` is called when any of these changes.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.difference = False
        self.notes: dict[int, str] = {}
        self._walks: tuple[Walk, Walk] | None = None
        self._compared: dict[int, tuple[object, Difference | None]] = {}
        self.changed = Notice()
        session.slots_changed.connect(self._on_slots)

    @property
    def on(self) -> bool:
        """Whether there is a race: more than one slot."""
        return len(self._session.slots) > 1

    @property
    def full(self) -> bool:
        """Whether as many race as can."""
        return len(self._session.slots) >= MOST_LANES

    @property
    def runners(self) -> list[Runner]:
        """A runner for each slot, in their order."""
        return [Runner.of_slot(slot, translated(self.notes.get(slot.id, NOT_RUN))) for slot in self._session.slots]

    def lanes(self) -> list[Lane]:
        """Return a lane for each slot, as the clock stands."""
        return lanes(self.runners, self._session.clock)

    def add(self, algorithm: str | None = None) -> Slot | None:
        """Add a slot with the active one's choice, or with another algorithm; None if as many race as can."""
        if self.full:
            return None
        first = not self.on
        slot = self._session.add_slot()
        if first:
            self.choose_walk(Walk.TIME)
        if algorithm is not None:
            slot.choose_algorithm(algorithm)
        self.changed()
        return slot

    def fill(self) -> None:
        """Let the searches of the field race from the active slot's source; those that no card can run, on the CPU."""
        field = ROUTE_FIELD if self._session.active.kind is SearchKind.ROUTE else FIELD
        self.leave()
        self._session.active.choose_algorithm(field[0])
        for algorithm in field[1:]:
            self.add(algorithm)
        for slot, algorithm in zip(self._session.slots, field, strict=True):
            on_card = find_algorithm(algorithm).runs_on(describe_device("cuda:0"))
            slot.choose_device(AUTO if on_card else CPU)

    def leave(self) -> None:
        """Keep only the active slot."""
        self._session.keep_active()

    def choose_walk(self, walk: Walk) -> None:
        """Let the clock count what suits the race; once it is over, it counts again what it did before."""
        before = self._session.clock.walk if self._walks is None else self._walks[0]
        self._walks = before, walk
        self._session.clock.set_walk(walk)

    def _on_slots(self) -> None:
        """Once one slot is left, forget what was of the race, and count what the clock counted before it.

        A person may have chosen something else to count since: that stays.
        """
        if self.on:
            return
        if self._walks is not None:
            (before, given), self._walks = self._walks, None
            if self._session.clock.walk is given:
                self._session.clock.set_walk(before)
        self.difference = False
        self.notes.clear()
        self._compared.clear()
        self.changed()

    def set_difference(self, difference: bool) -> None:
        """Show where distances differ from those of the first search, or the searches."""
        self.difference = difference
        self.changed()

    def difference_of(self, slot: Slot) -> Difference | None:
        """Return how a slot's result differs from that of the first; None for the first, and where one is missing."""
        first, result = self._session.slots[0].tree, slot.tree
        if not self.difference or first is None or result is None or slot is self._session.slots[0]:
            self._compared.pop(slot.id, None)
            return None
        if first.network.targets is not result.network.targets:  # a neighbourhood has distances of its own
            return None
        key = id(first.distances), id(result.distances)
        known, found = self._compared.get(slot.id, (None, None))
        if known != key:
            found = Difference.of(first, result)
            self._compared[slot.id] = (key, found)
        return found

    def note(self, slot_id: int, text: str) -> None:
        """Say why nothing of a slot is recorded."""
        self.notes[slot_id] = text
        self.changed()


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """How far apart two results of one network and metric are at every node.

    apart     int64 [n] in the metric's raw weights, 0 or more; ``CUT_OFF`` where only one of the two reaches a node
    differ    number of nodes with another distance, ``one_only`` of those that only one of the two reaches
    most      the largest difference
    """

    metric: Metric
    apart: NDArray[np.int64]
    differ: int
    one_only: int
    most: int

    @classmethod
    def of(cls, first: Result, second: Result) -> Difference | None:
        """Compare two results; None where they are of other networks or metrics, whose distances mean nothing."""
        if first.network.targets is not second.network.targets or first.metric.name != second.metric.name:
            return None
        reached = first.reached, second.reached
        both = reached[0] & reached[1]
        apart = np.where(both, np.abs(first.distances.astype(np.int64) - second.distances.astype(np.int64)), 0)
        apart[reached[0] != reached[1]] = CUT_OFF
        apart.flags.writeable = False
        one_only = int((apart == CUT_OFF).sum())
        return cls(first.metric, apart, int((apart > 0).sum()), one_only, int(apart.max(initial=0)))

    @property
    def none(self) -> bool:
        """Whether both found the same distance at every node."""
        return not self.differ and not self.one_only

    @property
    def text(self) -> str:
        """The figures in words: ``41 of 264,346 nodes differ, at most by 1.2 km``."""
        nodes = len(self.apart)
        if self.none:
            return translated("no difference at any of {nodes:,} nodes", nodes=nodes)
        parts = []
        if self.differ:
            text = "{differ:,} of {nodes:,} nodes differ, at most by {most}"
            parts.append(translated(text, differ=self.differ, nodes=nodes, most=self.metric.describe(self.most)))
        if self.one_only:
            text = "{some:,} of {nodes:,} nodes are reached by only one"
            parts.append(translated(text, some=self.one_only, nodes=nodes))
        return "; ".join(parts)


USUAL_COUNT = 40
"""Nodes of a neighbourhood, unless others are asked for."""


def cut_round(slot: Slot, count: int, near: Near) -> CutOut | None:
    """Return the neighbourhood of a slot's source by its metric, None without a source."""
    if slot.network is None or slot.source is None:
        return None
    return cut_out(slot.network, slot.source, count, near, slot.metric_name)


def cut_again(slot: Slot, whole: Slot) -> None:
    """Cut the neighbourhood that a slot shows out anew, round the source that the whole network has now."""
    part = slot.part
    if part is None or whole.source is None or whole.network is not part.whole:
        return
    found = cut_round(whole, part.network.node_count, part.near)
    if found is not None:
        slot.player.load(None, None)
        slot.open(found.network, laid_out=slot.laid_out, part=found)
        slot.choose_source(found.inside(whole.source) or 0)
