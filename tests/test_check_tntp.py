"""``tools/check_tntp.py``: a folder of problems is checked against their published flows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import check_tntp
import sioux_falls


def test_published_flows_are_found_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sioux_falls.write(tmp_path)
    flows = tmp_path / "SiouxFalls_flow.tntp"
    rows = [f"{tail} {head} {flow} 1" for tail, head, *_, flow in reversed(sioux_falls.ROADS)]
    flows.write_text("\n".join(["From To Volume Cost", *rows]) + "\n")
    monkeypatch.setattr(sys, "argv", ["check_tntp.py", str(tmp_path), "--gap", "1e-3"])
    assert check_tntp.main() == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["SiouxFalls", "76", "24"]
    flows.write_text("\n".join(["From To Volume Cost", *rows[:75]]) + "\n")
    check_tntp.main()
    assert "flows are of other roads than the network has" in capsys.readouterr().out
