"""Console: Python beside the map, with the network, the result and the search of the active slot."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section


def _console(host: Host) -> QWidget:
    from wayfront_gui.features.console.panel import ConsolePanel  # nothing of it is loaded before it is asked for

    return ConsolePanel(host)


FEATURE = Feature(
    "console",
    sections=(
        Section(
            "console",
            "Python",
            _console,
            "Python with the network, the result and the search of the window",
            at=190,
            keys=("Ctrl+Shift+J",),
            beside=True,
            text="Python console",
        ),
    ),
)
