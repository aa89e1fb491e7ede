"""The open model, under which another one is chosen."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import State
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.menu_button import Chooser
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_GAP = 6
_SHORTEST_NAME, _LONGEST_SERVER = 48, 160


class ModelChip(Chooser):
    """Icon, name, precision or server, chooser. `clicked`: another one is wanted. `is_short` leaves out the precision.

    The name of a server is never left out, and cut last: what is said goes there.
    """

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, "Model", parent)
        self._name, self._detail, self._is_missing, self._is_on_server = "", "", False, False
        self._changes = ChangeDetector()
        self.is_short = False

    def show_model(self, name: str, detail: str, is_missing: bool, is_on_server: bool = False) -> None:
        """Show what is open. is_missing: its folder is not where it was. is_on_server: the detail names its server."""
        if not self._changes.has_changed(name, detail, is_missing, is_on_server):
            return
        self._name, self._detail = name or "No model", detail
        self._is_missing, self._is_on_server = is_missing, is_on_server
        spoken = ", ".join(part for part in (self._name, detail) if part)
        self.setAccessibleName(f"Model: {spoken}")
        self.setToolTip(spoken)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = self._lead() + self._style.text_style(TextRole.UI_MEDIUM).width(self._name) + self.sign_width
        return QSize(round(width + self._detail_width) + 1, self._style.typography.row)

    def minimumSizeHint(self) -> QSize:
        most = self._style.typography.scaled(_LONGEST_SERVER)
        detail = round(min(self._detail_width, most)) if self._is_on_server else 0
        return QSize(self._lead() + _SHORTEST_NAME + detail + self.sign_width, self._style.typography.row)

    @property
    def _detail_width(self) -> float:
        """Points that the detail takes with the gap before it."""
        if not self._detail or (self.is_short and not self._is_on_server):
            return 0.0
        return _GAP + self._style.text_style(TextRole.SMALL).width(self._detail)

    def _icon_size(self) -> int:
        return min(20, self._style.typography.icon())

    def _lead(self) -> int:
        """Room for the icon before the name."""
        return self._icon_size() + 12

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        fill = {State.HOVER: theme.fill2, State.PRESSED: theme.track}.get(state, theme.fill)
        fill_rounded(painter, rect, self.ring_radius, fill)
        if theme.outline.alpha():
            stroke_rounded(painter, rect, self.ring_radius, theme.outline)
        usual = Icon.SERVER if self._is_on_server else Icon.MODEL
        icon, tint = (Icon.WARN, theme.warn) if self._is_missing else (usual, theme.text2)
        middle = rect.center().y()
        self._style.icons.paint(painter, icon, QPointF(7 + self._icon_size() / 2, middle), tint, self._icon_size())
        self._paint_sign(painter, QPointF(rect.right() - self.sign_width / 2, middle), theme.text3)
        words = rect.adjusted(self._lead(), 0, -self.sign_width, 0)
        name_style = self._style.text_style(TextRole.UI_MEDIUM)
        room = words.width() - self._detail_width if self._is_on_server else words.width()
        name = QRectF(words)
        if name_style.width(self._name) > room + 1:
            name.setWidth(max(room, _SHORTEST_NAME))
        taken = draw_text(painter, name_style, name, self._name, theme.text)
        if self._detail_width:
            words.setLeft(words.left() + taken + _GAP)
            draw_text(painter, self._style.text_style(TextRole.SMALL), words, self._detail, theme.text3)
