"""What the command line asks of the first search in a window. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wayfront.network.finding import find_node
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError
from wayfront_gui.session.choice import central_node
from wayfront_gui.session.slot import Slot


@dataclass(frozen=True, slots=True)
class StartOptions:
    """How to search first, and how the window stands; what is None is left as it is."""

    source: str | None = None
    algorithm: str | None = None
    device: str | None = None
    threads: int = 1
    metric: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    theme: str | None = None
    full_screen: bool = False

    @property
    def asks_search(self) -> bool:
        """Whether anything is asked of the first search."""
        named = (self.source, self.algorithm, self.device, self.metric)
        return any(one is not None for one in named) or self.threads > 1 or bool(self.options)

    def begin(
        self, search_from: Callable[[Slot, int], None], refuse: Callable[[str], None], slot: Slot, network: RoadNetwork
    ) -> bool:
        """Choose what was asked for on a network that was just opened, and search; return whether that was possible.

        ``refuse`` is called with the reason where the network lacks what was named.
        """
        try:
            source = central_node(network) if self.source is None else find_node(network, self.source)
            if source is None:
                return False
            self._choose(slot)
        except (NetworkError, OptionError) as problem:
            refuse(str(problem))
            return False
        search_from(slot, source)
        return True

    def _choose(self, slot: Slot) -> None:
        if self.metric is not None:
            slot.choose_metric(self.metric)
        if self.device is not None:
            slot.choose_device(self.device)
        slot.choose_threads(self.threads)
        if self.algorithm is not None:
            slot.choose_algorithm(self.algorithm)
        for name, value in self.options.items():
            slot.set_option(name, value)
