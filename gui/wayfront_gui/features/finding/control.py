"""Finds what is typed into the search box, shows it on the map, and goes there or searches from or to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, QTimer

from wayfront.network.conventions import is_drawing
from wayfront.network.finding import suggestions
from wayfront.network.names import NODE, Fit, Named, NameIndex, node_named
from wayfront.network.positions import Position
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.actions import keys_text
from wayfront_gui.app.commands import Command, CommandWords, command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.app.settings import LONGEST_PATH, RECENT_COUNT
from wayfront_gui.features.finding.box import SearchBox, Use
from wayfront_gui.features.finding.layer import FoundMark
from wayfront_gui.features.finding.rows import ONLY_COMMANDS, Row, row_of_command, row_of_named, rows_of
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.tiles import BackgroundWork
from wayfront_gui.ui.translation import marked, translated, translated_message

AFTER_MS = 1_500
"""How long a network is shown before its names are read in the background: its first picture goes first."""
AIR, EDGE = 28.0, 12.0
"""Pixels that what is shown stays away from the box and from the edges of the map: a whole map has nodes near them."""
QUESTIONS = {
    Use.GO: marked("Street, place, node, position, command"),
    Use.SOURCE: marked("Search from…"),
    Use.TARGET: marked("Route to…"),
    Use.FURTHER: marked("One more target…"),
}


class Finder:
    """The one search box, with what it finds."""

    def __init__(self, host: Host) -> None:
        self._host, self._session, self._view = host, host.session, host.view
        self.box = SearchBox(host.central)
        host.central.tools.begin_with(host.actions["edit.find"])
        self._use = Use.GO
        self._commands = CommandWords(())
        self._keys: dict[str, str] = {}
        self._mark: FoundMark | None = None
        self._before: tuple[Extent | None, Camera] | None = None
        self._reading = BackgroundWork("names", host.window)
        self._reading.finished.connect(self._on_read)
        self._soon = QTimer(host.window)
        self._soon.setSingleShot(True)
        self._soon.setInterval(AFTER_MS)
        self._soon.timeout.connect(self._read)
        self.box.typed.connect(self._fill)
        self.box.moved.connect(self._show)
        self.box.accepted.connect(self._accept)
        self.box.left.connect(self._go_back)
        self.box.gone.connect(self._on_gone)
        self._session.network_changed.connect(self._on_network)
        self._session.source_changed.connect(self._put_away)
        host.tools.add("found", self._put_away, beside=True)
        host.closing.connect(self._stop)

    # ----------------------------------------------------------------------------------------------- commands

    @command(
        "edit.find",
        "&Find…",
        keys=("Ctrl+K", "/"),
        hint="Streets, places, node ids, coordinates and commands",
        at=(9, 1),
    )
    def find(self) -> None:
        """Find whatever is typed."""
        self._open(Use.GO)

    @command("help.palette", "&Find a command…", keys=("Ctrl+Shift+P",), hint="Every command by name", at=(1, 1))
    def find_command(self) -> None:
        """Find any command by name."""
        self._open(Use.GO, ONLY_COMMANDS)

    @command(
        "search.source",
        "&Source by name…",
        keys=("Ctrl+G",),
        hint="Search from a street, place, node or position",
        at=(3, 1),
    )
    def find_source(self) -> None:
        """Find a node and search from it."""
        self._open(Use.SOURCE)

    @command(
        "search.target",
        "Route &to…",
        keys=("Ctrl+T",),
        hint="Show the route to a street, place, node or position",
        at=(3, 2),
    )
    def find_target(self) -> None:
        """Find a node and show the route to it."""
        self._open(Use.TARGET)

    @command(
        "search.further_target",
        "O&ne more target…",
        keys=("Ctrl+Shift+T",),
        hint="Show the route to one more node, or no longer to a target",
        at=(3, 3),
    )
    def find_further_target(self) -> None:
        """Find a node and show the route to it too, or no longer."""
        self._open(Use.FURTHER)

    # ---------------------------------------------------------------------------------------------- the names

    @property
    def _network(self) -> RoadNetwork | None:
        return self._session.active.network

    @property
    def _names(self) -> NameIndex | None:
        """The index of the active network's names, None while it is being made."""
        network = self._network
        return NameIndex.of(network) if network is not None and NameIndex.is_made(network) else None

    def _on_network(self) -> None:
        self._put_away()
        self._before = None
        if self.box.isVisible():
            self._read()
            self._fill(self.box.line.text())
        else:
            self._soon.start()

    def _read(self) -> None:
        """Make the index of names in the background, unless it is there."""
        self._soon.stop()
        network = self._network
        if network is not None and not NameIndex.is_made(network):
            self._reading.start(lambda: NameIndex.of(network))

    def _on_read(self) -> None:
        if self._names is None:
            self._read()  # another network was opened meanwhile
        elif self.box.isVisible():
            self._fill(self.box.line.text())

    def _stop(self) -> None:
        self._soon.stop()
        self._reading.stop()

    # ----------------------------------------------------------------------------------------------- the rows

    def _open(self, use: Use, text: str = "") -> None:
        self._use = use
        self._commands = CommandWords(self._enabled)
        self._keys = {each.name: keys_text(each) for each in self._host.commands}
        self._read()
        self._put_away()
        self._before = None if self._view.map_scene.geometry is None else (self._view.seen, self._view.camera())
        self.box.ask(translated(QUESTIONS[use]), text)

    def _fill(self, typed: str) -> None:
        if not self.box.isVisible():
            return
        network, names = self._network, self._names
        if typed.startswith(ONLY_COMMANDS):
            found = self._commands.find(typed.removeprefix(ONLY_COMMANDS))
            rows = [row_of_command(each, self._keys) for _, each in found]
            self.box.show_rows(rows, "" if rows else translated(NO_COMMAND))
            return
        if not typed.strip():
            self.box.show_rows(self._recent(), self._hints())
            return
        named: tuple[Named, ...] = ()
        problem = ""
        if network is not None and network.node_count:
            suggested = suggestions(network, typed, names)
            named, problem = suggested.found, translated_message(suggested.problem) if suggested.problem else ""
        fitting = self._commands.find(typed) if self._use is Use.GO else []
        rows = rows_of(named, fitting, self._keys, self._source)
        if network is not None and names is None:
            problem = problem or translated(READING)
        if not rows:
            problem = problem or f"{translated('Nothing found.')} {self._hints()}"
        self.box.show_rows(rows, problem)

    @property
    def _source(self) -> Position | None:
        """Where the source is, None without one or where lengths on the map mean nothing."""
        slot, network = self._session.active, self._network
        if network is None or slot.source is None or slot.laid_out or is_drawing(network):
            return None
        return node_named(network, slot.source).at

    @property
    def _enabled(self) -> list[Command]:
        return [each for each in self._host.commands if self._host.actions[each.name].isEnabled()]

    def _hints(self) -> str:
        """Return what can be typed."""
        network, names = self._network, self._names
        if network is None or not network.node_count:
            return translated("Type a command; once a network is open, its streets, places and nodes too.")
        if names is not None and not len(names):
            if network.coordinates is None:
                return translated("This network has no names and no map: type a node’s id or a command.")
            return translated("This network has no names: type a node’s id, coordinates or a command.")
        return translated(HINTS)

    def _recent(self) -> list[Row]:
        """Return the rows of what was used last, as far as it is there now."""
        rows: list[Row] = []
        enabled = {each.name: each for each in self._enabled}
        network, names = self._network, self._names
        for text in self._host.settings.found:
            name = text.removeprefix(ONLY_COMMANDS)
            if text.startswith(ONLY_COMMANDS):
                if self._use is Use.GO and name in enabled:
                    rows.append(row_of_command(enabled[name], self._keys))
            elif network is not None and network.node_count:
                found = suggestions(network, text, names).found[:1]
                rows += [row_of_named(each) for each in found if each.fit == Fit.SAME]
        return rows

    def _remember(self, row: Row) -> None:
        text = row.what.name if isinstance(row.what, Named) else ONLY_COMMANDS + row.what.name
        if len(text) <= LONGEST_PATH:
            kept = [text, *(each for each in self._host.settings.found if each != text)]
            self._host.settings.found = tuple(kept[:RECENT_COUNT])

    # -------------------------------------------------------------------------------------------- on the map

    def _show(self, by_hand: bool) -> None:
        """Show the chosen row on the map; one that a person went to is brought into view."""
        row, network = self.box.chosen, self._network
        named = row.what if row is not None and isinstance(row.what, Named) else None
        mark = None
        if named is not None and network is not None:
            mark = FoundMark.of(network, named, self._node(named), self._names)
        self._put(mark)
        uses: list[Use] = []
        if named is not None:
            uses = [Use.SOURCE, Use.TARGET] if mark is None else [Use.GO, Use.SOURCE, Use.TARGET]
            uses = uses if self._use is Use.GO else [use for use in uses if use is not Use.GO]
        self.box.offer(uses)
        if by_hand and mark is not None:
            self._bring_into_view(mark)

    def _node(self, named: Named) -> int:
        if named.kind == NODE or self._names is None:
            return named.index
        return self._names.node(named)

    def _put(self, mark: FoundMark | None) -> None:
        self._mark = mark
        sync, network = self._host.control(MapSync), self._network
        for slot in self._session.slots:
            view = sync.view_of(slot)
            if view is not None:
                view.set_layer(FoundMark.NAME, mark if slot.network is network else None)

    def _put_away(self) -> bool:
        there = self._mark is not None and not self.box.isVisible()
        if there:
            self._put(None)
        return there

    def _bring_into_view(self, mark: FoundMark) -> None:
        """Move the map as little as is needed: not at all if all is seen from where it was when the box was opened."""
        if self._before is None:
            return
        _, camera = self._before
        now = self._view.camera()
        if (camera.width, camera.height) == (now.width, now.height) and self._is_seen(mark, camera):
            self._go_back()
        elif not self._is_seen(mark, now):
            room, ratio = self._free(), now.pixel_ratio
            x, y = mark.place(self._view.map_scene)
            at = now.to_plane(room.center().x() * ratio, room.center().y() * ratio)
            self._view.look_at(now.extent.moved(x - at[0], y - at[1]))

    def _is_seen(self, mark: FoundMark, camera: Camera) -> bool:
        column, row = camera.to_pixels(*mark.place(self._view.map_scene))
        at = QPointF(column / camera.pixel_ratio, row / camera.pixel_ratio)
        inside = QRectF(self._view.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        return inside.contains(at) and not QRectF(self._covered()).adjusted(-AIR, -AIR, AIR, AIR).contains(at)

    def _covered(self) -> QRect:
        """Return what the box covers of the map."""
        corner = self._view.mapFromGlobal(self.box.mapToGlobal(self.box.rect().topLeft()))
        return QRect(corner, self.box.size()).intersected(self._view.rect())

    def _free(self) -> QRectF:
        """Return the largest part of the map that the box leaves free."""
        whole, box = QRectF(self._view.rect()), QRectF(self._covered())
        below = QRectF(whole.left(), box.bottom(), whole.width(), whole.bottom() - box.bottom())
        beside = QRectF(box.right(), whole.top(), whole.right() - box.right(), whole.height())
        before = QRectF(whole.left(), whole.top(), box.left(), whole.height())
        return max((below, beside, before), key=lambda room: min(room.width(), room.height()))

    def _go_back(self) -> None:
        """Show the map as it was when the box was opened."""
        if self._before is None:
            return
        seen = self._before[0]
        if seen == self._view.seen:
            return
        if seen is None:
            self._view.fit()
        else:
            self._view.look_at(seen)

    def _on_gone(self) -> None:
        """Leave no mark of what was only looked at."""
        self._before = None
        self._put(None)

    # ------------------------------------------------------------------------------------------------ acting

    def _accept(self, use: Use | None) -> None:
        """Do with the chosen row what was asked for."""
        row = self.box.chosen
        if row is None:
            return
        if isinstance(row.what, Command):
            if use in (None, Use.GO):
                self.box.close_card()
                self._remember(row)
                self._host.actions[row.what.name].trigger()
            return
        named, mark, node = row.what, self._mark, self._node(row.what)
        use = use or self._use
        if use is Use.GO and mark is None:
            use = Use.SOURCE  # without a map there is nowhere to go
        if node < 0:
            self.box.show_rows(
                self.box.rows, translated("{name} has no node of this network near it.", name=named.name)
            )
            return
        self._remember(row)
        if use is not Use.GO and mark is not None:
            self._bring_into_view(mark)
        self.box.close_card()
        if use is Use.GO:
            self._view.show_roads(mark)
            if self._view.size_seen < 1:
                self._view.fit()
            self._put(mark)
        else:
            self._acts[use](node)

    @property
    def _acts(self) -> dict[Use, Callable[[int], None]]:
        controller = self._host.controller
        return {
            Use.SOURCE: controller.choose_source,
            Use.TARGET: controller.choose_target,
            Use.FURTHER: controller.toggle_target,
        }


NO_COMMAND = marked("Nothing found. Type some letters of a command’s words.")
READING = marked("The names of this network are still being read.")
HINTS = marked(
    "Type a street, a place, two streets with / between them, a node’s id, coordinates, a link to a map, or a command; "
    "after > commands alone."
)
