"""The servers that are known, and in what they differ. What they do was tried, or read in their sources."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum, auto

from app.protocol.chat import Sampling
from app.protocol.dataclass import dataclass
from app.remote.record import Rule


class GoingOn(Enum):
    """The way in which a server goes on inside an answer: it cannot; from a last message that is an answer; or from
    that where it is told so."""

    NONE = auto()
    LAST_MESSAGE = auto()
    AS_TOLD = auto()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of server.

    name: as its people call it. takes_seed: a seed is known to do it no harm. takes_template_options: what the template
    is told can be sent. settings: those beyond temperature and top-p that it knows; repetition: what it calls that
    penalty. no_limit: what it takes for an answer of any length, None where it is to be told nothing. context: tokens
    that it is told to make room for where nobody says how many, None where that is its own affair. keeps: what it keeps
    of the prompts that it has read, None where nobody knows. tells_progress: it can tell how far a prompt is read.
    no_top_k: what it takes for a top-k that is off. takes_salt: it can be told to share what it holds with nobody else,
    whom the time of an answer would tell what was asked. marks_end: every whole answer of it has an end mark, and one
    without has broken off. most: what it takes at most of settings of which more is allowed here, by name.
    health: a path that is there once it can answer.
    """

    name: str
    going_on: GoingOn = GoingOn.NONE
    takes_seed: bool = True
    takes_template_options: bool = False
    settings: frozenset[str] = frozenset()
    repetition: str = "repetition_penalty"
    no_limit: int | None = None
    context: int | None = None
    keeps: Rule | None = None
    tells_progress: bool = False
    no_top_k: int = 0
    takes_salt: bool = False
    marks_end: bool = False
    most: tuple[tuple[str, float], ...] = ()
    health: str = "/health"

    @property
    def unused_settings(self) -> frozenset[str]:
        """Return the names of those settings of sampling that are not sent to it."""
        used = _SENT_TO_ALL | self.settings | ({"seed"} if self.takes_seed else set())
        return frozenset(one.name for one in fields(Sampling)) - used


_SENT_TO_ALL = frozenset({"temperature", "top_p", "max_tokens", "stop"})
_OPENAI = frozenset({"presence_penalty", "frequency_penalty"})
_ALL = _OPENAI | {"top_k", "min_p", "repetition_penalty"}
_XTC = frozenset({"xtc_probability", "xtc_threshold"})

# A seed makes mlx_lm.server answer one request at a time, and a sharded one hangs where such a request is stopped. What
# it draws from must be fewer tokens than the model has, which it does not tell: no model has less than these.
MLX = Kind(
    *("mlx_lm.server", GoingOn.NONE, False, True, _ALL | _XTC),
    no_limit=1 << 20,
    keeps=Rule(sequences=10),
    marks_end=True,
    most=(("top_k", 1000),),
)
MLX_DEFAULT = "default_model"  # by which it calls the one that it was started with
LLAMA = Kind(
    *("llama.cpp", GoingOn.LAST_MESSAGE, True, True, _ALL | _XTC, "repeat_penalty", -1),
    keeps=Rule(sequences=1, puts_away=True),
    tells_progress=True,
    marks_end=True,
)
# Read in `sampling_params.py` of each.
VLLM = Kind(
    *("vLLM", GoingOn.AS_TOLD, True, True, _ALL),
    keeps=Rule(block=16),
    takes_salt=True,
    marks_end=True,
    most=(("temperature", 2),),
)
SGLANG = Kind(
    *("SGLang", GoingOn.AS_TOLD, True, True, _ALL),
    keeps=Rule(),
    no_top_k=-1,
    marks_end=True,
    most=(("repetition_penalty", 2),),
)
# It makes room for as many tokens as it is told, loads the model again for other ones, and cuts what is longer.
OLLAMA = Kind(
    *("Ollama", GoingOn.LAST_MESSAGE, True, False, _ALL, "repeat_penalty", -1, 8192, Rule(sequences=1)),
    marks_end=True,
    health="/api/version",
)
# Whether it marks the end of every answer could not be read anywhere. The range is that of its fields.
LM_STUDIO = Kind(
    "LM Studio",
    settings=_ALL,
    repetition="repeat_penalty",
    keeps=Rule(sequences=1),
    most=(("top_k", 500),),
    health="/v1/models",
)
# It may be an mlx_lm.server that did not say that it was well. The range is that of OpenAI's documents.
OTHER = Kind("OpenAI’s interface", takes_seed=False, settings=_OPENAI, most=(("temperature", 2),), health="/v1/models")
