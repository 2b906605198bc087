"""Whether isochrones are shown, how wide their bands are, and from where: what a person chooses. No Qt."""

from __future__ import annotations

from collections.abc import Callable

from wayfront_gui.model.isochrones import MOST_SOURCES, Band


class IsochroneChoice:
    """The isochrones of one slot: round its source, and round ``others``, which clicks choose while they are shown.

    ``step`` is the width of a band in raw weights, None for a round one. ``bands`` and ``zones`` are what was found,
    empty until then. ``changed`` is called when any of these changes.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.wanted = False
        self.step: int | None = None
        self.others: tuple[int, ...] = ()
        self.bands: tuple[Band, ...] = ()
        self.zones: tuple[Band, ...] = ()

    @property
    def full(self) -> bool:
        """Whether there are as many sources as there may be."""
        return len(self.others) + 1 >= MOST_SOURCES

    def want(self, wanted: bool) -> None:
        """Show isochrones, or what is shown without them."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._changed()

    def choose_step(self, step: int | None) -> None:
        """Make bands ``step`` wide, in raw weights, or as wide as is usual."""
        if step != self.step:
            self.step = step
            self._changed()

    def toggle(self, node: int) -> None:
        """Make a node a source beside the slot's, or no longer; beyond the most there may be it stays none."""
        if node in self.others:
            self.others = tuple(other for other in self.others if other != node)
        elif self.full:
            return
        else:
            self.others = (*self.others, node)
        self._changed()

    def keep_first(self) -> None:
        """Have no sources but the slot's own."""
        if self.others:
            self.others = ()
            self._changed()

    def forget(self) -> None:
        """Have no other sources and no width of one's own: they belong to another network or metric."""
        self.step, self.others, self.bands, self.zones = None, (), (), ()
        self._changed()

    def show(self, bands: tuple[Band, ...], zones: tuple[Band, ...]) -> None:
        """Take what was found."""
        self.bands, self.zones = bands, zones
        self._changed()
