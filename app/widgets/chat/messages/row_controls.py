"""The controls of the messages in sight: switchers, actions, and Copy on code. Real widgets, so that the keyboard and
screen readers find them; made when they come into sight and let go when they leave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.rows import AttachmentRow, ThoughtRow
from app.viewmodels.kit.action import Actions, AnyAction
from app.widgets.chat.messages.branch_name import NameTag
from app.widgets.chat.messages.disclosure_line import DisclosureLine
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.action_button import ActionButton, title_with_keys
from app.widgets.kit.controls import Button, ToolButton
from app.widgets.kit.copy_button import CopyButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.refused import refuse
from app.widgets.kit.style import Style

ACTION = 24
_ICON = 14
_BEFORE_SWITCHER = 8
_ICONS: Mapping[str, Icon] = {
    "fork": Icon.EDIT,
    "edit_answer": Icon.EDIT,
    "branch_here": Icon.FORK,
    "regenerate": Icon.AGAIN,
}
OF_QUESTION = ("fork",)
OF_ANSWER = ("edit_answer", "branch_here", "regenerate")


class ControlKind(IntEnum):
    """Kinds of controls, in the order in which the keyboard comes to those of one message."""

    QUESTION = 0
    NAME = 1
    SWITCHER = 2
    ATTACHMENT = 3
    THOUGHT = 4
    CODE = 5
    ANSWER = 6
    UNANSWERED = 7


@dataclass(frozen=True, slots=True)
class ControlSpec:
    """A control to be shown. right, middle: where its right edge and its middle stand in the viewport.

    left: where its left edge stands instead, of the line of a part that opens. number: the message's row. block: which
    piece of code, or attachment. text, code: what Copy copies, or the name of a branch. enabled: what can be done now.
    """

    kind: ControlKind
    number: int
    message_id: str
    right: int
    middle: int
    left: int = 0
    block: int = 0
    text: str = ""
    code: Callable[[], str] | None = None
    version: int = 1
    versions: int = 1
    enabled: frozenset[str] = frozenset()
    part: ThoughtRow | AttachmentRow | None = None

    @property
    def key(self) -> tuple[str, ControlKind, int]:
        return (self.message_id, self.kind, self.block)


class ActionStrip(QWidget):
    """Buttons for one message, 24 apart: Copy, and the actions that begin a branch from it.

    Attributes: copy; acts, the others by their commands' ids. Signal: asked(str), the id of one.
    """

    asked = Signal(str)

    def __init__(self, style: Style, actions: Sequence[AnyAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.copy = CopyButton(style, "Copy Message", "Copy", ACTION, _ICON, self)
        self.acts: dict[str, ToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.copy)
        for action in actions:
            button = ActionButton(style, _ICONS[action.id], action, parent=self, size=ACTION, icon_size=_ICON)
            self.acts[action.id] = button
            button.clicked.connect(partial(self.asked.emit, action.id))
            row.addWidget(button)

    @property
    def stops(self) -> list[ToolButton]:
        """The buttons in the order of the keyboard."""
        return [self.copy, *self.acts.values()]

    def show_message(self, text: str, enabled: frozenset[str], refusal: str) -> None:
        """Stand by a message. text: what Copy copies; enabled: ids of the commands that can act, else why none can."""
        self.copy.words = lambda: text
        for action_id, button in self.acts.items():
            button.setEnabled(action_id in enabled)
            refuse(button, refusal)


class CodeCopy(CopyButton):
    """Copies a piece of code. `scrolled`: Left or Right was pressed on it, -1 or +1, to see the rest of long lines."""

    scrolled = Signal(int)

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "Copy Code", "Copy code", ACTION, _ICON, parent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.scrolled.emit(step)


class RowControls(QObject):
    """The controls above a viewport, kept in step with what is in sight.

    Signals: stepped(message id, -1 or +1); acted(id of a command, message id); thoughtPressed(message id);
    attachmentPressed(message id, its number); codeScrolled(message id, its first block, -1 or +1); made(a new control,
    the id of its message).
    """

    stepped = Signal(str, int)
    acted = Signal(str, str)
    thoughtPressed = Signal(str)
    attachmentPressed = Signal(str, int)
    codeScrolled = Signal(str, int, int)
    made = Signal(object, str)

    def __init__(self, style: Style, viewport: QWidget, home: QWidget, actions: Actions) -> None:
        super().__init__(home)
        self._style = style
        self._viewport = viewport
        self._home = home
        self._actions = actions
        self._widgets: dict[tuple[str, ControlKind, int], QWidget] = {}
        self._positions: dict[tuple[str, ControlKind, int], tuple[int, ControlKind]] = {}
        self._order: list[QWidget] = []

    def find(self, message_id: str, kind: ControlKind, block: int = 0) -> QWidget | None:
        """Return the control of a message, if it is there now."""
        return self._widgets.get((message_id, kind, block))

    def show(self, specs: Sequence[ControlSpec], refusal: str = "") -> None:
        """Make, move and remove controls until exactly these are there; the keyboard goes through them from the top.

        refusal: why nothing can be changed here, "" where it can.
        """
        keys = {spec.key for spec in specs}
        gone = [(self._widgets.pop(key), self._positions.pop(key)) for key in list(self._widgets) if key not in keys]
        self._positions = {spec.key: (spec.number, spec.kind) for spec in specs}
        for spec in specs:
            widget = self._widgets.get(spec.key)
            if widget is None:
                widget = self._widgets[spec.key] = self._make(spec)
                self.made.emit(widget, spec.message_id)
            self._fill(widget, spec, refusal)
            widget.adjustSize()
            widget.move(QPoint(self._left(spec, widget.width()), spec.middle - widget.height() // 2))
            widget.show()
        in_order = sorted(specs, key=lambda spec: (spec.number, spec.kind, spec.block))
        self._chain([self._widgets[spec.key] for spec in in_order])
        for widget, position in gone:
            self._release(widget, position)

    def _left(self, spec: ControlSpec, width: int) -> int:
        """Return the left edge of a control: of those at a message's head each stands before the next."""
        if spec.kind in (ControlKind.THOUGHT, ControlKind.ATTACHMENT, ControlKind.UNANSWERED):
            return spec.left
        at_head = (ControlKind.SWITCHER, ControlKind.NAME, ControlKind.QUESTION)
        behind = at_head[: at_head.index(spec.kind)] if spec.kind in at_head else ()
        lefts = [found.x() for kind in behind if (found := self.find(spec.message_id, kind)) is not None]
        return min([spec.right, *[left - _BEFORE_SWITCHER for left in lefts]]) - width

    def _release(self, widget: QWidget, position: tuple[int, ControlKind]) -> None:
        """Delete a control; a switcher hands its focus to that of the version shown in its place."""
        focused = QApplication.focusWidget()
        if focused is not None and (widget is focused or widget.isAncestorOf(focused)):
            heirs = [self._widgets[key] for key, other in self._positions.items() if other == position]
            heir = heirs[0] if heirs and position[1] is ControlKind.SWITCHER else self._home
            heir.setFocus(Qt.FocusReason.TabFocusReason)
        widget.hide()
        widget.deleteLater()

    def _make(self, spec: ControlSpec) -> QWidget:
        message_id = spec.message_id
        if spec.kind is ControlKind.SWITCHER:
            switcher = VersionSwitcher(self._style, self._viewport)
            switcher.stepped.connect(lambda step: self.stepped.emit(message_id, step))
            return switcher
        if spec.kind is ControlKind.NAME:
            action = self._actions["name_branch"]
            tag = NameTag(self._style, title_with_keys(action), self._viewport)
            tag.clicked.connect(lambda: self.acted.emit("name_branch", message_id))
            return tag
        if spec.kind is ControlKind.CODE:
            copy, block = CodeCopy(self._style, self._viewport), spec.block
            copy.setAccessibleDescription("Left and Right scroll the code.")
            copy.scrolled.connect(lambda step: self.codeScrolled.emit(message_id, block, step))
            return copy
        if spec.kind is ControlKind.THOUGHT:
            line = DisclosureLine(self._style, self._viewport)
            line.clicked.connect(lambda: self.thoughtPressed.emit(message_id))
            return line
        if spec.kind is ControlKind.ATTACHMENT:
            line, number = DisclosureLine(self._style, self._viewport), spec.block
            line.clicked.connect(lambda: self.attachmentPressed.emit(message_id, number))
            return line
        if spec.kind is ControlKind.UNANSWERED:
            action = self._actions["answer"]
            button = Button(self._style, "Answer", parent=self._viewport)
            button.setAccessibleName(action.title)
            button.setToolTip(action.tip)
            button.clicked.connect(lambda: self.acted.emit(action.id, message_id))
            return button
        ids = OF_QUESTION if spec.kind is ControlKind.QUESTION else OF_ANSWER
        strip = ActionStrip(self._style, [self._actions[one] for one in ids], self._viewport)
        strip.asked.connect(lambda action_id: self.acted.emit(action_id, message_id))
        return strip

    def _fill(self, widget: QWidget, spec: ControlSpec, refusal: str) -> None:
        if isinstance(widget, VersionSwitcher):
            widget.show_version(spec.version, spec.versions)
        elif isinstance(widget, NameTag):
            widget.show_name(spec.text)
            refuse(widget, refusal)
        elif isinstance(widget, Button):
            refuse(widget, refusal)
        elif isinstance(widget, CodeCopy) and spec.code is not None:
            widget.words = spec.code
        elif isinstance(widget, DisclosureLine) and spec.part is not None:
            widget.show_row(spec.part)
        elif isinstance(widget, ActionStrip):
            widget.show_message(spec.text, spec.enabled, refusal)

    def _chain(self, widgets: list[QWidget]) -> None:
        """Tab goes from the chat to its controls from the top down, then on."""
        if widgets == self._order:
            return
        self._order = widgets
        before = self._home
        for widget in widgets:
            stops = widget.stops if isinstance(widget, ActionStrip) else [widget]
            for stop in stops:
                QWidget.setTabOrder(before, stop)
                before = stop
