"""The language of all texts, which changes at once and for good."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from wayfront_gui.app.commands import Command, offered
from wayfront_gui.app.feature import Host
from wayfront_gui.ui.retranslation import retranslate
from wayfront_gui.ui.translation import LANGUAGES, SYSTEM, spoken, translated, use_language

_OF_QT = "texts of Qt"


def speak(application: QApplication, chosen: str) -> str:
    """Show all texts in a language, or in that of the system, and return its code; Qt's texts where Qt has them."""
    code = spoken(QLocale.system().uiLanguages()) if chosen == SYSTEM else chosen
    use_language(code)
    for before in application.findChildren(QTranslator, _OF_QT):
        application.removeTranslator(before)
        before.setObjectName("")
        before.deleteLater()
    translator = QTranslator(application)
    translator.setObjectName(_OF_QT)
    if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
    return code


def show_again(host: Host) -> None:
    """Show everything in the language in use: what has texts, what panels made of them, and what is painted."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    retranslate(application)
    host.session.show_again()
    host.appearance.choose_theme(host.appearance.choice)


class Languages:
    """Changes the language of a window that goes on: searches, replay and what is open stay as they are."""

    def __init__(self, host: Host) -> None:
        self._host, self._settings, self._actions = host, host.settings, host.actions
        host.restored.connect(self._show)

    @offered(
        *(
            Command(
                f"help.language_{code}",
                name,
                hint="The language of all texts",
                at=(1, index),
                under="view/language",
                argument=code,
                group="language",
            )
            for index, (code, name) in enumerate({SYSTEM: "Language of the system", **LANGUAGES}.items())
        )
    )
    def change_language(self, choice: str) -> None:
        """Have all texts in another language, or in that of the system, from now on."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._settings.language = choice
        self._show()
        code = speak(application, choice)
        show_again(self._host)
        said = translated("All texts are in this language now: {language}.", language=LANGUAGES[code])
        self._host.controller.news.emit(said)

    def _show(self) -> None:
        self._actions[f"help.language_{self._settings.language}"].setChecked(True)
