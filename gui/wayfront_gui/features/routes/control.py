"""Routes in the window: targets that are added, ordered and removed, routes and distances that are saved or copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from wayfront.network.geopackage import GEOPACKAGE
from wayfront.results.directions import Step
from wayfront.results.layers import GEOJSON, GPX
from wayfront.results.node_files import NodeTable
from wayfront.results.route import Route as Way
from wayfront.results.route import save_routes
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.routes.layer import ReturnMarks, StepMark
from wayfront_gui.features.routes.others import OthersControl
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.view import MapView
from wayfront_gui.session.choice import LETTERS, Targets
from wayfront_gui.session.routes import directions_text, joined
from wayfront_gui.session.slot import Slot, node_in
from wayfront_gui.ui.translation import marked, translated

ROUTE_FILES = {
    GPX: marked("GPX, for navigation devices (*.gpx)"),
    GEOJSON: marked("GeoJSON, for maps and GIS (*.geojson)"),
    GEOPACKAGE: marked("GeoPackage, for GIS (*.gpkg)"),
}
DISTANCE_FILES = {
    ".csv": marked("Table (*.csv)"),
    ".parquet": marked("Parquet (*.parquet)"),
    GEOJSON: marked("Points for maps and GIS (*.geojson)"),
    GEOPACKAGE: marked("GeoPackage, for GIS (*.gpkg)"),
}
NO_ROUTE = marked("There is no route yet: click a source on the map, then right-click a target.")
NEAR_M = 250.0
"""How far round a step of directions the map is shown."""


class RouteControl(QObject):
    """Changes the active slot's targets, in a race those of all, and writes what was found of its routes."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._host, self._session = host, host.session
        self._opened = False
        host.session.target_changed.connect(self._show)
        host.session.result_changed.connect(self._show)
        host.control(MapSync).follow(
            lambda slot: (slot.target_changed, slot.result_changed, slot.network_changed), _show_returns
        )

    def _show(self) -> None:
        slot = self._session.active
        route = slot.route()
        self._host.reports.show("" if route is None else route.text)
        if route is not None and not self._opened:  # whoever folds it after that does not want it
            self._opened = True
            self._host.panels.open_in("explore", "route")
        through = self._host.actions["search.through"]
        through.setEnabled(len(slot.targets.nodes) > 1)
        through.setChecked(slot.targets.through)
        self._host.actions["search.alternatives"].setChecked(slot.targets.others)
        self._host.actions["search.next_alternative"].setEnabled(len(slot.other_ways()) > 1)

    # ------------------------------------------------------------------------------------------------- targets

    def change(self, change: Callable[[Targets], Targets]) -> None:
        """Change the targets of the active slot, in a race of all that have the same."""
        active = self._session.active
        wanted = change(active.targets)
        for slot in self._session.slots if self._session.several else [active]:
            nodes = {node: node_in(slot, active, node) for node in wanted.nodes}
            if None not in nodes.values():
                its = tuple(node for node in nodes.values() if node is not None)
                shown = None if wanted.shown is None else nodes[wanted.shown]
                slot.take_targets(replace(wanted, nodes=its, shown=shown))

    def remove(self, node: int) -> None:
        """Lead no route to a target any more."""
        if node in self._session.active.targets.nodes:
            self._host.controller.toggle_target(node)

    @command(
        "search.through",
        "One route through all targets",
        keys=("Shift+T",),
        hint="One route through all targets in their order, as via points",
        at=(1, 1),
        under="explore",
        checkable=True,
    )
    def lead_through(self, wanted: bool) -> None:
        """Lead one route through all targets in their order, or one to each."""
        self.change(lambda targets: replace(targets, through=wanted, rank=0))

    @command(
        "search.alternatives",
        "A&lternative routes",
        keys=("J",),
        hint="Other ways to the target that a driver would consider, and how much more they take",
        at=(1, 5),
        under="explore",
        checkable=True,
    )
    def show_others(self, wanted: bool) -> None:
        """Show alternatives to the route, or it alone."""
        self.change(lambda targets: replace(targets, others=wanted, rank=0))
        if wanted and self._session.active.target is None:
            self._host.reports.show(translated(NO_ROUTE))

    @command(
        "search.next_alternative",
        "Next alternative route",
        keys=("Shift+J",),
        hint="Show the directions of the next of these routes",
        at=(1, 6),
        under="explore",
    )
    def choose_next(self) -> None:
        """Choose the next of the alternatives."""
        self._host.control(OthersControl).choose_next()

    def search_by(self, metric: str) -> None:
        """Search by the metric of that name, and show the routes by it."""
        slots = self._session.slots if self._session.several else [self._session.active]
        for slot in slots:
            slot.choose_metric(metric)
        if self._session.active.source is not None and not self._session.several:
            self._host.controller.active.show_quickly()

    # --------------------------------------------------------------------------------------------- showing steps

    def show_step(self, way: Way, step: Step | None) -> None:
        """Show on the map where a step of directions begins; none shows none."""
        network, view = self._session.active.network, self._host.view
        if step is None or network is None or network.coordinates is None:
            view.take_away(StepMark.NAME)
            return
        node = int(way.nodes[step.index])
        view.put(StepMark(node))
        self.go_to(node)

    def go_to(self, node: int) -> None:
        """Bring a node into view, with the streets round it."""
        view, slot = self._host.view, self._session.active
        scene = view.map_scene
        if scene.geometry is None or scene.diagram is not None or slot.laid_out:
            return
        x, y = scene.place(node)
        across = min(NEAR_M, view.camera().extent.width / 2)
        view.look_at(Extent(x - across, y - across, x + across, y + across))

    # -------------------------------------------------------------------------------------------------- saving

    def _routes(self) -> list[Way]:
        """Return the routes that can be saved: the one through all targets, or that to each."""
        slot = self._session.active
        ways = slot.ways()
        found = [way for way in ways if way is not None and len(way)]
        if slot.targets.through and found:
            return [joined(found)] if len(found) == len(ways) else []
        return found

    @command(
        "file.route",
        "Save route…",
        keys=("Ctrl+Shift+G",),
        hint="Save the routes to all targets as GPX, GeoJSON or GeoPackage",
        at=(1, 2),
        under="explore",
    )
    def ask_where(self) -> None:
        """Ask where and in which format, and save the routes."""
        self.save(GPX, *ROUTE_FILES)

    def save(self, suffix: str, *others: str) -> None:
        """Ask where and save the routes, as a file with this suffix or one of the others."""
        routes = self._routes()
        if not routes:
            self._host.reports.show_problem(translated(NO_ROUTE))
            return
        if routes[0].network.coordinates is None:
            self._host.reports.show_problem(translated("This network has no coordinates, so a route has no line."))
            return
        kinds = {ROUTE_FILES[each]: each for each in dict.fromkeys((suffix, *others))}
        save_as(self._host, translated("Save route"), "route", kinds, lambda path: save_routes(routes, path))

    @command(
        "edit.copy_directions",
        "Copy the directions",
        hint="Copy the directions of the route as text",
        at=(1, 3),
        under="explore",
    )
    def copy(self) -> None:
        """Copy the directions that are shown."""
        ways = self._session.active.shown_ways()
        if not ways:
            self._host.reports.show_problem(translated(NO_ROUTE))
            return
        letters = LETTERS[: len(ways)] if len(ways) > 1 else ""
        slot = self._session.active
        text = directions_text(ways, letters, on_map=not slot.laid_out, other=slot.other_chosen)
        QGuiApplication.clipboard().setText(text)
        self._host.reports.show(translated("The directions are copied."))

    @command(
        "file.distances",
        "Save distances…",
        hint="Save the distance of every node from the source as CSV, Parquet, GeoJSON or GeoPackage",
        at=(1, 4),
        under="explore",
    )
    def save_distances(self) -> None:
        """Ask where and in which format, and save what the tree has of every node."""
        slot = self._session.active
        if slot.tree is None or slot.live is not None:
            self._host.reports.show_problem(translated("There are no distances yet: search for one tree first."))
            return
        tree = slot.tree
        mapped = tree.network.coordinates is not None
        kinds = {
            text: suffix for suffix, text in DISTANCE_FILES.items() if mapped or suffix not in (GEOJSON, GEOPACKAGE)
        }
        save = lambda path: NodeTable.of(tree).save(path)  # noqa: E731
        save_as(self._host, translated("Save distances"), "distances", kinds, save)


def _show_returns(slot: Slot, view: MapView) -> None:
    """Show on a map how the routes that are described come back to nodes."""
    if slot.awaits_ways:
        return
    ways = [way for way in slot.shown_ways() if len(way)]
    view.set_layer(ReturnMarks.NAME, ReturnMarks.of(view.map_scene, ways))
