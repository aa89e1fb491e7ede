"""The page of the servers that were added, and of their models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.protocol.excerpts import first_words
from app.viewmodels.kit.settings import ServerState
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.servers.server_rows import is_server, server_of
from app.viewmodels.servers.servers_region import ServersRegion
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.models.list_page import ListPage
from app.widgets.models.server_box import ServerBox
from app.widgets.models.server_view import ServerView

NOTHING = (
    "No server was added. Add one to talk with models that run elsewhere: mlx_lm.server, llama.cpp, vLLM, SGLang, "
    "Ollama, LM Studio. Nothing is sent to a server before you open a model of it, and each conversation asks first."
)


class ServersPage(ListPage):
    """A field that filters, the servers with their models, and what can be done with the one that is selected.

    Attributes: add_button, look_button, change_button, remove_button.
    """

    id = "servers"
    title = "Servers"

    def __init__(
        self, style: Style, models: ModelRegion, servers: ServersRegion, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, models, "Filter servers and models", parent)
        self._servers = servers
        self._rows = ModelRows(self)
        self.list = ServerView(style, self._rows, self)
        self.add_button = Button(style, "Add Server…", parent=self)
        self.look_button = Button(style, "Look Again", parent=self)
        self.change_button = Button(style, "Change…", parent=self)
        self.remove_button = Button(style, "Remove", parent=self)
        self.add_button.clicked.connect(self.ask_for_server)
        self.look_button.clicked.connect(lambda: self.act(self._look_again))
        self.change_button.clicked.connect(lambda: self.act(lambda row: self.change(server_of(row.id))))
        self.remove_button.clicked.connect(lambda: self.act(self._remove))
        servers.state.changed.connect(self.refresh)
        servers.added.connect(self._come_to)
        self.set_up()

    @property
    def at_left(self) -> Sequence[Button]:
        return self.add_button, self.look_button, self.change_button, self.remove_button

    @property
    def is_busy(self) -> bool:
        """Whether a model is being opened, or a server asked."""
        return self._models.current_model.loading is not None or bool(self._servers.state.now.looking)

    def refresh(self) -> None:
        """Show what matches what is typed: a server with any of its models, on the row that one was on."""
        now, text, was_empty = self._servers.state.now, self.field.text(), not self._rows.rows
        matching = {server_of(row.id) for row in now.rows if row.matches(text)}
        own = {server_of(row.id) for row in now.rows if is_server(row) and row.matches(text)}
        self._rows.show(
            [row for row in now.rows if row.matches(text) or server_of(row.id) in (matching if is_server(row) else own)]
        )
        if was_empty or not self.list.currentIndex().isValid():
            self.list.select(0)
        nothing = f"No server and no model matches {quoted(first_words(text, 60))}." if now.rows else NOTHING
        self.list.show_hint("" if self._rows.rows else nothing)
        if now.problem is not None:
            self.tell(now.problem)
        elif now.looking:
            self.problem.hide()
        self.refresh_buttons()

    def refresh_buttons(self) -> None:
        """Show what can be done with the selected row."""
        row = self.list.row
        is_model = row is not None and not is_server(row)
        self.open_button.setEnabled(is_model and row is not None and not row.reason and not row.is_current)
        for button in (self.look_button, self.change_button, self.remove_button):
            button.setVisible(row is not None)
        self.look_button.setEnabled(not self._servers.state.now.looking)
        self.stop_button.setVisible(self.is_busy)

    def _come_to(self, server: ServerState) -> None:
        """Select the first model of a server that has answered, or the server where it has none."""
        self._servers.state.catch_up()
        numbers = [number for number, row in enumerate(self._rows.rows) if server_of(row.id) == server.id]
        if numbers:
            self.list.select(numbers[min(1, len(numbers) - 1)])
            self.list.setFocus()

    # What the person does

    def ask_for_server(self) -> None:
        """Ask for a server to be added, without stopping anything else."""
        self._show_box(ServerBox(self._style, self._servers, None, self))

    def change(self, server_id: str) -> None:
        """Ask what is to be another about a server that was added. Without effect where it is gone."""
        server = self._servers.server(server_id)
        if server is not None:
            self._show_box(ServerBox(self._style, self._servers, server, self))

    def choose(self, row: ModelRow) -> None:
        """Open a model; look again at a server."""
        self.problem.hide()
        if is_server(row):
            self._look_again(row)
        else:
            self.open(row.id)

    def stop(self) -> None:
        """Stop the opening of a model, or else the asking of a server."""
        if self._models.current_model.loading is not None:
            self._models.stop_opening()
        else:
            self._servers.give_up()

    def show_menu(self, row: ModelRow, at: QPoint) -> None:
        """Show the menu of a row at a place on screen."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not is_server(row):
            menu.addAction("Open", partial(self.choose, row)).setEnabled(not row.reason and not row.is_current)
        menu.addAction("Look Again", partial(self._look_again, row))
        menu.addAction("Change Server…", partial(self.change, server_of(row.id)))
        menu.addAction("Remove Server", partial(self._remove, row))
        menu.popup(at)

    def _show_box(self, box: ServerBox) -> None:
        self.problem.hide()
        box.open()

    def _look_again(self, row: ModelRow) -> None:
        self._servers.look_again(server_of(row.id))

    def _remove(self, row: ModelRow) -> None:
        self._servers.remove(server_of(row.id))
