"""What people call a processor that names itself ``Intel Xeon Processor @ 2.50GHz``: Intel Xeon 2.5 GHz. No Qt."""

from __future__ import annotations

import re

_SAYS_NOTHING = re.compile(
    r"\((?:R|TM)\)|\b\d+-Cores?\b|\bProcessors?\b|\bCPU\b|\b\d+th Gen\b|\bwith \w+ (?:Vega )?Graphics\b|@"
)
_CLOCK = re.compile(r"\b(\d+(?:\.\d+)?) ?GHz\b")


def short_device_name(name: str) -> str:
    """Return a processor's name as people say it; other names are returned as they are."""
    words = " ".join(_SAYS_NOTHING.sub(" ", name).split())
    return _CLOCK.sub(lambda clock: f"{float(clock[1]):g}\N{NO-BREAK SPACE}GHz", words) or name
