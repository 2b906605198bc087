"""The one check of our own files: each condition of the declaration refuses what breaks it."""

from __future__ import annotations

import json
import math
import time
from types import NoneType
from typing import Any

import numpy as np
import pytest

from wayfront.safe.errors import SchemaError
from wayfront.safe.schema import (
    ArrayField,
    HeaderField,
    Layout,
    announced_bytes,
    check_arrays,
    check_header,
    check_layout,
    parse_header,
    parse_json,
    parse_toml,
)

FIELDS = (
    ArrayField(
        name="bounds", title="row bounds", dtypes=(np.int32, np.int64), counts="rows", more=1, rises_to="values"
    ),
    ArrayField(name="values", dtypes=(np.int32,), counts="values", below="rows"),
    ArrayField(name="places", dtypes=(np.int32,), counts="rows", columns=2, lowest=None, group="map"),
    ArrayField(name="heights", dtypes=(np.uint8,), counts="rows", below=9, group="map"),
    ArrayField(name="ids", dtypes=(np.int64,), counts="rows", lowest=-1, below="limit", distinct=True),
)
LIMIT = {"limit": 100}


def good(**changes: Any) -> dict[str, Any]:
    arrays = {
        "bounds": np.array([0, 2, 3], np.int32),
        "values": np.array([0, 1, 1], np.int32),
        "places": np.array([[-5, 5], [-(2**31), 2**31 - 1]], np.int32),
        "heights": np.array([0, 8], np.uint8),
        "ids": np.array([99, -1]),
        **changes,
    }
    return {name: array for name, array in arrays.items() if array is not None}


def test_arrays_as_declared_pass_and_set_the_sizes() -> None:
    assert check_arrays(good(), FIELDS, LIMIT) == {"limit": 100, "rows": 2, "values": 3}
    assert check_arrays(good(places=None, heights=None), FIELDS, LIMIT)["rows"] == 2
    assert check_arrays(good(bounds=np.array([0, 2, 3], np.int64)), FIELDS, {**LIMIT, "rows": 2, "values": 3})
    empty: dict[str, Any] = {
        "bounds": np.zeros(1, np.int32),
        "values": np.zeros(0, np.int32),
        "ids": np.zeros(0, np.int64),
    }
    assert check_arrays(empty, FIELDS, LIMIT)["rows"] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": None}, "^values: missing$"),
        ({"places": None}, "^places: missing$"),
        ({"heights": None}, "^heights: missing$"),
        ({"more": np.zeros(1, np.int32)}, "does not belong there: 'more'"),
        ({"values": np.zeros(3, np.int64)}, "values: of type int64, not int32"),
        ({"values": np.zeros(3, ">i4")}, "values: of type >i4"),
        ({"values": np.zeros(3, object)}, "values: of type object"),
        ({"values": np.zeros(3, [("a", "i4")])}, "values: of type"),
        ({"bounds": np.zeros(3, np.float64)}, "row bounds: of type float64, not int32 or int64"),
        ({"values": np.zeros((3, 1), np.int32)}, "values: 2 dimensions, not 1"),
        ({"values": np.zeros((), np.int32)}, "values: 0 dimensions, not 1"),
        ({"places": np.zeros(4, np.int32)}, "places: 1 dimensions, not 2"),
        ({"places": np.zeros((2, 3), np.int32)}, "places: shape .2, 3., where 2 rows need .2, 2."),
        ({"places": np.zeros((3, 2), np.int32)}, "places: shape .3, 2., where 2 rows need .2, 2."),
        ({"heights": np.zeros(3, np.uint8)}, "heights: shape .3,., where 2 rows need .2,."),
        ({"bounds": np.zeros(0, np.int32)}, "row bounds: empty"),
        ({"bounds": np.array([1, 2, 3], np.int32)}, "row bounds: they must rise from 0 to the number of values, 3"),
        ({"bounds": np.array([0, 2, 2], np.int32)}, "must rise"),
        ({"bounds": np.array([0, 2, 4], np.int32)}, "must rise"),
        ({"bounds": np.array([0, 4, 3], np.int32)}, "must rise"),
        ({"bounds": np.array([0, -1, 3], np.int32)}, "must rise"),
        ({"values": np.array([0, -1, 0], np.int32)}, "values: a value of -1, below 0"),
        ({"values": np.array([0, 2, 0], np.int32)}, "values: a value of 2, where there are 2 rows"),
        ({"heights": np.array([9, 0], np.uint8)}, "heights: a value of 9, not below 9"),
        ({"ids": np.array([-2, 0])}, "ids: a value of -2, below -1"),
        ({"ids": np.array([100, 0])}, "ids: a value of 100, where there are 100 limit"),
        ({"ids": np.array([7, 7])}, "ids: every one has to be distinct"),
    ],
)
def test_each_broken_condition_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        check_arrays(good(**changes), FIELDS, LIMIT)


