"""A trace of an older version opens for ever; figures may be missing in a file, or come from a later version."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from there import there
from trace_files import array_bytes, members_of, pack
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.safe.errors import TraceError
from wayfront.searching.result_file import load_trace, save_trace
from wayfront.trace.schema import NOTED_FIELDS, StepNote, TraceField

DATA = Path(__file__).parents[2] / "data"


def test_the_trace_that_is_kept_opens_with_all_its_figures(network: RoadNetwork) -> None:
    result = load_trace(DATA / "tiny.wftrace", network)
    assert (result.algorithm, result.device, result.verified, result.steps, result.relaxations) == (
        *("delta-stepping", "cpu", True),
        *(9, 9),
    )
    assert result.options == {"rule": "largest weight / largest degree", "delta": "auto"}
    assert result.distances.tolist() == [0, 40, 130, 130, 630, 330]
    assert result.parents.tolist() == [-1, 0, 1, 2, 5, 2]
    assert result.timing.runs_ms and result.timing.machine["processor"] == "x86-64"
    trace = there(result.trace)
    assert [trace.frontier(step).tolist() for step in range(9)] == [
        *([0], [1], [2], [3], [0, 1, 2, 3]),
        *([5], [5], [4], [4]),
    ]
    assert trace.relaxations.tolist() == [1, 2, 1, 1, 1, 0, 1, 1, 1]
    assert trace.improved.tolist() == [1, 1, 1, 0, 1, 0, 1, 0, 0]
    assert trace.time_ns.tolist()[1:] == [268452, 52780, 46318, 43382, 58320, 42370, 56217, 81917]
    assert trace.bucket.tolist() == [0, 0, 0, 0, 0, 2, 2, 4, 4]
    assert (trace.bucket_high - trace.bucket_low).tolist() == [150] * 9
    assert (trace.queue == -1).all() and (trace.settled == -1).all()
    assert trace.step(4).note.phase == "heavy arcs"
    assert trace.step(4).note.reason == "a thread for each of 6 requests"
    assert trace.first_reached.tolist() == trace.last_improved.tolist() == [0, 0, 1, 2, 6, 4]
    assert trace.tentative is not None
    assert trace.tentative.dtype == np.int64
    assert trace.tentative[3].tolist() == [0, 40, 130, 130, -1, -1]
    held = there(trace.held(1))
    assert [(row.name, list(row.nodes), list(row.keys)) for row in held] == [
        ("Bucket 0", [1], [40]),
        ("Removed, heavy arcs to come", [0], [0]),
        ("Relaxed by the last step", [0], [0]),
    ]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / "tiny.wftrace", tmp_path))


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return open_network(DATA / "tiny.wayfront", cache=False)


@pytest.mark.parametrize("figure", NOTED_FIELDS, ids=lambda figure: figure.name)
def test_a_figure_that_a_file_lacks_is_absent(kept: Path, network: RoadNetwork, figure: TraceField) -> None:
    members = members_of(kept)
    members.pop(f"{figure.name}.npy", None)  # a figure that came later is not in the file anyway
    kept.write_bytes(pack(members))
    trace = there(load_trace(kept, network).trace)
    assert figure.name not in trace.figures
    assert figure.name not in trace.arrays()
    default = StepNote._field_defaults[figure.note]
    assert getattr(trace, figure.name).tolist() == [default] * 9
    assert getattr(trace.step(3).note, figure.note) == default


def test_a_figure_that_this_version_does_not_know_is_saved_again(
    kept: Path, network: RoadNetwork, tmp_path: Path
) -> None:
    members, heat = members_of(kept), np.linspace(-1, 1, 9)
    kept.write_bytes(pack(members | {"heat_2.npy": array_bytes(heat)}))
    save_trace(load_trace(kept, network), tmp_path / "again.wftrace")
    again = there(load_trace(tmp_path / "again.wftrace", network).trace)
    assert again.figures["heat_2"].tolist() == heat.tolist()
    assert not again.figures["heat_2"].flags.writeable


@pytest.mark.parametrize(
    ("name", "array"),
    [("heat", np.zeros(8)), ("heat", np.zeros((9, 1))), ("heat", np.array(["x"] * 9)), ("Heat", np.zeros(9))],
    ids=["too short", "two dimensions", "texts", "a name of no figure"],
)
def test_what_is_no_figure_of_the_steps_is_refused(
    kept: Path, network: RoadNetwork, name: str, array: np.ndarray
) -> None:
    kept.write_bytes(pack(members_of(kept) | {f"{name}.npy": array_bytes(array)}))
    with pytest.raises(TraceError, match=f"{name}"):
        load_trace(kept, network)
