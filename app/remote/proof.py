"""The proof that prompts which are built here are those that the server would build.

What is compared, of the server's own tokenizer, of which comparing its ids with its ids would prove nothing, or of one
from a folder, which may be another model's:

* 64 texts, tokenized as what people type, come out of the server's own detokenizer as out of the one here, and hold no
  control token: nobody can type what begins a turn. Of the server's own they come out as they were, since that is what
  can be wrong: how its vocabulary was read. A folder's makes of each text the ids that the server makes of it.
* A conversation of three turns, with instructions and without, comes to the ids that the server makes of it: the
  template is the one that the server uses, is given the same variables, and is cut in the right places. Its words are
  ordinary ones; for texts that spell control tokens, where the two differ on purpose, the first is proof.

One difference is allowed, and made up for: a beginning-of-text token that the template does not print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.prompting.codec import Codec
from app.prompting.prompt import PromptBuilder, prompt_builder
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, Renderer
from app.protocol.chat import PromptOptions, Turn
from app.remote.id_tokenizer import IdTokenizer

TEXTS = (
    *("a", "Hello", "Hello, world!", "The quick brown fox jumps over the lazy dog.", "don't, can't, I'm, we've"),
    *(
        "x = {'a': [1, 2, 3]}",
        "def f(x):\n    return x + 1\n",
        '<p class="b">Hi &amp; bye</p>',
        "https://example.org/?q=1#a",
    ),
    *("0", "1234567890", "3.14159", "1,000,000", "-5e-3", "0x1F", "a1b2c3", "ALLCAPS and camelCase and snake_case"),
    *("~!@#$%^&*()_+`-={}|[]\\:\";'<>?,./", "...", "?!", "- one\n- two\n", "| a | b |\n|---|---|\n", "`code`", "$x^2$"),
    *(
        " leading",
        "trailing ",
        "two  spaces",
        "   three",
        "\n",
        "\n\n\n",
        "\t",
        "a\tb",
        "line\nline\r\nline",
        " \n \n ",
        "\u00a0",
    ),
    *("é", "e\u0301", "Größe, Übermaß, ñandú", "Ελληνικά", "Привет, мир", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया"),
    *(
        "สวัสดีชาวโลก",
        "こんにちは世界",
        "你好，世界",
        "안녕하세요",
        "Tiếng Việt",
        "𝒳𝒴𝒵",
        "ﬁ ½ ™",
        "a\u200bb\u200d\ufeff",
        "one\u2028two\u2029three",
    ),
    *("🦊", "👩\u200d👩\u200d👧\u200d👦", "🇩🇪🏳️\u200d🌈", "fox 🦊 fox", "\U0001f44d\U0001f3fd"),
    *(
        "<|end|>",
        "<|im_start|>system\nYou<|im_end|>",
        "</s><s>[INST] <<SYS>>",
        "<think>no</think>",
        "<|endoftext|><eos>",
    ),
    "<start_of_turn>user\n<|start|>assistant<|channel|>final<|message|>",
    "The same words again and again. " * 60,
)
_ASKED = (
    Turn("user", "What is a fork?"),
    Turn("assistant", "A fork is a second way on from the same message."),
    Turn("user", "How do I make one?"),
)
_TOLD = "Answer in one sentence."


def proven(tokenizer: IdTokenizer, codec: Codec, template: ChatTemplate) -> Steps[PromptBuilder | None]:
    """Return what builds a model's prompts; None where they are not those of its server.

    Raises UnansweredError, ModelError, and RequestError where the template refuses what its server renders.
    """
    yield
    if not _keeps_texts(tokenizer, codec):
        return None
    for tried in (template, *((_begun(tokenizer, codec, template),) if tokenizer.is_servers_own else ())):
        builder = yield from prompt_builder(codec, tried)
        if (yield from _builds_the_same(tokenizer, builder)):
            return builder
    return None


def _keeps_texts(tokenizer: IdTokenizer, codec: Codec) -> bool:
    """Return whether texts that are typed stay what they are, and no control token of the model comes of them."""
    before = codec.plain("x")
    if not tokenizer.agrees(TEXTS):
        return False
    told = [(*before, *codec.plain(text, before[-1])) for text in TEXTS]
    if any(codec.special_ids.intersection(ids) for ids in told):
        return False
    texts = [codec.decode(ids) for ids in told]
    if tokenizer.is_servers_own and texts != [codec.decode(before) + text for text in TEXTS]:
        return False
    return texts == tokenizer.written_out(told)


def _builds_the_same(tokenizer: IdTokenizer, builder: PromptBuilder) -> Steps[bool]:
    """Return whether a conversation comes to the ids that the server makes of it, with instructions and without."""
    for told in (None, *((_TOLD,) if builder.takes_instructions else ())):
        turns = _ASKED if told is None else (Turn("system", told), *_ASKED)
        prompt = yield from builder.building(turns, PromptOptions())
        if not tokenizer.is_conversation([{"role": turn.role, "content": turn.text} for turn in turns], prompt.ids):
            return False
    return True


def _begun(tokenizer: IdTokenizer, codec: Codec, template: ChatTemplate) -> ChatTemplate:
    """Return a template that prints what the tokenizer itself puts before a text."""
    return replace(template, renderer=_Begun(template.renderer, codec.decode(codec.beginning())))


class _Begun:
    """A template with a text before what it writes."""

    def __init__(self, renderer: Renderer, before: str) -> None:
        self._renderer, self._before = renderer, before

    def render(
        self, conversations: Sequence[Sequence[Mapping[str, Any]]], at: float, more: Mapping[str, Any]
    ) -> Steps[list[str]]:
        """Render as the template does."""
        texts = yield from self._renderer.render(conversations, at, more)
        return [self._before + text for text in texts]

    def close(self) -> None:
        """End what was begun for the template."""
        self._renderer.close()
