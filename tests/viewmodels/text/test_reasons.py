"""No reason is without its sentence, and every place says the same one."""

from __future__ import annotations

import pytest

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason, RequestReport
from app.viewmodels.cache.event_text import Happening, event_row
from app.viewmodels.chat.chat_rows import why
from app.viewmodels.text.reasons import why_read_again

SILENT = {Reason.NONE, Reason.NEW, Reason.DIVERGED}  # nothing is read twice


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_one_sentence_in_the_chat_and_in_the_log(reason: Reason) -> None:
    sentence = why_read_again(reason)
    assert bool(sentence) is (reason not in SILENT)
    asked = CacheEvent(1, 0.0, CacheEventKind.REQUEST, 200, 0, reason, 300)
    chat, log = why(RequestReport(500, 400, 300, 300, reason)), event_row(Happening.of(asked)).why
    assert (chat, log) == ((f"Why: {sentence}.", sentence[0].upper() + sentence[1:]) if sentence else ("", ""))
