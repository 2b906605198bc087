"""Handout and film of a lesson are written, and opened again."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from lessons import EVERY_KIND, QUIZ
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.lessons import export as lesson_film
from wayfront_gui.features.lessons.export import write_handout, write_lesson_film
from wayfront_gui.features.lessons.file import Lesson, parse_lesson

REPORT = Report(Event(), lambda _stage, _share: None, lambda _found: None)


@pytest.fixture(params=[QUIZ, EVERY_KIND], ids=["quiz", "every kind"])
def lesson(request: pytest.FixtureRequest) -> Lesson:
    return parse_lesson(request.param, Path("lesson.toml"))


@pytest.mark.usefixtures("qapp")
def test_a_handout_has_all_moments_and_its_answers(lesson: Lesson, tmp_path: Path) -> None:
    write_handout(lesson, "paper", tmp_path / "lesson.pdf", REPORT)
    content = (tmp_path / "lesson.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") == {3: 2, 6: 5}[len(lesson.moments)]


@pytest.mark.usefixtures("qapp")
def test_a_film_of_a_lesson_is_opened_again(lesson: Lesson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    av = pytest.importorskip("av")
    for name in ("STEPS_S", "READING_S", "LEAST_S", "ANSWER_S"):
        monkeypatch.setattr(lesson_film, name, 0.1)
    monkeypatch.setattr(lesson_film, "READING_S", 0.01)
    write_lesson_film(lesson, "dark", tmp_path / "lesson.gif", REPORT)
    with av.open(str(tmp_path / "lesson.gif")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert frames[0].shape == (540, 960, 3)
    assert len(frames) >= 8
    assert (frames[0] != frames[-1]).any()
