"""Undo and redo of states that are replaced as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfront_gui.session import state as model
from wayfront_gui.session.state import History


@given(st.lists(st.integers(0, 3)))
def test_undoing_all_and_redoing_all_visits_the_same_states(changes: list[int]) -> None:
    history, states = History(0), [0]
    for state in changes:
        history = history.changed(state)
        states += [state] * (state != states[-1])
    back = [history.now]
    while history.before:
        history = history.undone()
        back.append(history.now)
    assert back[::-1] == states
    assert history.undone() is history
    for state in states[1:]:
        history = history.redone()
        assert history.now == state
    assert history.redone() is history


def test_a_change_after_undoing_ends_what_could_be_redone() -> None:
    history = History(0).changed(1).undone().changed(2)
    assert (history.now, history.before, history.after) == (2, (0,), ())


def test_only_so_many_changes_can_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MOST_UNDONE", 3)
    history = History(0)
    for state in range(1, 10):
        history = history.changed(state)
    assert history.before == (6, 7, 8)
