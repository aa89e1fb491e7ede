"""Answers that a model might give to make a cache useless, and conversations made of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from app.engine.model import LoadedModel
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.prompting.codec import Codec
from app.prompting.token_reuse import shared_length
from app.protocol.chat import Turn
from app.protocol.commands import Cancel
from app.protocol.events import RunFinished
from app.protocol.reports import RequestReport
from tests.engine.bench import opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.scripted_model import ScriptedModel, checksum
from tests.fakes.tiny_tokenizer import THINKING, byte_level

# Texts whose tokens by themselves are not those of the whole: merges across the boundary, characters of several
# bytes, control tokens spelled out, white space at both ends.
PIECES = [
    "H", "ow do I", " fo", "rk", "?", "\n", "\n\n", " ", "   ", "the", " the", "42", "1 + 2", "😀", "👩‍🚀", "こ", "é",
    "ß", "<|end|>", "<|us", "er|>", "[A]", "<thi", "nk>", "x" * 9, "\t", "'s", "...", "Zq0w0w",
]  # fmt: skip
# Whole answers in the forms that models give them.
FORMS = [
    "{}", "{}", "{}", "ok{}", "{}ok",
    "<think>\n{}\n</think>\n\n{}",
    "<think>\nthe user asks this 😀\n</think>\n\nSo: {}",
    "{}\n</think>\n\n{}",
    "<think>{}",
    '<tool_call>\n{{"name": "look", "arguments": {{"at": "{}"}}}}\n</tool_call>',
    "{}\n```python\nprint('{}')\n```\n",
]  # fmt: skip


def text_of(dice: random.Random, most: int = 8) -> str:
    return "".join(dice.choices(PIECES, k=dice.randrange(1, most)))


def answer_of(dice: random.Random) -> str:
    form = dice.choice(FORMS)
    return form.format(*(text_of(dice) for _ in range(form.count("{}"))))


def noisy_ids(text: str, dice: random.Random, tokenizer: Tokenizer) -> list[int]:
    """The text in tokens that a sampler could have chosen: cut at random places, characters in single bytes too."""
    vocabulary = tokenizer.get_vocab()
    ids: list[int] = []
    while text:
        mark = next((mark for mark in THINKING if text.startswith(mark)), "")
        cut = len(mark) or dice.randrange(1, 5)
        part, text = text[:cut], text[cut:]
        for piece in tokenizer.encode(part, add_special_tokens=False).tokens:
            single = dice.random() < 0.3 and piece not in ("<|end|>", *THINKING) and all(c in vocabulary for c in piece)
            ids += [vocabulary[character] for character in piece] if single else [vocabulary[piece]]
    return [token for token in ids if token != vocabulary["<|end|>"]]


class Talk:
    """Conversations with a scripted model, each answer on top of what was said.

    follow_ups: of each follow-up, what it would cost. extended: how many of them take over every token of the answer
    before. broken: prompts that say the same as the answer beyond where they leave its tokens.
    """

    def __init__(
        self, path: Path, template: str | None, has_rows_only: bool, tokenizer: Tokenizer | None = None
    ) -> None:
        self.tokenizer = tokenizer or byte_level()
        self.bench = opened(write_model_folder(path, tokenizer=self.tokenizer, template=template), chunk=512)
        self.model = ScriptedModel(self.tokenizer.get_vocab_size(), has_rows_only)
        self.model.install(self.bench.loop, self.bench.events.append)
        self.follow_ups: list[RequestReport] = []
        self.extended = 0
        self.broken: list[str] = []

    @property
    def loaded(self) -> LoadedModel:
        return self.bench.model

    @property
    def cache(self) -> PrefixCache:
        return self.bench.cache

    def hold(self, dice: random.Random, answers: int) -> None:
        """One conversation, of a first question that no other begins with, and follow-ups to what was answered."""
        turns = [user(f"{dice.random()} {text_of(dice)}")]
        for _ in range(answers):
            finished = self.ask(turns, answer_of(dice), dice)
            fed = self.fed()
            if not (finished.text + finished.thinking).strip():
                return
            answered = Turn("assistant", finished.text, finished.ids, thinking=finished.thinking)
            turns += [answered, user(text_of(dice, 5) + "?")]
            self._compare(fed, turns)

    def ask(
        self, turns: Sequence[Turn], answer: str, dice: random.Random, is_cut: bool = True, **sampling: object
    ) -> RunFinished:
        """The model gives this answer. is_cut: now and then it is cut short by its length or by the person."""
        ids = noisy_ids(answer, dice, self.tokenizer)
        self.model.says(len(self.loaded.prompts.build(turns).ids), [*ids, *self.loaded.codec.stop_ids])
        most = dice.choice([999, 999, 999, max(1, len(ids) // 2)]) if is_cut else 999
        command = self.bench.command(*turns, **{"temperature": 0.0, "max_tokens": most, **sampling})
        begin = len(self.bench.events)
        self.bench.loop.submit(command)
        steps = dice.choice([999, 999, 999, dice.randrange(2, 20)]) if is_cut else 999
        while self.bench.loop.step():
            steps -= 1
            if steps == 0:
                self.bench.loop.submit(Cancel(command.run_id))
        [finished] = [event for event in self.bench.events[begin:] if isinstance(event, RunFinished)]
        self._check()
        return finished

    def fed(self) -> list[int]:
        """The tokens of the live path."""
        return [token for node in self.cache.active.path for token in node.tokens]

    def _check(self) -> None:
        check(self.cache)
        tokens, state = self.model.held(self.cache)
        assert tokens == self.fed()
        assert state in (None, checksum(tokens))

    def _compare(self, fed: Sequence[int], turns: Sequence[Turn]) -> None:
        """Where the next prompt leaves what was fed, it must say something else."""
        following = self.loaded.prompts.build(turns).ids
        self.follow_ups.append(self.cache.price(following))
        leaves = shared_length(fed, following)
        self.extended += leaves == len(fed)
        whole = self.loaded.codec.decode(following)
        is_control = following[leaves] in self.loaded.codec.special_ids  # which no words say, though they may look so
        if leaves < len(fed) and not is_control and is_said(self.loaded.codec, fed[: leaves + 1], whole):
            self.broken.append(whole)


def is_said(codec: Codec, tokens: Sequence[int], text: str) -> bool:
    """The text begins with what these tokens say, half characters left out unless they are all there is."""
    said = codec.decode(tokens)
    return not said.endswith("\ufffd") and text.startswith(said)
