"""Formats are found by themselves: one new file is a format everywhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wayfront.formats
from wayfront.errors import FormatError, OptionError
from wayfront.formats.options import OpeningOptions
from wayfront.formats.osm_options import OsmOptions
from wayfront.formats.registry import describe_formats, formats, own_formats, writable
from wayfront.formats.saving import save
from wayfront.opening import estimate_memory, open_network

TOY = """
from pathlib import Path
from typing import Any

from wayfront.errors import FormatError
from wayfront.files import write_text_whole
from wayfront.formats.registry import Format, Reading


def _read(path):
    import numpy as np

    from wayfront.network.road_network import Metric, RoadNetwork

    try:
        rows = [[int(number) for number in line.split()] for line in path.read_text().splitlines()[1:]]
        tails, heads, weights = np.array(rows).T
    except ValueError:
        raise FormatError("a line does not hold three numbers", path) from None
    metrics = [Metric("weight", "", 1.0, weights)]
    count = int(max(tails.max(), heads.max())) + 1
    return RoadNetwork.from_arcs(name=path.stem, node_count=count, tails=tails, heads=heads, metrics=metrics)


def _save(network, path, opening):
    opening.enter("writing arcs", 1.0)
    rows = zip(network.tails(), network.targets, network.metrics[0].weights)
    write_text_whole(path, "toy\\n" + "".join(f"{tail} {head} {weight}\\n" for tail, head, weight in rows))
    return [path]


FORMAT = Format(
    label="Toy list",
    suffixes=(".toy",),
    recognise=lambda head: head.startswith(b"toy\\n"),
    prepare=lambda path, options, opening: Reading([path], "toy", lambda: _read(path)),
    save=_save,
    estimate_memory=lambda path, opening: 7,
)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add one file to the folder of formats."""
    folder = tmp_path / "more formats"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY)
    monkeypatch.setattr(wayfront.formats, "__path__", [*wayfront.formats.__path__, str(folder)])
    own_formats.cache_clear()
    yield
    own_formats.cache_clear()
    sys.modules.pop("wayfront.formats.toy", None)


@pytest.mark.usefixtures("toy")
def test_a_format_in_one_new_file_opens_saves_and_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "three.txt"
    path.write_text("toy\n0 1 4\n1 2 5\n")
    network = open_network(path)
    assert (network.node_count, network.metrics[0].weights.tolist()) == (3, [4, 5])
    (written,) = save(network, tmp_path / "copy.toy")
    assert open_network(written).content_key == network.content_key
    assert estimate_memory(path) == 7
    assert "Toy list (.toy)" in describe_formats(writable())
    path.write_text("toy\nx\n")
    with pytest.raises(FormatError, match=r"three\.txt: a line does not hold three numbers"):
        open_network(path)
    with pytest.raises(FormatError, match=r"Toy list \(\.toy\)"):
        open_network(__file__)
    with pytest.raises(OptionError, match=r"simplify has no effect on this kind of network \(Toy list\)"):
        open_network(written, osm=OsmOptions(simplify=True))


def test_suffixes_belong_to_one_format() -> None:
    suffixes = [suffix for declared in formats() for suffix in declared.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert {".gr", ".osm", ".pbf", ".json", ".graphml", ".wayfront"} <= set(suffixes)


# ------------------------------------------------------------------------------------- options that have no effect


@pytest.mark.parametrize(
    ("name", "chosen", "problem"),
    [
        ("tiny-d.gr", {"osm": OsmOptions(simplify=True)}, r"tiny-d\.gr: simplify has no effect .*\(DIMACS\)"),
        (
            "tiny.wayfront",
            {"osm": OsmOptions("walk", largest_component=True)},
            r"network_type and largest_component have no effect .*\(wayfront network\)",
        ),
        ("tiny.osm", {"coordinates": "x.co"}, r"coordinates has no effect .*\(OpenStreetMap extract\)"),
        ("tiny.wayfront", {"second_metric": "x.gr"}, "second_metric has no effect"),
    ],
)
def test_options_without_effect_are_refused(data: Path, name: str, chosen: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        open_network(data / name, **chosen)


def test_made_networks_take_no_options_of_files() -> None:
    with pytest.raises(OptionError, match=r"simplify has no effect .*\(synthetic\)"):
        open_network("synthetic:grid?columns=3&rows=3", osm=OsmOptions(simplify=True))


def test_defaults_and_remembered_options_are_silent(data: Path) -> None:
    remembered = OpeningOptions(osm=OsmOptions("walk", simplify=True), remembered_osm=True)
    for options in (None, OpeningOptions(osm=OsmOptions()), remembered):
        assert open_network(data / "tiny-d.gr", options, cache=False).node_count == 6
    assert open_network(data / "tiny.osm", remembered, cache=False).reading == "walk, simplified, all parts"


def test_keywords_are_the_fields_of_the_options(data: Path) -> None:
    with pytest.raises(TypeError, match="simplfy"):
        open_network(data / "tiny.osm", simplfy=True)
