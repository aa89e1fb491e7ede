"""The settings of sampling as a person sees them: each in a field, as text that is read back exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from app.protocol.chat import PARAMETERS, Parameter, Sampling, bias_problem, stop_problem
from app.protocol.dataclass import dataclass

_ESCAPES = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SPACES = str.maketrans("", "", " \u00a0\u202f\u2009'")
_LONGEST_NUMBER = 40  # characters


class Parsed(NamedTuple):
    """A value that a text is, or a sentence that says why it is none."""

    value: Any
    problem: str = ""


class Slider(NamedTuple):
    """The numbers that a slider goes through: from one to another, by steps."""

    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class Field:
    """A setting in the panel. name: of the field of `Sampling`. hint: shown while nothing is typed.

    slider: what it goes through, None where there is none. is_long: it has several lines.
    """

    name: str
    title: str
    tip: str
    group: str
    hint: str = ""
    slider: Slider | None = None
    is_long: bool = False


CHOICE, REPETITION, ANSWER = "Choice of Tokens", "Repetition", "Answer"
FIELDS: tuple[Field, ...] = (
    Field("temperature", "Temperature", "0 always takes the likeliest token.", CHOICE, slider=Slider(0, 2, 0.05)),
    Field("top_p", "Top-p", "Only the likeliest tokens that together have this share.", CHOICE, "", Slider(0, 1, 0.01)),
    Field("top_k", "Top-k", "Only so many of the likeliest tokens; 0 for all.", CHOICE, "", Slider(0, 200, 1)),
    Field("min_p", "Min-p", "No token below this share of the likeliest one.", CHOICE, "", Slider(0, 1, 0.01)),
    Field("xtc_probability", "XTC probability", "How often likely tokens go.", CHOICE, "", Slider(0, 1, 0.05)),
    Field("xtc_threshold", "XTC threshold", "From which share on a token is likely.", CHOICE, "", Slider(0, 0.5, 0.01)),
    Field(
        "repetition_penalty",
        "Repetition penalty",
        "Above 1, tokens that are there already become less likely.",
        REPETITION,
        slider=Slider(0.5, 2, 0.01),
    ),
    Field(
        "presence_penalty",
        "Presence penalty",
        "Is taken off each token that is there already.",
        REPETITION,
        slider=Slider(-2, 2, 0.05),
    ),
    Field(
        "frequency_penalty",
        "Frequency penalty",
        "Is taken off a token for each time that it is there.",
        REPETITION,
        slider=Slider(-2, 2, 0.05),
    ),
    Field("penalty_range", "Range", "How many of the last tokens the penalties look at.", REPETITION, "All tokens"),
    Field("max_tokens", "Maximum tokens", "Where the answer ends at the latest.", ANSWER, "Until the context is full"),
    Field("seed", "Seed", "The same seed and settings give the same answer.", ANSWER, "Drawn for each answer"),
    Field("stop", "Stop texts", "One on a line; \\n is a new line. Each ends the answer.", ANSWER, is_long=True),
    Field(
        "logit_bias",
        "Token numbers",
        "On each line a token and what makes it likelier, as in “ fox: 2”; -100 forbids it.",
        ANSWER,
        is_long=True,
    ),
)
BY_NAME: Mapping[str, Field] = {field.name: field for field in FIELDS}


def parse(name: str, text: str) -> Parsed:
    """Read what stands in a field. Nothing at all is None: the setting is the model's own."""
    if name in PARAMETERS:
        return _number(PARAMETERS[name], text)
    lines = [line for line in text.split("\n") if line.strip()]
    return (_stops if name == "stop" else _biases)(lines)


def text_of(name: str, value: Any) -> str:
    """Write a value as it stands in its field; `parse` reads the same value from it."""
    if value is None:
        return ""
    if name == "stop":
        return "\n".join(_written(one) for one in value)
    if name == "logit_bias":
        return "\n".join(f"{_written(text)}: {_digits(number)}" for text, number in value)
    return _digits(value)


def known_values(stored: object) -> dict[str, Any]:
    """Return what of stored settings can be used, by name: a file may hold anything."""
    if not isinstance(stored, Mapping):
        return {}
    read = ((one.name, _usable(one.name, stored[one.name])) for one in fields(Sampling) if one.name in stored)
    return {name: parsed.value for name, parsed in read if not parsed.problem}


def _usable(name: str, value: object) -> Parsed:
    """Read a value as JSON holds it: lists for tuples, and whole numbers with a fraction of zero."""
    if name == "stop":
        stop = tuple(value) if isinstance(value, list | tuple) else value
        return Parsed(stop, stop_problem(stop))
    if name == "logit_bias":
        pairs = value if isinstance(value, list | tuple) else ()
        biases = tuple(tuple(one) if isinstance(one, list | tuple) else one for one in pairs)
        return Parsed(biases, bias_problem(biases) if isinstance(value, list | tuple) else "No pairs.")
    declared = PARAMETERS[name]
    if declared.is_whole and isinstance(value, float) and value.is_integer():
        value = int(value)
    return Parsed(value, "" if declared.allows(value) else _refusal(declared))


def _number(declared: Parameter, text: str) -> Parsed:
    digits = text.translate(_SPACES).replace(",", ".").replace("−", "-")
    if not digits:
        return Parsed(None)
    convert: Callable[[str], float] = int if declared.is_whole else float
    try:
        value = convert(digits[:_LONGEST_NUMBER])
    except ValueError:
        return Parsed(None, _refusal(declared))
    is_whole_text = len(digits) <= _LONGEST_NUMBER
    return Parsed(value) if is_whole_text and declared.allows(value) else Parsed(None, _refusal(declared))


def _refusal(declared: Parameter) -> str:
    return f"Not used: it must be {'' if declared.is_whole else 'a number '}{declared.range}."


def _stops(lines: list[str]) -> Parsed:
    stop = tuple(_read(line) for line in lines)
    return Parsed(stop or None, stop_problem(stop))


def _biases(lines: list[str]) -> Parsed:
    pairs: list[tuple[str, float]] = []
    for line in lines:
        text, colon, digits = line.rpartition(":")
        try:
            number = float(digits.strip().replace(",", ".").replace("−", "-"))
        except ValueError:
            return Parsed(None, f"“{line.strip()}” needs a colon and a number, as in “ fox: 2”.")
        if not colon or not text:
            return Parsed(None, f"“{line.strip()}” needs the text of a token before its colon.")
        pairs.append((_read(text), int(number) if number.is_integer() else number))
    biases = tuple(pairs)
    return Parsed(biases or None, bias_problem(biases))


def _digits(number: float) -> str:
    return str(int(number)) if isinstance(number, float) and number.is_integer() else repr(number)


def _written(text: str) -> str:
    return "".join(_WRITTEN.get(letter, letter) for letter in text)


def _read(text: str) -> str:
    letters, read = iter(text), []
    for letter in letters:
        if letter == "\\":
            following = next(letters, "")
            read.append(_ESCAPES.get(following, letter + following))
        else:
            read.append(letter)
    return "".join(read)
