"""What was said is found, however it is typed, on hidden branches too, and what is deleted is not."""

from __future__ import annotations

import random
import re
import sqlite3
import string
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.conversation import message_search, search_index, store_thread, terms
from app.conversation.message import Conversation, Message
from app.conversation.message_rows import MessageRows
from app.conversation.search import LENGTH, Hit, excerpt_of
from app.conversation.search_index import SLICE, SearchIndex, index_path
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.conversation.terms import LONGEST, ranges_of, terms_of, words_of
from tests.conversation.builders import asked, raw
from tests.seeds import each_seed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


def said(store: Store, *texts: str) -> list[Message]:
    """A conversation of questions, one below the other."""
    conversation = Conversation.new("Garden")
    store.conversations.create(conversation)
    messages: list[Message] = []
    for text in texts:
        parent = messages[-1].id if messages else None
        messages.append(Message.new(conversation.id, parent, "user", text))
        store.messages.add(messages[-1])
    return messages


def texts(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.excerpt for hit in hits]


def marked(hit: Hit) -> list[str]:
    return [hit.excerpt[start:end] for start, end in hit.ranges]


@pytest.mark.parametrize(
    ("text", "typed", "found"),
    [
        ("Winter pears keep until March.", "pears", ["pears"]),
        ("Winter pears keep until March.", "PEARS winter", ["Winter", "pears"]),
        ("Winter pears keep until March.", "pea", ["pears"]),  # while it is being typed
        ("Winter pears keep until March.", '"pears keep"', ["pears keep"]),
        ("Winter pears keep until March.", '"pears kee', ["pears", "keep"]),  # the quotes are not closed yet
        ("Un café crème, s'il vous plaît", "cafe creme", ["café", "crème"]),
        ("Un cafe\u0301", "café", ["cafe\u0301"]),
        ("Die Straße", "STRASSE", ["Straße"]),
        ("果樹の剪定は冬に行う", "剪定", ["剪定"]),
        ("果樹の剪定は冬に行う", "冬", ["冬"]),
        ("나무를 자르다", "나무", ["나무를"]),
        ("ต้นไม้ในสวน", "ไม้", ["ไม้"]),
        ("A tree 🌳 and 👩‍🌾.", "🌳", ["🌳"]),
        ("A tree 🌳 and 👩‍🌾.", "👩‍🌾", ["👩‍🌾"]),
        ("price: 5€", "€", ["€"]),
        ("def message_ids(x):", "message_ids", ["message_ids"]),
        ("don't", "don't", ["don't"]),
        ("C++ and C#", "c++", ["C", "C"]),
        ("ﬁne", "fine", ["ﬁne"]),
        ("Привет, Мир", "мир", ["Мир"]),
        ("nul \0 in it", "in", ["in"]),
    ],
)
def test_what_was_said_is_found_as_people_type_it(text: str, typed: str, found: list[str]) -> None:
    store = Store(None)
    said(store, text, "Something else altogether")
    (hit,) = store.search.find(typed)
    assert marked(hit) == found
    assert hit.title == "Garden"
    store.close()


@pytest.mark.parametrize(
    "typed", ["", " ", "\0", '"', '""', "***", "( ) - ^ : {}", "\ud83d", "'; DROP TABLE words; --", "\u0301"]
)
def test_what_has_no_words_finds_nothing_and_does_no_harm(typed: str) -> None:
    store = Store(None)
    said(store, "Winter pears")
    assert store.search.find(typed) == ()
    assert len(store.search.find("pears")) == 1
    store.close()


@pytest.mark.parametrize(
    "typed", ["pears AND", "NOT pears", "pears OR", "NEAR(pears)", "text:pears", "pears*", "^pears", "-pears", "(pears"]
)
def test_no_text_is_an_operator(typed: str) -> None:
    store = Store(None)
    said(store, f"One may type {typed} here")
    assert len(store.search.find(typed)) == 1
    store.close()


@each_seed(range(20))
def test_random_text_is_found_by_any_of_its_words_and_nothing_that_is_typed_is_wrong(seed: int) -> None:
    rng = random.Random(seed)
    alphabet = (
        string.printable
        + "äéßİıſﬁ½樹の한ไม้हिन्दी🌳👩\u200d\ufe0f\u0301\0\x85\u2028\"'*()^:"
        + chr(rng.randrange(0x110000 - 0x800) % 0xD800 + 1)
    )
    store = Store(None)
    text = "".join(rng.choices(alphabet, k=300)) + " pear"
    (message,) = said(store, text)
    words = list(words_of(text))
    for word in rng.sample(words, min(10, len(words))):
        hits = store.search.find(text[word.start : word.end])
        assert [hit.message_id for hit in hits] == [message.id]
    for _ in range(30):
        for hit in store.search.find("".join(rng.choices(alphabet, k=rng.randint(1, 8)))):
            assert all(0 <= start < end <= len(hit.excerpt) for start, end in hit.ranges)
    store.close()


