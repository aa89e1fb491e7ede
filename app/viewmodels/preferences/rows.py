"""What a page of the settings is made of: groups of rows, each with one control.

A row is told what the person did by its id and a text: the choice, "on" or "", a number, what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from app.protocol.dataclass import dataclass

ON = "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A title, what there is to know about it, and a control. id: unique in its page."""

    id: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Row):
    """One of several values holds. choices: each value with its title."""

    value: str
    choices: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> str:
        """Return the title of the value that holds, the first one where it is none of them."""
        return dict(self.choices).get(self.value, self.choices[0][1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle(Row):
    """Something is on or off."""

    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount(Row):
    """A number between two others, told by steps. shown: the number in words.

    unit: where it is given, the number may be typed, too, and holds when the slider is let go of and not on the way.
    """

    value: float
    low: float
    high: float
    step: float = 1.0
    shown: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Row):
    """A line to be typed. hint: shown while it is empty. is_secret: its letters are not shown."""

    value: str = ""
    hint: str = ""
    problem: str = ""
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow(Row):
    """The keys of a command. id: of what takes other ones. reset_id: of what takes the usual ones back."""

    keys: str
    reset_id: str
    is_changed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question before something is done. button: does it."""

    title: str
    sentence: str
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowButton:
    """A button of a row. question: what comes before. folder_title: of the dialog that asks for a folder, "" for none.

    spoken: its name for screen readers, where the title does not say what it is about. copies: what it puts on the
    clipboard, which is all that it does then.
    """

    id: str
    title: str
    spoken: str = ""
    is_enabled: bool = True
    question: Question | None = None
    folder_title: str = ""
    copies: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Buttons(Row):
    """Something that can be acted on, or only be told where there are no buttons."""

    buttons: tuple[RowButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Rows in one frame. note: below it."""

    title: str
    rows: tuple[Row, ...]
    note: str = ""


Handlers = Mapping[str, Callable[[str, str], object]]
"""What each id does: called with what stands behind the colon of the id, and with the text of the row."""


class Page(Protocol):
    """A page of the settings."""

    id: str
    title: str

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""

    def show(self) -> None:
        """Have something to show: called when the page comes into sight."""
