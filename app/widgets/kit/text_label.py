"""A label whose words follow the style."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole


class TextLabel(QLabel):
    """Words in one text role, to be read and selected, without markup.

    is_quiet: in the second colour of text. width: of a paragraph, in points at the usual text size; 0 for a single
    line, as long as it is.
    """

    def __init__(
        self, style: Style, text: str, role: TextRole, is_quiet: bool, parent: QWidget, width: int = 0
    ) -> None:
        super().__init__(text, parent)
        self._style = style
        self._role = role
        self._is_quiet = is_quiet
        self._wanted = width
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(width > 0)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        style.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        theme = self._style.theme
        self.setFont(self._style.text_style(self._role).font)
        if self._wanted:
            self.setFixedWidth(self._style.typography.scaled(self._wanted))
        colors = QPalette()
        colors.setColor(QPalette.ColorRole.WindowText, theme.text2 if self._is_quiet else theme.text)
        self.setPalette(colors)
