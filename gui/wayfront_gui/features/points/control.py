"""Points in the window: a table is opened or dropped, put on the roads, shown, and used by others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from wayfront.network.road_network import RoadNetwork
from wayfront.results.nearest import MOST_CANDIDATES
from wayfront_gui.app.commands import PALETTE, command
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.access.state import MOST_POINTS, AccessChoice, Measure, opportunities_of
from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.features.points.layer import PointMarks, stamp_one
from wayfront_gui.map.geometry import Plane
from wayfront_gui.map.view import MapView
from wayfront_gui.session.choice import MOST_TARGETS, Targets
from wayfront_gui.session.points import AskedPoints, Points
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.translation import marked, plural, translated

if TYPE_CHECKING:
    from wayfront.places.snapping import SnappedPlaces

TABLES = marked("Tables of points (*.csv *.tsv *.txt *.gz *.parquet *.geojson *.gpkg *.shp *.fgb *.kml);;All files (*)")
KINDS = {
    marked("CSV table (*.csv)"): ".csv",
    marked("GeoPackage points (*.gpkg)"): ".gpkg",
    marked("GeoJSON points (*.geojson)"): ".geojson",
    marked("Parquet table (*.parquet)"): ".parquet",
}


@dataclass(frozen=True, slots=True, eq=False)
class PointsJob:
    """Read a table, unless ``asked`` has its places, and put it on a network."""

    asked: AskedPoints
    network: RoadNetwork
    slot: int
    lane: str = field(default="points", init=False)

    def run(self, report: Report) -> tuple[AskedPoints, SnappedPlaces]:
        """Return the points and where they are."""
        from wayfront.places.places import Places

        asked, title = self.asked, translated("Reading {name}", name=Path(self.asked.path).name)
        places = asked.places
        if places is None:
            places = Places.read(
                asked.path,
                leave_out=True,
                progress=lambda _stage, share: report.progress(title, share),
                cancel=report.cancel,
            )
        finding = translated("Finding the roads of the points")
        stamp_one()
        snapped = places.on(
            self.network,
            limit_m=asked.limit_m,
            progress=lambda _stage, share: report.progress(finding, share),
            cancel=report.cancel,
        )
        return replace(asked, places=places), snapped


class PointsControl(QObject):
    """Opens tables of points for the active slot, and hands the points on."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session = host, host.session
        self._asked = Asked(host.controller.worker)
        host.controller.files.opens_points = self.open_table
        maps = host.control(MapSync)
        maps.follow(lambda slot: (slot.state(Points).changed, slot.network_changed), _show)
        session = self._session
        for changed in (session.changed(Points), session.network_changed, session.slots_changed):
            changed.connect(self._find)
        session.network_closing.connect(self._asked.forget)

    @property
    def _points(self) -> Points:
        return self._session.active.state(Points)

    # ------------------------------------------------------------------------------------------- opening, saving

    @command(
        "file.points",
        "Open points…",
        keys=("Ctrl+Shift+L",),
        hint="Put the points of a table on the map: CSV, Parquet, GeoJSON, GeoPackage",
        at=(3, 1),
        under="explore",
    )
    def open_points(self) -> None:
        """Ask for a table of points."""
        path = self._host.dialogs.open(translated("Open points"), translated(TABLES))
        if path:
            self.open_table(path)

    def open_table(self, path: str) -> None:
        """Put the points of a table on the open map, in place of those that are there."""
        network = self._session.active.network
        if network is None or network.coordinates is None or self._session.active.laid_out:
            self._host.reports.show_problem(
                translated("Points belong on a map: open a network with coordinates first, then the table.")
            )
            return
        self._read(AskedPoints(None, str(Path(path).absolute()), self._points.asked.limit_m))

    @command(
        "file.save_points",
        "Save points…",
        hint="Save the points that pass the filter, with their roads and how far these are",
        at=(3, 2),
        under=PALETTE,
    )
    def save(self) -> None:
        """Ask where and save the points that pass the filter, those that are far from roads too."""
        points = self._points
        if points.snapped is None:
            self._say_none()
            return
        chosen = points.snapped.chosen(points.meant)
        save_as(self._host, translated("Save points"), chosen.places.title, KINDS, chosen.save)

    @command("search.remove_points", "Remove the table of points", at=(3, 3), under=PALETTE)
    def remove(self) -> None:
        """Have no points; undo brings them back."""
        self._points.remove()

    # ------------------------------------------------------------------------------------------- using them

    @command(
        "search.points_sources",
        "Use points as sources",
        hint="Colour the streets by how far they are from the nearest point",
        at=(5, 1),
        under="analyse/points",
    )
    def as_sources(self) -> None:
        """Show how far every node is from the nearest point."""
        self._give_access(Measure.NEAREST, towards=False)

    @command(
        "search.points_access",
        "Use points as opportunities",
        hint="Colour the streets by how many points they reach, or by their weights",
        at=(5, 2),
        under="analyse/points",
    )
    def as_opportunities(self) -> None:
        """Show how many points every node reaches, or what these weigh."""
        self._give_access(Measure.WITHIN, towards=True)

    @command(
        "search.points_targets",
        "Use points as targets",
        hint="Show the routes from the source to the points, to the heaviest where there are many",
        at=(5, 3),
        under="analyse/points",
    )
    def as_targets(self) -> None:
        """Show routes to the points."""
        nodes = self._heaviest(MOST_TARGETS)
        if nodes:
            self._session.active.take_targets(Targets(nodes, nodes[0]))
            self._host.panels.show("route", True)

    @command(
        "search.points_depots",
        "Use points as candidates for depots",
        hint="Find the best depots among the points, among the heaviest where there are many",
        at=(5, 4),
        under="analyse/points",
    )
    def as_candidates(self) -> None:
        """Find the best depots among the points."""
        nodes = self._heaviest(MOST_CANDIDATES)
        if nodes:
            depots = self._session.active.state(DepotChoice)
            depots.forget()
            for node in nodes:
                depots.toggle(node)
            depots.pick(True)

    def _give_access(self, measure: Measure, *, towards: bool) -> None:
        used = self.used()
        if used is None:
            return
        if len(used) > MOST_POINTS:
            self._say_cut(MOST_POINTS, len(used))
            used = used.chosen(np.sort(_heaviest_first(used)[:MOST_POINTS]))
        access = self._session.active.state(AccessChoice)
        access.put(opportunities_of(used))
        access.want(measure, nth=1, towards=towards)
        access.show(True)

    def _heaviest(self, most: int) -> tuple[int, ...]:
        """Return different nodes of the points, of more than may be those of the heaviest."""
        used = self.used()
        if used is None:
            return ()
        nodes = tuple(dict.fromkeys(used.nodes[_heaviest_first(used)].tolist()))
        if len(nodes) > most:
            self._say_cut(most, len(nodes))
        return nodes[:most]

    def used(self) -> SnappedPlaces | None:
        """Return the points to be used; None where there are none, which is said."""
        used = self._points.used
        if used is None or not len(used):
            self._say_none()
            return None
        return used

    def _say_none(self) -> None:
        self._host.reports.show_problem(
            translated("There are no points to use: open a table of points first, or let its filter pass some.")
        )

    def _say_cut(self, most: int, count: int) -> None:
        self._host.reports.show(
            translated(
                "The {most:,} heaviest of {count:,} points are taken: filter them for others.", most=most, count=count
            )
        )

    # ------------------------------------------------------------------------------------------- the engine thread

    def _find(self) -> None:
        """Read the table of a session that was opened again, and put points on another network."""
        points, network = self._points, self._session.active.network
        if points.wanted is not None:
            wanted, points.wanted = points.wanted, None
            self._read(wanted)
        elif points.places is not None and points.snapped is None and network is not None:
            self._read(points.asked)

    def _read(self, asked: AskedPoints) -> None:
        slot = self._session.active
        network = slot.network
        if network is None or network.coordinates is None or slot.laid_out:
            return
        key = slot.id, id(network), asked
        self._asked.ask(key, lambda: PointsJob(asked, network, slot.id), partial(self._on_found, slot, network))

    def _on_found(self, slot: Slot, network: RoadNetwork, found: tuple[AskedPoints, SnappedPlaces]) -> None:
        self._asked.forget()
        asked, snapped = found
        if slot.network is network and slot.state(Points).take(asked, snapped):
            self._host.panels.show("points", True)
            self._tell(snapped)

    def _tell(self, snapped: SnappedPlaces) -> None:
        count, far = len(snapped), len(snapped.far)
        if far == count:
            self._host.reports.show_problem(
                plural(
                    "The point of {name} is not within {limit:,g} m of a road of this map: is it of another region?",
                    "None of the {count:,} points of {name} is within {limit:,g} m of a road of this map: are they of "
                    "another region, or longitude and latitude exchanged?",
                    count,
                    name=snapped.places.title,
                    limit=snapped.limit_m,
                )
            )
            return
        self._host.reports.show(
            plural("{count:,} point is on the map.", "{count:,} points are on the map.", count - far)
        )


def _heaviest_first(used: SnappedPlaces) -> NDArray[np.int64]:
    return np.argsort(-used.places.weights, kind="stable")


def _show(slot: Slot, view: MapView) -> None:
    """Show a slot's points on its map."""
    points, network = slot.state(Points), slot.network
    marks = None
    if network is not None and network.coordinates is not None and points.snapped is not None and not slot.laid_out:
        marks = PointMarks.of(points, Plane.of(network))
    if marks is None:
        view.take_away(PointMarks.NAME)
    else:
        view.put(marks)
