"""What each command of ``actions.COMMANDS`` does: one method per handler, thin over session, player and map."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from wayfront.errors import NetworkError, WayfrontError
from wayfront.formats.registry import formats
from wayfront.search.trace_file import SUFFIX
from wayfront.version import __version__
from wayfront_gui.charts.export import save_picture, timing_chart, timing_csv
from wayfront_gui.dialogs.catalogue import CatalogueDialog
from wayfront_gui.dialogs.downloads import DownloadDialog
from wayfront_gui.dialogs.keyboard import KeyboardPage
from wayfront_gui.dialogs.place import PlaceDialog
from wayfront_gui.model.player import Walk

if TYPE_CHECKING:
    from wayfront_gui.window.window import Window

COORDINATE_FILES = "DIMACS coordinates (*.co *.co.*);;All files (*)"
TRACE_FILES = f"Recorded searches (*{SUFFIX})"
PICTURE_FILES = {"PNG picture (*.png)": 1, "PNG picture, 2× (*.png)": 2, "PNG picture, 4× (*.png)": 4}
TIMING_FILES = "PNG picture (*.png);;CSV table (*.csv)"
PAN_SHARE = 0.15
"""How far one press of an arrow moves the map, as a share of its smaller side."""
ABOUT = (
    "Watch shortest-path searches run on real road networks, on the GPU and the CPU, with truthful timing.\n\n"
    "MIT licence. Built with Qt, PySide6, pyqtgraph, NumPy and Numba."
)


def network_files() -> str:
    """Return the filters of a dialog that opens networks and recorded searches: all formats, then each."""
    kinds = [(f"{declared.label} files", declared.patterns) for declared in formats()]
    kinds.append(("Recorded searches", (f"*{SUFFIX}",)))
    every = [pattern for _, patterns in kinds for pattern in patterns]
    listed = [("Road networks and recorded searches", every), *kinds, ("All files", ("*",))]
    return ";;".join(f"{title} ({' '.join(patterns)})" for title, patterns in listed)


class Handlers:
    """The handlers. Problems are said in the window's message strip; nothing here stops the program."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._controller = window.controller
        self._session = window.controller.session

    # --------------------------------------------------------------------------------------------------- file

    def open_file(self) -> None:
        """Ask for a network or a trace and open it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open", _folder(self._window), network_files())
        if path:
            self._controller.open(path)

    def open_place(self) -> None:
        """Ask for a place of OpenStreetMap, download its roads and open them."""
        self._show_dialog(PlaceDialog(self._window.view_bounds(), self._controller.open, self._window))

    def open_catalogue(self) -> None:
        """Show the networks that can be downloaded by name, and those that were."""
        self._show_dialog(CatalogueDialog(self._controller.open, self._window))

    def _show_dialog(self, dialog: DownloadDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def open_coordinates(self) -> None:
        """Ask for a coordinate file and open the network again with it."""
        network = self._session.active.network
        if network is None:
            self._window.say_problem("Open a network first; the coordinates belong to it.")
            return
        path, _ = QFileDialog.getOpenFileName(
            self._window, "Choose coordinates", _folder(self._window), COORDINATE_FILES
        )
        if path:
            self._controller.open(network.origin, path)

    def save_picture(self) -> None:
        """Ask where and how large, and save the map as it is now."""
        kinds = ";;".join(PICTURE_FILES)
        path, kind = QFileDialog.getSaveFileName(
            self._window, "Save picture", _folder(self._window, "wayfront.png"), kinds
        )
        if path:
            view = self._window.map
            scale = PICTURE_FILES.get(kind, 1)
            self._save(path, ".png", lambda p: save_picture(view.picture(view.width(), view.height(), scale), p))

    def save_trace(self) -> None:
        """Ask where and save the recorded search."""
        name = f"search{SUFFIX}"
        path, _ = QFileDialog.getSaveFileName(
            self._window, "Save recorded search", _folder(self._window, name), TRACE_FILES
        )
        if path:
            self._controller.save_trace(str(_with_suffix(path, SUFFIX)))

    def export_timings(self) -> None:
        """Ask where and save the timings as a picture or a table."""
        rows = self._session.timings
        if not rows:
            self._window.say_problem("There are no timings to export yet: run a search first.")
            return
        path, kind = QFileDialog.getSaveFileName(
            self._window, "Export timings", _folder(self._window, "timings.png"), TIMING_FILES
        )
        if not path:
            return
        suffix = Path(path).suffix or (".csv" if "csv" in kind else ".png")
        if suffix.lower() == ".csv":
            self._save(path, suffix, lambda p: timing_csv(rows, p))
        else:
            theme = self._window.theme.name
            self._save(path, suffix, lambda p: save_picture(timing_chart(rows, theme, scale=2), p))

    def _save(self, path: str, suffix: str, write: Callable[[Path], None]) -> None:
        target = _with_suffix(path, suffix)
        try:
            write(target)
        except (WayfrontError, OSError) as problem:
            self._window.say_problem(str(problem))
        else:
            self._window.say(f"Saved {target}")

    def quit(self) -> None:
        """Close the window, which ends the program."""
        self._window.close()

    # ------------------------------------------------------------------------------------------------- search

    def run(self) -> None:
        """Search from the source with what is chosen."""
        self._controller.run()

    def cancel(self) -> None:
        """Stop what runs, or clear the route."""
        self._controller.cancel()

    def ask_source(self) -> None:
        """Ask for a node's id and search from it."""
        self._window.question.ask("Search from node id…", self._answer_source)

    def _answer_source(self, answer: str) -> None:
        self._session.active.choose_source_id(_node_id(answer))
        self._controller.run()

    def ask_target(self) -> None:
        """Ask for a node's id and show the route to it."""
        self._window.question.ask(
            "Route to node id…", lambda answer: self._session.active.choose_target_id(_node_id(answer))
        )

    def route_to_farthest(self) -> None:
        """Show the route to the farthest node."""
        result = self._session.active.result
        if result is not None and self._session.active.live is None:
            self._session.active.choose_target(result.farthest)

    def clear_route(self) -> None:
        """Take the route off the map."""
        self._session.active.choose_target(None)

    def lay_out(self) -> None:
        """Find a map for a network without one."""
        self._controller.lay_out()

    # ------------------------------------------------------------------------------------------------- replay

    def toggle_playing(self) -> None:
        """Play or pause."""
        self._session.clock.toggle()

    def step_by(self, steps: str) -> None:
        """Go some steps forward or back."""
        self._session.active.player.step_by(int(steps))

    def go_to_start(self) -> None:
        """Show the first step."""
        self._session.active.player.seek(0.0)

    def go_to_end(self) -> None:
        """Show the last step."""
        self._session.clock.pause()
        self._session.active.player.seek(float(self._session.active.player.last))

    def change_speed(self, notches: str) -> None:
        """Play faster or slower."""
        self._session.clock.faster(int(notches))
        self._window.say(f"Speed {self._session.clock.speed:g}×")

    def walk(self, name: str) -> None:
        """Choose what grows evenly while the replay plays."""
        self._session.clock.set_walk(Walk(name))

    # --------------------------------------------------------------------------------------------------- view

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or the step where the replay stands."""
        self._controller.show_tree(shown)

    def fit(self) -> None:
        """Show the whole network."""
        self._window.map.fit()

    def zoom(self, factor: str) -> None:
        """Zoom about the middle of the map."""
        self._window.map.zoom(float(factor))

    def pan(self, direction: str) -> None:
        """Move the map a little."""
        view = self._window.map
        by = round(PAN_SHARE * min(view.width(), view.height()))
        dx, dy = {"left": (by, 0), "right": (-by, 0), "up": (0, by), "down": (0, -by)}[direction]
        view.pan(dx, dy)

    def swap_theme(self) -> None:
        """Change between dark and light."""
        self._window.choose_theme("light" if self._window.theme.name == "dark" else "dark")

    def choose_theme(self, choice: str) -> None:
        """Choose dark, light, or what the system has."""
        self._window.choose_theme(choice)

    def choose_colour_map(self, name: str) -> None:
        """Choose the colours of distance."""
        self._window.choose_colour_map(name)

    def show_explanation(self, shown: bool) -> None:
        """Show how the algorithm works, or hide it."""
        self._window.show_explanation(shown)

    def hide_panels(self, hidden: bool) -> None:
        """Show the map alone, or with its panels."""
        self._window.hide_panels(hidden)

    def full_screen(self, full: bool) -> None:
        """Fill the screen, or stand in a window again."""
        state = self._window.windowState()
        full_screen = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full_screen if full else state & ~full_screen)

    # --------------------------------------------------------------------------------------------------- help

    def show_palette(self) -> None:
        """Find any command by name."""
        self._window.palette_card.show_all()

    def show_keyboard(self) -> None:
        """Show all keys."""
        page = KeyboardPage(self._window.theme, self._window)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.show()

    def show_about(self) -> None:
        """Say what the program is."""
        self._window.say_about(f"{QApplication.applicationName()} {__version__}", ABOUT)


def _node_id(answer: str) -> int:
    try:
        return int(answer.replace(",", "").replace(" ", ""))
    except ValueError:
        raise NetworkError("A node id is a whole number, as in the network's file.") from None


def _with_suffix(path: str, suffix: str) -> Path:
    return Path(path) if Path(path).suffix else Path(path + suffix)


def _folder(window: Window, name: str = "") -> str:
    """Return where a file dialog starts: beside the file opened last, or among the documents."""
    recent = [Path(p).parent for p in window.settings.recent]
    folder = next((f for f in recent if f.is_dir()), None)
    if folder is None:
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    return str(folder / name)
