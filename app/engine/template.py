"""The chat template, which makes of messages the text that the model was trained on.

The template's source comes from the model folder and is run in jinja's immutable sandbox. The variables and filters it
finds are those of the transformers library ("Writing a chat template" in its documentation), with one difference: the
date is that of a conversation's first message, as otherwise every cached prompt would be worthless after midnight.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from mlx_lm.tokenizer_utils import TokenizerWrapper

from app.engine.border import foreign_code
from app.engine.problems import ModelError, RequestError

# For models without a template: a transcript, which any model that has read dialogues can continue.
PLAIN_SOURCE = (
    "{% for message in messages %}"
    "{{ {'system': 'System', 'user': 'User', 'assistant': 'Assistant'}[message.role] }}: {{ message.content }}\n\n"
    "{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)
_PLAIN_STOP = ("\n\nUser:", "\nUser:")

Messages = Sequence[dict[str, str]]


@dataclass(frozen=True)
class ChatTemplate:
    """The chat template of a model.

    render_text: messages to text, the generation prompt at the end; takes more variables by their names. stop: texts
    that end an answer by themselves. source: as written, "" for a renderer of mlx-lm's own. is_plain: the model has
    none, and a transcript is used. thinking_end: what ends the thinking part of an answer, where the model has one.
    """

    render_text: Callable[..., str]
    source: str
    is_plain: bool = False
    stop: tuple[str, ...] = ()
    thinking_end: str = "</think>"

    def dated(self, at: float) -> ChatTemplate:
        """Return a copy that prints the date of this moment, in seconds since the epoch; 0 leaves the date as it is."""
        if not at or "strftime_now" not in self.source:
            return self
        try:
            now = datetime.fromtimestamp(at).astimezone()
        except (ValueError, OverflowError, OSError):  # a date that no calendar has, from a damaged or foreign file
            return self
        return replace(self, render_text=partial(self.render_text, strftime_now=now.strftime))

    def render(self, messages: Messages) -> str:
        """Render messages as text. Raises RequestError when the template refuses them or fails."""
        with foreign_code(_refused):
            return self.render_text(messages)


def _refused(words: str) -> RequestError:
    return RequestError(
        "The model's template refuses this conversation",
        f"It says: “{words.rstrip('.')}”. Change the messages before this one, or choose another model.",
    )


def chat_template(tokenizer: TokenizerWrapper, now: datetime) -> ChatTemplate:
    """Return the template that comes with a tokenizer. Raises ModelError when its source cannot be compiled."""
    if tokenizer.init_kwargs.get("chat_template_type") or (tokenizer.has_chat_template and not tokenizer.chat_template):
        return ChatTemplate(_own_renderer(tokenizer), "")
    if not tokenizer.has_chat_template:
        return ChatTemplate(compiled(PLAIN_SOURCE, {}, now), PLAIN_SOURCE, is_plain=True, stop=_PLAIN_STOP)
    source = str(tokenizer.get_chat_template())
    variables = {**tokenizer.special_tokens_map, "enable_thinking": tokenizer.has_thinking}
    return ChatTemplate(
        compiled(source, variables, now), source, thinking_end=tokenizer.think_end or ChatTemplate.thinking_end
    )


def _own_renderer(tokenizer: Any) -> Callable[[Messages], str]:
    """Return what renders formats in Python, in mlx-lm or the tokenizer's class, with code that is not the folder's."""

    def render(messages: Messages) -> str:
        return str(tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True))

    return render


def compiled(source: str, variables: dict[str, Any], now: datetime) -> Callable[..., str]:
    """Compile a template's source to a function of the messages, and of more variables by their names.

    Raises ModelError when the source is not valid.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationTag, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = now.strftime
    try:
        template = environment.from_string(source)
    except jinja2.TemplateError as error:
        raise ModelError(
            "The model's chat template is damaged", f"It cannot be read: {error}. Copy or download the folder again."
        ) from error

    def render(messages: Messages, **more: object) -> str:
        return template.render(
            messages=list(messages), tools=None, documents=None, add_generation_prompt=True, **variables, **more
        )

    return render


class _GenerationTag(Extension):
    """`{% generation %}` marks answers for training; here its content is rendered as it is."""

    tags = {"generation"}  # noqa: RUF012 - jinja declares it so

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        """Replace the tag by its body."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Without jinja's HTML escapes, which models have not been trained on."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
