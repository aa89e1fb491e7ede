"""What a request asks for, from the JSON of three ways to ask: a chat, a prompt, and the runner's prompt.

Whatever is asked that cannot be done is refused in words, and not left out in silence; fields that change nothing of an
answer are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, get_args

from app.gateway.fields import Fields, require_text
from app.gateway.refused import RefusedError
from app.protocol.chat import PromptOptions, Role, Sampling, Turn
from app.protocol.commands import Generate

MOST_MESSAGES, MOST_PARTS, MOST_STOPS = 2000, 1000, 16
MOST_IDS = 1 << 20
_LARGEST_ID = 1 << 31


class Form(Enum):
    """The form of the answer: OpenAI's to a chat and to a prompt, and the runner's lines."""

    CHAT = auto()
    COMPLETION = auto()
    LINES = auto()


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer that is asked for.

    model: by its name, "" for the open one. turns, text, ids: the prompt, one of the three. is_stream: it comes in
    pieces. wants_usage: with its figures at the end of these.
    """

    form: Form
    model: str = ""
    turns: tuple[Turn, ...] = ()
    text: str = ""
    ids: tuple[int, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    options: PromptOptions = field(default_factory=PromptOptions)
    is_stream: bool = False
    wants_usage: bool = False

    def command(self, run_id: int) -> Generate:
        """Return what an engine is told."""
        return Generate(
            run_id,
            self.turns,
            self.sampling,
            options=self.options,
            ids=self.ids,
            text=self.text,
            is_guest=True,
        )


def chat(found: Any, usual: Sampling) -> Asked:
    """Return what the body of a chat asks for. usual: what holds where it says nothing. Raises RefusedError."""
    fields = Fields(found)
    _refuse_more(fields)
    return replace(_common(Form.CHAT, fields, usual), turns=turns_of(fields), options=_options(fields))


def completion(found: Any, usual: Sampling) -> Asked:
    """Return what the body of a prompt asks for; one with options is the runner's. Raises RefusedError."""
    fields = Fields(found)
    if fields.get("options", "Options") is not None:
        return lines(found, usual)
    _refuse_more(fields)
    text, ids = prompt_of(fields.get("prompt"))
    return replace(_common(Form.COMPLETION, fields, usual), text=text, ids=ids)


def lines(found: Any, usual: Sampling) -> Asked:
    """Return what the body of a prompt to the runner asks for. Raises RefusedError."""
    fields = Fields(found)
    _refuse_more(fields)
    text, ids = prompt_of(fields.get("prompt", "Prompt"))
    options = fields.object("options", "Options")
    sampling = _sampling(_Turned(options), replace(usual, max_tokens=None))
    return Asked(Form.LINES, fields.text("model"), text=text, ids=ids, sampling=sampling, is_stream=True)


def turns_of(fields: Fields) -> tuple[Turn, ...]:
    """Return the messages of a chat. Raises RefusedError."""
    turns = tuple(_turn(one) for one in fields.list("messages", MOST_MESSAGES))
    if not turns or turns[-1].role != "user":
        raise RefusedError(400, "The last message must be the user’s.")
    return turns


def prompt_of(found: Any) -> tuple[str, tuple[int, ...]]:
    """Return a prompt as text, or as token ids. Raises RefusedError."""
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], str | list):
        found = found[0]
    if isinstance(found, list) and found and isinstance(found[0], str | list):
        raise RefusedError(400, "One prompt is answered at a time: send several requests.")
    if isinstance(found, list):
        return "", _ids(found)
    text = require_text(found, "prompt")
    if not text:
        raise RefusedError(400, "The prompt is empty.")
    return text, ()


def _ids(found: list[Any]) -> tuple[int, ...]:
    if not found or len(found) > MOST_IDS:
        raise RefusedError(400, f"A prompt has 1 to {MOST_IDS:,} tokens.")
    if not all(type(one) is int and 0 <= one < _LARGEST_ID for one in found):
        raise RefusedError(400, "A prompt that is a list holds the ids of its tokens.")
    return tuple(found)


def _turn(found: Any) -> Turn:
    fields = Fields(found, "A message")
    role = fields.text("role")
    role = "system" if role == "developer" else role
    if role not in get_args(Role):
        raise RefusedError(400, "A message is the system’s, the user’s or the assistant’s; there are no tools.")
    if fields.get("tool_calls", "function_call"):
        raise RefusedError(400, _NO_TOOLS)
    thinking = fields.text("reasoning_content", "reasoning") if role == "assistant" else ""
    return Turn(role, _content(fields), thinking=thinking)  # type: ignore[arg-type] # one of them


