"""The bar over the chat: where one is, the model, the context, Stop, Find, and the sides."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.viewmodels.actions import action
from app.viewmodels.app_state import AppState
from app.viewmodels.kit.action import AnyAction
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.plain_tips import plain_tip
from app.viewmodels.text.formatting import DOT, HARD
from app.viewmodels.unavailable import why_unavailable
from app.widgets.kit.action_button import ActionButton, title_with_keys
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import draw_text, fill_ground, smooth, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_warmth
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole
from app.widgets.window.context_gauge import ContextGauge
from app.widgets.window.model_chip import ModelChip

_INSET = 20
_BUTTON, _BUTTON_STEP = 28, 36
_WARMTH = 28
_ARROW = 20
_TITLE_WANTS, _TITLE_NEEDS = 200, 96


class TitleBlock(QWidget):
    """The conversation's title, and under it how warm its open path is."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._title, self._branch, self._subtitle = "", "", ""
        self._warmth: float | None = None
        self._is_on_disk = False
        self._changes = ChangeDetector()

    def show_title(
        self, title: str, subtitle: str, warmth: float | None, is_on_disk: bool = False, branch: str = ""
    ) -> None:
        """Show where one is.

        warmth: share of the path that is held, None while unknown. is_on_disk: some of it must be read first. branch:
        the name of the open branch, which is the last part of the title.
        """
        if not self._changes.has_changed(title, subtitle, warmth, is_on_disk, branch):
            return
        self._title, self._subtitle, self._warmth, self._is_on_disk = title, subtitle, warmth, is_on_disk
        self._branch = branch
        whole = f"{title} › {branch}" if branch else title
        self.setAccessibleName(whole or "Conversation")
        self.setAccessibleDescription(subtitle)
        self.setToolTip(plain_tip("\n".join(filter(None, (whole, subtitle)))))
        self.update()

    def wanted_width(self) -> float:
        """Return the points that show both lines whole."""
        return max(
            self._title_width(),
            self._style.text_style(TextRole.CAP).width(self._subtitle) + (0 if self._warmth is None else _WARMTH + 8),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, title, small = (
            self._style.theme,
            self._style.text_style(TextRole.HEADLINE),
            self._style.text_style(TextRole.CAP),
        )
        painter = smooth(QPainter(self))
        line = QRectF(0, 10 + title.line, self.width(), small.line + 2)
        if self._warmth is not None:
            line.setLeft(_WARMTH + 8)
        words = whole_parts(small, self._subtitle, line.width(), DOT)
        if small.width(words) > line.width():
            words = words.partition(f"{HARD}token")[0]  # "812 of 3 411", beside the bar
        words = words if small.width(words) <= line.width() else ""
        if self._warmth is None and not words:
            self._paint_title(painter, QRectF(self.rect()))
            painter.end()
            return
        self._paint_title(painter, QRectF(0, 8, self.width(), title.line))
        if self._warmth is not None:
            bar = QRectF(0, line.center().y() - 2, _WARMTH, 4)
            paint_warmth(painter, theme, bar, self._warmth, self._is_on_disk)
        draw_text(painter, small, line, words, theme.text2)
        painter.end()

    def _title_width(self) -> float:
        headline = self._style.text_style(TextRole.HEADLINE)
        if not self._branch:
            return headline.width(self._title)
        before = self._style.text_style(TextRole.UI).width(self._title)
        return before + _ARROW + headline.width(self._branch)

    def _paint_title(self, painter: QPainter, line: QRectF) -> None:
        """Paint title and branch; of these the branch keeps two thirds where both have no room."""
        theme, headline = self._style.theme, self._style.text_style(TextRole.HEADLINE)
        if not self._branch:
            draw_text(painter, headline, line, self._title, theme.text)
            return
        branch = min(headline.width(self._branch), line.width() * 2 / 3)
        first = line.adjusted(0, 0, -branch - _ARROW, 0)
        taken = draw_text(painter, self._style.text_style(TextRole.UI), first, self._title, theme.text)
        center = QPointF(line.left() + taken + _ARROW / 2, line.center().y() + 0.5)
        self._style.icons.paint(painter, Icon.RIGHT, center, theme.text2, 10, 1.7)
        rest = line.adjusted(taken + _ARROW, 0, 0, 0)
        draw_text(painter, headline, rest, self._branch, theme.text)


class FindButton(ActionButton):
    """Opens the find bar. Where there is nothing to find words in, it is disabled and its tip says why."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, Icon.FIND, action("find"), parent=parent)
        self._action, self._why = action("find"), ""

    def show_action(self, action: AnyAction) -> None:
        """Name the keys that the command has now, or the reason why it would do nothing."""
        self._action = action
        self.setToolTip(self._why or title_with_keys(action))

    def show_reason(self, why: str) -> None:
        """Say why nothing can be found now, "" where it can."""
        if why != self._why:
            self._why = why
            self.setEnabled(not why)
            self.setAccessibleDescription(why)
            self.show_action(self._action)


class Toolbar(QWidget):
    """52 high. `asked` carries the id of the verb whose button was pressed: "sidebar", "stop", "find" or "inspector".

    When narrow, the gauge drops the context's length, then the chip its precision, then the chip's name and the title
    are cut. `chip`: the model, under which another one is chosen.
    """

    asked = Signal(str)

    def __init__(self, style: Style, state: LiveState[AppState], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style = style
        self._state = state
        self._leading = 0
        self._has_gauge = True  # room for it, also before there is something for it to tell
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._sidebar = self._button(Icon.SIDEBAR, "sidebar")
        self._title = TitleBlock(style, self)
        self.chip = ModelChip(style, self)
        self._gauge = ContextGauge(style, self)
        self._stop = self._button(Icon.STOP, "stop", stands_out=True)
        self._find = FindButton(style, self)
        self._find.asked.connect(self.asked)
        self._inspector = self._button(Icon.INSPECTOR, "inspector")
        self._inspector.setCheckable(True)
        style.changed.connect(self._restyle)
        state.changed.connect(self._refresh)
        self.show_sides(True, True)
        self._refresh()

    def show_sides(self, has_sidebar: bool, has_inspector: bool, *, is_inspector_offered: bool = True) -> None:
        """Show which sides are open: the sidebar's button stands here only while the sidebar is hidden.

        is_inspector_offered: there is something for it to show.
        """
        self._sidebar.setVisible(not has_sidebar)
        self._inspector.setChecked(has_inspector)
        self._inspector.setVisible(is_inspector_offered)
        self._arrange()

    def set_leading(self, points: int) -> None:
        """Room for the window's own buttons, where the toolbar begins at the window's edge."""
        self._leading = points
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(560, self._style.typography.bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_ground(painter, self, self._style.theme.window)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._style.theme.line)
        painter.end()

    def _button(self, icon: Icon, action_id: str, stands_out: bool = False) -> ActionButton:
        button = ActionButton(self._style, icon, action(action_id), stands_out, parent=self)
        button.asked.connect(self.asked)
        return button

    def _restyle(self) -> None:
        self.updateGeometry()
        self._arrange()
        self.update()

    def _refresh(self) -> None:
        chat, model = self._state.now.chat, self._state.now.model
        self._title.show_title(chat.title, chat.subtitle, chat.warmth, chat.is_on_disk, chat.branch)
        self.chip.show_model(model.name, model.detail, model.is_missing, model.is_on_server)
        self._gauge.show_context(chat.context_used, model.context_length)
        self._stop.setEnabled(self._state.now.can_stop)
        self._find.show_reason(why_unavailable(self._find.action_id, self._state.now))
        self._arrange()

    def _arrange(self) -> None:
        """Place everything from the right; the title takes what is left."""
        left = self._leading + (_INSET if self._sidebar.isHidden() else 52)
        right = self.width() - 14
        middle = self.height() // 2
        self._sidebar.setGeometry(self._leading + 14, middle - _BUTTON // 2, _BUTTON, _BUTTON)
        for button in (self._inspector, self._find, self._stop):
            button.setGeometry(right - _BUTTON, middle - _BUTTON // 2, _BUTTON, _BUTTON)
            right -= 0 if button.isHidden() else _BUTTON_STEP
        right = self._shorten(left, right - 8)
        self._gauge.setVisible(self._has_gauge and self._gauge.is_known)
        if self._has_gauge:
            size = self._gauge.sizeHint()
            self._gauge.setGeometry(right - size.width(), middle - size.height() // 2, size.width(), size.height())
            right = self._gauge.x() - _INSET
        size = self.chip.sizeHint()
        width = max(self.chip.minimumSizeHint().width(), min(size.width(), right - left - _TITLE_NEEDS - _INSET))
        self.chip.setGeometry(right - width, middle - size.height() // 2, width, size.height())
        self._title.setGeometry(left, 0, max(0, self.chip.x() - _INSET - left), self.height() - 1)

    def _shorten(self, left: int, right: int) -> int:
        """Drop words of the gauge, then of the chip, then the gauge, until the title has room. Returns `right`."""
        wanted = min(self._title.wanted_width(), _TITLE_WANTS)
        self._gauge.is_short, self.chip.is_short, self._has_gauge = False, False, True
        for part in (self._gauge, self.chip):
            if self._room(left, right) < wanted:
                part.is_short = True
        if self._room(left, right) < min(wanted, _TITLE_NEEDS):
            self._has_gauge = False
        return right

    def _room(self, left: int, right: int) -> float:
        gauge = self._gauge.sizeHint().width() + _INSET if self._has_gauge else 0
        return right - left - gauge - self.chip.sizeHint().width() - _INSET
