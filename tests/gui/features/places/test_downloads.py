"""The dialogs that download, used as a person would, against a server on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from tests.gui.cli.test_fetch import server  # noqa: F401 - a fixture
from tests.gui.conftest import make_grid

from recorded_server import Answer, RecordedServer
from there import there
from wayfront_gui.app.job_dialog import JobDialog
from wayfront_gui.app.map_sync import view_bounds
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.features.places.dialogs import OUTLINE, VIEW, CatalogueDialog, PlaceDialog

VIEWED = (7.0, 43.0, 7.04, 43.03)


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Callable[[JobDialog], JobDialog]]:
    """Show dialogs, and close them behind the test."""
    dialogs: list[JobDialog] = []

    def show(dialog: JobDialog) -> JobDialog:
        dialogs.append(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        return dialog

    yield show
    for dialog in dialogs:
        dialog.close()


@pytest.fixture
def place(parent: QWidget, opened: list[str], shown: Callable[[JobDialog], JobDialog]) -> PlaceDialog:
    dialog = PlaceDialog(VIEWED, opened.append, parent)
    shown(dialog)
    return dialog


@pytest.fixture
def catalogue(parent: QWidget, opened: list[str], shown: Callable[[JobDialog], JobDialog]) -> CatalogueDialog:
    dialog = CatalogueDialog(opened.append, parent)
    shown(dialog)
    return dialog


def idle(qtbot: QtBot, dialog: JobDialog) -> None:
    qtbot.waitUntil(lambda: not dialog.worker.busy)


@pytest.mark.usefixtures("server")
class TestPlace:
    def test_a_place_is_found_chosen_downloaded_and_opened(
        self, qtbot: QtBot, place: PlaceDialog, opened: list[str]
    ) -> None:
        assert not place.search_button.isEnabled()
        assert not place.get.isEnabled()
        place.query.setText("Testville")
        QTest.keyClick(place.query, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: place.places.count() == 3)
        assert place.places.currentRow() == 1, "the likeliest that has an outline"
        idle(qtbot, place)
        assert place.expected.text().startswith("10.8 km²: between 100 arcs")
        place.roads.setCurrentIndex(place.roads.findData("walk"))
        place.get.click()
        qtbot.waitUntil(lambda: bool(opened))
        assert Path(opened[0]).name == "testville-walk.osm.json"
        assert not place.isVisible()

    def test_a_point_is_taken_as_a_square_round_it(self, qtbot: QtBot, place: PlaceDialog) -> None:
        place.query.setText("Testville")
        place.search()
        qtbot.waitUntil(lambda: place.places.count() == 3)
        place.places.setCurrentRow(0)
        assert place.radius.isVisible()
        area = there(place.chosen_area())
        assert area.km2 == pytest.approx(16, rel=1e-3)
        place.area.setCurrentIndex(place.area.findData(OUTLINE))
        assert "Testville is a shop without an outline" in place.expected.text()
        idle(qtbot, place)
        assert not place.get.isEnabled()

    def test_the_maps_view_needs_no_name(self, qtbot: QtBot, place: PlaceDialog, opened: list[str]) -> None:
        place.area.setCurrentIndex(place.area.findData(VIEW))
        assert not place.places.isEnabled()
        place.download()
        qtbot.waitUntil(lambda: bool(opened))
        assert Path(opened[0]).name == "around-43-015-7-020-drive.osm.json"

    def test_what_is_too_large_is_told_before_asking(
        self, parent: QWidget, shown: Callable[[JobDialog], JobDialog]
    ) -> None:
        dialog = PlaceDialog((0, 0, 10, 10), lambda _path: None, parent)
        shown(dialog)
        dialog.area.setCurrentIndex(dialog.area.findData(VIEW))
        assert "https://download.geofabrik.de" in dialog.expected.text()
        assert not dialog.get.isEnabled()

    def test_a_problem_is_told_in_the_dialog_and_leaves_it_usable(
        self,
        qtbot: QtBot,
        place: PlaceDialog,
        server: RecordedServer,  # noqa: F811
    ) -> None:
        server.replies["/search"] = Answer(b"[]")
        place.query.setText("Nowhere")
        place.search()
        qtbot.waitUntil(place.problem.isVisible)
        assert place.problem.text().startswith("OpenStreetMap knows no place called 'Nowhere'")
        idle(qtbot, place)
        assert place.search_button.isEnabled()

    @pytest.mark.parametrize("how", ["cancel", "close"])
    def test_a_silent_server_can_be_left_at_once(
        self,
        qtbot: QtBot,
        place: PlaceDialog,
        opened: list[str],
        server: RecordedServer,  # noqa: F811
        how: str,
    ) -> None:
        server.replies["/api/interpreter"] = Answer(silent_after=0)
        place.area.setCurrentIndex(place.area.findData(VIEW))
        place.download()
        qtbot.waitUntil(lambda: any(asked.path == "/api/interpreter" for asked in server.asked))
        assert place.progress.isVisible()
        if how == "cancel":
            place.stop.click()
            qtbot.waitUntil(lambda: not place.worker.busy)
            assert place.get.isEnabled()
        else:
            place.close()
        assert not opened


@pytest.mark.usefixtures("server")
class TestCatalogue:
    def test_a_network_is_downloaded_opened_and_removed(
        self, qtbot: QtBot, catalogue: CatalogueDialog, opened: list[str]
    ) -> None:
        assert catalogue.main.text() == "Download"
        assert not catalogue.drop.isEnabled()
        catalogue.main.click()
        qtbot.waitUntil(lambda: catalogue.main.text() == "Open")
        idle(qtbot, catalogue)
        offer = there(catalogue.chosen)
        assert (offer.name, offer.here, offer.nodes) == ("dimacs:TINY", True, "4")
        catalogue.drop.click()
        assert catalogue.main.text() == "Download"
        catalogue.main.click()
        qtbot.waitUntil(lambda: catalogue.main.text() == "Open")
        idle(qtbot, catalogue)
        catalogue.main.click()
        assert opened == ["dimacs:TINY"]
        assert not catalogue.isVisible()

    def test_places_that_were_downloaded_stand_below(
        self, parent: QWidget, shown: Callable[[JobDialog], JobDialog], tmp_path: Path, opened: list[str]
    ) -> None:
        folder = tmp_path / "data" / "places"
        folder.mkdir(parents=True)
        (folder / "monte-carlo-drive.osm.json").write_bytes(b"x" * 2_500_000)
        (folder / "porto-walk.osm.json.part").write_bytes(b"x")
        dialog = CatalogueDialog(opened.append, parent)
        shown(dialog)
        rows = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
        told = [[row.text(column) for column in range(6)] for row in rows if row is not None]
        assert told[1:] == [
            ["Monte Carlo, drive", "place:monte-carlo-drive", "", "", "2.5 MB", "downloaded"],
            ["Porto, walk", "place:porto-walk", "", "", "0 kB", "incomplete"],
        ]
        dialog.choose("place:porto-walk")
        assert not dialog.main.isEnabled()
        assert dialog.drop.isEnabled()
        dialog.choose("place:monte-carlo-drive")
        dialog.act()
        assert opened == ["place:monte-carlo-drive"]

    def test_a_problem_is_told(
        self,
        qtbot: QtBot,
        catalogue: CatalogueDialog,
        server: RecordedServer,  # noqa: F811
    ) -> None:
        server.replies["/USA-road-d/USA-road-d.TINY.gr.gz"] = Answer(b"", 404)
        catalogue.act()
        qtbot.waitUntil(catalogue.problem.isVisible)
        assert "does not exist (404)" in catalogue.problem.text()
        idle(qtbot, catalogue)
        assert catalogue.main.isEnabled()


@pytest.mark.usefixtures("server")
def test_the_window_opens_both_and_closes_them_with_itself(qtbot: QtBot, settings: Settings) -> None:
    window = make_window(settings)
    window.show()
    qtbot.waitExposed(window)
    assert view_bounds(window.map, window.session.active) is None
    window.session.active.open(make_grid())
    west, south, east, north = view_bounds(window.map, window.session.active) or (0, 0, 0, 0)
    assert west < 7.0 and east > 7.012
    assert south < 49.0 and north > 49.009
    window.controller.files.opened.emit("dimacs:NY")
    window.controller.files.opened.emit("synthetic:ring")
    assert window.settings.recent == ("dimacs:NY",), "a name opens again as a path does"
    window.actions_by_name["file.place"].trigger()
    window.actions_by_name["file.catalogue"].trigger()
    kinds = {type(dialog) for dialog in window.findChildren(JobDialog)}
    assert kinds == {PlaceDialog, CatalogueDialog}
    window.close()
    window.deleteLater()
