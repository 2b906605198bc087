"""A lesson is played: conditions, figures, markup, questions and predictions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from lessons import EVERY_KIND, QUIZ, TWO_IN_STEP
from there import there
from wayfront.network.finding import node_called
from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result, RouteResult
from wayfront.safe.errors import FormatError
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.lessons import export as lesson_film
from wayfront_gui.features.lessons.conditions import FORMS, NeverError, When, step_of
from wayfront_gui.features.lessons.export import write_handout, write_lesson_film
from wayfront_gui.features.lessons.file import Lesson, moment_text, parse_lesson
from wayfront_gui.features.lessons.markup import LIST, PARAGRAPH, to_html, to_line
from wayfront_gui.features.lessons.play import LessonPlay, Staged, Verdict, judge, next_nodes, stage

HEAD = 'kind = "wayfront lesson"\ntitle = "T"\n'


def staged(lesson: Lesson) -> list[Staged]:
    return list(stage(lesson, lambda _stage, _share: None, Event()))


@pytest.fixture(scope="module")
def quiz() -> list[Staged]:
    return staged(parse_lesson(QUIZ, Path("quiz.toml")))


def test_a_lesson_is_searched_moment_by_moment(quiz: list[Staged]) -> None:
    first, second, third = quiz
    assert first.result is second.result
    assert (first.step, second.step) == (1, 2)
    assert (first.figures["relaxations"], third.figures["relaxations"]) == (9, 13)
    assert second.names == ("B",)  # settled in the order A, C, D, B, E


def test_texts_have_the_figures_of_this_moment_and_of_those_before(quiz: list[Staged]) -> None:
    play = LessonPlay()
    lesson = parse_lesson(QUIZ, Path("quiz.toml"))
    play.open(lesson)
    assert "step … of …" in play.filled(lesson.moments[0].text), "nothing is known yet"
    for index, each in enumerate(quiz):
        play.go_to(index)
        play.take_figures(each.figures, each.expected, each.names)
    assert play.filled(lesson.moments[1].text) == "Of 9"
    assert play.filled(lesson.moments[2].text) == "1.4 times as many"
    play.go_to(0)
    assert "step 2 of 5" in play.filled(lesson.moments[0].text)
    assert "$d_C ≤ d_B$" in play.filled(lesson.moments[0].text)
    question = there(lesson.moments[0].question)
    assert play.filled(question.answer) == "9, as there are arcs"


def test_the_next_key_shows_the_answer_first(quiz: list[Staged]) -> None:
    play, seen = LessonPlay(), list[int]()
    play.moment_changed.connect(lambda: seen.append(play.index))
    play.open(parse_lesson(QUIZ, Path("quiz.toml")))
    play.next()
    assert [play.index, play.revealed] == [0, True]
    play.choose(0)
    answered = play.chosen
    play.next()
    assert [play.index, play.revealed, answered, play.chosen] == [1, False, 0, None]
    play.take_figures(quiz[1].figures, quiz[1].expected, quiz[1].names)
    (wanted,) = quiz[1].expected
    play.pick(wanted)
    play.pick(wanted)
    play.pick(0)
    before = play.verdict
    play.next()
    assert (before, play.verdict) == (None, Verdict((), (0,), (wanted,)))
    play.pick(wanted)
    assert play.picked == {0}, "once it is shown nothing more is picked"
    play.next()
    play.next()
    assert play.index == 2
    play.back()
    play.back()
    play.back()
    assert play.index == 0
    play.open(None)
    assert (play.moment, play.count, play.asks) == (None, 0, False)
    assert seen == [0, 1, 2, 1, 0, 0]


def test_right_wrong_and_missed_are_told_apart() -> None:
    assert judge((1, 2, 3), (2, 9)) == Verdict((2,), (9,), (1, 3))
    assert judge((1,), (1,)).perfect


def test_what_comes_next_is_the_next_frontier(result: Result) -> None:
    assert result.trace is not None
    last = len(result.trace) - 1
    assert next_nodes(result.trace, 0) == tuple(sorted(int(node) for node in result.trace.frontier(1)))
    assert next_nodes(result.trace, last) == ()
    assert next_nodes(None, 0) == ()


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("first step", 0),
        ("last step", 10),
        ("tree", 10),
        ("step 3", 2),
        ("bucket 4 opens", 4),
        ("node 130 is reached", 0),
        ("node 130 is settled", 0),
        ("node 130 is expanded", 0),
        ("100 % of the nodes are reached", 10),
        ("0 % of the nodes are reached", 0),
        ("distance 0 is settled", 0),
        ("the frontier is widest", 0),
    ],
)
def test_a_condition_finds_its_step(text: str, step: int, result: Result) -> None:
    assert step_of(When.parse(f"  {text} "), [result]) == step


@pytest.mark.parametrize(
    "text",
    ["step 99", "bucket 99 opens", "node 208 is reached", "distance 999999999 is settled", "the mode changes",
     "node 208 is expanded", "phase of the moon begins", "phase of the moon ends"],
)  # fmt: skip
def test_what_never_happens_is_said(text: str, result: Result) -> None:
    with pytest.raises(NeverError):
        step_of(When.parse(text), [result])


def test_what_is_before_the_first_step_is_a_moment_of_small_graphs(result: Result) -> None:
    lesson = parse_lesson(QUIZ.replace("node C is settled", "before the first step"), Path("quiz.toml"))
    first = staged(lesson)[0]
    assert first.step == -1
    assert {first.figures[name] for name in ("step", "tried", "frontier")} == {0} and first.figures["reached"] == 1
    assert first.names == ("A",)
    larger = replace(result, trace=replace(there(result.trace), tentative=None))
    with pytest.raises(NeverError, match="small graphs"):
        step_of(When.parse("before the first step"), [larger])


def test_every_form_of_a_condition_is_read() -> None:
    for form in FORMS:
        assert When.parse(re.sub(r"\b[NXP]\b", "7", form)).form == form
    with pytest.raises(ValueError, match="there are: before the first step"):
        When.parse("whenever")


def test_a_moment_that_cannot_be_shown_names_file_and_line() -> None:
    for change, said in (
        (("node C is settled", "node Q is settled"), "no node called 'Q'"),
        (("node C is settled", "bucket 3 opens"), "opens bucket 3"),
        (("example:paper-e", "example:nothing"), "no example"),
    ):
        with pytest.raises(FormatError, match=r"^quiz.toml:7: ") as refused:
            staged(parse_lesson(QUIZ.replace(*change), Path("quiz.toml")))
        assert said in str(refused.value)


def test_two_searches_are_in_step_without_the_roads_that_are_closed() -> None:
    lesson = parse_lesson(TWO_IN_STEP, Path("two.toml"))
    first, second, third = staged(lesson)
    assert [result.algorithm for result in first.results] == ["dijkstra-heap", "bellman-ford-v3"]
    assert (second.results, len(third.results)) == (first.results, 1)
    network = first.result.network
    a, c = node_called(network, "A"), node_called(network, "C")
    for result in first.results:
        (closed,) = result.closures.tolist()
        assert (int(network.tails()[closed]), int(network.targets[closed])) == (a, c)
    without, closed_too = third.result, first.result
    assert isinstance(without, Result) and isinstance(closed_too, Result)
    assert not len(without.closures) and without.distances[c] < closed_too.distances[c]
    again = parse_lesson(HEAD + moment_text(lesson.moments[0]), Path("two.toml")).moments[0]
    assert replace(again, line=0) == replace(lesson.moments[0], line=0)
    for change, said in (
        (('"bellman-ford-v3"', '"floyd-warshall"'), "^two.toml:8: a search for all pairs is shown alone"),
        (('[["A", "C"]]', '[["A"]]'), "^two.toml:10: closed is a list"),
        (('[["A", "C"]]', '[["C", "A"]]'), "^two.toml:5: no arc of"),
    ):
        with pytest.raises(FormatError, match=said):
            staged(parse_lesson(TWO_IN_STEP.replace(*change), Path("two.toml")))


def test_every_kind_of_search_is_a_moment() -> None:
    lesson = parse_lesson(EVERY_KIND, Path("kinds.toml"))
    race, after, alone, before, pivot, sampled = staged(lesson)
    assert [result.algorithm for result in race.results] == [
        *("a-star", "bidirectional", "delta-stepping", "dijkstra-to-target")
    ]
    assert race.results[2].options["delta"] == 70
    network = race.result.network
    for result in (*race.results, alone.result):
        if isinstance(result, RouteResult):
            assert network.node_name(result.target) == "Bucharest" and result.distance == 418
    assert (race.step, race.names) == (1, ("Fagaras",)), "Arad, Sibiu, and then what is nearer to the target"
    play = LessonPlay()
    play.open(lesson)
    play.take_figures(race.figures, race.expected, race.names)
    assert play.filled(lesson.moments[0].text) == "2 of 2 to Bucharest, 418.0 km"
    longest = max(len(result.trace) for result in race.results if result.trace is not None)
    assert after.step == longest - 1 and after.results == race.results
    shown = [len(each.results) for each in (race, after, alone, before, pivot, sampled)]
    assert (alone.result.algorithm, shown) == ("bidirectional", [4, 4, 1, 1, 1, 1])
    assert alone.ends.target is not None and network.node_name(alone.ends.target) == "Bucharest"
    assert race.figures["time"] != race.figures["time"] and float(alone.figures["time"]) > 0, "only what is said"
    assert (before.step, before.names, pivot.step) == (-1, ("A",), 2)
    assert isinstance(sampled.result, PairsResult) and len(sampled.result.sources) == 3
    for moment in lesson.moments:
        again = parse_lesson(HEAD + moment_text(moment).replace("{race.", "{"), Path("kinds.toml")).moments[0]
        assert (again.search, again.when, again.marks) == (moment.search, moment.when, moment.marks)


def test_markup_is_shown_and_nothing_else_is_obeyed() -> None:
    html = to_html("Two *words* and\n**more**.\n\n- `a < b`\n- $d_{uv} ≤ \\infty^2$\n  <img src=x>\n\n$\\nothing$")
    assert html == (
        f"{PARAGRAPH}Two <i>words</i> and <b>more</b>.</p>"
        f"{LIST}<li><code>a &lt; b</code></li>"
        "<li><i>d</i><sub><i>uv</i></sub> ≤ ∞<sup>2</sup> &lt;img src=x&gt;</li></ul>"
        f"{PARAGRAPH}\\nothing</p>"
    )
    assert to_line("*a* < b\x1b") == "<i>a</i> &lt; b\\x1b"


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
