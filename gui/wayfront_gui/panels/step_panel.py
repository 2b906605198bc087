"""What the panels of a step on a small graph share: a picture and a text that are kept only while they are seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from wayfront_gui.look.theme import Theme
from wayfront_gui.model.session import Session
from wayfront_gui.widgets.controls import GAP, MARGIN
from wayfront_gui.widgets.step_picture import StepPicture


class StepPanel(QWidget):
    """Shows a picture and a text of the active slot's step; ``point_at`` points at a node on the map, -1 at none."""

    def __init__(
        self, session: Session, point_at: Callable[[int], object], picture: StepPicture, text: QLabel, *, above: bool
    ) -> None:
        super().__init__()
        self._session = session
        self._picture = picture
        picture.node_hovered.connect(point_at)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        for widget in (text, picture) if above else (picture, text):
            layout.addWidget(widget)
        layout.addStretch(1)
        for changed in (session.network_changed, session.result_changed, session.live_changed, session.view_changed):
            changed.connect(self._update)
        session.replay_moved.connect(self._update)
        session.dragged_changed.connect(self._update)

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._picture.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the picture up to date, which is not kept while nobody sees it."""
        super().showEvent(event)
        self._update()

    def _update(self) -> None:
        if self.isVisible():
            self._show()

    @abstractmethod
    def _show(self) -> None:
        """Show the step of now."""
