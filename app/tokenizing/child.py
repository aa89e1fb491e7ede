"""The process that tries a tokenizer: its input is what to try, its exit status what it says.

Asked is {"folder", "loading", "reading"}: a path, and the seconds of the processor that each may take. It loads the
tokenizer as the engine does and encodes texts that slow expressions are slowest with. Limits that it sets itself bound
its memory and its time, also where nobody waits for it any more. A tokenizer that cannot be loaded, or that refuses a
text, is left to the engine to tell about.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

MOST_MEMORY = 4 << 30
"""Bytes."""
SHORT_OF_MEMORY = 71
"""The exit status of a process that would have needed more."""

# Pieces in a run that is repeated: where one is as long as the library just bears, it takes most time. It gives up a
# longer one by itself.
_RUNS = (8, 10, 12, 14, 16, 18, 20, 22, 24, 27, 30, 34, 38, 44, 52, 64, 80)
_REPEATED = 1500  # characters of a text of short runs,
_LONG_RUN = 3500  # and of one long run
_SECONDS_OF_TEXT = 1.0  # of the processor: a usual tokenizer reads such a text in a thousandth of that
_USUAL = "a1 \n.'<中é\t"
_MOST_LETTERS = 24
_LONGEST_TEMPLATE = 20_000


def serve() -> int:
    """Try the tokenizer of the folder that the input names. Returns the exit status."""
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        _limit(kind, 0)
    if sys.platform == "linux":  # elsewhere it limits nothing, or counts what every process has
        _limit(resource.RLIMIT_AS, MOST_MEMORY)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - nobody reads it
    try:
        _try(**json.load(sys.stdin.buffer))
    except MemoryError:
        os._exit(SHORT_OF_MEMORY)
    os._exit(0)  # taking it all down would take time too


def _try(folder: str, loading: float, reading: float) -> None:
    _give_seconds(loading)
    tokenizer = _load(Path(folder))
    if tokenizer is None:
        return
    until = _seconds_used() + reading
    for text in probing_texts(_expressions(Path(folder)), str(getattr(tokenizer, "chat_template", None) or "")):
        _give_seconds(min(_SECONDS_OF_TEXT, until - _seconds_used()))
        with _whatever_it_raises():  # some refuse what they have no token for
            tokenizer.encode(text, add_special_tokens=False)


def _load(folder: Path) -> Any:
    """Load a tokenizer as the engine does, which asks transformers for it, twice if it must; None if it cannot be."""
    from transformers import AutoTokenizer  # here: this file is known to processes that try no tokenizer

    load = partial(AutoTokenizer.from_pretrained, folder, trust_remote_code=False, local_files_only=True)
    found: list[Any] = []
    with _whatever_it_raises():
        found.append(load())
    with _whatever_it_raises():
        if not found:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            found.append(load(config=SimpleNamespace(model_type=config["model_type"])))
    return found[0] if found else None


@contextmanager
def _whatever_it_raises() -> Iterator[None]:
    """Leave what a library raises, a panic too, to the engine; but not that there is no memory."""
    try:
        yield
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 - whatever a damaged file makes the library raise
        return


def probing_texts(expressions: list[str], template: str) -> Iterator[str]:
    """Yield texts that a slow tokenizer shows itself with: runs of what its expressions name, and the template."""
    letters = list(dict.fromkeys(one for one in "".join(expressions) if one not in "\\[](){}|^$*+?"))[:_MOST_LETTERS]
    pairs = [f"{one}{other}" for one, other in pairwise(letters)]
    end = "!" + "".join(letters)
    dice = random.Random(0)  # noqa: S311 - no secret
    for piece in dict.fromkeys([*letters, *_USUAL, *pairs]):
        for length in _RUNS:
            yield (piece * length + "!") * (_REPEATED // (length * len(piece))) + end
        yield piece * (_LONG_RUN // len(piece)) + end
    for alphabet in (letters, [*letters, *_USUAL]):
        yield "".join(dice.choices(alphabet or list(_USUAL), k=_LONG_RUN))
    yield template[:_LONGEST_TEMPLATE]


def _expressions(folder: Path) -> list[str]:
    """Return all regular expressions in a tokenizer.json, none where there is no such file."""
    try:
        left = [json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))]
    except (OSError, ValueError):
        return []
    left = (
        [left[0].get(part) for part in ("normalizer", "pre_tokenizer", "decoder")] if isinstance(left[0], dict) else []
    )
    found = []
    while left:
        one = left.pop()
        if isinstance(one, dict) and isinstance(one.get("Regex"), str):
            found.append(one["Regex"])
        left.extend(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
    return found


def _give_seconds(seconds: float) -> None:
    """Limit the time of the processor from now on."""
    _limit(resource.RLIMIT_CPU, math.ceil(_seconds_used() + seconds))


def _seconds_used() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit(kind: int, most: int) -> None:
    """Set a limit, as far as the one for good allows."""
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
