"""Distances of all nodes as files, and rows of text made of arrays."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wayfront
from wayfront.network.details import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results import node_files as module
from wayfront.results.node_files import NodeTable, Numbers, Texts, text_rows
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError, OptionError

Rows = list[dict[str, Any]]


def searched(network: RoadNetwork, *ids: int, budget: int | None = None) -> list[Result]:
    return [
        wayfront.search(network, network.node(each), "dijkstra", "cpu", runs=0, trace_budget=budget) for each in ids
    ]


@pytest.fixture(scope="module")
def named() -> RoadNetwork:
    """Return a network of which one node is not reached, with names that need quotes, and ids in no order."""
    names = NodeNames.of(["Rome", 'the "Eternal", City', "", "Zürich"])
    return RoadNetwork.from_arcs(
        name="named",
        node_count=4,
        tails=np.array([0, 1, 2]),
        heads=np.array([1, 2, 0]),
        metrics=[Metric("length", "m", 0.25, np.array([3, 4, 5], np.int32))],
        node_ids=np.array([30, 10, 20, 40]),
        coordinates=np.array([[0, 0], [1_500_000, -250_000], [7, 0], [-9, 1]], np.int32),
        node_names=names,
    )


def read_csv(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: text or None for name, text in row.items()} for row in csv.DictReader(file)]


def read_geojson(path: Path) -> Rows:
    features = json.loads(path.read_text("utf-8"))["features"]
    return [
        {**each["properties"], **dict(zip("xy", each["geometry"]["coordinates"], strict=True))} for each in features
    ]


def read_npz(path: Path) -> Rows:
    with np.load(path, allow_pickle=False) as arrays:
        names = [name for name in arrays if arrays[name].shape == arrays["node"].shape]
        return [{name: arrays[name][row].item() for name in names} for row in range(len(arrays["node"]))]


def read_parquet(path: Path) -> Rows:
    parquet = pytest.importorskip("pyarrow.parquet")
    return list(parquet.read_table(path).to_pylist())


@pytest.mark.parametrize(
    ("suffix", "read"),
    [(".csv", read_csv), (".geojson", read_geojson), (".npz", read_npz), (".parquet", read_parquet)],
)
def test_every_format_holds_every_node_by_rising_id(
    suffix: str, read: Callable[[Path], Rows], named: RoadNetwork, tmp_path: Path
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"distances{suffix}"
    NodeTable.of(searched(named, 30, budget=1 << 20)[0]).save(path)
    rows = read(path)
    kinds: dict[str, Callable[[Any], Any]] = {"name": str, "x": float, "y": float, "cost": float}
    absent = (None, -1, "") if suffix == ".npz" else (None,)
    plain = [
        {
            name: None
            if name != "distance" and (value in absent or str(value) == "nan")
            else kinds.get(name, int)(value)
            for name, value in row.items()
        }
        for row in rows
    ]
    keys = ("node", "name", "x", "y", "distance", "cost", "parent", "step")
    expected = [
        (10, 'the "Eternal", City', 1.5, -0.25, 3, 0.75, 30, 0),
        (20, None, 0.000007, 0.0, 7, 1.75, 10, 1),
        (30, "Rome", 0.0, 0.0, 0, 0.0, None, 0),
        (40, "Zürich", -0.000009, 0.000001, -1, None, None, None),
    ]
    assert plain == [dict(zip(keys, row, strict=True)) for row in expected]


def test_several_sources_name_the_nearest(named: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "nearest.csv"
    found = wayfront.search_nearest(named, [named.node(30), named.node(20)], "dijkstra", "cpu")
    NodeTable.of(found).save(path)
    assert [(row["node"], row["distance"], row["source"], row["parent"]) for row in read_csv(path)] == [
        ("10", "3", "30", "30"),
        ("20", "0", "20", None),
        ("30", "0", "30", None),
        ("40", "-1", None, None),
    ]


@pytest.mark.parametrize(("scale", "cost"), [(0.1, "2000000000.1"), (1 / 3, "6666666667"), (1e6, "20000000001000000")])
def test_costs_are_exact_for_decimal_scales(scale: float, cost: str, tmp_path: Path) -> None:
    network = RoadNetwork.from_arcs(
        name="scaled", node_count=2, tails=np.array([0]), heads=np.array([1]),
        metrics=[Metric("length", "m", scale, np.array([1], np.int32))],
    )  # fmt: skip
    tree = replace(searched(network, 1)[0], distances=np.array([0, 20_000_000_001], np.int64))
    path = tmp_path / "cost.csv"
    NodeTable.of(tree).save(path)
    assert read_csv(path)[1]["cost"] == cost


def test_what_cannot_be_written_is_refused_before_a_file_is_made(
    named: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = NodeTable.of(searched(named, 30)[0])
    with pytest.raises(OptionError, match=r"distances are written as \.csv, \.parquet, \.geojson, \.npz"):
        table.save(tmp_path / "x.xlsx")
    bare = NodeTable.of(searched(replace(named, coordinates=None, _derived={}), 30)[0])
    with pytest.raises(NetworkError, match=r"named has no coordinates, so there are no points: write a \.csv"):
        bare.save(tmp_path / "x.geojson")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(OptionError, match=r'pip install "wayfront\[parquet\]"'):
        table.save(tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def plain(value: int, decimals: int) -> str:
    """Return a number as Python writes it, without needless zeros."""
    text = f"{Decimal(value).scaleb(-decimals):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20), st.integers(0, 9))
def test_numbers_are_written_as_python_writes_them(values: list[int], decimals: int) -> None:
    column = Numbers(np.array(values, np.int64), decimals)
    written = b"".join(text_rows([column, b"\n"], len(values))).decode().splitlines()
    zero = [text.lstrip("-") if value == 0 else text for text, value in zip(written, values, strict=True)]
    assert zero == [plain(value, decimals) for value in values]


def test_what_is_missing_is_written_as_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 2)
    numbers = Numbers(np.array([7, -10, 3]), 1, np.array([False, False, True]))
    texts = Texts(["Zürich", "", "a"])
    assert b"".join(text_rows([b"<", texts, b"|", numbers, b">"], 3)).decode() == "<Zürich|0.7><|-1><a|>"
    assert b"".join(text_rows([texts, b" ", numbers, b";"], 3, b"null")).decode() == "Zürich 0.7;null -1;a null;"
    assert np.array_equal(numbers.floats, [0.7, -1.0, np.nan], equal_nan=True)


def test_no_rows_are_no_text() -> None:
    assert list(text_rows([b"x", Numbers(np.empty(0, np.int64))], 0)) == []
