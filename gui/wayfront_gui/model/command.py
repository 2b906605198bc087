"""One command, as menus, the palette and the keyboard page show it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass


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
        """The text without the mark of its menu key."""
        return self.text.replace("&", "")
