"""The page of a lesson: its moments with text and questions, played and answered in a browser. No Qt but for pictures.

What a page cannot play, such as a matrix or the cells of a dissection, is a picture in it. The heading's ``lesson`` has
the moments; texts are lists of texts and of elements, each a list of its tag and what is in it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result, RouteResult
from wayfront_gui.features.flows.page import flows_content
from wayfront_gui.features.flows.state import Asked, FlowsFound
from wayfront_gui.features.lessons.export import extent_of, picture_of, shown_of
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.lessons.markup import to_html, to_line
from wayfront_gui.features.lessons.play import LessonPlay, Staged, closed_by, stage
from wayfront_gui.features.page.content import Content, Opening, map_content
from wayfront_gui.features.page.document import write_content
from wayfront_gui.features.page.several import named, several
from wayfront_gui.features.timing.export import picture_bytes
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.app.jobs import Report
    from wayfront_gui.features.lessons.file import Lesson, Question

PICTURE_WIDTH, PICTURE_HEIGHT, PICTURE_SCALE = 1000, 720, 1.5
Rich = list[Any]


def write_lesson_page(lesson: Lesson, theme: str, path: str | Path, report: Report) -> int:
    """Search every moment, and write the page, which begins in ``theme``; return its size in bytes.

    Raises as ``stage`` and ``write_content`` do.
    """
    return write_content(lesson_content(lesson, theme, report), path)


def lesson_content(lesson: Lesson, theme: str, report: Report) -> Content:
    """Return what a page holds of a lesson. Raises as ``stage`` and ``Content.of`` do."""
    play, searches = LessonPlay(), Searches(lesson, Style(theme), report)
    play.open(lesson)
    moments = []
    for index, each in enumerate(stage(lesson, report.progress, report.cancel)):
        play.go_to(index)
        play.take_figures(each.figures, each.expected, each.names)
        moments.append(_moment(play, each, searches))
    about = " · ".join(filter(None, (translated(lesson.about), lesson.by)))
    told = {"shows": "lesson", "lesson": {"title": translated(lesson.title), "about": about, "moments": moments}}
    return several(searches.contents, searches.roads, told)


def _moment(play: LessonPlay, each: Staged, searches: Searches) -> dict[str, Any]:
    """Return a moment: what is shown, and what is said."""
    moment, network = each.moment, each.result.network
    shown, picture = searches.of(each)
    marks = LessonMarks.of(moment.marks, network, each.step)
    extent, ends = extent_of(each), each.ends
    question = moment.question
    return {
        "title": rich(to_line(play.filled(translated(moment.title)))),
        "text": rich(to_html(play.filled(translated(moment.text)))),
        "searches": shown,
        "picture": picture,
        "step": each.step,
        "finished": moment.when.finished,
        "view": None if extent is None else list(extent),
        "nodes": list(marks.nodes),
        "arcs": [list(arc) for arc in marks.arcs],
        "target": -1 if ends.target is None or isinstance(each.result, RouteResult) else ends.target,
        "code": "explanation" in moment.panels,
        "question": None if question is None else _question(play, question),
        "predict": {"text": play.prediction, "expected": list(play.expected)} if play.predicts else None,
    }


def _question(play: LessonPlay, question: Question) -> dict[str, Any]:
    return {
        "text": rich(to_html(play.filled(translated(question.text)))),
        "answer": rich(to_html(play.filled(translated(question.answer)))),
        "choices": [rich(to_line(translated(choice))) for choice in question.choices],
        "right": question.right,
    }


@dataclass
class Searches:
    """The searches of a lesson's moments, each once; ``roads`` as in ``several``."""

    lesson: Lesson
    style: Style
    report: Report
    contents: list[Content] = field(default_factory=list)
    roads: list[int] = field(default_factory=list)
    _first: dict[str, int] = field(default_factory=dict)
    _known: dict[object, list[int]] = field(default_factory=dict)

    def of(self, each: Staged) -> tuple[list[int], str]:
        """Return the numbers of what a moment shows, or a picture of it as an address, and no numbers."""
        moment, network = each.moment, each.result.network
        marks = LessonMarks.of(moment.marks, network, each.step)
        name = self.lesson.network_of(moment)
        if marks.cells is not None or any(isinstance(result, PairsResult) for result in each.results):
            if not self.contents:  # colours and words of a page are those of its first map
                self._add_map(each, name)
            return [], self._picture(each)
        scenes = [Scene.of_result(result, self.style) for result in each.results if isinstance(result, Result)]
        carries = moment.marks.flows and scenes[0].diagram is None
        key = name, moment.search, carries
        if key not in self._known:
            self._known[key] = [self._flows(each, name)] if carries else self._searched(each, name, scenes)
        return self._known[key], ""

    def _searched(self, each: Staged, name: str, scenes: list[Scene]) -> list[int]:
        results = [result for result in each.results if isinstance(result, Result)]
        titles = named(results)
        numbers = []
        for scene, result, title in zip(scenes, results, titles, strict=True):
            beside = self._beside(name)
            content = Content.of(scene, result, Opening(), beside=beside)
            numbers.append(self._add(name, Content(content.heading | {"lane": title}, content.sections)))
        return numbers

    def _flows(self, each: Staged, name: str) -> int:
        """Find what the streets of a moment carry, by what its search is shortest by."""
        import wayfront

        if self._beside(name) is None:  # what streets carry has other colours than searches on its roads
            self._add_map(each, name)
        network, metric = each.result.network, each.result.metric
        closures = np.asarray(closed_by(each.moment.search, network))
        found = wayfront.flows(network, metric=metric.name, closures=closures, cancel=self.report.cancel)
        scene = Scene.of(network, self.style)
        scene.wanted = AS_ROADS
        shown = FlowsFound.of(Asked("one", None), found, closures)
        return self._add(name, flows_content(scene, shown, Opening(), beside=self._beside(name)))

    def _add_map(self, each: Staged, name: str) -> None:
        """Add the map of a moment without a search, which no moment shows."""
        network, closures = each.result.network, each.result.closures
        scene = Scene.of(network, self.style)
        self._add(name, map_content(scene, network, each.result.metric, Opening(), closures=closures)[0])

    def _beside(self, name: str) -> Content | None:
        return self.contents[self._first[name]] if name in self._first else None

    def _add(self, name: str, content: Content) -> int:
        number = len(self.contents)
        self.contents.append(content)
        self.roads.append(self._first.setdefault(name, number))
        return number

    def _picture(self, each: Staged) -> str:
        shown = picture_of(shown_of(each, self.style), each, PICTURE_WIDTH, PICTURE_HEIGHT, PICTURE_SCALE)
        return f"data:image/png;base64,{base64.b64encode(picture_bytes(shown, 'png')).decode()}"


class _Reader(HTMLParser):
    """Reads the HTML that ``markup`` writes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Rich] = [[]]

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        """Begin an element."""
        self.open.append([tag])

    def handle_endtag(self, _tag: str) -> None:
        """End the element that began last."""
        done = self.open.pop()
        self.open[-1].append(done)

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self.open[-1].append(data)


def rich(html: str) -> Rich:
    """Return what ``markup`` wrote as a page holds it.

    >>> rich("<p>a <b>c</b></p>")
    [['p', 'a ', ['b', 'c']]]
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.open[0]
