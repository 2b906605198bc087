"""Race: two to six searches on one clock, each on a map or a strip of its own; and a neighbourhood cut out beside."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, side_dock
from wayfront_gui.features.race.control import RaceCommands, RaceControl
from wayfront_gui.features.race.maps import RaceCaptions
from wayfront_gui.features.race.panel import RacePanel

FEATURE = Feature(
    "race",
    at=45,
    controls=(RaceControl, RaceCommands, RaceCaptions),
    docks=(
        side_dock(
            "race",
            "Race",
            lambda host: RacePanel(host.session, host.actions),
            "R&ace panel",
            "Searches that race, who is where and who ended when",
            at=70,
        ),
    ),
)
