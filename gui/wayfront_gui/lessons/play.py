"""A lesson that is played: which moment is shown, what is known of its search, and what was answered. No Qt."""

from __future__ import annotations

from wayfront_gui.lessons.figures import Figures, filled
from wayfront_gui.lessons.lesson import Lesson, Moment, Question
from wayfront_gui.lessons.prediction import Verdict, judge
from wayfront_gui.model.notice import Notice
from wayfront_gui.translation import translated


class LessonPlay:
    """The lesson that is open, None for none, and how far it is.

    ``expected`` are the nodes that a prediction asks for, ``expected_names`` what people call them, ``picked`` those
    chosen so far. ``problem`` says why the search
    of the moment cannot be shown.
    """

    def __init__(self) -> None:
        self.lesson: Lesson | None = None
        self.index = 0
        self.figures: dict[int, Figures] = {}
        self.ready = False
        self.problem = ""
        self.revealed = False
        self.chosen: int | None = None
        self.expected: tuple[int, ...] = ()
        self.expected_names: tuple[str, ...] = ()
        self.picked: frozenset[int] = frozenset()

        self.moment_changed = Notice()
        """Another moment is to be shown, or none."""
        self.changed = Notice()
        """Something of the moment that is shown has changed."""

    # ------------------------------------------------------------------------------------------------- moments

    @property
    def moment(self) -> Moment | None:
        """The moment that is shown."""
        return None if self.lesson is None else self.lesson.moments[self.index]

    @property
    def count(self) -> int:
        """How many moments there are."""
        return 0 if self.lesson is None else len(self.lesson.moments)

    def open(self, lesson: Lesson | None, index: int = 0) -> None:
        """Play a lesson from a moment on, or none."""
        self.lesson, self.figures = lesson, {}
        self._show(min(max(index, 0), max(self.count - 1, 0)))

    def go_to(self, index: int) -> None:
        """Show another moment, if there is one of that index."""
        if 0 <= index < self.count and index != self.index:
            self._show(index)

    def next(self) -> None:
        """Show the answer that is waited for, or else the next moment."""
        if self.asks and not self.revealed:
            self.reveal()
        else:
            self.go_to(self.index + 1)

    def back(self) -> None:
        """Show the moment before."""
        self.go_to(self.index - 1)

    def _show(self, index: int) -> None:
        self.index, self.ready, self.problem = index, False, ""
        self.revealed, self.chosen, self.picked = False, None, frozenset()
        self.expected, self.expected_names = (), ()
        self.moment_changed()
        self.changed()

    # ------------------------------------------------------------------------------------------------- searches

    def take_figures(
        self, figures: Figures, expected: tuple[int, ...] = (), expected_names: tuple[str, ...] = ()
    ) -> None:
        """Take what is known of the search of the moment, now that its step is shown; ``expected`` nodes come next."""
        self.figures[self.index] = figures
        self.ready, self.problem = True, ""
        moment = self.moment
        asks = moment is not None and moment.predict
        self.expected, self.expected_names = (expected, expected_names) if asks else ((), ())
        self.changed()

    def take_problem(self, problem: str) -> None:
        """Say why the moment cannot be shown."""
        self.ready, self.problem = True, problem
        self.changed()

    def filled(self, text: str) -> str:
        """Return a text of the moment with its figures."""
        names = {} if self.lesson is None else self.lesson.names
        earlier = {name: self.figures.get(index, {}) for name, index in names.items()}
        return filled(text, self.figures.get(self.index, {}), earlier)

    # ------------------------------------------------------------------------------------------------ questions

    @property
    def question(self) -> Question | None:
        """The question of the moment."""
        return None if self.moment is None else self.moment.question

    @property
    def predicts(self) -> bool:
        """Whether nodes that come next are asked for."""
        return bool(self.expected)

    @property
    def prediction(self) -> str:
        """What is asked where nodes that come next are asked for; of several searches those of the first."""
        if self.moment is not None and self.moment.search.beside:
            first = self.figures.get(self.index, {}).get("algorithm", "")
            return translated("Which nodes does the next step of {algorithm} expand?", algorithm=first)
        return translated("Which nodes does the next step expand?")

    @property
    def asks(self) -> bool:
        """Whether there is something to answer."""
        return self.question is not None or self.predicts

    @property
    def verdict(self) -> Verdict | None:
        """How well the next nodes were predicted, once that is shown."""
        return judge(self.expected, self.picked) if self.predicts and self.revealed else None

    def pick(self, node: int) -> None:
        """Choose a node as one that comes next, or take it back."""
        if self.predicts and not self.revealed:
            self.picked ^= {node}
            self.changed()

    def choose(self, choice: int) -> None:
        """Answer a question by one of its choices, and show the answer."""
        if self.question is not None and 0 <= choice < len(self.question.choices):
            self.chosen, self.revealed = choice, True
            self.changed()

    def reveal(self) -> None:
        """Show the answer, and the nodes that come next."""
        if self.asks and not self.revealed:
            self.revealed = True
            self.changed()
