"""What comes with a question, in its row: a line to each attachment, opened and folded."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.chat import Attachment, AttachmentKind
from app.viewmodels.app import App
from app.viewmodels.chat.rows import AttachmentRow, Segment, SegmentKind, segment_of_attachment, spoken_message
from app.viewmodels.text.formatting import DOT, HARD, THIN
from tests.viewmodels.chat.test_draft_attachments import attach
from tests.viewmodels.test_app import ask, ready


def test_a_line_tells_its_name_and_its_tokens_or_its_size() -> None:
    row = AttachmentRow("report.pdf", "x" * 412_000, 12_000)
    assert row.title == f"report.pdf{DOT}12{THIN}000{HARD}tokens"
    assert row.spoken == f"attachment report.pdf, 12{THIN}000{HARD}tokens, collapsed"
    assert AttachmentRow("report.pdf", "x" * 412_000).title == f"report.pdf{DOT}412{HARD}KB"
    assert AttachmentRow("a" * 200, "x", is_open=True).spoken.endswith("expanded")
    assert len(AttachmentRow("a" * 200, "x").title) < 80


def test_the_attachments_of_a_question_are_lines_above_its_words(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Medlars keep.")
    (tmp_path / "b.txt").write_text("Quinces too.")
    ready(qtbot, app)
    attach(qtbot, app, tmp_path / "a.txt", tmp_path / "b.txt")
    ask(qtbot, app, "Which?")
    qtbot.waitUntil(lambda: all(one.tokens for one in app.chat.chat_model.rows[0].attachments))
    row = app.chat.chat_model.rows[0]
    assert [one.name for one in row.attachments] == ["a.txt", "b.txt"]
    assert (row.text, [segment.text for segment in row.shown]) == ("Which?", ["Which?"])
    assert "attachment a.txt, " in spoken_message(row, 1, 2)
    app.chat.unfolded.toggle_attachment(row.id, 1)
    opened = app.chat.chat_model.rows[0]
    assert [(one.kind, one.text) for one in opened.shown] == [
        (SegmentKind.ATTACHED, "Quinces too."),
        (SegmentKind.TYPED, "Which?"),
    ]
    assert [one.is_open for one in opened.attachments] == [False, True]
    app.chat.unfolded.toggle_attachment(row.id, 1)
    assert app.chat.chat_model.rows[0].shown == row.shown


@pytest.mark.parametrize(
    ("name", "kind", "segment"),
    [
        ("grow.PY", "code", Segment(SegmentKind.SOURCE, "a = 1", "py")),
        ("a.b.json", "data", Segment(SegmentKind.SOURCE, "a = 1", "json")),
        ("no ending", "code", Segment(SegmentKind.SOURCE, "a = 1")),
        ("notes.md", "markdown", Segment(SegmentKind.ATTACHED, "a = 1")),
        ("report.pdf", "pdf", Segment(SegmentKind.ATTACHED, "a = 1")),
    ],
)
def test_source_code_and_data_are_shown_as_code(name: str, kind: AttachmentKind, segment: Segment) -> None:
    for one in (Attachment(name, kind, "a = 1\n"), AttachmentRow(name, "a = 1\n", kind=kind)):
        assert segment_of_attachment(one) == segment
