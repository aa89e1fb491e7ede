"""The chat template, which makes of messages the text that the model was trained on.

The template's source comes from the model folder. It is rendered in a process of its own (`app.rendering`), except for
that of the guide, which this program knows. The date is that of a conversation's
first message, as otherwise every cached prompt would be worthless after midnight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Protocol

from app.prompting.border import foreign_code
from app.prompting.problems import ModelError, RequestError
from app.prompting.steps import Steps
from app.prompting.tokenizer import Tokenizer
from app.prompting.transcript import BETWEEN, END, OPENINGS, STOP
from app.protocol.figures import number
from app.rendering.process import Fault, RenderingEndedError, RenderProcess
from app.rendering.sandbox import Messages, Sandbox

# The guide's template, by the SHA-256 of its source: a process for it would cost time for nothing.
_HARMLESS = "6f24638e0e8f35881f2cea5bb934b6761941fe69fab9d8c55ec003dcab379c6f"

_OTHER = "Choose another model, or copy or download this one again."
_ENDED = {
    Fault.TIME: ("The model's chat template takes too long", "It was ended after {} seconds."),
    Fault.MEMORY: ("The model's chat template takes too much memory", "It was ended before the memory was full."),
    Fault.SIZE: ("The model's chat template writes too much", "It was ended, as it writes far more than it is given."),
    Fault.DEATH: ("The model's chat template failed", "The process that renders it ended, twice."),
}


class TemplateEndedError(RequestError):
    """A rendering had to be ended: it is not to be tried again and again."""


class TemplateRefusedError(RequestError):
    """A template raised something, on purpose or not. words: what it said."""

    def __init__(self, words: str) -> None:
        self.words = words.rstrip(".")
        super().__init__(
            "The model's template refuses this conversation",
            f"It says: “{self.words}”. Change the messages before this one, or choose another model.",
        )


class Renderer(Protocol):
    """A renderer of conversations: a template in a process, one in this process, or a format in Python."""

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        """Render conversations. at: the moment that has the date. more: variables. Raises EngineError."""
        ...

    def close(self) -> None:
        """End what was begun for it. It can be used again."""
        ...


@dataclass(frozen=True)
class ChatTemplate:
    """The chat template of a model.

    source: as written, "" for a format in Python. at: the moment whose date it prints, in seconds since the epoch.
    is_plain: the model has none, and a transcript is used. stop: texts that end an answer by themselves. thinking_end:
    what ends the thinking part of an answer, where the model has one. variables: beside those that every template is
    given.
    """

    renderer: Renderer
    source: str
    at: float = 0.0
    is_plain: bool = False
    stop: tuple[str, ...] = ()
    thinking_end: str = "</think>"
    variables: Mapping[str, Any] = field(default_factory=dict)

    def given(self, variables: Mapping[str, Any]) -> ChatTemplate:
        """Return a copy that is given these variables too."""
        return replace(self, variables={**self.variables, **variables}) if variables else self

    def dated(self, at: float) -> ChatTemplate:
        """Return a copy that prints the date of this moment, in seconds since the epoch; 0 leaves the date as it is."""
        if not at or "strftime_now" not in self.source:
            return self
        try:
            datetime.fromtimestamp(at).astimezone()
        except (ValueError, OverflowError, OSError):  # a date that no calendar has, from a damaged or foreign file
            return self
        return replace(self, at=at)

    def render(self, conversations: Sequence[Messages]) -> Steps[list[str]]:
        """Render conversations as texts. Raises RequestError when the template refuses one, fails, or has no end."""
        return (yield from self.renderer.render(conversations, self.at, self.variables))

    def close(self) -> None:
        """End what was begun for the template."""
        self.renderer.close()


def chat_template(tokenizer: Tokenizer, now: datetime) -> ChatTemplate:
    """Return the template that comes with a tokenizer. Nothing of it has been read yet."""
    at = now.timestamp()
    if tokenizer.init_kwargs.get("chat_template_type") or (tokenizer.has_chat_template and not tokenizer.chat_template):
        return ChatTemplate(_InPython(tokenizer), "", at)
    if not tokenizer.has_chat_template:
        return ChatTemplate(_Transcript(), "", at, is_plain=True, stop=STOP)
    source = str(tokenizer.get_chat_template())
    variables = {**tokenizer.special_tokens_map, "enable_thinking": tokenizer.has_thinking}
    end = tokenizer.think_end or ChatTemplate.thinking_end
    return ChatTemplate(renderer_of(source, variables), source, at, thinking_end=end)


def renderer_of(source: str, variables: Mapping[str, Any]) -> Renderer:
    """Return what renders a template with these variables."""
    if sha256(source.encode("utf-8", "replace")).hexdigest() == _HARMLESS:
        return _InThisProcess(Sandbox(source, variables))
    return _InProcess(source, variables)


class _Transcript:
    """The plain transcript, for models without a template."""

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        """Render without a step."""
        yield from ()
        return [self._text(messages) for messages in conversations]

    def _text(self, messages: Messages) -> str:
        said = (OPENINGS[one["role"]] + one["content"] + BETWEEN for one in messages)
        return "".join(said) + END

    def close(self) -> None:
        """Do nothing."""


class _InThisProcess:
    """A template that is known to do no harm."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        """Render without a step."""
        yield from ()
        with foreign_code(TemplateRefusedError):
            return [self._sandbox.render(messages, at, more) for messages in conversations]

    def close(self) -> None:
        """Do nothing."""


class _InPython:
    """A format in Python, of mlx-lm or the tokenizer's class: code that is not the folder's."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        """Render without a step; the date is not printed."""
        yield from ()
        apply = self._tokenizer.apply_chat_template
        with foreign_code(TemplateRefusedError):
            options = {"tokenize": False, "add_generation_prompt": True, **more}
            return [str(apply([dict(one) for one in messages], **options)) for messages in conversations]

    def close(self) -> None:
        """Do nothing."""


class _InProcess:
    """A template that nobody knows, in a process that is started when it is first rendered."""

    def __init__(self, source: str, variables: Mapping[str, Any]) -> None:
        self._known = {"source": source, "variables": dict(variables)}
        self._process = RenderProcess()

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        """Render, a step for each moment that it takes."""
        request = {**self._known, "conversations": [list(one) for one in conversations], "at": at, "more": dict(more)}
        try:
            answer = yield from self._process.ask(request)
        except RenderingEndedError as ended:
            title, what = _ENDED[ended.fault]
            raise TemplateEndedError(title, f"{what.format(number(round(ended.seconds)))} {_OTHER}") from ended
        except OSError as error:
            raise RequestError(
                "The model's chat template cannot be rendered",
                f"Its process cannot be started: {error.strerror or error}. Close some programs, and try again.",
            ) from error
        return _texts(answer)

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _texts(answer: dict[str, Any]) -> list[str]:
    """Return the texts of an answer, or raise what it says instead."""
    if "damaged" in answer:
        raise damaged(answer["damaged"])
    if "too_much" in answer:
        raise RequestError(
            "The model's chat template writes too much", f"It was ended, as {answer['too_much']}. {_OTHER}"
        )
    if "refused" in answer:
        raise TemplateRefusedError(answer["refused"])
    return list(answer["texts"])


def damaged(words: str) -> ModelError:
    """Return the refusal of a model whose template is none."""
    return ModelError(
        "The model's chat template is damaged", f"It cannot be read: {words}. Copy or download the folder again."
    )
