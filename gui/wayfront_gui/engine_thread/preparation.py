"""What the window needs of a network before it shows it, made on the engine thread so that the window never waits."""

from __future__ import annotations

from collections.abc import Callable

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.model.first_source import central_node
from wayfront_gui.translation import translated


def prepare(network: RoadNetwork, progress: Callable[[str, float], None]) -> None:
    """Make the map's lines, its regions and the first source, which the network keeps, and load the map's kernels.

    Raises ``NetworkError`` for a network that is too large for a map, before it takes the place of another.
    """
    from wayfront_gui.scene.areas import Areas
    from wayfront_gui.scene.geometry import MapGeometry
    from wayfront_gui.scene.kernel_warmup import warm_up_map
    from wayfront_gui.scene.named_roads import NamedRoads

    progress(translated("Drawing the map"), -1.0)
    central_node(network)
    if network.coordinates is not None:
        geometry = MapGeometry.of(network)
        if network.road_names is not None:
            NamedRoads.of(network, geometry)
        Areas.of(network)
        warm_up_map(bent=geometry.chains is not None)
