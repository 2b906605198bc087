"""Keeps the map showing what session and player hold, and tells them what a person did on the map."""

from __future__ import annotations

from wayfront_gui.map.view import MapView
from wayfront_gui.window.controller import Controller


class MapLink:
    """Joins one map to one controller; the map keeps no state of the search itself."""

    def __init__(self, view: MapView, controller: Controller) -> None:
        self._view = view
        self._session = controller.session
        self._player = controller.player
        session, player = self._session, self._player
        session.network_changed.connect(self._show_network)
        session.source_changed.connect(self._show_source)
        session.target_changed.connect(self._show_route)
        session.result_changed.connect(self._show_result)
        session.live_changed.connect(self._show_live)
        session.view_changed.connect(self._show_step)
        player.moved.connect(self._show_step)
        view.source_moved.connect(controller.place_source)
        view.target_chosen.connect(session.choose_target)

    def _show_network(self) -> None:
        self._view.set_network(self._session.network if self._drawn else None)
        self._view.set_scale_bar(not self._session.laid_out)

    @property
    def _drawn(self) -> bool:
        network = self._session.network
        return network is not None and network.coordinates is not None

    def _show_source(self) -> None:
        if self._drawn:
            self._view.set_source(self._session.source)

    def _show_route(self) -> None:
        if self._drawn:
            route = self._session.route()
            self._view.set_route(None if route is None else route.nodes)

    def _show_result(self) -> None:
        if self._drawn:
            self._view.set_result(self._session.result)
            self._show_live()
            self._show_step()

    def _show_step(self) -> None:
        session, result = self._session, self._session.result
        if not self._drawn or (result is None and session.live is None):
            return
        if session.live is None and (session.tree_shown or result is None or result.trace is None):
            self._view.show_tree()
        else:
            self._view.show_step(self._player.position)

    def _show_live(self) -> None:
        if self._drawn and self._session.live is not None:
            self._view.set_live(self._session.live.trace, None)
