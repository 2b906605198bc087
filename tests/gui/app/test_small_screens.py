"""Windows on small screens: nothing is outside, the map keeps most of the room, and a transport always stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from there import there
from wayfront.devices import devices
from wayfront.results.result import Result
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.panels import SIDE_NARROWEST
from wayfront_gui.app.remembering import FRAME_HEIGHT, START_SIZE, first_place
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.panel import ClosuresPanel
from wayfront_gui.features.explanation.panel import ExplanationPanel
from wayfront_gui.features.lessons.panel import LessonPanel
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.timing.panel import TimingPanel
from wayfront_gui.session import formatting as step_formatting
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.ui.controls import ElidedLabel, Figure

SCROLL_BAR = 9


@pytest.fixture
def sized(window: Window, qtbot: QtBot) -> Iterator[Window]:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window


def resize(window: Window, width: int, height: int) -> None:
    window.resize(width, height)
    QApplication.processEvents()
    assert window.size() == QSize(width, height), "nothing in it asks for more"


def shown_in(window: Window, part: QWidget) -> bool:
    """Whether all of a part is inside the window and seen."""
    place = QRect(part.mapTo(window, QPoint()), part.size())
    return window.rect().contains(place) and part.visibleRegion().boundingRect().size() == part.size()


def shown_in_width(window: Window, part: QWidget) -> bool:
    """Whether no side of a part is cut off where its panel scrolls."""
    return part.visibleRegion().isEmpty() or part.visibleRegion().boundingRect().width() == part.width()


def map_share(window: Window) -> float:
    return window.map.width() * window.map.height() / (window.width() * window.height())


@pytest.mark.parametrize("size", [(1280, 720), (1024, 600), (3840, 2160)])
def test_the_first_window_fits_the_screen(
    qtbot: QtBot, size: tuple[int, int], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = QRect(0, 24, size[0], size[1] - 24)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _screen: free)
    window = make_window(settings)
    assert free.contains(QRect(window.pos(), window.size()))
    assert window.size() == START_SIZE.boundedTo(free.size() - QSize(0, 36))
    window.close()


def test_the_first_times_do_not_push_their_buttons_out_of_sight(sized: Window, result: Result, qtbot: QtBot) -> None:
    resize(sized, START_SIZE.width(), START_SIZE.height())
    session, panel = sized.session, sized.panels.panel(TimingPanel)
    sized.panels.show("time", True)
    timed = replace(result, timing=replace(result.timing, runs_ms=(1.0, 2.0, 3.0)))
    session.active.open(result.network)
    session.active.show(timed)
    session.add_timing(session.active, timed)
    buttons = [button for button in panel.findChildren(QPushButton) if not button.isHidden()]
    qtbot.waitUntil(lambda: all(shown_in(sized, button) for button in buttons))
    assert shown_in(sized, sized.panels.panel(AlgorithmPanel).button)


def test_closed_roads_are_not_cut_off_at_large_texts(sized: Window, result: Result) -> None:
    sized.appearance.choose_text_scale(200)
    resize(sized, 1280, 720)
    slot = sized.session.active
    slot.open(result.network)
    slot.closures.close(as_arcs([3, 20]))
    sized.panels.show("closures", True)
    QApplication.processEvents()
    side, panel = sized.panels.side, sized.panels.panel(ClosuresPanel)
    assert there(side.widget()).width() == side.viewport().width(), "no part widens the column beyond what is seen"
    assert all(shown_in_width(sized, button) for button in panel.findChildren(QToolButton))


def test_run_and_timeline_are_inside_a_small_window(sized: Window) -> None:
    resize(sized, 1280, 684)
    for part in (
        sized.panels.panel(AlgorithmPanel).button,
        sized.panels.panel(ReplayPanel).scrubber,
        sized.status,
        sized.panels.bar,
    ):
        assert shown_in(sized, part)
    assert map_share(sized) > 0.5


def show_replay(window: Window, result: Result) -> ReplayPanel:
    slot = window.session.active
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    return window.panels.panel(ReplayPanel)


def cut_off(panel: ReplayPanel) -> list[str]:
    """Return what is not whole in the bar: controls beyond its edges, one upon another, and texts with an ellipsis."""
    parts = [
        panel.scrubber,
        panel.speed,
        panel.more,
        *panel.figures.values(),
        panel.walk,
        *panel.findChildren(QToolButton),
    ]
    seen = [part for part in dict.fromkeys(parts) if part.isVisible()]
    boxes = {part: QRect(part.mapTo(panel, QPoint()), part.size()) for part in seen}
    wrong = [part.accessibleName() or str(part) for part in seen if not panel.rect().contains(boxes[part])]
    wrong += [f"{a} on {b}" for a in seen for b in seen if a is not b and boxes[a].intersects(boxes[b])]
    texts = [text for part in seen if isinstance(part, Figure) for text in part.findChildren(ElidedLabel)]
    return wrong + [t.text() for t in texts if t.fontMetrics().horizontalAdvance(t.text()) > t.width()]


@pytest.mark.parametrize("percent", [100, 200])
def test_nothing_of_the_replays_bar_is_cut_off(
    sized: Window, result: Result, percent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "relax all that is near, from a frontier list"
    monkeypatch.setattr(step_formatting, "modes", lambda _trace: [text])
    panel, shown = show_replay(sized, result), set()
    sized.appearance.choose_text_scale(percent)
    for more in (False, True):
        for width in (1920, 1280, 1000, 800) if percent == 100 else (1920, 1280):
            resize(sized, width, 684)
            panel.figures["mode"].show_value(text)
            QApplication.processEvents()
            assert cut_off(panel) == [], (more, width)
            assert panel.figures["mode"].isVisible() == panel.walk.isVisible() == more
            assert all(panel.figures[key].isVisible() for key in ("step", "frontier", "time"))
            shown.add(panel.timeline.isVisible())
        QTest.keyClick(sized.map, Qt.Key.Key_G)
    assert shown == ({False, True} if percent == 100 else {False}), "plots of all steps need a high window"


def test_the_replays_bar_is_slim_again_without_its_figures(sized: Window, result: Result, qtbot: QtBot) -> None:
    resize(sized, 1440, 900)
    panel = show_replay(sized, result)
    slim, map_height = panel.height(), sized.map.height()
    assert slim < 50
    QTest.mouseClick(panel.more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.height() > 300 and sized.map.height() < map_height - 250)
    resize(sized, 1440, 500)
    assert panel.timeline.isHidden() and panel.figures["mode"].isVisible() and panel.height() < 200
    resize(sized, 1440, 900)
    assert panel.timeline.isVisible()
    QTest.mouseClick(panel.more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: (panel.height(), sized.map.height()) == (slim, map_height))


def test_the_map_keeps_most_of_a_tiny_window_and_panels_are_a_click_away(sized: Window) -> None:
    resize(sized, 600, 450)
    assert map_share(sized) > 0.4 and not sized.panels.side.isVisible()
    assert shown_in(sized, sized.panels.replay.scrubber) and sized.panels.replay.height() < 100
    assert all(shown_in(sized, button) for button in sized.panels.bar.buttons.values())
    QTest.mouseClick(sized.panels.bar.buttons["explore"], Qt.MouseButton.LeftButton)
    search = sized.panels.panel(AlgorithmPanel)
    assert shown_in_width(sized, search.button) and sized.map.width() > 0.3 * sized.width()
    boxes = (search.algorithm, sized.panels.panel(NetworkPanel).metrics)
    assert all(shown_in_width(sized, box) for box in boxes), "the scroll bar takes nothing away"
    QTest.keyClick(sized.map, Qt.Key.Key_E)
    assert sized.panels.panel(ExplanationPanel).isVisible() and not search.isVisible(), "one yields to the other"
    QTest.keyClick(sized.map, Qt.Key.Key_E)
    assert search.isVisible()
    resize(sized, 1920, 1000)
    assert search.isVisible() and not sized.panels.beside.isVisible(), "what was closed is not back"
    assert map_share(sized) > 0.55


def test_a_column_for_which_there_was_no_room_comes_back(sized: Window) -> None:
    resize(sized, 1920, 1000)
    QTest.keyClick(sized.map, Qt.Key.Key_E)
    explanation = sized.panels.panel(ExplanationPanel)
    assert explanation.isVisible() and sized.panels.side.isVisible()
    resize(sized, 1000, 700)
    assert explanation.isVisible() and not sized.panels.side.isVisible(), "the one that was asked for last stays"
    resize(sized, 1920, 1000)
    assert explanation.isVisible() and sized.panels.side.isVisible()


def test_the_lesson_that_is_played_stays_where_tabs_yield(sized: Window, qtbot: QtBot) -> None:
    play = sized.session.state(LessonPlay)
    sized.actions_by_name["lesson.dijkstras-ball"].trigger()
    qtbot.waitUntil(lambda: play.ready)
    for width, height in ((1280, 684), (1920, 1000), (1000, 684), (1440, 864)):
        resize(sized, width, height)
        assert sized.panels.panel(LessonPanel).isVisible() and sized.map.width() > 0.4 * width
        assert sized.panels.beside.isVisible() == (width >= 1280)


def test_no_field_of_a_narrow_panel_is_cut_off(sized: Window) -> None:
    """A processor with several cores has the widest row; a scroll bar may take some of the panel."""
    resize(sized, 1280, 684)
    cores = [replace(device, threads=64) for device in devices() if device.id == "cpu"]
    sized.panels.panel(AlgorithmPanel).show_devices(cores)
    sized.session.active.choose_algorithm("delta-stepping")
    sized.panels.panel(NetworkPanel).roads.show()
    for fold in (sized.panels.panel(AlgorithmPanel).more, sized.panels.panel(NetworkPanel).about):
        fold.show()
        fold.set_open(True)
    QApplication.processEvents()
    column = sized.panels.side.widget()
    assert column is not None and column.minimumSizeHint().width() + SCROLL_BAR <= SIDE_NARROWEST


def test_panels_take_less_than_a_third_of_a_usual_window(sized: Window) -> None:
    resize(sized, 1600, 1000)
    assert map_share(sized) > 0.62


def test_hiding_the_panels_leaves_play_and_timeline(sized: Window) -> None:
    resize(sized, 1280, 800)
    before = sized.map.width()
    QTest.keyClick(sized.map, Qt.Key.Key_P)
    QApplication.processEvents()
    assert shown_in(sized, sized.panels.panel(ReplayPanel).scrubber) and sized.panels.panel(ReplayPanel).height() < 50
    assert not sized.panels.panel(AlgorithmPanel).isVisible() and sized.map.width() > before
    QTest.keyClick(sized.map, Qt.Key.Key_P)
    QApplication.processEvents()
    assert sized.panels.panel(AlgorithmPanel).isVisible() and sized.panels.panel(ReplayPanel).more.isVisible()


def test_what_yielded_is_wanted_the_next_time(sized: Window, settings: Settings) -> None:
    resize(sized, 1920, 1000)
    sized.actions_by_name["view.explanation"].trigger()
    resize(sized, 700, 450)
    sized.close()
    again = make_window(settings)
    again.resize(1920, 1000)
    again.show()
    QApplication.processEvents()
    assert again.panels.panel(ExplanationPanel).isVisible() and again.panels.side.isVisible()
    again.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768), (1920, 1080), (3840, 2160)])
def test_the_window_with_its_frame_begins_on_the_screen_and_in_its_middle(width: int, height: int) -> None:
    for free in (QRect(0, 0, width, height), QRect(1920, 28, width, height - 28)):  # a second screen, with a bar above
        size, place = first_place(free)
        frame = QRect(place, size + QSize(0, FRAME_HEIGHT))
        assert free.contains(frame)
        assert abs(frame.center().x() - free.center().x()) <= 1 and abs(frame.center().y() - free.center().y()) <= 1
        if height == 720:
            assert frame.top() == free.top() and frame.height() == free.height()


def test_tools_without_room_are_behind_a_button_that_is_seen(sized: Window) -> None:
    sized.actions_by_name["activity.compare"].trigger()
    rest = sized.central.tools.findChild(QToolButton, "qt_toolbar_ext_button")
    assert isinstance(rest, QToolButton)
    resize(sized, 1280, 720)
    assert not rest.isVisible(), "all have room"
    resize(sized, 760, 600)
    assert shown_in(sized, rest)
    for theme in ("view.theme_light", "view.theme_dark"):
        sized.actions_by_name[theme].trigger()
        picture = sized.central.tools.grab(rest.geometry()).toImage()
        lights = [picture.pixelColor(x, picture.height() // 2).lightness() for x in range(picture.width())]
        assert max(lights) - min(lights) > 100, f"{theme}: its mark stands out"


def test_speed_and_more_stay_in_one_line(sized: Window) -> None:
    replay = sized.panels.panel(ReplayPanel)
    for width in range(520, 1000, 30):
        resize(sized, width, 700)
        speed, more = (part.mapTo(sized, part.rect().center()).y() for part in (replay.speed, replay.more))
        assert abs(speed - more) <= 1, width


def test_the_buttons_of_lessons_are_all_seen_without_a_scroll_bar_of_their_own(sized: Window) -> None:
    sized.actions_by_name["activity.teach"].trigger()
    lesson = sized.panels.panel(LessonPanel)
    for width in (700, 1280, 1920):
        resize(sized, width, 900)
        assert lesson.isVisible() and shown_in(sized, lesson.add)
