"""Growth: steps, relaxations and times of searches over growing networks of a kind."""

from __future__ import annotations

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Host
from wayfront_gui.features.growth.dialog import GrowthDialog


class GrowthCommands:
    """Opens the dialog that measures."""

    def __init__(self, host: Host) -> None:
        self._host = host
        host.closing.connect(self._close)

    @command(
        "search.growth",
        "How searches &grow…",
        hint="Steps, relaxations and times over growing networks of a kind",
        at=(4, 2),
        under="compare",
    )
    def measure(self) -> None:
        """Measure how searches grow, and draw the chart meanwhile."""
        host = self._host
        theme, worker = (lambda: host.appearance.theme.name), host.controller.worker
        GrowthDialog(worker, theme, host.dialogs.save, host.controller.news.emit, host.window).show_modeless()

    def _close(self) -> None:
        for dialog in self._host.window.findChildren(GrowthDialog):
            dialog.close()


FEATURE = Feature("growth", controls=(GrowthCommands,))
