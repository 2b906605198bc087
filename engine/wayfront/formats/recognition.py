"""Which format a file has, told by its content; what is not a network is named and refused.

``.gr`` alone is the suffix of four formats, and a failed download often carries the right name and a page of
HTML, so a suffix decides nothing here.
"""

from __future__ import annotations

import re
import string
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.streams import read_head

DIMACS = "dimacs"
NATIVE = "wayfront"
OSM_EXTRACT = "OpenStreetMap extract"
OVERPASS = "Overpass answer"
GRAPHML = "GraphML"
OPEN_STREET_MAP = (OSM_EXTRACT, OVERPASS, GRAPHML)

NATIVE_MAGIC = b"WAYFRONT"

_READABLE = (
    "wayfront opens DIMACS networks (.gr), OpenStreetMap data (.osm.pbf, .osm, Overpass JSON, GraphML of OSMnx) "
    "and its own .wayfront files"
)
_LATER = "this version does not open it yet: " + _READABLE

_MAPS = (
    (rb".{4}\x0a\x09OSMHeader", OSM_EXTRACT),
    (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<osm[\s>]", OSM_EXTRACT),
    (rb"\s*(<\?xml[^>]*>\s*)?(<!.*?>\s*)*<graphml[\s>]", GRAPHML),
    (rb"\s*\{.*\"elements\"\s*:|\s*\{.*\"osm3s\"\s*:", OVERPASS),
)

_BINARY = (
    (rb"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it first"),
    (rb"PK\x03\x04.{26}header\.npy", "it is a recorded trace, which is opened together with its network"),
    (rb"PK\x03\x04", "it is a zip archive: unpack it and open the file inside"),
    (rb"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it and open the file inside"),
    (rb"Rar!", "it is a RAR archive: unpack it and open the file inside"),
    (rb"[\x01\x02]\0{7}[\0\x04\x08]\0{7}", f"it looks like a Galois binary graph. {_READABLE}"),
)
_TEXT = (
    (rb"<!doctype html|<html", "it is a web page, perhaps a failed download: get the file again"),
    (rb"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<osmChange", f"it is a change to a map, not a map. {_READABLE}"),
    (rb"<\?xml|<", f"it is XML of some kind. {_READABLE}"),
    (rb"[{\[]", f"it is JSON. {_READABLE}"),
    (rb"%%matrixmarket", f"it is a Matrix Market file; {_LATER}"),
    (rb"[%#]|[0-9]", f"it looks like a METIS graph or a plain list of arcs. {_READABLE}"),
)
_DIMACS_LINE = re.compile(rb"\A\s*([cpav](?![\w,;])|\Z)|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)
_PLAIN = set(string.printable.encode())


def recognise(path: Path) -> str:
    """Return ``DIMACS``, ``NATIVE`` or one of ``OPEN_STREET_MAP``.

    Raises ``FormatError`` saying what else the file seems to be.
    """
    head = read_head(path)
    if not head:
        raise FormatError("the file is empty", path)
    if head.startswith(NATIVE_MAGIC):
        return NATIVE
    for pattern, kind in _MAPS:
        if re.match(pattern, head, re.DOTALL):
            return kind
    for pattern, problem in _BINARY:
        if re.match(pattern, head, re.DOTALL):
            raise FormatError(f"this is not a road network: {problem}", path)
    if _is_junk(head):
        raise FormatError(f"this is not a road network: it is binary data of an unknown kind. {_READABLE}", path)
    if _DIMACS_LINE.search(head):
        return DIMACS
    for pattern, problem in _TEXT:
        if re.match(rb"\s*(" + pattern + rb")", head, re.DOTALL | re.IGNORECASE):
            raise FormatError(f"this is not a road network: {problem}", path)
    first = head.split(maxsplit=1)[0][:40].decode("utf-8", "replace")
    raise FormatError(f"this is not a road network: it is text that begins with {first!r}. {_READABLE}", path)


def _is_junk(head: bytes) -> bool:
    """Tell binary data from text by its control characters; comments in any encoding but UTF-16 are text."""
    return any(byte < 128 and byte not in _PLAIN for byte in head)
