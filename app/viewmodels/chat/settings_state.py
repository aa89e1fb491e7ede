"""What the window shows of the settings of the open conversation."""

from __future__ import annotations

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.sampling_fields import Field


@dataclass(frozen=True, slots=True)
class FieldState:
    """A setting in its field.

    text: what stands there. value: where its slider is, None without one. default: what the model's authors recommend,
    in words. is_changed: the conversation has another one. problem: why the text is no value, "" where it is one.
    unused: why the setting changes no answer, "" where it does. lowered: that less is used, "" where it is not.
    """

    field: Field
    text: str
    value: float | None
    default: str
    is_changed: bool
    problem: str = ""
    unused: str = ""
    lowered: str = ""


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """The settings of an answer, as they were.

    message_id, title: of the answer. lines: title and value of each setting that mattered. can_repeat: the model in use
    wrote it, and its seed is known. note: why it cannot be given again, "" where it can.
    """

    message_id: str
    title: str
    lines: tuple[tuple[str, str], ...]
    can_use: bool
    can_repeat: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class SettingsState:
    """The settings for the next answer in the open conversation.

    revision: another one where the fields must show what this says, whatever is being typed there. instructions: as
    they stand in their field; held: those that hold where the next question comes; is_pending: they differ; problem:
    why they cannot be used. price: what the next question costs with them, in words, "" while unknown; can_ask_again:
    the last question can be asked with them at once. thinks: whether the model is to think, None where it has no
    choice. fields: each setting of sampling. preset: the one that these settings are, "" where they are none. presets:
    names of all; own: of those that a person saved. answer: the settings of an answer, None where there is none.
    """

    revision: int = 0
    instructions: str = ""
    held: str = ""
    is_pending: bool = False
    problem: str = ""
    price: str = ""
    can_ask_again: bool = False
    thinks: bool | None = None
    fields: tuple[FieldState, ...] = ()
    preset: str = ""
    presets: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    answer: AnswerSettings | None = None
