"""Gathers every visible text of the program, and brings the catalogues of all languages up to date.

``python tools/catalogues.py`` adds new texts to ``assets/translations/LANGUAGE/*.po``, keeps what is translated and
leaves out what the program no longer shows; then it lists how many texts are not translated yet. A folder for another
language, empty but for its header, is filled in the same way.

Texts of the window are the arguments of ``translated``, ``marked`` and ``plural``; those of the engine are what it
declares and the sentences it raises; explanations and tours are read from their files.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from wayfront.formats.options import NETWORK_TYPES, OsmOptions
from wayfront.formats.osm.rules import COUNTRIES
from wayfront.formats.registry import formats
from wayfront.network.turn_costs import SIDES, TurnCosts
from wayfront.results.directions import TEXTS
from wayfront.safe.schema import HEADER
from wayfront.searching.registry import algorithms
from wayfront.sources.catalogue import CATALOGUE
from wayfront.synthetic.generators import names
from wayfront.synthetic.textbooks import EXAMPLES
from wayfront_gui.app.commands import MENUS
from wayfront_gui.app.panels import all_sections
from wayfront_gui.app.window import all_commands
from wayfront_gui.features.lessons.file import read_lesson
from wayfront_gui.session.formatting import option_title
from wayfront_gui.ui.translation import Entry, read_entries

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("window", "engine", "explanations", "tours")
"""The files of a language."""
FOLDER = ROOT / "assets" / "translations"
MARKS = ("translated", "marked", "plural")
SAYING = ("StepNote", "_replace", "append", "split")
REASONS = ("reason", "why", "note")
DOING = ("progress", "report", "tell", "enter", "_tell")
"""Calls of the engine whose texts are shown: steps of traces, what is being done, remarks on what was read."""
TELLTALES = ("wayfront_gui.ui.translation import", "raise ", "Error(", "StepNote", "report(", "progress(")
MODES = ("queue", "requests")
"""Modes of one word; those of several are gathered where steps say them."""
METRICS = ("distance", "length", "travel time", "weight", "hops")
WORDS = re.compile(r"[^\W\d_]{2,}")
ALGORITHMS = "algorithms"
"""The folder of the searches."""
SILENT = {"papers", "benchmarks", "networkx_backend"}
"""Folders whose sentences are read on the command line or in NetworkX alone."""
HOLDING = ("StateRow", "StepState", "held_state", "row")
"""Calls by which searches say what they hold."""
TITLE = re.compile(r"[A-Z](?:[a-z]| ).*[^.\n]")
"""What a search holds is named like this."""
Texts = dict[str, Entry]
"""Entries by their English text, in the order of the program's files."""


def gather() -> dict[str, Texts]:
    """Return the texts of each catalogue by its name."""
    return dict(zip(NAMES, (window_texts(), engine_texts(), explanations(), tours()), strict=True))


def window_texts() -> Texts:
    """Return the texts of the window: those that its files mark, and its commands."""
    texts: Texts = {}
    for path, tree in _parsed(ROOT / "gui" / "wayfront_gui"):
        for function in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))):
            for one, many in _marked(function):
                _add(texts, one, path, many)
    commands = ROOT / "gui" / "wayfront_gui" / "model" / "commands.py"
    for command in all_commands():
        for text in filter(None, (command.text, command.hint)):
            _add(texts, text, commands)
    for text in (*(menu.title for menu in MENUS.values()), *(section.title for section in all_sections())):
        _add(texts, text, commands)
    return texts


def engine_texts() -> Texts:
    """Return what the engine declares, and the sentences that its errors and steps are made from."""
    texts: Texts = {}
    for file, text in _declared():
        _add(texts, text, ROOT / "engine" / "wayfront" / file)
    for path, tree in _parsed(ROOT / "engine" / "wayfront"):
        if not SILENT & set(path.parts):
            for text in (text for node in ast.walk(tree) for text in _said(node)):
                _add(texts, text, path)
        if path.parent.name == ALGORITHMS:
            for text in _titles(tree):
                _add(texts, text, path)
    return texts


def _titles(tree: ast.Module) -> Iterator[str]:
    """Return the titles in an algorithm's file: those that it names, and those given to calls of ``HOLDING``."""
    found = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") != "PAPER"
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            found += node.args if name in HOLDING else []
    for value in (each for node in found for each in (node.elts if isinstance(node, ast.Tuple) else [node])):
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and TITLE.fullmatch(value.value):
            yield value.value


