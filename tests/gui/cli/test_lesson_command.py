"""``wayfront lesson`` lists tours, writes handouts, and refuses what it cannot write before anything is searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import Command
from lessons import TWO_IN_STEP
from wayfront_gui.model.tours import TOURS

pytestmark = pytest.mark.usefixtures("qapp")  # else the command starts a Qt without widgets, which later tests find


def test_a_lesson_is_handed_out_and_what_cannot_be_written_is_said(wayfront: Command, tmp_path: Path) -> None:
    lesson, handout = tmp_path / "two.toml", tmp_path / "two.pdf"
    lesson.write_text(TWO_IN_STEP, encoding="utf-8")
    outcome = wayfront("lesson", lesson, "-o", handout)
    assert outcome.code == 0 and "handout written to" in outcome.err + outcome.out, outcome.err
    assert handout.read_bytes().startswith(b"%PDF")
    for given, said in (
        (("nothing", "-o", handout), "there is no tour 'nothing'"),
        ((lesson, "-o", tmp_path / "two.doc"), "two.doc"),
        ((tmp_path / "none.toml", "-o", handout), "none.toml"),
    ):
        outcome = wayfront("lesson", *given)
        assert outcome.code != 0 and said in outcome.err, outcome.err
    listed = wayfront("lesson")
    assert listed.code == 0 and all(name in listed.out for name in TOURS)
