"""How many tokens a model reads at most, in a window of its own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.models.hub_box import Entry
from app.widgets.models.model_card import FactLabel

_EDGE, _GROUP, _APART, _WIDTH = 20, 16, 8, 440
_LONGEST = 40  # characters
_ABOUT = (
    "A conversation and the answer to it take at most so many tokens. Fewer keep the cache small; what is cached stays "
    "when the limit changes. Leave the field empty for as many as the model allows"
)


class ContextBox(QDialog):
    """Asks for a model's context limit. Attributes: field, cancel_button, save_button."""

    def __init__(self, style: Style, models: ModelRegion, path: str, name: str, parent: QWidget | None = None) -> None:
        """Ask for the limit of the model at a path."""
        super().__init__(parent)
        self._style, self._models, self._path = style, models, path
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Limit Context")
        self.field = Entry(style, f"Context limit of {name} in tokens", self)
        self.field.setMaxLength(_LONGEST)
        self.cancel_button = Button(style, "Cancel", parent=self)
        self.save_button = Button(style, "Save", is_default=True, parent=self)
        self._problem = FactLabel(style, "", True, self)
        self._ring = FocusRing(style, self)
        own, limit = models.own_context(path), models.current_model.context_limit_of(path)
        self._stack(name, f"{_ABOUT}: {formatting.tokens(own)}." if own else f"{_ABOUT}.")
        self.field.setPlaceholderText("As long as the model allows")
        self.field.setText("" if limit is None else str(limit))
        self._problem.hide()
        self.field.returnPressed.connect(self.save)
        self.cancel_button.clicked.connect(self.reject)
        self.save_button.clicked.connect(self.save)
        close_on_command(self)
        self.field.setFocus()

    def save(self) -> None:
        """Take the limit over and close, unless it is none."""
        why = self._models.limit_context(self._path, self.field.text())
        self._problem.setText(why)
        self._problem.setVisible(bool(why))
        if not why:
            self.accept()

    def _stack(self, name: str, about: str) -> None:
        style = self._style
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        column.setSpacing(_APART)
        column.addWidget(TextLabel(style, f"Context of {name}, at most", TextRole.HEADLINE, False, self, _WIDTH))
        column.addWidget(self.field)
        column.addWidget(TextLabel(style, about, TextRole.SMALL, True, self, _WIDTH))
        column.addWidget(self._problem)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, _GROUP, 0, 0)
        foot.setSpacing(_APART)
        foot.addStretch(1)
        foot.addWidget(self.cancel_button)
        foot.addWidget(self.save_button)
        column.addLayout(foot)
        self._problem.setFixedWidth(style.typography.scaled(_WIDTH))
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._style.theme.panel)
        painter.end()
