"""Parse problem lines of DIMACS files, and explain what is wrong with a line at which the kernels stopped."""

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
    fields, wanted = _split(line), form.split()
    fixed = [name for name in wanted if name.islower()]
    if fields[: len(fixed)] != fixed:
        _refuse_other_problem(fields, form, path, number)
    sizes = fields[len(fixed) :]
    if len(fields) != len(wanted) or not all(_is_whole(size) for size in sizes):
        raise FormatError(f"the problem line has the form {form!r}, not {shown(line)}", path, number)
    if any(int(size) > LARGEST for size in sizes):
        raise FormatError(f"the problem line {shown(line)} announces more than {LARGEST:,}", path, number)
    return [int(size) for size in sizes]


def refuse_arc_line(line: bytes, nodes: int, path: Path, number: int) -> NoReturn:
    """Raise the ``FormatError`` that says why this is not an arc line of a network with ``nodes`` nodes."""
    fields = _fields(line, "a", _ARC_FIELDS, ARCS_FORM, nodes, path, number)
    for name, field in zip(_ARC_FIELDS, fields, strict=True):
        if name == "WEIGHT":
            _check_weight(field, path, number)
        else:
            _check_node(field, nodes, path, number)
    raise FormatError(f"this line cannot be read: {shown(line)}", path, number)


def refuse_coordinate_line(line: bytes, nodes: int, path: Path, number: int) -> NoReturn:
    """Raise the ``FormatError`` that says why this is not a coordinate line of a network with ``nodes`` nodes."""
    node, *position = _fields(line, "v", _COORDINATE_FIELDS, COORDINATES_FORM, nodes, path, number)
    _check_node(node, nodes, path, number)
    for name, field in zip(_COORDINATE_FIELDS[1:], position, strict=True):
        if not _is_whole(field.removeprefix("-")):
            raise FormatError(f"the {name.lower()} {_cut(field)} is not a whole number", path, number)
        if not -LARGEST - 1 <= int(field) <= LARGEST:
            raise FormatError(f"the {name.lower()} {_cut(field)} is too large for 32 bits", path, number)
    raise FormatError(f"node {int(node)} has coordinates already: it occurs twice", path, number)


def shown(line: bytes) -> str:
    """Return a line as messages quote it: short and escaped."""
    return _cut(line.decode("utf-8", "replace").strip())


def _refuse_other_problem(fields: list[str], form: str, path: Path, number: int) -> NoReturn:
    line = _cut(" ".join(fields))
    if fields[:4] == ["p", "aux", "sp", "co"]:
        raise FormatError("this file holds only coordinates: open the .gr file that it belongs to", path, number)
    if fields[:3] in (["p", "aux", "sp"], ["p", "aux", "ss"]):
        raise FormatError(f"this file holds queries, not a network: {line}", path, number)
    if form == COORDINATES_FORM and fields[:2] == ["p", "sp"]:
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
    """Return the fields behind the letter as text. Raises ``FormatError``."""
    fields = _split(line)
    if fields[0] != letter:
        raise FormatError(f"this line does not belong in a DIMACS network: {shown(line)}", path, number)
    if not nodes:
        raise FormatError(f"a line {letter!r} comes before the problem line {form!r}", path, number)
    if len(fields) != 1 + len(names):
        wanted = " ".join((letter, *names))
        raise FormatError(f"a line has the form {wanted!r}, not {shown(line)}", path, number)
    return fields[1:]


def _check_node(field: str, nodes: int, path: Path, number: int) -> None:
    if not _is_whole(field) or not 1 <= int(field) <= nodes:
        raise FormatError(f"there is no node {_cut(field)}: nodes are numbered 1 to {nodes}", path, number)


def _check_weight(field: str, path: Path, number: int) -> None:
    if not _is_whole(field.removeprefix("-")):
        raise FormatError(f"the weight {_cut(field)} is not a whole number", path, number)
    if int(field) < 0:
        raise FormatError(
            f"the weight {_cut(field)} is negative; searches here need weights of 0 or more", path, number
        )
    if int(field) > LARGEST:
        raise FormatError(f"the weight {_cut(field)} is larger than {LARGEST:,}", path, number)


def _split(line: bytes) -> list[str]:
    return [field.decode("latin-1") for field in line.split()]  # splits where the kernels do: at ASCII blanks only


def _is_whole(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) < 4000  # longer ones int() refuses


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
