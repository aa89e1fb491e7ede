"""The two list models: rows that stay are never touched, and a selection stays where it was."""

from __future__ import annotations

import random
from dataclasses import replace

from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.rows import Footer, MessageRow, segments_of
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.rows import ConversationRow

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def message(name: str, text: str = "text") -> MessageRow:
    return MessageRow(name, "user", "You", segments_of("user", text), "none", 1, 1, ("none",))


def conversation(name: str) -> ConversationRow:
    return ConversationRow(name, name.title(), "now", "Today", False, False)


def test_a_path_that_forks_keeps_its_rows_above_the_fork() -> None:
    model = ChatModel()
    tester = QAbstractItemModelTester(model, FATAL)
    model.show([message("a"), message("b"), message("c")])
    above = QPersistentModelIndex(model.index(0))
    removed: list[tuple[int, int]] = []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))
    model.show([message("a", "changed"), message("d")])
    assert removed == [(1, 2)]
    assert above.data(RowRole.ROW) == message("a", "changed")
    assert [row.id for row in model.rows] == ["a", "d"]
    model.show([])
    assert model.rowCount() == 0
    tester.deleteLater()


def test_a_growing_answer_changes_nothing_but_its_tail() -> None:
    model = ChatModel()
    writing = replace(message("b", ""), is_streaming=True, footer=Footer(1, 2, 0, None, None, ""))
    model.show([message("a"), writing])
    changed: list[object] = []
    tail: list[str] = []
    figures: list[Footer] = []
    model.dataChanged.connect(lambda *_: changed.append(1))
    model.tailAppended.connect(tail.append)
    model.tailFigures.connect(figures.append)
    model.append_tail("b", "one ")
    model.append_tail("b", "two")
    model.append_tail("elsewhere", "three")
    model.set_tail_figures("b", Footer(1, 2, 3, None, None, ""))
    assert tail == ["one ", "two"]
    model.show([message("a"), replace(model.rows[1], footer=Footer(1, 2, 4, None, None, ""))])
    assert [footer.tokens for footer in figures] == [3, 4]
    assert not changed
    assert model.rows[1].text == "one two"


def test_rows_speak() -> None:
    model = ChatModel()
    footer = Footer(3412, 168, 214, 38.2, 0.48, "finished")
    row = MessageRow(
        "b", "assistant", "Qwen3 8B", segments_of("assistant", "The plan"), "memory", 2, 3, ("none",) * 3, footer
    )
    model.show([message("a"), row])
    spoken = model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Qwen3 8B, message 2 of 2, version 2 of 3, 214\u00a0tokens, warm, in memory: The plan"


def test_conversations_move_with_their_selection() -> None:
    rng, model = random.Random(3), ConversationModel()
    tester = QAbstractItemModelTester(model, FATAL)
    names = [f"c{number}" for number in range(12)]
    model.show([conversation(name) for name in names])
    kept = QPersistentModelIndex(model.index(4))
    for _ in range(60):
        wanted = ["c4", *rng.sample(names, rng.randint(0, 11))]
        rng.shuffle(wanted)
        wanted = list(dict.fromkeys(wanted))
        model.show([conversation(name) for name in wanted])
        assert [row.id for row in model.rows] == wanted
        assert kept.data(RowRole.ROW) == conversation("c4")
    tester.deleteLater()
