"""Explanation: how an algorithm works, with the lines of its pseudo-code that the shown step carries out."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section


def _panel(host: Host) -> QWidget:
    """Return the panel, which follows what is searched and played, and reads its texts again after plug-ins changed."""
    from wayfront_gui.features.explanation.panel import ExplanationPanel

    panel = ExplanationPanel(host.session)
    host.controller.searching_changed.connect(panel.show_searching)
    host.controller.declared_changed.connect(panel.read_again)
    host.session.clock.playing_changed.connect(panel.show_playing)
    return panel


FEATURE = Feature(
    "explanation",
    sections=(
        Section(
            "explanation",
            "Explanation",
            _panel,
            "How the algorithm works",
            at=95,
            opened=("teach",),
            text="&Explanation",
            keys=("E",),
            beside=True,
        ),
    ),
)
