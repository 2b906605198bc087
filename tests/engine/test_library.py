"""The names of ``import wayfront``, in whatever order modules are imported. Each case needs a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHECK = """
for _ in range(3):
    names = [declared.name for declared in wayfront.algorithms()]
    assert "dijkstra" in names, names
assert wayfront.search.__name__ == "search" and wayfront.search.__module__ == "wayfront.searching.call"
try:
    wayfront.search(wayfront.open_network("synthetic:ring?n=5"), 0, "no such", "cpu")
except wayfront.safe.errors.OptionError as refusal:
    assert "bellman-ford" in str(refusal), refusal
from wayfront import algorithms, search
assert callable(algorithms) and callable(search)
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import wayfront",
        "import wayfront; wayfront.algorithms()",
        "import wayfront.searching.call, wayfront.algorithms.dijkstra; import wayfront",
        "import wayfront; from wayfront.searching.registry import algorithms; algorithms(); import wayfront.results",
        "from wayfront.papers import PAPERS; import wayfront; wayfront.search; import wayfront.algorithms.near_far",
        "import wayfront.searching.execution as execution; assert execution.execute; import wayfront",
    ],
)
def test_functions_named_like_packages_stay_functions(imports: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", f"{imports}\n{CHECK}"], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr


def test_every_public_name_can_be_had_and_is_listed() -> None:
    import wayfront

    listed = "import wayfront; assert {*wayfront.__all__} <= {*dir(wayfront)}, dir(wayfront)"
    subprocess.run([sys.executable, "-c", listed], check=True)

    assert all(getattr(wayfront, name) is not None for name in wayfront.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wayfront.nothing
