"""Recognise the format of a file by its content, and name other files in the error message.

``.gr`` alone is the suffix of four formats, and a failed download often has the right name and holds a page of HTML,
so a suffix decides nothing here.
"""

from __future__ import annotations

import re
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.formats.registry import Format, describe_formats, formats
from wayfront.formats.streams import is_binary, read_head

_BINARY = (
    (rb"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it first"),
    (rb"PK\x03\x04.{26}header\.npy", "it is a recorded trace, which is opened together with its network"),
    (rb"PK\x03\x04", "it is a zip archive: unpack it and open the file inside"),
    (rb"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it and open the file inside"),
    (rb"Rar!", "it is a RAR archive: unpack it and open the file inside"),
    (rb"[\x01\x02]\0{7}[\0\x04\x08]\0{7}", "it looks like a Galois binary graph"),
)
_TEXT = (
    (rb"<!doctype html|<html", "it is a web page, perhaps a failed download: get the file again"),
    (rb"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<osmChange", "it is a change to a map, not a map"),
    (rb"<\?xml|<", "it is XML of some kind"),
    (rb"[{\[]", "it is JSON"),
    (rb"%%matrixmarket", "it is a Matrix Market file; this version does not open it yet"),
    (rb"[%#]|[0-9]", "it looks like a METIS graph or a plain list of arcs"),
)


def recognise(path: Path) -> Format:
    """Return the format of a file. Raises ``FormatError`` saying what else the file seems to be."""
    head = read_head(path)
    if not head:
        raise FormatError("the file is empty", path)
    for declared in formats():
        if declared.is_of(head):
            return declared
    raise FormatError(
        f"this is not a road network: {_problem(head)}. wayfront opens {describe_formats(formats())}", path
    )


def _problem(head: bytes) -> str:
    for pattern, problem in _BINARY:
        if re.match(pattern, head, re.DOTALL):
            return problem
    if is_binary(head):
        return "it is binary data of an unknown kind"
    for pattern, problem in _TEXT:
        if re.match(rb"\s*(" + pattern + rb")", head, re.DOTALL | re.IGNORECASE):
            return problem
    first = head.split(maxsplit=1)[0][:40].decode("utf-8", "replace")
    return f"it is text that begins with {first!r}"
