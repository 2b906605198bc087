"""Read which module imports which, and draw the imports between folders.

usage: python tools/structure.py --output docs/images/structure-after.svg     (needs Graphviz's ``dot``)

With ``PYTHONPATH`` set to the engine and gui folders of another checkout it draws that one.

The graph is made from the source text by grimp, so imports inside functions and under ``TYPE_CHECKING`` count like any
other. ``tests/test_structure.py`` asserts on the same graph that is drawn here.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import grimp
import networkx

ROOTS = ("wayfront", "wayfront_gui")

Arcs = Counter[tuple[str, str]]
"""How many imports lead from the first name to the second."""


def read_imports(roots: Iterable[str] = ROOTS) -> grimp.ImportGraph:
    """Return the import graph of the packages ``roots``, lazy imports included; those for types only never run."""
    first, *others = roots
    return grimp.build_graph(
        first, *others, include_external_packages=False, exclude_type_checking_imports=True, cache_dir=None
    )


def module_arcs(graph: grimp.ImportGraph) -> Arcs:
    """Return the imports between modules; a package's ``__init__`` is a module of the package's name."""
    return Counter(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    )


def child_of(package: str, module: str) -> str | None:
    """Return the direct child of ``package`` that holds ``module``; None where it lies outside."""
    prefix = f"{package}." if package else ""
    if not module.startswith(prefix):
        return None
    return prefix + module.removeprefix(prefix).split(".")[0]


def child_arcs(arcs: Arcs, package: str) -> Arcs:
    """Return the imports between the direct children of ``package``; "" stands for the folder above the roots."""
    between: Arcs = Counter()
    for (importer, imported), count in arcs.items():
        here, there = child_of(package, importer), child_of(package, imported)
        if here and there and here != there:
            between[here, there] += count
    return between


def cycles(arcs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return every set of names that import each other in a circle, sorted."""
    components = networkx.strongly_connected_components(networkx.DiGraph(list(arcs)))
    return sorted(sorted(component) for component in components if len(component) > 1)


def describe_cycles(graph: grimp.ImportGraph, package: str | None) -> list[str]:
    """Return the lines ``importer:line imports imported`` that make cycles.

    ``package`` None looks at modules, otherwise at the direct children of that package.
    """
    arcs = module_arcs(graph)
    circles = cycles(arcs if package is None else child_arcs(arcs, package))
    lines = []
    for importer, imported in sorted(arcs):
        here = importer if package is None else child_of(package, importer)
        there = imported if package is None else child_of(package, imported)
        if here != there and any(here in circle and there in circle for circle in circles):
            details = graph.get_import_details(importer=importer, imported=imported)
            lines += [f"{importer}:{one['line_number']} imports {imported}" for one in details]
    return lines


def packages(graph: grimp.ImportGraph) -> list[str]:
    """Return the packages that hold anything, and "" for the folder above the roots."""
    return ["", *sorted(module for module in graph.modules if graph.find_children(module))]


LEFT_OUT = ("__main__", "errors", "version")
"""Modules that are not drawn: nearly everything imports the last two, and they import nothing."""

CIRCLE_COLOUR = "#d62728"
STYLE = """
  rankdir=TB; nodesep=0.18; ranksep=0.55; bgcolor="white"; fontname="Helvetica"; splines=true; newrank=true;
  node [fontname="Helvetica", fontsize=11, height=0.3, margin="0.10,0.04", penwidth=0.8, color="#7d8a97", style=filled];
  edge [color="#9aa5b0", arrowsize=0.55, penwidth=0.8];
"""


def draw_graph(graph: grimp.ImportGraph, roots: Iterable[str] = ROOTS) -> str:
    """Return the imports between the folders and top modules of ``roots`` in Graphviz's language.

    A box is a folder with its number of modules, an ellipse a module that lies directly in a root. Red arrows belong
    to a circle: their two ends import each other, directly or through others. Thick ones run both ways between two.
    """
    arcs = module_arcs(graph)
    between: Arcs = Counter()
    for (importer, imported), count in arcs.items():
        here, there = drawn_name(importer), drawn_name(imported)
        if here and there and here != there:
            between[here, there] += count
    circles = cycles(between)
    lines = []
    for root in roots:
        lines.append(f'  subgraph "cluster_{root}" {{ label="{root}"; color="#c9d1d9"; style=rounded; fontsize=13;')
        lines += [f"    {drawn_node(graph, name)}" for name in sorted(graph.find_children(root)) if drawn_name(name)]
        lines.append("  }")
    for (here, there), count in sorted(between.items()):
        attributes = [f'tooltip="{here} imports {there}: {count}"']
        if (there, here) in between:
            attributes += [f'color="{CIRCLE_COLOUR}"', "penwidth=2.2"]
        elif any(here in circle and there in circle for circle in circles):
            attributes.append(f'color="{CIRCLE_COLOUR}"')
        lines.append(f'  "{here}" -> "{there}" [{", ".join(attributes)}];')
    return "digraph imports {" + STYLE + "\n".join(lines) + "\n}\n"


def drawn_name(module: str) -> str | None:
    """Return the folder or top module a module is drawn as; None for the roots and for what is left out."""
    names = module.split(".")
    return None if len(names) == 1 or names[1] in LEFT_OUT else ".".join(names[:2])


def drawn_node(graph: grimp.ImportGraph, name: str) -> str:
    """Return the node of a folder or of a top module in Graphviz's language."""
    label = name.split(".")[1]
    held = len(graph.find_descendants(name))
    if held:
        return f'"{name}" [label="{label}  {held}", shape=box, fillcolor="#e8f0fa"];'
    return f'"{name}" [label="{label}", shape=ellipse, fillcolor="#f7f7f7"];'


def main() -> int:
    """Draw the imports of the packages that Python finds into one SVG file."""
    parser = argparse.ArgumentParser(description="Draw the imports between folders.")
    parser.add_argument("--output", type=Path, required=True, help="SVG file to write")
    output: Path = parser.parse_args().output
    dot = shutil.which("dot")
    if dot is None:
        print("structure: needs Graphviz's dot (Debian: apt-get install graphviz)", file=sys.stderr)
        return 1
    graph = read_imports()
    subprocess.run([dot, "-Tsvg", "-o", str(output)], input=draw_graph(graph), text=True, check=True)
    arcs = module_arcs(graph)
    circles = cycles(child_arcs(arcs, "wayfront")) + cycles(child_arcs(arcs, "wayfront_gui"))
    print(f"{output}: {len(graph.modules)} modules, {len(circles)} circles between folders")
    return 0


if __name__ == "__main__":
    sys.exit(main())