def test_lengths_that_the_caller_knows_count() -> None:
    with pytest.raises(SchemaError, match=r"row bounds: shape .3,., where 3 rows need .4,."):
        check_arrays(good(), FIELDS, {**LIMIT, "rows": 3})


def test_what_is_announced_is_checked_and_measured_before_it_exists() -> None:
    """Sizes that overflow 64 bits stay exact, and none is negative or beyond what a file can mean."""
    announced = {"values": Layout(np.dtype(np.int32), (2**39,)), "square": Layout(np.dtype(np.int64), (2**33, 2**33))}
    assert announced_bytes(announced) == 2**41 + 2**69
    values = FIELDS[1:2]
    assert check_layout({"values": Layout(np.dtype(np.int32), (2**39,))}, values) == {"values": 2**39}
    for rows in (-1, 2**40):
        with pytest.raises(SchemaError, match=f"values: {rows} rows"):
            check_layout({"values": Layout(np.dtype(np.int32), (rows,))}, values)


# ------------------------------------------------------------------------------------------------- header

HEADER = (
    HeaderField("name", (str,), longest=5),
    HeaderField("file", (str,), file_name=True, optional=True, default=""),
    HeaderField("key", (str,), pattern="[0-9a-f]+", optional=True),
    HeaderField("count", (int,), lowest=1, highest=10),
    HeaderField("scale", (float, NoneType)),
    HeaderField("whole", (bool,), optional=True),
    HeaderField("table", (dict,), fields=(HeaderField("inner", (int,)),), optional=True),
    HeaderField("list", (list,), items=HeaderField("", (int,), lowest=0), longest=3, optional=True),
    HeaderField("free", (dict,), items=HeaderField("", (str, int)), longest=2, optional=True),
)
GOOD: dict[str, Any] = {"name": "n", "count": 3, "scale": 0.5}


def test_a_header_as_declared_passes_without_what_is_not_declared() -> None:
    given = {
        **GOOD,
        "scale": 2,
        "key": "0af",
        "list": [1, 2],
        "free": {"a": "b", "c": 1},
        "table": {"inner": 4, "more": 1},
        "new": 1,
    }
    checked = check_header(given, HEADER)
    assert checked == {
        "name": "n",
        "file": "",
        "key": "0af",
        "count": 3,
        "scale": 2.0,
        "whole": None,
        "table": {"inner": 4},
        "list": [1, 2],
        "free": {"a": "b", "c": 1},
    }
    assert type(checked["scale"]) is float
    assert check_header({**GOOD, "scale": None, "file": "\udcff"}, HEADER)["file"] == "\udcff"
    undeclared = (HeaderField("list", (list,)), HeaderField("table", (dict,)))
    assert check_header({"list": [[1]], "table": {"a": 1}}, undeclared) == {"list": [], "table": {}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": 3}, "name in its header is 3, not a text"),
        ({"name": "longer"}, "name in its header has more than 5 entries or characters"),
        ({"name": "\ud800"}, "name in its header holds a character that does not exist"),
        ({"key": "0a/"}, "key in its header is '0a/', which it cannot be"),
        ({"key": "0a\n"}, "which it cannot be"),
        ({"key": ""}, "which it cannot be"),
        ({"count": True}, "count in its header is True, not a whole number"),
        ({"count": 3.0}, "count in its header is 3.0, not a whole number"),
        ({"count": "3"}, "count in its header is '3'"),
        ({"count": None}, "count in its header is None"),
        ({"count": []}, "count in its header is a list"),
        ({"count": {}}, "count in its header is a table"),
        ({"count": 0}, "count in its header is 0, out of bounds"),
        ({"count": 11}, "count in its header is 11, out of bounds"),
        ({"scale": False}, "scale in its header is False, not a number or null"),
        ({"scale": math.nan}, "scale in its header is no number of 64 bits"),
        ({"scale": math.inf}, "scale in its header is no number of 64 bits"),
        ({"scale": 2**63}, "scale in its header is no number of 64 bits"),
        ({"scale": -(2**63) - 1}, "no number"),
        ({"scale": 10**5000}, "no number"),
        ({"whole": 1}, "whole in its header is 1, not true or false"),
        ({"table": {}}, "lacks table.inner"),
        ({"table": {"inner": True}}, "table.inner in its header is True"),
        ({"list": [1, -1]}, r"list\[1\] in its header is -1, out of bounds"),
        ({"list": [1, 1, 1, 1]}, "list in its header has more than 3"),
        ({"free": {"a": []}}, "free.'a' in its header is a list, not a text or a whole number"),
        ({"free": {"\ud800": 1}}, "free in its header holds a character"),
        ({"free": {"a": 1, "b": 2, "c": 3}}, "free in its header has more than 2"),
    ],
)
def test_each_broken_entry_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        check_header({**GOOD, **changes}, HEADER)


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_a_missing_entry_is_refused(missing: str) -> None:
    with pytest.raises(SchemaError, match=f"its header lacks {missing}"):
        check_header({name: value for name, value in GOOD.items() if name != missing}, HEADER)


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_a_header_that_is_no_table_is_refused(value: object) -> None:
    with pytest.raises(SchemaError, match="no table"):
        check_header(value, HEADER)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "no JSON"),
        (b"", "no JSON"),
        (b'"\xff"', "no JSON"),
        (b'{"a": 1, "a": 2}', "the same name twice"),
        (b'[{"b": {"a": 1, "a": 2}}]', "the same name twice"),
        (b"[NaN]", "holds NaN"),
        (b"[-Infinity]", "holds -Infinity"),
        (b"1" * 5000, "a number of 5,000 digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 51 + b"]" * 51, "nested too deeply"),
        (
            b'{"a": [1, 99999999999999999999]}',
            r"a\[1\] in its header is 99999999999999999999, a number of more than 64",
        ),
        (b"[1e999]", r"\[0\] in its header is inf, no number that can be used"),
    ],
)
def test_what_is_no_plain_json_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        parse_header(data)


