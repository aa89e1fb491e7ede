"""A long document is read once: whatever is asked about it afterwards, only the new words are computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.prompting.problems import RequestError
from app.protocol.chat import Attachment, Turn
from tests.engine.bench import opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES, sentence_piece
from tests.prompting.codecs import builder_of

REPORT = Attachment("report.pdf", "pdf", "The pears of Lisbon keep for a week, and the fox knows.\n" * 6)
TABLE = Attachment("table.csv", "data", "fruit,days\npear,7\n" * 8)
KINDS = ["llama", "gemma3", "gpt_oss", "lfm2", "falcon_h1", "mamba2", "qwen3_5"]
WORDS = ("Which pears keep?", "And the fox?", "\n\n```\n", "  <|end|> 42", "😀")


def about(words: str, *attachments: Attachment) -> Turn:
    return Turn("user", words, attachments=attachments)


@pytest.mark.parametrize("kind", KINDS)
def test_another_question_about_a_document_computes_only_its_words(tmp_path: Path, kind: str) -> None:
    """Edited in its conversation, in another conversation, and after other things were said elsewhere."""
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    document = bench.ask(about(WORDS[0], REPORT, TABLE), max_tokens=4, temperature=0.0)
    end = bench.model.prompts.build([about("x", REPORT, TABLE)]).restore_points[-2]
    for words in WORDS[1:]:
        bench.ask(user("Something else"), max_tokens=2)
        asked = bench.ask(about(words, REPORT, TABLE), max_tokens=4, temperature=0.0)
        assert asked.started.request.excess == 0
        assert asked.started.request.cached >= end
    again = bench.ask(about(WORDS[0], REPORT, TABLE), max_tokens=4, temperature=0.0)
    assert again.finished.ids == document.finished.ids


@pytest.mark.parametrize("kind", KINDS)
def test_one_more_document_is_all_that_is_read(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    bench.ask(about(WORDS[0], REPORT), max_tokens=2)
    asked = bench.ask(about(WORDS[0], REPORT, TABLE), max_tokens=2)
    assert asked.started.request.excess == 0
    assert asked.started.request.cached >= bench.model.prompts.build([about("x", REPORT)]).restore_points[1]


@pytest.mark.parametrize("shape", [*TEMPLATES, "none"])
def test_every_template_keeps_the_documents_tokens_apart(tmp_path: Path, shape: str) -> None:
    builder = builder_of(tmp_path, TEMPLATES.get(shape))
    prompts = [builder.build([about(words, REPORT, TABLE)]) for words in WORDS]
    ends = set.intersection(*(set(prompt.restore_points) for prompt in prompts))
    spelled = [builder.codec.decode(prompts[0].ids[:end]) for end in sorted(ends)]
    assert [text.rstrip()[-3:] for text in spelled[-2:]] == ["```", "```"]
    for prompt in prompts:
        assert prompt.ids[: max(ends)] == prompts[0].ids[: max(ends)]


def test_with_sentence_piece_the_words_are_told_as_in_the_whole_text(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, TEMPLATES["bare"], sentence_piece())
    prompt = builder.build([about("Which pears keep?", REPORT)])
    said = builder.codec.decode(prompt.ids[prompt.turn_starts[0] : prompt.turn_ends[0]])
    assert said.strip() == f"report.pdf\n```\n{REPORT.text}```\n\nWhich pears keep?"


def test_an_estimate_tells_the_tokens_of_each_attachment(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    talk = [about("One?", REPORT, TABLE), Turn("assistant", "Yes"), user("Two?"), Turn("assistant", "No")]
    estimate = bench.estimate(*talk, about("Three?", TABLE))
    assert estimate is not None
    first, *between, last = (turn.attached for turn in estimate.turns)
    assert len(first) == 2
    assert between == [()] * 3
    assert last == first[1:]
    assert 0 < estimate.turns[0].end - estimate.turns[0].start - sum(first) < 10


def test_what_is_attached_counts_for_the_context(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, TEMPLATES["bare"])
    with pytest.raises(RequestError, match="too long"):
        builder.lengths.require_near([about("x", REPORT)], 10)


def test_words_are_needed_beside_what_is_attached(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="nothing to answer"):
        builder_of(tmp_path, TEMPLATES["bare"]).build([about(" ", REPORT)])
