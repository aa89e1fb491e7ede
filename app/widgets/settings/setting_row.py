"""A setting of sampling in the panel: its title, its exact field, a slider where it has one, and what is usual."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.chat.sampling_fields import Field, text_of
from app.viewmodels.chat.settings_state import FieldState
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.slider import Slider
from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField, TextArea
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.settings.card import Words

# Points: the title has room beside a number, however large the text, and four figures have it in the field.
_LEAST_NUMBER, _WIDEST_NUMBER = 72, 112


class _Title(TextLabel):
    """Takes what room is left in its row, and no less than its longest word: then the field beside it gives way."""

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), super().sizeHint().height())

    def _restyle(self) -> None:
        super()._restyle()
        self.setWordWrap(True)


class SettingRow(QWidget):
    """Signals: typed(str, str), name of the setting and the text that stands in its field; resetAsked(str).

    Attributes: group, the title it stands under; field, of one line or of several; slider, or None; reset.
    """

    typed = Signal(str, str)
    resetAsked = Signal(str)

    def __init__(self, style: Style, declared: Field, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = declared.name
        self.group = declared.group
        self._revision = -1
        self._state: FieldState | None = None
        self.setToolTip(declared.tip)
        title = _Title(style, declared.title, TextRole.UI, is_quiet=False, parent=self)
        self.field: LineField | TextArea = (
            TextArea(style, declared.title, 1, 6, self) if declared.is_long else LineField(style, declared.title, self)
        )
        self.reset = ToolButton(style, Icon.DISCARD, f"Reset {declared.title}", "Reset", 20, 11, parent=self)
        self.slider = None
        if declared.slider is not None:
            self.slider = Slider(style, f"{declared.title}, slider", *declared.slider, parent=self)
            self.slider.moved.connect(self._on_moved)
        self._words = Words(style, self)
        self._lay_out(title, is_long=declared.is_long, is_wide=bool(declared.hint))
        self.reset.clicked.connect(lambda: self.resetAsked.emit(self._name))
        if isinstance(self.field, TextArea):
            self.field.edited.connect(self._on_text)
            self.field.edit.setAccessibleDescription(declared.tip)
        else:
            self.field.setPlaceholderText(declared.hint)
            self.field.textEdited.connect(self._on_text)
        self.field.left.connect(self._settle)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at."""
        field = self.field.edit if isinstance(self.field, TextArea) else self.field
        return [self.reset, field, *([self.slider] if self.slider is not None else [])]

    def show_state(self, state: FieldState, revision: int) -> None:
        """Show a setting. revision: another one where the field must show it, whatever is being typed there."""
        self._state = state
        has_focus = self.field.hasFocus() or (isinstance(self.field, TextArea) and self.field.edit.hasFocus())
        if revision != self._revision or not has_focus:
            self._revision = revision
            self._show_text(state.text)
        self.field.refuse(bool(state.problem) and not state.unused)
        self.field.setEnabled(not state.unused)
        if self.slider is not None and state.value is not None:
            self.slider.show_number(state.value)
            self.slider.setEnabled(not state.unused)
        self.reset.setVisible(state.is_changed)
        usual = f"{state.field.tip} " if state.field.is_long else ""
        default = f"{usual}Usual: {state.default}" if state.is_changed else usual.strip()
        problem = f"{state.problem} Until then: {state.default}" if state.problem and not state.unused else ""
        self._words.say(state.unused or problem or state.lowered or default, bool(problem))
        if isinstance(self.field, LineField):
            usually = f"{state.field.tip} Usual: {state.default}"
            self.field.setAccessibleDescription(state.unused or problem or state.lowered or usually)

    def _lay_out(self, title: QLabel, *, is_long: bool, is_wide: bool) -> None:
        head, layout = QHBoxLayout(), QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(4)
        head.addWidget(title, 1)
        head.addWidget(self.reset)
        layout.addLayout(head)
        if is_long or is_wide:
            layout.addWidget(self.field)
        else:
            head.addWidget(self.field)
            self.field.setMinimumWidth(_LEAST_NUMBER)
            self.field.setMaximumWidth(_WIDEST_NUMBER)
            self.field.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        if self.slider is not None:
            layout.addWidget(self.slider)
        layout.addWidget(self._words)

    def _show_text(self, text: str) -> None:
        if isinstance(self.field, TextArea):
            self.field.show_text(text)
        elif text != self.field.text():
            self.field.setText(text)

    def _settle(self) -> None:
        """Show the value as it is kept, when nothing is typed any more."""
        if self._state is not None:
            self._show_text(self._state.text)

    def _on_text(self, text: str) -> None:
        self.typed.emit(self._name, text)

    def _on_moved(self, number: float) -> None:
        text = text_of(self._name, number)
        self._show_text(text)
        self.typed.emit(self._name, text)
