"""The commands of the View menu."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from wayfront_gui.app.commands import PALETTE, command
from wayfront_gui.app.feature import Host

PAN_SHARE = 0.15
"""How far one press of an arrow moves the map, as a share of its smaller side."""


class ViewCommands:
    """Changes what is seen: tree or search, where the map is seen from, colours, panels."""

    def __init__(self, host: Host) -> None:
        self._host, self._window, self._controller = host, host.window, host.controller
        self._view = host.view
        session = host.session
        for changed in (session.view_changed, session.result_changed, session.live_changed):
            changed.connect(self._show_tree)
        session.choice_changed.connect(self._show_kind)
        self._show_tree()
        self._show_kind()

    def _show_tree(self) -> None:
        slot = self._host.session.active
        self._host.actions["view.tree"].setEnabled(slot.tree_offered)
        self._host.actions["view.tree"].setChecked(slot.tree_shown)

    def _show_kind(self) -> None:
        self._host.actions[f"search.{self._host.session.active.kind.name.lower()}"].setChecked(True)

    @command("view.tree", "&Tree", keys=("T",), hint="Show the finished shortest-path tree", at=(2, 1), checkable=True)
    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or the current step of the replay."""
        self._controller.show_tree(shown)

    @command("view.fit", "&Fit the map", keys=("F", "Ctrl+0"), hint="Show the whole network", at=(2, 2))
    def fit(self) -> None:
        """Show the whole network."""
        self._view.fit()

    @command("view.zoom_in", "&Zoom in", keys=("+", "="), hint="Zoom in", at=(2, 3), argument="1.5")
    @command("view.zoom_out", "Zoom out", keys=("-",), hint="Zoom out", at=(2, 4), argument="0.6667")
    def zoom(self, factor: str) -> None:
        """Zoom about the middle of the map."""
        self._view.zoom(float(factor))

    @command("view.left", "Move left", keys=("Shift+Left",), at=(2, 4), argument="left", under=PALETTE)
    @command("view.right", "Move right", keys=("Shift+Right",), at=(2, 5), argument="right", under=PALETTE)
    @command("view.up", "Move up", keys=("Shift+Up",), at=(2, 6), argument="up", under=PALETTE)
    @command("view.down", "Move down", keys=("Shift+Down",), at=(2, 7), argument="down", under=PALETTE)
    def pan(self, direction: str) -> None:
        """Move the map a little."""
        by = round(PAN_SHARE * min(self._view.width(), self._view.height()))
        dx, dy = {"left": (by, 0), "right": (-by, 0), "up": (0, by), "down": (0, -by)}[direction]
        self._view.pan(dx, dy)

    @command(
        "view.names",
        "&Names",
        keys=("W",),
        hint="Names of roads and, where the file has them, of places and waters",
        at=(1, 1),
        under="view/layers",
        argument="names",
        kept=("names", True),
    )
    @command(
        "view.areas",
        "Water and par&ks",
        keys=("Shift+W",),
        hint="Water, parks and woods where the file has them",
        at=(1, 2),
        under="view/layers",
        argument="areas",
        kept=("areas", True),
    )
    @command(
        "view.tiles",
        "&Background tiles",
        hint="Pictures of OpenStreetMap's map behind the roads, fetched from its server for what you look at",
        at=(1, 3),
        under="view/layers",
        argument="tiles",
        kept=("tiles", False),
    )
    @command(
        "view.signs",
        "Si&gns of turns",
        hint="Signs of forbidden turns, where the map is near enough",
        at=(1, 5),
        under="view/layers",
        argument="signs",
        kept=("signs", True),
    )
    @command(
        "view.graph",
        "Small net&works as graphs",
        keys=("Shift+G",),
        hint="Networks of up to 200 nodes as discs and arrows, with weights and the distance at every node",
        at=(1, 4),
        under="view/layers",
        argument="graph",
        kept=("graph", True),
    )
    def show_layer(self, name: str, shown: bool) -> None:
        """Show names, water and parks, or signs, on every map, or not."""
        panes = self._host.central.panes
        panes.set_layers(replace(panes.main.map_scene.wanted, **{name: shown}))

    @command("view.full_screen", "F&ull screen", keys=("F11",), at=(4, 3), checkable=True)
    def full_screen(self, full: bool) -> None:
        """Fill the screen, or go back to a window."""
        state = self._window.windowState()
        full_screen = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full_screen if full else state & ~full_screen)
