"""The token ids, and the positions, that a model can read.

An id beyond the model's embedding is read past the end of an array: MLX does not check, and the process may end. So the
number of rows is found when a model is opened, a tokenizer that does not fit is refused then, and every prompt is
compared with it (`PromptBuilder.build`) before anything is computed. Sampled ids are below the number of logits, which
the number of rows never exceeds.
"""

from __future__ import annotations

import logging
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.quantized import QuantizedEmbedding
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.tokenizer_utils import TokenizerWrapper

from app.prompting.problems import ModelError, RequestError, UnknownTokenError
from app.prompting.prompt import PromptBuilder
from app.prompting.steps import Steps
from app.protocol.chat import PromptOptions, Turn
from app.protocol.figures import number

log = logging.getLogger(__name__)


def embedding_rows(model: Module) -> int:
    """Return how many token ids a model knows: ids from 0 up to this number may be fed to it.

    Nothing is evaluated. Every model of mlx-lm has as many logits as rows of its token embedding; other embeddings, of
    positions say, have numbers of their own. Raises ModelError when the model could sample ids that it cannot read.
    """
    untyped: Any = model
    logits: mx.array = untyped(mx.array([[0]]), cache=make_prompt_cache(model))
    width = int(logits.shape[-1])
    embeddings = [module for module in untyped.modules() if isinstance(module, Embedding | QuantizedEmbedding)]
    rows = [int(embedding["weight"].shape[0]) for embedding in embeddings]
    if rows and width not in rows and max(rows) < width:
        raise _unfit(f"it gives {number(width)} logits, and its embedding has {number(max(rows))} rows")
    return width


def position_rows(model: Module) -> int | None:
    """Return how many positions a model knows that has a learned vector for each, None for one that computes them.

    A position beyond is read past the end of an array, whatever context the configuration states. mlx-lm calls these
    vectors `wpe`, after "word position embeddings" of GPT-2.
    """
    untyped: Any = model
    named = [module for name, module in untyped.named_modules() if name.rpartition(".")[2] == "wpe"]
    return min((int(module["weight"].shape[0]) for module in named), default=None)


def check_vocabulary(tokenizer: TokenizerWrapper, rows: int) -> None:
    """Refuse a tokenizer that makes ids from plain text which the model does not know: raise ModelError.

    Added tokens beyond the last row are common and harmless where nothing writes them: text never becomes one of those
    (`Codec`), and a template that writes one is refused by `check_prompts`.
    """
    vocabulary: Any = tokenizer.get_vocab()
    added: Any = tokenizer.added_tokens_decoder
    largest = max((int(token) for token in vocabulary.values() if token not in added), default=-1)
    if largest >= rows:
        raise _unfit(
            f"its tokenizer numbers tokens up to {number(largest)}, and the model knows {number(rows)} of them"
        )


def check_prompts(prompts: PromptBuilder) -> Steps[None]:
    """Refuse a template that writes nothing, or a token which the model does not know: raise ModelError."""
    try:
        turns = (Turn("user", "Abc"), Turn("assistant", "Def"), Turn("user", "Ghi"))
        prompt = yield from prompts.building(turns, PromptOptions())
    except UnknownTokenError as error:
        known = number(prompts.codec.rows)
        what = f"its chat template writes token {number(error.token)}, and the model knows {known} of them"
        raise _unfit(what) from error
    except RequestError as error:
        # A template that refuses this refuses every conversation, and says so when one is asked.
        log.info("the template was not tried: %s", error)
    else:
        if not prompt.ids:
            raise ModelError(
                "The model's chat template writes nothing",
                "What it makes of a conversation is empty. Copy or download the folder again, or choose another model.",
            )


def _unfit(what: str) -> ModelError:
    return ModelError(
        "The tokenizer and the model do not fit together",
        f"They come from different models, or a file is damaged: {what}. Copy or download the folder again.",
    )
