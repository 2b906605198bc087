"""The typeface that comes with the program, so that a window, a picture or a film has the same letters everywhere.

Latin, Greek and Cyrillic come from one font and Japanese from another; characters that neither has are the system's.
Digits are all of one width. ``tools/fonts.py`` makes the files.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPainter,
    QPainterPath,
    QRawFont,
    QTextLayout,
    QTextOption,
    QTransform,
)

from wayfront_gui.resources import asset

FAMILIES = ("Wayfront Sans", "Wayfront Sans JP")
TYPEFACE = (("Inter", "4.001", "SIL Open Font License 1.1"), ("Noto Sans JP", "2.004", "SIL Open Font License 1.1"))
"""What the typeface is cut from: names, versions, licences."""
FOLDER = "fonts"
_USED = "wayfront typeface"
_BASELINE = Qt.AlignmentFlag.AlignBaseline.value


def use_typeface(application: QGuiApplication) -> None:
    """Have all texts of an application in the bundled typeface, as large as they are.

    Letters are drawn as they were designed and in shades of one colour: what a system would adapt to its screen would
    make a picture another one.
    """
    if application.property(_USED):
        return
    application.setProperty(_USED, True)
    for path in sorted(asset(FOLDER).glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(path))
    font = QFont(application.font())
    font.setFamilies(list(FAMILIES))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)
    application.setFont(font)


class OutlinePainter(QPainter):
    """Paints texts as outlines of their letters, for files that are looked at where the typeface is not.

    The text itself is there too, unseen, so that it can be found, copied and read aloud.
    """

    def drawText(self, *given: Any) -> None:  # type: ignore[override]  # noqa: N802 - Qt's name
        """Paint a text at a point of its baseline, or lines in a box by their alignment, wrapped if that is wanted."""
        if isinstance(given[0], QRectF):
            box, wanted, text = given
            path = _outlines(text, self.font(), box, int(wanted))
        else:
            at, text = given
            path = _outlines(text, self.font(), QRectF(at, at), _BASELINE)
        seen = self.pen()
        self.fillPath(path, seen.brush())
        self.setPen(QColor(0, 0, 0, 0))
        super().drawText(*given)
        self.setPen(seen)


def _outlines(text: str, font: QFont, box: QRectF, wanted: int) -> QPainterPath:
    """Return the letters of a text, in a box by Qt's flags of alignment and wrapping, or from a point of a baseline."""
    layout, option, path = QTextLayout(text.replace("\n", "\u2028"), font), QTextOption(), QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)  # the strokes of a letter may lie over each other
    wraps = wanted & Qt.TextFlag.TextWordWrap.value
    option.setWrapMode(QTextOption.WrapMode.WordWrap if wraps else QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    lines, height = [], 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(box.width())
        lines.append((line, height))
        height += line.height()
    layout.endLayout()
    if wanted & _BASELINE:
        top = box.top() - lines[0][0].ascent() if lines else 0.0
    else:
        top = box.top() + (box.height() - height) * _share(
            wanted, Qt.AlignmentFlag.AlignBottom, Qt.AlignmentFlag.AlignVCenter
        )
    for line, down in lines:
        free = box.width() - line.naturalTextWidth()
        left = box.left() + free * _share(wanted, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter)
        line.setPosition(QPointF(0.0, 0.0))
        for run in line.glyphRuns():
            letters = QRawFont(run.rawFont())
            shrinking = QTransform.fromScale(*[letters.pixelSize() / letters.unitsPerEm()] * 2)
            letters.setPixelSize(letters.unitsPerEm())  # at its own size a letter depends on what was painted before
            for index, place in zip(run.glyphIndexes(), run.positions(), strict=True):
                letter = shrinking.map(letters.pathForGlyph(index))
                path.addPath(letter.translated(place + QPointF(left, top + down)))
    return path


def _share(wanted: int, far: Qt.AlignmentFlag, middle: Qt.AlignmentFlag) -> float:
    """Return which share of the free room is before a text: all of it, half of it or none."""
    return 1.0 if wanted & far.value else 0.5 if wanted & middle.value else 0.0
