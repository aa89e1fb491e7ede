"""What has gone wrong, and the way on: a card in the composer's place, or a banner under the toolbar."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from app.viewmodels.kit.notices import Notice, Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.widgets.kit.accessible import speak_as
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Button, ToolButton
from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole, TextStyle

_RADIUS, _TEXT_LEFT, _RIGHT, _ABOVE, _BELOW, _ICON = 12, 56, 28, 18, 18, 20
_TITLE_GAP, _BUTTON_GAP, _APART = 6, 16, 10
_BANNER, _BANNER_SIDE, _BANNER_ICON = 44, 20, 26


class ProblemView(QWidget):
    """A card: icon, title, one sentence, the way on, and others. `acted` carries the verb of a button.

    The card itself takes the keyboard, so that whoever was typing presses no button; Tab leads to the buttons.
    """

    acted = Signal(str)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._card = ProblemCard("", "", "", "")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        speak_as(self, QAccessible.Role.Grouping)
        self.action = Button(style, "", is_default=True, parent=self)
        self.other = Button(style, "", parent=self)
        self.choices: list[Button] = []
        self.action.clicked.connect(lambda: self.acted.emit(self._card.action_id))
        self.other.clicked.connect(lambda: self.acted.emit(self._card.other_id))
        style.changed.connect(self._arrange)

    def show_problem(self, card: ProblemCard) -> None:
        """Show another problem."""
        self._card = card
        self.setAccessibleName(card.title)
        self.setAccessibleDescription(card.sentence)
        self.action.set_text(card.action_label)
        self.other.set_text(card.other_label)
        self.action.setVisible(bool(card.action_label))
        self.other.setVisible(bool(card.other_label))
        self._show_choices(card.choices)
        self._arrange()
        self.update()

    def wanted_height(self, width: int) -> int:
        """Return the card's height in points at this width."""
        height = self._sentence_top(width) + self._sentence_height(width) + _BELOW
        rows = len({place.y() for place in self._places(width)})
        return round(height + (_BUTTON_GAP + rows * (self._style.typography.row + _APART) - _APART if rows else 0))

    @property
    def first_line(self) -> int:
        """Middle of the title, in points from the top."""
        return _ABOVE + self._style.text_style(TextRole.TITLE).line // 2

    def _sentence_top(self, width: int) -> int:
        return _ABOVE + self._height_of(self._card.title, TextRole.TITLE, width) + _TITLE_GAP

    def _sentence_height(self, width: int) -> int:
        return self._height_of(self._card.sentence, TextRole.UI, width)

    def _height_of(self, words: str, role: TextRole, width: int) -> int:
        """Return the height of words in lines beside the icon, at the card's width."""
        text_style = self._style.text_style(role)
        return lines_of(words, text_style, width - _TEXT_LEFT - _RIGHT).lineCount() * text_style.line

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        places = self._places(self.width())
        above = self.height() - _BELOW - self._style.typography.row - (places[-1].y() if places else 0)
        for button, place in zip(self._buttons, places, strict=True):
            size = button.sizeHint()
            button.setGeometry(place.x(), above + place.y(), size.width(), size.height())

    @property
    def _buttons(self) -> list[Button]:
        """The buttons that are shown, in order."""
        card = self._card
        shown = [self.action] if card.action_label else []
        return [*shown, *self.choices, *([self.other] if card.other_label else [])]

    def _show_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Have a button for each of these between the way on and the other."""
        for button in self.choices:
            button.hide()
            button.deleteLater()
        self.choices = [Button(self._style, label, parent=self) for label, _ in choices]
        before = self.action
        for button, (_, verb) in zip(self.choices, choices, strict=True):
            button.clicked.connect(partial(self.acted.emit, verb))
            button.show()
            QWidget.setTabOrder(before, button)
            before = button
        QWidget.setTabOrder(before, self.other)

    def _places(self, width: int) -> list[QPoint]:
        """Return where the buttons stand at this width, below the first row of them."""
        places, left, top = [], _TEXT_LEFT, 0
        for button in self._buttons:
            size = button.sizeHint()
            if left > _TEXT_LEFT and left + size.width() > width - _RIGHT:
                left, top = _TEXT_LEFT, top + self._style.typography.row + _APART
            places.append(QPoint(left, top))
            left += size.width() + _APART
        return places

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._style.theme, QRectF(self.rect())
        painter = smooth(QPainter(self))
        fill_rounded(painter, rect, _RADIUS, theme.warnbg)
        stroke_rounded(painter, rect, _RADIUS, theme.warnline)
        title = self._style.text_style(TextRole.TITLE)
        self._style.icons.paint(painter, Icon.WARN, QPointF(30, _ABOVE + title.line / 2), theme.warn, _ICON, 1.3)
        painter.setPen(theme.text)
        for words, text_style, top in (
            (self._card.title, title, _ABOVE),
            (self._card.sentence, self._style.text_style(TextRole.UI), self._sentence_top(self.width())),
        ):
            lines_of(words, text_style, self.width() - _TEXT_LEFT - _RIGHT).draw(painter, QPointF(_TEXT_LEFT, top))
        painter.end()


class NoticeBanner(QWidget):
    """One sentence that stands in nobody's way, a button if there is something to do, and one that closes it."""

    def __init__(self, style: Style, notices: Notices, parent: QWidget | None = None, window: int = 0) -> None:
        """window: the number of the one that it is in, 0 for what is told in any."""
        super().__init__(parent)
        self._style = style
        self._notices, self._window = notices, window
        self._changes = ChangeDetector()
        self.close_button = ToolButton(style, Icon.DISCARD, "Dismiss Notice", "Dismiss", 24, 14, parent=self)
        self.close_button.clicked.connect(lambda: notices.dismiss(window))
        self.action = Button(style, "", parent=self)
        self.action.clicked.connect(lambda: notices.press(window))
        self.action.hide()
        notices.changed.connect(self._refresh)
        style.changed.connect(self.updateGeometry)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, self._height(self.width()))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._height(width)

    def _height(self, width: int) -> int:
        text_style = self._style.text_style(TextRole.UI)
        lines = lines_of(self._notice.text, text_style, self._words(max(width, 240)).width()).lineCount()
        return max(_BANNER, lines * text_style.line + 24)

    def _words(self, width: int) -> QRectF:
        room = 0 if self.action.isHidden() else self.action.sizeHint().width() + _APART
        icon = 0 if self._notice.is_refusal else _BANNER_ICON
        return QRectF(_BANNER_SIDE + icon, 0, width - 2 * _BANNER_SIDE - 34 - icon - room, self.height())

    @property
    def _notice(self) -> Notice:
        return self._notices.now_in(self._window)

    def _refresh(self) -> None:
        notice = self._notice
        if not self._changes.has_changed(notice.text, notice.label, notice.is_good, notice.is_refusal):
            return
        self.action.set_text(notice.label)
        self.action.setVisible(bool(notice.label))
        self.setVisible(bool(notice.text))
        self.setAccessibleName(notice.text)
        self._arrange()
        self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        middle = self.height() // 2
        self.close_button.setGeometry(self.width() - _BANNER_SIDE - 20, middle - 12, 24, 24)
        size = self.action.sizeHint()
        left = self.close_button.x() - _APART - size.width()
        self.action.setGeometry(left, middle - size.height() // 2, size.width(), size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.UI)
        painter = smooth(QPainter(self))
        notice = self._notice
        ground, line = (theme.soft, theme.softline) if notice.is_good else (theme.warnbg, theme.warnline)
        if notice.is_refusal:
            ground, line = theme.fill, theme.line
        painter.fillRect(self.rect(), ground)
        painter.fillRect(0, self.height() - 1, self.width(), 1, line)
        if not notice.is_refusal:
            icon, color = (Icon.CHECK, theme.accent) if notice.is_good else (Icon.WARN, theme.warn)
            self._style.icons.paint(painter, icon, QPointF(_BANNER_SIDE + 8, self.height() / 2), color)
        words = self._words(self.width())
        layout = lines_of(notice.text, text_style, words.width())
        painter.setPen(theme.text)
        layout.draw(painter, QPointF(words.left(), (self.height() - layout.lineCount() * text_style.line) / 2))
        painter.end()


def lines_of(text: str, text_style: TextStyle, width: float, *, is_centred: bool = False) -> QTextLayout:
    """Break words into lines of the role's height."""
    layout = QTextLayout(text, text_style.font)
    option = QTextOption(Qt.AlignmentFlag.AlignHCenter if is_centred else Qt.AlignmentFlag.AlignLeft)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1.0, width))
        line.setPosition(QPointF(0, top + (text_style.line - line.height()) / 2))
        top += text_style.line
    layout.endLayout()
    return layout
