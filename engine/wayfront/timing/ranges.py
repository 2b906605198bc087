"""Named ranges on the time line of NVIDIA Nsight: what a search was doing while its kernels ran.

Nothing is marked until ``mark_ranges`` is called, and then by NVTX, the package ``nvtx``, which does nothing itself
unless a profiler listens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from wayfront.safe.errors import MissingPackageError

DOMAIN = "wayfront"
Item = TypeVar("Item")
_nvtx: Any = None


def mark_ranges() -> None:
    """Mark ranges from now on in this process. Raises ``MissingPackageError`` where the package is missing."""
    global _nvtx  # noqa: PLW0603 - a process has one time line
    try:
        _nvtx = import_module("nvtx")
    except ImportError:
        raise MissingPackageError(
            'ranges for Nsight need the package nvtx: pip install "wayfront[cuda]", or pip install nvtx'
        ) from None


def are_marked() -> bool:
    """Return whether ranges are marked."""
    return _nvtx is not None


@contextmanager
def marked(name: str) -> Iterator[None]:
    """Mark what is done in the block."""
    nvtx = _nvtx
    if nvtx is None:
        yield
        return
    nvtx.push_range(name, domain=DOMAIN)
    try:
        yield
    finally:
        nvtx.pop_range(domain=DOMAIN)


def marked_steps(steps: Iterable[Item]) -> Iterable[Item]:
    """Return the steps of a search, each of which is marked while it is taken."""
    return steps if _nvtx is None else _each_marked(steps)


def _each_marked(steps: Iterable[Item]) -> Iterator[Item]:
    taking, end = iter(steps), object()
    number = 0
    while True:
        with marked(f"step {number}"):
            taken = next(taking, end)
        if taken is end:
            return
        number += 1
        yield taken  # type: ignore[misc]
