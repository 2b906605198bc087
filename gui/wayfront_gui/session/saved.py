"""What was open, as plain data: the window is as it was when it is opened again, and a file can hold it. No Qt.

What is read may be of another version, damaged or written by a stranger: everything is looked at before it is used, and
what does not fit the network, such as a node that it does not have, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from wayfront.formats.options import OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.safe.errors import FormatError, NetworkError, OptionError, SchemaError
from wayfront.safe.files import read_at_most, write_text_whole
from wayfront.safe.options import AUTO, OptionValue
from wayfront.safe.schema import HeaderField, check_header, parse_json
from wayfront.safe.text import shortened
from wayfront.searching.registry import find_algorithm
from wayfront_gui.session.choice import MOST_OTHERS, MOST_TARGETS, Choice, Targets
from wayfront_gui.session.closures import NO_ARCS, Arcs, as_arcs
from wayfront_gui.session.state import MOST_LANES, SlotState
from wayfront_gui.session.turning import MOST_TURNS, Turns, as_turns
from wayfront_gui.ui.translation import marked

VERSION = 1
LONGEST = 1 << 16
"""Characters of a kept session."""
MOST_CLOSED = 2_000
"""Closed arcs that are kept; more of them belong into a table of their own."""
MOST_THREADS = 4096
RAN_LONG = "ran long"
"""Marks a kept choice whose search had run for long when the window was closed: nobody waits for it at a start."""
SUFFIX = ".wfsession"
"""Of the file of a session."""
LESSON_SUFFIX = ".toml"
FARTHEST = 1e12
"""No side of a view is farther from the middle of the map's plane, in its units: the Earth has some 2e8."""
_NONE = type(None)
_SESSION = marked("the session")
_NODE = (int, _NONE)
_OPTIONS = HeaderField("", (dict,), items=HeaderField("", (str, int, float, bool)))
_CHOICE = (
    HeaderField("metric", (str, _NONE), optional=True),
    HeaderField("kind", (str, _NONE), optional=True),
    HeaderField("algorithm", (str, _NONE), optional=True),
    HeaderField("options", (dict, _NONE), optional=True, items=_OPTIONS),
    HeaderField("sample", (int, _NONE), optional=True),
    HeaderField("device", (str, _NONE), optional=True),
    HeaderField("threads", (int, _NONE), optional=True),
    HeaderField("source", _NODE, optional=True),
    HeaderField("reverse", (bool, _NONE), optional=True),
    HeaderField("target", _NODE, optional=True),
    HeaderField("targets", (list, _NONE), optional=True, items=HeaderField("", (int,))),
    HeaderField("through", (bool, _NONE), optional=True),
    HeaderField("alternatives", (bool, _NONE), optional=True),
    HeaderField("alternative", (int, _NONE), optional=True),
    HeaderField("closures", (list, _NONE), optional=True, items=HeaderField("", (int,))),
    HeaderField("turns", (list, _NONE), optional=True, items=HeaderField("", (list,), items=HeaderField("", (int,)))),
    HeaderField(RAN_LONG, (bool, _NONE), optional=True),
)
_PLAIN = str, int, float, bool
_STATE = HeaderField("", (dict,), items=HeaderField("", (*_PLAIN, _NONE, list), items=HeaderField("", _PLAIN)))
_SIDE = HeaderField("", (float,), lowest=-FARTHEST, highest=FARTHEST)
FIELDS = (
    HeaderField("opened_by", (str,), file_name=True),
    HeaderField("content_key", (str,), longest=200),
    HeaderField("choice", (dict,), fields=_CHOICE),
    HeaderField("view", (list, _NONE), optional=True, longest=4, items=_SIDE),
    HeaderField("states", (dict, _NONE), optional=True, items=_STATE),
    HeaderField("reading", (str, _NONE), optional=True),
)
"""What a slot is written as; other entries are of other versions, and left out."""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """One slot as it was.

    opened_by    the file or the name that opens its network
    content_key  of that network: closed arcs mean nothing on another one
    choice       what ``plain_choice`` returned
    view         left, bottom, right and top of what was seen, in the map's plane; None for the whole network
    states       what subjects beside the search kept (``SlotState.kept``), by their names
    reading      how it was read from OpenStreetMap data, "" for other networks
    """

    opened_by: str
    content_key: str
    choice: Mapping[str, Any] = field(default_factory=dict)
    view: tuple[float, float, float, float] | None = None
    states: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    reading: str = ""

    @classmethod
    def of(
        cls,
        opened_by: str,
        network: RoadNetwork,
        choice: Choice,
        view: tuple[float, float, float, float] | None,
        states: Iterable[SlotState] = (),
    ) -> SavedSession:
        """Return a slot with this network as it is now."""
        kept = {state.KEPT: state.kept() for state in states if state.KEPT}
        known = {name: plain for name, plain in kept.items() if plain is not None}
        return cls(opened_by, network.content_key, plain_choice(choice, network), view, known, network.reading)

    def text(self) -> str:
        """Return it as one line of JSON."""
        plain = {"version": VERSION, "opened_by": self.opened_by, "content_key": self.content_key}
        plain |= {"reading": self.reading} if self.reading else {}
        return json.dumps({**plain, "choice": dict(self.choice), "view": self.view, "states": dict(self.states)})

    @classmethod
    def read(cls, text: str) -> SavedSession:
        """Return what ``text`` returned. Raises ``SchemaError``, a ``ValueError``, for anything else."""
        plain = parse_json(text, LONGEST, _SESSION)
        if not isinstance(plain, dict) or plain.get("version") != VERSION:
            raise SchemaError("it is no session that this version can read")
        return cls.of_plain(check_header(plain, FIELDS, _SESSION))

    @classmethod
    def of_plain(cls, checked: Mapping[str, Any]) -> SavedSession:
        """Return a slot of values that have passed ``check_header`` with ``FIELDS``. Raises ``SchemaError``."""
        opened_by, view = checked["opened_by"], checked["view"]
        if Path(opened_by).suffix.lower() in (SUFFIX, LESSON_SUFFIX):  # it could name itself, without an end
            raise SchemaError(f"{shortened(opened_by, 80)} is no network that a session could be of")
        if view is not None and (len(view) != 4 or view[0] >= view[2] or view[1] >= view[3]):
            raise SchemaError("a view is four numbers, left, bottom, right and top, the last two above the first")
        seen = None if view is None else tuple(view)
        states, reading = checked["states"] or {}, checked["reading"] or ""
        return cls(opened_by, checked["content_key"], checked["choice"], seen, states, reading)

    def give_states(self, network: RoadNetwork, states: Iterable[SlotState]) -> None:
        """Let subjects take what they kept, if the network that was opened again is equal."""
        for state in states if network.content_key == self.content_key else ():
            if (plain := self.states.get(state.KEPT)) is not None:
                state.take_kept(plain)

    @property
    def turns(self) -> Turns:
        """The turns that were closed by hand, which the network that is opened again may lack."""
        try:
            return as_turns((self.choice.get("turns") or [])[:MOST_TURNS])
        except (TypeError, ValueError, OverflowError):
            return ()

    @property
    def osm(self) -> OsmOptions | None:
        """How the network was read from OpenStreetMap data; None where it was not, or an older version kept it."""
        try:
            return OsmOptions.described(self.reading) if self.reading else None
        except OptionError:  # of another version
            return None

    def choice_on(self, network: RoadNetwork) -> Choice:
        """Return the choice on a network that was opened again; what does not fit it is left out."""
        plain = self.choice
        kind = next((kind for kind in SearchKind if kind.name == plain.get("kind")), SearchKind.ONE_TREE)
        algorithm, metric = _algorithm(plain.get("algorithm"), kind), plain.get("metric")
        sample, threads = (_count(plain.get(name)) for name in ("sample", "threads"))
        device = plain.get("device")
        return Choice(
            metric=metric if metric in [m.name for m in network.metrics] else network.metrics[0].name,
            kind=kind,
            algorithm=algorithm,
            options=_options(plain.get("options")),
            sample=sample,
            device=device if isinstance(device, str) else AUTO,
            threads=min(threads or 1, MOST_THREADS),
            source=node_of(network, plain.get("source")),
            reverse=plain.get("reverse") is True,
            targets=_targets(network, plain),
            closures=_closures(network, plain.get("closures")) if network.content_key == self.content_key else NO_ARCS,
        )


