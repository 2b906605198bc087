"""The first bytes of a ``.wayfront`` file."""

from __future__ import annotations

MAGIC = b"WAYFRONT"
