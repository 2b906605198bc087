"""Write timings as a table in Markdown. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from wayfront.plain_text import printable
from wayfront_gui.model.paper_markdown import cell_text
from wayfront_gui.model.timings import Row, bars, chart_texts, three_digits


def timing_markdown(rows: Sequence[Row]) -> str:
    """Return the rows that have a time as a table with its title above it and the machine below."""
    shown = bars(rows)
    if not shown:
        return "No timed searches yet.\n"
    texts, fastest = chart_texts(rows), min(bar.median for bar in shown)
    lines = ["| algorithm | on | median ms | min | max | × fastest |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for bar in shown:
        figures = [three_digits(ms) for ms in (bar.median, bar.low, bar.high)]
        figures.append(f"{bar.median / fastest:.1f}" if fastest else "")
        lines.append(f"| **{cell_text(bar.label)}** | {cell_text(bar.detail)} | {' | '.join(figures)} |")
    parts = [f"## {texts.title}", f"{texts.subtitle}.", "\n".join(lines), *filter(None, texts.caption)]
    return "\n\n".join("\n".join(map(printable, part.split("\n"))) for part in parts) + "\n"