def plain_choice(choice: Choice, network: RoadNetwork) -> dict[str, Any]:
    """Return a choice on a network as JSON values; nodes are the file's ids."""
    ids = network.node_ids
    return {
        "metric": choice.metric,
        "kind": choice.kind.name,
        "algorithm": choice.algorithm,
        "options": {algorithm: dict(options) for algorithm, options in choice.options.items()},
        RAN_LONG: False,
        "sample": choice.sample,
        "device": choice.device,
        "threads": choice.threads,
        "source": None if choice.source is None else int(ids[choice.source]),
        "reverse": choice.reverse,
        "target": None if choice.targets.shown is None else int(ids[choice.targets.shown]),
        "targets": [int(ids[node]) for node in choice.targets.nodes],
        "through": choice.targets.through,
        "alternatives": choice.targets.others,
        "alternative": choice.targets.rank,
        "turns": [list(turn) for turn in choice.turns],
        "closures": choice.closures.tolist() if len(choice.closures) <= MOST_CLOSED else [],
    }


def _algorithm(value: Any, kind: SearchKind) -> str:
    if value == AUTO:  # asking for any other loads all of them, which would come before the first picture
        return AUTO
    try:
        return str(value) if find_algorithm(str(value)).kind is kind else AUTO
    except OptionError:
        return AUTO


