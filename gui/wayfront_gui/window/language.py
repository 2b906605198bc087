"""The language of the window and of Qt's own dialogs, chosen before there is a window."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from wayfront_gui.translation import SYSTEM, spoken, use_language


def speak(application: QApplication, chosen: str) -> str:
    """Show all texts in a language, or in that of the system, and return its code; Qt's texts where Qt has them."""
    code = spoken(QLocale.system().uiLanguages()) if chosen == SYSTEM else chosen
    use_language(code)
    translator = QTranslator(application)
    if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
    return code
