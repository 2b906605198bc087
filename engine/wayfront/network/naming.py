"""How networks that are no files are named."""

from __future__ import annotations

SYNTHETIC = "synthetic:"
"""Start of the name, and of the ``origin``, of a generated network."""

EXAMPLE = "example:"
"""Start of the name, and of the ``origin``, of an example that comes with the program."""


def is_made(name: str) -> bool:
    """Return whether this names a network that the program makes by itself, without any file."""
    return name.startswith((SYNTHETIC, EXAMPLE))
