"""What a question with attachments says: each attachment whole, in its order, and none can end its own fence."""

from __future__ import annotations

import random

import pytest

from app.protocol.attachments import attached_texts, length_of, question_text
from app.protocol.chat import LONGEST_NAME, Attachment, Turn
from app.protocol.fences import fence_of

NOTES = Attachment("notes.md", "markdown", "# Pears\n\nThey keep.")


def test_a_question_without_attachments_is_its_words() -> None:
    assert question_text("Which pears keep?", ()) == "Which pears keep?"


def test_what_is_attached_stands_before_the_words_with_its_name() -> None:
    assert question_text("Which?", (NOTES,)) == "notes.md\n```\n# Pears\n\nThey keep.\n```\n\nWhich?"


def test_what_comes_before_the_words_is_the_same_for_every_question() -> None:
    both = (NOTES, Attachment("b.txt", "text", "b\n"))
    beginning = "".join(attached_texts(both))
    for words in ("Which?", "\n\nWhich?", "`", "  "):
        assert question_text(words, both) == beginning + words


def test_no_text_can_close_its_fence() -> None:
    dice = random.Random(0)
    for _ in range(300):
        text = "".join(dice.choice(["`", "``", "```", "`````", "\n", "~~~", " ", "a", "\r"]) for _ in range(30))
        name, first, *lines = attached_texts([Attachment("a.txt", "text", text)])[0].split("\n")
        fence = fence_of(first)
        assert fence is not None
        assert [at for at, line in enumerate(lines) if fence.is_closed_by(line)] == [len(lines) - 3]
        assert "\n".join(lines[:-3]) == text.removesuffix("\n")
        assert name == "a.txt"


@pytest.mark.parametrize("name", ["", " a", "a\nb", "a\u2028b", "a  b", "a" * (LONGEST_NAME + 1)])
def test_a_name_is_one_line(name: str) -> None:
    with pytest.raises(ValueError, match="name is a line"):
        Attachment(name, "text", "")


def test_a_turn_is_as_long_as_what_it_says() -> None:
    turn = Turn("user", "Which?", attachments=(NOTES,))
    assert abs(length_of(turn) - len(question_text(turn.text, turn.attachments))) <= 16
