"""Pages that mkdocs makes at build time: the algorithms, CONTRIBUTING.md, the notebooks, and searches that play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from docs_searches import CITY, NINE, beginning, frame, searches
from notebooks import notebooks, page_of
from wayfront.searching.registry import Algorithm, algorithms
from wayfront_gui.features.explanation.texts import NOTATION, Explanation, Figures, explain

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to those in docs/."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/development/", "](")
    played = searches()
    pages = {
        "algorithms.md": algorithms_page(set(played)),
        "development/contributing.md": contributing.replace("](docs/", "](../"),
    }
    pages |= {f"searches/{name}.html": html for name, html in played.items()}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    for notebook in notebooks():
        page, pictures = page_of(notebook)
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=page))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let the first page begin with a city to play with, where it was written, in place of its picture."""
    if page.file.src_uri != "index.md" or files.get_file_from_path(f"searches/{CITY}.html") is None:
        return markdown
    begin = markdown.index("![A search")
    end = markdown.index("\n", begin)
    shown = frame(CITY, "A city whose source can be dragged", height=520)
    words = (
        "Drag the source, click a road for the route there, or play the search. "
        f"[Nine searches](searches/{NINE}.html) on one page can be sent by link."
    )
    return f"{markdown[:begin]}{shown}\n\n{words}{markdown[end:]}"


def algorithms_page(played: set[str]) -> str:
    """Return the page of all algorithms, by family in reading order; those in ``played`` begin with their search."""
    text = [
        "# Algorithms",
        "Every search of the registry, with its idea, pseudo-code, cost and options. `wayfront explain NAME` prints",
        "the same, and the explanation panel shows it beside the map. Times are in [Performance](performance.md).",
        f"\nIn the costs: {NOTATION}.",
    ]
    family = ""
    for declared in algorithms():
        if declared.family != family:
            family = declared.family
            text.append(f"\n## {family}")
        text.append(algorithm_section(declared, explain(declared.name), played))
    return "\n".join(text)


def algorithm_section(declared: Algorithm, told: Explanation, played: set[str]) -> str:
    """Return one algorithm as a section."""
    search = beginning(declared.name, declared.title, played)
    lines = [f"\n### {declared.title}", f"`{declared.name}`\n", *search, told.idea, "\n```text"]
    lines += [line.text for line in told.code]
    lines += ["```", "\n**What to look for**\n", *(f"- {item}" for item in told.look)]
    lines += [f"\n**Cost**: {told.cost.order}. {told.cost.roads} {told.cost.gpu}\n"]
    if declared.options:
        lines += ["| option | default | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{option.name}` | {option.default} | {option.help} |" for option in declared.options]
    lines += ["", *(figures_table(one) for one in told.figures)]
    lines += ["\n**Sources**\n", *(f"- {source}" for source in told.sources)]
    return "\n".join(lines)


def figures_table(figures: Figures) -> str:
    """Return one table of figures, with its hardware and note."""
    lines = [f"\n*{figures.title}* ({figures.hardware})\n"]
    if figures.rows:
        columns = [column or " " for column in figures.columns]
        lines += [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]
        lines += [f"| {' | '.join(row)} |" for row in figures.rows]
    if figures.note:
        lines += ["", figures.note]
    return "\n".join(lines)
