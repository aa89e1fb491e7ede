"""Espalier's own files: what is written is read back, and what is wrong is named with its place."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.conversation.store import Store
from app.exchange import ExchangeError, dates, espalier, limits, read, read_any, read_file, save, write, written
from app.protocol.chat import Attachment
from app.protocol.choices import Choice, pack
from tests.conversation.builders import filled
from tests.exchange.conftest import LATEST
from tests.exchange.samples import AT, random_document
from tests.seeds import each_seed

Change = Callable[[dict[str, Any]], object]


@each_seed(range(60))
def test_what_is_written_is_read_back_the_same(seed: int) -> None:
    document = random_document(seed)
    text = write(document)
    assert read(text) == document
    assert read_any("x", text.encode()).documents == (document,)
    assert len(text.splitlines()) >= len(document.messages) + 11


def wrote(target: Path, document: Document) -> bool:
    """Whether the file was written."""
    try:
        save(target, written(document))
    except ExchangeError as error:
        return "too large" not in error.problem.title
    return True


def test_what_is_written_can_be_read_and_what_cannot_be_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits just around what there is; and what stood in the file before stays when nothing is written."""
    outcomes = set()
    for seed in range(150):
        dice, document = random.Random(seed), random_document(seed)
        text = write(document)
        lines = [line.removesuffix(",").strip() for line in text.split("\n")]
        sizes = {
            "LARGEST_FILE": len(text.encode()),
            "MOST_MESSAGES": len(document.messages),
            "LARGEST_VALUE": max(len(line) for line in lines),
            "MOST_BRACKETS": max(line.count("[") + line.count("{") for line in lines),
        }
        limit = dice.choice(list(sizes))
        if limit == "LARGEST_VALUE" and sizes[limit] < 300:  # the title may have as many characters
            continue
        target = tmp_path / "conversation.espalier"
        target.write_text("before")
        with monkeypatch.context() as patch:
            patch.setattr(limits, limit, max(1, sizes[limit] + dice.choice([-40, -2, -1, 0, 1, 2, 40])))
            is_written = wrote(target, document)
            outcomes.add((limit, is_written))
            if is_written:
                assert read_file(target).documents == (document,), f"seed {seed}"
            else:
                assert target.read_text() == "before"
                with pytest.raises(ExchangeError):
                    read_any("x", text.encode())
    assert len(outcomes) == 8


@each_seed(range(10))
def test_a_store_keeps_what_was_read_as_it_is(seed: int) -> None:
    store, document = Store(None), random_document(seed)
    store.imports.add(read(write(document)))
    kept = store.exports.export(document.conversation.id)
    assert kept.conversation == replace(document.conversation, folder_id=None)
    assert (kept.messages, kept.leaf_id) == (document.messages, document.leaf_id)
    assert kept.choices == document.choices
    store.close()


def test_conversations_of_a_database_go_out_and_come_back(tmp_path: Any) -> None:
    filled(tmp_path / "conversations.sqlite", 3)
    store, other = Store(tmp_path / "conversations.sqlite"), Store(None)
    for conversation in store.conversations.all():
        document = store.exports.export(conversation.id)  # with ids at random, which spell nothing
        messages = tuple(
            replace(message, ids=tuple(one % 2**31 for one in message.ids[: len(message.text)]))
            if message.ids
            else message
            for message in document.messages
        )
        document = replace(document, messages=messages)
        other.imports.add(read(write(document)))
        assert other.exports.export(conversation.id) == document
    assert len(other.conversations.all()) == 4
    store.close()
    other.close()


def test_the_form_is_as_it_is_described() -> None:
    conversation = Conversation("0" * 32, "Pears", 1.5, 2.0)
    question = Message("1" * 32, "0" * 32, None, "user", "Ü\n?", 1.5)
    assert write(Document(conversation, (question,), ("1" * 32,), "1" * 32)) == (
        '{\n  "format": "espalier conversation",\n  "version": 1,\n'
        f'  "id": "{"0" * 32}",\n  "title": "Pears",\n  "created": 1.5,\n  "updated": 2.0,\n  "favourite": false,\n'
        f'  "folder": null,\n  "selected": "{"1" * 32}",\n  "messages": [\n'
        f'    {{"id": "{"1" * 32}", "parent": null, "role": "user", "text": "Ü\\n?",'
        ' "created": 1.5, "visited": true}\n'
        "  ]\n}\n"
    )