def _declared() -> Iterator[tuple[str, str]]:
    """Return the declared names, summaries and helps of the engine, each with the file that it belongs to."""
    for declared in algorithms():
        family = declared.family[:1].upper() + declared.family[1:]
        for text in (declared.title, family, declared.kind, declared.summary, *declared.phases):
            yield "searching/registry.py", text
        for option in declared.options:
            choices = [choice for choice in option.choices if isinstance(choice, str) and WORDS.search(choice)]
            units = [option.unit, option.unit.removesuffix("s")] if WORDS.search(option.unit) else []
            for text in (option_title(option.name), option.help, *units, *choices):
                yield "searching/registry.py", text
    for text in MODES:
        yield "trace/schema.py", text
    for text in METRICS:
        yield "network/road_network.py", text
    for text in TEXTS:
        yield "results/directions.py", text
    for label in (*(each.label for each in formats()), *(each.label for each in NETWORK_TYPES.values())):
        yield "formats/registry.py", label
    said = (each.metadata[kind] for each in (*fields(OsmOptions), *fields(TurnCosts)) for kind in ("label", "hint"))
    yield from (("formats/options.py", text) for text in (*said, *SIDES.values(), *COUNTRIES.values()))
    for example in EXAMPLES:
        yield "examples.py", example.title
        yield "examples.py", example.source
    yield "file_schema.py", HEADER
    for generator in names():
        yield "synthetic/generators.py", generator.summary
    for entry in CATALOGUE:
        yield "sources/catalogue.py", entry.title


def explanations() -> Texts:
    """Return the texts of all explanations; sources are cited as they are printed."""
    texts: Texts = {}
    for path in sorted((ROOT / "assets" / "explanations").glob("*.toml")):
        values = tomllib.loads(path.read_text("utf-8"))
        values.pop("sources")
        for piece in values["code"]:
            for line in piece.pop("lines").splitlines():
                _add_words(texts, line.strip(), path)
            piece.clear()
        for text in _leaves(values):
            _add_words(texts, text, path)
    return texts


def tours() -> Texts:
    """Return the texts of all tours, as they are read."""
    texts: Texts = {}
    for path in sorted((ROOT / "assets" / "tours").glob("*.toml")):
        lesson = read_lesson(path)
        _add_words(texts, lesson.title, path)
        _add_words(texts, lesson.about, path)
        for moment in lesson.moments:
            asked = moment.question
            said = () if asked is None else (asked.text, *asked.choices, asked.answer)
            for text in (moment.title, moment.text, *said):
                _add_words(texts, text, path)
    return texts


def _leaves(values: Any) -> Iterator[str]:
    """Return all texts in tables and lists, as the reader of explanations joins their lines."""
    if isinstance(values, str):
        yield " ".join(values.split())
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from _leaves(value)
    elif isinstance(values, list):
        for value in values:
            yield from _leaves(value)


def _parsed(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        if path.parent.name == ALGORITHMS or any(
            word in text for word in TELLTALES
        ):  # most files say nothing to anybody
            yield path, ast.parse(text)


def _marked(function: ast.AST) -> Iterator[tuple[str, str]]:
    """Return the texts that are marked in a function, each with its plural, "" without one.

    A mark takes a literal, an ``a if b else c`` of literals, or a local variable that has been given such.
    """
    known = _given(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            forms = [_literals(argument, known) for argument in node.args[: 2 if node.func.id == "plural" else 1]]
            yield from zip(*forms, strict=False) if len(forms) == 2 else ((text, "") for text in forms[0])


def _given(function: ast.AST) -> dict[str, list[str]]:
    """Return the literals that each local variable of a function is given, in the order of its lines."""
    given: dict[str, list[str]] = {}
    if isinstance(function, ast.FunctionDef):
        for node in (each for each in ast.walk(function) if isinstance(each, ast.Assign)):
            target, value = node.targets[0], node.value
            pairs: Iterable[tuple[ast.expr, ast.expr]] = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=False)
            for name, text in pairs:
                if isinstance(name, ast.Name):
                    given.setdefault(name.id, []).extend(_literals(text, {}))
    return given


def _literals(node: ast.expr, known: Mapping[str, list[str]]) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if node.value else []
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body, known), *_literals(node.orelse, known)]
    return known.get(node.id, []) if isinstance(node, ast.Name) else []


