"""Conversations to files and back, through the app."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.conversation import staging
from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.records import Document
from app.conversation.staging import Imports, Stage, StagedDocument
from app.exchange import FileImport, read
from app.exchange.notes import Notes
from app.viewmodels.app import App
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library import import_export as exchange_desk
from app.viewmodels.library.form import Form
from tests.fakes.engine import Script
from tests.viewmodels.library.test_library_region import at_rest, titles
from tests.viewmodels.test_app import LONG, ask, ended, texts, wait_for_text


@pytest.fixture
def forked(qtbot: QtBot, app: App) -> App:
    """A question in two versions; the second is shown."""
    ask(qtbot, app, "One")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "Two")
    return app


def notice(qtbot: QtBot, app: App, words: str) -> str:
    qtbot.waitUntil(lambda: words in app.notices.now.text)
    return app.notices.now.text.replace("\u00a0", " ")


def exported(qtbot: QtBot, app: App, form: Form, path: Path) -> str:
    app.library.import_export.export(app.library.open_id, form, str(path))
    notice(qtbot, app, f"Saved as {path.name}.")
    return path.read_text(encoding="utf-8")


def chatgpt(title: str, *texts: str) -> dict[str, object]:
    """A conversation as ChatGPT exports it."""
    nodes: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for number, text in enumerate(texts):
        role = ("user", "assistant")[number % 2]
        content = {"content_type": "text", "parts": [text]}
        message = {"id": str(number), "author": {"role": role}, "create_time": 1.7e9, "content": content}
        parent, below = (
            ("root" if not number else str(number - 1)),
            [str(number + 1)] if number + 1 < len(texts) else [],
        )
        nodes[str(number)] = {"id": str(number), "message": message, "parent": parent, "children": below}
    return {"title": title, "create_time": 1.7e9, "update_time": 1.7e9, "mapping": nodes, "current_node": "1"}


def test_a_conversation_goes_out_whole_and_comes_back_beside_itself(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    file = tmp_path / "out.espalier"
    document = read(exported(qtbot, forked, Form.ESPALIER, file))
    assert sorted(message.text for message in document.messages) == ["One", "Two", "You said: One", "You said: Two"]
    before = forked.library.open_id
    forked.library.import_file(str(file))
    assert notice(qtbot, forked, "Already") == "Nothing was imported. Already here: 1 conversation."
    assert titles(forked) == ["One"]
    assert forked.notices.now.label == "Import Copies"
    forked.notices.press()
    assert notice(qtbot, forked, "conversation was imported") == "1 conversation was imported."
    assert titles(forked) == ["One", "One"]
    qtbot.waitUntil(lambda: forked.library.open_id != before)
    assert texts(forked) == ["Two", "You said: Two"]
    assert forked.chat.chat_model.rows[0].versions == 2
    assert (forked.library.state.now.undo, forked.notices.now.label) == ("Import", "Undo")
    forked.notices.press()
    at_rest(qtbot, forked)
    assert titles(forked) == ["One"]


def test_markdown_of_the_branch_and_of_all(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    branch = exported(qtbot, forked, Form.BRANCH, tmp_path / "branch.md")
    assert "Two" in branch
    assert "You said: One" not in branch
    tree = exported(qtbot, forked, Form.TREE, tmp_path / "tree.md")
    assert "You said: One" in tree
    assert "You said: Two" in tree


def test_the_name_that_is_suggested(forked: App) -> None:
    desk, open_id = forked.library.import_export, forked.library.open_id
    assert [desk.suggested_name(open_id, form) for form in Form] == ["One.espalier", "One.md", "One.md"]


def test_what_other_programs_export_is_read_with_its_notes(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?", "Conference."), chatgpt("Plums", "Which plums?")]))
    app.library.import_file(str(file))
    assert notice(qtbot, app, "imported").startswith("2 conversations were imported.")
    assert sorted(title for title in titles(app) if title.startswith("P")) == ["Pears", "Plums"]
    qtbot.waitUntil(lambda: texts(app) == ["Which pears?", "Conference."])
    app.act("undo")
    at_rest(qtbot, app)
    assert not {"Pears", "Plums"} & set(titles(app))


@pytest.mark.parametrize("content", ["", "{", '{"espalier": 1}', "[1, 2]", "\x00"])
def test_a_file_that_is_none_changes_nothing_and_is_named(
    qtbot: QtBot, forked: App, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "broken one.json"
    file.write_text(content)
    forked.library.import_file(str(file))
    assert "broken one.json" in notice(qtbot, forked, "broken one.json")
    assert not forked.notices.now.is_good
    assert titles(forked) == ["One"]
    assert forked.library.state.now.undo == "Message"


def test_a_place_that_cannot_be_written_is_told(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    target = tmp_path / "not there" / "out.espalier"
    forked.library.import_export.export(forked.library.open_id, Form.ESPALIER, str(target))
    notice(qtbot, forked, "out.espalier")
    assert not forked.notices.now.is_good
    assert not target.exists()


def test_where_the_database_refuses_nothing_comes_in(
    qtbot: QtBot, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt(f"Number {number}", "Which?") for number in range(3)]))
    stage, publish = Imports.stage, Imports.publish
    refusals = {"stage": False, "publish": False}

    def full(store: Imports, so_far: Stage, coming: StagedDocument) -> bool:
        if refusals["stage"] and coming.document.conversation.title == "Number 1":
            raise store_error(Fault.FULL, None)
        return stage(store, so_far, coming)

    def full_at_the_end(store: Imports, so_far: Stage) -> Edit:
        if refusals["publish"]:
            raise store_error(Fault.FULL, None)
        return publish(store, so_far)

    monkeypatch.setattr(Imports, "stage", full)
    monkeypatch.setattr(Imports, "publish", full_at_the_end)
    before = titles(app)
    for place in refusals:
        refusals[place] = True
        app.library.import_file(str(file))
        assert "The disk is full." in notice(qtbot, app, "full")
        assert titles(app) == before
        app.notices.dismiss()
        refusals[place] = False
    app.library.import_file(str(file))
    notice(qtbot, app, "were imported.")


class Slow:
    """A file that is read when its gate is opened; threads: who read it."""

    gate = threading.Event()
    threads: list[str] = []  # noqa: RUF012
    folders = ()

    def __init__(self, path: Path, watch: Callable[[float], None]) -> None:
        self._real = FileImport(path, watch)
        self._watch = watch

    @property
    def notes(self) -> Notes:
        return self._real.notes

    def __iter__(self) -> Iterator[Document]:
        self.threads.append(threading.current_thread().name)
        while not self.gate.wait(0.01):
            self._watch(0.25)
        yield from self._real


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> type[Slow]:
    Slow.gate, Slow.threads = threading.Event(), []
    monkeypatch.setattr(exchange_desk, "FileImport", Slow)
    return Slow


def test_an_answer_goes_on_being_saved_while_a_file_is_read(
    qtbot: QtBot, app: App, script: Script, tmp_path: Path, slow: type[Slow]
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?")]))
    script.answers["Long?"], script.hold = LONG, 10
    ask(qtbot, app, "Short")
    app.chat.requests.send("Long?")
    wait_for_text(qtbot, app)
    app.library.import_file(str(file))
    assert notice(qtbot, app, "Reading conversations.json… 12\u00a0%")
    script.go.set()
    ended(qtbot, app, 4)
    slow.gate.set()
    qtbot.waitUntil(lambda: texts(app) == ["Which pears?"])
    assert "store" not in slow.threads[0]
    assert app.notices.now.label == "Undo"


def test_what_is_being_read_can_be_cancelled(qtbot: QtBot, forked: App, tmp_path: Path, slow: type[Slow]) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?")]))
    forked.library.import_file(str(file))
    notice(qtbot, forked, "Reading conversations.json…")
    assert forked.notices.now.label == "Cancel"
    forked.notices.press()
    assert notice(qtbot, forked, "Cancelled") == "Cancelled. Nothing was changed."
    assert forked.notices.now.label == ""
    assert titles(forked) == ["One"]
    slow.gate.set()
    forked.library.import_file(str(file))
    notice(qtbot, forked, "was imported.")


def test_what_was_cancelled_halfway_leaves_nothing(
    qtbot: QtBot, forked: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two steps of a large conversation, others have their turn, and the person may think otherwise."""
    monkeypatch.setattr(staging, "STEP", 0.0)
    steps, stage = [0], Imports.stage

    def counted(store: Imports, so_far: Stage, coming: StagedDocument) -> bool:
        steps[0] += 1
        if steps[0] == 50:
            QTimer.singleShot(0, forked, forked.library.import_export.cancel)
        return stage(store, so_far, coming)

    delete, are_gone = Imports.delete_unwanted, list[bool]()

    def noted(store: Imports) -> bool:
        was_there = delete(store)
        are_gone.append(was_there and not store._unwanted)
        return was_there

    monkeypatch.setattr(Imports, "stage", counted)
    monkeypatch.setattr(Imports, "delete_unwanted", noted)
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", *[f"Text {number}" for number in range(3000)])]))
    forked.library.import_file(str(file))
    asked: list[int] = []
    forked._store.do(lambda _store: steps[0], asked.append)
    notice(qtbot, forked, "Cancelled")
    assert 50 <= steps[0] < 3000
    assert asked
    assert asked[0] < steps[0]
    left: list[int] = []
    count = "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM trash)"
    qtbot.waitUntil(lambda: any(are_gone))
    forked._store.do(lambda store: store.database.rows(count)[0][0], left.append)
    forked._store.drain()
    assert left == [4]
    assert titles(forked) == ["One"]


