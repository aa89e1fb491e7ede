"""Thought and text: told apart whatever the tokens are cut into, and wherever the answer ends."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer

from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.prompting.thinking import Piece, Splitter, ThinkingMarks
from app.protocol.events import TextDelta, TextKind
from app.protocol.reports import StopReason
from tests.engine.bench import Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.tiny_tokenizer import THINKING_DROPPED, THINKING_OPENED, byte_level
from tests.prompting.codecs import wrapper_of
from tests.seeds import each_seed

HARMONY = ["<|start|>", "<|channel|>", "<|message|>"]
COMMAND = ["<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"]
GEMMA = ["<|channel>", "<channel|>"]
THINK = ThinkingMarks(("<think>",), ("</think>",))  # by their characters, as models without tokens for them have it
WORDS = ["a", "b c", " ", "\n", "<", "</", "</think", "<think>", ">", "think>", "</th", "ink>", "[end]", "😀"]


def with_tokens(*added: str) -> Tokenizer:
    tokenizer = byte_level()
    tokenizer.add_tokens([AddedToken(text, special=True, normalized=False) for text in added])
    return tokenizer


def codec_with(path: Path, *added: str, template: str = "") -> Codec:
    return Codec(wrapper_of(path, with_tokens(*added)), template)


def told(pieces: Sequence[Piece], kind: TextKind) -> str:
    return "".join([text for its_kind, text in pieces if its_kind == kind])


def split(codec: Codec, ids: Sequence[int], prompt: Sequence[int] = (), stops: tuple[str, ...] = ()) -> tuple[str, str]:
    """Thought and text of an answer that was generated with these ids."""
    output = OutputText(codec, stops, prompt)
    pieces = [piece for token in ids for piece in output.add(token)] + output.end()
    assert (told(pieces, "thinking"), told(pieces, "text")) == (output.thinking, output.text)
    return output.thinking, output.text


def as_the_marks_say(whole: str, is_open: bool = False) -> tuple[str, str]:
    """Thought and text of a whole answer in characters."""
    lead = r"\s*(?:<think>)?\s*" if is_open else r"\s*<think>\s*"
    found = re.match(rf"{lead}(?P<thought>.*?)(?P<end></think>\s*|\Z)(?P<text>.*)\Z", whole, re.DOTALL)
    return (found["thought"].rstrip(), found["text"]) if found else ("", whole)


@each_seed(range(300))
def test_any_cut_of_any_answer_tells_what_the_marks_say(seed: int) -> None:
    dice = random.Random(seed)
    is_open = dice.random() < 0.3
    beginning = dice.choice(["", "\n", "<think>", " <think>\n", "<think>\n\n"])
    whole = beginning + "".join(dice.choices(WORDS, k=dice.randint(0, 12)))
    whole += dice.choice(["", "</think>", "\n</think>\n\n"]) + "".join(dice.choices(WORDS, k=dice.randint(0, 6)))
    splitter, pieces, at = Splitter(THINK, "<think>\n" if is_open else "<think>\n</think>\n"), list[Piece](), 0
    while at < len(whole):
        end = min(len(whole), at + dice.randint(1, 7))
        pieces += splitter.push(whole[at:end])
        at = end
    pieces += splitter.rest()
    assert (told(pieces, "thinking"), told(pieces, "text")) == as_the_marks_say(whole, is_open)
    assert all(text for _, text in pieces)


@each_seed(range(60))
def test_a_mark_that_is_a_token_counts_and_its_characters_are_words(tmp_path: Path, seed: int) -> None:
    """Words spell marks here; none of them is one, however they are cut into tokens."""
    codec, dice = _think_codec(tmp_path), random.Random(seed)
    opening, closing = codec.markup("<think>"), codec.markup("</think>")
    assert len(opening) == len(closing) == 1
    thought, text = ("".join(dice.choices(WORDS, k=dice.randint(0, 9))) for _ in range(2))
    ids = [*opening, *_spelled(codec, "\n" + thought, dice), *closing, *_spelled(codec, "\n\n" + text, dice)]
    cut = dice.randint(0, len(ids))
    assert split(codec, ids) == (thought.strip(), text.lstrip())
    own_thought, own_text = split(codec, ids[:cut])
    assert thought.strip().startswith(own_thought.rstrip("\ufffd"))
    assert text.lstrip().startswith(own_text.rstrip("\ufffd"))
    output = OutputText(codec, ())
    for token in ids[:cut]:
        output.add(token)
    assert output.ids == tuple(ids[:cut])


def _think_codec(path: Path) -> Codec:
    return Codec(wrapper_of(path, byte_level(), THINKING_DROPPED), THINKING_DROPPED)


def _spelled(codec: Codec, text: str, dice: random.Random) -> list[int]:
    """Tokens of a text that is cut anywhere before it is tokenized, none of which is a mark."""
    cuts = sorted(dice.sample(range(len(text) + 1), min(3, len(text) + 1)))
    pieces = [text[one:other] for one, other in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [token for piece in pieces for token in codec.plain(piece)]


def test_a_thought_that_is_cut_is_all_thought(tmp_path: Path) -> None:
    codec = _think_codec(tmp_path)
    assert split(codec, codec.markup("<think>\nthe fox and")) == ("the fox and", "")
    assert split(codec, codec.markup("<think>")) == ("", "")


def test_what_begins_a_mark_and_is_none_is_told_at_the_end() -> None:
    for beginning, expected in (("<thi", ("", "<thi")), ("<think>so </thi", ("so </thi", "")), (" \n", ("", " \n"))):
        splitter = Splitter(THINK)
        pieces = splitter.push(beginning) + splitter.rest()
        assert (told(pieces, "thinking"), told(pieces, "text")) == expected


def test_an_answer_begins_inside_a_thought_that_its_prompt_has_opened(tmp_path: Path) -> None:
    codec = _think_codec(tmp_path)
    opened_prompt, closed = codec.markup("<|assistant|>\n<think>\n"), codec.markup("<think>\n\n</think>\n\n")
    ids = codec.markup("the fox\n</think>\n\nIt is 42")
    assert split(codec, ids, opened_prompt) == ("the fox", "It is 42")
    assert split(codec, codec.markup("It is 42"), closed) == ("", "It is 42")
    assert split(codec, codec.markup("<think>\nthe fox</think>a"), opened_prompt) == ("the fox", "a")


def test_channels_alternate_and_their_headers_are_in_neither(tmp_path: Path) -> None:
    codec = codec_with(tmp_path, *HARMONY, template="<|channel|>")
    whole = (
        "<|channel|>analysis<|message|>the fox<|end|><|start|>assistant<|channel|>final<|message|>It is<|end|>"
        "<|start|>assistant<|channel|>commentary to=user<|message|>and the other<|end|>"
        "<|start|>assistant<|channel|>final<|message|>42"
    )
    prompt = codec.markup("<|start|>assistant")
    ids = codec.markup(whole)
    assert split(codec, ids, prompt) == ("the fox\n\nand the other", "It is\n\n42")
    assert split(codec, codec.markup("It is 42"), prompt) == ("", "It is 42")
    for cut in range(len(ids)):
        thought, text = split(codec, ids[:cut], prompt)
        assert "the fox\n\nand the other".startswith(thought)
        assert "It is\n\n42".startswith(text)
        assert "analysis" not in thought + text


def test_a_call_of_a_tool_is_no_text(tmp_path: Path) -> None:
    """Its header takes more words than others: whom it is for, and in what form."""
    codec = codec_with(tmp_path, *HARMONY, "<|constrain|>", template="<|channel|>")
    call = "<|channel|>commentary to=functions.find_the_other_fox_in_the_story <|constrain|>json<|message|>{}"
    assert split(codec, codec.markup(f"{call}<|end|><|start|>assistant<|channel|>final<|message|>ok")) == ("{}", "ok")


def test_words_after_the_end_of_a_channel_are_text_when_no_header_comes(tmp_path: Path) -> None:
    codec = codec_with(tmp_path, *HARMONY, template="<|channel|>")
    story = "the end of the story about the fox and the other fox, which is longer than any header is. " * 3 + "So."
    assert split(codec, codec.markup(f"<|channel|>analysis<|message|>so<|end|>{story}")) == ("so", story)


def test_the_marks_of_other_families_are_known(tmp_path: Path) -> None:
    command = codec_with(tmp_path / "command", *COMMAND)
    whole = "<|START_THINKING|>so<|END_THINKING|><|START_RESPONSE|>It is 42<|END_RESPONSE|>"
    assert split(command, command.markup(whole)) == ("so", "It is 42")
    assert split(command, command.markup("<|START_RESPONSE|>It is<|END_RESPONSE|>")) == ("", "It is")
    mistral = codec_with(tmp_path / "mistral", "[THINK]", "[/THINK]")
    assert split(mistral, mistral.markup("[THINK]so[/THINK]It is")) == ("so", "It is")


def test_a_mark_of_a_token_and_words_is_known(tmp_path: Path) -> None:
    """The marks of a tokenizer whose token for them takes a word more, as mlx-lm tells."""
    codec = Codec(wrapper_of(tmp_path, _without_think(*GEMMA)), "")
    assert split(codec, codec.markup("<|channel>thought\nso<channel|>It is")) == ("so", "It is")
    assert split(codec, codec.markup("<|channel>thou")) == ("", "")


def _without_think(*added: str) -> Tokenizer:
    import json

    content = json.loads(with_tokens(*added).to_str())
    for token in content["added_tokens"]:
        token["content"] = token["content"].replace("think>", "unthought>")
    return Tokenizer.from_str(json.dumps(content))


def test_stop_texts_count_in_the_text_and_not_in_the_thought(tmp_path: Path) -> None:
    codec = _think_codec(tmp_path)
    output = OutputText(codec, ("END",))
    for token in codec.markup("<think>\nthe END is near</think>\n\nIt is 42END of it"):
        output.add(token)
        if output.stop:
            break
    output.end()
    assert output.stop is StopReason.STOP_TEXT
    assert (output.thinking, output.text) == ("the END is near", "It is 42")
    assert codec.decode(output.ids).endswith("It is 42")


# A whole run


@pytest.fixture
def said(tmp_path: Path) -> Callable[..., tuple[Bench, Sequence[int]]]:
    """A bench whose model says a text, in the words of its template."""

    def make(template: str, text: str) -> tuple[Bench, Sequence[int]]:
        bench = opened(write_model_folder(tmp_path / "m", tokenizer=byte_level(), template=template))
        model = ScriptedModel(bench.model.codec.rows, has_rows_only=True)
        model.install(bench.loop, bench.events.append)
        prompt = bench.model.prompts.build([user("hi")]).ids
        ids = [*bench.model.codec.markup(text), *bench.model.codec.stop_ids]
        model.says(len(prompt), ids)
        return bench, ids

    return make


@pytest.mark.parametrize(
    ("template", "beginning"), [(THINKING_DROPPED, "<think>\n"), (THINKING_OPENED, "")], ids=["own mark", "opened"]
)
def test_a_run_tells_thought_and_text(
    said: Callable[..., tuple[Bench, Sequence[int]]], template: str, beginning: str
) -> None:
    bench, ids = said(template, f"{beginning}the user asks 😀\n</think>\n\nIt is 42")
    asked = bench.ask(user("hi"), temperature=0.0, max_tokens=200)
    finished = asked.finished
    assert (finished.thinking, finished.text) == ("the user asks 😀", "It is 42")
    assert finished.ids == tuple(ids[:-1])
    for kind, whole in (("thinking", finished.thinking), ("text", finished.text)):
        deltas = [event for event in asked.events if isinstance(event, TextDelta) and event.kind == kind]
        assert "".join([delta.text for delta in deltas]) == whole
    tokens = [token.id for event in asked.events if isinstance(event, TextDelta) for token in event.tokens]
    assert tuple(tokens) == finished.ids
    close = ids.index(bench.model.codec.markup("</think>")[0])
    assert finished.stats.thinking_tokens == close + 1
    assert 0 < finished.stats.thinking_seconds < finished.stats.seconds


def test_a_run_that_ends_inside_its_thought_has_no_text(said: Callable[..., tuple[Bench, Sequence[int]]]) -> None:
    bench, ids = said(THINKING_DROPPED, "<think>\nthe user asks for the end of the story\n</think>\n\nIt is 42")
    finished = bench.ask(user("hi"), temperature=0.0, max_tokens=9).finished
    assert finished.stats.stop is StopReason.LENGTH
    assert finished.text == ""
    assert finished.thinking
    assert "the user asks for the end of the story".startswith(finished.thinking)
    assert finished.stats.thinking_tokens == 9
    assert finished.ids == tuple(ids[:9])
