"""The bounds of what a tokenizer.json may ask for.

A tokenizer is a list of steps that each change a text or a list of tokens, carried out by a library that ends the
process when memory does. A few steps that each make a text a thousand times longer are enough for that. So the steps
are looked at before the library is given them: how many there are, and by how much they can lengthen a text together.
Whether one is slow, or takes much memory when it is loaded, can only be tried: `is_risky` tells of which that may be.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from app.prompting.problems import ModelError
from app.protocol.figures import number
from app.tokenizing import expressions

_MOST_STEPS = 64
_LONGEST_TEXT = 256  # characters that a step puts in
_LONGEST_EXPRESSION = 20_000
# Tokens of a thousand spaces exist.
_LONGEST_TOKEN = 10_000
# By how much a text may get longer: conversions of Unicode alone come to 33, and each expression to twice.
_LARGEST_GROWTH = 4096
_MOST_COPIES = 64
# Characters of all tokens together, of those that are added, and of a word that is looked up piece by piece: beyond,
# memory and time may be a thousand times as much.
_USUAL_VOCABULARY = 16 << 20
_USUAL_ADDED = 1 << 20
_USUAL_WORD = 1000
_PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_LISTS = ("normalizers", "pretokenizers", "processors", "decoders")
_TEXTS = ("content", "prepend", "prefix", "suffix", "replacement", "pad_token", "word_delimiter_token")

Step = Mapping[str, Any]


def check_tokenizer(tokenizer: object) -> None:
    """Check what tokenizer.json holds, as far as it can be told what it holds. Raises ModelError."""
    if not isinstance(tokenizer, dict):
        return  # what reads it says what is wrong
    for part in _PARTS:
        steps = list(_steps(tokenizer.get(part)))
        if len(steps) > _MOST_STEPS:
            raise _senseless(f"its {part} has more than {_MOST_STEPS} steps")
        for step in steps:
            _check_texts(step, part)
        if prod(map(_growth, steps)) > _LARGEST_GROWTH:
            raise _senseless(f"its {part} makes texts more than {number(_LARGEST_GROWTH)} times longer")
        if prod(map(_copies, steps)) > _MOST_COPIES:
            raise _senseless(f"its {part} repeats texts more than {_MOST_COPIES} times")
    longest = max((len(token) for token in _tokens(tokenizer)), default=0)
    if longest > _LONGEST_TOKEN:
        raise _senseless(f"it has a token of {number(longest)} characters")


def is_risky(tokenizer: object) -> bool:
    """Return whether what tokenizer.json holds might be slow, or fill the memory, as far as a look at it tells."""
    if not isinstance(tokenizer, dict):
        return True
    model = tokenizer.get("model")
    word = model.get("max_input_chars_per_word") if isinstance(model, dict) else None
    return (
        (isinstance(word, int) and word > _USUAL_WORD)
        or sum(map(len, _tokens(tokenizer))) > _USUAL_VOCABULARY
        or sum(map(len, _added(tokenizer))) > _USUAL_ADDED
        or any(map(expressions.is_risky, _expressions(tokenizer)))
    )


def check_tokens(file: str, content: object) -> None:
    """Check one of the files that name tokens beside tokenizer.json, for tokens without end. Raises ModelError."""
    longest = max((len(token) for token in _named(content)), default=0)
    if longest > _LONGEST_TOKEN:
        raise _senseless(f"it has a token of {number(longest)} characters", file)


def _named(content: object) -> Iterator[str]:
    """Yield the names in any JSON, and the texts that may be tokens: all but a chat template."""
    left = [content]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            left.extend(one)
        elif isinstance(one, dict):
            left.extend([*one, *(value for name, value in one.items() if name != "chat_template")])


def _steps(part: object) -> Iterator[Step]:
    """Yield the steps of a part, those inside of sequences too."""
    left = [part]
    while left:
        step = left.pop()
        if isinstance(step, dict):
            lists = [step[name] for name in _LISTS if isinstance(step.get(name), list)]
            left.extend(one for found in lists for one in found)
            yield step


def _expressions(tokenizer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the regular expressions of all steps."""
    for part in _PARTS:
        for step in _steps(tokenizer.get(part)):
            pattern = step.get("pattern")
            if isinstance(pattern, dict) and isinstance(pattern.get("Regex"), str):
                yield pattern["Regex"]


def _check_texts(step: Step, part: str) -> None:
    for name in _TEXTS:
        if isinstance(step.get(name), str) and len(step[name]) > _LONGEST_TEXT:
            raise _senseless(f"its {part} has a {name} of {number(len(step[name]))} characters")
    pattern = step.get("pattern")
    for text in pattern.values() if isinstance(pattern, dict) else ():
        if isinstance(text, str) and len(text) > _LONGEST_EXPRESSION:
            raise _senseless(f"its {part} has an expression of {number(len(text))} characters")


def _growth(step: Step) -> int:
    """Return by how much a step can lengthen a text, at most."""
    pattern, content = step.get("pattern"), step.get("content")
    if isinstance(pattern, dict) and isinstance(content, str):
        text = pattern.get("String")
        if isinstance(text, str) and text:
            return max(1, -(-len(content) // len(text)))
        return 1 + len(content)  # an expression may match nothing, between any two characters
    charsmap = step.get("precompiled_charsmap")
    return _longest_normalization(charsmap) if isinstance(charsmap, str) else 1


def _longest_normalization(charsmap: str) -> int:
    """Return the bytes of the longest text that SentencePiece's table puts in the place of another.

    Format: 4 bytes little-endian length of a trie, the trie, then texts that each end with a zero
    (github.com/google/sentencepiece, `Normalizer::DecodePrecompiledCharsMap`).
    """
    try:
        data = base64.b64decode(charsmap)
        start = 4 + struct.unpack_from("<I", data)[0]
    except (binascii.Error, ValueError, struct.error):
        return 1
    return max(map(len, data[start:].split(b"\0")))


def _copies(step: Step) -> int:
    """Return how often a step repeats what it is given, or how much it adds, whichever is more."""
    pieces = [step[name] for name in ("single", "pair") if isinstance(step.get(name), list)]
    tokens = step.get("special_tokens")
    added = [one.get("ids") for one in tokens.values() if isinstance(one, dict)] if isinstance(tokens, dict) else []
    return max([1, *map(len, pieces), *(len(ids) for ids in added if isinstance(ids, list))])


def _tokens(tokenizer: Mapping[str, Any]) -> Iterator[str]:
    model = tokenizer.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    for token in vocabulary if isinstance(vocabulary, dict | list) else ():
        word = token[0] if isinstance(token, list) and token else token
        if isinstance(word, str):
            yield word
    yield from _added(tokenizer)


def _added(tokenizer: Mapping[str, Any]) -> Iterator[str]:
    added = tokenizer.get("added_tokens")
    for entry in added if isinstance(added, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            yield entry["content"]


def _senseless(why: str, file: str = "tokenizer.json") -> ModelError:
    return ModelError(
        "The model's tokenizer cannot be used",
        f"{file} asks for what no model needs: {why}. Copy or download it again, or choose another model.",
    )