def _content(fields: Fields) -> str:
    found = fields.get("content")
    if not isinstance(found, list):
        return fields.text("content")
    parts = [Fields(one, "A part of a message") for one in fields.list("content", MOST_PARTS)]
    if any(one.text("type") != "text" for one in parts):
        raise RefusedError(400, "Messages are texts: no images, no sound and no files are read.")
    return "".join(one.text("text") for one in parts)


def _common(form: Form, fields: Fields, usual: Sampling) -> Asked:
    return Asked(
        form,
        fields.text("model"),
        sampling=_sampling(fields, usual),
        is_stream=fields.is_on("stream"),
        wants_usage=fields.object("stream_options").is_on("include_usage"),
    )


def _options(fields: Fields) -> PromptOptions:
    """Return whether the model is to think, as servers of open models are told it."""
    template = fields.object("chat_template_kwargs")
    if template.get("enable_thinking") is not None:
        return PromptOptions(thinking=template.is_on("enable_thinking"))
    effort = fields.text("reasoning_effort")
    return PromptOptions(thinking=None if not effort else effort != "none")


# By field of `Sampling`: what clients call it.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "top_k": ("top_k",),
    "min_p": ("min_p",),
    "repetition_penalty": ("repetition_penalty", "repeat_penalty"),
    "presence_penalty": ("presence_penalty",),
    "frequency_penalty": ("frequency_penalty",),
    "penalty_range": ("repetition_context_size", "repeat_last_n"),
    "xtc_probability": ("xtc_probability",),
    "xtc_threshold": ("xtc_threshold",),
    "seed": ("seed",),
    "max_tokens": ("max_completion_tokens", "max_tokens", "num_predict"),
}


def _sampling(fields: Fields | _Turned, usual: Sampling) -> Sampling:
    given = {name: fields.get(*names) for name, names in _NAMES.items()}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    sampling = replace(usual, **changes, stop=_stop(fields.get("stop")), logit_bias=())
    problem = sampling.problem()
    if problem:
        raise RefusedError(400, problem)
    return sampling


def _stop(found: Any) -> tuple[str, ...]:
    texts = [found] if isinstance(found, str) else [] if found is None else found
    if not isinstance(texts, list) or len(texts) > MOST_STOPS:
        raise RefusedError(400, f"stop must be a text, or at most {MOST_STOPS} texts.")
    return tuple(one for one in (require_text(text, "stop") for text in texts) if one)


class _Turned:
    """The runner's options, in which a number below 0 says that nothing is set."""

    _MAY_LACK = frozenset({"seed", "num_predict", "repeat_last_n"})

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def get(self, *names: str) -> Any:
        found = next(((name, self._fields.get(name)) for name in names if self._fields.get(name) is not None), None)
        if found is None:
            return None
        name, value = found
        return None if name in self._MAY_LACK and type(value) is int and value < 0 else value


_NO_TOOLS = "No tools are called: leave tools and functions out."
# What changes an answer and cannot be done: what may stand there all the same, and the words.
_CANNOT: tuple[tuple[tuple[str, ...], tuple[Any, ...], str], ...] = (
    (("n", "best_of"), (1,), "One answer is given to a request: leave n out, or send 1."),
    (("tools", "functions"), ([],), _NO_TOOLS),
    (("tool_choice", "function_call"), ("none", "auto"), _NO_TOOLS),
    (
        ("response_format", "format", "Format"),
        ({"type": "text"}, ""),
        "Answers are texts: no other format is promised.",
    ),
    (("logprobs", "top_logprobs", "Logprobs", "TopLogprobs"), (False, 0), "No probabilities are told: leave them out."),
    (("echo",), (False,), "The prompt is not repeated: leave echo out."),
    (("suffix",), ("",), "Nothing is written before a text that is given: leave suffix out."),
    (("logit_bias",), ({},), "No token is made likelier here: leave logit_bias out."),
    (("modalities",), (["text"],), "Answers are texts: no sound is made."),
    (("images", "audio", "media", "Media"), ([], {}), "Messages are texts: no images, no sound and no files are read."),
)


def _refuse_more(fields: Fields) -> None:
    """Raise RefusedError where more is asked than an answer."""
    for names, harmless, sentence in _CANNOT:
        for name in names:
            found = fields.get(name)
            if found is not None and not any(type(found) is type(one) and found == one for one in harmless):
                raise RefusedError(400, sentence)
