"""Tables of facts in HTML, as notebooks show objects."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from html import escape

from wayfront.plain_text import printable


def facts_shown(title: str, facts: Mapping[str, str], png: bytes | None) -> dict[str, str]:
    """Return what a notebook may show of an object, by media type: a table with a picture below, or the picture alone.

    Notebooks ask for all of it at once (``_repr_mimebundle_``), so that the picture is drawn once. Strangers' texts are
    shown as written.
    """
    table = _table(title, facts)
    if png is None:
        return {"text/html": table}
    return {"text/html": table + image_html("image/png", png, title), "image/png": b64encode(png).decode("ascii")}


def _table(title: str, facts: Mapping[str, str]) -> str:
    left = 'style="text-align:left"'
    rows = [f"<tr><th {left}>{_text(name)}</th><td {left}>{_text(fact)}</td></tr>" for name, fact in facts.items()]
    return f"<table><caption {left}><b>{_text(title)}</b></caption>{''.join(rows)}</table>"


def image_html(kind: str, data: bytes, title: str) -> str:
    """Return a picture of a media type inside the HTML itself, so that it stays with the notebook."""
    return f'<img src="{data_address(kind, data)}" alt="{_text(title)}" style="max-width:100%">'


def data_address(kind: str, data: bytes) -> str:
    """Return data of a media type as an address that needs no file."""
    return f"data:{kind};base64,{b64encode(data).decode('ascii')}"


def _text(text: str) -> str:
    return escape(printable(text))
