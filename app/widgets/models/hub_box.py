"""The hub that is asked, and the access token for it, in a window of its own."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.viewmodels.hub.hub_region import HubRegion
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.models.model_card import FactLabel

_EDGE, _GROUP, _APART, _WIDTH = 20, 16, 8, 440
_ABOUT_ACCESS = (
    "Only for models that are not public. It is kept in the system’s keychain, sent to this hub alone, and "
    "shown nowhere."
)
_KEPT = "A token is kept for {host}. Enter another one to replace it."
_ADDRESS = "Leave it empty for huggingface.co, or for the one that HF_ENDPOINT names."


class Entry(LineField):
    """A field as wide as the sentences about it."""

    def sizeHint(self) -> QSize:
        return QSize(self._style.typography.scaled(_WIDTH), self._style.typography.row)


class HubBox(QDialog):
    """Asks for both. Attributes: address, token, remove_button, cancel_button, save_button."""

    def __init__(self, style: Style, hub: HubRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._hub = style, hub
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Hub")
        self.address = Entry(style, "Address of the hub", self)
        self.token = Entry(style, "Access token", self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setMaxLength(1000)
        self.remove_button = Button(style, "Remove Token", parent=self)
        self.cancel_button = Button(style, "Cancel", parent=self)
        self.save_button = Button(style, "Save", is_default=True, parent=self)
        self._problem = FactLabel(style, "", True, self)
        self._ring = FocusRing(style, self)
        self._stack()
        self._fill()
        for entry in (self.address, self.token):
            entry.returnPressed.connect(self.save)
        self.remove_button.clicked.connect(self._remove)
        self.cancel_button.clicked.connect(self.reject)
        self.save_button.clicked.connect(self.save)
        close_on_command(self)
        self.address.setFocus()

    def save(self) -> None:
        """Take both over and close, unless the address is none."""
        why = self._hub.choose_hub(self.address.text())
        self._problem.setText(why)
        self._problem.setVisible(bool(why))
        if not why:
            token = self.token.text().strip()
            self.token.clear()
            if token:
                self._hub.keep_token(token)
            self.accept()

    def _remove(self) -> None:
        self._hub.keep_token("")
        self.accept()

    def _fill(self) -> None:
        now = self._hub.state.now
        self.address.setText("" if self._hub.is_usual else self._hub.endpoint)
        self.address.setPlaceholderText(self._hub.endpoint)
        self.remove_button.setVisible(now.has_token)
        self._problem.hide()
        if now.has_token:
            self._about_token.setText(_KEPT.format(host=now.host))

    def _stack(self) -> None:
        style = self._style
        self._about_token = TextLabel(style, _ABOUT_ACCESS, TextRole.SMALL, True, self, _WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        column.setSpacing(_APART)
        column.addWidget(TextLabel(style, "Address", TextRole.HEADLINE, False, self))
        column.addWidget(self.address)
        column.addWidget(TextLabel(style, _ADDRESS, TextRole.SMALL, True, self, _WIDTH))
        column.addWidget(self._problem)
        column.addSpacing(_GROUP)
        column.addWidget(TextLabel(style, "Access token", TextRole.HEADLINE, False, self))
        column.addWidget(self.token)
        column.addWidget(self._about_token)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, _GROUP, 0, 0)
        foot.setSpacing(_APART)
        foot.addWidget(self.remove_button)
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
