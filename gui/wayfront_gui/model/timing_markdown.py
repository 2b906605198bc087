"""Write timings as a table in Markdown. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from wayfront.plain_text import printable
from wayfront_gui.model.paper_markdown import cell_text
from wayfront_gui.model.timing_table import NAMES, timing_table
from wayfront_gui.model.timings import Row, chart_texts


def timing_markdown(rows: Sequence[Row]) -> str:
    """Return the rows that have a time as a table with its title above it and the machine below."""
    table = timing_table(rows)
    if not table.rows:
        return "No timed searches yet.\n"
    texts = chart_texts(rows, whiskers=False)
    rule = ["---"] * len(NAMES) + ["---:"] * len(table.figures)
    lines = [f"| {' | '.join(table.columns)} |", f"| {' | '.join(rule)} |"]
    for label, *others in table.rows:
        lines.append(f"| **{cell_text(label)}** | {' | '.join(map(cell_text, others))} |")
    parts = [f"## {texts.title}", f"{texts.subtitle}.", "\n".join(lines), *filter(None, texts.caption)]
    return "\n\n".join("\n".join(map(printable, part.split("\n"))) for part in parts) + "\n"
