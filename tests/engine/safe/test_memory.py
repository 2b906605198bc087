"""Free memory: the system's own figure, and what a container leaves of it."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from wayfront.safe import memory
from wayfront.safe.errors import MemoryShortError


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("container")
def test_free_memory_is_a_part_of_the_machines() -> None:
    assert 0 < memory.available_bytes() < psutil.virtual_memory().total


@pytest.mark.parametrize(("limit", "free"), [("6000", 1500), ("4000", 0)])
def test_a_containers_limit_counts_and_its_file_cache_does_not(container: Path, limit: str, free: int) -> None:
    (container / "memory.max").write_text(f"{limit}\n")
    (container / "memory.current").write_text("5000\n")
    (container / "memory.stat").write_text("anon 4000\ninactive_file 500\nactive_file 300\n")
    assert memory.available_bytes() == free


def test_a_container_without_a_limit_changes_nothing(container: Path) -> None:
    (container / "memory.max").write_text("max\n")
    assert memory.available_bytes() > 1 << 20


def test_what_needs_more_than_is_free_is_refused_with_both_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 2_000_000_000)
    memory.require_memory(2_000_000_000, "a")
    with pytest.raises(MemoryShortError) as caught:
        memory.require_memory(2_000_000_001, Path("a.gr"))
    assert str(caught.value) == (
        "a.gr: it takes about 2.0 GB of memory, and 2.0 GB are free: close other programs, or take a smaller one"
    )
    assert (caught.value.needed, caught.value.free, caught.value.what) == (2_000_000_001, 2_000_000_000, "a.gr")
    with pytest.raises(MemoryShortError, match=r", take a smaller one, or open it all the same$") as caught:
        memory.require_memory(10**23, "b", can_be_forced=True)
    assert caught.value.can_be_forced
