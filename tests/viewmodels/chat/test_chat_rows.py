"""Rows of the chat, from messages, residencies and the question that is being answered."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from typing import Any

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.events import PrefillProgress
from app.protocol.reports import Reason, RequestReport, RunStats, Source, StopReason
from app.protocol.trie_view import Residency
from app.viewmodels.chat import chat_rows
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_rows import ChatRows, running_footer, why
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.rows import Footer, MessageRow, PrefillRow
from tests.viewmodels.builders import rows_of

HOME = new_id()
REQUEST = RequestReport(total=3580, seen=3412, matched=3412, cached=3412)
STATS = RunStats(REQUEST, StopReason.FINISHED, 214, 0.48, 38.2, 6.1, 7)


def tree_of(*messages: Message) -> MessageTree:
    tree = MessageTree(HOME)
    for message in messages:
        tree.add(message)
    return tree


QUESTION = Message.new(HOME, None, "user", "Why?")
ANSWER = Message.new(HOME, QUESTION.id, "assistant", model="print", model_name="Qwen3 8B")
ENDED = replace(ANSWER, text="Because.", ids=(1,), stats=asdict(STATS), stop="finished")


def test_an_ended_answer_has_its_figures() -> None:
    question, answer = rows_of(tree_of(QUESTION, ENDED), None, {ENDED.id: "memory"})
    assert (question.name, question.footer, question.residency) == ("You", None, "none")
    assert answer.footer == Footer(3412, 168, 214, 38.2, 0.48, "finished")
    assert (answer.name, answer.residency, answer.note) == ("Qwen3 8B", "memory", "")


def test_versions_and_their_residencies() -> None:
    other = Message.new(HOME, QUESTION.id, "assistant", model_name="Other")
    tree = tree_of(QUESTION, ENDED, replace(other, text="No.", stop="stopped"))
    rows = rows_of(tree, None, {ENDED.id: "memory", other.id: "live"})
    assert (rows[1].version, rows[1].versions, rows[1].sibling_residencies) == (2, 2, ("memory", "live"))
    assert rows[1].note == "Stopped"
    assert rows[1].footer is None


@pytest.mark.parametrize(
    ("stop", "note"),
    [(None, "Not finished: the program ended here"), ("failed", "Not finished: it broke off here"), ("odd", "")],
)
def test_what_did_not_come_to_its_end_says_so(stop: str | None, note: str) -> None:
    rows = rows_of(tree_of(QUESTION, replace(ANSWER, text="Bec", stop=stop)), None, {})
    assert rows[1].note == note


def test_stats_of_another_version_of_the_program_are_shown_as_far_as_they_go() -> None:
    rows = rows_of(tree_of(QUESTION, replace(ENDED, stats={"tokens": 3})), None, {})
    assert rows[1].footer == Footer(None, None, 3, None, None, "finished")
    rows = rows_of(tree_of(QUESTION, replace(ENDED, stats={"tokens": 1, "rate": 0.0, "first_token": 0.7})), None, {})
    assert rows[1].footer == Footer(None, None, 1, None, 0.7, "finished")


def test_what_a_server_does_not_say_is_no_figure_and_what_is_believed_is_told_as_that() -> None:
    def stored(source: Source) -> Footer | None:
        request = asdict(replace(REQUEST, source=source))
        return rows_of(tree_of(QUESTION, replace(ENDED, stats={"tokens": 3, "request": request})), None, {})[1].footer

    assert stored(Source.MEASURED) == stored(Source.REPORTED) == Footer(3412, 168, 3, None, None, "finished")
    assert stored(Source.PREDICTED) == Footer(3412, 168, 3, None, None, "finished", is_about=True)
    assert stored(Source.COUNTED) == stored(Source.AT_MOST) == stored(Source.PREDICTED)
    assert stored(Source.UNKNOWN) == Footer(None, None, 3, None, None, "finished")
    question = asked(QUESTION, ANSWER)
    question.request = replace(REQUEST, source=Source.UNKNOWN)
    assert rows_of(tree_of(QUESTION, ANSWER), question, {})[1].prefill is None
    question.grow("Bec", 1)
    assert running_footer(question) == Footer(None, None, 1, None, None, "")
    question.request = replace(REQUEST, source=Source.PREDICTED)
    assert running_footer(question) == Footer(3412, 168, 1, None, None, "", is_about=True)


def asked(message: Message, answer: Message) -> Question:
    question = Question(message, is_again=True)
    question.ask(1, answer)
    return question


def test_a_row_says_what_becomes_of_its_answer_whatever_a_server_tells_of_it() -> None:
    """Until its first word it is read, also where nobody tells how far."""
    question, tree = asked(QUESTION, ANSWER), tree_of(QUESTION, ANSWER)

    def seen() -> list[str]:
        return [row.doing for row in rows_of(tree, question, {})]

    assert seen() == ["", "reading the prompt"]
    question.awaited = "Studio"
    assert seen() == ["", "waiting"]
    question.awaited = ""
    question.request = replace(REQUEST, source=Source.UNKNOWN)
    assert seen() == ["", "reading the prompt"]
    question.grow("Hm", 1, kind="thinking")
    assert seen() == ["", "thinking"]
    question.grow("Bec", 1)
    assert seen() == ["", "writing"]
    question.is_stopping = True
    assert seen() == ["", "stopping"]
    assert [row.doing for row in rows_of(tree_of(QUESTION, ENDED), None, {})] == ["", ""]


def test_an_answer_under_way_is_read_first_and_written_then() -> None:
    question = asked(QUESTION, ANSWER)
    tree = tree_of(QUESTION, ANSWER)
    assert rows_of(tree, question, {})[1].prefill is None
    question.request = REQUEST
    assert rows_of(tree, question, {})[1].prefill == PrefillRow(3412, 3412, 3580, 0.0, "")
    question.prefill = PrefillProgress(1, 3500, 3580, 3412, 392.0)
    row = rows_of(tree, question, {})[1]
    assert row.prefill == PrefillRow(3412, 3500, 3580, 392.0, "")
    assert (row.is_streaming, row.residency, row.footer, row.note) == (True, "none", None, "")
    question.grow("Bec", 1)
    row = rows_of(tree, question, {})[1]
    assert (row.text, row.prefill, row.residency) == ("Bec", None, "live")
    assert row.footer == running_footer(question) == Footer(3412, 168, 1, None, None, "")


def test_why_tokens_are_read() -> None:
    assert why(RequestReport(10, 0, 0, 0, Reason.NEW)) == ""
    diverged = RequestReport(3012, 3012, 512, 512, Reason.DIVERGED, 512)
    assert why(diverged) == "Why: the words differ from token 513 on, so what follows is read."
    assert "memory limit" in why(RequestReport(10, 10, 0, 0, Reason.EVICTED))


@pytest.mark.parametrize("reason", Reason)
def test_what_is_read_again_says_why(reason: Reason) -> None:
    request = RequestReport(total=40, seen=30, matched=30, cached=12, reason=reason)
    assert bool(why(request)) == (reason not in (Reason.NONE, Reason.NEW, Reason.DIVERGED))


def test_rows_that_are_shown_are_those_that_would_be_made(qtbot: QtBot) -> None:
    """Whatever happens, a view that keeps what it was told about shows each row as it is now."""
    rng, tree, rows, model = random.Random(5), MessageTree(HOME), ChatRows(), ChatModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    seen: list[MessageRow] = []
    model.rowsRemoved.connect(lambda _parent, first, last: seen.__delitem__(slice(first, last + 1)))
    model.rowsInserted.connect(lambda _parent, first, last: seen.extend(model.rows[first : last + 1]))
    model.dataChanged.connect(lambda index, _last: seen.__setitem__(index.row(), model.rows[index.row()]))
    model.tailFigures.connect(lambda _footer: seen.__setitem__(-1, model.rows[-1]))
    residencies: dict[str, Residency] = {}
    known: list[str] = []
    for step in range(300):
        action = rng.choice(["ask", "ask", "select", "replace", "remove", "place", "reload"]) if known else "ask"
        if action == "ask":
            message = Message.new(HOME, rng.choice([None, tree.leaf_id, *known]), "assistant", f"text {step}")
            tree.add(message, rng.random() < 0.7)
            known.append(message.id)
        elif action == "select":
            tree.select(tree.leaf_below(rng.choice([None, *known])))
        elif action == "replace":
            old = tree.message(rng.choice(known))
            tree.replace(replace(old, text=old.text + " more", stop="stopped"))
        elif action == "remove":
            gone = rng.choice(known)
            if not tree.children(gone):
                tree.remove(gone)
                known.remove(gone)
        elif action == "reload":
            tree = MessageTree(HOME, [replace(tree.message(one)) for one in known], leaf_id=tree.leaf_id)
        else:
            residencies[rng.choice(known)] = rng.choice(("live", "memory", "none"))
        written = rng.choice([None, *known])
        question = None if written is None else asked(QUESTION, tree.message(written))
        model.show(rows.of(tree, question, residencies))
        assert seen == rows_of(tree, question, residencies), f"seed 5, step {step}"
    tester.deleteLater()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of which rows are made from now on."""
    made: list[str] = []
    make = chat_rows.message_row

    def noted(message: Message, *rest: Any) -> MessageRow:
        made.append(message.id)
        return make(message, *rest)

    monkeypatch.setattr(chat_rows, "message_row", noted)
    return made


