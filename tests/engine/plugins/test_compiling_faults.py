"""A kernel that does not compile is explained in one sentence: file, line, and what to do."""

from __future__ import annotations

import importlib.util
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from there import there
from wayfront.devices.cpu import CpuDevice
from wayfront.plugins.faults import explain_compiling

BODIES = '''
import numpy as np

SEEN, TOTAL = [], np.zeros(1)


def helper(i):
    return i


def body(i: int, out):
    """Do something."""
    LINE
'''
FIRST = 13
"""The number of the line that differs."""


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("out[i] = helper(i)", 0, "(out[i] = helper(i)): it calls helper, which is not compiled: decorate helper with"),
        ("out[i] = missing", 0, "(out[i] = missing): the name missing is not defined: define or import it"),
        ("found = [i]\n    out[i] = found[0]", 0, "(found = [i]): a list, array, dictionary or text is made here"),
        ("found = []\n    out[i] = 0", 0, "(found = []): a list, array, dictionary or text is made here"),
        ("out[i] = 0\n    out.first = 3", 1, "(out.first = 3): the attribute first cannot be set: write to an element"),
        ("out[i] = out", 0, "(out[i] = out): Numba has no way to set an element for these types, setitem(array(int32"),
        ("out[i] = np.min(i, i)", 0, "(out[i] = np.min(i, i)): Numba has no min for these types, min(int64, int64)"),
        ("TOTAL[0] = i", 0, "(TOTAL[0] = i): this array is read-only, as the network's arrays are, and those outside"),
        ("SEEN.append(i)", 0, "(SEEN.append(i)): SEEN is a list outside of the body, which compiled code cannot"),
        ("import math\n    out[i] = 0", 0, "(import math): Numba compiles no import: a body has loops, conditions"),
        ("x = None\n    if i > 2:\n        x = (i, i)\n    out[i] = x[0]", -1, "(AttributeError: 'NoneType' object"),
    ],
)
def test_the_line_and_what_to_do_are_named(text: str, line: int, what: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(BODIES.replace("LINE", text))
    body, home = loaded(path).body, path
    if line < 0:  # Numba itself falls over this one: the line is that of the launch
        home, line = Path(__file__), 0
    with pytest.raises(Exception) as failed:  # Numba's have no common base
        CpuDevice().prepare(body)(1, np.zeros(3, np.int32))
    explained = there(explain_compiling(failed.value, home))
    assert what in explained
    assert explained.startswith(f"{path}:{FIRST + line}: body does not compile " if home == path else f"{home}:")
    assert "\\n" not in explained


def test_a_cell_of_a_notebook_has_lines_though_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, text = tmp_path / "cell.py", BODIES.replace("LINE", "out[i] = helper(i)")
    path.write_text(text)
    with pytest.raises(Exception) as failed:  # Numba's have no common base
        CpuDevice().prepare(loaded(path).body)(1, np.zeros(3, np.int32))
    path.unlink()
    monkeypatch.setitem(linecache.cache, str(path), (len(text), None, text.splitlines(keepends=True), str(path)))
    explained = there(explain_compiling(failed.value, path))
    assert explained.startswith(f"{path}:{FIRST}: body does not compile (out[i] = helper(i)): it calls helper, which")


def loaded(path: Path) -> Any:
    spec = there(importlib.util.spec_from_file_location("kernels_with_a_fault", path))
    module = importlib.util.module_from_spec(spec)
    there(spec.loader).exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "compiles"), [("tid=[4, 0, 0] ctaid=[0, 0, 0]: index 6 is out of bounds", True), ("no dtype", False)]
)
def test_a_body_that_fails_in_the_simulator_did_compile(text: str, compiles: bool) -> None:
    raising = compile(f"raise IndexError({text!r})", "/packages/numba/cuda/simulator/kernel.py", "exec")
    with pytest.raises(IndexError) as failed:
        exec(raising)
    assert (explain_compiling(failed.value, Path(__file__)) is None) is compiles


def test_other_errors_are_not_the_compilers() -> None:
    with pytest.raises(IndexError) as failed:
        [].pop()
    assert explain_compiling(failed.value, Path(__file__)) is None
