"""Pictures of networks and results for notebooks and scripts.

The window's own canvas draws them, where that is installed: the engine asks for its drawing function by name, as for a
plug-in's, and imports nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from wayfront.errors import OptionError
from wayfront.files import write_whole

CANVAS = "wayfront_gui.cli.library_pictures"
"""The module whose ``draw`` returns a picture as the bytes of a PNG."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the bytes of a PNG file; a notebook shows it."""

    png: bytes

    def __repr__(self) -> str:
        return f"<Picture: PNG of {len(self.png):,} bytes>"

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | Path) -> None:
        """Write the picture as a PNG file. Raises ``OptionError`` for another suffix, and ``WriteError``."""
        if Path(path).suffix.lower() != ".png":
            raise OptionError(f"{path}: this picture is written as .png; 'wayfront render' writes drawings and films")
        with write_whole(path) as file:
            file.write(self.png)


def picture(subject: Any, **how: Any) -> Picture:
    """Return a picture of a network or a result. Raises ``OptionError`` where no canvas is installed."""
    try:
        canvas = import_module(CANVAS)
    except ImportError as missing:
        raise OptionError(f"plot() draws with the window's canvas, which cannot be loaded here: {missing}") from None
    return Picture(canvas.draw(subject, **how))
