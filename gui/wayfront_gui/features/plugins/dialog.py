"""The dialog of plug-ins: what is there, what each declares or why it is left out; files are added and removed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtWidgets import QDialog, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from wayfront.plugins.loading import Plugin, plugins
from wayfront_gui.app.job_dialog import closing_button, plain_button
from wayfront_gui.ui.controls import MARGIN, SPRING, ListRows, fit_screen, in_column, in_row, label
from wayfront_gui.ui.style import hint, one_line, text_scale
from wayfront_gui.ui.translation import marked, translated

SIZE = QSize(720, 380)
ABOUT = marked(
    "Algorithms, formats, colours and panels of other people, or your own. A plug-in is a program and can do all that "
    "you can: add only files that you trust. They are loaded at every start."
)


class PluginsDialog(QDialog):
    """Lists plug-ins; those of packages are installed and removed with these, and have no file to remove here."""

    def __init__(
        self,
        add: Callable[[], None],
        reload: Callable[[], None],
        remove: Callable[[str], None],
        changed: SignalInstance,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("Plug-ins"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._remove = remove
        self._plugins: tuple[Plugin, ...] = ()
        self.list = QTreeWidget()
        self.list.setAccessibleName(translated("Plug-ins"))
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setItemDelegate(ListRows(self.list))
        self.list.setHeaderLabels([translated("Plug-in"), translated("Declares")])
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._show_chosen)
        self.about = label(wrap=True)
        """Where the chosen plug-in is, and why it is left out."""
        self.add = plain_button(translated("Add…"), translated("Add a Python file"), "main", add)
        about = translated("Load all files again, which you may have changed")
        self.reload = plain_button(translated("Reload"), about, press=reload)
        about = translated("Use the chosen file no longer; it stays where it is")
        self.drop = plain_button(translated("Remove"), about, press=self._drop)
        self.close_button = closing_button(self)
        buttons = in_row(self.drop, self.reload, SPRING, self.close_button, self.add)
        parts = label(translated(ABOUT), wrap=True), (self.list, 1), self.about, buttons
        self.setLayout(in_column(*parts, margins=(MARGIN, MARGIN, MARGIN, MARGIN)))
        changed.connect(self.fill)
        self.fill()
        fit_screen(self, SIZE * text_scale.factor)

    def fill(self) -> None:
        """List what there is now."""
        self._plugins = plugins()
        self.list.clear()
        for plugin in self._plugins:
            declared = ", ".join(each.called for each in plugin.declared)
            text = translated("left out") if plugin.problem else declared or translated("nothing")
            item = QTreeWidgetItem([one_line(plugin.name), one_line(text)])
            item.setToolTip(1, hint(plugin.problem or declared))
            self.list.addTopLevelItem(item)
            self.list.setCurrentItem(item)
        self._show_chosen()

    @property
    def chosen(self) -> Plugin | None:
        """The plug-in of the chosen row."""
        row = self.list.currentIndex().row()
        return self._plugins[row] if 0 <= row < len(self._plugins) else None

    def _show_chosen(self) -> None:
        plugin = self.chosen
        where = "" if plugin is None else str(plugin.path or plugin.name)
        self.about.setText(where if plugin is None else plugin.problem or where)
        self.about.setProperty("tone", "bad" if plugin is not None and plugin.problem else "")
        self.about.style().polish(self.about)
        self.drop.setEnabled(plugin is not None and plugin.path is not None)
        self.reload.setEnabled(any(each.path is not None for each in self._plugins))

    def _drop(self) -> None:
        plugin = self.chosen
        if plugin is not None and plugin.path is not None:
            self._remove(str(plugin.path))
