"""The card shown instead of the map for a network without coordinates."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, label, push_button

WIDTH = 420


class NoMap(QFrame):
    """Offers to compute a layout, or to open a file of coordinates."""

    def __init__(self, lay_out: Callable[[], None], choose_file: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._title = label(rank="name")
        text = label(
            translated("You can search it without a map. To see the search, every node needs coordinates."), wrap=True
        )
        lay_out_button = push_button(
            translated("Lay the network out"),
            translated("Compute coordinates from the network's own distances"),
            rank="main",
        )
        lay_out_button.clicked.connect(lay_out)
        choose_button = push_button(
            translated("Choose coordinates…"), translated("DIMACS networks keep their coordinates in a separate file")
        )
        choose_button.clicked.connect(choose_file)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(lay_out_button)
        buttons.addWidget(choose_button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(self._title)
        layout.addWidget(text)
        layout.addLayout(buttons)
        keep_scaled(self.setFixedWidth, WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def show_for(self, name: str) -> None:
        """Show the card for the network of that name."""
        self._title.setText(translated("{name} has no map", name=name))
        self.adjustSize()
        self.show()
        self.raise_()
