"""What ties a page in a notebook to the kernel, without a browser: what is asked, and what is answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wayfront import widgets
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.widgets import Link, Tree


class Heard:
    """A widget that keeps what is sent through it."""

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], list[memoryview]]] = []
        self.source = -1

    def send(self, content: dict[str, Any], buffers: list[memoryview] | None = None) -> None:
        self.sent.append((content, buffers or []))


def trees(dtype: type[np.integer]) -> Any:
    def tree(source: int) -> Tree:
        if source > 2:
            raise NetworkError("there is no such node")
        return Tree(np.array([0, 7, -1], dtype), np.array([-1, 0, -1], np.int32))

    return tree


@pytest.mark.parametrize(("dtype", "sent"), [(np.int32, np.int32), (np.int64, np.float64)])
def test_a_source_is_answered_with_its_tree(dtype: type[np.integer], sent: type[np.generic]) -> None:
    """Browsers have no whole numbers of 64 bits, but float64 holds distances exactly."""
    widget = Heard()
    Link(trees(dtype))._answer(widget, {"want": 2}, [])
    [(content, (distances, parents))] = widget.sent
    assert (content["index"], content["wide"], widget.source) == (2, dtype is np.int64, 2)
    assert content["ms"] > 0
    assert np.frombuffer(distances, sent).tolist() == [0, 7, -1]
    assert np.frombuffer(parents, np.int32).tolist() == [-1, 0, -1]


def test_a_node_that_is_none_is_answered_without_a_tree() -> None:
    widget = Heard()
    Link(trees(np.int32))._answer(widget, {"want": 9}, [])
    assert widget.sent == [({"given": 9}, [])]


@pytest.mark.parametrize("content", [None, "want", {}, {"want": "2"}, {"want": True}, {"want": None}, {"want": [1]}])
def test_what_is_no_question_is_passed_over(content: Any) -> None:
    widget = Heard()
    Link(trees(np.int32))._answer(widget, content, [])
    Link(None)._answer(widget, {"want": 1}, [])
    assert widget.sent == []


class Display:
    """Keeps what a notebook is given to show."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def __call__(self, thing: Any, *, raw: bool = False) -> None:
        self.shown.append(thing)


def test_in_a_notebook_the_page_and_a_widget_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget", reason="needs anywidget, of the extra notebook")
    display = Display()
    monkeypatch.setattr("IPython.display.display", display)
    link = Link(trees(np.int32))
    monkeypatch.setattr(widgets, "_has_kernel", lambda: True)
    with pytest.raises(OptionError, match="show it first"):
        link.tell("play", None)
    link.show({"text/html": "<iframe>"})
    link.show({"text/html": "<iframe>"})
    bundle, widget, _, again = display.shown
    assert bundle == {"text/html": "<iframe>"}
    assert widget is again
    assert (widget.frame, widget.serves, link.state) == (link.frame, True, {})
    widget.state = {"step": 4}
    assert link.state == {"step": 4}
    heard: list[Any] = []
    monkeypatch.setattr(type(widget), "send", lambda _self, content, buffers=None: heard.append(content))
    link.tell("at", "40%")
    assert heard == [{"tell": {"wayfront": "at", "value": "40%"}}]
    widget.close()
