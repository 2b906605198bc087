"""Films: written, opened again, and looked at picture by picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import IO, Any

import av
import numpy as np
import pytest
from PySide6.QtGui import QImage

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import OpenCancelled, OptionError, WriteError
from wayfront_gui.features.depots.layer import DepotMarks
from wayfront_gui.features.export import film_file, replay_film
from wayfront_gui.features.export.captions import Caption, SearchWords
from wayfront_gui.features.export.film_file import encoder_for, estimate_bytes, pixels_of, write_film
from wayfront_gui.features.export.replay_film import Cut, ReplayFilm, Shot
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.state import Walk

pytestmark = pytest.mark.usefixtures("qapp")
SHOT = Shot(320, 200, 1.0, fps=10, seconds=2.0)


def film_of(result: Result, **changes: Any) -> ReplayFilm:
    shot = Shot(320, 200, 1.0, fps=10, **{"seconds": 2.0, "captions": False} | changes)
    return ReplayFilm(Scene.of_result(result), shot, SearchWords.of(result), result.distances)


def frames_of(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as film:
        return [frame.to_ndarray(format="rgb24").astype(np.int16) for frame in film.decode(video=0)]


def colours_of(image: QImage) -> np.ndarray:
    return pixels_of(image)[..., 2::-1].astype(np.int16)


@pytest.mark.parametrize(("suffix", "nearly"), [(".mp4", 6.0), (".webm", 9.0), (".gif", 6.0)])
def test_a_film_opened_again_shows_what_was_drawn(suffix: str, nearly: float, result: Result, tmp_path: Path) -> None:
    film, path, stages = film_of(result), tmp_path / f"film{suffix}", []
    size = write_film(film, path, progress=lambda stage, fraction: stages.append((stage, fraction)))
    assert size == path.stat().st_size > 1000
    frames = frames_of(path)
    assert len(frames) == film.frame_count == 20
    assert stages[-1][0].startswith("frame 20 of 20") and stages[-1][1] == 1.0
    for index in (0, 8, 19):
        drawn = colours_of(film.draw(index))
        assert frames[index].shape == drawn.shape == (200, 320, 3)
        assert np.abs(frames[index] - drawn).mean() < nearly
    assert np.abs(frames[0] - frames[8]).mean() > 1, "the search goes on"


def test_a_films_pictures_are_those_of_render_in_any_order(result: Result) -> None:
    film = film_of(result)
    scene = Scene.of_result(result)
    for index in (4, 5, film.frame_count - 1, 9, 2):
        scene.mode = "tree" if index == film.frame_count - 1 else "search"
        scene.step = film.position(index / (film.cut.replay - 1))
        assert film.draw(index) == render(scene, 320, 200)
    assert film.draw(4) != film.draw(5)


def test_a_film_shows_the_search_and_nothing_that_lies_over_it_in_the_window(result: Result) -> None:
    film, scene = film_of(result), Scene.of_result(result)
    scene.mark(hovered=4)
    scene.put(DepotMarks((3,), (), scene.node_colours))
    other = ReplayFilm(scene, film.shot, SearchWords.of(result), result.distances)
    for index in (4, film.frame_count - 1):
        assert other.draw(index) == film.draw(index)


def test_a_loop_ends_where_it_began(result: Result) -> None:
    film = film_of(result, loops=True, seconds=4.0)
    first, last = (colours_of(film.draw(index)) for index in (0, film.frame_count - 1))
    tree = colours_of(film.draw(film.frame_count - 1 - film.cut.back))
    assert np.abs(last - first).mean() < 0.5 * np.abs(tree - first).mean()


def test_no_two_captions_fade_into_one_another(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[Caption] = []
    monkeypatch.setattr(replay_film, "paint_caption", lambda *given: painted.append(given[2]))
    film = film_of(result, captions=True, loops=True, seconds=4.0)
    for index in (film.cut.replay, film.frame_count - 1):
        film.draw(index)
    assert painted == [SearchWords.of(result).at_the_end] * 3, "the last step, the tree and the first step"


def test_every_part_of_a_film_has_its_share() -> None:
    assert Cut.of(Shot(fps=10, seconds=10.0)) == Cut(replay=75, fade=7, rest=18, back=0)
    assert Cut.of(Shot(fps=10, seconds=10.0, fades=False, loops=True)) == Cut(replay=82, fade=0, rest=18, back=0)
    assert Cut.of(Shot(fps=30, seconds=1.0)).replay == 18
    assert all(Cut.of(Shot(fps=30, seconds=s, loops=True)).total == round(30 * s) for s in (0.04, 0.3, 2, 7, 60))
    for seconds in (0.01, 2000.0):
        with pytest.raises(OptionError, match="frames; it may have 1 to"):
            Cut.of(Shot(seconds=seconds))


def test_a_film_by_time_tells_its_scale_and_follows_the_traced_times(result: Result) -> None:
    film = film_of(result, walk=Walk.TIME, captions=True)
    assert result.trace is not None
    ends = np.cumsum(result.trace.time_ns)
    half = film.position(0.5)
    assert ends[int(half)] / ends[-1] == pytest.approx(0.5, abs=0.15)
    assert half > len(result.trace) * 0.6, "later steps of this trace take longer"
    assert film.draw(3) != film_of(result, walk=Walk.TIME).draw(3)


def test_captions_say_step_time_and_result(result: Result) -> None:
    words = SearchWords.of(result, "My town")
    assert result.trace is not None
    texts = {figure.caption: figure.text for figure in words.at(2.4).figures}
    assert texts["step"] == f"3 of {len(result.trace)}"
    assert texts["traced time"].startswith("4.20 µs of")
    assert texts["frontier"] == "10 nodes"
    assert (words.at(0).title, words.at_the_end.title) == ("My town", "My town")
    assert words.at_the_end.figures[1].text == "1.50 ms"


def test_a_cancelled_film_leaves_nothing(result: Result, tmp_path: Path) -> None:
    cancel = Event()
    with pytest.raises(OpenCancelled):
        write_film(film_of(result), tmp_path / "a.mp4", progress=lambda _s, _f: cancel.set(), cancel=cancel)
    with pytest.raises(WriteError, match="no folder"):
        write_film(film_of(result), tmp_path / "nowhere" / "a.mp4")
    with pytest.raises(OptionError, match="no film"):
        write_film(film_of(result), tmp_path / "a.avi")
    assert not list(tmp_path.iterdir())


def test_the_size_is_forecast(result: Result, tmp_path: Path) -> None:
    film = film_of(result, fades=False)
    assert estimate_bytes(film, ".gif") == pytest.approx(write_film(film, tmp_path / "film.gif"), rel=0.5)


def test_the_index_of_a_film_stands_at_its_beginning(result: Result, tmp_path: Path) -> None:
    write_film(film_of(result), tmp_path / "film.mp4")
    written = (tmp_path / "film.mp4").read_bytes()
    assert written.index(b"moov") < written.index(b"mdat"), "so that a browser plays what it has so far"
    whole = BytesIO()
    encoder = encoder_for(".mp4", (16, 16), 60, 400, lambda _count: [])(whole, False)
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 255, (2, 16, 16, 4), np.uint8)
    for index in range(400):
        encoder.add(pictures[index % 2])
    encoder.finish()
    assert whole.getvalue().index(b"moov") < whole.getvalue().index(b"mdat"), "of a long one too"


def test_there_is_no_film_without_steps(grid: RoadNetwork, result: Result) -> None:
    with pytest.raises(OptionError, match="steps of a search"):
        ReplayFilm(Scene.of(grid), SHOT, SearchWords.of(result))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is Linux's")
@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_film_for_which_the_disk_has_no_room_says_so(
    suffix: str, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FFmpeg itself says only that what it called has failed."""

    @contextmanager
    def full(_path: Path) -> Iterator[IO[bytes]]:
        file = Path("/dev/full").open("wb")  # noqa: SIM115 - closing it fails, too
        try:
            yield file
        finally:
            with suppress(OSError):
                file.close()

    monkeypatch.setattr(film_file, "write_whole", full)
    with pytest.raises(WriteError, match="cannot be written: No space left on device; free some"):
        write_film(film_of(result), tmp_path / f"film{suffix}")
