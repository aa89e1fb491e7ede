"""The rows of the settings: a title, what there is to know, and the control at the right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.preferences.rows import ON, Amount, Buttons, Choice, Entry, KeyRow, Row, RowButton, Toggle
from app.widgets.kit.choice_button import ChoiceButton
from app.widgets.kit.controls import Button, ToolButton
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.slider import Slider
from app.widgets.kit.style import Style
from app.widgets.kit.switch import Switch
from app.widgets.kit.text_fields import LineField
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.preferences.key_field import KeyField

_ABOVE, _INSET, _APART = 8, 14, 10
_SLIDER, _FIELD, _NUMBER = 180, 220, 64


class Note(QLabel):
    """A sentence in small type, which is not there while it is empty."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style, self._is_wrong = style, False
        self.setWordWrap(True)
        self.hide()
        style.changed.connect(self._restyle)
        self._restyle()

    def say(self, text: str, is_wrong: bool = False) -> None:
        """Say this; is_wrong: as an error."""
        if is_wrong != self._is_wrong:
            self._is_wrong = is_wrong
            self._restyle()
        self.setText(text)
        self.setVisible(bool(text))

    def _restyle(self) -> None:
        theme, colors = self._style.theme, QPalette()
        self.setFont(self._style.text_style(TextRole.SMALL).font)
        colors.setColor(QPalette.ColorRole.WindowText, theme.err if self._is_wrong else theme.text2)
        self.setPalette(colors)


