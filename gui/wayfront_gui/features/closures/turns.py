"""Turns that are closed by hand: which one a person means, the tool that picks it, and its sign on the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from wayfront.network.arcs import arcs_from
from wayfront.network.closed_turns import arcs_of_turn
from wayfront.network.copies import begin_of, copies_of, turn_arcs
from wayfront.network.forbidden_turns import ForbiddenTurns, TurnRule
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.closures.roads import Stroke, arcs_of_lines, directions_of_lines, lines_near
from wayfront_gui.features.turns.layer import TurnSigns, paint_signs, sign_near
from wayfront_gui.features.turns.words import turn_text
from wayfront_gui.map import picking
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.view import MapView, Tool
from wayfront_gui.session.closures import NO_ARCS, ClosedRoad
from wayfront_gui.session.turning import Turn, Turns
from wayfront_gui.ui.translation import translated

LONGEST_WALK = 500
"""Nodes of a road between two junctions that are looked at."""
MOST_LINES = 16
"""Lines near a click among which a road that leaves the junction is looked for."""


# --------------------------------------------------------------------------------------------------- what is meant


def ways_on(network: RoadNetwork, arc: int) -> list[int]:
    """Return the arcs of roads that leave the node where an arc ends, but for those back to where it begins."""
    node, tail = begin_of(network, int(network.targets[arc])), begin_of(network, int(network.tails()[arc]))
    copies, _ = copies_of(network, np.array([node]))
    arcs = arcs_from(network, copies.astype(np.int64))
    arcs = arcs[~turn_arcs(network)[arcs]]
    heads = begin_of(network, network.targets[arcs])
    return [int(each) for each in arcs[(heads != tail) & (heads != node)]]


def to_junction(network: RoadNetwork, arc: int) -> list[int]:
    """Return an arc and those behind it on its road, up to the next node at which there is a choice, or none."""
    walked = [arc]
    while len(walked) < LONGEST_WALK:
        on = ways_on(network, walked[-1])
        heads = {int(begin_of(network, int(network.targets[each]))) for each in on}
        if len(heads) != 1 or on[0] in walked:
            break
        walked.append(on[0])
    return walked


@dataclass(frozen=True, slots=True)
class Approach:
    """A road on which one arrives at a junction: the arcs that lead there, the last one arrives."""

    arcs: tuple[int, ...]
    via: int

    @classmethod
    def of(cls, network: RoadNetwork, arc: int) -> Approach | None:
        """Return the way on from an arc up to the next junction; None where that is a dead end."""
        walked = to_junction(network, arc)
        found = cls(tuple(walked), int(begin_of(network, int(network.targets[walked[-1]]))))
        return found if len(ways_on(network, walked[-1])) > 1 else None

    def onward(self, network: RoadNetwork) -> tuple[tuple[int, ...], ...]:
        """Return the roads that leave the junction, each up to the next one."""
        return tuple(tuple(to_junction(network, first)) for first in ways_on(network, self.arcs[-1]))


def road_to(roads: tuple[tuple[int, ...], ...], arcs: list[int]) -> tuple[int, ...]:
    """Return the road that has one of ``arcs``, up to that one; empty where none has."""
    for road in roads:
        if (at := next((place for place, arc in enumerate(road) if arc in arcs), None)) is not None:
            return road[: at + 1]
    return ()


def turn_of(network: RoadNetwork, arriving: int, leaving: int) -> Turn:
    """Return a turn by the ids of its nodes."""
    ids, tails = network.node_ids, network.tails()
    return int(ids[tails[arriving]]), int(ids[tails[leaving]]), int(ids[network.targets[leaving]])


def _of_arcs(network: RoadNetwork, turn: Turn) -> tuple[int, int]:
    """Return an arc by which a turn arrives, and one by which it leaves."""
    arriving, leaving = arcs_of_turn(network, turn)
    return int(arriving[0]), int(leaving[0])


def closed_turns(network: RoadNetwork, turns: Turns) -> tuple[ClosedRoad, ...]:
    """Return closed turns as they are listed."""
    called = network.node_name
    rows = []
    for turn in turns:
        one, via, other = (called(network.node(each)) for each in turn)
        ends = translated("from node {one} by node {via} to node {other}", one=one, via=via, other=other)
        rows.append(ClosedRoad(NO_ARCS, turn_text(network, *_of_arcs(network, turn)), "", ends, turn))
    return tuple(rows)


# ------------------------------------------------------------------------------------------------------- the layer


@dataclass(frozen=True, slots=True, eq=False)
class ClosedTurns(Layer):
    """The signs of turns that are closed by hand, seen from everywhere."""

    signs: TurnSigns
    turns: Turns

    NAME: ClassVar[str] = "closed turns"
    ORDER: ClassVar[int] = 33

    @classmethod
    def of(cls, network: RoadNetwork, turns: Turns) -> ClosedTurns | None:
        """Return the signs of turns, None for none."""
        if not turns:
            return None
        arcs = np.array([_of_arcs(network, turn) for turn in turns], np.int64).reshape(-1, 2)
        round_ = [turn[0] == turn[2] for turn in turns]
        rule = np.where(round_, TurnRule.NO_U_TURN, TurnRule.NO).astype(np.uint8)
        via = begin_of(network, network.tails()[arcs[:, 1]]).astype(np.int32)
        rows = ForbiddenTurns(rule, arcs[:, 0], arcs[:, 1], via, np.full(len(turns), -1))
        return cls(TurnSigns.of_rows(network, rows), turns)

    @property
    def of_search(self) -> bool:
        """The search keeps to them."""
        return True

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint them in the colour of closed roads, where roads are drawn."""
        if scene.diagram is None:
            paint_signs(painter, self.signs, scene.style, camera, scene.style.colours.closed)

    def turn_at(self, camera: Camera, x: float, y: float) -> Turn | None:
        """Return the turn whose sign is at a place in a camera's logical pixels, None for none."""
        row = sign_near(self.signs, camera, x, y)
        return self.turns[row] if row >= 0 else None


