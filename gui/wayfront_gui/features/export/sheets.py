"""The sheets of posters, from A0 to the screen of a telephone, and how texts and map are arranged on them. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wayfront_gui.ui.translation import marked

MM_PER_INCH = 25.4


MOST_PIXELS = 16384
"""Pixels along the longer side of a poster that is written as a picture."""


_USUAL_DPI = 300


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet: its name, width and height in millimetres, and the pixels across where it is a screen."""

    name: str
    label: str
    width_mm: float
    height_mm: float
    pixels_across: int = 0

    @property
    def short_mm(self) -> float:
        """The shorter side."""
        return min(self.width_mm, self.height_mm)

    @property
    def line_mm(self) -> float:
        """How wide the finest roads are: large sheets are seen from farther away."""
        return 0.18 * (self.short_mm / 210) ** 0.5

    @property
    def dpi(self) -> float:
        """Pixels in an inch of a picture: a screen's own, else 300, or as many as the longest side may have."""
        if self.pixels_across:
            return self.pixels_across / self.width_mm * MM_PER_INCH
        return min(_USUAL_DPI, MOST_PIXELS / max(self.width_mm, self.height_mm) * MM_PER_INCH)

    def turned(self, landscape: bool) -> Paper:
        """Return the sheet lying or standing; a screen is as it is."""
        if self.pixels_across or landscape == (self.width_mm > self.height_mm):
            return self
        return replace(self, width_mm=self.height_mm, height_mm=self.width_mm)


PAPERS = {
    paper.name: paper
    for paper in (
        *(
            Paper(f"a{index}", f"A{index}, {width} × {height} mm", width, height)
            for index, (width, height) in enumerate(((841, 1189), (594, 841), (420, 594), (297, 420), (210, 297)))
        ),
        Paper("letter", marked("Letter, 8.5 × 11 in"), 215.9, 279.4),
        Paper("square", marked("Square, 50 × 50 cm"), 500, 500),
        Paper("phone", marked("Telephone, 1080 × 2340 pixels"), 68, 147.3, 1080),
        Paper("story", marked("Story, 1080 × 1920 pixels"), 68, 120.9, 1080),
        Paper("screen", marked("Screen, 3840 × 2160 pixels"), 597, 335.8, 3840),
    )
}
"""Sheets by name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a poster is arranged; lengths are hundredths of the sheet's shorter side.

    frame  the margin round the part of the sheet that the map fills
    band   the height of the block of texts at the foot
    over   whether the map goes on below the texts, which then stand on a veil
    left   whether the texts begin at the left, else they are centred
    line   whether a fine line runs round the map
    """

    name: str
    label: str
    frame: float
    band: float
    over: bool = False
    left: bool = False
    line: bool = False


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("gallery", marked("Gallery: framed, title below"), 6.0, 29.0, line=True),
        Layout("wide", marked("Wide margin, title at the left"), 9.0, 29.0, left=True),
        Layout("full", marked("To the edges, title over the map"), 0.0, 31.0, over=True),
        Layout("corner", marked("To the edges, small title at the left"), 0.0, 26.0, over=True, left=True),
    )
}
"""Layouts by name."""