class RowWidget(QWidget):
    """A row with one control or several at its right. What is added here is the frame; each kind adds its control.

    Signals: acted(str, str), the id of the row and what the person did there; pressed(object), a `RowButton`.
    """

    acted = Signal(str, str)
    pressed = Signal(object)

    def __init__(self, style: Style, row: Row, parent: QWidget) -> None:
        super().__init__(parent)
        self._style, self._id = style, row.id
        self._title = TextLabel(style, row.title, TextRole.UI, is_quiet=False, parent=self)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._title.setVisible(bool(row.title))
        self._detail = Note(style, self)
        self._problem = Note(style, self)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        for one in (self._title, self._detail, self._problem):
            words.addWidget(one)
        words.addStretch(1)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(_INSET, _ABOVE, _INSET, _ABOVE)
        self._line.setSpacing(_APART)
        self._line.addLayout(words, 1)
        style.changed.connect(self._restyle)
        self._restyle()

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at."""
        return ()

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        self._title.setText(row.title)
        self._title.setVisible(bool(row.title))
        self._detail.say(row.detail)
        for stop in self.stops:
            stop.setAccessibleDescription(row.detail)

    def _restyle(self) -> None:
        self.setMinimumHeight(self._style.typography.row + 2 * _ABOVE)


class ChoiceRow(RowWidget):
    """Attribute: control."""

    def __init__(self, style: Style, row: Choice, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self.control = ChoiceButton(style, row.title, self)
        self.control.chosen.connect(lambda value: self.acted.emit(self._id, value))
        self._line.addWidget(self.control)

    @property
    def stops(self) -> Sequence[QWidget]:
        return (self.control,)

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, Choice)
        super().show_row(row)
        self.control.show_choices(row.choices, row.value, row.shown)


class ToggleRow(RowWidget):
    """Attribute: control."""

    def __init__(self, style: Style, row: Toggle, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self.control = Switch(style, row.title, self)
        self.control.clicked.connect(lambda is_on: self.acted.emit(self._id, ON if is_on else ""))
        self._line.addWidget(self.control)

    @property
    def stops(self) -> Sequence[QWidget]:
        return (self.control,)

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, Toggle)
        super().show_row(row)
        self.control.setChecked(row.is_on)


class AmountRow(RowWidget):
    """Attribute: control."""

    def __init__(self, style: Style, row: Amount, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self.control = Slider(style, row.title, row.low, row.high, row.step, self)
        self.control.setFixedWidth(_SLIDER)
        self.control.moved.connect(lambda number: self.acted.emit(self._id, f"{number:g}"))
        self._shown = TextLabel(style, "", TextRole.UI_MEDIUM, is_quiet=False, parent=self)
        self._line.addWidget(self.control)
        self._line.addWidget(self._shown)

    @property
    def stops(self) -> Sequence[QWidget]:
        return (self.control,)

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, Amount)
        super().show_row(row)
        self.control.show_number(row.value)
        self._shown.setText(row.shown)


class TypedAmountRow(RowWidget):
    """A slider that holds when it is let go of, and a field for the same number. Attributes: control, field."""

    def __init__(self, style: Style, row: Amount, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self._row = row
        self.control = Slider(style, row.title, row.low, row.high, row.step, self)
        self.control.setFixedWidth(_SLIDER)
        self.field = LineField(style, f"{row.title} in {row.unit}", self)
        self.control.moved.connect(lambda number: self.field.setText(f"{number:g}"))
        self.control.settled.connect(lambda number: self._tell(number))
        self.field.left.connect(self._take)
        unit = TextLabel(style, row.unit, TextRole.UI, is_quiet=False, parent=self)
        for one in (self.control, self.field, unit):
            self._line.addWidget(one)
        self._widen()
        style.changed.connect(self._widen)

    @property
    def stops(self) -> Sequence[QWidget]:
        return self.control, self.field

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, Amount)
        super().show_row(row)
        self._row = row
        self.control.show_number(row.value)
        if not (self.field.hasFocus() and self.field.isModified()):
            self.field.setText(f"{row.value:g}")

    def _take(self) -> None:
        """Take the number that was typed; what is none, and what holds already, changes nothing."""
        if not self.field.isModified():
            return
        self.field.setModified(False)
        try:
            number = float(self.field.text().strip().removesuffix(self._row.unit).replace(",", "."))
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            self._tell(number)
        self.field.setText(f"{self._row.value:g}")

    def _tell(self, number: float) -> None:
        if number != self._row.value:
            self.acted.emit(self._id, f"{number:g}")

    def _widen(self) -> None:
        self.field.setFixedWidth(self._style.typography.scaled(_NUMBER))


class EntryRow(RowWidget):
    """A line that holds when the keyboard leaves it, or with Return. Attribute: control."""

    def __init__(self, style: Style, row: Entry, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self._value = row.value
        self._is_secret = row.is_secret
        self.control = LineField(style, row.title, self)
        self.control.setMaxLength(1000)
        self.control.setText(row.value)
        self.control.setEchoMode(QLineEdit.EchoMode.Password if row.is_secret else QLineEdit.EchoMode.Normal)
        self.control.left.connect(self._take)
        self._line.addWidget(self.control)
        self._widen()
        style.changed.connect(self._widen)

    @property
    def stops(self) -> Sequence[QWidget]:
        return (self.control,)

    def show_row(self, row: Row) -> None:
        """Show what holds now, unless something is being typed."""
        assert isinstance(row, Entry)
        super().show_row(row)
        self.control.setPlaceholderText(row.hint)
        self.control.refuse(bool(row.problem))
        self._problem.say(row.problem, is_wrong=True)
        if row.problem:
            self.control.setAccessibleDescription(row.problem)
        elif row.value != self._value or not self.control.hasFocus():
            self._value = row.value
            self.control.setText(row.value)

    def _take(self) -> None:
        text = self.control.text()
        if text == self._value:
            return
        if self._is_secret:
            self.control.clear()
        self.acted.emit(self._id, text)

    def _widen(self) -> None:
        self.control.setFixedWidth(min(_FIELD * 2, self._style.typography.scaled(_FIELD)))


class KeysRow(RowWidget):
    """Attributes: control, reset."""

    def __init__(self, style: Style, row: KeyRow, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self.reset = ToolButton(style, Icon.DISCARD, f"Reset {row.title}", "Usual keys", 20, 11, parent=self)
        self.control = KeyField(style, row.title, self)
        self.control.recorded.connect(lambda keys: self.acted.emit(self._id, keys))
        self.reset.clicked.connect(lambda: self.acted.emit(row.reset_id, ""))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        self._line.addWidget(self.reset)
        self._line.addWidget(self.control)

    @property
    def stops(self) -> Sequence[QWidget]:
        return (self.reset, self.control)

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, KeyRow)
        super().show_row(row)
        self.reset.setVisible(row.is_changed)
        self.control.show_keys(row.keys, row.problem)
        self._problem.say(row.problem, is_wrong=True)


class ButtonsRow(RowWidget):
    """Attribute: buttons, by their ids."""

    def __init__(self, style: Style, row: Buttons, parent: QWidget) -> None:
        super().__init__(style, row, parent)
        self.buttons = {one.id: Button(style, one.title, parent=self) for one in row.buttons}
        self._declared = {one.id: one for one in row.buttons}
        for button_id, button in self.buttons.items():
            button.clicked.connect(self._presses(button_id))
            self._line.addWidget(button)

    @property
    def stops(self) -> Sequence[QWidget]:
        return tuple(self.buttons.values())

    def show_row(self, row: Row) -> None:
        """Show what holds now."""
        assert isinstance(row, Buttons)
        super().show_row(row)
        self._declared = {one.id: one for one in row.buttons}
        for one in row.buttons:
            self.buttons[one.id].setEnabled(one.is_enabled)
            self.buttons[one.id].setAccessibleName(one.spoken or one.title.rstrip("…"))

    def _presses(self, button_id: str) -> Callable[[], None]:
        return lambda: self.pressed.emit(self._declared[button_id])


def row_widget(style: Style, row: Row, parent: QWidget) -> RowWidget:
    """Return the widget of a row, filled."""
    made: RowWidget
    if isinstance(row, Choice):
        made = ChoiceRow(style, row, parent)
    elif isinstance(row, Toggle):
        made = ToggleRow(style, row, parent)
    elif isinstance(row, Amount):
        made = TypedAmountRow(style, row, parent) if row.unit else AmountRow(style, row, parent)
    elif isinstance(row, Entry):
        made = EntryRow(style, row, parent)
    elif isinstance(row, KeyRow):
        made = KeysRow(style, row, parent)
    elif isinstance(row, Buttons):
        made = ButtonsRow(style, row, parent)
    else:
        raise TypeError(f"no widget shows {row!r:.100}")
    made.show_row(row)
    return made


def shape_of(row: Row) -> tuple[object, ...]:
    """Return what cannot change without another widget."""
    buttons: tuple[RowButton, ...] = row.buttons if isinstance(row, Buttons) else ()
    return type(row), row.id, tuple((one.id, one.title) for one in buttons)
