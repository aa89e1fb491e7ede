"""Both trees as a terminal shows them."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.cache_events import CacheEventKind
from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.cache.rows import EventRow
from app.viewmodels.outline import cache_text, conversation_text, trie_text


def test_the_open_path_is_marked() -> None:
    tree = MessageTree(new_id())
    first = Message.new(tree.conversation_id, None, "user", "First")
    answer = replace(Message.new(tree.conversation_id, first.id, "assistant", model_name="Guide"), text="Yes")
    other = Message.new(tree.conversation_id, None, "user", "Other")
    for message in (first, answer, other):
        tree.add(message)
    tree.select(answer.id)
    assert conversation_text(tree).splitlines() == ["* You: First", "*   Guide: Yes", "  You: Other"]


def test_edges_stand_below_what_they_continue() -> None:
    upper = TrieNodeView(1, None, 0, 412, "You are", 33_000_000, "live", (0,), True, False, 1, 0.0)
    lower = TrieNodeView(2, 1, 412, 3412, "Lisbon", 240_000_000, "none", (), False, False, 1, 0.0)
    view = TrieView(1, (upper, lower), live_bytes=33_000_000, budget_bytes=8_000_000_000)
    lines = trie_text(view).replace("\u202f", " ").replace("\u00a0", " ").splitlines()
    assert lines == [
        "0–412  You are  [33 MB, live]",
        "  412–3 412  Lisbon  [240 MB, no snapshot]",
        "2 edges, 33 MB live, 0 KB in memory of 8.0 GB",
    ]


def test_what_lies_on_disk_and_what_is_pinned_is_said() -> None:
    upper = TrieNodeView(1, None, 0, 412, "You are", 33_000_000, "memory", (), True, False, 1, 0.0, 33_000_000, True)
    lower = TrieNodeView(2, 1, 412, 3412, "Lisbon", 0, "disk", (), True, False, 1, 0.0, 240_000_000)
    view = TrieView(
        1,
        (upper, lower),
        paged_bytes=33_000_000,
        budget_bytes=8_000_000_000,
        disk_bytes=4_600_000_000,
        disk_allowed_bytes=20_000_000_000,
    )
    lines = trie_text(view).replace("\u202f", " ").replace("\u00a0", " ").splitlines()
    assert lines == [
        "0–412  You are  [33 MB, in memory, on disk too, pinned]",
        "  412–3 412  Lisbon  [240 MB, on disk]",
        "2 edges, 0 KB live, 33 MB in memory of 8.0 GB, 4.6 GB on disk of 20 GB",
    ]


def test_the_cache_as_text_has_no_words_of_anybodys() -> None:
    node = TrieNodeView(1, None, 0, 412, "a secret", 33_000_000, "live", (0,), True, False, 1, 0.0)
    view = TrieView(1, (node,), live_bytes=33_000_000, budget_bytes=8_000_000_000)
    log = [EventRow("09:41:07", CacheEventKind.REQUEST, "Computed 168", "It had been given up")]
    text = cache_text(view, log)
    assert "secret" not in text
    assert text.replace("\u202f", " ").replace("\u00a0", " ").splitlines() == [
        "0–412  [33 MB, live]",
        "1 edge, 33 MB live, 0 KB in memory of 8.0 GB",
        "",
        "09:41:07  Computed 168. It had been given up.",
    ]
    assert cache_text(view, []).count("\n") == 1