# -------------------------------------------------------------------------------------------------------- the tool


class TurnTool(Tool):
    """Picks a turn to close: a click on the road that arrives, near the junction, then one on the road that leaves.

    A drag from the one to the other does both. The right button takes the first road back, or reopens the turn of a
    sign. With Ctrl, and with the middle button, the map answers as without the tool.
    """

    pointed = Signal(object, object)
    """The arcs of the roads that a click would mean, ints; and the turn, None while it is not picked."""
    picked = Signal(object)
    """A turn that is to be closed."""
    reopened = Signal(object)
    """A turn that is to be open again."""
    missed = Signal()
    """A click was near no road that could be meant."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self.network: RoadNetwork | None = None
        self._chosen = self._pressed = self._fresh = False
        self._start = QPointF()
        self.approach: Approach | None = None
        """The road that arrives, once it is picked."""
        self._onward: tuple[tuple[int, ...], ...] = ()
        self._known: dict[int, Approach | None] = {}
        """Of each arc that was pointed at; the pointer stays near it for several moves."""

    @property
    def taken(self) -> bool:
        """Whether turns are closed."""
        return self._chosen

    @property
    def pressed(self) -> bool:
        """Whether a button is down for it."""
        return self._pressed

    def choose(self, network: RoadNetwork | None, chosen: bool) -> None:
        """Take the tool, or put it away."""
        self.network, self._chosen = network, chosen
        self.forget()
        self.view.viewport().setCursor(Qt.CursorShape.CrossCursor)

    def forget(self) -> None:
        """Begin anew."""
        self.approach, self._pressed, self._onward, self._known = None, False, (), {}
        self.pointed.emit((), None)

    def press(self, event: QMouseEvent) -> bool:
        """Pick the road that arrives, unless it is picked."""
        if not self._takes(event) or event.button() == Qt.MouseButton.MiddleButton:
            return False
        if event.button() == Qt.MouseButton.RightButton:
            if (turn := self._sign_at(event.position())) is not None:
                self.reopened.emit(turn)
            self.forget()
            self._pressed = True
            return True
        self._pressed, self._start, self._fresh = True, event.position(), self.approach is None
        if self.approach is None:
            self.approach = self._approach_at(event.position())
            if self.approach is None or self.network is None:
                self.missed.emit()
            else:
                self._onward = self.approach.onward(self.network)
        self._point(event.position())
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Show what a click would mean."""
        if not self._pressed and (over_marker or not self._takes(event) or event.buttons()):
            self.leave()
            return False
        self._point(event.position())
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Close the turn into the road under the pointer, unless this was the click that picked the first one."""
        if not self._pressed:
            return False
        self._pressed = False
        if event.button() != Qt.MouseButton.LeftButton or self.approach is None or self.network is None:
            return True
        dragged = (event.position() - self._start).manhattanLength() >= picking.DRAG_DISTANCE
        leaving = self._leaving_at(event.position())
        if leaving and (dragged or not self._fresh):
            turn = turn_of(self.network, self.approach.arcs[-1], leaving[0])
            self.forget()
            self.picked.emit(turn)
        elif not self._fresh or dragged:
            self.missed.emit()
        return True

    def leave(self) -> None:
        """Point at nothing but the road that is picked."""
        if self._chosen:
            self.pointed.emit(() if self.approach is None else self.approach.arcs, None)

    def _takes(self, event: QMouseEvent) -> bool:
        return self._chosen and not event.modifiers() & Qt.KeyboardModifier.ControlModifier

    def _point(self, pos: QPointF) -> None:
        network = self.network
        if network is None:
            return
        if self.approach is None:
            meant = self._approach_at(pos)
            self.pointed.emit(() if meant is None else meant.arcs, None)
            return
        leaving = self._leaving_at(pos)
        turn = (self.approach.arcs[-1], leaving[0]) if leaving else None
        self.pointed.emit((*self.approach.arcs, *leaving), turn)

    def _lines_at(self, pos: QPointF) -> tuple[np.ndarray, Stroke]:
        camera = self.view.camera()
        ratio = camera.pixel_ratio
        x, y = camera.to_plane(pos.x() * ratio, pos.y() * ratio)
        stroke, geometry = Stroke(x, y, x, y), self.view.map_scene.geometry
        if geometry is None or self.view.map_scene.diagram is not None:
            return np.zeros(0, np.int32), stroke
        return lines_near(geometry, stroke, picking.PICK_RADIUS * ratio / camera.scale)[:MOST_LINES], stroke

    def _approach_at(self, pos: QPointF) -> Approach | None:
        """Return the road under the pointer in the direction of its nearer end; one-way roads have one alone."""
        lines, stroke = self._lines_at(pos)
        network, geometry = self.network, self.view.map_scene.geometry
        if network is None or geometry is None or not len(lines):
            return None
        towards = directions_of_lines(geometry, lines[:1], stroke)
        for way in (towards, ~towards):
            for arc in arcs_of_lines(network, lines[:1], way).tolist():
                if arc not in self._known:
                    self._known[arc] = Approach.of(network, arc)
                if (approach := self._known[arc]) is not None:
                    return approach
        return None

    def _leaving_at(self, pos: QPointF) -> tuple[int, ...]:
        lines, _ = self._lines_at(pos)
        if self.network is None or self.approach is None:
            return ()
        for line in lines:
            if found := road_to(self._onward, arcs_of_lines(self.network, np.array([line])).tolist()):
                return found
        return ()

    def _sign_at(self, pos: QPointF) -> Turn | None:
        layer = self.view.map_scene.layers.get(ClosedTurns.NAME)
        if not isinstance(layer, ClosedTurns):
            return None
        seen, at = self.view.in_text_units(pos)
        return layer.turn_at(seen, at.x(), at.y())
