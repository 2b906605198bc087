"""Themes as data, dark, light, paper and projector: every colour of the window, the map and the charts. No Qt.

A colour is ``#rrggbb`` and has one meaning; the accent is the frontier's own glow. ``THEMES`` lists the choices by
name. ``application_style`` turns a theme into Qt's palette and style sheet, ``scene.style`` into the tables that draw
the map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class InterfaceColours:
    """Colours of panels, dialogs and controls. The style sheet refers to them by these names."""

    ground: str  # behind everything
    panel: str  # panels and menus
    raised: str  # fields and buttons
    lifted: str  # the same under the pointer
    line: str  # separators and borders
    text: str
    muted: str  # secondary text
    faint: str  # disabled text, empty plots
    accent: str
    on_accent: str
    bad: str
    queue: str  # the line of a queue's length, beside the accent's frontier


@dataclass(frozen=True, slots=True)
class MapColours:
    """Colours of the map, and how they are mixed.

    lightness  that of the darkest and of the lightest colour of a colour map in the theme, in Oklab
    whitening  how far well-covered pixels (major roads) turn towards ``major``, 0 … 1
    exponent   alpha = share ** exponent, of the coverage at which a line is solid
    glow_adds  whether glow adds light (dark background) or covers what lies below (light background)
    """

    background: str
    unreached: str
    lightness: tuple[float, float]
    major: str
    whitening: float
    exponent: float
    core: str  # the bright point of a frontier node
    heat: str  # a node reached just now
    bloom: str  # the wide light round a frontier node
    core_strength: float
    bloom_strength: float
    glow_adds: bool
    ink: str  # text and the source marker
    casing: str  # outlines that keep markers and the route apart from roads
    route: str
    target: str
    closed: str  # closed roads and their crosses
    zones: tuple[str, ...]  # what is nearest to one of several sources
    flow: tuple[str, ...]  # what streets carry, from little to much
    change: tuple[str, str]  # less and more of that; and where it comes from and goes to
    water: str  # laid thinly over lakes and rivers
    green: str  # over parks and woods
    water_ink: str  # names of waters
    green_ink: str  # names of parks and woods
    land_strength: float  # how opaque water and green are, 0 … 1
    thickness: float = 1.0  # how many times as thick as usual lines are
    plain: bool = False  # whether texts at the edges have the whole ink, instead of standing back behind the map


@dataclass(frozen=True, slots=True)
class ChartColours:
    """Colours of exported charts, apart from the bars."""

    background: str
    text: str
    dim: str
    grid: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of one theme.

    ``devices`` maps the colour key that a device declares to its colour in charts and bars, ``modes`` a thread
    mapping to its colour in the replay's strips. Both sets stay apart for every kind of colour vision. Texts are at
    least ``least_text`` times as large as usual.
    """

    name: str
    interface: InterfaceColours
    map: MapColours
    chart: ChartColours
    devices: Mapping[str, str]
    modes: Mapping[str, str]
    least_text: float = 1.0

    def text_factor(self, percent: int) -> float:
        """Return how many times their usual size texts have where a person wants ``percent`` of it."""
        return max(percent / 100, self.least_text)

    def device(self, key: str) -> str:
        """Return the colour of a device by its colour key, plain for an unknown key."""
        return self.devices.get(key, self.interface.muted)

    def mode(self, name: str, tone: int = 0) -> str:
        """Return the colour of a thread mapping, in the tone of one of its phases."""
        colour = self.modes.get(MODES_ALIKE.get(name, name), self.interface.muted)
        other, share = _TONES[tone % len(_TONES)]
        mixed = zip(rgb(colour), rgb(getattr(self.interface, other)), strict=True)
        return "#{:02x}{:02x}{:02x}".format(*(round(own + (target - own) * share) for own, target in mixed))


MODES_ALIKE = {
    "one cell": "one block",
    "all cells of a level": "grid",
    "many sources": "grid",
    "one thread a source": "one thread",
    "a block a row": "grid stride",
    "a block a tile": "grid",
}
"""Modes that have the colour of another, which never occurs in the same search."""
_TONES = (("text", 0.0), ("text", 0.78), ("panel", 0.5), ("text", 0.4))
"""What the phases of one mode mix into its colour, and how much of it."""


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of ``#rrggbb``, each 0 … 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