def _options(value: Any) -> dict[str, dict[str, OptionValue]]:
    """Return those values of options that this version has and allows."""
    found: dict[str, dict[str, OptionValue]] = {}
    for algorithm, options in value.items() if isinstance(value, dict) else ():
        try:
            declared = {option.name: option for option in find_algorithm(str(algorithm)).options}
            given = options.items() if isinstance(options, dict) else ()
            found[algorithm] = {name: declared[name].parse(v) for name, v in given if name in declared}
        except (OptionError, TypeError, ValueError):
            continue
    return found


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def node_of(network: RoadNetwork, value: Any) -> int | None:
    """Return the node that has an id in the file, None for what is no id of the network."""
    try:
        return network.node(value) if isinstance(value, int) and abs(value) < 1 << 63 else None
    except NetworkError:
        return None


def _targets(network: RoadNetwork, plain: Mapping[str, Any]) -> Targets:
    """Return the targets that the network has; sessions of versions before have one ``target`` alone."""
    shown, listed = node_of(network, plain.get("target")), plain.get("targets")
    given = [node_of(network, value) for value in (listed if isinstance(listed, list) else [])[:MOST_TARGETS]]
    nodes = tuple(dict.fromkeys(node for node in given if node is not None))
    others, rank = plain.get("alternatives") is True, plain.get("alternative")
    rank = rank if others and isinstance(rank, int) and 0 <= rank < MOST_OTHERS else 0
    if shown not in nodes:
        return replace(Targets.only(shown), others=others, rank=rank)
    return Targets(nodes, shown, plain.get("through") is True, others, rank)


def _closures(network: RoadNetwork, value: Any) -> Arcs:
    if not isinstance(value, list) or not all(isinstance(arc, int) and 0 <= arc < network.arc_count for arc in value):
        return NO_ARCS
    return as_arcs(np.array(value[:MOST_CLOSED], np.int64))


__all__ = ["SUFFIX", "SessionFile"]

_KIND, _VERSION = "wayfront session", 1
_LONGEST = 1 << 20
"""Bytes: six slots with thousands of closed roads have half of it."""
_FILE = marked("the file")
_FIELDS = (HeaderField("slots", (list,), longest=MOST_LANES, items=HeaderField("", (dict,), fields=FIELDS)),)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """What a session file holds.

    slots       at least one, that which panels show first; all on one network
    theme       a theme's name; one that does not exist leaves that of the window
    colour_map  the colours of distance, likewise
    split       whether a race is shown on one map in strips
    """

    slots: tuple[SavedSession, ...]
    theme: str = ""
    colour_map: str = ""
    split: bool = False

    def write(self, path: str | Path) -> None:
        """Write the file. Raises ``WriteError``."""
        plain = {
            "kind": _KIND,
            "version": _VERSION,
            "slots": [json.loads(slot.text()) for slot in self.slots],
            "theme": self.theme,
            "colour_map": self.colour_map,
            "split": self.split,
        }
        write_text_whole(path, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: str | Path) -> SessionFile:
        """Read a file. Raises ``FormatError``."""
        written = read_at_most(path, _LONGEST, f"a session has at most {_LONGEST:,} bytes")
        try:
            plain = _checked(parse_json(written, _LONGEST, _FILE))
            slots = check_header(plain, _FIELDS, _FILE)["slots"]
            saved = tuple(SavedSession.of_plain(slot) for slot in slots)
        except SchemaError as problem:
            raise FormatError(f"the session cannot be read: {problem}", path, problem.line) from None
        found = tuple(_found(slot, Path(path).parent) for slot in saved)
        theme, colours = (each if isinstance(each := plain.get(name), str) else "" for name in ("theme", "colour_map"))
        return cls(found, theme, colours, plain.get("split") is True)


def _checked(plain: object) -> dict[str, Any]:
    if not isinstance(plain, dict) or (plain.get("kind"), plain.get("version")) != (_KIND, _VERSION):
        raise SchemaError("it is no session of this version of wayfront")
    slots = plain.get("slots")
    if isinstance(slots, list) and not 1 <= len(slots) <= MOST_LANES:
        raise SchemaError(f"a session has 1 to {MOST_LANES} searches")
    return plain


def _found(slot: SavedSession, folder: Path) -> SavedSession:
    """Return a slot whose network is taken from beside the session where it is no longer where it was."""
    beside = folder / Path(slot.opened_by.replace("\\", "/")).name
    try:
        moved = not Path(slot.opened_by).exists() and beside.is_file()
    except (OSError, ValueError):  # longer than the system allows, or with a zero byte
        return slot
    return replace(slot, opened_by=str(beside)) if moved else slot
