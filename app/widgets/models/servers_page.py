"""The page of the servers that were added, and of their models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.protocol.reports import Problem
from app.viewmodels.kit.settings import ServerState
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.servers.server_rows import is_server, server_of
from app.viewmodels.servers.servers_region import ServersRegion
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.controls import Button
from app.widgets.kit.pane import Pane
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.models.server_box import ServerBox
from app.widgets.models.server_view import ServerView

_EDGE, _APART, _INSET = 16, 8, 12
NOTHING = (
    "No server was added. Add one to talk with models that run elsewhere: mlx_lm.server, llama.cpp, vLLM, SGLang, "
    "Ollama, LM Studio. Nothing is sent to a server before you open a model of it, and each conversation asks first."
)


class ServersPage(Pane):
    """A field that filters, the servers with their models, and what can be done with the one that is selected.

    Attributes: field, list, add_button, look_button, change_button, remove_button, stop_button, open_button; problem,
    which says why a server was not asked, or a model not opened.
    """

    id = "servers"
    title = "Servers"

    def __init__(
        self, style: Style, models: ModelRegion, servers: ServersRegion, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._style, self._models, self._servers = style, models, servers
        self._rows = ModelRows(self)
        self.field = SearchField(style, "Filter servers and models", "Filter", parent=self)
        self.list = ServerView(style, self._rows, self)
        self.problem = TextLabel(style, "", TextRole.SMALL, False, self)
        self.problem.setWordWrap(True)
        self.add_button = Button(style, "Add Server…", parent=self)
        self.look_button = Button(style, "Look Again", parent=self)
        self.change_button = Button(style, "Change…", parent=self)
        self.remove_button = Button(style, "Remove", parent=self)
        self.stop_button = Button(style, "Stop", parent=self)
        self.open_button = Button(style, "Open", is_default=True, parent=self)
        self._stack()
        self._connect()
        self.problem.hide()
        self._refresh()

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The field, the list, and the buttons from the left."""
        return self.field, self.list, *self._at_left, self.stop_button, self.open_button

    @property
    def _at_left(self) -> Sequence[Button]:
        return self.add_button, self.look_button, self.change_button, self.remove_button

    def _stack(self) -> None:
        above = QHBoxLayout()
        above.setContentsMargins(_EDGE, _INSET, _EDGE, _APART)
        above.addWidget(self.field)
        said = QHBoxLayout()
        said.setContentsMargins(_EDGE, _APART, _EDGE, 0)
        said.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setContentsMargins(_EDGE, _INSET, _EDGE, _INSET)
        foot.setSpacing(_APART)
        for button in self._at_left:
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.stop_button)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self.list, 1)
        column.addLayout(said)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._filter)
        self.field.entered.connect(self.list.choose)
        self.field.escaped.connect(lambda: self.window().close())
        self.list.set_field(self.field)
        self.list.chosen.connect(self._choose)
        self.list.menuAsked.connect(self._show_menu)
        self.list.selectionModel().currentChanged.connect(self._refresh_buttons)
        self.add_button.clicked.connect(self.ask_for_server)
        self.look_button.clicked.connect(lambda: self._act(self._look_again))
        self.change_button.clicked.connect(lambda: self._act(self._change))
        self.remove_button.clicked.connect(lambda: self._act(self._remove))
        self.stop_button.clicked.connect(self._stop)
        self.open_button.clicked.connect(lambda: self._act(self._choose))
        self._servers.state.changed.connect(self._refresh)
        self._servers.added.connect(self._come_to)
        self._models.current_model.kept.connect(self._tell)
        self._models.current_model.changed.connect(self._tell_missing)

    # What changes

    def _refresh(self) -> None:
        """Show what matches what is typed: a server with any of its models, on the row that one was on."""
        now, text, was_empty = self._servers.state.now, self.field.text(), not self._rows.rows
        matching = {server_of(row.id) for row in now.rows if row.matches(text)}
        own = {server_of(row.id) for row in now.rows if is_server(row) and row.matches(text)}
        self._rows.show(
            [row for row in now.rows if row.matches(text) or server_of(row.id) in (matching if is_server(row) else own)]
        )
        if was_empty or not self.list.currentIndex().isValid():
            self.list.select(0)
        nothing = f"No server and no model matches {quoted(text.strip()[:60])}." if now.rows else NOTHING
        self.list.show_hint("" if self._rows.rows else nothing)
        if now.problem is not None:
            self._tell(now.problem)
        elif now.looking:
            self.problem.hide()
        self._refresh_buttons()

    def _come_to(self, server: ServerState) -> None:
        """Select the first model of a server that has answered, or the server where it has none."""
        self._servers.state.catch_up()
        numbers = [number for number, row in enumerate(self._rows.rows) if server_of(row.id) == server.id]
        if numbers:
            self.list.select(numbers[min(1, len(numbers) - 1)])
            self.list.setFocus()

    def _filter(self) -> None:
        self._refresh()
        self.list.select(0)
        self.list.scrollToTop()

    def _refresh_buttons(self) -> None:
        row = self.list.row
        is_model = row is not None and not is_server(row)
        self.open_button.setEnabled(is_model and row is not None and not row.reason and not row.is_current)
        for button in (self.look_button, self.change_button, self.remove_button):
            button.setVisible(row is not None)
        self.look_button.setEnabled(not self._servers.state.now.looking)
        self.stop_button.setVisible(self._is_busy)

    @property
    def _is_busy(self) -> bool:
        """Whether a model is being opened, or a server asked."""
        return self._models.current_model.loading is not None or bool(self._servers.state.now.looking)

    def _tell(self, problem: Problem) -> None:
        """Say why a server was not asked, or a model not opened, where it was asked for."""
        self.problem.setText(f"{problem.title}. {problem.sentence}")
        self.problem.show()

    def _tell_missing(self) -> None:
        if self._models.current_model.problem is not None:
            self._tell(self._models.current_model.problem)

    # What the person does

    def ask_for_server(self) -> None:
        """Ask for a server to be added, without stopping anything else."""
        self._show_box(ServerBox(self._style, self._servers, None, self))

    def _show_box(self, box: ServerBox) -> None:
        self.problem.hide()
        box.open()

    def _act(self, act: Callable[[ModelRow], object]) -> None:
        row = self.list.row
        if row is not None:
            act(row)

    def _choose(self, row: ModelRow) -> None:
        self.problem.hide()
        if is_server(row):
            self._look_again(row)
        else:
            self._models.open(row.id)

    def _look_again(self, row: ModelRow) -> None:
        self._servers.look_again(server_of(row.id))

    def _change(self, row: ModelRow) -> None:
        server = self._servers.server(server_of(row.id))
        if server is not None:
            self._show_box(ServerBox(self._style, self._servers, server, self))

    def _remove(self, row: ModelRow) -> None:
        self._servers.remove(server_of(row.id))

    def _stop(self) -> None:
        """Stop the opening of a model, or else the asking of a server."""
        if self._models.current_model.loading is not None:
            self._models.stop_opening()
        else:
            self._servers.give_up()

    def _show_menu(self, row: ModelRow, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not is_server(row):
            menu.addAction("Open", partial(self._choose, row)).setEnabled(not row.reason and not row.is_current)
        menu.addAction("Look Again", partial(self._look_again, row))
        menu.addAction("Change Server…", partial(self._change, row))
        menu.addAction("Remove Server", partial(self._remove, row))
        menu.popup(at)

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing has a use for are meant for the filter; Escape clears it, then closes the window."""
        if event.key() == Qt.Key.Key_Escape and self._is_busy:
            self._stop()
        elif event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        elif not self.field.take_letter(event):
            super().keyPressEvent(event)
