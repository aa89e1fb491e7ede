"""Conversations that are asked on after an answer with a thought, in the shapes that models' templates have.

The templates in `templates` are written for these tests, each in the manner of a family of models.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from tokenizers import AddedToken, Tokenizer

from app.engine.open_model import OpenModel
from app.prompting.prompt import Prompt
from app.prompting.token_reuse import shared_length
from app.protocol.chat import PromptOptions, Turn
from app.protocol.events import RunFinished
from app.protocol.reports import RequestReport
from tests.engine.bench import Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.tiny_tokenizer import THINKING, byte_level

TEMPLATES = Path(__file__).parent / "templates"
MARKS = (
    *("<|im_start|>", "<|im_end|>", "<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>"),
    *("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<bos>", "[gMASK]"),
    *("<|CHATBOT|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    *("<|START_TEXT|>", "<|END_TEXT|>"),
    *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"),
)
HARMONY = ("<|start|>", "<|channel|>", "<|message|>", "<|return|>")
ANSWER_TOKENS = 535
QUESTION = "And the other fox?"


@dataclass(frozen=True)
class Shape:
    """A template's shape.

    answer: what the model says after the generation prompt. keeps: past thoughts are printed. has_think_tokens: as most
    tokenizers. settings: of the tokenizer.
    """

    answer: str
    eos: str = "<|im_end|>"
    keeps: bool = False
    has_think_tokens: bool = True
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def tokenizer(self) -> Tokenizer:
        return _tokenizer(HARMONY[1] in self.answer, self.has_think_tokens)


_THINK = "<think>\n{thought}\n</think>\n\n{text}"
_OPENED = "{thought}\n</think>\n\n{text}"
SHAPES = {
    "qwen_3": Shape(_THINK),
    "qwen_3_5": Shape(_OPENED),
    "qwq": Shape(_OPENED),
    "deepseek_r1": Shape(_OPENED),
    "glm_4_6": Shape("\n<think>{thought}</think>\n{text}", "<|user|>"),
    "gemma_4": Shape("<|channel>thought\n{thought}\n<channel|>{text}", "<turn|>", has_think_tokens=False),
    "nemotron_3_nano": Shape("{thought}\n</think>\n{text}"),
    "bielik_3": Shape(_OPENED),
    "kimi_k2_thinking": Shape("<think>{thought}</think>{text}"),
    "gpt_oss": Shape(
        "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{text}",
        "<|return|>",
        has_think_tokens=False,
    ),
    "seed_oss": Shape("<think>{thought}</think>{text}", keeps=True),
    "seed_oss_spelled": Shape("<seed:think>{thought}</seed:think>{text}", keeps=True, has_think_tokens=False),
    "kept_in_content": Shape("{thought}</think>{text}", keeps=True),
    "kept_on_lines": Shape("{thought}\n</think>\n{text}", keeps=True),
    "cohere_north": Shape(
        "{thought}<|END_THINKING|><|START_TEXT|>{text}<|END_TEXT|>", keeps=True, has_think_tokens=False
    ),
    "command_a": Shape(
        "<|START_THINKING|>{thought}<|END_THINKING|><|START_RESPONSE|>{text}<|END_RESPONSE|>", has_think_tokens=False
    ),
    "deepseek_v3_2": Shape(
        "{thought}</think>{text}", "<｜end▁of▁sentence｜>", settings=(("chat_template_type", "deepseek_v32"),)
    ),
}


@dataclass(frozen=True)
class FollowUp:
    """The question after an answer. read: tokens of it that were computed; least: as few as the template allows."""

    report: RequestReport
    least: int

    @property
    def read(self) -> int:
        return self.report.left


@cache
def _tokenizer(is_harmony: bool, has_think_tokens: bool) -> Tokenizer:
    """A byte-level tokenizer with the marks of most shapes; those by which programs know a format where they belong."""
    content = json.loads(byte_level().to_str())
    if not has_think_tokens:
        content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] not in THINKING]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    marks = MARKS + (HARMONY if is_harmony else ())
    tokenizer.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in marks])
    return tokenizer


def write_shape(path: Path, name: str, kind: str = "llama") -> Path:
    """Write a tiny model with the template of this shape. Returns the folder."""
    shape = SHAPES[name]
    source = TEMPLATES / f"{name}.jinja"
    template = source.read_text(encoding="utf-8") if source.exists() else None
    write_model_folder(path, kind, template=template, tokenizer=shape.tokenizer)
    settings = json.loads((path / "tokenizer_config.json").read_text(encoding="utf-8"))
    settings |= {"eos_token": shape.eos, **dict(shape.settings)}
    (path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return path


class Conversation:
    """A conversation with a model of this shape that says what it is told to."""

    def __init__(self, path: Path, name: str, has_rows_only: bool, options: PromptOptions | None = None) -> None:
        self.shape = SHAPES[name]
        self.tokenizer = self.shape.tokenizer
        self.bench: Bench = opened(write_shape(path, name), chunk=512)
        self.model = ScriptedModel(self.tokenizer.get_vocab_size(), has_rows_only)
        self.model.install(self.bench.loop, self.bench.events.append)
        self.options = options or PromptOptions()
        self.turns: list[Turn] = []

    @property
    def open_model(self) -> OpenModel:
        assert self.bench.loop.open_model is not None
        return self.bench.loop.open_model

    def ask(self, question: str, thought: str, text: str, max_tokens: int = 2000) -> RunFinished:
        """Ask, and be answered with this thought and text, or the first tokens of it."""
        self.turns.append(user(question))
        answer = self.shape.answer.format(thought=thought, text=text)
        ids = self.tokenizer.encode(answer, add_special_tokens=False).ids
        self.model.says(len(self.prompt().ids), [*ids, self.tokenizer.token_to_id(self.shape.eos)])
        asked: Asked = self.bench.ask(*self.turns, options=self.options, temperature=0.0, max_tokens=max_tokens)
        finished = asked.finished
        assert finished.ids == tuple(ids[:max_tokens]), self.tokenizer.decode(finished.ids, skip_special_tokens=False)
        self.turns.append(Turn("assistant", finished.text, finished.ids, thinking=finished.thinking))
        return finished

    def prompt(self, *more: Turn) -> Prompt:
        """The prompt of the conversation with more turns."""
        return self.open_model.model.prompts.build([*self.turns, *more], self.options)

    def follow_up(self, question: str = QUESTION) -> FollowUp:
        """What another question costs."""
        following = self.prompt(user(question))
        fed = [token for node in self.bench.cache.active.path for token in node.tokens]
        report = following.explained(self.bench.cache.price(following.ids))
        return FollowUp(report, len(following.ids) - shared_length(fed, following.ids))


def words(tokenizer: Tokenizer, tokens: int) -> str:
    """Words of so many tokens."""
    pieces: list[str] = []
    for number in count():
        pieces.append(f" fox {number}" if number % 7 else ". The fork")
        if len(tokenizer.encode("".join(pieces), add_special_tokens=False).ids) >= tokens:
            return "".join(pieces).strip()
    raise AssertionError


def follow_up(path: Path, name: str, has_rows_only: bool = True, answer_tokens: int = ANSWER_TOKENS) -> FollowUp:
    """What it costs to ask on after an answer of about so many tokens, nearly all of them of its thought."""
    conversation = Conversation(path, name, has_rows_only)
    conversation.ask("What is it?", words(conversation.tokenizer, answer_tokens - 15), "It is a fox.")
    return conversation.follow_up()


def rows(path: Path, names: Sequence[str] = tuple(SHAPES)) -> list[dict[str, object]]:
    """What `build/bench/models.json` has of follow-ups: for each shape the tokens that are read, and the fewest."""
    found = {name: follow_up(path / name, name) for name in names}
    return [{"template": name, "read": one.read, "least": one.least} for name, one in found.items()]
