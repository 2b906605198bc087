"""Tables of trips are read with distrust, and ends are nodes or places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

import wayfront
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError, NetworkError, OptionError


@pytest.fixture
def town() -> RoadNetwork:
    return wayfront.open_network("synthetic:grid?columns=6&rows=5")


def pairs(demand: wayfront.Demand) -> list[tuple[int, int, float]]:
    assert demand.origins is not None
    assert demand.destinations is not None
    assert demand.trips is not None
    return list(zip(demand.origins.tolist(), demand.destinations.tolist(), demand.trips.tolist(), strict=True))


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_tables_of_ids_are_read(suffix: str, town: RoadNetwork, tmp_path: Path) -> None:
    ids = town.node_ids
    table = pandas.DataFrame(
        {"flow": [2.5, 1, 4], "To": ids[[4, 4, 5]], "From": ids[[3, 3, 5]], "note": ["a", "b", "c"]}
    )
    path = tmp_path / f"trips{suffix}"
    if suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    read = wayfront.Demand.read(path, town)
    assert pairs(read) == [(3, 4, 3.5)]
    assert read.staying == 4.0
    assert pairs(wayfront.Demand.from_frame(table, town)) == pairs(read)


def test_ends_may_be_places_which_are_at_nodes(town: RoadNetwork, tmp_path: Path) -> None:
    assert town.coordinates is not None
    lon, lat = (town.coordinates[[7, 20, 0]] / 1e6).T
    lon[2] += 5.0
    places = wayfront.Places.from_arrays(lon, lat, ids=["home", "work", "away"]).on(town)
    path = tmp_path / "trips.csv"
    path.write_text("from;to\nhome;work\nwork;home\nhome;away\nhome;work\n")
    read = wayfront.Demand.read(path, town, places)
    assert pairs(read) == [(7, 20, 2.0), (20, 7, 1.0)]
    assert read.left_out == 1.0
    found = wayfront.flows(town, demand=read, device="cpu")
    found.verify()
    assert found.trips == 3.0
    assert found.starts[7] == 2.0


def test_places_with_weights_are_demand(town: RoadNetwork) -> None:
    assert town.coordinates is not None
    lon, lat = (town.coordinates[[7, 20]] / 1e6).T
    homes = wayfront.Places.from_arrays(lon, lat, weights=[3, 4]).on(town)
    found = wayfront.flows(town, demand=homes, device="cpu")
    found.verify()
    assert found.trips == 24.0
    assert np.flatnonzero(found.starts).tolist() == [7, 20]


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a,b\n1,2\n", "no columns of ends", None),
        ("from,to\n1,99\n", "no node", 2),
        ("from,to\n\n1,\n", "no node", 3),
        ("from,to,trips\n1,2,x\n", "no number of 0 or more", 2),
        ("from,to,trips\n1,2,3\n2,1,-1\n", "no number of 0 or more", 3),
        ("from,to,trips\n1,2,nan\n", "no number of 0 or more", 2),
        ("from,to,trips\n1,2\n", "2 fields", 2),
        ("from,to\n", "no rows", None),
        ('from,to\n1,"2\n', "quotation mark", None),
        ("", "no columns of ends", None),
    ],
)
def test_wrong_tables_are_refused_with_their_line(
    text: str, words: str, line: int | None, town: RoadNetwork, tmp_path: Path
) -> None:
    path = tmp_path / "trips.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=words) as refused:
        wayfront.Demand.read(path, town)
    assert "trips.csv" in str(refused.value)
    if line is not None:
        assert refused.value.line == line


def test_what_is_no_table_is_refused(town: RoadNetwork, tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_bytes(b"\0\1\2")
    (tmp_path / "trips.parquet").write_bytes(b"PAR1 and no more")
    for path in (tmp_path / "trips.csv", tmp_path / "trips.parquet", tmp_path / "none.csv", tmp_path):
        with pytest.raises(FormatError):
            wayfront.Demand.read(path, town)
    with pytest.raises(FormatError, match="no column 'x'"):
        wayfront.Demand.from_frame({"from": [1], "to": [2]}, town, trips="x")
    with pytest.raises(FormatError, match="takes a table"):
        wayfront.Demand.from_frame([1, 2], town)
    with pytest.raises(FormatError, match="row 2"):
        wayfront.Demand.from_frame({"from": [1, 2], "to": [2, 77]}, town)
    with pytest.raises(FormatError, match=r"row 2: .* no node 2\.5"):
        wayfront.Demand.from_frame({"from": [1, 2.5], "to": [2, 3]}, town)
    assert pairs(wayfront.Demand.from_frame({"from": [1.0, 2.0], "to": [2, 3]}, town)) == [(0, 1, 1.0), (1, 2, 1.0)]


def test_wrong_weights_pairs_and_places_are_refused(town: RoadNetwork) -> None:
    with pytest.raises(OptionError, match="one for each node, 30"):
        wayfront.Demand.weighted(town, [1, 2])
    with pytest.raises(OptionError, match="node 3"):
        wayfront.Demand.weighted(town, [1] * 3 + [-1] + [1] * 26)
    with pytest.raises(OptionError, match="two ends"):
        wayfront.Demand.between(town, [1, 2], [3])
    with pytest.raises(NetworkError):
        wayfront.Demand.between(town, [1], [300])
    other = wayfront.open_network("synthetic:grid?columns=6&rows=6")
    assert other.coordinates is not None
    places = wayfront.Places.from_arrays(*(other.coordinates[:1] / 1e6).T).on(other)
    with pytest.raises(NetworkError, match="another network"):
        wayfront.Demand.from_frame({"from": [1], "to": [1]}, town, places)
    with pytest.raises(NetworkError, match="on the network's roads"):
        wayfront.Demand.at_places(places.places)  # type: ignore[arg-type]
