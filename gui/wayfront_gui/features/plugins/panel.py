"""A panel that a plug-in declares, and what it may use of the window. No Qt: a plug-in's file is also read without it.

The function that makes the widget imports Qt itself, and is called when the panel is shown for the first time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.plugins.loading import Declaration
from wayfront.safe.errors import OptionError
from wayfront.safe.text import printable
from wayfront_gui.app.commands import ACTIVITIES
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.translation import FIELD, translated

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.results.result import Result

LONGEST_TITLE, LONGEST_ABOUT = 40, 200
MOST_MARKS, MOST_ROUTES = 5_000, 100
"""Nodes that are marked at most, and routes: more are painted too slowly, and told apart by nobody."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NO_TEXTS: Mapping[str, Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Panel(Declaration):
    """A panel of the window that a plug-in declares.

    name        what it is called in settings and messages: small letters, figures and hyphens
    title       what stands above it, in one line
    make        called with what is ``Shown`` when the panel is opened for the first time; returns its ``QWidget``
    about       what it is for, in a sentence
    activities  where it is listed, one or more of explore, compare, analyse, teach and show
    beside      whether it is a tab beside the map, and not a part of the column at the left
    texts       its texts in other languages, by the language's code and the English text: ``{"ja": {"Share": "割合"}}``

    Raises ``OptionError`` for anything else.
    """

    name: str
    title: str
    make: Callable[[Shown], QWidget]
    about: str
    activities: tuple[str, ...]
    beside: bool = False
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: _NO_TEXTS, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise OptionError(f"a panel is called by small letters, figures and hyphens, not {self.name!r}")
        for what, text, longest in (("title", self.title, LONGEST_TITLE), ("about", self.about, LONGEST_ABOUT)):
            if not _is_line(text, longest):
                raise OptionError(
                    f"the {what} of the panel {self.name} is one line of 1 to {longest} characters without &, "
                    f"not {str(text)[:LONGEST_TITLE]!r}"
                )
        if not callable(self.make):
            raise OptionError(f"make of the panel {self.name} is a function that returns a QWidget, not {self.make!r}")
        known = isinstance(self.activities, tuple) and all(each in ACTIVITIES for each in self.activities)
        if not known or not self.activities:
            raise OptionError(
                f"activities of the panel {self.name} is a tuple of some of {', '.join(ACTIVITIES)}, "
                f"such as ('analyse',), not {self.activities!r}"
            )
        self._check_texts()

    def _check_texts(self) -> None:
        for language, texts in self.texts.items():
            for english, text in texts.items():
                if not isinstance(text, str) or _fields(text) != _fields(english):
                    raise OptionError(
                        f"the panel {self.name} has the text {english!r} in {language} with other fields than in "
                        "English: those in braces are the same in both"
                    )
            for english in (self.title, self.about):
                if english in texts and not _is_line(texts[english], LONGEST_ABOUT):
                    raise OptionError(f"title and about of the panel {self.name} are lines without & in {language} too")

    @property
    def called(self) -> str:
        """What it is and its name."""
        return f"panel {self.name}"


def _is_line(text: object, longest: int) -> bool:
    return (
        isinstance(text, str)
        and bool(text.strip())
        and len(text) <= longest
        and "&" not in text
        and text == printable(text)
        and len(text.splitlines()) == 1
    )


def _fields(text: str) -> list[str]:
    return sorted(found[0] for found in FIELD.finditer(text))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What a panel has on the map.

    nodes    int32: nodes that are marked
    routes   int32 each: nodes along a route
    values   float64 [n] by which nodes are coloured, NaN for those without a colour; None for no colours
    title    what the values are, for the legend
    network  what all of that belongs to
    """

    nodes: NDArray[np.int32]
    routes: tuple[NDArray[np.int32], ...]
    values: NDArray[np.float64] | None
    title: str
    network: RoadNetwork


@dataclass(frozen=True, slots=True)
class Acts:
    """What the window does for a panel."""

    choose_source: Callable[[int], None]
    choose_target: Callable[[int | None], None]
    say: Callable[[str], None]
    draw: Callable[[Drawn | None], None]
    failed: Callable[[BaseException], None]


class _Told(Notice):
    """A change that a panel is told of. Where that fails it is reported, and nobody else is told."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        super().__init__()
        self._failed = failed

    def __call__(self) -> None:
        """Call every listener."""
        for listener in tuple(self._listeners):
            try:
                listener()
            except (Exception, SystemExit) as problem:  # whatever a stranger's function raises
                self._failed(problem)
                return


