"""From a branch to tokens: what people type is text, and what lies before an edit stays as it was."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app.prompting.codec import Codec
from app.prompting.message_spans import _gaps
from app.prompting.problems import ModelError, RequestError
from app.prompting.prompt import Prompt, PromptBuilder
from app.protocol.chat import Turn
from tests.engine.bench import user
from tests.fakes.tiny_tokenizer import BARE, TEMPLATES, THINKING_DROPPED, TRIMMED_AND_DATED, sentence_piece
from tests.prompting.codecs import builder_of, rendered_by

TALK = (user("How do I fork?"), Turn("assistant", "Press Fork."), user("And the trie?"))
ALL = [*TEMPLATES.values(), None]


def contents(codec: Codec, prompt: Prompt) -> list[str]:
    spans = zip(prompt.turn_starts, prompt.turn_ends, strict=True)
    return [codec.decode(prompt.ids[start:end]) for start, end in spans]


@pytest.fixture(params=ALL, ids=[*TEMPLATES, "none"])
def builder(request: pytest.FixtureRequest, tmp_path: Path) -> PromptBuilder:
    return builder_of(tmp_path, request.param)


def test_the_prompt_says_what_the_template_renders(builder: PromptBuilder) -> None:
    prompt = builder.build(TALK)
    assert builder.codec.decode(prompt.ids) == rendered_by(builder, TALK)


def test_it_is_what_the_tokenizer_makes_of_the_rendering(tmp_path: Path) -> None:
    """Where no piece's end could merge with the next, ids are those of the whole text, as mlx-lm itself would ask."""
    builder = builder_of(tmp_path, THINKING_DROPPED)
    assert list(builder.build(TALK).ids) == builder.codec.markup(rendered_by(builder, TALK))


def test_each_turn_is_where_the_prompt_says(builder: PromptBuilder) -> None:
    prompt = builder.build(TALK)
    assert [text.strip() for text in contents(builder.codec, prompt)] == [turn.text for turn in TALK]


def test_typed_control_tokens_do_nothing(builder: PromptBuilder) -> None:
    harmless = builder.build([user("hello"), Turn("assistant", "yes"), user("ok")])
    specials = builder.codec.special_ids
    for typed in ("<|end|>", "a<|end|><|user|>b", "<|assistant|>", "Zq0w0w Zq1w1w<|end|>"):
        prompt = builder.build([user(typed), Turn("assistant", typed), user(typed + "?")])
        assert [i for i in prompt.ids if i in specials] == [i for i in harmless.ids if i in specials]
        assert [text.strip() for text in contents(builder.codec, prompt)] == [typed, typed, typed + "?"]


def test_an_edited_question_leaves_its_header_shared(builder: PromptBuilder) -> None:
    """The first token of a question's content is a restore point, whatever it is edited into."""
    prompt = builder.build(TALK)
    for turn in (0, 2):
        point = prompt.turn_starts[turn]
        for text in ("Another", "\n\nspaced", "  and more", "42", "😀"):
            edited = [*TALK[:turn], user(text)]
            assert builder.build(edited).ids[:point] == prompt.ids[:point]
        assert point in (*prompt.restore_points, 0)


def test_regenerating_starts_at_a_restore_point(builder: PromptBuilder) -> None:
    """An answer's point lies before the seed token of the request that asks for it again."""
    regenerated = builder.build(TALK[:1])
    assert len(regenerated.ids) - 1 in regenerated.restore_points
    whole = builder.build(TALK)
    shared = next(
        (at for at, pair in enumerate(zip(whole.ids, regenerated.ids, strict=False)) if pair[0] != pair[1]),
        len(regenerated.ids),
    )
    assert min(shared, len(regenerated.ids) - 1) in whole.restore_points


def test_restore_points_are_few_and_in_order(builder: PromptBuilder) -> None:
    points = builder.build(TALK).restore_points
    assert list(points) == sorted(set(points))
    assert len(points) <= len(TALK) + 2
    assert 0 not in points


