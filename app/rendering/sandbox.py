"""The sandbox that chat templates run in, with the variables and filters of the transformers library.

("Writing a chat template" in its documentation.) Operators whose result could fill the memory in one step are compared
with a limit first, so that the usual bombs get a sentence at once. What is not found here ends with the process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

Messages = Sequence[Mapping[str, Any]]

MOST_BITS = 1 << 14
"""Of a number that a template computes."""
MOST_BEYOND = 1 << 22
"""Characters that a template may write, beside `MOST_TIMES` what it is given: several times what the longest do."""
MOST_TIMES = 4
_WIDE = re.compile(r"%[^%a-zA-Z]*(?:\d{5}|\*)")
_REPEATED = (str, bytes, list, tuple)


class DamagedTemplateError(Exception):
    """The source of a template is none."""


class TooMuchError(Exception):
    """A template computes or writes more than it may."""


class Sandbox:
    """A template, compiled in an environment of its own."""

    def __init__(self, source: str, variables: Mapping[str, Any]) -> None:
        """Compile the source. Raises DamagedTemplateError."""
        self._environment = _Environment()
        self._variables = variables
        try:
            self._template = self._environment.from_string(source)
        except (jinja2.TemplateError, SyntaxError, ValueError, RecursionError) as error:
            raise DamagedTemplateError(str(error)) from error

    def render(self, messages: Messages, at: float, more: Mapping[str, Any]) -> str:
        """Render messages as text, the generation prompt at the end.

        at: the moment whose date is printed, in seconds since the epoch. more: variables of this rendering. Raises
        TooMuchError, and whatever the template does.
        """
        self._environment.most = MOST_BEYOND + MOST_TIMES * given_length(messages)
        values = {"tools": None, "documents": None, "add_generation_prompt": True, **self._variables, **more}
        moment = datetime.fromtimestamp(at).astimezone()
        pieces, length = [], 0
        for piece in self._template.generate(messages=list(messages), strftime_now=moment.strftime, **values):
            length += len(piece)
            if length > self._environment.most:
                raise TooMuchError("it writes far more than it is given")
            pieces.append(piece)
        return "".join(pieces)


def given_length(messages: Messages) -> int:
    """Return how many characters a conversation has."""
    return sum(len(value) for message in messages for value in message.values() if isinstance(value, str))


class _Environment(ImmutableSandboxedEnvironment):
    """The environment of one template. most: characters, or entries, of anything that it computes."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationTag, loopcontrols])
        self.most = MOST_BEYOND
        self.filters["tojson"] = _to_json
        self.globals["raise_exception"] = _refuse

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute what an operator does, unless its result would be too large: raise TooMuchError."""
        if isinstance(left, int) and isinstance(right, int):
            if _bits(operator, left, right) > MOST_BITS:
                raise TooMuchError("it computes a number of very many digits")
        elif _entries(operator, left, right) > self.most:
            raise TooMuchError("it repeats a text too often")
        return super().call_binop(context, operator, left, right)


def _bits(operator: str, left: int, right: int) -> int:
    """Return how many bits, at most, the result of two numbers has."""
    if operator == "**":
        return left.bit_length() * max(right, 0) if left not in (-1, 0, 1) else 1
    return left.bit_length() + right.bit_length()


def _entries(operator: str, left: Any, right: Any) -> float:
    """Return how many characters or entries the result has, 0 where that cannot be many."""
    if operator == "*":
        for many, times in ((left, right), (right, left)):
            if isinstance(many, _REPEATED) and isinstance(times, int):
                return len(many) * max(times, 0)
    if operator == "+" and isinstance(left, _REPEATED) and isinstance(right, _REPEATED):
        return len(left) + len(right)
    if operator == "%" and isinstance(left, str) and _WIDE.search(left):
        return float("inf")
    return 0


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
