"""Fixtures that tests of every part share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from repository import REAL_DATA, TEST_DATA

LONGEST_FILES = (
    *("test_simulator.py", "test_drawing.py", "test_layout.py", "test_compare.py", "test_host_engine.py"),
    *("test_search.py", "test_small_screens.py", "test_large_weights.py", "test_smoke_xvfb.py", "test_all_pairs.py"),
    "test_soak.py",
)
"""Files that take longest: begun first, so that no core is idle while another still runs the last of them. Neighbours
compile different loops, so that two cores do not compile the same ones at once: ``first-light``, which times every
search, is drawn before the searches are tested."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files."""
    turns = {name: turn for turn, name in enumerate(LONGEST_FILES)}
    items.sort(key=lambda item: turns.get(item.path.name, len(turns)))


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what was imported, and come less often: it took a tenth of compiling."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture
def any_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches share their work among more threads than this machine has cores."""
    from wayfront import devices

    monkeypatch.setattr(devices, "_check_threads", lambda threads, info: None)


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of the tiny network, which lies there once in every format."""
    return TEST_DATA


@pytest.fixture(autouse=True, scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep tests out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("WAYFRONT_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True, scope="session")
def no_settling() -> Iterator[None]:
    """Let no search wait until its runs agree, which runs of microseconds beside other tests never do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wayfront.timing.harness.SETTLING_S", 0.0)
        yield


@pytest.fixture(scope="session")
def new_york_files() -> dict[str, Path]:
    """Return the files of New York by what they hold: arcs by length and by time, coordinates."""
    folder = REAL_DATA / "dimacs"
    files = {
        "length": folder / "USA-road-d.NY.gr.gz",
        "time": folder / "USA-road-t.NY.gr.gz",
        "coordinates": folder / "USA-road-d.NY.co.gz",
    }
    for path in files.values():
        if not path.is_file():
            pytest.skip(f"needs {path.name} in ../shared/data/dimacs beside the repository")
    return files
