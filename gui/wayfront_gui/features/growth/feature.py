"""Growth: steps, relaxations and times of searches over growing networks of a kind."""

from __future__ import annotations

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Host


class GrowthCommands:
    """Opens the dialog that measures."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @command(
        "search.growth",
        "How searches &grow…",
        hint="Steps, relaxations and times over growing networks of a kind",
        at=(4, 2),
        under="compare",
    )
    def measure(self) -> None:
        """Measure how searches grow, and draw the chart meanwhile."""
        from wayfront_gui.features.growth.dialog import GrowthDialog  # with what measures and draws

        host = self._host
        theme, worker = (lambda: host.appearance.theme.name), host.controller.worker
        dialog = GrowthDialog(worker, theme, host.dialogs.save, host.controller.news.emit, host.window)
        host.closing.connect(dialog.close)
        dialog.show_modeless()


FEATURE = Feature("growth", controls=(GrowthCommands,))
