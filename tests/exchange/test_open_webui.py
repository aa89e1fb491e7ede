"""Open WebUI's export, with its branches, in the forms of several of its versions."""

from __future__ import annotations

from typing import Any

import pytest

from app.conversation.records import Document
from app.exchange import ExchangeError, Imported, read_any
from tests.exchange.samples import AT, forked, outline, packed, webui, webui_forked, webui_message


def imported(value: Any) -> Imported:
    return read_any("chat-export.json", packed(value))


def only(value: Any) -> Document:
    found = imported(value)
    assert found.notes == ()
    (document,) = found.documents
    return document


@pytest.mark.parametrize(
    "value", [[webui_forked()], webui_forked(), webui_forked()["chat"]], ids=["list", "record", "chat"]
)
def test_branches_come_in_their_order_with_the_path_that_was_open(value: Any) -> None:
    document = only(value)
    assert outline(document) == outline(read_any("x", packed(forked())).documents[0])
    messages = {message.text: message for message in document.messages}
    assert [messages[text].model_name for text in ("Winter pears.", "Hard ones.", "Until March.")] == [
        "oak-1",
        "oak-2",
        None,
    ]
    assert document.leaf_id == messages["Winter pears."].id
    assert (document.conversation.title, document.conversation.created_at) == ("Pears", AT)


def test_several_chats_in_one_file_and_of_both_programs() -> None:
    found = imported([webui_forked(), forked(), webui_forked() | {"title": "B", "pinned": True}])
    assert [document.conversation.title for document in found.documents] == ["Pears", "Pears", "B"]
    assert [document.conversation.is_favourite for document in found.documents] == [False, False, True]
    assert [document.conversation.updated_at for document in found.documents] == [AT + 60] * 3


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000, 1_000_000_000])
def test_times_are_in_any_unit(unit: int) -> None:
    at = int(AT) * unit
    record = webui({"q": webui_message(None, [], "user", "X", timestamp=at)}, created_at=at, updated_at=at + unit)
    document = only(record)
    assert document.messages[0].created_at == document.conversation.created_at == AT
    assert document.conversation.updated_at == AT + 1


def test_the_instructions_of_a_chat_come_first() -> None:
    record = webui_forked()
    record["chat"]["params"] = {"system": "Be short."}
    record["chat"]["history"]["messages"]["q0"] = webui_message(None, [], "user", "Another beginning")
    document = only(record)
    assert outline(document)[""] == ["Be short."]
    assert outline(document)["Be short."] == ["Which pears keep?", "Another beginning"]
    assert document.messages[0].role == "system"
    assert document.leaf_id == document.messages[-2].id


def test_a_chat_from_before_there_were_branches() -> None:
    said = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}, {"role": "user"}]
    found = imported({"chat": {"title": "Old", "messages": said}, "created_at": int(AT)})
    assert outline(found.documents[0]) == {"": ["Why?"], "Why?": ["Because."]}
    assert [message.created_at for message in found.documents[0].messages] == [AT, AT]


def test_parts_files_tools_and_unfinished_answers() -> None:
    parts = [{"type": "text", "text": "What is"}, {"type": "image_url", "image_url": {"url": "x"}}, "this?", 4]
    messages = {
        "q": webui_message(None, ["a"], "user", parts, files=[{"type": "image"}, {"type": "file"}, "x"]),
        "a": webui_message("q", ["t"], "assistant", None, done=False, model="oak"),
        "t": webui_message("a", ["u"], "tool", "It said."),
        "u": webui_message("t", ["v"], "narrator", "Meanwhile"),
        "v": webui_message("u", [], "user", "", files=[{"type": "image"}]),
    }
    found = imported(webui(messages, "u"))
    question, answer, picture = found.documents[0].messages
    assert (question.text, answer.text, picture.text) == ("What is\n\nthis?", "", "[image: not imported]")
    assert (answer.is_unfinished, answer.model_name, picture.parent_id) == (True, "oak", answer.id)
    assert found.documents[0].leaf_id == answer.id
    assert found.notes == (
        "Left out, because a conversation here is text: 3 × image, 2 × attached file, 1 × content of an unknown kind, "
        "1 × message of a tool, 1 × message of “narrator”.",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chat": {"history": {}}}, "conversation 1, “chat”, “history”, “messages”: is missing"),
        ({"chat": {}}, "conversation 1, “chat”, “history”: is missing"),
        ({"chat": {"history": 1}}, "“chat”, “history”: has to be an object, not a number"),
        ({"chat": {"messages": [1]}}, "“chat”, message 1: has to be an object, not a number"),
        ({"chat": {"history": {"messages": {"a": {}}}}}, "“messages”, “a”, “role”: is missing"),
        ({"chat": {"history": {"messages": {"a": {"role": "user", "content": 5}}}}}, "“content”: has to be a text or"),
        ({"chat": {"history": {"messages": {"a": {"role": "user", "parentId": 5}}}}}, "“parentId”: has to be a text"),
        ({"chat": {"history": {"messages": {}, "currentId": 1}}}, "“currentId”: has to be a text"),
        ({"chat": "x"}, "conversation 1: this is no conversation"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        imported([webui_forked() | change])
    assert words in caught.value.problem.sentence


def test_what_a_model_thought_stands_beside_what_it_says() -> None:
    details = (
        '<details type="reasoning" done="true" duration="12">\n<summary>Thought for 12 seconds</summary>\n'
        "&gt; Pears &amp; quinces,\n&gt; I know.\n</details>\n"
    )
    unclosed = '<details type="reasoning">\n&gt; so'
    for content, thinking, text in (
        (f"{details}Late ones.", "Pears & quinces,\nI know.", "Late ones."),
        (f"{details}Late{details} ones.", "Pears & quinces,\nI know.\n\nPears & quinces,\nI know.", "Late\n ones."),
        (f"{unclosed}\nLate ones.", "", f"{unclosed}\nLate ones."),
        ("Late <details>ones</details>", "", "Late <details>ones</details>"),
    ):
        messages = {
            "q": webui_message(None, ["a"], "user", "Which?"),
            "a": webui_message("q", [], "assistant", content),
        }
        answer = only(webui(messages, "a")).messages[-1]
        assert (answer.thinking, answer.text) == (thinking, text)
