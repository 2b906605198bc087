"""What stands in place of the map while there is none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from wayfront_gui.widgets.controls import GAP, label


class NoMap(QFrame):
    """Says that a network has no coordinates, and offers the two ways on."""

    def __init__(self, lay_out: Callable[[], None], choose_file: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._title = label(rank="name")
        text = label("Searches run on it all the same; to see them, it needs a place for every node.", wrap=True)
        lay_out_button = QPushButton("Lay it out")
        lay_out_button.setProperty("rank", "main")
        lay_out_button.setToolTip("Find places from the network's own distances")
        lay_out_button.clicked.connect(lay_out)
        choose_button = QPushButton("Choose a .co file…")
        choose_button.setToolTip("DIMACS keeps coordinates in a file of their own")
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
        self.setFixedWidth(420)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.hide()

    def show_for(self, name: str) -> None:
        """Show it for the network of that name."""
        self._title.setText(f"{name} has no map")
        self.adjustSize()
        self.show()
        self.raise_()