def test_hits_tell_where_they_are_newest_first_and_lead_to_hidden_branches() -> None:
    store = Store(None)
    conversation, question, answer = asked(store, "Which pears keep?")
    store.messages.append_text(answer.id, "Winter pe")
    assert [hit.message_id for hit in store.search.find("pears")] == [question.id]  # the answer is being written
    store.messages.append_text(answer.id, "ars.")
    store.messages.finish(answer.id, stop="finished")
    store.messages.select_path(conversation.id, question.id)
    answered, asked_for = store.search.find("pears")
    assert (answered.message_id, answered.role, answered.conversation_id) == (answer.id, "assistant", conversation.id)
    assert (answered.excerpt, marked(answered)) == ("Winter pears.", ["pears"])
    assert (asked_for.created_at, asked_for.title) == (question.created_at, "Which pears keep?")
    assert asked_for.updated_at == store.conversations.all()[0].updated_at
    assert [hit.message_id for hit in store.search.find("pears", limit=1)] == [answer.id]
    store.close()


def test_words_in_one_message_are_found_wherever_they_stand_in_it() -> None:
    store, rng = Store(None), random.Random(3)
    filler = [" ".join(rng.choices(["bark", "leaf", "root", "twig"], k=4000)) for _ in range(3)]
    whole = f"quince {filler[0]} medlar {filler[1]} winter pears keep {filler[2]} mulberry"
    said(store, whole)
    assert len(whole) > 10 * SLICE
    for typed in ("quince", "medlar mulberry", '"winter pears keep"', "quince mulberry medlar bark", "leaf root"):
        (hit,) = store.search.find(typed)
        assert marked(hit)
        assert len(hit.excerpt) <= LENGTH + 2
    assert store.search.find("quince apple") == ()
    assert store.search.find('"pears winter"') == ()
    store.close()


def test_phrases_are_found_wherever_a_slice_ends() -> None:
    text = " ".join(f"w{number}" for number in range(6000))
    store = Store(None)
    said(store, text)
    assert store.search.index._execute("SELECT count(*) FROM slice").fetchone()[0] == 0
    for number in range(0, 5995, 7):
        assert len(store.search.find(f'"{" ".join(f"w{number + step}" for step in range(5))}"')) == 1
    assert store.search.index._execute("SELECT count(*) FROM slice").fetchone()[0] > 4
    store.close()


def test_what_is_deleted_is_not_found_until_it_comes_back() -> None:
    store = Store(None)
    first, second = said(store, "Winter pears", "Summer pears")
    edit = store.trash.delete_message(second.id)
    assert texts(store.search.find("pears")) == ["Winter pears"]
    again = store.trash.revert(edit)
    assert texts(store.search.find("pears")) == ["Summer pears", "Winter pears"]
    store.trash.revert(again)
    store.trash.delete_conversation(first.conversation_id)
    assert store.search.find("pears") == ()
    store.empty_trash()
    assert store.search.index.indexed() == {}
    store.close()


def test_an_answer_that_was_cut_off_is_indexed_at_the_next_start_and_again_when_it_ends(path: Path) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    store.messages.append_text(answer.id, "Quin")
    store.search.find("x")
    store.close()
    store = Store(path)
    assert texts(store.search.find("quin")) == ["Quin"]
    store.messages.append_text(answer.id, "ces keep.")
    store.close()
    store = Store(path)
    assert texts(store.search.find("quinces")) == ["Quinces keep."]
    store.messages.append_text(answer.id, " Long.")
    store.messages.finish(answer.id, stop="finished")
    assert texts(store.search.find("long")) == ["Quinces keep. Long."]
    assert len(store.messages.of(conversation.id)) == 2
    store.close()


def test_a_lost_damaged_or_foreign_index_is_made_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path)
    said(store, "Winter pears")
    store.search.find("pears")
    store.close()
    index = index_path(path)
    healthy = index.read_bytes()
    for content in (None, b"", b"Dear diary" * 500, healthy[:5000], healthy[:4096] + bytes(len(healthy) - 4096)):
        index.unlink() if content is None else index.write_bytes(content)
        store = Store(path)
        assert store.notice is None
        for _ in range(2):
            found = store.search.find("pears")
        assert texts(found) == ["Winter pears"]
        assert store.search.state.left == 0
        store.close()
        assert index.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(terms, "VERSION", "2")  # other rules for words
    store = Store(path)
    assert texts(store.search.find("pears")) == ["Winter pears"]
    store.close()


