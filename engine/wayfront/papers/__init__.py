"""Run the papers' tables on this machine and compare with the papers' own figures.

``PAPERS`` is what each paper measured, as data; ``reproduction.reproduce`` runs it, and so does ``tools/measure.py``
where only the engine is installed.
"""

from __future__ import annotations

from dataclasses import replace

from wayfront.papers.description import Paper
from wayfront.papers.published import PAPERS
from wayfront.safe.errors import OptionError

__all__ = ["PAPERS", "Paper", "find_papers"]


def find_papers(name: str, table: str = "") -> tuple[Paper, ...]:
    """Return the paper with a letter, or with "all" every paper, with those tables whose title contains a text.

    Raises ``OptionError`` where there is no such paper or table.
    """
    found = PAPERS if name.lower() == "all" else tuple(paper for paper in PAPERS if paper.letter == name.upper())
    if not found:
        known = ", ".join(f"{paper.letter} ({paper.authors})" for paper in PAPERS)
        raise OptionError(f"there is no paper {name!r}; there are: all, {known}")
    chosen = (
        replace(paper, tables=tuple(one for one in paper.tables if table.lower() in one.title.lower()))
        for paper in found
    )
    papers = tuple(paper for paper in chosen if paper.tables)
    if not papers:
        titles = ", ".join(repr(one.title) for paper in found for one in paper.tables)
        raise OptionError(f"no table's title contains {table!r}; there are: {titles}")
    return papers
