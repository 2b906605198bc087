"""Pages that mkdocs makes at build time: the algorithms, CONTRIBUTING.md, and the notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from notebooks import notebooks, page_of
from wayfront.searching.registry import Algorithm, algorithms
from wayfront_gui.features.explanation.texts import NOTATION, Explanation, Figures, explain

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to those in docs/."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/development/", "](")
    pages = {
        "algorithms.md": algorithms_page(),
        "development/contributing.md": contributing.replace("](docs/", "](../"),
    }
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    for notebook in notebooks():
        page, pictures = page_of(notebook)
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=page))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files


def algorithms_page() -> str:
    """Return the page of all algorithms, by family in reading order."""
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
        text.append(algorithm_section(declared, explain(declared.name)))
    return "\n".join(text)


def algorithm_section(declared: Algorithm, told: Explanation) -> str:
    """Return one algorithm as a section."""
    lines = [f"\n### {declared.title}", f"`{declared.name}`\n", told.idea, "\n```text"]
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
