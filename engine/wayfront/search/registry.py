"""Every algorithm once: its names, its paper, its options and its search, for all who show or run it."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wayfront.errors import OptionError
from wayfront.options import Option

if TYPE_CHECKING:
    from wayfront.search.run import Run

SearchFunction = Callable[["Run"], Iterator[int | None]]
"""Yields after every step; one that takes several steps at once yields how many."""


LAST = 1_000_000
"""Reading order of an algorithm that states none."""

EVERYWHERE = ("cpu", "cuda", "simulator")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One algorithm as declared by ``@algorithm``.

    ``name`` is what one types, ``title`` is what one reads, ``paper`` the source, ``family`` groups the list.
    ``devices`` are the kinds of device it runs on (``cpu``, ``cuda``, ``simulator``). ``summary`` is the idea
    in one or two sentences. ``search`` is a generator over a ``Run``: between two steps it yields, and there it
    can be paused, cancelled or read. ``phases`` are the names its steps give to what they did; an explanation
    highlights its pseudo-code by them. ``keeps_parents`` tells that the search keeps parents as it goes, in
    ``run.parents``: ties then fall as its threads ran. ``count_steps`` returns how many steps a run will take where
    that is known beforehand: for searches so slow that a person should be told first. ``reading_order`` sorts every
    list of algorithms; leave gaps.
    """

    name: str
    title: str
    paper: str
    family: str
    devices: tuple[str, ...]
    summary: str
    options: tuple[Option, ...]
    search: SearchFunction
    phases: tuple[str, ...] = ()
    keeps_parents: bool = False
    count_steps: Callable[[Run], int | None] | None = None
    reading_order: int = LAST

    @property
    def stepped(self) -> bool:
        """Whether the host drives its steps, on any device: neither a sequential search nor a resident one."""
        return self.devices == EVERYWHERE


_algorithms: dict[str, Algorithm] = {}


def algorithm(
    *,
    name: str,
    title: str,
    paper: str,
    family: str,
    summary: str,
    phases: tuple[str, ...],
    devices: tuple[str, ...] = EVERYWHERE,
    options: tuple[Option, ...] = (),
    keeps_parents: bool = False,
    count_steps: Callable[[Run], int | None] | None = None,
    reading_order: int = LAST,
) -> Callable[[SearchFunction], SearchFunction]:
    """Declare a search function as an algorithm; see ``Algorithm`` for the words."""

    def register(search: SearchFunction) -> SearchFunction:
        _algorithms[name] = Algorithm(
            name,
            title,
            paper,
            family,
            devices,
            summary,
            options,
            search,
            phases,
            keeps_parents,
            count_steps,
            reading_order,
        )
        return search

    return register


ALGORITHMS_PACKAGE = "wayfront.algorithms"
"""Where algorithms are looked for: any module below it may declare some. A name, so that nothing here imports them."""


@functools.cache
def algorithms() -> tuple[Algorithm, ...]:
    """Return all algorithms in reading order, importing every module of ``wayfront.algorithms`` at the first call."""
    package = importlib.import_module(ALGORITHMS_PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{ALGORITHMS_PACKAGE}."):
        importlib.import_module(module.name)
    return tuple(sorted(_algorithms.values(), key=lambda declared: declared.reading_order))


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name. Raises ``OptionError`` naming those there are."""
    known = {a.name: a for a in algorithms()}
    if name not in known:
        raise OptionError(f"there is no algorithm {name!r}; there are: {', '.join(known)}")
    return known[name]
