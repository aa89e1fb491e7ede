"""Where the tokens of an answer stand, and which of them are worth a look."""

from __future__ import annotations

import random

import pytest

from app.conversation.message import Message, new_id
from app.protocol.choices import Candidate, Choice, pack
from app.viewmodels.tokens.answer_tokens import AnswerTokens, answer_tokens
from app.viewmodels.tokens.token_state import deed_of, percent, rows_of, shown, spoken, title_of
from tests.seeds import each_seed

OTHERS = (Candidate(90, 2000, " other"), Candidate(91, 500, "", is_end=True))


def answer(text: str, ids: int, thinking: str = "") -> Message:
    return Message(
        new_id(), new_id(), new_id(), "assistant", text, 0.0, tuple(range(ids)), stop="finished", thinking=thinking
    )


def test_a_token_is_told_by_the_share_that_it_had() -> None:
    shares = (10_000, 6_500, 6_499, 3_999, 1_499)
    choices = [Choice(share, OTHERS, length=1) for share in shares]
    choices += [Choice(30, OTHERS, is_below=True, length=1), Choice(None, OTHERS, length=1), Choice(None, length=1)]
    tokens = AnswerTokens(answer("abcdefgh", 8), choices)
    assert [tokens.certainty(number).name for number in range(8)] == [
        *("SURE", "SURE", "UNSURE", "DOUBTFUL", "RARE", "BELOW", "GIVEN", "GIVEN")
    ]
    assert [number for number in range(8) if tokens.is_open(number)] == [2, 3, 4, 5, 6]
    assert tokens.next(-1, 1, every=False) == 2
    assert tokens.next(6, 1, every=False) == 6
    assert tokens.next(6, 1, every=True) == 7
    assert tokens.next(2, -1, every=False) == 2
    assert tokens.next(4, -2, every=False) == 2


def test_marks_and_halves_of_characters_are_tokens_without_text() -> None:
    choices = [Choice(None, is_thinking=True), Choice(9_000, length=3, is_thinking=True), Choice(9_000, length=0)]
    choices += [Choice(9_000, length=0), Choice(9_000, length=1), Choice(9_000, length=2)]
    tokens = AnswerTokens(answer("🙂ab", 6, "Hm."), choices)
    assert [tokens.text(number) for number in range(6)] == ["", "Hm.", "", "", "🙂", "ab"]
    assert tokens.at(1, is_thinking=True) == 1
    assert [tokens.at(at, is_thinking=False) for at in range(4)] == [4, 5, 5, None]
    assert list(tokens.within(0, 2, is_thinking=False)) == [4, 5]


@each_seed(range(20))
def test_the_tokens_of_words_and_of_thought_follow_each_other_without_a_gap(seed: int) -> None:
    draw = random.Random(seed)
    text, thinking = "w" * draw.randrange(60), "t" * draw.randrange(60)
    choices = []
    for size, is_thinking in ((len(thinking), True), (len(text), False)):
        while size:
            length = min(size, draw.choice([0, 0, 1, 2, 5]))
            size -= length
            choices.append(Choice(draw.choice([None, 9_990, 3_000]), OTHERS, length=length, is_thinking=is_thinking))
    tokens = AnswerTokens(answer(text, len(choices), thinking), choices)
    for whole, is_thinking in ((thinking, True), (text, False)):
        own = [number for number, choice in enumerate(choices) if choice.is_thinking is is_thinking]
        assert "".join(tokens.text(number) for number in own) == whole
        for at in range(len(whole)):
            number = tokens.at(at, is_thinking=is_thinking)
            assert number in own
            assert tokens.span(number)[0] <= at < tokens.span(number)[1]
        first, last = sorted((draw.randrange(len(whole) + 1), draw.randrange(len(whole) + 1)))
        inside = {number for number in own if tokens.span(number)[0] < last and tokens.span(number)[1] > first}
        assert inside <= set(tokens.within(first, last, is_thinking=is_thinking)) <= set(own)


@pytest.mark.parametrize("packed", [b"", b"\x09", b"\x01\xff"])
def test_what_is_not_known_or_damaged_is_nothing(packed: bytes) -> None:
    assert answer_tokens(answer("a", 1), packed) is None


def test_choices_beyond_the_ids_are_of_what_was_taken_back() -> None:
    packed = pack([Choice(9_000, length=1)] * 3)
    found = answer_tokens(answer("ab", 2), packed)
    assert found is not None
    assert len(found) == 2
    assert answer_tokens(answer("", 0), packed) is None


def test_what_stands_there_is_told_among_the_others_by_its_share() -> None:
    choices = [
        Choice(1_000, OTHERS, length=4),
        Choice(3_000, OTHERS, length=1),
        Choice(9, OTHERS, True, 1),
        Choice(None, OTHERS, length=1),
    ]
    tokens = AnswerTokens(answer("four\n x", 4), choices)
    told = [[(row.shown, row.percent, row.is_there) for row in rows_of(tokens, number)] for number in range(4)]
    assert told[0] == [("·other", "20.0\xa0%", False), ("four", "10.0\xa0%", True), ("ends here", "5.0\xa0%", False)]
    assert told[1][0] == ("⏎", "30.0\xa0%", True)
    assert told[2][2] == ("·", "< 0.1\xa0%", True)
    assert told[3][0] == ("x", "given", True)
    assert rows_of(tokens, 2)[2].spoken == "blank, < 0.1\xa0%, below the likeliest, the one that stands here"
    assert rows_of(tokens, 1)[0].spoken.startswith("line end, 30.0\xa0%")
    assert title_of(rows_of(tokens, 0)[1]) == "Instead of “four”"
    assert [deed_of(row) for row in rows_of(tokens, 0)] == [
        "fork with “other”",
        "say what follows anew",
        "end the answer here",
    ]


def test_texts_are_shown_and_said_in_one_line() -> None:
    assert shown(" a\n\tb") == "·a⏎⇥b"
    assert spoken("a\nb") == "a line end b"
    told = [percent(share) for share in (10_000, 9_999, 0, 4_120)]
    assert told == [
        "100\xa0%",
        "99.9\xa0%",
        "0.0\xa0%",
        "41.2\xa0%",
    ]