def test_an_index_that_cannot_be_written_is_kept_in_memory(path: Path) -> None:
    index_path(path).mkdir(parents=True)
    store = Store(path)
    said(store, "Winter pears")
    assert texts(store.search.find("pears")) == ["Winter pears"]
    store.close()
    assert index_path(path).is_dir()


def test_an_index_that_another_program_holds_is_left_alone_and_one_in_memory_used(path: Path) -> None:
    store = Store(path)
    said(store, "Winter pears")
    store.search.find("pears")
    store.close()
    before = index_path(path).stat().st_ino
    with raw(index_path(path)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM stamp")
        store = Store(path)
        assert texts(store.search.find("pears")) == ["Winter pears"]
        store.close()
        other.execute("ROLLBACK")
    assert index_path(path).stat().st_ino == before


def test_a_full_disk_leaves_a_message_for_later_and_says_so(path: Path) -> None:
    store = Store(path)
    said(store, "Winter pears")
    store.search.find("pears")
    used = store.search.index._execute("PRAGMA page_count").fetchone()[0]
    store.search.index._execute(f"PRAGMA max_page_count = {used}")
    said(store, "quince " + " ".join(f"w{number}" for number in range(5000)))
    assert store.search.find("quince") == ()
    state = store.search.state
    assert (state.left, state.is_available) == (1, True)
    assert state.problem is not None
    store.search.index._execute("PRAGMA max_page_count = 1000000")
    assert len(store.search.find("quince")) == 1
    assert (store.search.state.left, store.search.state.problem) == (0, None)
    store.close()


def test_without_full_text_search_everything_else_works_and_it_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = tuple(statement.replace("fts5", "fts55") for statement in search_index._TABLES)
    monkeypatch.setattr(search_index, "_TABLES", statements)
    store = Store(path)
    (message,) = said(store, "Winter pears")
    assert store.search.find("pears") == ()
    state = store.search.state
    assert not state.is_available
    assert state.problem is not None
    assert "FTS5" in state.problem.sentence
    store.trash.delete_message(message.id)
    assert store.empty_trash() == 1
    store.close()


def test_a_database_that_may_only_be_read_can_be_searched(path: Path) -> None:
    store = Store(path)
    said(store, "Winter pears")
    store.close()
    with raw(path) as other:
        other.execute("PRAGMA user_version = 99")
    store = Store(path)
    assert store.is_read_only
    assert texts(store.search.find("pears")) == ["Winter pears"]
    store.close()


def test_the_store_thread_indexes_by_itself_and_a_search_says_how_much_is_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is asked all the time: the index waits for jobs so long and no longer."""
    monkeypatch.setattr(store_thread, "LONGEST_WAIT", 0.001)
    store = Store(path)
    said(store, *[f"Pear number {number} " + "leaf " * 400 for number in range(300)])
    assert store.search.state.left == 300
    store.close()
    with StoreThread(path) as thread:
        left = thread.submit(lambda it: it.search.state.left).result()
        while left:
            later = thread.submit(lambda it: it.search.state.left).result()
            assert later <= left
            left = later
        assert len(thread.submit(lambda it: it.search.find("number 29")).result()) == 11


def test_what_is_indexed_takes_room_in_proportion_to_the_text(path: Path) -> None:
    store, rng = Store(path), random.Random(5)
    vocabulary = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(5000)]
    size = 0
    for _ in range(40):
        text = " ".join(rng.choices(vocabulary, k=2000))
        size += len(text)
        said(store, text)
    assert store.search.find(vocabulary[0])
    store.close()
    assert index_path(path).stat().st_size < 2.5 * size


def test_an_excerpt_is_one_line_around_the_match() -> None:
    text = "bark " * 100 + "winter\npears" + " leaf" * 100
    line, ranges = excerpt_of(text, terms_of("pears"))
    assert line.startswith("…bark")
    assert line.endswith("…")
    assert "\n" not in line
    assert [line[start:end] for start, end in ranges] == ["pears"]
    assert excerpt_of("pears", terms_of("apple")) == ("pears", ())
    line, ranges = excerpt_of("x" * 1000, terms_of("x" * 1000))
    assert ranges == ((0, LENGTH),)


def test_long_words_count_by_their_beginning() -> None:
    index = SearchIndex(None)
    long = "a" * 5000
    index.begin(1, "id", f"before {long} after")
    while index.is_adding:
        assert index.step()
    (found,) = index.find(terms_of(long))
    assert found.message == 1
    assert ranges_of(f"before {long} after", terms_of(long)) == ((7, 7 + terms._LONGEST_PART),)
    assert len(next(words_of(long)).folded) == LONGEST
    index.close()


def test_a_hit_whose_message_was_changed_by_hand_is_still_a_hit(path: Path) -> None:
    store = Store(path)
    (message,) = said(store, "Winter pears keep")
    store.search.find("pears")
    store.close()
    with raw(path) as other:
        other.execute("UPDATE message SET text = 'W' WHERE id = ?", (message.id,))
    store = Store(path)
    (hit,) = store.search.find("pears")
    assert (hit.excerpt, hit.ranges) == ("W", ())
    store.close()
    assert replace(hit, ranges=()) == hit


def fts_config(connection: sqlite3.Connection) -> dict[str, Any]:
    return dict(connection.execute("SELECT k, v FROM words_config").fetchall())


def test_the_library_removes_words_from_the_index_itself_where_it_can(path: Path) -> None:
    store = Store(path)
    config = fts_config(store.search.index._connection)
    assert config.get("secure-delete", 0) == int(sqlite3.sqlite_version_info >= search_index.SECURE_DELETE)
    store.close()


UNBOUNDED = re.compile(
    f"[{terms._SINGLE}][{terms._MARKS}]*|(?:[^\\W_{terms._SINGLE}]|[{terms._MARKS}])+|[^\\x00-\\x7f\\s]"
)


def test_looking_at_a_text_in_windows_finds_the_words_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_WINDOW", 1100)
    compared = 0
    for seed in range(300):
        rng = random.Random(seed)
        pieces = [
            "pear",
            " ",
            "\n",
            "梨",
            "ก็",
            "é",
            "e\u0301",
            "\U0001f350",
            "-",
            "x" * rng.randint(1, 1000),
            " " * 1200,
        ]
        text = "".join(rng.choice(pieces) for _ in range(60))
        if max(one.end() - one.start() for one in UNBOUNDED.finditer(text)) >= terms._LONGEST_PART:
            continue
        compared += 1
        wanted = [(one.start(), one.end()) for one in UNBOUNDED.finditer(text) if terms._folded(one.group())]
        assert [(word.start, word.end) for word in words_of(text)] == wanted, f"seed {seed}"
    assert compared > 100


@pytest.mark.parametrize("piece", ["a", "é", "ß", "\u0301", "梨", " ", "_", "ﷺ"])
def test_a_text_without_an_end_is_indexed_in_small_steps_and_little_memory(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """A step of the index, a few of which go between two requests, takes memory for a window and not for the text."""
    monkeypatch.setattr(message_search, "STEP", 0.0)
    store = Store(None)
    (message,) = said(store, "pear " + piece * (50_000 if piece == "梨" else 3_000_000) + " plum")
    assert store.idle_step()  # the text is fetched
    tracemalloc.start()
    largest, steps = 0, 0
    while store.idle_step():
        steps += 1
        largest = max(largest, tracemalloc.get_traced_memory()[1])
        tracemalloc.reset_peak()
    tracemalloc.stop()
    assert steps > 40
    assert largest < 2_500_000
    assert [hit.message_id for hit in store.search.find("pear plum")] == [message.id]
    assert store.search.state.left == 0
    store.close()


def test_what_was_indexed_in_part_leaves_nothing_when_it_is_deleted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(message_search, "STEP", 0.0)
    for is_restarted in (False, True):
        path = tmp_path / f"{is_restarted}.db"
        store = Store(path)
        (message,) = said(store, "quince " * 20_000)
        for _ in range(8):
            assert store.idle_step()
        assert store.search.state.left == 1
        if is_restarted:
            store.close()
            store = Store(path)
        store.trash.delete_conversation(message.conversation_id)
        store.empty_trash()
        while store.idle_step():
            pass
        assert store.search.index.held() == set()
        store.close()
        assert not any(b"quince" in file.read_bytes() for file in tmp_path.iterdir())


def test_the_first_hits_of_many_are_all_that_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(None)
    said(store, *["pears"] * 300)
    while store.idle_step():
        pass
    looked_up: list[str] = []
    text = MessageRows.text
    monkeypatch.setattr(MessageRows, "text", lambda store, number: looked_up.append("") or text(store, number))
    places: list[str] = []
    store.search.index._connection.set_trace_callback(
        lambda query: places.append(query) if "WHERE number" in query else None
    )
    assert len(store.search.find("pears", 7)) == 7
    assert len(looked_up) == 7
    assert len(places) <= 8
