"""Declare what a file of ours holds, arrays and a header in JSON, and check all of it before anything is used.

Networks, cached networks and traces are arrays with a header. Whoever wrote such a file may have meant harm, and a
checksum shows accidents only. So each reader declares its arrays as ``ArrayField`` and its header as ``HeaderField``,
and works in this order:

    parse_header    bytes to JSON: bounded in size, depth and numbers, no name twice, no NaN
    check_header    each declared entry has its type and bounds; what is not declared is dropped
    check_layout    names, dtypes, dimensions and lengths against each other, before any array is unpacked
    announced_bytes what the arrays will take, for ``memory.require_memory``
    check_values    ranges, rising offsets, distinct numbers

``check_arrays`` is the last three for arrays that are in memory. Files that are JSON or TOML as a whole are read with
``parse_json`` and ``parse_toml``, and checked by ``check_header`` too. All raise ``SchemaError``: one sentence without
the file's name, which the reader puts before it.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import FormatError, SchemaError
from wayfront.safe.files import read_at_most
from wayfront.safe.text import printable, shortened

Results = TypeVar("Results")

LONGEST_HEADER = 1 << 20
"""Bytes of JSON that a header may have."""
DEEPEST = 50
"""Tables and lists within one another. Python gives up at some hundred, and so would who walks through them later."""
HEADER = "its header"
"""What error messages call the JSON of a file of arrays."""

_MOST_NESTED = 20_000
"""Lists and tables in a header; those of ours have some hundred."""
_MOST_VALUES = (1 << 20) + 20_000
"""Values in a header; a trace may have a million names of labels."""
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?+', re.DOTALL)

_DEEP_KEY = re.compile(
    rf"""(?:^|[\[{{,])[ \t]*+(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{DEEPEST}}}""",
    re.ASCII | re.MULTILINE,
)
"""A dotted key of TOML within more tables than any value may be: ``tomllib`` takes the square of its parts."""
_LARGEST_EXTENT = 1 << 40
_INT64 = np.iinfo(np.int64)
_UINT64_MAX = int(np.iinfo(np.uint64).max)
_MOST_DIGITS = 20
"""Of a whole number of 64 bits, with its sign."""
_NONE = type(None)
_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", _NONE: "null"}
_KINDS |= {list: "a list", dict: "a table"}


# ------------------------------------------------------------------------------------------------- arrays


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayField:
    """One array of a file.

    name      its name in the file; never change it
    dtypes    the dtypes it may have, the preferred one first
    counts    the size that is its number of rows; where the caller does not give that size, the first field that
              counts it sets it
    title     what error messages call it, its name where empty
    more      rows beyond ``counts``: 1 for offsets
    columns   0 for a flat array, else the second dimension
    across    the size that is the second dimension; "" where ``columns`` says it
    lowest    no value is below this; None for no limit
    below     every value is below this number, or below this size; None for no limit
    rises_to  offsets: the values rise from 0 to this size; "" for other arrays
    distinct  whether no value occurs twice
    group     arrays of one group are all there or all absent; those of "" are always there
    """

    name: str
    dtypes: tuple[type, ...]
    counts: str
    title: str = ""
    more: int = 0
    columns: int = 0
    across: str = ""
    lowest: int | None = 0
    below: int | str | None = None
    rises_to: str = ""
    distinct: bool = False
    group: str = ""

    @property
    def label(self) -> str:
        """What error messages call the array."""
        return self.title or self.name


class Layout(NamedTuple):
    """What a file announces of an array before it is unpacked."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def value_count(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.value_count * self.dtype.itemsize


def announced_bytes(announced: Mapping[str, Layout]) -> int:
    """Return the bytes that the announced arrays take in memory."""
    return sum(layout.nbytes for layout in announced.values())


def check_layout(
    announced: Mapping[str, Layout], fields: Sequence[ArrayField], sizes: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return the sizes of announced arrays, those given in ``sizes`` and those that the arrays set.

    Raises ``SchemaError`` for arrays that are missing or not declared, and for a dtype, a number of dimensions or a
    length that is not the declared one.
    """
    _check_names(announced, fields)
    known = dict(sizes or {})
    for field in fields:
        if (layout := announced.get(field.name)) is not None:
            _check_shape(field, layout, known)
    return known


def check_values(arrays: Mapping[str, NDArray[Any]], fields: Iterable[ArrayField], sizes: Mapping[str, int]) -> None:
    """Raise ``SchemaError`` where a value is not as declared; the arrays have passed ``check_layout``."""
    for field in fields:
        array = arrays.get(field.name)
        if array is None:
            continue
        if field.rises_to:
            _check_rise(field, array, sizes[field.rises_to])
        elif array.size:
            _check_range(field, array, sizes)
        if field.distinct and _has_twins(array):
            raise SchemaError(f"{field.label}: every one has to be distinct")


def check_arrays(
    arrays: Mapping[str, NDArray[Any]], fields: Sequence[ArrayField], sizes: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Check the layout and the values of arrays in memory, and return the sizes. Raises ``SchemaError``."""
    known = check_layout({name: Layout(a.dtype, a.shape) for name, a in arrays.items()}, fields, sizes)
    check_values(arrays, fields, known)
    return known


def _check_names(announced: Mapping[str, Layout], fields: Sequence[ArrayField]) -> None:
    present = {field.group for field in fields if field.name in announced} | {""}
    for field in fields:
        if field.group in present and field.name not in announced:
            raise SchemaError(f"{field.label}: missing")
    surplus = announced.keys() - {field.name for field in fields}
    if surplus:
        raise SchemaError(f"an array that does not belong there: {shortened(min(surplus))}")


def _check_shape(field: ArrayField, layout: Layout, sizes: dict[str, int]) -> None:
    """Check an array by itself and against the sizes known so far; it may set one. Raises ``SchemaError``."""
    dtypes = [np.dtype(dtype) for dtype in field.dtypes]
    if layout.dtype not in dtypes:
        raise SchemaError(f"{field.label}: of type {layout.dtype}, not {' or '.join(map(str, dtypes))}")
    across = sizes[field.across] if field.across else field.columns
    if len(layout.shape) != (2 if across else 1):
        raise SchemaError(f"{field.label}: {len(layout.shape)} dimensions, not {2 if across else 1}")
    rows, columns = layout.shape[0], layout.shape[1:]
    if not 0 <= rows < _LARGEST_EXTENT:
        raise SchemaError(f"{field.label}: {rows} rows")
    if rows < field.more:
        raise SchemaError(f"{field.label}: empty, where even no {field.counts} need {field.more}")
    expected = sizes.setdefault(field.counts, rows - field.more) + field.more
    if rows != expected or columns != ((across,) if across else ()):
        needed = (expected, across) if across else (expected,)
        raise SchemaError(
            f"{field.label}: shape {layout.shape}, where {sizes[field.counts]} {field.counts} need {needed}"
        )


def _check_rise(field: ArrayField, offsets: NDArray[Any], last: int) -> None:
    rises = len(offsets) and int(offsets[0]) == 0 and int(offsets[-1]) == last
    if not rises or bool((offsets[1:] < offsets[:-1]).any()):
        raise SchemaError(f"{field.label}: they must rise from 0 to the number of {field.rises_to}, {last}")


def _check_range(field: ArrayField, array: NDArray[Any], sizes: Mapping[str, int]) -> None:
    """Raise ``SchemaError`` where a value of an array that is not empty is out of range."""
    if field.lowest is not None and (smallest := int(array.min())) < field.lowest:
        raise SchemaError(f"{field.label}: a value of {smallest}, below {field.lowest}")
    if field.below is None:
        return
    limit = sizes[field.below] if isinstance(field.below, str) else field.below
    if (largest := int(array.max())) >= limit:
        there_are = f"where there are {limit} {field.below}" if isinstance(field.below, str) else f"not below {limit}"
        raise SchemaError(f"{field.label}: a value of {largest}, {there_are}")


def _has_twins(array: NDArray[Any]) -> bool:
    ordered = np.sort(array)
    return bool((ordered[1:] == ordered[:-1]).any())


# ------------------------------------------------------------------------------------------------- header


@dataclass(frozen=True, slots=True)
class HeaderField:
    """One entry of a header.

    name       its name in the table that holds it
    of         the types it may have: ``str``, ``int``, ``float`` (whole numbers too), ``bool``, ``NoneType``,
               ``list`` and ``dict``
    optional   whether it may be absent, and ``default`` stands for it
    lowest     no number is below this; None for no limit
    highest    no number is above this; None for no limit
    longest    characters of a text, entries of a list or table
    pattern    regular expression that a whole text matches; "" for any text
    file_name  whether a text may hold what stands for bytes that are no UTF-8 (lone surrogates), as file names do
    fields     entries of a table, by name
    items      what each entry of a list is, or of a table whose names are free
    """

    name: str
    of: tuple[type, ...]
    optional: bool = False
    default: Any = None
    lowest: float | None = None
    highest: float | None = None
    longest: int = 10_000
    pattern: str = ""
    file_name: bool = False
    fields: tuple[HeaderField, ...] = ()
    items: HeaderField | None = None


def parse_header(data: bytes | memoryview, longest: int = LONGEST_HEADER) -> object:
    """Return the JSON value of a header, as ``parse_json`` does. Raises ``SchemaError``."""
    return parse_json(data, longest, HEADER)


def parse_json(data: bytes | memoryview | str, longest: int, what: str) -> object:
    """Return the JSON value in this text, in UTF-8 where it is bytes; error messages call it ``what``.

    Raises ``SchemaError``, with the line where one is to blame, for more than ``longest`` bytes or characters, for what
    is no JSON, for a table with a name twice, and for values as ``unusable`` finds them.
    """
    if len(data) > longest:
        raise SchemaError(f"{what} has {len(data):,} bytes, more than the {longest:,} it may have")
    if len(data) > LONGEST_HEADER:
        _refuse_many_values(data.encode() if isinstance(data, str) else bytes(data), what)
    try:
        text = data if isinstance(data, str) else bytes(data).decode("utf-8")
        value: object = json.loads(
            text,
            object_pairs_hook=lambda pairs: _table(pairs, what),
            parse_constant=lambda name: _refuse_number(name, what),
            parse_int=lambda digits: _whole(digits, what),
        )
    except SchemaError:
        raise
    except RecursionError:
        raise SchemaError(f"{what} is nested too deeply") from None
    except ValueError as problem:  # no UTF-8, or no JSON
        raise SchemaError(f"{what} is no JSON", getattr(problem, "lineno", None)) from None
    _refuse_unusable(value, what)
    return value


def read_results(path: str | Path, longest: int, command: str, read: Callable[[Any], Results]) -> Results:
    """Return what ``read`` makes of the JSON file that a command wrote: it may trip over whatever is not as written.

    Raises ``FormatError`` for a file that is none of ours.
    """
    text = read_at_most(path, longest, f"it is too large to be results of {command}")
    try:
        return read(parse_json(text, longest, "the file"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
        raise FormatError(f"it holds no results of {command} ({type(problem).__name__})", path) from None


def text_of(value: object) -> str:
    """Return a text of a file as it may be shown. Raises ``TypeError`` for anything else."""
    if not isinstance(value, str):
        raise TypeError("a text")
    return printable(value)


def _refuse_many_values(data: bytes, what: str) -> None:
    """Raise ``SchemaError`` for a JSON text with so many values that they would take far more memory than the text."""
    for text in (data, _STRING.sub(b"", data)):  # the second without what stands in strings
        nested = text.count(b"[") + text.count(b"{")
        if nested <= _MOST_NESTED and text.count(b",") <= _MOST_VALUES:
            return
    raise SchemaError(f"{what} has more than {_MOST_NESTED:,} lists and tables, or {_MOST_VALUES:,} values")


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """Return the table in a text of TOML; error messages call it ``what``.

    Raises ``SchemaError``, with the line where one is to blame, for what is no TOML, and for values as ``unusable``
    finds them: those have the value's keys, not its line.
    """
    import tomllib

    if (deep := _DEEP_KEY.search(text)) is not None:
        raise SchemaError(f"{what} is nested too deeply", text.count("\n", 0, deep.start()) + 1)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(problem))
        said = str(problem) if found is None else str(problem)[: found.start()]
        line = text.count("\n") + 1 if found is None or found[1] is None else int(found[1])
        raise SchemaError(f"{what} is no TOML: {said}", line) from None
    except RecursionError:
        raise SchemaError(f"{what} is nested too deeply") from None
    except ValueError:  # the one that is no TOMLDecodeError: a number of more digits than Python converts
        number = re.search(rf"[0-9][0-9_]{{{sys.get_int_max_str_digits()},}}", text)
        at = None if number is None else text.count("\n", 0, number.start()) + 1
        raise SchemaError(f"{what} holds a number of thousands of digits", at) from None
    _refuse_unusable(values, what)
    return values


def unusable(value: object) -> tuple[tuple[str | int, ...], str] | None:
    """Return the keys that lead to a value which nobody can use, and what is wrong with it; None if there is none.

    That is one within more than ``DEEPEST`` others, a whole number of more than 64 bits, or a number that is not
    finite.
    """
    waiting: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, (dict, list)):
            if len(path) >= DEEPEST:
                return path, "nested too deeply"
            waiting += [
                ((*path, key), part) for key, part in (one.items() if isinstance(one, dict) else enumerate(one))
            ]
        elif isinstance(one, int) and not _INT64.min <= one <= _UINT64_MAX:
            return path, f"{shortened(one)}, a number of more than 64 bits"
        elif isinstance(one, float) and not math.isfinite(one):
            return path, f"{one}, no number that can be used"
    return None


def called(path: Iterable[str | int]) -> str:
    """Return the keys that lead to a value as messages write them, such as ``slots[0].view``."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f"{'.' if text else ''}{shortened(key).strip(chr(39))}"
    return text


def check_header(header: object, fields: Sequence[HeaderField], what: str = HEADER) -> dict[str, Any]:
    """Return the declared entries of a header, defaults where optional ones are absent; others are dropped.

    Error messages call it ``what``. Raises ``SchemaError`` for an entry that is missing, of another type or out of its
    bounds.
    """
    if not isinstance(header, dict):
        raise SchemaError(f"{what} is no table")
    return _check_table(header, fields, "", what)


def _table(pairs: list[tuple[str, Any]], what: str) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise SchemaError(f"a table in {what} has the same name twice")
    return table


def _refuse_number(name: str, what: str) -> NoReturn:
    raise SchemaError(f"{what} holds {name}, which is no number")


def _whole(digits: str, what: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise SchemaError(f"{what} holds a number of {len(digits):,} digits: one may have 64 bits")
    return int(digits)


def _refuse_unusable(value: object, what: str) -> None:
    if (found := unusable(value)) is not None:
        path, problem = found
        if len(path) >= DEEPEST:
            raise SchemaError(f"{what} is nested too deeply", keys=path)
        raise SchemaError(f"{called(path)} in {what} is {problem}" if path else f"{what} is {problem}", keys=path)


def _check_table(table: Mapping[str, Any], fields: Sequence[HeaderField], within: str, what: str) -> dict[str, Any]:
    checked = {}
    for field in fields:
        if field.name in table:
            checked[field.name] = _checked(table[field.name], field, f"{within}{field.name}", what)
        elif field.optional:
            checked[field.name] = field.default
        else:
            raise SchemaError(f"{what} lacks {within}{field.name}")
    return checked


def _checked(value: Any, field: HeaderField, where: str, what: str) -> Any:
    """Return the value of an entry, a whole number as ``float`` where that is declared. Raises ``SchemaError``."""
    kind = type(value)  # exactly: a bool is no int
    as_float = kind is int and kind not in field.of and float in field.of
    if kind not in field.of and not as_float:
        expected = " or ".join(_KINDS[known] for known in field.of)
        raise SchemaError(f"{where} in {what} is {shortened(value)}, not {expected}")
    if kind in (int, float):
        _check_number(value, field, where, what)
        return float(value) if as_float else value
    if kind in (str, list, dict) and len(value) > field.longest:
        raise SchemaError(f"{where} in {what} has more than {field.longest:,} entries or characters")
    if kind is str:
        _check_text(value, field, where, what)
    if kind is list and field.items is not None:
        return [_checked(entry, field.items, f"{where}[{index}]", what) for index, entry in enumerate(value)]
    if kind is dict and field.items is not None:
        for name in value:
            _check_text(name, field, where, what)
        return {name: _checked(entry, field.items, f"{where}.{shortened(name)}", what) for name, entry in value.items()}
    if kind is dict:
        return _check_table(value, field.fields, f"{where}.", what)
    return [] if kind is list else value


def _check_number(value: float, field: HeaderField, where: str, what: str) -> None:
    if not (_INT64.min <= value <= _INT64.max if isinstance(value, int) else math.isfinite(value)):
        raise SchemaError(f"{where} in {what} is no number of 64 bits")
    if (field.lowest is not None and value < field.lowest) or (field.highest is not None and value > field.highest):
        raise SchemaError(f"{where} in {what} is {shortened(value)}, out of bounds")


def _check_text(text: str, field: HeaderField, where: str, what: str) -> None:
    if not field.file_name and any("\ud800" <= character <= "\udfff" for character in text):
        raise SchemaError(f"{where} in {what} holds a character that does not exist")
    if field.pattern and not re.fullmatch(field.pattern, text):
        raise SchemaError(f"{where} in {what} is {shortened(text)}, which it cannot be")
