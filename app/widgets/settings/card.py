"""A group of rows in a frame, under its title."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.widgets.kit.drawing import smooth, stroke_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole

LEAST_BUTTON = 60  # points: in a narrow pane with large text its words are cut
_RADIUS, _INSET, _BETWEEN = 9, 12, 10


class Words(QLabel):
    """A paragraph in the smallest type, which is not there while it has nothing to say."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._is_wrong = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.hide()
        style.changed.connect(self._restyle)
        self._restyle()

    def say(self, text: str, is_wrong: bool = False) -> None:
        """Say this; is_wrong: as an error."""
        if (text, is_wrong) != (self.text(), self._is_wrong):
            self._is_wrong = is_wrong
            self.setText(text)
            self._restyle()
        self.setVisible(bool(text))

    def _restyle(self) -> None:
        theme = self._style.theme
        self.setFont(self._style.text_style(TextRole.CAP).font)
        colors = QPalette()
        colors.setColor(QPalette.ColorRole.WindowText, theme.err if self._is_wrong else theme.text3)
        self.setPalette(colors)


class Card(QWidget):
    """A title, and below it rows in a frame. Attribute: title."""

    def __init__(self, style: Style, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self.setAccessibleName(title)
        self.title = TextLabel(style, title, TextRole.HEADLINE, is_quiet=False, parent=self)
        self._frame = _Frame(style, self)
        self._rows = QVBoxLayout(self._frame)
        self._rows.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        self._rows.setSpacing(_BETWEEN)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self._frame)

    @property
    def ground(self) -> QWidget:
        """The widget that rows have as their parent."""
        return self._frame

    def add(self, row: QWidget) -> None:
        """Put a row below the others."""
        self._rows.addWidget(row)


class _Frame(QWidget):
    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        style.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        stroke_rounded(painter, QRectF(self.rect()), _RADIUS, theme.line)
        painter.end()
