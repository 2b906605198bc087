"""Points: a person's table on the map, for sources, targets, opportunities and depots, and for matrices."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.points.control import PointsControl
from wayfront_gui.features.points.matrix import MatrixControl
from wayfront_gui.session.points import Points


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.points.panel import PointsPanel

    return PointsPanel(host.session, host.actions)


FEATURE = Feature(
    "points",
    at=50,
    controls=(PointsControl, MatrixControl),
    states=(Points,),
    sections=(
        Section(
            "points",
            "Points",
            _panel,
            "A table of points on the map: shops, stops, addresses",
            at=55,
            activities=("explore", "analyse"),
            tools=("file.points",),
        ),
    ),
)
