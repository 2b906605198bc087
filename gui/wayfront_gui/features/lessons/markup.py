"""A lesson's text as the rich text that Qt shows: paragraphs, lists, stress, and formulas. No Qt.

A paragraph ends at an empty line; lines that begin with ``- `` are a list; ``**bold**``, ``*italic*``, ```code```. A
formula stands between dollar signs and is set in italics: ``_`` and ``^`` lower and raise the next letter or what is in
braces, and names such as ``\\infty`` are signs; every other sign is typed as it is (≤, Δ, ←). Anything else is shown as
it is, for a lesson may be a stranger's: nothing in it is obeyed, and nothing is fetched.
"""

from __future__ import annotations

import re
from html import escape

from wayfront.safe.text import printable

SIGNS = {
    **{"infty": "∞", "le": "≤", "ge": "≥", "ne": "≠", "lt": "<", "gt": ">", "in": "∈", "notin": "∉"},
    **{"leftarrow": "←", "rightarrow": "→", "cdot": "·", "times": "×", "pm": "±", "approx": "≈", "sum": "∑"},
    **{"min": "min", "max": "max", "log": "log", "alpha": "α", "beta": "β", "delta": "δ", "Delta": "Δ"},
    **{
        "lfloor": "⌊",
        "rfloor": "⌋",
        "oplus": "⊕",
        "otimes": "⊗",
        "cup": "∪",
        "cap": "∩",
        "setminus": "∖",
        "emptyset": "∅",
    },
}
"""The signs of formulas that have names, as in TeX."""
_UPRIGHT = ("min", "max", "log")

PARAGRAPH, LIST = '<p style="line-height:125%">', '<ul style="line-height:125%">'
_PIECES = re.compile(r"\$([^$\n]+)\$|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\n]+)\*")
_FORMULA = re.compile(r"\\([A-Za-z]+)|([_^])(?:\{([^{}]*)\}|(\\[A-Za-z]+|.))|([A-Za-zα-ωΑ-Ω]+)|(.)")


def to_html(text: str) -> str:
    """Return a text as HTML of paragraphs and lists."""
    blocks = (block.strip().splitlines() for block in re.split(r"\n[ \t]*\n", text.strip()))
    return "".join(_block([line.strip() for line in lines]) for lines in blocks if lines)


def to_line(text: str) -> str:
    """Return a text of one line, such as a title, as HTML."""
    return _line(" ".join(text.split()))


def _block(lines: list[str]) -> str:
    """Return lines as a paragraph, and those that begin with a dash, with what follows them, as a list."""
    paragraph: list[str] = []
    points: list[str] = []
    for line in lines:
        if line.startswith("- "):
            points.append(line[2:])
        elif points:
            points[-1] += f" {line}"
        else:
            paragraph.append(line)
    made = f"{PARAGRAPH}{_line(' '.join(paragraph))}</p>" if paragraph else ""
    return made + (LIST + "".join(f"<li>{_line(point)}</li>" for point in points) + "</ul>" if points else "")


def _line(text: str) -> str:
    made, at, text = [], 0, printable(text)
    for found in _PIECES.finditer(text):
        made.append(escape(text[at : found.start()]))
        formula, code, bold, italic = found.groups()
        if formula is not None:
            made.append(_formula(formula))
        elif code is not None:
            made.append(f"<code>{escape(code)}</code>")
        else:
            made.append(f"<b>{_line(bold)}</b>" if bold is not None else f"<i>{_line(italic)}</i>")
        at = found.end()
    return "".join([*made, escape(text[at:])])


def _formula(text: str) -> str:
    made = []
    for name, shift, group, single, letters, other in _FORMULA.findall(text):
        if name:
            made.append(_sign(name))
        elif shift:
            tag = "sub" if shift == "_" else "sup"
            made.append(f"<{tag}>{_formula(group or single)}</{tag}>")
        elif letters:
            made.append(f"<i>{escape(letters)}</i>")
        else:
            made.append(escape(other))
    return "".join(made)


def _sign(name: str) -> str:
    sign = SIGNS.get(name)
    if sign is None:
        return escape(f"\\{name}")
    return escape(sign) if name in _UPRIGHT or not sign.isalpha() else f"<i>{sign}</i>"
