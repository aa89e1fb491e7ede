"""The page of the models that this machine has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.protocol.excerpts import first_words
from app.protocol.references import is_on_server
from app.protocol.reports import Problem
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import folder_dialog
from app.widgets.kit.style import Style
from app.widgets.models.context_box import ContextBox
from app.widgets.models.list_page import ListPage
from app.widgets.models.model_view import ModelView

_IS_MAC = sys.platform == "darwin"
SHOW = "Show in Finder" if _IS_MAC else "Show in Folder"
NOTHING = (
    "There is no model of your own on this machine yet. Get Models fetches one, and Add Folder… lists those of a "
    "folder. Models of Hugging Face, LM Studio and Ollama are found by themselves."
)
LOOKING = "Looking for models…"


class OnThisMachine(ListPage):
    """A field that filters, the models, and what can be done with the one that is selected.

    Attributes: add_button, remove_button, show_button, verify_button, more_button.
    """

    id = "here"
    title = "On This Mac" if _IS_MAC else "On This Computer"

    def __init__(self, style: Style, models: ModelRegion, parent: QWidget | None = None) -> None:
        super().__init__(style, models, "Filter models", parent)
        self._rows = ModelRows(self)
        self._dialog: QFileDialog | None = None
        self.list = ModelView(style, self._rows, self)
        self.add_button = Button(style, "Add Folder…", parent=self)
        self.remove_button = Button(style, "Remove Folder", parent=self)
        self.show_button = Button(style, SHOW, parent=self)
        self.verify_button = Button(style, "Verify Files", parent=self)
        self.more_button = Button(style, "More…", parent=self)
        self.add_button.clicked.connect(self.ask_for_folder)
        self.remove_button.clicked.connect(lambda: self.act(self._remove))
        self.show_button.clicked.connect(lambda: self.act(self._show_files))
        self.verify_button.clicked.connect(lambda: self.act(self._verify))
        self.more_button.clicked.connect(lambda: self.act(self._show_more))
        models.list.state.changed.connect(self.refresh)
        models.list.search.ended.connect(self.refresh)
        models.list.file_check.changed.connect(self.refresh_buttons)
        models.list.file_check.ended.connect(self.tell)
        self.set_up()

    @property
    def at_left(self) -> Sequence[Button]:
        return self.add_button, self.remove_button, self.show_button, self.verify_button, self.more_button

    # What changes

    def refresh(self) -> None:
        """Show the models that match what is typed, on the row that one was on."""
        text = self.field.text()
        was_empty = not self._rows.rows
        self._rows.show([row for row in self._known if row.matches(text)])
        if was_empty or not self.list.currentIndex().isValid():
            self.list.select(0)
        self.list.show_hint(self._hint)
        self.refresh_buttons()

    def refresh_buttons(self) -> None:
        """Show what can be done with the selected row."""
        row = self.list.row
        self.open_button.setEnabled(row is not None and not row.reason and not row.is_current)
        self.show_button.setEnabled(row is not None)
        self.more_button.setEnabled(row is not None)
        self.remove_button.setVisible(row is not None and row.is_added)
        self.verify_button.setVisible(row is not None and row.can_be_verified)
        self.stop_button.setVisible(self.is_busy)

    @property
    def _known(self) -> Sequence[ModelRow]:
        """The models of this machine; those of servers have a page of their own."""
        return [row for row in self._models.list.state.now if not is_on_server(row.id)]

    @property
    def is_busy(self) -> bool:
        """Whether a model is being opened, or files are checked."""
        return self._models.current_model.loading is not None or bool(self._models.list.file_check.state.model_id)

    @property
    def _hint(self) -> str:
        """Return what there is to say instead of a list, or below one that holds the guide alone."""
        known, text = self._known, self.field.text().strip()
        if text and known:
            return "" if self._rows.rows else f"No model matches {quoted(first_words(text, 60))}."
        if any(row.id != self._models.current_model.guide for row in known):
            return ""
        return LOOKING if self._models.list.search.is_running else NOTHING

    # What the person does

    def ask_for_folder(self) -> None:
        """Ask for a folder to be looked through, without stopping anything else."""
        if self._dialog is None:
            self._dialog = folder_dialog("Add Folder", self._models.list.add_folder, self)
        self._dialog.open()

    def choose(self, row: ModelRow) -> None:
        """Open a model."""
        self.open(row.id)

    def _verify(self, row: ModelRow) -> None:
        self.problem.hide()
        self._models.list.file_check.start(row.id, row.name)

    def stop(self) -> None:
        """Stop the opening of a model, or else the check of files."""
        if self._models.current_model.loading is not None:
            self._models.stop_opening()
        else:
            self._models.list.file_check.stop()

    def _remove(self, row: ModelRow) -> None:
        self._models.list.remove_folder(row.root)

    def _show_files(self, row: ModelRow) -> None:
        """Show the model's folder in the system's file manager; of one in Ollama's store, the store."""
        folder = row.id if Path(row.id).is_absolute() else row.root
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(folder)):
            self.tell(Problem(row.name, f"It is in {folder}."))

    def _show_more(self, row: ModelRow) -> None:
        """Show the menu of a row where no mouse is needed for it."""
        self.show_menu(row, self.more_button.mapToGlobal(QPoint(0, 0)))

    def show_menu(self, row: ModelRow, at: QPoint) -> None:
        """Show the menu of a row at a place on screen."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self.choose(row)).setEnabled(not row.reason and not row.is_current)
        menu.addAction("Add Adapter…", lambda: self.ask_for_adapter(row.id)).setEnabled(not row.reason)
        adapter = self._models.current_model.adapter_of(row.id)
        if adapter:
            name = Path(adapter).name.replace("&", "&&")
            menu.addAction(f"Open Without the Adapter {name}", lambda: self.open(row.id, ""))
        menu.addAction("Limit Context…", lambda: self.ask_for_limit(row)).setEnabled(not row.reason)
        menu.addAction(SHOW, lambda: self._show_files(row))
        if row.can_be_verified:
            menu.addAction("Verify Files", lambda: self._verify(row))
        if row.is_added:
            menu.addAction(f"Remove {Path(row.root).name.replace('&', '&&')} from the List", lambda: self._remove(row))
        menu.popup(at)

    def ask_for_adapter(self, model: str) -> None:
        """Ask for the folder of an adapter, with which the model is opened then and from then on."""
        dialog = folder_dialog("Add Adapter", lambda folder: self.open(model, folder), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def ask_for_limit(self, row: ModelRow) -> None:
        """Ask how many tokens a model may read at most."""
        ContextBox(self._style, self._models, row.id, row.name, self).open()

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        """Search again: a model may have been downloaded, or deleted, since."""
        super().showEvent(event)
        self._models.list.look()
