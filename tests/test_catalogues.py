"""The catalogues of all languages: they have the texts of the program, and every translation all fields of its text."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import pytest

import catalogues
from wayfront_gui.app.commands import MENUS
from wayfront_gui.app.window import all_commands
from wayfront_gui.ui.translation import LANGUAGES, Entry, read_entries, without_key

FIELD = re.compile(r"\{\w*(?::[^{}]*)?\}")
LANGUAGE = [code for code in LANGUAGES if code != "en"]


@pytest.fixture(scope="module")
def gathered() -> dict[str, catalogues.Texts]:
    return catalogues.gather()


def entries(language: str, name: str) -> list[Entry]:
    return read_entries(catalogues.FOLDER / language / f"{name}.po")[1]


@pytest.mark.parametrize("language", LANGUAGE)
def test_a_catalogue_has_the_texts_of_the_program(language: str, gathered: dict[str, catalogues.Texts]) -> None:
    """Whoever changes an English text need not know Japanese: what lacks a translation is a warning here.

    A release needs all of them: ``python tools/catalogues.py`` ends with 1 while some are missing.
    """
    for name, texts in gathered.items():
        known = {entry.text: entry for entry in entries(language, name)}
        assert known.keys() & texts.keys(), "a catalogue of another program"
        for text in known.keys() & texts.keys():
            assert known[text].plural == texts[text].plural
        lacking = [text for text in texts if text not in known or not known[text].done]
        if lacking or known.keys() - texts.keys():
            warnings.warn(f"texts without a translation, or without use: {language}/{name}.po, {lacking}", stacklevel=1)


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
    of_text = {entry.text: entry.forms[0] for entry in entries(language, "window") if entry.done}
    shown = {*(command.text for command in all_commands()), *(menu.title for menu in MENUS.values())} & of_text.keys()
    assert len(shown) > 100
    for text in shown:
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
