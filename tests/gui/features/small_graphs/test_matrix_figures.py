"""Floyd and Warshall's matrix of a small graph on screen: every number is that of the table worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from plain_labels import arcs_of, pivot_matrices
from wayfront import all_pairs, open_network
from wayfront_gui.features.all_pairs.drawing import MatrixFigures
from wayfront_gui.features.all_pairs.panel import MatrixPanel
from wayfront_gui.session.pairs import MatrixReplay, Pairs
from wayfront_gui.session.session import Session

FROM_A = ["0 9 4 ∞ ∞", "0 9 4 11 12", "0 9 4 6 12", "0 8 4 6 11", "0 8 4 6 11"]
"""The row of A after each of the pivots A, B, C, D and E."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    return Pairs.of(
        all_pairs(open_network("example:paper-e"), "floyd-warshall", "cpu", keep="matrix", runs=0, trace=True)
    )


def test_every_number_is_that_of_the_hand_worked_table(pairs: Pairs, qapp: QApplication) -> None:
    matrix, trace = MatrixReplay.of(pairs), pairs.trace
    assert matrix is not None and trace is not None
    by_hand = pivot_matrices(5, arcs_of(pairs.network))
    for step in range(-1, len(trace)):
        figures = MatrixFigures.at(pairs, matrix, trace, step)
        assert figures is not None
        assert figures.rows == figures.columns == ["A", "B", "C", "D", "E"]
        expected = by_hand[min(step + 1, 5)]
        assert figures.texts == [["∞" if cell < 0 else str(cell) for cell in row] for row in expected]
        assert " ".join(figures.texts[0]) == FROM_A[min(max(step, 0), 4)]


def test_rows_that_are_not_finished_are_empty(qapp: QApplication) -> None:
    found = Pairs.of(all_pairs(open_network("example:paper-e"), "heap-apsp", "cpu", keep="matrix", runs=0, trace=True))
    matrix = MatrixReplay.of(found)
    assert matrix is not None
    before, after = (MatrixFigures.at(found, matrix, found.trace, step) for step in (-1, matrix.last.max()))
    assert before is not None and after is not None
    assert {text for row in before.texts for text in row} == {""}
    assert after.texts[0] == FROM_A[-1].split()


def test_numbers_are_left_out_where_they_could_not_be_read(pairs: Pairs, qapp: QApplication) -> None:
    matrix = MatrixReplay.of(pairs)
    assert matrix is not None
    figures = MatrixFigures.at(pairs, matrix, pairs.trace, 0)
    assert figures is not None
    assert figures.pixels(QRectF(0, 0, 400, 400)) > figures.pixels(QRectF(0, 0, 100, 100)) > 0
    assert figures.pixels(QRectF(0, 0, 40, 40)) == 0


def test_the_panel_writes_them_at_the_step_that_is_shown(pairs: Pairs, qapp: QApplication) -> None:
    session = Session()
    panel = MatrixPanel(session)
    panel.resize(420, 420)
    slot = session.active
    slot.open(pairs.network)
    slot.show_pairs(pairs, MatrixReplay.of(pairs))
    slot.player.load(pairs.trace, None)
    pictures = []
    for step in (0, 3):
        slot.player.seek(float(step))
        assert panel.drawing is not None and panel.drawing.figures is not None
        assert " ".join(panel.drawing.figures.texts[0]) == FROM_A[step]
        image = panel.picture(1.0)
        pictures.append(np.array(image.constBits()).copy())
    assert (pictures[0] != pictures[1]).any()
