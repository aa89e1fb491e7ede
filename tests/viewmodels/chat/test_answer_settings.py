"""What the pane shows of how an answer was written."""

from __future__ import annotations

import pytest

from app.conversation.message import Message, new_id
from app.viewmodels.chat.answer_settings import answer_settings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The plan holds at about **284 euros each**.", "The plan holds at about 284 euros each."),
        ("# Three *quiet* days", "Three quiet days"),
        ("", "No words"),
    ],
)
def test_an_answer_is_named_by_its_words_without_their_marks(text: str, words: str) -> None:
    answer = Message.new(new_id(), new_id(), "assistant", text)
    assert answer_settings(answer, None, is_busy=False).title == words
