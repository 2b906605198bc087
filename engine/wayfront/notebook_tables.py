"""Tables of facts in HTML, as notebooks show objects."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from wayfront.plain_text import printable


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """Return a table of two columns with its title; texts of strangers are shown as they are written."""
    left = 'style="text-align:left"'
    rows = [f"<tr><th {left}>{_text(name)}</th><td {left}>{_text(fact)}</td></tr>" for name, fact in facts.items()]
    return f"<table><caption {left}><b>{_text(title)}</b></caption>{''.join(rows)}</table>"


def _text(text: str) -> str:
    return escape(printable(text))
