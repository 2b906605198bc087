"""Writes a page: one HTML file with everything in it, that asks nobody for anything. No Qt."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from pathlib import Path

from wayfront.safe.errors import MissingPackageError
from wayfront.safe.files import write_text_whole
from wayfront_gui.features.page.coding import packed
from wayfront_gui.features.page.content import Content
from wayfront_gui.resources import asset
from wayfront_gui.ui.translation import translated

SUFFIX = ".html"

_PAGE = """\
<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="generator" content="{program}">
<meta name="description" content="{description}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>{no_script}</noscript>
<script type="application/json" id="heading">{heading}</script>
<script type="application/octet-stream" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def write_content(content: Content, path: str | Path) -> int:
    """Write the page of a content, and return its size in bytes. Raises as ``page_of`` does, and ``WriteError``."""
    text = page_of(content)
    write_text_whole(path, text)
    return len(text.encode("utf-8", "backslashreplace"))


def about_bytes(points: int, *, live: bool) -> int:
    """Return about how large a page is: New York's 10 bytes a node, or 12 with what trees need, and what all bring."""
    return 185_000 + (12 if live else 10) * points // 2


def about_further(nodes: int) -> int:
    """Return about how much larger a page is by a further search on the same network: New York's byte a node."""
    return nodes


def page_of(content: Content) -> str:
    """Return the page of a content. Raises ``MissingPackageError`` where the part that pages bring was not built."""
    script, style = bundle()
    heading = content.heading
    sections = [[name, len(section)] for name, section in content.sections.items()]
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            *(("worker-src blob:",) if "cells" in heading else ()),  # whose text is in the script
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    title = heading["lesson"]["title"] if "lesson" in heading else heading["title"]
    described = f"{title}: {heading['subtitle']}"
    return _PAGE.format(
        language=heading["language"],
        policy=policy,
        program=html.escape(heading["program"]),
        description=html.escape(described),
        title=html.escape(title),
        style=style,
        no_script=html.escape(translated("This page needs JavaScript, which is switched off.")),
        heading=_as_json(heading | {"sections": sections}),
        data=base64.b64encode(packed(content.sections)).decode(),
        script=script,
    )


def bundle() -> tuple[str, str]:
    """Return the script and the style sheet of pages. Raises ``MissingPackageError`` where they were not built."""
    try:
        return asset("page/page.js").read_text("utf-8"), asset("page/page.css").read_text("utf-8")
    except FileNotFoundError:
        raise MissingPackageError(
            "this copy of wayfront was made without the part that pages bring: install Node.js 20 or later and run "
            "'make page' in its folder, or install a released package"
        ) from None


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _as_json(value: object) -> str:
    """Return JSON that ends no element of HTML, whatever names are in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
