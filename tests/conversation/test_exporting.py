"""Exports read by steps are whole trees, whatever happens between the steps."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from app.conversation import exporting
from app.conversation.edit import Edit
from app.conversation.exporting import Export
from app.conversation.message import Message
from app.conversation.staging import StagedDocument
from app.conversation.store import Store
from app.exchange import read, write
from tests.conversation.builders import filled


def test_what_is_said_and_deleted_meanwhile_leaves_a_whole_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "AT_ONCE", 3)
    filled(tmp_path / "store.db", 5)
    store = Store(tmp_path / "store.db")
    differing = 0
    for seed in range(40):
        rng = random.Random(seed)
        conversation = rng.choice(store.conversations.all())
        before = {message.id for message in store.messages.of(conversation.id)}
        export = Export(conversation.id)
        edits: list[Edit] = []
        while store.exports.read_some(export):
            known = store.messages.of(conversation.id)
            if known and rng.random() < 0.3:
                edits.append(store.trash.delete_message(rng.choice(known).id))
            elif edits and rng.random() < 0.3:
                edits.append(store.trash.revert(edits.pop()))
            elif known and rng.random() < 0.3:
                store.messages.add(Message.new(conversation.id, rng.choice(known).id, "user", "More"))
        document = store.exports.document(export)
        StagedDocument(document)  # raises where it contradicts itself
        assert len(read(write(document)).messages) == len(document.messages), f"seed {seed}"
        assert store.messages.of(conversation.id) or edits
        differing += {message.id for message in document.messages} != before
        for edit in reversed(edits):
            store.trash.revert(edit)
    assert differing > 5
    store.close()


def test_a_step_reads_no_more_than_a_few_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "AT_ONCE", 3)
    filled(tmp_path / "store.db", 2)
    store = Store(tmp_path / "store.db")
    for conversation in store.conversations.all():
        export, sizes = Export(conversation.id), [0]
        while store.exports.read_some(export):
            sizes.append(len(export.messages))
        assert all(after - before <= 3 for before, after in pairwise(sizes))
        assert store.exports.document(export) == store.exports.export(conversation.id)
        assert store.exports.document(export).messages == store.messages.of(conversation.id)
    store.close()
