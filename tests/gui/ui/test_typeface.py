"""The bundled typeface: what it has, and that pictures do not depend on a system's fonts."""

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage, QPainter, QRawFont
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from wayfront_gui.features.timing.plots import Sheet, write_pdf, write_svg
from wayfront_gui.resources import asset
from wayfront_gui.ui.style import text_font
from wayfront_gui.ui.translation import LANGUAGES, read_entries
from wayfront_gui.ui.typeface import FAMILIES, FOLDER, use_typeface

TITLE = "Δ-stepping ≤ 4 ms, Þingeyri, Łódź: 最短経路"
NO_FONTS = "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig><dir>{0}</dir></fontconfig>"
DRAW = """
import sys
from PySide6.QtGui import QImage, QPainter
from wayfront_gui.cli.drawing import start_qt
from wayfront_gui.features.timing.plots import Sheet
application = start_qt()
picture = QImage(700, 120, QImage.Format.Format_RGB32)
painter = QPainter(picture)
Sheet(painter, "dark", 700, 120).header(sys.argv[2], "1,234,567.89 ms · 距離")
painter.end()
picture.save(sys.argv[1])
"""


def paint_sheet(painter: QPainter) -> None:
    sheet = Sheet(painter, "paper", 600, 200)
    sheet.header(TITLE, "a subtitle")
    sheet.paragraph(QRectF(40, 100, 150, 80), "A text that is wrapped into several lines")


def fonts() -> list[QRawFont]:
    return [QRawFont(str(path), 12) for path in sorted(asset(FOLDER).glob("*.ttf"))]


def test_every_character_of_a_translation_is_in_the_typeface(qapp: QApplication) -> None:
    bold, regular = (fonts()[start::2] for start in (0, 1))
    for language in LANGUAGES:
        for path in asset("translations").glob(f"{language}/*.po"):
            entries = read_entries(path)[1]
            used = {letter for entry in entries for text in (entry.text, *entry.forms) for letter in text}
            for weight in (bold, regular):
                missing = [
                    letter
                    for letter in used
                    if letter.isprintable() and not any(font.supportsCharacter(ord(letter)) for font in weight)
                ]
                assert not missing, (path.name, missing)


def test_figures_have_one_width_in_both_weights(qapp: QApplication) -> None:
    use_typeface(qapp)
    for bold in (False, True):
        metrics = QFontMetricsF(text_font(20, bold))
        assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1


def test_texts_are_in_the_bundled_typeface(qapp: QApplication) -> None:
    use_typeface(qapp)
    assert QFontInfo(QFont()).family() == FAMILIES[0]
    assert all(font.isValid() for font in fonts()) and len(fonts()) == 4


def test_a_picture_is_the_same_without_any_font_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts.conf").write_text(NO_FONTS.format(tmp_path / "fonts"))
    made = []
    for name, settings in (("with", {}), ("without", {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")})):
        picture = tmp_path / f"{name}.png"
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **settings}
        subprocess.run([sys.executable, "-c", DRAW, str(picture), TITLE], env=environment, check=True, timeout=120)
        made.append(QImage(str(picture)))
    assert not made[0].isNull() and made[0] == made[1]


def test_an_svg_has_no_texts_that_another_machine_would_draw_in_another_typeface(
    qapp: QApplication, tmp_path: Path
) -> None:
    use_typeface(qapp)
    path = tmp_path / "sheet.svg"
    write_svg(path, 600, 200, "a sheet", paint_sheet)
    written = path.read_text("utf-8")
    assert "stepping" in written, "one can search for it"
    assert written.count("<text") == written.count('<text fill="#000000" fill-opacity="0"') > 0
    drawn, painted = (QImage(600, 200, QImage.Format.Format_RGB32) for _ in range(2))
    with QPainter(drawn) as painter:
        QSvgRenderer(str(path)).render(painter)
    with QPainter(painted) as painter:
        paint_sheet(painter)
    ink = [
        {(x, y) for x in range(600) for y in range(200) if each.pixelColor(x, y).lightness() < least}
        for each, least in ((drawn, 128), (painted, 240))
    ]
    near = {(x + right, y + down) for x, y in ink[1] for right in (-1, 0, 1) for down in (-1, 0, 1)}
    assert len(ink[0]) > 1000 and ink[0] <= near, "the outlines stand elsewhere than the texts"


def test_a_pdf_brings_its_typeface_along(qapp: QApplication, tmp_path: Path) -> None:
    use_typeface(qapp)
    write_pdf(tmp_path / "sheet.pdf", 600, 200, "a sheet", [paint_sheet])
    assert (tmp_path / "sheet.pdf").read_bytes().count(b"/FontFile2") >= 3  # two weights, and Japanese
