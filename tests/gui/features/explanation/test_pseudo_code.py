"""Pseudo-code: its indentation is seen whatever font a system has for code."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QImage
from pytestqt.qtbot import QtBot

from wayfront_gui.features.explanation.panel import LINE_HEIGHT, PADDING, PseudoCode
from wayfront_gui.ui.theme import PAPER

LINES = ("印の付いたノードがある間:", "  u ← 最小", "    u を確定", "  mm")


@pytest.mark.parametrize("family", ["DejaVu Sans", "DejaVu Sans Mono"])
def test_lines_are_indented_in_a_font_whose_spaces_are_narrow(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    if QFontInfo(QFont(family)).family() != family:
        pytest.skip(f"this machine has no font {family}")
    monkeypatch.setattr(QFontDatabase, "systemFont", lambda _which: QFont(family))
    code = PseudoCode()
    qtbot.addWidget(code)
    code.set_theme(PAPER)
    code.show_lines(LINES)
    code.resize(code.sizeHint())
    picture = code.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    grey = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), -1)[:, : picture.width()]
    begins = []
    for row in range(len(LINES)):
        top = PADDING + row * LINE_HEIGHT
        ink = np.any(grey[top : top + LINE_HEIGHT, 4:-4] < 128, axis=0)
        assert ink.any() and not ink[-2:].any(), "no line is cut"
        begins.append(int(ink.argmax()))
    digit = QFontMetricsF(code.font()).horizontalAdvance("0")
    away = [(begin - begins[0]) / digit for begin in begins]
    assert away == pytest.approx([0, 2, 4, 2], abs=0.6), "in digits, for each leading space"
