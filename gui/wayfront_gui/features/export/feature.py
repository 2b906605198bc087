"""Export: what the map shows as a picture, a drawing, a poster, a film or a page for browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.export.panel import ShowPanel
from wayfront_gui.features.export.subject import RaceSubject, Subject
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.features.export.dialogs import PictureDialog, PosterDialog, ReplayFilmDialog
    from wayfront_gui.features.export.page_dialog import PageDialog

# What makes pictures and films is loaded when a dialog is opened: a start does without.


class ExportCommands:
    """Opens the dialogs that export."""

    def __init__(self, host: Host) -> None:
        self._host, self._session, self._controller, self._view = host, host.session, host.controller, host.view

    @command(
        "file.picture", "&Save picture…", keys=("Ctrl+S",), hint="Save the map as it is now", at=(1, 1), under="show"
    )
    def save_picture(self) -> None:
        """Ask how large, and save the map as it is now, with the matrix beside it."""
        from wayfront_gui.features.export.dialogs import PictureDialog

        self._export(PictureDialog)

    @command(
        "file.poster",
        "Sa&ve poster…",
        hint="Save a sheet with title, coordinates, legend and scale",
        at=(1, 2),
        under="show",
    )
    def save_poster(self) -> None:
        """Ask for sheet and layout, and save the map as a poster."""
        from wayfront_gui.features.export.dialogs import PosterDialog

        self._export(PosterDialog)

    @command(
        "file.film",
        "Save &film…",
        keys=("Ctrl+Shift+F",),
        hint="Film the search from first to last step",
        at=(1, 3),
        under="show",
    )
    def save_film(self) -> None:
        """Ask how, and save a film of the replay, of a race that of all its replays."""
        from wayfront_gui.features.export.dialogs import ReplayFilmDialog

        subject = self.subject()
        if self._session.several:
            self.save_race_film()
        elif subject is not None and not subject.can_be_filmed:
            self._host.reports.show_problem(translated("There is nothing to film yet: run a search first."))
        else:
            self._export(ReplayFilmDialog)

    @command(
        "file.page",
        "Save pa&ge…",
        hint="Save the search, the race or what streets carry as one file that any browser plays",
        at=(1, 4),
        under="show",
    )
    def save_page(self) -> None:
        """Ask how it begins, and save the search that is shown as a page."""
        from wayfront_gui.features.export.page_dialog import PageDialog

        subject = self.subject()
        if subject is not None and (subject.result is None or subject.result.trace is None):
            self._host.reports.show_problem(
                translated("There is no recorded search to make a page of yet: run one first.")
            )
        else:
            self._export(PageDialog)

    @command("race.film", "Save a f&ilm of the race…", hint="As MP4, WebM or GIF", at=(4, 1))
    def save_race_film(self) -> None:
        """Ask how, and save a film of the race, at first of what its maps show of the network now."""
        from wayfront_gui.features.export.dialogs import RaceFilmDialog

        recorded = self._recorded()
        if not self._session.several or len(recorded) < len(self._session.slots):
            self._host.reports.show(translated("There is no race to film yet: run one first (Shift+R)."))
            return
        style, clock = self._host.central.panes.all_maps[0].map_scene.style, self._session.clock
        subject = RaceSubject(recorded, style, self._host.central.panes.seen, self._session.split, clock.walk)
        RaceFilmDialog(
            subject, self._host.dialogs.save, self._controller.news.emit, self._host.central.panes.window()
        ).show_modeless()

    def _recorded(self) -> tuple[Result, ...]:
        """Return the recorded searches of all maps."""
        results = [slot.result for slot in self._session.slots if slot.live is None]
        return tuple(result for result in results if result is not None and result.trace is not None)

    def _export(self, dialog: type[PictureDialog | PosterDialog | ReplayFilmDialog | PageDialog]) -> None:
        subject = self.subject()
        if subject is None:
            self._host.reports.show_problem(translated("There is no map to save yet: open a network first."))
        else:
            dialog(subject, self._host.dialogs.save, self._controller.news.emit, self._host.window).show_modeless()

    def subject(self) -> Subject | None:
        """Return what is shown now, None without a map."""
        slot, view = self._session.active, self._view
        if slot.network is None or view.map_scene.geometry is None:
            return None
        panes, layers = self._host.central.panes, view.map_scene.layers.values()
        raced = panes.scenes if self._session.several else ()
        paged = (layer.page_maker for layer in layers)
        shown = panes if self._session.several else view
        return Subject(
            view.map_scene.copy(),
            slot.network,
            shown.seen,
            (shown.width(), shown.height()),
            float(view.devicePixelRatioF()),
            self._host.central.picture,
            result=slot.result if slot.live is None else None,
            laid_out=slot.laid_out,
            walk=self._session.clock.walk,
            raced=raced,
            split=self._session.split,
            results=self._recorded() if raced else (),
            share=self._session.clock.fraction,
            paged=None if raced or view.map_scene.diagram is not None else next(filter(None, paged), None),
        )


FEATURE = Feature(
    "export",
    at=70,
    controls=(ExportCommands,),
    sections=(
        Section(
            "show", "Show", ShowPanel, "Save the map, and change how it looks", at=1, activities=("show",), always=True
        ),
    ),
)
