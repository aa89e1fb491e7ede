"""The list of servers: each server, and indented below it its models."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.servers.server_rows import is_server
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.two_line_list import RowColors, TwoLineList
from app.widgets.models.model_view import ModelDelegate

_ICON, _INDENT = 16, 24


class ServerDelegate(ModelDelegate):
    """Paints a server with its icon, and a model as in the list of models."""

    def paint_lines(self, painter: QPainter, first: QRectF, second: QRectF, row: ModelRow, colors: RowColors) -> None:
        if is_server(row):
            at = QPointF(first.left() + _ICON / 2, first.center().y())
            self._style.icons.paint(painter, Icon.SERVER, at, self._style.theme.text2, _ICON)
        indent = (_INDENT, 0, 0, 0)
        super().paint_lines(painter, first.adjusted(*indent), second.adjusted(*indent), row, colors)


class ServerView(TwoLineList[ModelRow]):
    """Return, and a double click, choose a row: a model is opened, a server asked again."""

    def __init__(self, style: Style, rows: ModelRows, parent: QWidget | None = None) -> None:
        super().__init__(style, rows, ServerDelegate, "Servers and their models", parent, is_chosen_by_click=False)

    def can_choose(self, row: ModelRow) -> bool:
        return not row.reason
