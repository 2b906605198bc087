"""Problem lines of DIMACS files, and in plain words what is wrong with a line that the kernels stopped at."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from wayfront.errors import FormatError
from wayfront.formats.dimacs.scan import LARGEST

ARCS_FORM = "p sp NODES ARCS"
COORDINATES_FORM = "p aux sp co NODES"

_ARC_FIELDS = ("TAIL", "HEAD", "WEIGHT")
_COORDINATE_FIELDS = ("NODE", "LONGITUDE", "LATITUDE")


def problem_sizes(line: bytes, form: str, path: Path, number: int) -> list[int]:
    """Return the numbers of a problem line that has the given form. Raises ``FormatError``."""
    words, wanted = _words(line), form.split()
    fixed = [word for word in wanted if word.islower()]
    if words[: len(fixed)] != fixed:
        _refuse_other_problem(words, form, path, number)
    sizes = words[len(fixed) :]
    if len(words) != len(wanted) or not all(_is_whole(size) for size in sizes):
        raise FormatError(f"the problem line has the form {form!r}, not {shown(line)}", path, number)
    if any(int(size) > LARGEST for size in sizes):
        raise FormatError(f"the problem line {shown(line)} announces more than {LARGEST:,}", path, number)
    return [int(size) for size in sizes]


def refuse_arc_line(line: bytes, nodes: int, path: Path, number: int) -> NoReturn:
    """Raise the ``FormatError`` that says why this is no arc line of a network of so many nodes."""
    fields = _fields(line, "a", _ARC_FIELDS, ARCS_FORM, nodes, path, number)
    for name, field in zip(_ARC_FIELDS, fields, strict=True):
        if name == "WEIGHT":
            _check_weight(field, path, number)
        else:
            _check_node(field, nodes, path, number)
    raise FormatError(f"this line cannot be read: {shown(line)}", path, number)


def refuse_coordinate_line(line: bytes, nodes: int, path: Path, number: int) -> NoReturn:
    """Raise the ``FormatError`` that says why this is no coordinate line of a network of so many nodes."""
    node, *place = _fields(line, "v", _COORDINATE_FIELDS, COORDINATES_FORM, nodes, path, number)
    _check_node(node, nodes, path, number)
    for name, field in zip(_COORDINATE_FIELDS[1:], place, strict=True):
        if not _is_whole(field.removeprefix("-")):
            raise FormatError(f"the {name.lower()} {_cut(field)} is no whole number", path, number)
        if not -LARGEST - 1 <= int(field) <= LARGEST:
            raise FormatError(f"the {name.lower()} {_cut(field)} is too large for 32 bits", path, number)
    raise FormatError(f"node {int(node)} has coordinates already: it occurs twice", path, number)


def shown(line: bytes) -> str:
    """Return a line as it is quoted in messages: short, and with nothing a terminal could trip over."""
    return _cut(line.decode("utf-8", "replace").strip())


def _refuse_other_problem(words: list[str], form: str, path: Path, number: int) -> NoReturn:
    line = _cut(" ".join(words))
    if words[:4] == ["p", "aux", "sp", "co"]:
        raise FormatError("this file holds only coordinates: open the .gr file that it belongs to", path, number)
    if words[:3] in (["p", "aux", "sp"], ["p", "aux", "ss"]):
        raise FormatError(f"this file holds queries, not a network: {line}", path, number)
    if form == COORDINATES_FORM and words[:2] == ["p", "sp"]:
        raise FormatError("this file holds arcs, not coordinates: a .co file is needed here", path, number)
    raise FormatError(
        f"the problem line is {line}; a road network has {form!r}. Other problems (colouring, flow, tree width) "
        "use the same kind of file",
        path,
        number,
    )


def _fields(
    line: bytes, letter: str, names: tuple[str, ...], form: str, nodes: int, path: Path, number: int
) -> list[str]:
    """Return the fields behind the letter, in text. Raises ``FormatError``."""
    words = _words(line)
    if words[0] != letter:
        raise FormatError(f"this line is none of a DIMACS network: {shown(line)}", path, number)
    if not nodes:
        raise FormatError(f"a line {letter!r} comes before the problem line {form!r}", path, number)
    if len(words) != 1 + len(names):
        wanted = " ".join((letter, *names))
        raise FormatError(f"a line has the form {wanted!r}, not {shown(line)}", path, number)
    return words[1:]


def _check_node(field: str, nodes: int, path: Path, number: int) -> None:
    if not _is_whole(field) or not 1 <= int(field) <= nodes:
        raise FormatError(f"there is no node {_cut(field)}: nodes are numbered 1 to {nodes}", path, number)


def _check_weight(field: str, path: Path, number: int) -> None:
    if not _is_whole(field.removeprefix("-")):
        raise FormatError(f"the weight {_cut(field)} is no whole number", path, number)
    if int(field) < 0:
        raise FormatError(
            f"the weight {_cut(field)} is negative; searches here need weights of 0 or more", path, number
        )
    if int(field) > LARGEST:
        raise FormatError(f"the weight {_cut(field)} is larger than {LARGEST:,}", path, number)


def _words(line: bytes) -> list[str]:
    return [word.decode("latin-1") for word in line.split()]  # splits where the kernels do: at ASCII blanks only


def _is_whole(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) < 4000  # longer ones int() refuses


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
