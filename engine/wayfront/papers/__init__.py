"""Run the papers' tables on this machine and compare with the papers' own figures.

``PAPERS`` holds what each paper measured, as data; ``reproduction.reproduce`` runs it, and so does
``python -m wayfront.papers`` where only the engine is installed.
"""

from __future__ import annotations

from wayfront.errors import OptionError
from wayfront.papers.description import Paper
from wayfront.papers.tables import PAPERS

__all__ = ["PAPERS", "Paper", "find_papers"]


def find_papers(name: str) -> tuple[Paper, ...]:
    """Return the paper with a letter, or with "all" every paper. Raises ``OptionError``."""
    if name.lower() == "all":
        return PAPERS
    found = tuple(paper for paper in PAPERS if paper.letter == name.upper())
    if not found:
        known = ", ".join(f"{paper.letter} ({paper.authors})" for paper in PAPERS)
        raise OptionError(f"there is no paper {name!r}; there are: all, {known}")
    return found
