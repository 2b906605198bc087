"""What hatchling asks for as it builds ``wayfront-engine`` and ``wayfront``: description, and what the second needs.

Where packages are listed, a link relative to the README leads nowhere. With a ``Source`` among the ``[project.urls]``
of the repository's ``pyproject.toml``, links lead to the version's tag there, in the form that GitHub and GitLab read;
without one, pictures and links are replaced by their texts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
"""A picture or a link to a file of the repository."""


class MetadataHook(MetadataHookInterface):
    """Fills in the fields that a ``pyproject.toml`` leaves dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the description, and to ``wayfront`` the engine in its own version, with the same extras."""
        engine = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        found = re.search(r'__version__ = "(.+)"', (ROOT / "engine/wayfront/version.py").read_text("utf-8"))
        assert found is not None
        version, source = found[1], engine.get("urls", {}).get("Source")
        text = with_absolute_links((ROOT / "README.md").read_text("utf-8"), source, version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        if metadata["name"] != engine["name"]:
            needs = {extra: f"{engine['name']}[{extra}]=={version}" for extra in engine["optional-dependencies"]}
            metadata["dependencies"] = [needs.pop("window")]
            metadata["optional-dependencies"] = {extra: [line] for extra, line in needs.items()}


def with_absolute_links(text: str, source: str | None, version: str) -> str:
    """Return a README whose links into the repository lead to its address, or are gone where it has none."""

    def absolute(link: re.Match[str]) -> str:
        mark, words, path = link.groups()
        if source is None:
            return f"*{words}*" if mark else words
        return f"{mark}[{words}]({source.rstrip('/')}/{'raw' if mark else 'blob'}/v{version}/{path})"

    return LINK.sub(absolute, text)
