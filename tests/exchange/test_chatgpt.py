"""ChatGPT's export: its branches are kept, and whatever else is in it has a treatment that is told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.conversation.message import checked_title
from app.conversation.records import Document
from app.conversation.store import Store
from app.exchange import ExchangeError, Imported, read_any
from tests.exchange.samples import AT, chatgpt, forked, node, outline, packed
from tests.seeds import chosen


def imported(*conversations: Any) -> Imported:
    return read_any("conversations.json", packed(list(conversations)))


def only(*conversations: Any) -> Document:
    """The single document, of which nothing was left out."""
    found = imported(*conversations)
    assert found.notes == ()
    (document,) = found.documents
    return document


def content(kind: str, **more: Any) -> dict[str, Any]:
    return {"content_type": kind} | more


def test_branches_come_in_their_order_with_the_path_that_was_open() -> None:
    document = only(forked())
    assert outline(document) == {
        "": ["Which pears keep?"],
        "Which pears keep?": ["Hard ones.", "Winter pears."],
        "Hard ones.": ["How long?"],
        "How long?": ["Until March."],
    }
    messages = {message.text: message for message in document.messages}
    assert messages["Winter pears."].model_name == "oak-1"
    assert messages["Winter pears."].stop == "finished"
    assert messages["How long?"].created_at == AT + 3
    assert (document.conversation.title, document.conversation.created_at) == ("Pears", AT)
    assert document.conversation.updated_at == AT + 60
    assert document.leaf_id == messages["Winter pears."].id
    store = Store(None)
    store.imports.add(document)
    assert [message.text for message in store.messages.load(document.conversation.id).path] == [
        "Which pears keep?",
        "Winter pears.",
    ]
    store.close()


def test_several_conversations_come_in_the_order_of_the_file_and_one_may_stand_alone() -> None:
    found = imported(*({**forked(), "title": str(number)} for number in range(5)))
    assert [document.conversation.title for document in found.documents] == list("01234")
    assert len({message.id for document in found.documents for message in document.messages}) == 25
    assert outline(read_any("x", packed(forked())).documents[0]) == outline(found.documents[0])


def test_a_node_without_a_message_hands_its_children_up() -> None:
    mapping = {
        "r": node(None, ["s"]),
        "s": node("r", ["q"], "system", ""),
        "q": node("s", ["n"], "user", "Why?"),
        "n": node("q", ["a", "b"]),
        "a": node("n", [], "assistant", "Because."),
        "b": node("n", [], "assistant", "It is so."),
    }
    document = only(chatgpt(mapping, "n"))
    assert outline(document) == {"": ["Why?"], "Why?": ["Because.", "It is so."]}
    assert document.leaf_id == document.messages[0].id


def test_instructions_stand_at_the_beginning_and_elsewhere_are_named() -> None:
    wishes = node("r", ["q"], "user", "x", content=content("user_editable_context", user_profile="I am a gardener."))
    wishes["message"]["metadata"] = {"is_visually_hidden_from_conversation": True}
    mapping = {
        "r": node(None, ["w"]),
        "w": wishes,
        "q": node("w", ["s"], "user", "Why?"),
        "s": node("q", ["a"], "system", "Be short."),
        "a": node("s", [], "assistant", "Because."),
    }
    found = imported(chatgpt(mapping))
    assert [(message.role, message.text) for message in found.documents[0].messages] == [
        ("system", "I am a gardener."),
        ("user", "Why?"),
        ("assistant", "Because."),
    ]
    assert found.notes == (
        "Left out, because a conversation here is text: 1 × instructions in the middle of a conversation.",
    )


def test_a_call_of_a_tool_and_what_came_of_it_are_one_answer() -> None:
    mapping = {
        "q": node(None, ["t"], "user", "2 + 2?"),
        "t": node(
            "q", ["r"], "assistant", "", content=content("thoughts", thoughts=[{"summary": "Sum", "content": "Hm."}])
        ),
        "r": node("t", ["c"], "assistant", "", content=content("reasoning_recap", content="Thought for 4 s")),
        "c": node("r", ["o"], "assistant", "", content=content("code", language="python", text="print(f'''```''')")),
        "o": node("c", ["b"], "tool", "", content=content("execution_output", text="4\n")),
        "b": node("o", ["a"], "tool", "A page", content=content("tether_quote", text="Sums", url="x")),
        "a": node("b", ["q2"], "assistant", "Four.", metadata={"finish_details": {"type": "interrupted"}}),
        "q2": node("a", [], "user", "Sure?"),
    }
    found = imported(chatgpt(mapping, "o"))
    (document,) = found.documents
    question, answer, again = document.messages
    assert answer.text == "````python\nprint(f'''```''')\n````\n\n```\n4\n```\n\nFour."
    assert answer.thinking == "Sum\n\nHm."
    assert (answer.stop, again.parent_id, document.leaf_id) == ("stopped", answer.id, answer.id)
    assert found.notes == (
        "Left out, because a conversation here is text: 1 × page that a model read.",
        "2 messages continued an answer and were joined to it.",
    )
    assert question.text == "2 + 2?"


def test_answers_that_part_after_an_answer_stay_apart() -> None:
    mapping = {
        "q": node(None, ["a"], "user", "Which?"),
        "a": node("q", ["b", "c"], "assistant", "First,"),
        "b": node("a", [], "assistant", "pears."),
        "c": node("a", ["d"], "assistant", "apples"),
        "d": node("c", [], "assistant", "and quinces."),
    }
    found = imported(chatgpt(mapping, "d"))
    assert outline(found.documents[0]) == {
        "": ["Which?"],
        "Which?": ["First,"],
        "First,": ["pears.", "apples\n\nand quinces."],
    }
    assert found.documents[0].leaf_id == found.documents[0].messages[-1].id


def test_images_sounds_and_files_are_counted_and_their_questions_stay() -> None:
    image = content("image_asset_pointer", asset_pointer="file-service://1")
    spoken = content("audio_transcription", text="And these?", direction="in")
    sound = content("real_time_user_audio_video_asset_pointer", audio_asset_pointer={})
    mapping = {
        "q": node(None, ["a"], "user", "", content=content("multimodal_text", parts=[image, "What is this?", image])),
        "a": node("q", ["q2"], "assistant", "A pear."),
        "q2": node("a", ["a2"], "user", "", content=content("multimodal_text", parts=[spoken, sound])),
        "a2": node("q2", ["q3"], "assistant", "Quinces."),
        "q3": node("a2", ["a3"], "user", "", content=content("multimodal_text", parts=[image, ""])),
        "a3": node("q3", ["q4"], "assistant", "A medlar."),
        "q4": node("a3", [], "user", "And in this?", metadata={"attachments": [{"name": "a.pdf"}, {"name": "b.pdf"}]}),
    }
    found = imported(chatgpt(mapping))
    assert [message.text for message in found.documents[0].messages] == [
        "What is this?",
        "A pear.",
        "And these?",
        "Quinces.",
        "[image: not imported]",
        "A medlar.",
        "And in this?",
    ]
    assert found.notes == ("Left out, because a conversation here is text: 3 × image, 2 × attached file, 1 × sound.",)


def test_parts_that_are_no_text_are_counted() -> None:
    mapping = {"q": node(None, [], "user", ["One", 2, None, True, ["x"], {"a": 1}, {"content_type": "hologram"}])}
    found = imported(chatgpt(mapping))
    assert found.documents[0].messages[0].text == "One"
    assert found.notes == (
        "Left out, because a conversation here is text: "
        "4 × content of an unknown kind, 1 × content of the kind “hologram”.",
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (node("q", [], "tool", "Shown."), "message of a tool"),
        (node("q", [], "critic", "Tut."), "message of “critic”"),
        (node("q", [], "assistant", "Psst", metadata={"is_visually_hidden_from_conversation": True}), "hides"),
        (node("q", [], "assistant", "", content=content("super\nwidget", x=1)), "content of the kind “super widget”"),
        (node("q", [], "assistant", "", content=content("code", text=5)), "content of the kind “code”"),
    ],
)
def test_what_is_left_out_is_told(said: dict[str, Any], told: str) -> None:
    found = imported(chatgpt({"q": node(None, ["x"], "user", "Why?"), "x": said}))
    assert [message.text for message in found.documents[0].messages if message.text] == ["Why?"]
    assert len(found.notes) == 1
    assert told in found.notes[0]


def test_a_note_names_no_more_kinds_than_one_reads() -> None:
    kinds = [content(f"kind {number}") for number in range(40)]
    mapping = {str(number): node(None, [], "user", ["X", kind]) for number, kind in enumerate(kinds)}
    (note,) = imported(chatgpt(mapping)).notes
    assert note.count("×") == 13
    assert note.endswith("1 × content of the kind “kind 11”, 28 × something else.")


def test_what_is_not_known_is_kept_where_it_has_a_text() -> None:
    mapping = {"q": node(None, [], "user", "", content=content("holo_text", text="See?"))}
    assert only(chatgpt(mapping)).messages[0].text == "See?"


def test_circles_orphans_and_several_beginnings_lose_nothing() -> None:
    mapping = {
        "a": node("c", ["b"], "user", "A"),
        "b": node("a", ["c"], "assistant", "B"),
        "c": node("b", ["a"], "user", "C"),
        "self": node("self", ["self"], "user", "Self"),
        "o": node("gone", ["p", "p", "nowhere"], "user", "Orphan"),
        "p": node("o", [], "assistant", "P"),
        "r": node(None, [], "user", "R"),
        "unlisted": node("r", [], "assistant", "U"),
        "claimed": node(None, [], "assistant", "Claimed"),
        "s": node(None, ["claimed"], "user", "S"),
    }
    found = imported(chatgpt(mapping, "nowhere"))
    assert outline(found.documents[0]) == {
        "": ["Orphan", "R", "S", "A", "Self"],
        "A": ["B"],
        "B": ["C"],
        "Orphan": ["P"],
        "R": ["U"],
        "S": ["Claimed"],
    }
    assert found.notes == (
        "2 messages followed themselves in circles, which were opened: they stand at the beginning.",
        "1 message followed one that is not in the file: it stands at the beginning.",
    )
    assert found.documents[0].leaf_id is None


def test_what_hangs_on_a_circle_stays_on_it() -> None:
    mapping = {
        "late": node("early", [], "assistant", "Late"),
        "early": node("b", ["late"], "user", "Early"),
        "a": node("b", ["b"], "user", "A"),
        "b": node("a", ["a", "early"], "assistant", "B"),
    }
    found = imported(chatgpt(mapping, "late"))
    assert outline(found.documents[0]) == {"": ["B"], "B": ["A", "Early"], "Early": ["Late"]}
    assert found.notes == ("1 message followed itself in a circle, which was opened: it stands at the beginning.",)


def test_dates_are_in_any_unit_and_impossible_ones_are_told() -> None:
    def dated(value: Any) -> dict[str, Any]:
        return node(None, [], "user", "X", create_time=value)

    good = [AT, AT * 1e3, int(AT * 1e6), int(AT * 1e9)]
    bad: list[Any] = [None, 0, -5, True, "1790000000", 10**300, 12.0, 1e19, [AT]]
    mapping = {str(number): dated(value) for number, value in enumerate(good + bad)}
    found = imported(chatgpt(mapping, create_time=AT - 7, update_time="soon"))
    times = [message.created_at for message in found.documents[0].messages]
    assert times == pytest.approx([AT] * 4 + [AT - 7] * 9, abs=1e-3)
    assert found.documents[0].conversation.updated_at == pytest.approx(AT, abs=1e-3)
    assert found.notes == (
        "9 messages had no dates or impossible ones, and were given those of the messages before them.",
    )


def test_a_message_without_a_date_has_that_of_the_one_before() -> None:
    mapping = {"q": node(None, ["a"], "user", "X"), "a": node("q", [], "assistant", "Y", create_time=None)}
    found = imported(chatgpt(mapping, create_time=None))
    assert [message.created_at for message in found.documents[0].messages] == [AT, AT]
    assert found.documents[0].conversation.created_at == AT


def test_halves_of_characters_are_replaced_and_told() -> None:
    mapping = {"q": node(None, [], "user", ["a\ud83d", "\ud83c\udf33"])}
    found = imported(chatgpt(mapping, title="T\udc00"))
    assert found.documents[0].messages[0].text == "a\ufffd\n\n🌳"
    assert found.documents[0].conversation.title == "T\ufffd"
    assert found.notes == ("2 texts held halves of characters, which are shown as question marks.",)


@pytest.mark.parametrize(
    ("title", "expected"),
    [(None, "Why are pears hard?"), (" \n", "Why are pears hard?"), ("a\n b", "a b"), ("x" * 300, "x" * 199 + "…")],
)
def test_a_title_is_one_line(title: str | None, expected: str) -> None:
    assert (
        only(chatgpt({"q": node(None, [], "user", "Why are pears hard?")}, title=title)).conversation.title == expected
    )


def test_no_title_keeps_a_file_from_coming_in() -> None:
    """Whatever it is made of, also where nothing of it or of the question is seen."""
    signs = "a \u200b\u200e\u200f\u2066\ufeff\u0301\u00ad\ufe0f\x07\n#*[_`\udc00\U0001f333"
    for seed in chosen(range(300)):
        rng = random.Random(seed)
        title, question = ("".join(rng.choices(signs, k=rng.choice([1, 2, 9, 300]))) for _ in range(2))
        (document,) = imported(chatgpt({"q": node(None, [], "user", f"{question}.")}, title=title)).documents
        found = document.conversation.title
        assert found is None or checked_title(found) == found, f"seed {seed}"


def test_a_conversation_without_words_is_left_out_and_told() -> None:
    found = imported(chatgpt({"r": node(None, [])}), forked(), chatgpt({}))
    assert len(found.documents) == 1
    assert found.notes == ("2 conversations had nothing in them that could be imported, and were left out.",)
    with pytest.raises(ExchangeError, match="there is no conversation in it"):
        imported(chatgpt({}))


def test_a_cut_off_answer_is_unfinished() -> None:
    mapping = {"q": node(None, ["a"], "user", "X"), "a": node("q", [], "assistant", "Y", status="in_progress")}
    assert only(chatgpt(mapping)).messages[1].is_unfinished


@pytest.mark.parametrize(
    ("conversation", "words"),
    [
        ({"mapping": []}, "conversation 2, “mapping”: has to be an object, not a list"),
        ({"mapping": None}, "conversation 2, “mapping”: is missing"),
        ({"mapping": {"a": 5}}, "conversation 2, “mapping”, “a”: has to be an object, not a number"),
        ({"mapping": {"a": {"parent": 5}}}, "“a”, “parent”: has to be a text, not a number"),
        ({"mapping": {"a": {"children": "bc"}}}, "“a”, “children”: has to be a list, not a text"),
        ({"mapping": {"a": {"children": [1]}}}, "“a”, “children”: number 1 has to be a text, not a number"),
        ({"mapping": {"a": {"message": "x"}}}, "“a”, “message”: has to be an object, not a text"),
        ({"mapping": {"a": {"message": {}}}}, "“a”, “message”, “author”: has no role"),
        ({"mapping": {"a": {"message": {"author": {"role": 1}}}}}, "“author”, “role”: has to be a text"),
        ({"mapping": {"a": node(None, [], "user", "x", content=[])}}, "“content”: has to be an object, not a list"),
        ({"mapping": {}, "title": 4}, "conversation 2, “title”: has to be a text, not a number"),
        ({"mapping": {}, "current_node": 4}, "conversation 2, “current_node”: has to be a text"),
        ("x", "conversation 2: this is no conversation in a form that Espalier knows"),
        ([forked()], "conversation 2: this is no conversation in a form that Espalier knows"),
    ],
)
def test_a_malformed_file_is_refused_whole_with_the_place(conversation: Any, words: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        imported(forked(), conversation)
    assert words in caught.value.problem.sentence


def test_two_nodes_of_one_name_are_no_silent_loss() -> None:
    data = packed([forked()]).replace(b'"a1": {', b'"a2": {', 1)
    with pytest.raises(ExchangeError, match=r"line 1, column [0-9]+: “a2” stands twice in one object"):
        read_any("x", data)


def test_a_very_deep_conversation_comes_in() -> None:
    count = 20_000
    mapping = {
        str(number): node(
            str(number - 1) if number else None,
            [str(number + 1)] if number + 1 < count else [],
            "assistant" if number % 2 else "user",
            f"Number {number}",
        )
        for number in reversed(range(count))
    }
    document = only(chatgpt(mapping, str(count - 1)))
    assert [message.text for message in document.messages] == [f"Number {number}" for number in range(count)]
    assert document.leaf_id == document.messages[-1].id
