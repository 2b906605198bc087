"""The base of everything that a plug-in can declare."""

from __future__ import annotations


class Declaration:
    """An algorithm, a format or colours: objects of a plug-in's namespace that are one count as declared by it."""

    __slots__ = ()

    @property
    def called(self) -> str:
        """What it is and its name, such as ``algorithm waves``."""
        raise NotImplementedError
