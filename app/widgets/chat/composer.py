"""The composer: what is written, what sending it costs, and the button that sends it or stops the answer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.chat_text import ONLY_KEPT
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.text.formatting import DOT
from app.widgets.chat.answer_count import AnswerCountButton
from app.widgets.chat.attachment_strip import AttachmentStrip
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Button, RoundButton, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.refused import refuse
from app.widgets.kit.shadow import paint_shadow
from app.widgets.kit.style import Style
from app.widgets.kit.theme import translucent
from app.widgets.kit.typography import TextRole

SHADOW_ROOM = 17
_RADIUS, _SIDE, _ABOVE = 12, 16, 12
_TO_FOOT, _BUTTON, _BELOW, _BAR = 18, 28, 10, 48
_STRIP, _ATTACHED_BELOW = 30, 4
_NARROW = 580  # points, below which the foot has no room for the words of all its buttons
_SHADOW_BLUR, _SHADOW_DOWN, _SHADOW = 14, 3, 0.05


class Composer(QWidget):
    """A card with `SHADOW_ROOM` points around it for its shadow. It never clears itself: whoever sends tells it to.

    Signals: submitted(text); wentOn(text), the model is to go on from an answer's text; changed(text) at each change;
    stopAsked, continueAsked, escaped, editCancelled; answersChosen(how many a question gets), ladderChosen and
    presetChosen, as of `AnswerCountButton`; attachAsked, opened(int) and removed(int), about attachments by their
    numbers; grew when it wants another height.
    """

    submitted = Signal(str)
    wentOn = Signal(str)
    changed = Signal(str)
    stopAsked = Signal()
    escaped = Signal()
    editCancelled = Signal()
    attachAsked = Signal()
    continueAsked = Signal()
    answersChosen = Signal(int)
    ladderChosen = Signal(bool)
    presetChosen = Signal(int, str)
    opened = Signal(int)
    removed = Signal(int)
    grew = Signal()

    def __init__(self, style: Style, state: LiveState[ChatState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._state = state
        self._wanted = 0
        self._hint = ""
        self._may_go_on = False
        self._changes, self._frame = ChangeDetector(), ChangeDetector()
        self.edit = ComposerEdit(style, self)
        self.attachments = AttachmentStrip(style, self.edit, self)
        self.go_on = Button(style, "Continue", parent=self)
        self.go_on.hide()
        self.keep = Button(style, "Keep", parent=self)
        self.keep.setToolTip("Keep this text beside the other, as it is (Return)")
        self.keep.hide()
        self.answers = AnswerCountButton(style, self)
        self.answers.hide()
        self.clip = ToolButton(style, Icon.CLIP, "Attach File", "Attach a file", parent=self)
        self.button = RoundButton(style, Icon.SEND, "Send", parent=self)
        self.cancel = ToolButton(style, Icon.DISCARD, "Cancel Edit", "Cancel (Esc)", 24, 14, parent=self)
        self.cancel.hide()
        self._connect()
        QWidget.setTabOrder(self.edit, self.go_on)
        QWidget.setTabOrder(self.go_on, self.keep)
        QWidget.setTabOrder(self.keep, self.answers)
        QWidget.setTabOrder(self.answers, self.clip)
        QWidget.setTabOrder(self.clip, self.button)
        QWidget.setTabOrder(self.cancel, self.edit)
        self._refresh()

    def show_keys(self, go_on: str, attach: str) -> None:
        """Name the keys that do what two of the buttons do, "" where there are none."""
        for button, tip, keys in ((self.go_on, "Have the answer go on", go_on), (self.clip, "Attach a file", attach)):
            button.setToolTip(f"{tip} ({keys})" if keys else tip)

    def _connect(self) -> None:
        self.edit.installEventFilter(self)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self.escaped)
        self.edit.textChanged.connect(self._on_text)
        self.edit.document().documentLayout().documentSizeChanged.connect(self._on_size)
        self.button.clicked.connect(self._press)
        self.go_on.clicked.connect(self.continueAsked)
        self.keep.clicked.connect(self.submit)
        self.clip.clicked.connect(self.attachAsked)
        self.answers.chosen.connect(self.answersChosen)
        self.answers.ladderChosen.connect(self.ladderChosen)
        self.answers.presetChosen.connect(self.presetChosen)
        self.attachments.opened.connect(self.opened)
        self.attachments.removed.connect(self.removed)
        self.cancel.clicked.connect(self.editCancelled)
        self._state.changed.connect(self._refresh)
        self._style.changed.connect(self._restyle)

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    @property
    def first_line(self) -> int:
        """Middle of the first line of text, in points from the card's own top."""
        return self._strip + _ABOVE + self._attached + self.edit.line // 2

    def wanted_height(self, most: int) -> int:
        """Return the card's height in points: what the text needs, but not more than `most`."""
        frame = self._strip + _ABOVE + self._attached + _TO_FOOT + _BUTTON + _BELOW
        return max(frame + self.edit.line, min(frame + self.edit.text_height, most))

    def show_text(self, text: str) -> None:
        """Put this text in place of the other, with the cursor at its end."""
        if text != self.text:
            self.edit.show_text(text)

    def show_hint(self, hint: str) -> None:
        """Show this in the empty field, "" for what the conversation says."""
        if hint != self._hint:
            self._hint = hint
            self.edit.show_hint(hint or self._state.now.placeholder)

    def submit(self) -> None:
        """Hand over what is written; it stays until `show_text` says otherwise. The keyboard comes here to go on."""
        self.focus_text()
        self.submitted.emit(self.text)

    def go_on_from(self) -> None:
        """Hand over what is written, to be gone on from where it is an answer's."""
        if self._state.now.edits_answer:
            self.focus_text()
            self.wentOn.emit(self.text)
        else:
            self.submit()

    def focus_text(self) -> None:
        """Put the cursor where one writes."""
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def _strip(self) -> int:
        return self._style.typography.scaled(_STRIP) if self._state.now.editing is not None else 0

    @property
    def _attached(self) -> int:
        """Height of the attachments, with the room below them."""
        if not self._state.now.attachments:
            return 0
        return self.attachments.height_for(round(self._card.width()) - 2 * _SIDE) + _ATTACHED_BELOW

    @property
    def _card(self) -> QRectF:
        return QRectF(self.rect()).adjusted(SHADOW_ROOM, SHADOW_ROOM, -SHADOW_ROOM, -SHADOW_ROOM)

    def _press(self) -> None:
        if self._state.now.is_writing:
            self.stopAsked.emit()
        else:
            self.go_on_from()

    def _show_go_on(self) -> None:
        """Offer to have the answer go on, while nothing else is about to be said."""
        is_offered = self._may_go_on and self.edit.document().isEmpty()
        if is_offered == self.go_on.isHidden():
            had_focus = self.go_on.hasFocus()
            self.go_on.setVisible(is_offered)
            self._arrange()
            if had_focus:
                self.focus_text()
            self.update()

    def _on_text(self) -> None:
        self._show_go_on()
        self.changed.emit(self.text)

    def _on_size(self) -> None:
        wanted = self.edit.text_height
        if wanted != self._wanted:
            self._wanted = wanted
            self.grew.emit()

    def _refresh(self) -> None:
        now = self._state.now
        shown = (
            now.placeholder,
            now.is_writing,
            now.can_stop,
            now.editing,
            now.send_price,
            now.send_parts,
            now.can_answer,
            now.can_send,
            now.attachments,
            now.can_continue,
            now.edits_answer,
            now.goes_on,
            now.branches_after,
            now.answers,
            now.most_answers,
            now.has_ladder,
            now.answer_presets,
            now.presets,
            now.refusal,
        )
        if not self._changes.has_changed(*shown):
            return
        self._may_go_on = now.can_continue and not now.attachments
        self.edit.show_hint(self._hint or now.placeholder)
        if now.is_writing:
            self.button.show_action(Icon.STOP, "Stop", "Stop (Esc)", is_accented=False)
            self.button.setEnabled(now.can_stop)
        elif now.can_answer:
            self.button.show_action(Icon.AGAIN, "Answer", "Have the question answered (Return)", is_accented=True)
            self.button.setEnabled(now.can_send)
        elif now.edits_answer:
            tip = "Have the model go on from this text"
            self.button.show_action(Icon.SEND, "Go On from Here", tip, is_accented=True)
            self.button.setEnabled(now.can_send)
        else:
            self.button.show_action(Icon.SEND, "Send", "Send (Return)", is_accented=True)
            self.button.setEnabled(now.can_send)
        self.keep.setEnabled(now.can_send)
        if not now.is_writing:
            refuse(self.keep, now.refusal)
            refuse(self.button, now.refusal or (ONLY_KEPT if now.edits_answer and not now.goes_on else ""))
        self.answers.show_count(
            *(now.answers, now.most_answers),
            has_ladder=now.has_ladder,
            presets=now.answer_presets,
            offered=now.presets,
        )
        if self._frame.has_changed(
            *(now.editing is not None, now.attachments, now.edits_answer, now.answers, now.most_answers)
        ):
            self._show_keep(now.edits_answer)
            self.cancel.setVisible(now.editing is not None)
            self.attachments.show_chips(now.attachments)
            self._arrange()
            self.grew.emit()
        self._show_go_on()
        self.setAccessibleDescription(now.send_price)
        self.update()

    def _show_keep(self, is_shown: bool) -> None:
        had_focus = self.keep.hasFocus()
        self.keep.setVisible(is_shown)
        self.clip.setVisible(not is_shown)
        if had_focus and not is_shown:
            self.focus_text()

    def _restyle(self) -> None:
        self._arrange()
        self.grew.emit()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, self.wanted_height(400) + 2 * SHADOW_ROOM)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        card = self._card.toRect()
        strip = self._strip
        foot = card.bottom() + 1 - _BELOW - _BUTTON
        top = card.top() + strip + _ABOVE
        self.attachments.setGeometry(
            card.left() + _SIDE, top, card.width() - 2 * _SIDE, max(0, self._attached - _ATTACHED_BELOW)
        )
        top += self._attached
        self.edit.setGeometry(card.left() + _SIDE, top, card.width() - 2 * _SIDE, max(1, foot - _TO_FOOT - top))
        self.button.setGeometry(card.right() + 1 - _BELOW - _BUTTON, foot, _BUTTON, _BUTTON)
        self.clip.setGeometry(self.button.x() - _BUTTON - 4, foot, _BUTTON, _BUTTON)
        is_narrow, now = card.width() < self._style.typography.scaled(_NARROW), self._state.now
        self.answers.shorten(is_narrow)
        is_in_the_way = is_narrow and not self.go_on.isHidden()  # of the price, beside what is offered before it
        self.answers.setVisible(now.most_answers > 1 and not now.edits_answer and not is_in_the_way)
        size = self.answers.sizeHint()
        self.answers.setGeometry(self.clip.x() - size.width() - 4, foot, size.width(), _BUTTON)
        right = self.clip.x() if self.answers.isHidden() else self.answers.x()
        size = self.go_on.sizeHint()
        self.go_on.setGeometry(
            right - size.width() - 6, foot + (_BUTTON - size.height()) // 2, size.width(), size.height()
        )
        size = self.keep.sizeHint()
        self.keep.setGeometry(
            self.button.x() - size.width() - 8, foot + (_BUTTON - size.height()) // 2, size.width(), size.height()
        )
        self.cancel.setGeometry(card.right() + 1 - _BELOW - 24, card.top() + (strip - 24) // 2, 24, 24)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a press anywhere on the card as meant for the text."""
        if self._card.contains(event.position()):
            self.edit.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, card = self._style.theme, self._card
        painter = smooth(QPainter(self))
        if not theme.is_dark:
            shadow = translucent(theme.shadow, _SHADOW)
            paint_shadow(painter, card, _RADIUS, _SHADOW_BLUR, _SHADOW_DOWN, shadow)
        fill_rounded(painter, card, _RADIUS, theme.raised)
        if self._strip:
            self._paint_strip(painter, card)
        if self.edit.hasFocus():
            stroke_rounded(painter, card, _RADIUS, theme.accentgfx, 1.5)
        else:
            stroke_rounded(painter, card, _RADIUS, theme.line2)
        self._paint_price(painter, card)
        painter.end()

    def _paint_strip(self, painter: QPainter, card: QRectF) -> None:
        """Paint what the words become a branch of."""
        theme, strip = self._style.theme, QRectF(card)
        strip.setHeight(self._strip)
        painter.fillRect(QRectF(card.left() + 1, strip.bottom(), card.width() - 2, 1), theme.line)
        now, size = self._state.now, self._style.typography.icon(14)
        center = QPointF(strip.left() + _SIDE + size / 2, strip.center().y())
        self._style.icons.paint(painter, Icon.EDIT if now.edits_answer else Icon.FORK, center, theme.text2, size)
        words = strip.adjusted(_SIDE + size + 8, 0, -_BELOW - 32, 0)
        small = self._style.text_style(TextRole.SMALL)
        what = "New branch after" if now.branches_after else "New branch from"
        what = "Another version of the answer" if now.edits_answer else what
        draw_text(painter, small, words, f"{what} {quoted(now.editing or '')}", theme.text2)

    def _paint_price(self, painter: QPainter, card: QRectF) -> None:
        now, theme = self._state.now, self._style.theme
        foot = QRectF(card.left() + _SIDE, card.bottom() - _BELOW - _BUTTON, card.width(), _BUTTON)
        shown = (one for one in (self.go_on, self.keep, self.answers, self.clip) if not one.isHidden())
        foot.setRight(next(shown, self.button).x() - 8)
        if now.send_parts is not None and now.send_price:
            bar = QRectF(foot.left(), foot.center().y() - 2, _BAR, 4)
            paint_cost(painter, theme, bar, *now.send_parts)
            foot.setLeft(bar.right() + 10)
        small = self._style.text_style(TextRole.SMALL)
        draw_text(painter, small, foot, whole_parts(small, now.send_price, foot.width(), DOT, ", ", ": "), theme.text2)
