"""README, CONTRIBUTING and docs/ as tests read them: code blocks, commands and links."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from repository import REPOSITORY

README = REPOSITORY / "README.md"
DOCS = REPOSITORY / "docs"
DOCUMENTS = (README, REPOSITORY / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))


def blocks(document: Path, language: str) -> list[str]:
    """Return a document's code blocks of one language."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shown_commands() -> list[list[str]]:
    """Return the words of every command of every shell block, without comments; a pipe joins two commands."""
    found: list[list[str]] = []
    for line in (line for document in DOCUMENTS for block in blocks(document, "sh") for line in block.splitlines()):
        words = shlex.shlex(line, posix=True, punctuation_chars="|;&")
        words.whitespace_split = True
        found.append([])
        for word in words:
            if word in ("|", ";", "&&"):
                found.append([])
            else:
                found[-1].append(word)
    return found


def links(document: Path) -> list[str]:
    """Return the relative links of a document, pictures included, without anchors."""
    return re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