def test_a_header_has_its_size() -> None:
    data = json.dumps({"a": "b"}).encode()
    assert parse_header(memoryview(data), len(data)) == {"a": "b"}
    with pytest.raises(SchemaError, match="more than the 9 it may have"):
        parse_header(data, len(data) - 1)


def test_a_long_text_with_more_values_than_a_file_of_ours_is_refused_unread() -> None:
    """A text of 60 MB may become gigabytes of lists; commas and brackets within strings are no values."""
    for many in (b"[" + b"[],\n" * 300_000 + b"[]]", b"[" + b"1," * 1_100_000 + b"1]"):
        with pytest.raises(SchemaError, match="more than 20,000 lists and tables, or 1,068,576 values"):
            parse_json(many, 1 << 26, "the file")
    assert parse_json(json.dumps("[," * 1_100_000), 1 << 26, "the file") == "[," * 1_100_000


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a = 1\nb = \n", "the lesson is no TOML: Invalid value", 2),
        ("a = 1\nb = [\n", "the lesson is no TOML", 3),
        ("a = 1\n\nb = " + "1" * 5000, "holds a number of thousands of digits", 3),
        ("a = " + "[" * 60 + "]" * 60, "nested too deeply", None),
        ("a = inf", "a in the lesson is inf", None),
        ("a = 1\n" + "b." * 50 + "c = 1", "nested too deeply", 2),
        ("a = 1\n[[" + "'b' . " * 50 + '"c"]]', "nested too deeply", 2),
        ("a = 1\nb = {c = 1, " + '"\\"d".' * 50 + "e = 1}", "nested too deeply", 2),
    ],
)
def test_what_is_no_plain_toml_is_refused_with_its_line(text: str, message: str, line: int | None) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        parse_toml(text, "the lesson")
    assert caught.value.line == line


def test_a_dotted_key_takes_no_square_of_its_parts() -> None:
    """``tomllib`` takes minutes for it, and keeps Python's lock."""
    begun = time.process_time()
    with pytest.raises(SchemaError, match="nested too deeply"):
        parse_toml("a." * 100_000 + "b = 1", "the lesson")
    assert time.process_time() - begun < 2.0
    assert parse_toml(f"a = '{'b.' * 100}c'\nd = 1.5", "the lesson") == {"a": "b." * 100 + "c", "d": 1.5}
