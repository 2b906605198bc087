"""Rows that workers find: the same matrix, in memory and on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import wayfront
from dask_workers import scheduler_here
from dissected import street_grid
from wayfront.safe.errors import DeviceError
from wayfront.searching.matrices import spreading

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def address() -> Iterator[str]:
    """Return the address of a scheduler whose only worker is a thread of this process."""
    with scheduler_here() as address:
        yield address


def test_workers_find_what_one_finds(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    network = street_grid(9, 8, 60, seed=5)
    origins, destinations = np.arange(60), np.array([3, 3, 70])
    alone = wayfront.distance_matrix(network, origins, destinations, device="cpu", closures=[2, 9], reverse=True)
    fractions: list[float] = []

    def note(_doing: str, fraction: float) -> None:
        fractions.append(fraction)

    for path in (None, tmp_path / "m.zarr", tmp_path / "m.parquet"):
        found = wayfront.distance_matrix(
            *(network, origins, destinations), device="cpu", closures=[2, 9], reverse=True, scheduler=address,
            path=path, progress=note,
        )  # fmt: skip
        assert fractions[-1] == 1 and found.reached == alone.reached
        if path is None or path.suffix == ".zarr":
            assert np.asarray(found.raw).tolist() == alone.raw.tolist()
    table = pandas.read_parquet(tmp_path / "m.parquet").sort_values(["destination"], kind="stable")
    expected = alone.to_pandas(long=True).sort_values(["destination"], kind="stable")
    assert table.iloc[:, 2].fillna(-1).tolist() == expected.iloc[:, 2].fillna(-1).tolist()
    assert found.device == "cpu" and found.route(0, 0).distance == alone.route(0, 0).distance

    def fail(*_asked: object) -> None:
        raise DeviceError("no more")

    monkeypatch.setattr(spreading, "network_of", fail)
    with pytest.raises(DeviceError, match="no more"):
        wayfront.distance_matrix(network, origins, device="cpu", scheduler=address)
