"""The short form of the soak's hostile servers, by a fixed seed, and that it sees a fault when there is one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from soak import servers
from soak.report import Row
from wayfront.safe.errors import DownloadError

SEED = 22


@pytest.fixture(autouse=True)
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave those out that take a process each."""
    monkeypatch.setattr(servers, "_PLACES_EACH", 10**6)


def test_what_hostile_servers_send_is_refused_or_is_the_file() -> None:
    networks, tiles, places = servers.attack_downloads(SEED, 60)
    assert networks.examples + tiles.examples == []
    assert (networks.tried, tiles.tried, places.tried) == (30, 30, 0)
    assert 0 < networks.taken < 30 and 0 < tiles.taken < 30, "some answers are well and some are not"


def left_beside(_r: Random, folder: Path) -> tuple[bool, str]:
    return False, f"left beside it: {folder.name}"


def raise_unforeseen(_r: Random, _folder: Path) -> tuple[bool, str]:
    raise KeyError("Location")


def say_much(_r: Random, _folder: Path) -> tuple[bool, str]:
    raise DownloadError("x" * 1000)


def obey(_r: Random, _folder: Path) -> tuple[bool, str]:
    raise DownloadError("the server says \x1b[2J")


@pytest.mark.parametrize(
    ("attack", "fault"),
    [(left_beside, "half-written"), (raise_unforeseen, "tracebacks"), (say_much, "tracebacks"), (obey, "tracebacks")],
)
def test_a_fault_is_counted(attack: servers.Attack, fault: str, tmp_path: Path) -> None:
    row = Row("servers")
    servers._attack(row, attack, Random(SEED), tmp_path, "one")
    assert (row.tried, row.taken, dict(row.faults)) == (1, 0, {fault: 1})


def test_an_answer_that_takes_long_is_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "HANG_S", -1.0)
    row = Row("servers")
    servers._attack(row, lambda _r, _folder: (True, ""), Random(SEED), tmp_path, "one")
    assert dict(row.faults) == {"hangs": 1}
