"""The catalogues of all languages: no text of the program is missing, none is left over, all fields are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import catalogues
from wayfront_gui.app.commands import MENUS, without_key
from wayfront_gui.app.window import all_commands
from wayfront_gui.ui.translation import LANGUAGES, Entry, read_entries

FIELD = re.compile(r"\{\w*(?::[^{}]*)?\}")
LANGUAGE = [code for code in LANGUAGES if code != "en"]


@pytest.fixture(scope="module")
def gathered() -> dict[str, catalogues.Texts]:
    return catalogues.gather()


def entries(language: str, name: str) -> list[Entry]:
    return read_entries(catalogues.FOLDER / language / f"{name}.po")[1]


@pytest.mark.parametrize("language", LANGUAGE)
def test_a_catalogue_has_the_texts_of_the_program_and_all_are_translated(
    language: str, gathered: dict[str, catalogues.Texts]
) -> None:
    """``python tools/catalogues.py`` brings it up to date."""
    for name, texts in gathered.items():
        known = entries(language, name)
        assert {entry.text for entry in known} == set(texts), "run tools/catalogues.py"
        assert [entry.text for entry in known if not entry.done] == []
        assert {entry.text: entry.plural for entry in known} == {text: entry.plural for text, entry in texts.items()}


@pytest.mark.parametrize("language", LANGUAGE)
def test_a_translation_has_the_fields_of_its_text_with_their_formats(
    language: str, gathered: dict[str, catalogues.Texts]
) -> None:
    for name in gathered:
        for entry in entries(language, name):
            fields = set(FIELD.findall(entry.text)) | set(FIELD.findall(entry.plural))
            for form in entry.forms:
                assert set(FIELD.findall(form)) == fields, entry.text


@pytest.mark.parametrize("language", LANGUAGE)
def test_an_entry_of_a_menu_keeps_its_key(language: str) -> None:
    """Where a language is not written in letters, the key stands in brackets behind the text."""
    of_text = {entry.text: entry.forms[0] for entry in entries(language, "window")}
    commands = all_commands()
    for text in (*(command.text for command in commands), *MENUS.values()):
        key, kept = (re.findall(r"&(\w)", each) for each in (text, of_text[text]))
        assert [letter.upper() for letter in key] == [letter.upper() for letter in kept], text
        assert "&" not in without_key(of_text[text])


def test_texts_are_gathered_from_literals_choices_and_variables(tmp_path: Path) -> None:
    tree = ast.parse(
        "def f(a):\n"
        "    one, many = 'a road', 'roads'\n"
        "    text = 'yes' if a else 'no'\n"
        "    return translated(text), plural(one, many, a), marked('x' if a else 'y'), translated(a.text)\n"
    )
    assert list(catalogues._marked(tree.body[0])) == [
        ("yes", ""),
        ("no", ""),
        ("a road", "roads"),
        ("x", ""),
        ("y", ""),
    ]


def test_sentences_of_the_engine_have_named_fields() -> None:
    raised = ast.parse("raise FormatError(f'node {self.node!r} lies at {x:,}, {y}, not at {x:,}', path)")
    assert list(catalogues._said(raised.body[0])) == ["node {node} lies at {x}, {y}, not at {x}"]


def test_what_is_translated_is_kept_and_what_is_gone_is_left_out() -> None:
    texts = {"new": Entry("new"), "kept": Entry("kept", notes=("a.py",))}
    known = [Entry("kept", forms=("bleibt",), flags=frozenset({"fuzzy"})), Entry("gone", forms=("weg",))]
    found = catalogues.up_to_date(texts, known)
    assert [(entry.text, entry.forms, entry.notes) for entry in found] == [
        ("new", ("",), ()),
        ("kept", ("bleibt",), ("a.py",)),
    ]
    assert catalogues.written('msgid ""\nmsgstr ""\n', found) == (
        'msgid ""\nmsgstr ""\n\nmsgid "new"\nmsgstr ""\n\n#: a.py\n#, fuzzy\nmsgid "kept"\nmsgstr "bleibt"\n'
    )
