"""Commands: what a person can do, declared where it is done. Menus, shortcuts, tooltips and the search box read that.

A method that a person can call is decorated with ``command``, in the core and in features alike. No Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeVar

from wayfront_gui.ui.translation import translated, without_key

_OFFERED = "__commands__"
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a person can do.

    ``name`` is ``group.what``. ``keys`` are shortcuts, the first of which is shown. It is listed in the menu of its
    group, or in the one ``under`` names: a key of ``MENUS``, or ``PALETTE`` for none. ``at`` is the section of the
    menu, between lines, and the row in it. Commands of one ``group`` exclude each other. The decorated method is called
    with ``argument`` unless that is empty, and if the command is ``checkable`` with its new state. ``does`` names it.
    What is ``kept`` is checkable, and at the next start as it was at the last one: it is the key of the settings that
    keep that, with the state at a first start.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    hint: str = ""
    at: tuple[int, float] = (99, 0)
    argument: str = ""
    group: str = ""
    checkable: bool = False
    does: str = ""
    kept: tuple[str, bool] | None = None
    under: str = ""

    @property
    def is_switch(self) -> bool:
        """Whether it has a state."""
        return self.checkable or self.kept is not None

    @property
    def menu(self) -> str:
        """The menu that lists it."""
        group = self.name.partition(".")[0]
        return self.under or _MENU_OF.get(group, group)

    @property
    def plain_text(self) -> str:
        """The text in the language in use, without the mark of its menu key."""
        return without_key(translated(self.text))

    @property
    def about(self) -> str:
        """What it does, in the language in use."""
        return translated(self.hint) if self.hint else self.plain_text

    def __call__(self, method: Method) -> Method:
        """Offer a method to people as this command, one of perhaps several."""
        setattr(method, _OFFERED, (replace(self, does=method.__name__), *_offered(method)))
        return method


command = Command
"""Decorates a method that people can call; one may be decorated several times, with other arguments."""


def offered(*commands: Command) -> Callable[[Method], Method]:
    """Offer a method to people as several commands."""

    def offer(method: Method) -> Method:
        for each in reversed(commands):
            each(method)
        return method

    return offer


def _offered(method: object) -> tuple[Command, ...]:
    return getattr(method, _OFFERED, ())


def commands_of(kind: type) -> list[Command]:
    """Return the commands that the methods of a class are offered as, and those that its ``more_commands`` names."""
    more: Callable[[], list[Command]] = getattr(kind, "more_commands", list)
    return [*(each for name in dir(kind) for each in _offered(getattr(kind, name))), *more()]


def in_menus(commands: Iterable[Command]) -> list[Command]:
    """Return commands in the order of the menus, those that no menu lists at the end."""
    menus = [*MENUS, PALETTE]
    return sorted(commands, key=lambda each: (menus.index(each.menu), each.at))


MAC: Mapping[str, Mapping[str, object]] = {
    "search.cancel": {"keys": ("Esc", "Ctrl+.")},
    "race.next": {"keys": ("Meta+Tab",)},  # Command and Tab change between programs
    "view.full_screen": {"keys": ("Ctrl+Meta+F",)},  # F11 shows the desktop
    "help.keyboard": {"keys": ("Ctrl+?", "?")},
    "replay.start": {"keys": ("Home", "Alt+Left")},  # small keyboards have neither Home nor End
    "replay.end": {"keys": ("End", "Alt+Right")},
}
WINDOWS: Mapping[str, Mapping[str, object]] = {
    "edit.redo": {"keys": ("Ctrl+Y", "Ctrl+Shift+Z")},
    "file.quit": {"text": "E&xit"},
}
_DIFFERENCES = {"darwin": MAC, "win32": WINDOWS}


def for_platform(commands: Iterable[Command], platform: str) -> tuple[Command, ...]:
    """Return commands with the texts and keys that are usual on a system, by its name in ``sys.platform``."""
    different = _DIFFERENCES.get(platform, {})
    return tuple(replace(command, **different.get(command.name, {})) for command in commands)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu: its title, and its place in the menu above, of which its key names the path."""

    title: str
    at: tuple[int, float] = (99, 0)


PALETTE = "palette"
"""What only the search box lists."""
ACTIVITIES = ("explore", "compare", "analyse", "teach", "show")
"""What people do with the window. Each has a menu of its own, which the menu bar has while it is chosen."""
MENUS = {
    "file": Menu("&File"),
    "file/plugins": Menu("Pl&ug-ins", (3, 1)),
    "edit": Menu("&Edit"),
    "search": Menu("&Search"),
    "replay": Menu("&Replay"),
    "replay/go": Menu("Go &to", (2, 1)),
    "replay/clock": Menu("A&dvance", (3, 5)),
    "view": Menu("&View"),
    "view/activities": Menu("&Activities", (1, 0)),
    "view/theme": Menu("&Colours of the window", (3, 1)),
    "view/colours": Menu("Colours of &distance", (3, 2)),
    "view/layers": Menu("On the &map", (3, 3)),
    "view/text": Menu("Te&xt size", (3, 4)),
    "view/language": Menu("&Language", (3, 5)),
    "view/panels": Menu("&Panels", (4, 1)),
    "view/beside": Menu("&Beside the map", (4, 2)),
    "explore": Menu("E&xplore"),
    "explore/roads": Menu("Closed &roads", (3, 1)),
    "compare": Menu("&Compare"),
    "analyse": Menu("&Analyse"),
    "analyse/flows": Menu("What &streets carry", (3, 2)),
    "analyse/points": Menu("Po&ints", (5, 1)),
    "teach": Menu("&Teach"),
    "teach/tours": Menu("&Tours", (1, 2)),
    "teach/make": Menu("Ma&ke a lesson", (3, 1)),
    "show": Menu("Sh&ow"),
    "help": Menu("&Help"),
}
MOST_ENTRIES = 14
"""Entries of a menu at most: one reads no more at a glance."""
_MENU_OF = {"roads": "explore/roads", "race": "compare", "lesson": "teach"}
"""The menus of groups of commands that are named otherwise."""


class Fit(IntEnum):
    """Where the words that were typed begin words of a command, the best first."""

    BEGINNING = 0
    TEXT = 1
    HINT = 2


class CommandWords:
    """The words of some commands, in the language in use and in English: that is how documents call them."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._known: list[tuple[Command, tuple[str, str], str, str]] = []
        for each in commands:
            texts, group = (each.plain_text.lower(), without_key(each.text).lower()), each.name.replace(".", " ")
            whole = f"{' '.join(texts)} {each.about} {group} {each.hint}".lower()
            self._known.append((each, texts, _in_lines(texts[0]) + _in_lines(texts[1]), _in_lines(whole)))

    def find(self, typed: str) -> list[tuple[Fit, Command]]:
        """Return the commands in which every typed word begins some word of text, menu or hint, best first."""
        # Of a language without spaces, as Japanese, words may also stand inside.
        wanted = [f"\n{part}" if part.isascii() else part for part in typed.lower().split()]
        beginning = " ".join(typed.lower().split())
        found = []
        for command, texts, of_texts, whole in self._known:
            if all(part in whole for part in wanted):
                begins = any(text.startswith(beginning) for text in texts)
                in_text = all(part in of_texts for part in wanted)
                found.append((Fit.BEGINNING if begins else Fit.TEXT if in_text else Fit.HINT, command))
        return sorted(found, key=lambda each: each[0])


def _in_lines(text: str) -> str:
    """Return the words of a text, a line feed before each."""
    return "".join(f"\n{word}" for word in text.split())