class Shown:
    """What the window shows, for a plug-in's panel: to read, to be told of changes, and to show something on the map.

    Nodes are internal numbers, as in arrays of a network and of a result. All of it belongs to the search that is
    active; in a race another one may become that, which is told as a change. Everything is called in the window's
    thread: what takes longer than a moment there lets the window wait.
    """

    def __init__(self, session: Session, acts: Acts) -> None:
        self._session, self._acts = session, acts
        self.network_changed: Notice = _Told(acts.failed)
        """Another network was opened, or the roads of this one have changed."""
        self.result_changed: Notice = _Told(acts.failed)
        """A search has ended, or what it found is shown no longer."""
        self.source_changed: Notice = _Told(acts.failed)
        """Another source was chosen."""
        self.target_changed: Notice = _Told(acts.failed)
        """Another target was chosen, or none, or the route to it is known now."""

    @property
    def network(self) -> RoadNetwork | None:
        """The network that is open, None without one."""
        return self._session.active.network

    @property
    def metric(self) -> Metric | None:
        """What is searched by, None without a network."""
        return self._session.active.metric

    @property
    def result(self) -> Result | None:
        """What the last search from a source found, None where there is nothing or it runs."""
        slot = self._session.active
        return None if slot.live is not None else slot.result

    @property
    def source(self) -> int | None:
        """The node that is chosen as the source, None without one."""
        return self._session.active.source

    @property
    def target(self) -> int | None:
        """The node that the route leads to, None without one."""
        return self._session.active.target

    def choose_source(self, node: int) -> None:
        """Search from a node, as a click on the map does. Raises ``ValueError`` for one that there is not."""
        self._acts.choose_source(int(self._checked([node])[0]))

    def choose_target(self, node: int | None) -> None:
        """Show the route to a node, or none. Raises ``ValueError`` for a node that there is not."""
        self._acts.choose_target(None if node is None else int(self._checked([node])[0]))

    def say(self, text: str) -> None:
        """Show a line in the status line."""
        self._acts.say(printable(str(text)))

    def text(self, english: str, /, **fields: Any) -> str:
        """Return a text in the language of the window, from ``texts`` of the panel, with its fields filled in.

        Where it stands in a widget it changes with the language by itself.
        """
        return translated(english, **fields)

    def show_on_map(
        self,
        nodes: ArrayLike = (),
        routes: Sequence[ArrayLike] | Iterable[ArrayLike] = (),
        values: ArrayLike | None = None,
        title: str = "",
    ) -> None:
        """Show on the map what is given, in place of what this panel showed; nothing is given to show nothing.

        ``nodes`` are marked by dots. ``routes`` are nodes in turn, each joined to the one before by an arc. ``values``
        float [n] colour all roads from the least value to the greatest, with ``title`` in the legend; a node whose
        value is not finite has no colour. It is gone once another network is opened. Raises ``ValueError`` for nodes
        that there are not, more than 5,000 marks or 100 routes, and values that are not one for each node.
        """
        network, given = self.network, list(routes)
        marks = np.asarray(nodes)
        if network is None or (not marks.size and not given and values is None):
            self._acts.draw(None)
            return
        if marks.size > MOST_MARKS or len(given) > MOST_ROUTES:
            raise ValueError(
                f"a panel shows at most {MOST_MARKS:,} marks and {MOST_ROUTES} routes, not {marks.size:,} and "
                f"{len(given):,}: colour nodes by values instead"
            )
        shown = None if values is None else np.array(values, np.float64)
        if shown is not None and shown.shape != (network.node_count,):
            raise ValueError(f"values are one for each of {network.node_count:,} nodes, not of shape {shown.shape}")
        ways = tuple(map(self._checked, given))
        self._acts.draw(Drawn(self._checked(marks), ways, shown, printable(str(title)), network))

    def _checked(self, nodes: ArrayLike) -> NDArray[np.int32]:
        found, network = np.asarray(nodes), self.network
        count = 0 if network is None else network.node_count
        if found.size and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= count):
            raise ValueError(f"nodes are whole numbers from 0 to {count - 1:,}, not {found.ravel()[:3].tolist()}")
        return found.ravel().astype(np.int32)