_INTERFACE: Mapping[str, tuple[str, str, str]] = {
    "ground": ("#070a0f", "#f4f5f7", "#ffffff"),
    "panel": ("#0d121a", "#fbfbfc", "#ffffff"),
    "raised": ("#161d29", "#ffffff", "#ffffff"),
    "lifted": ("#1f2837", "#eceff3", "#e4e8ee"),
    "line": ("#1d2634", "#dde1e8", "#8a93a0"),
    "text": ("#dce4ef", "#1a2230", "#000000"),
    "muted": ("#8b98ac", "#5d697b", "#2b3440"),
    "faint": ("#4d596b", "#a5aebb", "#6b7480"),
    "accent": ("#ffbe6e", "#b85c00", "#a03c00"),
    "on_accent": ("#241505", "#ffffff", "#ffffff"),
    "bad": ("#ff7b72", "#c62f26", "#a8120a"),
    "queue": ("#8ab4ff", "#2f6fd0", "#0048b0"),
}
"""Colours of the interface in the themes dark, light and projector."""
_MAP: Mapping[str, tuple[Any, Any]] = {
    "background": ("#070a0f", "#f8f8f6"),
    "unreached": ("#64768f", "#808c9c"),
    "lightness": ((0.44, 0.92), (0.34, 0.66)),
    "major": ("#ffffff", "#140032"),
    "whitening": (0.3, 0.1),
    "exponent": (0.8, 0.7),
    "core": ("#fffaee", "#ce2400"),
    "heat": ("#ffe2b6", "#ec5c00"),
    "bloom": ("#ffbe6e", "#ff9628"),
    "core_strength": (0.7, 0.7),
    "bloom_strength": (0.5, 0.5),
    "glow_adds": (True, False),
    "ink": ("#ffffff", "#181c24"),
    "casing": ("#070a0f", "#ffffff"),
    "route": ("#78f0ff", "#007acc"),
    "target": ("#78f0ff", "#007acc"),
    "closed": ("#ff5449", "#d4100b"),
    "zones": (
        ("#56b4e9", "#f0a030", "#3fd09c", "#e884c0", "#f4ec5a", "#5a7df0", "#f06a40", "#b8c4d4"),
        ("#0072b2", "#c07800", "#00875f", "#b04a8c", "#857a00", "#3c46c8", "#c03c10", "#5a6472"),
    ),
    "flow": (
        ("#251a5e", "#452080", "#742a8c", "#a83886", "#d84f70", "#f57a52", "#fda65c", "#fed391", "#fff3d2"),
        ("#d9bfa6", "#e7a86c", "#e98a4e", "#df6450", "#c2425f", "#982d6c", "#6b2270", "#431a63", "#230f42"),
    ),
    "change": (("#4aa3ff", "#ff9d3b"), ("#0a5fc4", "#c75300")),
    "water": ("#3f7fd0", "#5b9bd8"),
    "green": ("#3f9468", "#79b587"),
    "water_ink": ("#8fb8f0", "#2c65a8"),
    "green_ink": ("#86c5a0", "#35704a"),
    "land_strength": (0.16, 0.22),
}
"""Colours of the map in the themes dark and light."""
_MODES = {
    "all nodes": ("#417fd4", "#1b5aab"),
    "frontier list": ("#6ae6ea", "#45d1d4"),
    "one thread": ("#a0a0a1", "#7a7b7c"),
    "grid": ("#ffd34e", "#d4a905"),
    "one block": ("#d45d37", "#aa3606"),
    "grid stride": ("#e39f43", "#b97807"),
    "requests": ("#59b7fc", "#2b8fd1"),
    "queue": ("#9e4283", "#781d5f"),
}


def _column(table: Mapping[str, tuple[Any, ...]], index: int) -> dict[str, Any]:
    return {name: values[index] for name, values in table.items()}


DARK = Theme(
    name="dark",
    interface=InterfaceColours(**_column(_INTERFACE, 0)),
    map=MapColours(**_column(_MAP, 0)),
    chart=ChartColours(background="#070a0f", text="#e8edf5", dim="#8c9bb0", grid="#1a222e"),
    devices={"card": "#ffb65c", "processor": "#8e6fe0", "simulator": "#64768f"},
    modes=_column(_MODES, 0),
)
LIGHT = Theme(
    name="light",
    interface=InterfaceColours(**_column(_INTERFACE, 1)),
    map=MapColours(**_column(_MAP, 1)),
    chart=ChartColours(background="#ffffff", text="#17202c", dim="#5b687a", grid="#e3e8ef"),
    devices={"card": "#e07b00", "processor": "#6a46c2", "simulator": "#8492a6"},
    modes=_column(_MODES, 1),
)
PAPER = replace(
    LIGHT,
    name="paper",
    interface=replace(LIGHT.interface, ground="#ffffff", panel="#ffffff", raised="#ffffff", lifted="#f0f0f0"),
    map=replace(
        LIGHT.map,
        background="#ffffff",
        unreached="#a2a7ae",
        lightness=(0.30, 0.62),
        whitening=0.22,
        exponent=0.6,
        core="#a01400",
        heat="#d23c00",
        bloom_strength=0.25,
        ink="#000000",
    ),
)
"""White for print: darker lines, grey for what is not reached, little glow."""
PROJECTOR = replace(
    LIGHT,
    name="projector",
    interface=InterfaceColours(**_column(_INTERFACE, 2)),
    map=replace(
        LIGHT.map,
        background="#ffffff",
        unreached="#7d8693",
        lightness=(0.26, 0.58),
        whitening=0.25,
        exponent=0.5,
        core="#8c1000",
        heat="#c83000",
        ink="#000000",
        route="#0048b0",
        target="#0048b0",
        land_strength=0.14,
        thickness=1.6,
        plain=True,
    ),
    chart=ChartColours(background="#ffffff", text="#000000", dim="#2b3440", grid="#b8bfc9"),
    least_text=1.5,
)
"""For a wall in a lit room: black on white, thick lines, large texts."""
THEMES: dict[str, Theme] = {theme.name: theme for theme in (DARK, LIGHT, PAPER, PROJECTOR)}


LEAST, USUAL, MOST = 80, 100, 250
STOPS = (80, 90, 100, 110, 125, 150, 175, 200, 225, 250)
"""The sizes that the commands for larger and smaller texts go through."""


def next_stop(percent: int, by: int) -> int:
    """Return the size after another one, or before it where ``by`` is negative; that at the end has none."""
    beyond = [stop for stop in STOPS if (stop > percent if by > 0 else stop < percent)]
    return percent if not beyond else beyond[0] if by > 0 else beyond[-1]
