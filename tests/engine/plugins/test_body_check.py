"""Other people's bodies run with every index checked before they could end the process, and are read for races."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wayfront
from documents import DOCS, blocks
from wayfront.plugins import loading
from wayfront.safe.errors import PluginError, SearchCancelled
from wayfront.searching import execution as body_check

WAVES = blocks(DOCS / "plug-ins.md", "python")[0]
HELPER = """
from wayfront.devices.atomics import callable_in_bodies


@callable_in_bodies
def head_of(arcs, arc):
    return arcs.targets[arc + 1000]


def relax("""


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin without plug-ins, and forget those of a test."""
    monkeypatch.setattr(loading, "_named", {})
    yield


def searched(text: str, folder: Path, **how: Any) -> wayfront.Result:
    path = folder / "waves.py"
    path.write_text(text, encoding="utf-8")
    loading.load_plugin(path)
    return wayfront.search(wayfront.open_network("example:paper-e"), 0, "waves", "cpu", runs=0, verify=True, **how)


@pytest.mark.parametrize(
    ("right", "wrong", "at", "what"),
    [
        ("arcs.offsets[i + 1]", "arcs.offsets[i + 2]", None, "IndexError: index 6 is out of bounds for axis 0 with"),
        ("(distances, node, offer)", "(distances, node + 9, offer)", None, "IndexError: index 10 is out of bounds"),
        ("node = arcs.targets[arc]", "node = head_of(arcs, arc)", "arc + 1000", "IndexError: index 1000 is out of"),
        (
            "offer = reached_at",
            "offer = arc // (i - i) + reached_at",
            None,
            "ZeroDivisionError: integer division or modulo by zero",
        ),
    ],
)
def test_what_would_end_the_process_is_named_with_its_line(
    right: str, wrong: str, at: str | None, what: str, tmp_path: Path
) -> None:
    text = WAVES.replace(right, wrong)
    assert text != WAVES
    text = text.replace("def relax(", HELPER, 1) if at else text
    line = next(number for number, each in enumerate(text.splitlines(), 1) if (at or wrong) in each)
    with pytest.raises(PluginError) as failed:
        searched(text, tmp_path)
    assert str(failed.value).startswith(f"the search waves failed: {tmp_path / 'waves.py'}:{line}: ")
    assert what in str(failed.value)


def test_a_search_that_never_yields_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"waves\.py: the search waves has no yield: it yields after each"):
        searched(WAVES.replace("            yield\n", ""), tmp_path)


def test_a_loop_that_never_yields_is_stopped_where_it_reads(tmp_path: Path) -> None:
    cancel = threading.Event()
    text = WAVES.replace("            yield\n", "").replace(
        "    searching = True\n", "    yield\n    searching = True\n"
    )
    text = text.replace("searching = run.read(fell)[0] > 0", "searching = run.read(fell)[0] >= 0")
    stopping = threading.Timer(0.5, cancel.set)
    stopping.start()
    with pytest.raises(SearchCancelled):
        searched(text, tmp_path, cancel=cancel)
    stopping.join()


def test_long_searches_are_checked_for_a_while_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_check, "LONGEST_S", -1.0)
    result = searched(WAVES, tmp_path)
    assert (result.verified, result.note) == (True, "")


@pytest.mark.parametrize(
    ("right", "wrong", "element"),
    [
        ("if offer < distances[node] and offer < atomic_min(distances, node, offer):",
         "if offer < distances[node]:\n            distances[node] = offer", "distances[node]"),
        ("            fell[0] = 1\n", "            fell[0] += 1\n", "fell[0]"),
    ],
)  # fmt: skip
def test_threads_that_may_overwrite_each_other_are_told_of(
    right: str, wrong: str, element: str, tmp_path: Path
) -> None:
    text = WAVES.replace(right, wrong)
    assert text != WAVES
    line = 1 + text[: text.index(wrong)].count("\n") + wrong.strip().count("\n")
    note = searched(text, tmp_path).note
    assert note.startswith(f"{tmp_path / 'waves.py'}:{line}: relax reads {element} and writes it in two steps, between")
