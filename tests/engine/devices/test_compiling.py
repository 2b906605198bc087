"""What is compiled is kept, where it can be, and taken only where all that it was made of is as it was."""

from __future__ import annotations

import errno
import gc
import importlib.util
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import caching, config, event

from repository import TEST_DATA
from wayfront.devices import compiling
from wayfront.devices import compiling as kernel_cache
from wayfront.devices.compiling import keep_compiled

SOURCE = """
from wayfront.devices.compiling import loop

@loop
def double(value):
    return 2 * value
"""


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return what makes a new compiled function, of a module in a folder of its own, which it is kept in."""
    monkeypatch.setattr(compiling, "_noted", set())
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kernels"))
    path = tmp_path / "doubled.py"
    path.write_text(SOURCE)

    def make() -> Any:
        described = importlib.util.spec_from_file_location("doubled", path)
        assert described is not None and described.loader is not None
        module = importlib.util.module_from_spec(described)
        monkeypatch.setitem(sys.modules, "doubled", module)
        described.loader.exec_module(module)
        return module.double

    return make


def kept(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / "kernels").rglob("*") if path.is_file())


def test_a_function_is_kept_and_found_again(double: Callable[[], Any], tmp_path: Path) -> None:
    assert double()(4) == 8
    files = {path: path.stat().st_mtime_ns for path in kept(tmp_path)}
    assert sorted(path.suffix for path in files) == [".nbc", ".nbi"]
    again = double()
    assert again(5) == 10
    assert sum(again._cache_hits.values()) == 1
    assert {path: path.stat().st_mtime_ns for path in kept(tmp_path)} == files


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_function_works_where_it_cannot_be_kept(
    number: int, double: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(caching.IndexDataCacheFile, "_open_for_write", refuse)
    with caplog.at_level(logging.WARNING):
        function = double()
        assert (function(4), function(1.5), double()(4)) == (8, 3.0, 8)
    (said,) = {record.message for record in caplog.records}
    assert ("the disk is full" if number == errno.ENOSPC else os.strerror(number)) in said
    assert "NUMBA_CACHE_DIR" in said
    assert len(caplog.records) == 1, "once, however many functions there are"


def test_a_function_works_without_any_folder_to_keep_it(
    double: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", refuse)
    with caplog.at_level(logging.WARNING):
        assert double()(4) == 8
    assert "cannot be kept" in caplog.text


@pytest.mark.parametrize("content", [b"", b"\x80\x05", b"no pickle at all", b"\x80\x04\x95" + b"\xff" * 7 + b"\x7f"])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_file_is_written_anew(suffix: str, content: bytes, double: Callable[[], Any], tmp_path: Path) -> None:
    double()(4)
    (damaged,) = (path for path in kept(tmp_path) if path.suffix == suffix)
    damaged.write_bytes(content)
    assert double()(4) == 8
    again = double()
    assert again(4) == 8
    assert sum(again._cache_hits.values()) == 1, "it was kept again"


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of POSIX")
def test_a_search_runs_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A limit on the size of files refuses every write, as a full disk does."""
    program = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import wayfront
network = wayfront.open_network(sys.argv[1], cache=False)
print(int(wayfront.search(network, 0, "dijkstra", "cpu", runs=0).distances.max()))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(TEST_DATA / "tiny.osm")],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "WAYFRONT_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 0
    assert ended.stderr.count("cannot be kept") == 1, ended.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


def adder(width: int, inner: Callable[[int], int] = abs) -> Callable[[int], int]:
    def add(value: int) -> int:
        return inner(value) + width

    return add


def other(width: int) -> Callable[[int], int]:
    def add(value: int) -> int:
        return abs(value) - width

    return add


def test_what_a_factory_closed_over_is_part_of_the_description() -> None:
    describe = kernel_cache._description
    assert describe(adder(1)) == describe(adder(1))
    texts = {describe(one) for one in (adder(1), adder(2), adder(1, adder(3)), adder(1, adder(4)), other(1))}
    assert None not in texts and len(texts) == 5


def test_what_has_no_lasting_description_is_not_kept() -> None:
    assert kernel_cache._description(adder(object())) is None  # type: ignore[arg-type]
    assert kernel_cache._description(adder(1, adder(object()))) is None  # type: ignore[arg-type]


def test_a_source_beside_the_body_changes_the_stamp(tmp_path: Path) -> None:
    source = tmp_path / "search.py"
    source.write_text("one = 1\n")
    (before, again) = (kernel_cache._stamp.__wrapped__(source) for _ in range(2))
    (tmp_path / "helper.py").write_text("two = 2\n")
    assert before == again != kernel_cache._stamp.__wrapped__(source)


def test_without_a_card_nothing_is_kept() -> None:
    entry = adder(1)
    assert keep_compiled(entry, entry) is entry
    assert not hasattr(entry, "_cache")


PARTS = """
import numpy as np
from wayfront.devices.compiling import inlined, loop, part

@inlined
def twice(value):
    return 2 * value

@part
def summed(values):
    copy = np.empty_like(values)
    for i in range(len(values)):
        copy[i] = twice(values[i])
    if copy[0] < 0:
        raise ValueError("negative")
    return copy.sum()

@loop
def half(values):
    return summed(values) / 2

@loop
def third(values):
    return summed(values) / 3
"""
CALLS = """
import importlib.util, sys
import numpy as np
described = importlib.util.spec_from_file_location("parts", sys.argv[1])
sys.modules["parts"] = parts = importlib.util.module_from_spec(described)
described.loader.exec_module(parts)
for name in sys.argv[2:]:
    print(getattr(parts, name)(np.arange(4.0)))
    try:
        getattr(parts, name)(np.full(2, -1.0))
    except ValueError as error:
        print(error)
print(type(parts.summed.overloads[parts.summed.signatures[0]].library).__name__ if parts.summed.signatures else "none")
print(sum(parts.summed._cache_hits.values()), sum(parts.summed._cache_misses.values()))
"""


def _call_parts(tmp_path: Path, *names: str) -> list[str]:
    (tmp_path / "parts.py").write_text(PARTS)
    command = [sys.executable, "-c", CALLS, str(tmp_path / "parts.py"), *names]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.splitlines()


def test_a_part_is_linked_and_kept_without_machine_code_of_its_own(tmp_path: Path) -> None:
    assert _call_parts(tmp_path, "half") == ["6.0", "negative", "LinkedLibrary", "0 1"]
    assert _call_parts(tmp_path, "half", "third") == ["6.0", "negative", "4.0", "negative", "LinkedLibrary", "1 0"]
    assert _call_parts(tmp_path, "third") == ["4.0", "negative", "none", "0 0"]


def test_another_numba_compiles_parts_as_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.compiler import Compiler

    monkeypatch.setattr(compiling, "_TRIED", (0, 1))
    assert compiling.part(lambda value: value)._compiler.pipeline_class is Compiler  # type: ignore[attr-defined]


def test_nothing_is_collected_while_a_function_is_compiled_and_numbas_pieces_are_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))  # so that it is compiled
    collects = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            collects.append(gc.isenabled())

        def on_end(self, event: Any) -> None:
            collects.append(gc.isenabled())

    @compiling.loop
    def fill(count: int) -> Any:
        return np.empty(count, np.float32)

    with event.install_listener("numba:run_pass", Listener()):
        assert len(fill(3)) == 3
    assert set(collects) == {False}
    assert gc.isenabled()
    (made,) = fill.overloads.values()  # type: ignore[attr-defined]
    assert [type(piece).__name__ for piece in made.library._linking_libraries].count("LinkedLibrary") == 1
