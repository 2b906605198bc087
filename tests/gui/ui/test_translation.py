"""Texts in another language: looked up with fields and plural forms, and found again in what the engine wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wayfront_gui.resources import asset
from wayfront_gui.ui import translation
from wayfront_gui.ui.translation import (
    Catalogue,
    CatalogueError,
    plural,
    plural_rule,
    read_entries,
    translated,
    translated_message,
)

TEXTS = {
    "Save picture…": ("画像を保存…",),
    "step {step:,} of {steps:,}": ("ステップ {step:,} / {steps:,}",),
    "{count:,} node": ("ノード {count:,} 個",),
    "{name} lies between {low} and {high}, not {value}": ("{name} は {low} から {high} まで。{value} は使えません",),
    "it could not be read": ("読み込めませんでした",),
    "{what} is of no use: {why}": ("{what} は使えません: {why}",),
}


@pytest.fixture
def _japanese() -> Iterator[None]:
    translation.use(Catalogue(TEXTS))
    yield
    translation.use(None)


def test_texts_are_english_by_default() -> None:
    assert translated("Save picture…") == "Save picture…"
    assert translated("step {step:,} of {steps:,}", step=7, steps=2000) == "step 7 of 2,000"
    assert plural("{count:,} node", "{count:,} nodes", 1) == "1 node"
    assert plural("{count:,} node", "{count:,} nodes", 1234) == "1,234 nodes"
    assert translated_message("it could not be read") == "it could not be read"


@pytest.mark.usefixtures("_japanese")
def test_texts_are_looked_up_and_keep_their_numbers() -> None:
    assert translated("Save picture…") == "画像を保存…"
    assert translated("step {step:,} of {steps:,}", step=7, steps=2000) == "ステップ 7 / 2,000"
    assert plural("{count:,} node", "{count:,} nodes", 1234) == "ノード 1,234 個"
    assert translated("A text {number} that nobody translated", number=3) == "A text 3 that nobody translated"
    assert plural("{count} arc", "{count} arcs", 2) == "2 arcs"


@pytest.mark.usefixtures("_japanese")
def test_the_sentence_of_a_message_is_found_with_its_fields() -> None:
    assert translated_message("delta lies between 1 and 9, not 12") == "delta は 1 から 9 まで。12 は使えません"
    assert translated_message("a.gr: it could not be read") == "a.gr: 読み込めませんでした"
    assert translated_message("a.gr is of no use: it could not be read") == "a.gr は使えません: 読み込めませんでした"
    assert translated_message("C: what nobody knows: {x}") == "C: what nobody knows: {x}"


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        ("", {0: 0, 1: 0, 5: 0}),
        ("nplurals=2; plural=(n != 1);", {0: 1, 1: 0, 5: 1}),
        ("nplurals=3; plural=n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2;", {1: 0, 3: 1, 12: 2}),
    ],
)
def test_each_language_has_its_plural_forms(rule: str, forms: dict[int, int]) -> None:
    form_of = plural_rule(rule)
    assert {count: form_of(count) for count in forms} == forms
    catalogue = Catalogue({"{count} node": ("A{count}", "B{count}", "C{count}")}, form_of)
    assert [catalogue.form("{count} node", "{count} nodes", n) for n in forms] == [
        ("A{count}", "B{count}", "C{count}")[form] for form in forms.values()
    ]


def test_a_catalogue_is_read_with_notes_and_plurals(tmp_path: Path) -> None:
    path = tmp_path / "window.po"
    path.write_text(
        'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
        '#: menu\nmsgid "Say \\"yes\\""\nmsgstr ""\n"Sag "\n"\\"ja\\""\n\n'
        '# a remark\nmsgid "{count} node"\nmsgid_plural "{count} nodes"\n'
        'msgstr[0] "{count} Knoten"\nmsgstr[1] "{count} Knoten\\n"\n\n'
        '#, fuzzy\nmsgid "old"\nmsgstr "alt"\n\nmsgid "not yet"\nmsgstr ""\n\n#~ msgid "gone"\n#~ msgstr "weg"\n',
        "utf-8",
    )
    header, entries = read_entries(path)
    assert header["Plural-Forms"] == "nplurals=2; plural=(n != 1);"
    assert [(each.text, each.forms, each.done) for each in entries] == [
        ('Say "yes"', ('Sag "ja"',), True),
        ("{count} node", ("{count} Knoten", "{count} Knoten\n"), True),
        ("old", ("alt",), False),
        ("not yet", ("",), False),
    ]
    assert entries[0].notes == ("menu",)
    catalogue = translation.read_catalogue(tmp_path)
    assert catalogue.text("old") == "old"
    assert catalogue.form("{count} node", "{count} nodes", 2) == "{count} Knoten\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [('msgid "a"\n', 1), ('\nmsgid "a"\nmsgstr b\n', 3), ('"a"\n', 1), ('\n\nmsgstr "b"\n', 3)],
)
def test_a_malformed_catalogue_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "ja.po"
    path.write_text(text, "utf-8")
    with pytest.raises(CatalogueError, match=rf"ja\.po, line {line}:"):
        read_entries(path)


def test_every_language_has_its_texts_and_there_is_no_other() -> None:
    folders = {folder.name for folder in asset(translation.FOLDER).iterdir() if folder.is_dir()}
    assert {"en", *folders} == set(translation.LANGUAGES)
    with pytest.raises(FileNotFoundError):
        translation.use_language("xx")


@pytest.mark.parametrize(
    ("wanted", "spoken"), [(["ja-JP", "en"], "ja"), (["xx", "ja_JP"], "ja"), (["de-CH", "en-GB"], "en"), ([], "en")]
)
def test_the_first_language_of_a_system_that_there_is_is_spoken(wanted: list[str], spoken: str) -> None:
    assert translation.spoken(wanted) == spoken