def test_only_rows_that_were_looked_at_are_made(qapp: object, made: list[str]) -> None:
    messages = [Message.new(HOME, None, "user", "first")]
    for _ in range(5000):
        messages.append(Message.new(HOME, messages[-1].id, "assistant", "words"))
    tree, rows, residencies, model = tree_of(*messages), ChatRows(), dict[str, Residency](), ChatModel()
    changed: list[int] = []
    model.dataChanged.connect(lambda index, _last: changed.append(index.row()))
    model.show(rows.of(tree, None, residencies))
    assert made == []
    assert [row.id for row in model.rows[-3:]] == made == [message.id for message in messages[-3:]]
    residencies[messages[7].id] = residencies[messages[-2].id] = "live"
    model.show(rows.of(tree, None, residencies))
    assert (changed, len(made)) == ([4999], 6)
    tree.add(Message.new(HOME, messages[-1].id, "user", "next"))
    model.show(rows.of(tree, None, residencies))
    assert (changed, len(made), model.rowCount()) == ([4999], 9, 5002)
    for number in range(model.rowCount()):
        assert model.rows[number].id
    made.clear()
    model.show(rows.of(tree, None, residencies))
    assert len(made) <= 256


def test_a_row_of_a_message_that_is_gone_can_still_be_made() -> None:
    """What is painted between a change of the tree and the news of it finds its row."""
    tree = tree_of(QUESTION, ENDED)
    rows = ChatRows().of(tree, None, {})
    tree.remove(ENDED.id)
    assert (rows[1].text, rows[1].version, rows[1].versions) == ("Because.", 1, 1)


def test_a_question_says_what_holds_from_it_on() -> None:
    tree = MessageTree("0" * 32)
    for told in ("Answer in\none word.", "", None):
        tree.add(Message.new("0" * 32, tree.leaf_id, "user", "Which?", instructions=told))
    notes = [row.note for row in rows_of(tree, None, {})]
    assert notes == ["System prompt from here on: “Answer in one word.”", "No system prompt from here on", ""]
