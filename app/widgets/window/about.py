"""The About box, and the licences of everything that the program is built from."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QFile, QIODevice, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.model import about_text
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.program_icon import program_icon
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole

NOTICES = "resources:notices/notices.txt"
_WIDTH, _EDGE, _ICON, _ICON_TO_TEXT = 370, 24, 64, 20
_APART, _GROUP = 8, 16
_READING = QSize(860, 620)


class AboutBox(QDialog):
    """The program's name, its licence, its versions. Attributes: acknowledgements, copy_button, close_button."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Espalier")
        self.acknowledgements = Button(style, "Acknowledgements…", parent=self)
        self.acknowledgements.clicked.connect(self.show_acknowledgements)
        self.acknowledgements.setVisible(QFile.exists(NOTICES))
        self.copy_button = Button(style, "Copy Versions", parent=self)
        self.copy_button.clicked.connect(self._copy)
        self.close_button = Button(style, "Close", is_default=True, parent=self)
        self.close_button.clicked.connect(self.accept)
        self._ring = FocusRing(style, self)
        self._stack()
        close_on_command(self)
        self.close_button.setFocus()

    def show_acknowledgements(self) -> None:
        """Open the licences in a window of their own."""
        Acknowledgements(self._style, self).open()

    def _stack(self) -> None:
        icon = QLabel(self)
        icon.setPixmap(program_icon().pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))
        icon.setAccessibleName("Icon of Espalier")
        words = QVBoxLayout()
        words.setSpacing(0)
        self._add(words, "Espalier", TextRole.TITLE, after=4)
        self._add(words, about_text.WHAT, TextRole.UI, after=_APART)
        self._add(words, about_text.LICENCE, TextRole.UI, after=_GROUP)
        words.addLayout(self._versions())
        words.addSpacing(_GROUP)
        self._add(words, about_text.QT, TextRole.SMALL, is_quiet=True, after=_EDGE)
        words.addLayout(self._buttons())
        columns = QHBoxLayout(self)
        columns.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        columns.setSpacing(_ICON_TO_TEXT)
        columns.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        columns.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        columns.addLayout(words)

    def _add(self, words: QVBoxLayout, text: str, role: TextRole, after: int, is_quiet: bool = False) -> None:
        words.addWidget(TextLabel(self._style, text, role, is_quiet, self, _WIDTH))
        words.addSpacing(after)

    def _versions(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(_GROUP)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, number) in enumerate(about_text.versions(QCoreApplication.applicationVersion())):
            grid.addWidget(TextLabel(self._style, name, TextRole.CAP, True, self), row, 0)
            grid.addWidget(TextLabel(self._style, number, TextRole.CAP, False, self), row, 1)
        return grid

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(_APART)
        row.addWidget(self.acknowledgements)
        row.addWidget(self.copy_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(about_text.versions_text(QCoreApplication.applicationVersion()))


class Acknowledgements(QDialog):
    """All licences, to be read and copied. Attributes: text, close_button."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Acknowledgements")
        self.text = QPlainTextEdit(notices(), self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Acknowledgements")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.document().setDocumentMargin(_EDGE)
        use_slim_bar(self.text, style)
        self.close_button = Button(style, "Close", is_default=True, parent=self)
        self.close_button.clicked.connect(self.accept)
        self._ring = FocusRing(style, self)
        foot = QHBoxLayout()
        foot.setContentsMargins(_EDGE, _GROUP, _EDGE, _GROUP)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.text, 1)
        column.addLayout(foot)
        style.changed.connect(self._restyle)
        close_on_command(self)
        self._restyle()
        self.resize(_READING)

    def _restyle(self) -> None:
        self.text.setFont(self._style.text_style(TextRole.MONO).font)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.text.geometry().bottom() + 1, self.width(), 1, self._style.theme.line)
        painter.end()


def notices() -> str:
    """Return the licences that ship with the program, or "" where they are missing."""
    file = QFile(NOTICES)
    if not file.open(QIODevice.OpenModeFlag.ReadOnly):
        return ""
    return bytes(file.readAll().data()).decode("utf-8", "replace")


def show_about(style: Style, parent: QWidget) -> AboutBox:
    """Show the box; it goes when it is closed."""
    box = AboutBox(style, parent)
    box.open()
    return box
