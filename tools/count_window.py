"""Counts what a person sees of the window at a first start: controls, labels, panels, and entries of menus.

usage: python tools/count_window.py [WxH]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from wayfront_gui.app.scrubber import Scrubber
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window

CONTROLS = (
    QAbstractButton, QComboBox, QAbstractSlider, QAbstractSpinBox, QLineEdit, QAbstractItemView, QTextEdit, Scrubber,
)  # fmt: skip
LONGEST_S = 120.0


def is_control(widget: QWidget) -> bool:
    """Return whether a person can do something with a widget of its own."""
    inside = isinstance(widget.parentWidget(), QComboBox | QAbstractSpinBox)
    hidden = widget.visibleRegion().isEmpty() or widget.objectName().startswith("qt_")
    return isinstance(widget, CONTROLS) and not isinstance(widget, QScrollBar) and not inside and not hidden


def main(size: str = "1440x900") -> None:
    """Open the window as at a first start, wait for its first search, and print the counts."""
    application = QApplication(["wayfront"])
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(Settings(QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat)))
        window.resize(*map(int, size.split("x")))
        window.show()
        window.open_first(None)
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and (window.session.active.result is None or window.controller.worker.busy):
            application.processEvents()
            time.sleep(0.01)
        widgets = window.findChildren(QWidget)
        controls = [widget for widget in widgets if is_control(widget)]
        labels = [
            each for each in widgets if isinstance(each, QLabel) and not each.visibleRegion().isEmpty() and each.text()
        ]
        print(f"controls {len(controls)}: {', '.join(map(_name, controls))}")
        print(f"labels {len(labels)}")
        bar = [action for action in window.menuBar().actions() if action.isVisible()]
        menus = [menu for action in bar if isinstance(menu := action.menu(), QMenu)]
        counts = {menu.title().replace("&", ""): len(entries(menu)) for menu in menus}
        print(f"menus {len(menus)}, entries {sum(counts.values())}: {counts}")
        every = {menu.title().replace("&", ""): len(entries(menu)) for menu in window.menuBar().findChildren(QMenu)}
        print(f"the longest of all {len(every)} menus: {max(every, key=every.__getitem__)}, {max(every.values())}")
        window.close()


def entries(menu: QMenu) -> list[str]:
    """Return the texts of a menu's entries."""
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return text.replace("&", "") or widget.accessibleName() or type(widget).__name__


if __name__ == "__main__":
    main(*sys.argv[1:2])
