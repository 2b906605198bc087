"""Make the program's icons for Linux, Windows and macOS from ``assets/icons/wayfront.svg``.

usage: python tools/make_icons.py [FOLDER]     (by default assets/icons)

Windows' ``.ico`` and macOS' ``.icns`` hold PNGs of several sizes; Linux takes the drawing itself and two PNGs, for
desktops that do not draw SVG.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "icons"
LINUX = (48, 256)
WINDOWS = (16, 20, 24, 32, 40, 48, 64, 256)
MAC = {b"icp4": 16, b"icp5": 32, b"icp6": 64, b"ic07": 128, b"ic08": 256, b"ic09": 512, b"ic11": 32, b"ic12": 64}
"""Types of entries and their sides; the last two are 16 and 32 points at 2x."""
MAC_MARGIN = 0.07
"""What macOS leaves free round an icon, as a share of its side."""


def png(drawing: QSvgRenderer, side: int, margin: float = 0.0) -> bytes:
    """Return the drawing as a PNG of ``side`` pixels, with a free border of ``margin`` of it."""
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    free = margin * side
    drawing.render(painter, QRectF(free, free, side - 2 * free, side - 2 * free))
    painter.end()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(written.data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """Return a Windows icon of PNGs by their sides: a header, an entry for each, then the PNGs."""
    entries, at = b"", 6 + 16 * len(pictures)
    for side, picture in pictures.items():
        entries += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures.values())


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """Return a macOS icon of PNGs by the types of their entries, each behind its type and length."""
    entries = b"".join(kind + struct.pack(">I", 8 + len(picture)) + picture for kind, picture in pictures.items())
    return b"icns" + struct.pack(">I", 8 + len(entries)) + entries


def make_icons(folder: Path, drawing: QSvgRenderer) -> None:
    """Write all icons to a folder."""
    for side in LINUX:
        (folder / f"wayfront-{side}.png").write_bytes(png(drawing, side))
    (folder / "wayfront.ico").write_bytes(ico({side: png(drawing, side) for side in WINDOWS}))
    (folder / "wayfront.icns").write_bytes(icns({kind: png(drawing, side, MAC_MARGIN) for kind, side in MAC.items()}))


if __name__ == "__main__":
    make_icons(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, QSvgRenderer(str(FOLDER / "wayfront.svg")))
