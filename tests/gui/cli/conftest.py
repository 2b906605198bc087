"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import Command, command
from search_checks import device_info


@pytest.fixture
def wayfront(capsys: pytest.CaptureFixture[str]) -> Command:
    """Call ``wayfront`` with these arguments."""
    return command(capsys)


@pytest.fixture
def tiny(data: Path) -> Path:
    """Return the tiny network as a DIMACS file, with coordinates and travel times beside it."""
    return data / "tiny-d.gr"


@pytest.fixture(autouse=True)
def application(qapp: object) -> None:
    """Start Qt with widgets: a command that draws would start it without, and other tests would find that."""


@pytest.fixture(autouse=True)
def first_command(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let no earlier command of this terminal have made its remarks, but in tests of these."""
    monkeypatch.setattr("wayfront_gui.cli.console._quiet", False)
    if "new_cache" not in request.fixturenames:
        monkeypatch.setattr("wayfront_gui.cli.console.is_new", lambda _name, _remark: True)


@pytest.fixture
def no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this machine without a CUDA card."""
    found = (
        device_info("cpu", "a processor", True),
        device_info("cuda", "CUDA", False, "no CUDA device: no driver"),
        device_info("simulator", "CUDA simulator", False, "not asked for"),
    )
    monkeypatch.setattr("wayfront.devices.devices", lambda: found)
