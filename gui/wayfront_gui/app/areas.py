"""Goes with a key from one part of the window to the next: activities, panel, map, second column, replay."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host


class Areas:
    """Gives the focus to the parts of the window in turn, as one reads them."""

    def __init__(self, host: Host) -> None:
        panels = host.panels
        self._view = host.view
        self._areas = (panels.bar, panels.side, host.view, panels.beside, panels.replay)

    @command(
        "view.next_part",
        "&Next part of the window",
        keys=("F6",),
        hint="The keyboard goes on to the next of activities, panel, map, second column and replay",
        at=(2, 1),
        under="view/activities",
        argument="1",
    )
    @command(
        "view.previous_part",
        "&Previous part of the window",
        keys=("Shift+F6",),
        hint="The keyboard goes back to the part before",
        at=(2, 2),
        under="view/activities",
        argument="-1",
    )
    def go(self, by: str) -> None:
        """Give the focus to the next part that has something to use (1), or to the one before (-1)."""
        firsts = [(area, first) for area in self._areas if (first := self._first(area)) is not None]
        focused = QApplication.focusWidget()
        at = next((row for row, (area, _) in enumerate(firsts) if _holds(area, focused)), -1 if int(by) > 0 else 0)
        firsts[(at + int(by)) % len(firsts)][1].setFocus(Qt.FocusReason.TabFocusReason)

    def _first(self, area: QWidget) -> QWidget | None:
        """Return what gets the focus in a part: the chosen button of a row of them, else what Tab comes to first."""
        if area is self._view:
            return area
        found: list[QWidget] = []
        widget = area.nextInFocusChain()
        while widget is not None and widget is not area:
            if _holds(area, widget) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled():
                found += [widget] * widget.isVisible()
            widget = widget.nextInFocusChain()
        if area is self._areas[0]:
            found.sort(key=lambda each: not (isinstance(each, QAbstractButton) and each.isChecked()))
        return found[0] if found else None


def _holds(area: QWidget, widget: QWidget | None) -> bool:
    return widget is not None and (area is widget or area.isAncestorOf(widget))
