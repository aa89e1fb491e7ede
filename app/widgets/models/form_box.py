"""A small window that asks for a few values: its fields, its sentences, what is wrong, and its buttons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.models.model_card import FactLabel

GROUP = 16
_EDGE, _APART, _WIDTH = 20, 8, 440


class FormField(LineField):
    """A field as wide as the sentences about it, with the button beside it, if it has one. Attribute: button."""

    button: Button | None = None

    def sizeHint(self) -> QSize:
        beside = 0 if self.button is None else self.button.sizeHint().width() + _APART
        return QSize(self._style.typography.scaled(_WIDTH) - beside, self._style.typography.row)


class FormBox(QDialog):
    """Asks for values, and stays open while one is refused. Attributes: column, cancel_button, save_button."""

    def __init__(
        self,
        style: Style,
        title: str,
        parent: QWidget | None = None,
        saved_by: str = "Save",
        others: Sequence[str] = (),
    ) -> None:
        """saved_by: words of the button that takes over what was entered; others: that it may come to have."""
        super().__init__(parent)
        self._style = style
        self._fields: list[FormField] = []
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.cancel_button = Button(style, "Cancel", parent=self)
        self.save_button = Button(style, saved_by, is_default=True, parent=self, others=others)
        self._problem = FactLabel(style, "", True, self)
        self._problem.setFixedWidth(style.typography.scaled(_WIDTH))
        self._problem.hide()
        self._ring = FocusRing(style, self)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        self.column.setSpacing(_APART)
        self.column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        self.cancel_button.clicked.connect(self.reject)
        self.save_button.clicked.connect(self.save)
        close_on_command(self)

    def save(self) -> None:
        """Take over what was entered and close, unless it is refused: then say why."""
        why = self.take()
        self.show_problem(why)
        if not why:
            self.accept()

    def show_problem(self, why: str) -> None:
        """Say what is wrong with what was entered, nothing for ""."""
        self._problem.setText(why)
        self._problem.setVisible(bool(why))

    def take(self) -> str:
        """Take over what was entered. Returns why it is refused, "" where it is not."""
        raise NotImplementedError

    def add_field(self, title: str, field: FormField, about: str) -> TextLabel:
        """Put a field below the others, under its title and above the sentence about it. Returns that.

        The button of the field, if it has one, stands beside it.
        """
        said = TextLabel(self._style, about, TextRole.SMALL, True, self, _WIDTH)
        self.column.addWidget(TextLabel(self._style, title, TextRole.HEADLINE, False, self, _WIDTH))
        row = QHBoxLayout()
        row.setSpacing(_APART)
        row.addWidget(field)
        if field.button is not None:
            row.addWidget(field.button)
        self.column.addLayout(row)
        self.column.addWidget(said)
        field.returnPressed.connect(self.save)
        self._fields.append(field)
        return said

    def add_problem(self) -> None:
        """Put what is wrong with the fields so far below them."""
        self.column.addWidget(self._problem)

    def add_buttons(self, first: Button | None = None) -> None:
        """Put the buttons at the foot; first: one that stands apart from the others."""
        foot = QHBoxLayout()
        foot.setContentsMargins(0, GROUP, 0, 0)
        foot.setSpacing(_APART)
        apart = [] if first is None else [first]
        for button in apart:
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.cancel_button)
        foot.addWidget(self.save_button)
        self.column.addLayout(foot)
        fields = [one for field in self._fields for one in (field, field.button) if one is not None]
        for before, after in pairwise([*fields, *apart, self.cancel_button, self.save_button]):
            self.setTabOrder(before, after)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._style.theme.panel)
        painter.end()
