"""What a window imports before its first picture is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_window_loads_neither_cuda_nor_scipy_nor_the_compiler(tmp_path: Path) -> None:
    """It is made, and a kernel that was compiled before is called: the second process finds it in the cache."""
    script = """
import sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from wayfront_gui.app.start import make_window
from wayfront_gui.app.settings import Settings
application = QApplication([])
import numpy as np
from wayfront_gui.map import subtrees
window = make_window(Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat)))
assert subtrees.subtree_sizes(np.array([-1, 0], np.int32)).tolist() == [2, 1]
window.close()
if not subtrees._peel.stats.cache_misses:
    heavy = {"numba.cuda", "numba.np.arraymath", "scipy.linalg", "wayfront.searching.run"} & set(sys.modules)
    sys.exit(f"loaded: {heavy}" if heavy else 0)
sys.exit("compiled")
"""
    command = [sys.executable, "-c", script, str(tmp_path / "settings.ini")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.stderr.strip() != "compiled":
            break
    assert done.returncode == 0, done.stderr


def test_a_kernel_that_is_compiled_finds_no_blas() -> None:
    script = """
import sys
from wayfront_gui.app.jobs import spare_blas
spare_blas()
import numba.np.arraymath
sys.exit("scipy.linalg is loaded" if "scipy.linalg" in sys.modules else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
