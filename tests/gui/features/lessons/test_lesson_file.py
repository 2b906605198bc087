"""Lessons are read, checked and written; errors name file and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lessons import QUIZ
from wayfront.safe.errors import FormatError
from wayfront.safe.tables import key_lines, line_of
from wayfront_gui.app.panels import all_sections
from wayfront_gui.features.lessons.file import (
    PANELS,
    Marks,
    append_moment,
    is_tour,
    lessons_in,
    moment_text,
    new_lesson,
    parse_lesson,
    read_lesson,
    replace_moment,
    tour_path,
)
from wayfront_gui.features.lessons.tours import TOURS

HEAD = 'kind = "wayfront lesson"\ntitle = "T"\n[[moment]]\n'


def test_a_moment_keeps_what_it_does_not_say() -> None:
    lesson = parse_lesson(QUIZ, Path("quiz.toml"))
    first, second, third = lesson.moments
    assert (lesson.title, lesson.by, lesson.names) == ("A quiz", "A teacher", {"first": 0})
    assert first.marks == Marks(("C", "D"), (("A", "C"),), "D")
    assert first.question is not None
    assert (first.question.choices, first.question.right) == (("8", "9"), 1)
    assert second.search == first.search
    assert second.marks == Marks()
    assert second.predict
    assert third.search.algorithm == "bellman-ford-v3"
    assert third.search.source == "A"
    assert third.when.finished


def test_the_cells_of_a_moment_are_read_and_written() -> None:
    (moment,) = parse_lesson(f"{HEAD}cells = 3\n", Path("a.toml")).moments
    assert moment.marks == Marks(cells=3)
    head = HEAD.removesuffix("[[moment]]\n")
    assert parse_lesson(head + moment_text(moment), Path("a.toml")).moments[0].marks == moment.marks
    assert read_lesson(tour_path("cut-fold-sweep")).moments[0].marks.cells == 3


def test_another_network_keeps_neither_source_nor_step_and_another_search_begins_anew() -> None:
    text = QUIZ + '[[moment]]\nnetwork = "example:detours"\n[[moment]]\nwhen = "step 2"\n[[moment]]\n'
    *_, other, later, same = parse_lesson(text, Path("a.toml")).moments
    assert (other.search.source, other.when.text) == (None, "first step")
    assert later.when == same.when


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("kind = 1\n", 1, "kind is a text"),
        ('title = "T"\n', 1, "kind is missing"),
        ('kind = "wayfront lesson"\nversion = 9\n', 2, "version 1"),
        ('kind = "wayfront lesson"\ntitle = "T"\nmoment = 3\n', 3, "moment is a list"),
        ('kind = "wayfront lesson"\ntitle = "T"\n', 1, "1 to 500 moments"),
        (f"{HEAD}\n\ntitel = 'x'\n", 6, "no key 'titel'"),
        (f"{HEAD}algorithm = 'fastest'\n", 4, "there is no algorithm 'fastest'"),
        (f"{HEAD}algorithm = 'floyd-warshall'\nbeside = 'near-far'\n", 5, "shown alone"),
        (f"{HEAD}algorithm = 'a-star'\n", 4, "name its target"),
        (f"{HEAD}algorithm = 'near-far'\nbeside = ['a-star']\n", 5, "name its target"),
        (f"{HEAD}algorithm = 'near-far'\ntarget = 5\n", 5, "near-far finds one tree"),
        (f"{HEAD}algorithm = 'near-far'\nsample = 5\n", 5, "sample belongs to"),
        (f"{HEAD}beside = ['near-far', 3]\n", 4, "or a table such as"),
        (f"{HEAD}beside = [{{ algorithm = 'near-far', delta = 3 }}]\n", 4, "or a table such as"),
        (f"{HEAD}beside = [{{ algorithm = 'near-far', options = {{ delta = 0 }} }}]\n", 4, "delta"),
        (f"{HEAD}beside = {['near-far'] * 6}\n", 4, "6 searches"),
        (f"{HEAD}text = '{{2.steps}}'\n", 4, "no figure {2.steps}"),
        (f"{HEAD}algorithm = 'near-far'\noptions = {{ delta = 0 }}\n", 5, "delta"),
        (f"{HEAD}options = {{ delta = 4 }}\n", 4, "name it"),
        (f"{HEAD}text = '''\n\n\n'''\nwhen = 'soon'\n", 8, "there are: before the first step, first step"),
        (f"{HEAD}text = '{{stepps}}'\n", 4, "no figure {stepps}"),
        (f"{HEAD}text = '{{{'9' * 4000}}}'\n", 4, f"no figure {{{'9' * 40}…}}"),
        (f"{HEAD}text = '{{later.steps}}'\n[[moment]]\nname = 'later'\n", 4, "no figure {later.steps}"),
        (f"{HEAD}name = 'Two words'\n", 4, "small letters"),
        (f"{HEAD}view = [1, 2, 3]\n", 4, "west, south, east and north"),
        (f"{HEAD}view = [3, 2, 1, 4]\n", 4, "from west to east"),
        (f"{HEAD}nodes = [\n  1,\n  true,\n]\n", 4, "a node is its id"),
        (f"{HEAD}arcs = [[1]]\n", 4, "pairs of nodes"),
        (f"{HEAD}cells = 31\n", 4, "number of cuts from 0 to 30"),
        (f"{HEAD}panels = ['threads of fate']\n", 4, "no panel"),
        (f"{HEAD}answer = 'x'\n", 4, "belongs to a question"),
        (f"{HEAD}question = 'x'\nchoices = ['a', 'b']\nright = 3\n", 6, "among the choices"),
        (f"{HEAD}question = 'x'\nchoices = ['a', 'b']\n", 1, "among the choices"),
        (f"{HEAD}when = 'tree'\npredict = true\n", 5, "nothing comes after"),
        (f"{HEAD}title = \n", 4, "the file is no TOML"),
        (f"{HEAD}view = [1, 2, 3, {'9' * 5000}]\n", 4, "the file holds a number of thousands of digits"),
        (f"{HEAD}view = [1, 2, 3, {'9' * 400}]\n", 4, "view[3] in the file is a number of about 400 digits"),
        (f"{HEAD}view = [1, 2, 3, inf]\n", 4, "view[3] in the file is inf"),
        (f"{HEAD}title = 0x{'f' * 5000}\n", 4, "title in the file is a number of about 6,021 digits"),
        (f"{HEAD}title = {'[' * 60}{']' * 60}\n", 4, "nested too deeply"),
        (f"{HEAD}title = ['{'x' * 5000}']\n", 4, "title is a text, not a list"),
        (f"{HEAD}panels = [['{'x' * 5000}']]\n", 4, "there is no panel a list"),
        (f"{HEAD}algorithm = 'near-far'\noptions = {{ delta = '{'x' * 5000}' }}\n", 5, "'xxx"),
        (HEAD + "a = " + "[" * 20_000, 1, ""),
    ],
)
def test_a_mistake_is_refused_with_its_line(text: str, line: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as refused:
        read_lesson(path)
    assert said in refused.value.problem
    assert len(refused.value.problem) < 1500
    assert refused.value.path == path
    if said and line > 1:
        assert refused.value.line == line


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b'title = "T"\n\xff')
    with pytest.raises(FormatError, match=r"a\.toml:2: the text is not UTF-8"):
        read_lesson(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(FormatError, match="at most"):
        read_lesson(tmp_path / "b.toml")


def test_lines_of_keys_are_found_behind_strings_arrays_and_tables() -> None:
    text = 'a = """x\n[[no]]\n"""\n"b c".d = [1, # ]\n 2]\n[[m]]\nx = \'[\'\n[m.y]\nz = {p = 1}\n[[m]]\nx = 2'
    lines = key_lines(text)
    assert lines[("a",)] == 1
    assert lines[("b c", "d")] == 4
    assert (lines[("m", 0)], lines[("m", 0, "x")], lines[("m", 0, "y", "z")]) == (6, 7, 9)
    assert (lines[("m", 1)], lines[("m", 1, "x")]) == (10, 11)
    assert line_of(lines, ("m", 0, "y", "z", "p")) == 9
    assert line_of(lines, ("nothing",)) is None


def test_what_is_written_is_read_again_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(QUIZ, encoding="utf-8")
    first, second, third = read_lesson(path).moments
    for moment in (third, second):
        append_moment(read_lesson(path), moment)
    text = path.read_text("utf-8")
    assert text.startswith(QUIZ.rstrip())
    found = read_lesson(path).moments
    assert [m.search for m in found[3:]] == [third.search, second.search]
    assert [(m.when, m.text, m.predict) for m in found[3:]] == [(m.when, m.text, m.predict) for m in (third, second)]
    made = new_lesson('A "new" one\\', first, tmp_path / "new.toml")
    assert made == read_lesson(tmp_path / "new.toml")
    (again,) = made.moments
    assert moment_text(again) == moment_text(first)
    assert (again.search, again.marks, again.question, again.text) == (
        first.search,
        first.marks,
        first.question,
        first.text,
    )


def test_tours_have_their_titles_and_panels_are_those_of_the_window() -> None:
    for name, title in TOURS.items():
        tour = read_lesson(tour_path(name))
        assert (tour.title, is_tour(tour.path)) == (title, True)
        assert tour.about
    assert {path.stem for path in lessons_in(tour_path("dijkstras-ball").parent)} == set(TOURS)
    assert set(PANELS) <= {section.name for section in all_sections()}
    assert lessons_in("/no/such/folder") == []
    with pytest.raises(KeyError):
        tour_path("../city")


def test_a_moment_is_written_anew_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "quiz.toml"
    path.write_text(QUIZ.replace("\n[[moment]]\nwhen", "\n# the second one\n[[moment]]\nwhen"), encoding="utf-8")
    lesson = read_lesson(path)
    changed = replace_moment(lesson, 0, replace(lesson.moments[0], title="Other", text="One\n\nTwo"))
    assert [moment.title for moment in changed.moments] == ["Other", "", ""]
    assert [replace(m, line=0) for m in changed.moments[1:]] == [replace(m, line=0) for m in lesson.moments[1:]]
    assert replace(changed.moments[0], line=0, title="", text="") == replace(
        lesson.moments[0], line=0, title="", text=""
    )
    assert "\n# the second one\n[[moment]]\nwhen" in path.read_text(encoding="utf-8")
    last = replace_moment(changed, 2, replace(changed.moments[2], text="Last"))
    assert last.moments[2].text == "Last"
    with pytest.raises(FormatError, match="changed meanwhile"):
        replace_moment(changed, 0, lesson.moments[0])
