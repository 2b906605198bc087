"""Icons for three systems: what lies in assets is what the script makes of the drawing, and every entry can be read."""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from make_icons import FOLDER, LINUX, MAC, WINDOWS, make_icons


def side_of(picture: bytes) -> int:
    """Return the side of a square PNG."""
    image = QImage.fromData(picture)
    assert image.width() == image.height() > 0
    assert image.pixelColor(0, 0).alpha() == 0 and image.pixelColor(image.rect().center()).lightness() > 120
    return image.width()


def test_every_icon_holds_the_drawing_in_its_sizes(tmp_path: Path) -> None:
    make_icons(tmp_path, QSvgRenderer(str(FOLDER / "wayfront.svg")))
    for path in tmp_path.iterdir():
        assert path.name in {kept.name for kept in FOLDER.iterdir()}
    for folder in (tmp_path, FOLDER):
        assert [side_of((folder / f"wayfront-{side}.png").read_bytes()) for side in LINUX] == list(LINUX)
        icon = (folder / "wayfront.ico").read_bytes()
        entries = [struct.unpack_from("<II", icon, 6 + 16 * row + 8) for row in range(len(WINDOWS))]
        assert [side_of(icon[at : at + length]) for length, at in entries] == list(WINDOWS)
        icon = (folder / "wayfront.icns").read_bytes()
        found, at = {}, 8
        while at < struct.unpack_from(">I", icon, 4)[0]:
            kind, length = struct.unpack_from(">4sI", icon, at)
            found[kind] = side_of(icon[at + 8 : at + length])
            at += length
        assert found == MAC and at == len(icon)
