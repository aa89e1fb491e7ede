"""One model of a hub: what one decides by, and the buttons that download or open it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.viewmodels.hub.hub_state import Fact, ModelCard
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Button
from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole

_EDGE, _INSET, _APART, _GROUP = 16, 14, 8, 12
_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


class FactLabel(QLabel):
    """Words that wrap and can be selected. is_bad: they are in the colour of a warning."""

    def __init__(self, style: Style, text: str, is_bad: bool, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._style, self._is_bad = style, is_bad
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(_SELECTABLE)
        style.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        theme, colors = self._style.theme, QPalette()
        self.setFont(self._style.text_style(TextRole.UI).font)
        colors.setColor(QPalette.ColorRole.WindowText, theme.warn if self._is_bad else theme.text)
        self.setPalette(colors)


class FactGroup(QWidget):
    """Facts in a frame, each beside what it is about."""

    def __init__(self, style: Style, facts: Sequence[Fact], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setAccessibleName(", ".join(f"{fact.about}: {fact.text}" for fact in facts))
        grid = QGridLayout(self)
        grid.setContentsMargins(_INSET, _GROUP, _INSET, _GROUP)
        grid.setHorizontalSpacing(2 * _APART)
        grid.setVerticalSpacing(_GROUP)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for row, fact in enumerate(facts):
            if fact.about:
                grid.addWidget(TextLabel(style, fact.about, TextRole.UI, True, self), row, 0, top)
            label = FactLabel(style, fact.text, fact.is_bad, self)
            grid.addWidget(label, row, 1 if fact.about else 0, 1, 1 if fact.about else 2)
        style.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._style.theme, smooth(QPainter(self))
        fill_rounded(painter, QRectF(self.rect()), 10, theme.raised)
        stroke_rounded(painter, QRectF(self.rect()), 10, theme.line)
        painter.end()


class CardView(QWidget):
    """The model that is looked at. Attributes: back_button, token_button, again_button, action_button.

    Signals: left, back to the list; acted, its button was pressed; againAsked, it is to be downloaded again;
    tokenAsked, an access token is to be entered.
    """

    left = Signal()
    acted = Signal()
    againAsked = Signal()
    tokenAsked = Signal()

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._changes = ChangeDetector()
        self.back_button = Button(style, "Back", icon=Icon.LEFT, parent=self)
        self.token_button = Button(style, "Access Token…", parent=self)
        self.again_button = Button(style, "Download Again", parent=self)
        self.action_button = Button(style, "Download", is_default=True, parent=self)
        self._title = TextLabel(style, "", TextRole.SUBTITLE, False, self)
        self._author = TextLabel(style, "", TextRole.SMALL, True, self)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setAccessibleName("About the model")
        self._area.viewport().setAutoFillBackground(False)
        use_slim_bar(self._area, style)
        self._stack()
        self.back_button.clicked.connect(self.left)
        self.token_button.clicked.connect(self.tokenAsked)
        self.again_button.clicked.connect(self.againAsked)
        self.action_button.clicked.connect(self.acted)

    def show_card(self, card: ModelCard, asked: str) -> None:
        """Show a model. asked: what is said while the hub is being asked."""
        if not self._changes.has_changed(card, asked):
            return
        author, _, title = card.name.rpartition("/")
        self._title.setText(title)
        self._author.setText(author)
        self._author.setVisible(bool(author))
        self.setAccessibleName(card.name)
        self.action_button.setVisible(bool(card.action))
        self.action_button.set_text(card.action or "Download")
        self.action_button.setEnabled(card.can_act)
        self.token_button.setVisible(card.wants_token)
        self.again_button.setVisible(card.can_fetch_again)
        content = self._content(card, asked)
        self._area.setWidget(content)
        content.setAutoFillBackground(False)  # which `setWidget` turns on

    def _content(self, card: ModelCard, asked: str) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GROUP)
        if card.is_loading:
            column.addWidget(TextLabel(self._style, asked, TextRole.UI, True, content))
        if card.problem is not None:
            said = (Fact("", card.problem.title, True), Fact("", card.problem.sentence))
            column.addWidget(FactGroup(self._style, said, content))
        if card.facts:
            column.addWidget(FactGroup(self._style, card.facts, content))
        column.addStretch(1)
        return content

    def _stack(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, _GROUP, _EDGE, _GROUP)
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self._author)
        column.addSpacing(_GROUP)
        column.addWidget(self._area, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, _GROUP, 0, 0)
        foot.setSpacing(_APART)
        foot.addWidget(self.back_button)
        foot.addStretch(1)
        foot.addWidget(self.token_button)
        foot.addWidget(self.again_button)
        foot.addWidget(self.action_button)
        column.addLayout(foot)
