"""Starting the window: what is refused before there is one."""

from __future__ import annotations

import pytest

from wayfront_gui.app import start as app


class OpenedError(Exception):
    """An application was made."""


@pytest.fixture
def no_application(monkeypatch: pytest.MonkeyPatch) -> None:
    class Application:
        instance = staticmethod(lambda: None)

        def __new__(cls, *_arguments: object) -> Application:
            raise OpenedError

    monkeypatch.setattr(app, "QApplication", Application)


@pytest.mark.usefixtures("no_application")
def test_a_file_that_does_not_exist_is_refused_before_there_is_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run("nope.gr") == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "wayfront: nope.gr: there is no such file\n")


@pytest.mark.usefixtures("no_application")
@pytest.mark.parametrize("name", [None, "synthetic:grid?n=9", "dimacs:NY", __file__])
def test_files_and_names_of_networks_are_not_refused(name: str | None) -> None:
    with pytest.raises(OpenedError):
        app.run(name)
