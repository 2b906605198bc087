"""Places: roads of any place of OpenStreetMap, and networks by name, downloaded and opened."""

from __future__ import annotations

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Host
from wayfront_gui.app.map_sync import view_bounds


class PlaceCommands:
    """Opens the dialogs that download."""

    def __init__(self, host: Host) -> None:
        self._session, self._controller, self._view, self._window = (
            host.session, host.controller, host.view, host.window,
        )  # fmt: skip

    @command("file.place", "Open p&lace…", keys=("Ctrl+Shift+O",), hint="Download the roads of any place", at=(1, 3))
    def open_place(self) -> None:
        """Ask for a place of OpenStreetMap, download its roads and open them."""
        from wayfront_gui.features.places.dialogs import PlaceDialog  # which brings what downloads

        here = view_bounds(self._view, self._session.active)
        PlaceDialog(here, self._controller.open, self._window).show_modeless()

    @command("file.catalogue", "Open c&atalogue…", hint="Download a part of the USA from DIMACS", at=(1, 4))
    def open_catalogue(self) -> None:
        """Show the networks that can be downloaded by name, and those that were."""
        from wayfront_gui.features.places.dialogs import CatalogueDialog

        CatalogueDialog(self._controller.open, self._window).show_modeless()


FEATURE = Feature("places", controls=(PlaceCommands,))
