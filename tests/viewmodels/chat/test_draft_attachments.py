"""What is attached to the words in the composer: read beside the window, priced, sent with them, back in an edit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.attaching import files
from app.attaching.files import ReadFile
from app.protocol.chat import Attachment
from app.protocol.commands import Generate
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.chat import attachment_reader, chat_text
from app.viewmodels.windows import Windows
from tests.fakes.engine import CONTEXT, Script
from tests.viewmodels.test_app import ask, ended, ready, texts


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.txt"
    path.write_text("Medlars keep until March.\n")
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text("# Quinces\n")
    return path


def attach(qtbot: QtBot, app: App, *paths: Path) -> None:
    app.chat.attachments.attach_files([str(path) for path in paths])
    qtbot.waitUntil(lambda: not app.chat.state.now.attaching)


def names(app: App) -> list[str]:
    return [chip.name for chip in app.chat.state.now.attachments]


def asked(script: Script) -> list[tuple[Attachment, ...]]:
    return [command.turns[-1].attachments for command in script.commands if isinstance(command, Generate)]


def test_files_are_attached_in_their_order_and_priced_before_there_are_words(
    qtbot: QtBot, app: App, report: Path, notes: Path
) -> None:
    ready(qtbot, app)
    attach(qtbot, app, report, notes, report)
    qtbot.waitUntil(lambda: all(chip.tokens for chip in app.chat.state.now.attachments))
    assert names(app) == ["report.txt", "notes.md", "report.txt"]
    assert app.chat.state.now.attachments[0].spoken == "Attachment report.txt, 1\u00a0KB, 7\u00a0tokens"
    assert "tokens" in app.chat.state.now.send_price
    assert not app.chat.state.now.can_send
    app.chat.attachments.detach(2)
    app.chat.open_draft.write("Which?")
    assert names(app) == ["report.txt", "notes.md"]
    qtbot.waitUntil(lambda: app.chat.state.now.can_send and "tokens" in app.chat.state.now.send_price)


def test_what_is_attached_is_sent_and_stored_with_the_words(
    qtbot: QtBot, make_app: Callable[..., App], script: Script, report: Path
) -> None:
    app = make_app()
    ready(qtbot, app)
    attach(qtbot, app, report)
    ask(qtbot, app, "Which keep?")
    (attachments,) = asked(script)
    assert attachments == (Attachment("report.txt", "text", "Medlars keep until March.\n"),)
    assert names(app) == []
    app.close()
    again = make_app()
    qtbot.waitUntil(lambda: len(texts(again)) == 2)
    assert again.library.tree.path[0].attachments == attachments


def test_words_are_asked_for_beside_what_is_attached(qtbot: QtBot, app: App, script: Script, report: Path) -> None:
    ready(qtbot, app)
    attach(qtbot, app, report)
    app.chat.requests.send(" ")
    assert app.chat.state.now.send_price == chat_text.WORDS_NEEDED
    assert (names(app), asked(script)) == (["report.txt"], [])


def test_an_edit_brings_the_attachments_back_and_what_was_there_waits(
    qtbot: QtBot, app: App, script: Script, report: Path, notes: Path
) -> None:
    ready(qtbot, app)
    attach(qtbot, app, report)
    ask(qtbot, app, "Which keep?")
    attach(qtbot, app, notes)
    app.chat.open_draft.write("later")
    app.chat.open_draft.begin_edit()
    assert names(app) == ["report.txt"]
    app.chat.open_draft.cancel_edit()
    assert names(app) == ["notes.md"]
    app.chat.open_draft.begin_edit()
    app.chat.requests.send("Which do not?")
    ended(qtbot, app, 2)
    assert asked(script)[1] == asked(script)[0]
    assert names(app) == ["notes.md"]
    assert app.chat.chat_model.rows[0].versions == 2


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_draft_with_attachments_outlives_the_program(
    qtbot: QtBot, make_app: Callable[..., App], report: Path, is_killed: bool
) -> None:
    first = make_app()
    ready(qtbot, first)
    attach(qtbot, first, report)
    first.chat.view_states.save()
    if not is_killed:
        first.close()
    app = make_app()
    qtbot.waitUntil(lambda: names(app) == ["report.txt"])


def test_each_file_that_cannot_be_attached_is_told_and_the_words_stay(
    qtbot: QtBot, app: App, report: Path, tmp_path: Path
) -> None:
    ready(qtbot, app)
    app.chat.open_draft.write("Which?")
    (tmp_path / "film.mp4").write_bytes(b"\0" * 9)
    attach(qtbot, app, tmp_path / "film.mp4", report, tmp_path / "gone.txt")
    assert names(app) == ["report.txt"]
    text = app.notices.now.text
    assert "film.mp4 cannot be attached. It is not text." in text
    assert "gone.txt cannot be attached. It is not there any more." in text
    assert app.chat.drafts.of(app.library.open_id).text == "Which?"


def test_how_a_file_was_read_is_told_where_that_was_a_guess(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("Grüße".encode("latin-1"))
    attach(qtbot, app, path)
    assert "Latin-1" in app.notices.now.text


def test_what_does_not_fit_is_told_before_anything_is_sent(
    qtbot: QtBot, app: App, script: Script, tmp_path: Path
) -> None:
    ready(qtbot, app)
    path = tmp_path / "long.txt"
    path.write_text("word " * (CONTEXT + 10))
    attach(qtbot, app, path)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price.startswith("Does not fit: "))
    app.chat.open_draft.write("Which?")
    qtbot.waitUntil(lambda: app.chat.branch_costs.sending is not None)
    app.chat.requests.send("Which?")
    assert (names(app), asked(script)) == (["long.txt"], [])


def test_a_file_comes_to_the_conversation_for_which_it_was_read(qtbot: QtBot, app: App, report: Path) -> None:
    ask(qtbot, app, "How are you?")
    first = app.library.open_id
    app.chat.attachments.attach_files([str(report)])
    app.library.new_conversation()
    qtbot.waitUntil(lambda: bool(app.chat.drafts.of(first).attachments))
    assert names(app) == []


def test_a_question_takes_so_many_attachments_and_no_more(
    qtbot: QtBot, app: App, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachment_reader, "MOST_ATTACHMENTS", 2)
    attach(qtbot, app, report, report, report)
    assert len(names(app)) == 2
    assert "takes 2 attachments" in app.notices.now.text
    monkeypatch.setattr(attachment_reader, "MOST_ATTACHMENTS", 9)
    monkeypatch.setattr(attachment_reader, "_MOST_TOGETHER", 60)
    attach(qtbot, app, report)
    assert len(names(app)) == 2
    assert "more than 60" in app.notices.now.text


def test_a_long_text_is_attached_and_taken_back(app: App) -> None:
    assert app.chat.attachments.attach_text("one")
    assert app.chat.attachments.attach_text("two")
    assert names(app) == ["Pasted text", "Pasted text 2"]
    app.chat.attachments.unfold_text("two")
    assert names(app) == ["Pasted text"]
    app.chat.attachments.unfold_text("three")
    assert names(app) == ["Pasted text"]


def test_nothing_is_attached_while_an_answer_is_edited(qtbot: QtBot, app: App, report: Path) -> None:
    """It is told at once, and by the command before a file is chosen."""
    ask(qtbot, app, "Which keep?")
    app.act("edit_answer")
    app.chat.attachments.attach_files([str(report)])
    assert chat_text.NOT_WITH_ANSWERS in app.notices.now.text
    assert "attach" not in enabled(app.state.now)
    assert (names(app), app.chat.attachments.reading(app.library.open_id)) == ([], "")
    app.chat.open_draft.cancel_edit()
    attach(qtbot, app, report)
    assert names(app) == ["report.txt"]


@pytest.mark.parametrize("how", ["kept", "kept as it was", "gone on from", "put back"])
def test_a_file_that_is_read_while_an_answer_is_edited_comes_with_the_words_put_aside(
    qtbot: QtBot, app: App, report: Path, how: str
) -> None:
    ask(qtbot, app, "Which keep?")
    app.chat.open_draft.write("And which not?")
    app.chat.attachments.attach_files([str(report)])
    app.act("edit_answer")
    qtbot.waitUntil(lambda: not app.chat.state.now.attaching)
    assert names(app) == []
    if how == "put back":
        app.chat.open_draft.cancel_edit()
    elif how == "gone on from":
        app.chat.requests.go_on_from("Those")
    else:
        app.chat.requests.send("Those" if how == "kept" else app.chat.open_draft.now.text)
    qtbot.waitUntil(lambda: not app.chat.state.now.is_editing)
    assert (app.chat.open_draft.now.text, names(app)) == ("And which not?", ["report.txt"])


@pytest.mark.parametrize("how", ["kept", "kept as it was", "gone on from"])
def test_what_was_attached_while_an_edited_answer_was_deleted_stays(qtbot: QtBot, app: App, how: str) -> None:
    """An undo brings the answer back, and its edit."""
    ask(qtbot, app, "Which keep?")
    app.act("edit_answer")
    said, answer = app.chat.open_draft.now.text, app.library.tree.path[-1]
    app.library.edits.delete_message(app.library.open_id, answer.id)
    qtbot.waitUntil(lambda: answer.id not in app.library.tree)
    app.chat.attachments.attach_text("A long text")
    app.act("undo")
    qtbot.waitUntil(lambda: app.chat.state.now.edits_answer)
    if how == "gone on from":
        app.chat.requests.go_on_from("Those")
    else:
        app.chat.requests.send("Those" if how == "kept" else said)
    qtbot.waitUntil(lambda: not app.chat.state.now.is_editing)
    assert names(app) == ["Pasted text"]


def test_quitting_waits_for_no_file(qtbot: QtBot, make_app: Callable[..., App], report: Path) -> None:
    app = make_app()
    app.chat.attachments.attach_files([str(report)] * 50)
    app.close()
    qtbot.wait(30)
    assert app.chat.attachments.reading(app.library.open_id) == ""


@pytest.mark.parametrize("is_blank", [False, True])
def test_a_file_that_is_read_when_its_window_is_closed_comes_with_its_conversation(
    qtbot: QtBot, app: App, report: Path, monkeypatch: pytest.MonkeyPatch, is_blank: bool
) -> None:
    """It is found where the conversation is opened next; what was blank, in the next window."""
    gate, read = threading.Event(), files.read_file

    def read_late(file: Path, is_wanted: Callable[[], bool]) -> ReadFile:
        gate.wait()
        return read(file, is_wanted)

    monkeypatch.setattr(attachment_reader, "read_file", read_late)
    windows = app.workspace.findChild(Windows)
    assert isinstance(windows, Windows)
    ready(qtbot, app)
    second = windows.open()
    if not is_blank:
        ask(qtbot, second, "Which keep?")
    home = second.library.open_id
    second.chat.attachments.attach_files([str(report)])
    second.close()
    gate.set()
    third = windows.open() if is_blank else app
    third.library.open(home)
    qtbot.waitUntil(lambda: names(third) == ["report.txt"])
