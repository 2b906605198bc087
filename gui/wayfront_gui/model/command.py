"""One command, as menus, the palette and the keyboard page show it. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wayfront_gui.translation import translated

_KEY_BEHIND = re.compile(r"\(&\w\)")
"""The menu key of a language that is not written in letters stands behind the text."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a person can do.

    ``name`` is ``menu.what``. ``does`` names a method of the class in ``window/commands`` that belongs to the menu; it
    is called with ``argument`` unless that is empty. ``keys`` are shortcuts, the first of which is shown. Commands of
    one ``group`` exclude each other; ``checkable`` ones are called with their new state.
    """

    name: str
    text: str
    does: str
    keys: tuple[str, ...] = ()
    hint: str = ""
    argument: str = ""
    group: str = ""
    checkable: bool = False
    separated: bool = False  # by a line from the command before it in the menu

    @property
    def menu(self) -> str:
        """The menu that lists it."""
        return self.name.partition(".")[0]

    @property
    def plain_text(self) -> str:
        """The text in the language in use, without the mark of its menu key."""
        return without_key(translated(self.text))

    @property
    def about(self) -> str:
        """What it does, in the language in use."""
        return translated(self.hint) if self.hint else self.plain_text


def without_key(text: str) -> str:
    """Return a menu's or a command's text without the mark of its menu key: ``&Open``, ``開く(&O)``."""
    return _KEY_BEHIND.sub("", text).replace("&", "")
