"""The papers' tables for one source, run on this machine beside the papers' own figures.

``PAPERS`` says what each paper measured, as data; ``reproduce`` runs it. All-pairs tables are not among them.
"""

from __future__ import annotations

from wayfront.errors import OptionError
from wayfront.papers.described import Paper
from wayfront.papers.tables import PAPERS

__all__ = ["PAPERS", "Paper", "find_papers"]


def find_papers(word: str) -> tuple[Paper, ...]:
    """Return the paper of a letter, or all of them. Raises ``OptionError``."""
    if word.lower() == "all":
        return PAPERS
    found = tuple(paper for paper in PAPERS if paper.letter == word.upper())
    if not found:
        told = ", ".join(f"{paper.letter} ({paper.authors})" for paper in PAPERS)
        raise OptionError(f"there is no paper {word!r}; there are: all, {told}")
    return found
