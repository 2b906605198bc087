"""The frame that maps of one view share: the maps of a race have one camera and draw the same roads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.frame import Frame
from wayfront_gui.scene.geometry import MapGeometry

_SAME_PIXELS = 1e-3
"""Views that are this near to each other, in pixels, are one."""


class Sharer(Protocol):
    """A map that shares frames, a ``MapItem``."""

    share: FrameShare | None

    @property
    def settled(self) -> bool: ...  # noqa: D102 - see MapItem

    def update(self) -> Any:
        """Paint again soon."""


class FrameShare:
    """The last frame that any of some maps has drawn, for the others to colour in their own way."""

    def __init__(self) -> None:
        self._items: list[Sharer] = []
        self._geometry: MapGeometry | None = None
        self._frame: Frame | None = None
        self._asked: tuple[Sharer, Camera, NDArray[np.uint8]] | None = None

    def join(self, item: Sharer) -> None:
        """Let a map share frames from now on."""
        item.share = self
        self._items.append(item)

    def leave(self, item: Sharer) -> None:
        """Let a map draw its own frames again."""
        item.share = None
        self._items.remove(item)
        if self._asked is not None and self._asked[0] is item:
            self._asked = None

    def find(self, geometry: MapGeometry, camera: Camera, levels: NDArray[np.uint8]) -> Frame | None:
        """Return the frame of this view with this very camera, if it is the last that was drawn."""
        frame = self._frame
        if frame is None or self._geometry is not geometry or frame.levels is not levels:
            return None
        return replace(frame, camera=camera) if _same_view(frame.camera, camera) else None

    def keep(self, item: Sharer, geometry: MapGeometry, frame: Frame) -> None:
        """Take a frame that a map has drawn, and let those paint again that wait for it."""
        self._geometry, self._frame = geometry, frame
        asked, self._asked = self._asked, None
        if asked is not None:
            for other in self._items:
                if other is not item:
                    other.update()

    def may_ask(self, item: Sharer, camera: Camera, levels: NDArray[np.uint8]) -> bool:
        """Return whether a map is to draw this view in the background: not while another one does."""
        if self._asked is not None:
            asker, its_camera, its_levels = self._asked
            if asker is not item and not asker.settled and _same_view(its_camera, camera) and its_levels is levels:
                return False
        self._asked = (item, camera, levels)
        return True


def _same_view(first: Camera, second: Camera) -> bool:
    """Return whether two cameras see the same pixels: Qt's transforms round where a map was moved to."""
    return first.shows_like(second) and sum(map(abs, first.pixels_to(second))) < _SAME_PIXELS