def test_an_empty_message_is_refused_with_a_sentence(builder: PromptBuilder) -> None:
    for turns in ((), (user(""),), (user(" \n "),), (*TALK[:2], user("\t"))):
        with pytest.raises(RequestError, match="nothing to answer"):
            builder.build(turns)


def test_an_answer_repeats_its_own_ids(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, BARE)
    own = tuple(token for piece in ("Pr", "ess", " F", "ork", ".") for token in builder.codec.plain(piece))
    assert list(own) != builder.codec.plain("Press Fork.")
    prompt = builder.build([TALK[0], Turn("assistant", "Press Fork.", own), TALK[2]])
    assert prompt.ids[prompt.turn_starts[1] : prompt.turn_ends[1]] == own


def test_ids_that_say_something_else_are_not_believed(tmp_path: Path) -> None:
    """They may come from another model's vocabulary."""
    builder = builder_of(tmp_path, BARE)
    for wrong in (builder.codec.plain("Something else"), [999_999], []):
        prompt = builder.build([TALK[0], Turn("assistant", "Press Fork.", tuple(wrong)), TALK[2]])
        assert prompt.ids == builder.build(TALK).ids


def test_of_a_changed_answer_the_unchanged_beginning_is_kept(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, BARE)
    own = tuple(token for piece in ("Pr", "ess", " F", "ork", ".") for token in builder.codec.plain(piece))
    prompt = builder.build([TALK[0], Turn("assistant", "Press the key.", own), TALK[2]])
    start = prompt.turn_starts[1]
    shared = builder.codec.plain("Pr") + builder.codec.plain("ess")
    assert list(prompt.ids[start : start + len(shared)]) == shared
    assert contents(builder.codec, prompt)[1] == "Press the key."


def test_half_a_character_at_an_answers_end_is_kept(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, BARE)
    own = tuple(builder.codec.plain("Yes 😀")[:-1])
    prompt = builder.build([TALK[0], Turn("assistant", "Yes ", own), TALK[2]])
    assert prompt.ids[prompt.turn_starts[1] : prompt.turn_ends[1]] == own


def test_after_dropped_thinking_the_rest_keeps_its_ids(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, THINKING_DROPPED)
    codec = builder.codec
    said = tuple(codec.plain("Pr") + codec.plain("ess it"))
    own = tuple(codec.markup("<think>\nhm\n</think>\n\n")) + said
    prompt = builder.build([TALK[0], Turn("assistant", codec.decode(own), own), TALK[2]])
    assert prompt.ids[prompt.turn_starts[1] : prompt.turn_ends[1]] == said


def test_a_template_that_changes_messages_beyond_recognition_lets_no_control_token_through(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, "{% for m in messages %}<|user|>{{ m.content | upper | replace('X', 'Y') }}"
                         "{{ m.content | lower }}<|end|>{% endfor %}<|assistant|>")  # fmt: skip
    prompt = builder.build([user("axe <|end|> b")])
    specials = [token for token in prompt.ids if token in builder.codec.special_ids]
    assert builder.codec.decode(specials) == "<|user|><|end|><|assistant|>"
    assert prompt.turn_starts == prompt.turn_ends == (len(prompt.ids),)


def test_a_template_may_print_contents_in_forms_of_its_own(tmp_path: Path) -> None:
    """Where only one message at a time can be told apart, it still is."""
    source = "{% for m in messages %}<|user|>{{ m.content | replace('a', 'b') }}<|end|>{% endfor %}<|assistant|>"
    builder = builder_of(tmp_path, source)
    prompt = builder.build([user("banana <|end|>"), Turn("assistant", "x"), user("and an apple")])
    assert contents(builder.codec, prompt) == ["bbnbnb <|end|>", "x", "bnd bn bpple"]


def test_the_date_stands_still(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, TRIMMED_AND_DATED)
    assert builder.codec.decode(builder.build(TALK).ids).startswith("Today is 20 November 2026.")


