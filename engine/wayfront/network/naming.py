"""How networks that are no files are named."""

from __future__ import annotations

SYNTHETIC = "synthetic:"
"""Start of the name, and of the ``origin``, of a generated network."""
