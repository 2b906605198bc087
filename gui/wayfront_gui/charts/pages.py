"""Write what a painter paints as SVG or PDF, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from wayfront.errors import WriteError
from wayfront.files import write_whole
from wayfront.version import __version__

Paint = Callable[[QPainter], None]
POINTS_PER_MM = 72 / 25.4
_DOTS_PER_INCH = 1200
"""In how many steps a PDF divides an inch."""


def write_svg(path: str | Path, width: float, height: float, title: str, paint: Paint) -> None:
    """Write an SVG of ``width`` × ``height`` pixels. Raises ``WriteError``."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSizeF(width, height).toSize())
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(title)
    generator.setDescription(f"wayfront {__version__}")
    painter = QPainter()
    if not painter.begin(generator):
        raise WriteError(path, "the drawing could not be started")
    try:
        paint(painter)
    finally:
        painter.end()
    _write(path, buffer)


def write_pdf(path: str | Path, width: float, height: float, title: str, paint: Paint, points: float = 1.0) -> None:
    """Write a PDF of one page of ``width`` × ``height`` units, each of so many points (1/72 inch), without margins.

    Raises ``WriteError``.
    """
    write_pdf_pages(path, width, height, title, [paint], points)


def write_pdf_pages(
    path: str | Path, width: float, height: float, title: str, pages: Sequence[Paint], points: float = 1.0
) -> None:
    """Write a PDF with a page for each of ``pages``, as ``write_pdf`` does. Raises ``WriteError``."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator(f"wayfront {__version__}")
    writer.setResolution(_DOTS_PER_INCH)
    size = QPageSize(
        QSizeF(width * points, height * points), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch
    )
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    painter = QPainter()
    if not painter.begin(writer):
        raise WriteError(path, "the page could not be started")
    try:
        unit = points * _DOTS_PER_INCH / 72
        painter.scale(unit, unit)
        for number, paint in enumerate(pages):
            if number:
                writer.newPage()
            paint(painter)
    finally:
        painter.end()
    _write(path, buffer)


def _write(path: str | Path, buffer: QBuffer) -> None:
    with write_whole(path) as file:
        file.write(buffer.data().data())