def _said(node: ast.AST) -> Iterator[str]:
    """Return what a statement or a call of the engine says to a person."""
    said: list[ast.expr] = []
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        said = node.exc.args
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in DOING and node.args:
            yield from filter(WORDS.search, (_sentence(node.args[0]),))
        elif name in SAYING or name.endswith("Error"):
            said = [*node.args, *(word.value for word in node.keywords if word.arg in ("reason", "mode", "phase"))]
    elif isinstance(node, ast.Assign) and any(getattr(target, "id", "") in REASONS for target in node.targets):
        said = [node.value]
    elif isinstance(node, ast.FunctionDef) and node.name.startswith("describe_"):
        said = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value is not None]
    for text in map(_sentence, said):
        if (
            " " in text.strip() and len(WORDS.findall(re.sub(r"\{\w+\}", "", text))) > 1
        ):  # the others are keys and names
            yield text


def _sentence(node: ast.expr) -> str:
    """Return the text of a literal or of an f-string, with names for its fields; "" for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        names: dict[str, str] = {}
        return "".join(
            str(part.value).replace("{", "(").replace("}", ")")
            if isinstance(part, ast.Constant)
            else "{" + _field(part, names) + "}"
            for part in node.values
        )
    return ""


def _field(part: ast.expr, names: dict[str, str]) -> str:
    """Return a name for a field, after the variable it shows; another name for another value."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    shown = ast.dump(value)
    if shown not in names:
        words = [getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(value)]
        name = next((word for word in words if word), "value").strip("_").lower()
        names[shown] = name if name not in names.values() else f"{name}{len(names) + 1}"
    return names[shown]


def _add(texts: Texts, text: str, path: Path, many: str = "") -> None:
    place = path.relative_to(ROOT).as_posix()
    entry = texts.setdefault(text, Entry(text, many))
    entry.plural = entry.plural or many
    if place not in entry.notes:
        entry.notes += (place,)


def _add_words(texts: Texts, text: str, path: Path) -> None:
    if WORDS.search(text):
        _add(texts, text, path)


def up_to_date(texts: Texts, known: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a catalogue: every text of the program, with the translation that is known of it."""
    forms = {entry.text: (entry.forms, entry.flags) for entry in known}
    return [Entry(e.text, e.plural, *_kept(e, forms)) for e in texts.values()]


def _kept(entry: Entry, forms: Mapping[str, tuple[tuple[str, ...], frozenset[str]]]) -> tuple[Any, ...]:
    translation, flags = forms.get(entry.text, (("",), frozenset()))
    return translation, entry.notes, flags


def written(header: str, entries: Iterable[Entry]) -> str:
    """Return a catalogue as its file holds it."""
    return "\n".join([header.rstrip("\n") + "\n", *map(_lines, entries)])


def _lines(entry: Entry) -> str:
    lines = [f"#: {note}" for note in entry.notes]
    if entry.flags:
        lines.append(f"#, {', '.join(sorted(entry.flags))}")
    lines.append(f"msgid {_quoted(entry.text)}")
    if entry.plural:
        lines.append(f"msgid_plural {_quoted(entry.plural)}")
        lines += [f"msgstr[{number}] {_quoted(form)}" for number, form in enumerate(entry.forms)]
    else:
        lines.append(f"msgstr {_quoted(entry.forms[0])}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def main() -> int:
    """Bring all catalogues up to date; return 1 where a text is not translated."""
    missing = 0
    gathered = gather()
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        header = (folder / "window.po").read_text("utf-8").partition("\n\n")[0]
        # A text may have moved from one file to another: its translation goes with it.
        known = [entry for path in sorted(folder.glob("*.po")) for entry in read_entries(path)[1]]
        for name, texts in gathered.items():
            entries = up_to_date(texts, known)
            (folder / f"{name}.po").write_text(written(header, entries), "utf-8")
            left = sum(not entry.done for entry in entries)
            missing += left
            print(f"{folder.name}/{name}.po: {len(entries)} texts, {left} not translated")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
