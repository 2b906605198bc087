"""What people call a network whose file has a name for programs: ``USA-road-d.NY`` is New York City. No Qt."""

from __future__ import annotations

import re

from wayfront.examples import EXAMPLES
from wayfront.formats.osm_network_types import DOWNLOADABLE
from wayfront.sources.catalogue import CATALOGUE
from wayfront_gui.translation import translated_message

_DIMACS = re.compile(r"USA-road-[dt]\.([A-Z]+)")
_EXAMPLES = frozenset(example.title for example in EXAMPLES)
_WORDS = re.compile(r"[^\W\d_]+(?:[-_ ][^\W\d_]+)*")
_NO_NAMES = frozenset({"latest", "osm", "roads", *DOWNLOADABLE})
"""Last words of files' names that say where they come from or which roads they have."""
_SMALL = ("and", "of", "the", "upon", "de", "da", "do", "del", "la", "le", "les", "sur", "di", "am", "an", "der")


def title_of(name: str) -> str:
    """Return what people call the network of that name; a name that says nothing more is returned as it is."""
    if name in _EXAMPLES:
        return translated_message(name)
    if found := _DIMACS.fullmatch(name):
        return next((translated_message(entry.title) for entry in CATALOGUE if entry.code == found[1]), name)
    plain = name
    for kind in sorted(_NO_NAMES, key=len, reverse=True):
        plain = plain.removesuffix(f"-{kind}")
    if not _WORDS.fullmatch(plain) or plain != plain.lower():
        return name
    words = re.split(r"[-_ ]", plain)
    return " ".join(w if w in _SMALL and index else w.capitalize() for index, w in enumerate(words))
