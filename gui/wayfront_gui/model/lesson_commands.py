"""The commands of the Lesson menu."""

from __future__ import annotations

from wayfront_gui.model.command import Command
from wayfront_gui.model.tours import TOURS

LESSON = (
    Command("lesson.open", "&Open lesson…", "open_lesson", (), "Play a lesson file"),
    *(
        Command(
            f"lesson.{name}",
            title,
            "open_tour",
            (),
            "Play this tour",
            argument=name,
            separated=index == 0,
        )
        for index, (name, title) in enumerate(TOURS.items())
    ),
    Command(
        "lesson.next", "&Next", "next", ("PgDown",), "The answer, or the next moment of the lesson", separated=True
    ),
    Command("lesson.back", "&Back", "back", ("PgUp",), "The moment before"),
    Command("lesson.answer", "&Answer", "answer", ("Q",), "Show the answer, or the nodes that come next"),
    Command(
        "lesson.add",
        "Add &this moment…",
        "add",
        ("Ctrl+Shift+M",),
        "Add the search that is shown, at its step, to the lesson",
        separated=True,
    ),
    Command("lesson.edit", "&Edit this moment…", "edit", (), "Other words, or another step, for this moment"),
    Command("lesson.new", "Ne&w lesson…", "new", (), "Begin a lesson with the search that is shown"),
    Command("lesson.reload", "&Read the lesson again", "reload", ("Ctrl+F5",), "After its file was changed"),
    Command("lesson.handout", "Save &handout…", "save_handout", (), "Picture and text of each moment, as PDF"),
    Command("lesson.film", "Save fil&m of the lesson…", "save_film", (), "All moments, as MP4, WebM or GIF"),
    Command("lesson.close", "&Close the lesson", "close", (), "What is shown stays", separated=True),
)
