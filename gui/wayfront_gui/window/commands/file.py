"""The commands of the File menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QMainWindow

from wayfront.formats.registry import formats, writable
from wayfront.network.small import SMALL
from wayfront.trace.file import SUFFIX
from wayfront_gui.charts.export import CHART_FILES, pairs_csv, write_timings
from wayfront_gui.dialogs.catalogue import CatalogueDialog
from wayfront_gui.dialogs.export import with_suffix
from wayfront_gui.dialogs.export_film import ReplayFilmDialog
from wayfront_gui.dialogs.export_picture import PictureDialog, PosterDialog
from wayfront_gui.dialogs.place import PlaceDialog
from wayfront_gui.dialogs.plugins import PluginsDialog
from wayfront_gui.export.isochrone_files import write_isochrones
from wayfront_gui.export.subject import Subject
from wayfront_gui.model.session_file import SUFFIX as SESSION_SUFFIX
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.file_dialogs import FileDialogs
from wayfront_gui.window.graph_editor import GraphEditor
from wayfront_gui.window.map_sync import view_bounds
from wayfront_gui.window.middle import Middle
from wayfront_gui.window.plugin_control import PluginControl
from wayfront_gui.window.reports import Reports
from wayfront_gui.window.session_files import SessionFiles
from wayfront_gui.window.settings import Settings

COORDINATE_FILES = marked("DIMACS coordinates (*.co *.co.*);;All files (*)")
SESSION_FILES = marked("Sessions (*{suffix})")
TRACE_FILES = marked("Recorded searches (*{suffix})")
PAIRS_FILES = marked("CSV table (*.csv)")
ISOCHRONE_AREAS = {marked("GeoJSON areas (*.geojson)"): ".geojson"}
ISOCHRONE_TABLE = {marked("CSV table (*.csv)"): ".csv"}


def network_files() -> str:
    """Return the filters of a dialog that opens networks and recorded searches: all formats, then each."""
    kinds = [
        (translated("{format} files", format=translated_message(declared.label)), declared.patterns)
        for declared in formats()
    ]
    kinds += [(translated("Recorded searches"), (f"*{SUFFIX}",)), (translated("Sessions"), (f"*{SESSION_SUFFIX}",))]
    every = [pattern for _, patterns in kinds for pattern in patterns]
    listed = [
        (translated("Road networks, recorded searches and sessions"), every),
        *kinds,
        (translated("All files"), ("*",)),
    ]
    return ";;".join(f"{title} ({' '.join(patterns)})" for title, patterns in listed)


class FileCommands:
    """Opens and saves files. Problems are shown over the map; nothing here stops the program."""

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        settings: Settings,
        dialogs: FileDialogs,
        sessions: SessionFiles,
        middle: Middle,
        appearance: Appearance,
        reports: Reports,
        film_race: Callable[[], None],
        graphs: GraphEditor,
        plugins: PluginControl,
    ) -> None:
        self._window = window
        self._controller = controller
        self._session = controller.session
        self._settings = settings
        self._dialogs = dialogs
        self._sessions = sessions
        self._view = middle.view
        self._middle = middle
        self._appearance = appearance
        self._reports = reports
        self._film_race = film_race
        self._graphs = graphs
        self._plugins = plugins

    def new_graph(self) -> None:
        """Begin a graph without nodes, and draw it."""
        self._graphs.new_graph()

    def save_network(self) -> None:
        """Ask where and in which format, and save nodes and arcs of what is open."""
        network = self._session.active.network
        if network is None or not network.node_count:
            self._reports.show_problem(translated("There is no network to save yet: open one, or draw a graph."))
            return
        kinds = {f"{declared.label} (*{declared.suffixes[0]})": declared.suffixes[0] for declared in writable()}
        usual = ".csv" if network.node_count <= SMALL else ".wayfront"
        kinds = dict(sorted(kinds.items(), key=lambda kind: kind[1] != usual))
        path, kind = self._dialogs.save(translated("Save network"), f"graph{usual}", ";;".join(kinds))
        if path:
            self._controller.files.save_network(network, with_suffix(path, kinds.get(kind, usual)))

    def open_file(self) -> None:
        """Ask for a network or a trace and open it."""
        path = self._dialogs.open("Open", network_files())
        if path:
            self._controller.open(path)

    def open_place(self) -> None:
        """Ask for a place of OpenStreetMap, download its roads and open them."""
        here = view_bounds(self._view, self._session.active)
        PlaceDialog(here, self._controller.open, self._window).show_modeless()

    def open_catalogue(self) -> None:
        """Show the networks that can be downloaded by name, and those that were."""
        CatalogueDialog(self._controller.open, self._window).show_modeless()

    def open_coordinates(self) -> None:
        """Ask for a coordinate file and open the network again with it."""
        network = self._session.active.network
        if network is None:
            self._reports.show_problem(translated("Open a network first; the coordinates belong to it."))
            return
        path = self._dialogs.open(translated("Choose coordinates"), translated(COORDINATE_FILES))
        if path:
            self._controller.files.open(network.origin, path)

    def save_picture(self) -> None:
        """Ask how large, and save the map as it is now, with the matrix beside it."""
        self._export(PictureDialog)

    def save_poster(self) -> None:
        """Ask for sheet and layout, and save the map as a poster."""
        self._export(PosterDialog)

    def save_film(self) -> None:
        """Ask how, and save a film of the replay, of a race that of all its replays."""
        subject = self._subject()
        if self._session.race.on:
            self._film_race()
        elif subject is not None and not subject.can_be_filmed:
            self._reports.show_problem(translated("There is nothing to film yet: run a search first."))
        else:
            self._export(ReplayFilmDialog)

    def _export(self, dialog: type[PictureDialog | PosterDialog | ReplayFilmDialog]) -> None:
        subject = self._subject()
        if subject is None:
            self._reports.show_problem(translated("There is no map to save yet: open a network first."))
        else:
            dialog(subject, self._dialogs.save, self._controller.news.emit, self._window).show_modeless()

    def _subject(self) -> Subject | None:
        """Return what is shown now, None without a map."""
        slot, view = self._session.active, self._view
        if slot.network is None or view.map_scene.geometry is None:
            return None
        race, panes = self._session.race, self._middle.panes
        shown = panes if race.on else view
        return Subject(
            replace(view.map_scene, hovered=None),
            slot.network,
            shown.seen,
            (shown.width(), shown.height()),
            float(view.devicePixelRatioF()),
            self._middle.picture,
            result=slot.result if slot.live is None else None,
            laid_out=slot.laid_out,
            walk=self._session.clock.walk,
            raced=panes.scenes if race.on else (),
            split=race.split,
        )

    def save_trace(self) -> None:
        """Ask where and save the recorded search."""
        path, _ = self._dialogs.save(
            translated("Save recorded search"), f"search{SUFFIX}", translated(TRACE_FILES, suffix=SUFFIX)
        )
        if path:
            self._controller.files.save_trace(str(with_suffix(path, SUFFIX)))

    def save_session(self) -> None:
        """Ask where and save what is open: network, searches, view and colours."""
        session = self._sessions.now()
        if session is None:
            self._reports.show_problem(translated("There is no session to save yet: open a network first."))
            return
        path, _ = self._dialogs.save(
            translated("Save session"), f"session{SESSION_SUFFIX}", translated(SESSION_FILES, suffix=SESSION_SUFFIX)
        )
        if path:
            self._controller.files.save(with_suffix(path, SESSION_SUFFIX), session.write)

    def export_timings(self) -> None:
        """Ask where and save the timings as a picture or a table."""
        rows = tuple(self._session.chosen_timings)
        if not rows:
            self._reports.show_problem(translated("There are no timings to export yet: run a search first."))
            return
        kinds = {translated(text): suffix for text, suffix in CHART_FILES.items()}
        path, kind = self._dialogs.save(translated("Export timings"), "timings.png", ";;".join(kinds))
        if path:
            theme = self._appearance.theme.name
            target = with_suffix(path, kinds.get(kind, ".png"))
            self._controller.files.save(target, lambda p: write_timings(rows, p, theme))

    def export_pairs(self) -> None:
        """Ask where and save what was found of every source of all pairs."""
        slot = self._session.active
        pairs = slot.pairs
        if pairs is None or slot.live is not None:
            self._reports.show_problem(translated("There are no pairs to export yet: search for all pairs first."))
            return
        path, _ = self._dialogs.save(translated("Export all pairs"), "all-pairs.csv", translated(PAIRS_FILES))
        if path:
            self._controller.files.save(with_suffix(path, ".csv"), partial(pairs_csv, pairs))

    def export_isochrones(self) -> None:
        """Ask where and save the isochrones that are shown as areas or as a table."""
        found = self._view.map_scene.isochrones
        if found is None:
            self._reports.show_problem(translated("There are no isochrones to export yet: show them first (I)."))
            return
        on_earth = not self._session.active.laid_out  # else there is nowhere for areas to be
        offered = {**(ISOCHRONE_AREAS if on_earth else {}), **ISOCHRONE_TABLE}
        kinds = {translated(text): suffix for text, suffix in offered.items()}
        usual = next(iter(kinds.values()))
        path, kind = self._dialogs.save(translated("Export isochrones"), f"isochrones{usual}", ";;".join(kinds))
        if path:
            target = with_suffix(path, kinds.get(kind, usual))
            self._controller.files.save(target, partial(write_isochrones, found))

    def show_plugins(self) -> None:
        """List plug-ins, and add, reload and remove files."""
        control = self._plugins
        PluginsDialog(self._add_plugin, control.reload, control.remove, control.changed, self._window).show()

    def _add_plugin(self) -> None:
        path = self._dialogs.open(translated("Add plug-in"), f"{translated('Python files')} (*.py)")
        if path:
            self._plugins.add(path)

    def reload_plugins(self) -> None:
        """Load the plug-ins of files again."""
        self._plugins.reload()

    def reopen(self, wanted: bool) -> None:
        """Begin with what is open now when the window is opened again, or with the bundled network."""
        self._settings.reopen = wanted

    def quit(self) -> None:
        """Close the window, which ends the program."""
        self._window.close()