def test_the_program_can_be_left_while_a_file_is_read(
    qtbot: QtBot, forked: App, tmp_path: Path, slow: type[Slow]
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?")]))
    forked.library.import_file(str(file))
    qtbot.waitUntil(lambda: bool(slow.threads))
    forked.close()


def test_the_program_can_be_left_with_a_file_in_hand(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    target = tmp_path / "last.espalier"
    forked.library.import_export.export(forked.library.open_id, Form.ESPALIER, str(target))
    forked.library.import_file(str(tmp_path / "nothing"))
    forked.close()
    assert read(target.read_text()).leaf_id is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("[]")
    file.chmod(0)
    app.library.import_file(str(file))
    assert notice(qtbot, app, "mine.json")


def of_all(app: App) -> set[tuple[str, str]]:
    """All conversations, each with the name of its folder."""
    names = {one.id: one.name for one in app.library.library.folders}
    return {(one.title, names.get(one.folder_id or "", "")) for one in app.library.library.conversations if one.title}


def saved(qtbot: QtBot, app: App, path: Path) -> Path:
    app.library.import_export.export_all(str(path))
    notice(qtbot, app, f"saved as {path.name}.")
    return path


def test_everything_goes_out_and_comes_in_on_another_machine(
    qtbot: QtBot, make_app: Callable[..., App], tmp_path: Path, data_folder: Path
) -> None:
    app = make_app()
    for question in ("One", "Two", "Three"):
        app.library.new_conversation()
        ask(qtbot, app, question)
        if question != "Three":
            app.library.edits.create_folder("Work" if question == "One" else "Home", app.library.open_id)
            at_rest(qtbot, app)
    before = of_all(app)
    assert before == {("One", "Work"), ("Two", "Home"), ("Three", "")}
    file = saved(qtbot, app, tmp_path / "all.zip")
    app.close()
    for one in data_folder.glob("conversations.db*"):
        one.unlink()
    other = make_app()
    other.library.edits.create_folder("Work")
    at_rest(qtbot, other)
    other.library.import_file(str(file))
    assert notice(qtbot, other, "imported") == "3 conversations were imported."
    assert of_all(other) == before
    assert sorted(one.name for one in other.library.library.folders) == ["Home", "Work"]
    other.act("undo")
    qtbot.waitUntil(lambda: not of_all(other))
    assert [one.name for one in other.library.library.folders] == ["Work"]
    other.act("redo")
    qtbot.waitUntil(lambda: of_all(other) == before)
    other.close()


def test_what_is_here_already_is_recognised_and_copied_if_wanted(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    for question in ("One", "Two"):
        app.library.new_conversation()
        ask(qtbot, app, question)
    file = saved(qtbot, app, tmp_path / "all.zip")
    app.library.edits.delete_conversation(app.library.open_id)
    at_rest(qtbot, app)
    app.library.import_file(str(file))
    told = notice(qtbot, app, "Already")
    assert told == "Restored from the trash: 1 conversation. Already here: 1 conversation."
    assert sorted(titles(app)) == ["One", "Two"]
    app.notices.press()
    assert notice(qtbot, app, "was imported.") == "1 conversation was imported."
    assert sorted(titles(app)) == ["One", "One", "Two"], "what came back is not had twice"


def test_what_another_program_exported_is_recognised_too(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    for said, words in (("Conference.", "imported."), ("Conference.", "Already here"), ("Comice.", "imported.")):
        app.notices.dismiss()
        file.write_text(json.dumps([chatgpt("Pears", "Which pears?", said)]))
        app.library.import_file(str(file))
        notice(qtbot, app, words)
    assert titles(app) == ["Pears", "Pears"]


def test_writing_everything_can_be_cancelled(
    qtbot: QtBot, forked: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    read = exchange_desk._read

    def slowly(store: StoreLink, conversation_id: str, work: exchange_desk.Work) -> Document:
        while not gate.is_set():
            work.go_on()
        return read(store, conversation_id, work)

    monkeypatch.setattr(exchange_desk, "_read", slowly)
    forked.library.import_export.export_all(str(tmp_path / "all.zip"))
    notice(qtbot, forked, "Writing all.zip…")
    forked.notices.press()
    notice(qtbot, forked, "Cancelled")
    assert list(tmp_path.glob("*.zip")) + list(tmp_path.glob(".espalier*")) == []
    gate.set()


def imported(qtbot: QtBot, app: App, file: Path) -> str:
    """Import a file and return what is told of it."""
    app.notices.dismiss()
    app.library.import_file(str(file))
    qtbot.waitUntil(lambda: not app.library.import_export._is_importing)
    at_rest(qtbot, app)
    return app.notices.now.text.replace("\u00a0", " ")


def test_what_was_deleted_comes_back_out_of_the_trash_and_never_twice(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?", "Conference.")]))
    imported(qtbot, app, file)
    for _ in range(3):
        pears = next(one.id for one in app.library.library.conversations if one.title == "Pears")
        app.library.edits.delete_conversation(pears)
        at_rest(qtbot, app)
        assert imported(qtbot, app, file) == "Restored from the trash: 1 conversation."
        assert app.notices.now.label == "Undo"
        assert imported(qtbot, app, file) == "Nothing was imported. Already here: 1 conversation."
        assert titles(app).count("Pears") == 1
    app.act("undo")
    at_rest(qtbot, app)
    assert "Pears" not in titles(app)
    app.library.trash_list.empty()
    at_rest(qtbot, app)
    assert imported(qtbot, app, file) == "1 conversation was imported."
    assert titles(app).count("Pears") == 1


def test_files_that_are_asked_for_at_once_know_of_each_other(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    """Also a file that holds a conversation twice, and one that is asked for again in the same moment."""
    file, other = tmp_path / "conversations.json", tmp_path / "others.json"
    pears = chatgpt("Pears", "Which pears?", "Conference.")
    file.write_text(json.dumps([pears, pears]))
    other.write_text(json.dumps([chatgpt("Plums", "Which plums?"), pears]))
    for one in (file, file, other, file):
        app.library.import_file(str(one))
    qtbot.waitUntil(lambda: not app.library.import_export._is_importing)
    at_rest(qtbot, app)
    assert sorted(one for one in titles(app) if one.startswith("P")) == ["Pears", "Plums"]
    assert notice(qtbot, app, "Already") == "Nothing was imported. Already here: 2 conversations."


def test_an_import_that_was_cancelled_and_asked_for_again_is_recognised(
    qtbot: QtBot, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While what the first one has left is not deleted yet."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?", "Conference."), chatgpt("Plums", "Which plums?")]))
    monkeypatch.setattr(Imports, "delete_unwanted", lambda _store: False)
    stage, calls = Imports.stage, list[str]()

    def cancelled(store: Imports, so_far: Stage, coming: StagedDocument) -> bool:
        calls.append(coming.document.conversation.id)
        if len(calls) == 2:
            raise exchange_desk.CancelledError
        return stage(store, so_far, coming)

    monkeypatch.setattr(Imports, "stage", cancelled)
    assert imported(qtbot, app, file) == "Cancelled. Nothing was changed."
    assert imported(qtbot, app, file) == "2 conversations were imported."
    assert imported(qtbot, app, file) == "Nothing was imported. Already here: 2 conversations."


@pytest.mark.parametrize("does", ["nothing", "types", "asks", "opens a new one", "opens another"])
def test_a_file_that_takes_long_opens_nothing_over_what_is_done_meanwhile(
    qtbot: QtBot, forked: App, tmp_path: Path, slow: type[Slow], does: str
) -> None:
    library, before = forked.library, forked.library.open_id
    library.new_conversation()
    ask(qtbot, forked, "Three")
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?")]))
    library.import_file(str(file))
    qtbot.waitUntil(lambda: bool(slow.threads))
    match does:
        case "types":
            forked.chat.open_draft.write("And pl")
        case "asks":
            ask(qtbot, forked, "Four")
        case "opens a new one":
            library.new_conversation()
        case "opens another":
            library.open(before)
            qtbot.waitUntil(lambda: library.open_id == before)
    here = library.open_id
    slow.gate.set()
    assert notice(qtbot, forked, "imported") == "1 conversation was imported."
    at_rest(qtbot, forked)
    assert (library.open_id == here) == (does != "nothing")


def test_copies_are_shown_to_whoever_asks_for_them_and_stays(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    file = tmp_path / "out.espalier"
    exported(qtbot, forked, Form.ESPALIER, file)
    imported(qtbot, forked, file)
    forked.library.new_conversation()
    ask(qtbot, forked, "Three")
    assert forked.notices.now.label == "Import Copies"
    here = forked.library.open_id
    forked.notices.press()
    qtbot.waitUntil(lambda: forked.library.open_id != here)


def test_files_that_wait_are_cancelled_too(qtbot: QtBot, app: App, tmp_path: Path, slow: type[Slow]) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt("Pears", "Which pears?")]))
    for _ in range(3):
        app.library.import_file(str(file))
    qtbot.waitUntil(lambda: bool(slow.threads))
    app.library.import_export.cancel()
    notice(qtbot, app, "Cancelled")
    slow.gate.set()
    qtbot.waitUntil(lambda: not app.library.import_export._is_importing)
    assert len(slow.threads) == 1
    assert "Pears" not in titles(app)


def test_a_branch_comes_back_with_its_file_and_what_is_gone_is_told(qtbot: QtBot, forked: App, tmp_path: Path) -> None:
    file = tmp_path / "a.espalier"
    exported(qtbot, forked, Form.ESPALIER, file)
    before = len(forked.library.tree)
    forked.library.edits.delete_message(forked.library.open_id, forked.chat.chat_model.rows[0].id)
    at_rest(qtbot, forked)
    told = imported(qtbot, forked, file)
    assert told == "Restored from the trash: 2 messages. Already here: 1 conversation."
    assert len(forked.library.tree) == before
    forked.act("undo")
    at_rest(qtbot, forked)
    assert len(forked.library.tree) == before - 2
    forked.library.trash_list.empty()
    at_rest(qtbot, forked)
    told = imported(qtbot, forked, file)
    assert told == "Nothing was imported. Already here: 1 conversation. In the file and not here: 2 messages."
    forked.notices.press()
    notice(qtbot, forked, "was imported.")
    qtbot.waitUntil(lambda: len(forked.library.tree) == before)
    assert len(titles(forked)) == 2