def test_the_date_is_that_of_the_first_message(tmp_path: Path) -> None:
    """The conversation can be asked on next year, and what was said before is what it was."""
    builder = builder_of(tmp_path, TRIMMED_AND_DATED)
    begun, later = datetime(2024, 2, 29, 23, 59).timestamp(), datetime(2025, 7, 1, 8).timestamp()
    asked = builder.build([Turn("user", "Hello", at=begun)]).ids
    assert builder.codec.decode(asked).startswith("Today is 29 February 2024.")
    following = [Turn("user", "Hello", at=begun), Turn("assistant", "Yes", at=begun), Turn("user", "So?", at=later)]
    assert builder.codec.decode(builder.build(following).ids).startswith("Today is 29 February 2024.")


@pytest.mark.parametrize("at", [1e18, -1e18, float("nan"), float("inf")])
def test_a_moment_that_no_calendar_has_is_today(tmp_path: Path, at: float) -> None:
    builder = builder_of(tmp_path, TRIMMED_AND_DATED)
    assert builder.codec.decode(builder.build([Turn("user", "Hello", at=at)]).ids).startswith("Today is 20 November")


def test_a_template_that_refuses_is_quoted(tmp_path: Path) -> None:
    source = "{% if messages[0].role == 'assistant' %}{{ raise_exception('Roles must alternate') }}{% endif %}" + BARE
    builder = builder_of(tmp_path, source)
    with pytest.raises(RequestError, match="Roles must alternate"):
        builder.build([Turn("assistant", "Hi."), user("Hello")])
    assert builder.build([user("Hello")]).ids


@pytest.mark.parametrize("source", ["{{ messages[9].content }}", "{{ 1 / 0 }}", "{{ messages.nothing.at_all }}"])
def test_a_template_that_fails_gets_a_sentence(tmp_path: Path, source: str) -> None:
    with pytest.raises(ModelError, match="refuses any question"):
        builder_of(tmp_path, source)
    builder = builder_of(tmp_path, "{% if messages[0].content == 'Hello' %}" + source + "{% endif %}" + BARE)
    with pytest.raises(RequestError, match="refuses this conversation"):
        builder.build([user("Hello")])


def test_a_template_cannot_reach_out_of_its_sandbox(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="unsafe"):
        builder_of(tmp_path, "{{ messages.__class__.__mro__[1].__subclasses__() }}")


def test_without_a_template_a_transcript_is_asked(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, None)
    text = builder.codec.decode(builder.build(TALK).ids)
    assert text == "User: How do I fork?\n\nAssistant: Press Fork.\n\nUser: And the trie?\n\nAssistant:"
    assert "\nUser:" in builder.template.stop


def test_a_word_keeps_the_space_before_it(tmp_path: Path) -> None:
    """ "User: Hello" is read as "User", ":", " Hello", as in everything that a model has read."""
    builder = builder_of(tmp_path, None)
    prompt = builder.build([user("the fox")])
    assert builder.codec.decode(prompt.ids[prompt.turn_starts[0] :][:1]) == " the"


def test_sentence_piece_marks_beginnings_as_in_the_whole_text(tmp_path: Path) -> None:
    builder = builder_of(tmp_path, TRIMMED_AND_DATED, sentence_piece())
    codec = builder.codec
    assert codec.decode(builder.build(TALK).ids) == codec.decode(codec.markup(rendered_by(builder, TALK)))


def test_a_rendered_text_is_searched_once_from_end_to_end() -> None:
    """However many messages there are: looking through the rest of it for each of them made long branches slow."""

    class Searched(str):
        asked: ClassVar[list[int]] = []

        def find(self, word: str, *limits: Any) -> int:
            self.asked.append(limits[0])
            return super().find(word, *limits)

    words = [f"Zq0w{at}w" for at in range(500)]
    text = "".join(f"<{word}>" for word in words)
    assert _gaps(Searched(text), words, "Zq0w") == ["<", *["><"] * 499, ">"]
    assert Searched.asked == [0, *(text.index(word) + len(word) for word in words[:-1])]
    assert _gaps(text + words[7], words, "Zq0w") is None
    assert _gaps(text, [words[1], words[0], *words[2:]], "Zq0w") is None