def test_a_text_that_is_attached_again_and_again_stands_in_the_file_once() -> None:
    conversation = Conversation(new_id(), "Pears", AT, AT)
    report = Attachment("report.pdf", "pdf", "medlar " * 1000)
    asked = [Message(new_id(), conversation.id, None, "user", f"{number}?", AT) for number in range(9)]
    asked = [replace(one, attachments=(report, replace(report, name="b.txt"))) for one in asked]
    document = Document(conversation, tuple(asked))
    text = write(document)
    assert text.count(report.text) == 1
    assert read(text) == document


def test_more_is_not_attached_to_one_conversation_than_can_be_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that names one text a million times would come to more than any disk holds."""
    conversation = Conversation(new_id(), "Pears", AT, AT)
    attachments = (Attachment("a.txt", "text", "medlar"),) * 3
    document = Document(conversation, (Message.new(conversation.id, None, "user", "?", attachments=attachments),))
    monkeypatch.setattr(limits, "MOST_ATTACHED", 18)
    text = write(document)
    monkeypatch.setattr(limits, "MOST_ATTACHED", 17)
    with pytest.raises(ExchangeError, match="are attached"):
        write(document)
    with pytest.raises(ExchangeError, match="are attached"):
        read(text)


def test_a_kind_of_a_newer_version_is_taken_as_text() -> None:
    found = sample()
    found["messages"][0]["attachments"] = [{"name": "a", "kind": "film", "text": "x"}]
    assert read(json.dumps(found)).messages[0].attachments == (Attachment("a", "text", "x"),)


def test_what_is_not_known_is_passed_over() -> None:
    document = random_document(5)
    found = json.loads(write(document)) | {"colour": {"deep": [[[]]]}, "format": "espalier conversation"}
    for message in found["messages"]:
        message["mood"] = [1, None]
    assert read(json.dumps(found)) == document


def sample() -> dict[str, Any]:
    """Three messages: question, answer, question."""
    conversation = Conversation(new_id(), "Pears", AT, AT)
    question = Message(new_id(), conversation.id, None, "user", "Which?", AT)
    answer = Message(
        new_id(), conversation.id, question.id, "assistant", "Hard ones.", AT, (1, 2), "f", stop="finished"
    )
    again = Message(new_id(), conversation.id, answer.id, "user", "Why?", AT)
    found: dict[str, Any] = json.loads(write(Document(conversation, (question, answer, again), (), again.id)))
    return found


def of(number: int, **entries: Any) -> Change:
    return lambda found: found["messages"][number - 1].update(entries)


FAULTS: list[tuple[Change, str]] = [
    (lambda it: it["messages"].reverse(), "message 1, “parent”: refers to a message that comes later"),
    (lambda it: it["messages"].append(it["messages"][0]), "message 4, “id”: an earlier message has the same"),
    (lambda it: it.pop("messages"), "“selected”: no message has this id"),
    (lambda it: it.update(messages={}), "“messages”: has to be a list, not an object"),
    (lambda it: it["messages"].insert(1, "x"), "message 2: has to be an object, not a text"),
    (lambda it: it.update(selected=new_id()), "“selected”: no message has this id"),
    (lambda it: it.update(id="x"), "“id”: has to be 32 hexadecimal digits"),
    (lambda it: it.pop("id"), "“id”: is missing"),
    (lambda it: it.update(title=" "), "“title”: has to have 1 to 200 characters"),
    (lambda it: it.update(title=7), "“title”: has to be a text, not a number"),
    (lambda it: it.update(created=-1), "“created”: has to lie between 0 and"),
    (lambda it: it.update(updated=10**400), "“updated”: has to lie between 0 and"),
    (lambda it: it.update(created=True), "“created”: has to be a number, not true or false"),
    (lambda it: it.update(favourite=1), "“favourite”: has to be true or false, not a number"),
    (of(1, instructions=7), "message 1, “instructions”: has to be a text, not a number"),
    (of(1, thinks=1), "message 1, “thinks”: has to be true or false, not a number"),
    (of(2, instructions="Be brief."), "instructions hold from a question on"),
    (lambda it: it.update(version=0), "“version”: has to be a whole number from 1 on"),
    (lambda it: it.update(version=None), "“version”: has to be a whole number from 1 on"),
    (lambda it: it.update(version=2), "a newer Espalier has written it, in version 2"),
    (of(1, text=""), "message 1: a user message needs a text"),
    (of(1, text=None), "message 1, “text”: is missing"),
    (of(1, text="ab\ud83d"), "message 1, “text”: its character 3 is half of a surrogate pair"),
    (of(1, attachments=[7]), "message 1, attachment 1: has to be an object"),
    (of(1, attachments=[{"kind": "pdf", "text": "x"}]), "message 1, attachment 1, “name”: is missing"),
    (of(1, attachments=[{"name": "a", "text": "x"}]), "message 1, attachment 1, “kind”: is missing"),
    (of(1, attachments=[{"name": "a", "kind": "pdf"}]), "message 1, attachment 1, “text”: is missing"),
    (of(1, attachments=[{"name": "a", "kind": "pdf", "message": new_id(), "number": 0}]), "no earlier message has"),
    (of(1, attachments=[{"name": "a", "kind": "pdf", "text": "\ud83d"}]), "is half of a surrogate pair"),
    (of(1, attachments=[{"name": "a\nb", "kind": "pdf", "text": "x"}]), "message 1: an attachment's name is a line"),
    (of(2, attachments=[{"name": "a", "kind": "pdf", "text": "x"}]), "message 2: only a question has attachments"),
    (of(3, role="system"), "message 3: a system message stands at the beginning"),
    (of(3, role="tool"), "message 3, “role”: has to be “system”, “user” or “assistant”"),
    (of(3, stop="finished"), "message 3: only an answer has"),
    (of(2, stop=None), "message 2: only an answer that has ended"),
    (of(2, stop="bored"), "message 2, “stop”: has to be “finished”"),
    (of(2, stats=[]), "message 2, “stats”: has to be an object, not a list"),
    (of(2, stats={"request": []}), "message 2, “stats”, “request”: has to be an object"),
    (of(2, stats={"rate": "fast"}), "message 2, “stats”, “rate”: has to be a number"),
    (of(2, stats={"tokens": 1.5}), "message 2, “stats”, “tokens”: has to be a whole number"),
    (of(2, stats={"request": {"cached": "x"}}), "message 2, “stats”, “request”, “cached”: has to be a whole number"),
    (of(2, stats={"a": {"b": 10**30}}), "message 2, “stats”: holds a number that is too large"),
    (of(2, stats={"a\ud83d": 1}), "message 2, “stats”: its character 2 is half of a surrogate pair"),
    (of(2, sampling=json.loads("[" * 30 + "]" * 30)), "message 2, “sampling”: has to be an object"),
    (of(2, sampling={"a": json.loads("[" * 30 + "]" * 30)}), "message 2, “sampling”: nested more than 20 levels deep"),
    (of(2, model="x" * 1001), "message 2, “model”: has 1001 characters, and may have 1000"),
    (of(2, branch="\n"), "message 2, “branch”: has to have 1 to 200 characters"),
    (of(1, choices="AQ=="), "message 1, “choices”: only an answer has them"),
    (of(2, choices={}), "message 2, “choices”: has to be a text, not an object"),
]


@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words[:60] for _, words in FAULTS])
def test_a_fault_is_named_with_its_place(change: Change, words: str) -> None:
    found = sample()
    assert read(json.dumps(found)).messages[2].text == "Why?"
    change(found)
    with pytest.raises(ExchangeError) as caught:
        read(json.dumps(found), "pears.espalier")
    sentence = caught.value.problem.sentence
    assert sentence.startswith("“pears.espalier” was not imported, and nothing was changed. Its fault: ")
    assert words in sentence


def test_one_of_several_siblings_is_the_last_visited() -> None:
    found = sample()
    twin = found["messages"][2] | {"id": new_id(), "visited": True}
    found["messages"][2]["visited"] = True
    found["messages"].append(twin)
    with pytest.raises(ExchangeError, match="message 4, “visited”: one of its siblings"):
        read(json.dumps(found))


def test_a_newer_form_is_to_be_opened_with_that_version() -> None:
    with pytest.raises(ExchangeError, match="Open it with that version"):
        read(json.dumps({"format": "espalier conversation", "version": 2, "messages": "of another kind"}))


def test_a_thousand_deep_and_ten_thousand_wide() -> None:
    conversation = Conversation.new("Long")
    messages = [Message.new(conversation.id, None, "user", "0")]
    for number in range(1, 12_000):
        parent = messages[min(number - 1, 1000)]
        messages.append(Message.new(conversation.id, parent.id, "user", str(number)))
    document = Document(conversation, tuple(messages))
    assert read(write(document)) == document


@pytest.mark.parametrize(
    "tokens", [[1, -1], [2**31], [True], [1.0], ["1"], [None], "12", {"1": 1}, 7, [1] * 300, [[1]], False, [10**400]]
)
def test_token_ids_that_cannot_be_those_of_the_text_are_left_out_and_counted(tokens: Any) -> None:
    found = sample()
    found["messages"][1] |= {"tokens": tokens, "choices": in_base64([Choice(5, length=3)])}
    read_in = read_any("x", json.dumps(found).encode())
    (document,) = read_in.documents
    assert (document.messages[1].ids, document.messages[1].text, document.choices) == (None, "Hard ones.", {})
    assert read_in.notes == (
        "1 answer had token ids that cannot be its own. They were left out: its text is read anew.",
    )


@pytest.mark.parametrize(
    "choices",
    [
        *("", "AQ==", "not Base64", "AQ=", "A" * 999, "\ud83d"),
        pytest.param(lambda: in_base64([Choice(5)] * 3), id="of three tokens"),
        pytest.param(lambda: in_base64([Choice(5, length=11)]), id="longer than the text"),
        pytest.param(lambda: in_base64([Choice(5, length=1, is_thinking=True)]), id="of a thought"),
    ],
)
def test_choices_that_cannot_be_those_of_the_tokens_are_left_out_and_counted(choices: Any) -> None:
    found = sample()
    found["messages"][1]["choices"] = choices() if callable(choices) else choices
    read_in = read_any("x", json.dumps(found).encode())
    (document,) = read_in.documents
    assert (document.messages[1].ids, document.choices) == ((1, 2), {})
    assert read_in.notes == ("1 answer had alternatives that cannot be those of its tokens. They were left out.",)


def test_choices_of_far_more_tokens_than_an_answer_has_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    monkeypatch.setattr(espalier, "unpack", lambda packed: read.append(packed) or ())
    found = sample()
    found["messages"][1]["choices"] = in_base64([Choice(10_000)] * 1_000_000)
    (document,) = read_any("x", json.dumps(found).encode()).documents
    assert (document.choices, read) == ({}, [])


def in_base64(choices: list[Choice]) -> str:
    return base64.b64encode(pack(choices)).decode()


def test_dates_outside_of_our_time_are_set_right_and_counted() -> None:
    found = sample()
    found["created"], found["updated"] = 0, 253e9
    found["messages"][0]["created"] = 253e9
    read_in = read_any("x", json.dumps(found).encode())
    (document,) = read_in.documents
    conversation = document.conversation
    assert (conversation.created_at, conversation.updated_at) == (dates.EARLIEST, LATEST)
    assert [message.created_at for message in document.messages] == [LATEST, AT, AT]
    assert read_in.notes == ("3 dates lay before 1990 or in the future, and were set to the nearest that do not.",)


@pytest.mark.parametrize("order", ["messages first", "format last", "id last", "version last"])
def test_the_order_of_the_entries_is_free(order: str) -> None:
    document = random_document(7)
    whole = json.loads(write(document))
    word, place = order.split()
    value = whole.pop(word)
    found = {word: value} | whole if place == "first" else whole | {word: value}
    assert read_any("x", json.dumps(found).encode()).documents == (document,)
