"""Several searches side by side, on one clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wayfront.pictures import Page, race_page
from wayfront.results.result import Result
from wayfront.safe.errors import OptionError


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Race:
    """Searches that are compared, in the order in which they were given: of one network, or each of its own.

    Raises ``OptionError`` for fewer than two.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> wayfront.Race(wayfront.search(network, 0, name, "cpu") for name in ("dijkstra", "near-far"))
        <Race: dijkstra, near-far>
        >>> wayfront.Race([wayfront.search(network, 0, "dijkstra", "cpu")])
        Traceback (most recent call last):
        wayfront.safe.errors.OptionError: a race is of two searches or more, not of 1
    """

    results: tuple[Result, ...]

    def __init__(self, results: Iterable[Result]) -> None:
        object.__setattr__(self, "results", tuple(results))
        count = len(self.results)
        if count < 2:
            raise OptionError(f"a race is of two searches or more, not of {count}")

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        return f"<Race: {', '.join(each.algorithm for each in self.results)}>"

    def show(self, moment: str = "", *, theme: str = "light", height: int = 640, embedded: bool = True) -> Page:
        """Return a page on which the recorded searches play side by side; a notebook shows it, and ``save`` writes it.

        ``moment``, ``theme`` and ``height`` are as for ``Result.show``; ``embedded`` is False for a page of its own,
        which is larger and plays at once. Raises ``OptionError`` for a result without ``trace=True``, and what
        ``Result.show`` raises.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> wayfront.Race([wayfront.search(network, 0, "dijkstra", "cpu")] * 2).show()
            Traceback (most recent call last):
            wayfront.safe.errors.OptionError: a race shows the steps of its searches: search with trace=True
        """
        return race_page(self.results, moment=moment, theme=theme, height=height, embedded=embedded)
