"""The bounds of what other computers and programs may do here are these; whoever changes one says so here."""

from __future__ import annotations

from app.gateway import application, asked, body, connection, guard
from app.protocol.commands import MOST_GUESTS
from app.remote import client, patience
from app.viewmodels.chat import chat_text

KIB, MIB, MINUTE = 1 << 10, 1 << 20, 60.0


def test_what_other_programs_may_send_to_the_local_api() -> None:
    assert (body.LARGEST, guard.LARGEST_HEAD, connection.LARGEST_AHEAD) == (4 * MIB, 64 * KIB, 64 * KIB)
    assert MOST_GUESTS == 9, "eight wait besides the one that is answered"
    assert (application.MOST_CONNECTIONS, connection.SENDING) == (64, 10.0)
    assert (asked.MOST_MESSAGES, asked.MOST_PARTS, asked.MOST_STOPS, asked.MOST_IDS) == (2000, 1000, 16, MIB)


def test_what_a_server_may_take_and_tell() -> None:
    assert (client.CONNECT, client.SILENCE, chat_text.LONG_SILENCE) == (5.0, 10 * MINUTE, 40.0)
    assert (client.LARGEST_ANSWER, client.LARGEST_EVENT) == (4 * MIB, 16 * MIB)
    assert patience._PAUSES[:4] == (1.0, 2.0, 5.0, 15.0)
    assert sum(patience._PAUSES) <= patience._LONGEST == MINUTE
