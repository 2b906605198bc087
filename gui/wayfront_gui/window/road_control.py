"""Joins the map's tool for roads to the active slot: closes, reopens, and describes what is under the pointer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.map.road_tool import RoadStroke
from wayfront_gui.map.view import MapView
from wayfront_gui.model.closures import NO_ARCS, Arcs, RoadAction, as_arcs, describe_road
from wayfront_gui.model.session import Session
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.lines_near import Stroke, arcs_of_lines, lines_near
from wayfront_gui.translation import translated

NEAR = 160.0
"""How far from the pointer roads are near it, in logical pixels."""
MOST_TRIED = 64
"""Lines near a click among which a closed one is looked for."""


class RoadControl(QObject):
    """Carries out the strokes of the tool. ``say`` takes news, ``describe`` what is under the pointer."""

    tool_changed = Signal(object)
    """The ``RoadAction`` of the tool, None if it was put away."""

    stroke_ended = Signal()
    """A stroke of the tool is complete."""

    def __init__(
        self, session: Session, view: MapView, say: Callable[[str], None], describe: Callable[[str], None]
    ) -> None:
        super().__init__(view)
        self._session = session
        self._view = view
        self._say = say
        self._describe = describe
        view.road_tool.drawn.connect(self._on_drawn)
        view.road_tool.pointed.connect(self._on_pointed)
        view.road_tool.ended.connect(self.stroke_ended)

    @property
    def network(self) -> RoadNetwork | None:
        """The open network, None where it has no map."""
        network = self._session.active.network
        return None if network is None or network.coordinates is None else network

    def choose_tool(self, action: RoadAction | None) -> None:
        """Take the tool for roads, or put it away."""
        self._view.road_tool.choose(action)
        self.tool_changed.emit(action)

    def leave_tool(self) -> bool:
        """Put the tool away; return whether there was one."""
        chosen = self._view.road_tool.action is not None
        if chosen:
            self.choose_tool(None)
        return chosen

    def near_pointer(self) -> Arcs:
        """Return the arcs of all roads near the pointer, or near the middle of the map while it is elsewhere."""
        network = self.network
        if network is None:
            return NO_ARCS
        pos, camera = self._view.pointer or QPointF(self._view.rect().center()), self._view.camera()
        ratio = camera.pixel_ratio
        x, y = camera.to_plane(pos.x() * ratio, pos.y() * ratio)
        lines = lines_near(MapGeometry.of(network), Stroke(x, y, x, y), NEAR * ratio / camera.scale)
        return as_arcs(arcs_of_lines(network, lines))

    def _on_drawn(self, stroke: RoadStroke) -> None:
        network, closures = self.network, self._session.active.closures
        if network is None:
            return
        arcs = self._meant(network, stroke)
        if stroke.action is RoadAction.CLOSE:
            closures.close(arcs, in_stroke=True)
        else:
            closures.reopen(arcs, in_stroke=True)
        if len(arcs) == 0 and stroke.is_click:
            closing = stroke.action is RoadAction.CLOSE
            self._say(
                translated("There is no road near the pointer: zoom in, and click on one.")
                if closing
                else translated("There is no closed road near the pointer: zoom in, and click on one.")
            )

    def _on_pointed(self, stroke: RoadStroke | None) -> None:
        network = self.network
        arcs = NO_ARCS if network is None or stroke is None else self._meant(network, stroke)
        if network is None or stroke is None or not len(arcs):
            self._view.set_pointed(None)
            self._describe("")
            return
        self._view.set_pointed(ClosedRoads.of(network, arcs))
        metric = self._session.active.metric or network.metrics[0]
        verb = translated("Close") if stroke.action is RoadAction.CLOSE else translated("Reopen")
        self._describe(f"{verb} {describe_road(network, arcs, metric)}")

    def _meant(self, network: RoadNetwork, stroke: RoadStroke) -> Arcs:
        """Return the arcs that a stroke means to close or reopen."""
        if stroke.action is RoadAction.REOPEN and stroke.is_click:
            return self._nearest_closed(network, stroke)
        lines = stroke.lines[:1] if stroke.is_click else stroke.lines
        towards = None if stroke.towards_b is None else stroke.towards_b[: len(lines)]
        return as_arcs(arcs_of_lines(network, lines, towards))

    def _nearest_closed(self, network: RoadNetwork, stroke: RoadStroke) -> Arcs:
        """Return the closed arcs of the nearest road that is closed."""
        closed = self._session.active.closures.arcs
        for line in stroke.lines[:MOST_TRIED] if len(closed) else ():
            arcs = np.intersect1d(arcs_of_lines(network, np.array([line], np.int32)), closed)
            if len(arcs):
                return as_arcs(arcs)
        return NO_ARCS
