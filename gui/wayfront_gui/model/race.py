"""A race: two to six searches on one clock, who is where on it, and in which order they end. No Qt.

A session whose slots are several is a race; a command of the shell makes its runners from results. By measured time a
search lasts as long as its clean runs did: recording slows some searches more than others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from wayfront.devices import CPU, describe_device
from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront_gui.model import formatting
from wayfront_gui.model.difference import Difference
from wayfront_gui.model.notice import Notice
from wayfront_gui.model.player import Player
from wayfront_gui.model.race_field import FIELD, MOST_LANES, ROUTE_FIELD
from wayfront_gui.model.replay_clock import ReplayClock, Walk
from wayfront_gui.translation import Catalogue, current, marked, plural, translated

if TYPE_CHECKING:
    from wayfront.search.result import Result
    from wayfront_gui.model.slot import Slot

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
    place     1 for who ends first; None until it has ended
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
    def ended(self) -> bool:
        """Whether the clock has passed its end."""
        return self.place is not None

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
    complete = all(runner.player.trace is not None for runner in runners)
    spans = [runner.player.span if runner.player.trace is not None else 0.0 for runner in runners]
    details = _details(runners)
    found = []
    for runner, span, detail in zip(runners, spans, details, strict=True):
        recorded = runner.player.trace is not None
        ended = recorded and clock.now >= span * (1 - _TIE)
        place = 1 + sum(other < span * (1 - _TIE) for other in spans) if complete and ended else None
        share = span / clock.length if recorded else 0.0
        figure = _figure(runner, clock, ended) if recorded else runner.note
        progress = (min(max(clock.now, 0.0) / span, 1.0) if span > 0 else 1.0) if recorded else 0.0
        found.append(Lane(runner.title, detail, figure, place, min(share, 1.0), progress))
    return found


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


class Slots(Protocol):
    """The session of a race: its slots, which of them is active, and their clock."""

    slots: list[Slot]
    active: Slot
    clock: ReplayClock

    def add_slot(self) -> Slot:
        """Return a new slot with the active one's choice and no result."""

    def remove_slot(self, slot: Slot) -> None:
        """Remove a slot."""


class Race:
    """Whether the slots of a session race, and how that is shown.

    ``split`` shows one map, of which each search has a strip, instead of a map for each. ``difference`` shows on all
    maps but the first where their distances differ from those of the first. ``notes`` say of a slot, by its id, why
    nothing of it is recorded. ``changed`` is called when any of these changes.
    """

    def __init__(self, session: Slots) -> None:
        self._session = session
        self.split = False
        self.difference = False
        self.notes: dict[int, str] = {}
        self._compared: dict[int, tuple[object, Difference | None]] = {}
        self.changed = Notice()

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
            self._session.clock.set_walk(Walk.TIME)
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
        for slot in [slot for slot in self._session.slots if slot is not self._session.active]:
            self._session.remove_slot(slot)
        self.difference = False
        self.notes.clear()
        self._compared.clear()
        self.changed()

    def set_split(self, split: bool) -> None:
        """Show one map in strips, or a map for each search."""
        self.split = split
        self.changed()

    def set_difference(self, difference: bool) -> None:
        """Show where distances differ from those of the first search, or the searches."""
        self.difference = difference
        self.changed()

    def difference_of(self, slot: Slot) -> Difference | None:
        """Return how a slot's result differs from that of the first; None for the first, and where one is missing."""
        first, result = self._session.slots[0].tree, slot.tree
        if not self.difference or first is None or result is None or slot is self._session.slots[0]:
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
