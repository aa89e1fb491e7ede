"""Two windows over one engine and one database: whatever is done in which order, each shows what is stored."""

from __future__ import annotations

import gc
import random
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.protocol.commands import EstimateCost
from app.viewmodels.app import App
from app.viewmodels.kit.settings import Settings
from app.viewmodels.warmth.warmth import Warmth
from app.viewmodels.windows import Windows
from tests.fakes.engine import Script
from tests.seeds import chosen

STEPS = 25
MOST_WINDOWS = 4
RESTARTS = 0.15
SAMPLE = Path("resources/samples/trip.espalier").resolve()


def windows_of(app: App) -> Windows:
    """Return the windows that one of them belongs to."""
    found = app.workspace.findChild(Windows)
    assert isinstance(found, Windows)
    return found


def at_rest(app: App) -> bool:
    """Whether nothing is asked, written or read any more."""
    windows = windows_of(app).apps
    return not (
        list(app.chat.questions)
        or app.library.changes.is_pending
        or app.chat.drafts.sent
        or app.chat.open_paths.waiting
        or app.library.import_export._waiting
        or any(one.library.is_opening for one in windows)
    )


@dataclass(frozen=True)
class Shown:
    """What a window shows: the ids and texts of its rows, and the words in its composer."""

    conversation_id: str
    rows: tuple[tuple[str, str], ...]
    words: str
    is_blank: bool

    @classmethod
    def by(cls, app: App) -> Shown:
        """Return what a window shows now."""
        home = app.library.open_id
        rows = tuple((row.id, row.text) for row in app.chat.chat_model.rows)
        return cls(home, rows, app.chat.open_draft.now.text, app.library.library.is_unstored(home))

    @property
    def after_a_start(self) -> Shown:
        """The same, where a blank conversation may have another id."""
        return replace(self, conversation_id="") if self.is_blank else self


def shown_in(app: App) -> dict[int, Shown]:
    """Return what every window shows, by its number."""
    return {one.number: Shown.by(one) for one in windows_of(app).apps}


def stored_in(database: Path) -> dict[int, Shown]:
    """Return what every window would show after a start, as the database has it."""
    store = Store(database)
    try:
        found = dict[int, Shown]()
        for state in store.view_states.all():
            if state.is_open and state.window is not None:
                home = state.conversation_id
                path = () if state.is_blank else store.messages.load(home).path
                rows = tuple((one.id, one.text) for one in path)
                found[state.window] = Shown(home, rows, state.draft, state.is_blank)
        return found
    finally:
        store.close()


def listed_in(app: App) -> set[str]:
    """Return the conversations in a window's list in which something was said."""
    return {row.id for row in app.library.conversation_model.rows if row.can_change and not row.is_branch}


def words_in(app: App) -> list[str]:
    """Return all words that stand in composers, of conversations that can be seen and of blank ones."""
    drafts = (app.chat.drafts.of(one.id).text for one in app.library.library.conversations)
    return sorted(text for text in drafts if text)


class Person:
    """Goes about in several windows by chance, and does not always wait for what was asked."""

    def __init__(self, app: App, rng: random.Random) -> None:
        self.app, self.rng, self.number = app, rng, 0

    def act(self) -> None:
        """Do one thing in one of the windows."""
        windows, rng = windows_of(self.app), self.rng
        app = rng.choice(windows.apps)
        library, chat = app.library, app.chat
        rows = [row.id for row in chat.chat_model.rows]
        message = rng.choice([None, *rows])
        known = [one.id for one in library.library.conversations if library.library.is_stored(one.id)]
        other = rng.choice(windows.apps)
        verbs: list[Callable[[], object]] = [
            *[lambda: chat.requests.send(self.words("Question"))] * 4,
            *[lambda: chat.open_draft.write(self.words("Draft"))] * 2,
            lambda: chat.requests.regenerate(message),
            lambda: chat.open_branch.select_version(message, rng.choice([-1, 1])),
            lambda: chat.open_draft.begin_edit(message),
            lambda: library.edits.undo(),
            lambda: library.edits.redo(),
            app.come_to_front,
            *[library.new_conversation] * 2,
            lambda: library.edits.delete_message(library.open_id, message) if message else None,
            lambda: chat.open_draft.edit_answer(message),
            *[app.comparison.toggle] * 2,
            lambda: self.delete_while_answered(app, other),
            lambda: self.empty_trash_and_undo(app, other),
            lambda: self.import_into(app, other),
        ]
        if known:
            verbs += [lambda: library.open(rng.choice(known))] * 3
            verbs.append(lambda: library.edits.delete_conversation(rng.choice(known)))
            if len(windows.apps) < MOST_WINDOWS:
                verbs.append(lambda: app.open_in_new_window(rng.choice(known)))
        if len(windows.apps) < MOST_WINDOWS:
            verbs.append(windows.open)
        if len(windows.apps) > 1:
            verbs.append(app.close)
        rng.choice(verbs)()
        self.app = windows.apps[0]

    def delete_while_answered(self, app: App, other: App) -> None:
        """Ask something in a window, and delete the conversation in another one before it is answered."""
        app.chat.requests.send(self.words("Question"))
        other.library.edits.delete_conversation(app.library.open_id)

    def empty_trash_and_undo(self, app: App, other: App) -> None:
        """Have what was deleted gone for ever, while it is wanted back in another window."""
        verbs = [app.library.trash_list.empty, other.library.edits.undo]
        for verb in self.rng.sample(verbs, 2):
            verb()

    def import_into(self, app: App, other: App) -> None:
        """Have the same file read in two windows at once."""
        for one in (app, other):
            one.library.import_file(str(SAMPLE))

    def words(self, kind: str) -> str:
        """Return other words than any before."""
        self.number += 1
        return f"{kind} {self.number}"


def store_views(app: App) -> None:
    """Have the database take how everything is left, as it does within a second."""
    app.chat.view_states.save()
    app.workspace.store.drain()


def test_windows_show_what_is_stored_and_come_back_whatever_is_done_in_them(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    database = data_folder / "conversations.db"
    app, shown, words = make_app(), dict[int, Shown](), list[str]()
    for seed in chosen(range(2)):
        rng = random.Random(seed)
        person = Person(app, rng)
        for step in range(STEPS):
            at = f"seed {seed}, step {step}"
            if rng.random() < RESTARTS:
                if rng.random() < 0.5:
                    app.chat.view_states._is_closed = True  # a kill stores nothing more
                app = person.app = make_app()
                if shown and app.number not in shown:
                    shown[app.number] = shown.pop(min(shown))
                if rng.random() < 0.5:  # as the program does, which knows where they stood
                    for number in shown.keys() - {1}:
                        windows_of(app).open(number)
                with qtbot.waitSignal(app.workspace.restored):
                    pass
                qtbot.waitUntil(lambda app=app: at_rest(app))
                found = {number: one.after_a_start for number, one in shown_in(app).items()}
                assert not shown or found == {number: one.after_a_start for number, one in shown.items()}, at
                assert words_in(app) == words, at
            qtbot.waitUntil(lambda app=app: app.model.current_model.to_ask is not None)
            for _ in range(rng.choice([1, 1, 2, 3])):
                person.act()
            app = person.app
            qtbot.waitUntil(lambda app=app: at_rest(app))
            store_views(app)
            shown, words = shown_in(app), words_in(app)
            assert len({one.conversation_id for one in shown.values()}) == len(shown), f"{at}: one in two windows"
            assert stored_in(database) == shown, at
            wanted = {one.id for one in app.library.library.conversations if one.title}
            for one in windows_of(app).apps:
                qtbot.waitUntil(lambda one=one, wanted=wanted: listed_in(one) == wanted)


def test_a_conversation_that_another_window_has_brings_that_window_forward(
    qtbot: QtBot, make_app: Callable[[], App]
) -> None:
    first = make_app()
    qtbot.waitUntil(lambda: first.model.current_model.to_ask is not None)
    second = windows_of(first).open()
    first.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: at_rest(first))
    home, blank = first.library.open_id, second.library.open_id
    with qtbot.waitSignal(first.library.cameForward):
        second.library.open(home)
    assert (first.library.open_id, second.library.open_id) == (home, blank)
    first.close()
    second.library.open(home)
    qtbot.waitUntil(lambda: second.library.open_id == home)
    assert second.chat.chat_model.rows[0].text == "Pears?"


def test_an_answer_goes_on_when_its_window_is_closed(qtbot: QtBot, make_app: Callable[[], App], script: Script) -> None:
    first = make_app()
    qtbot.waitUntil(lambda: first.model.current_model.to_ask is not None)
    second = windows_of(first).open()
    script.hold = 1
    first.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: bool(first.chat.questions.at_engine))
    home = first.library.open_id
    first.close()
    script.go.set()
    qtbot.waitUntil(lambda: at_rest(second))
    second.library.open(home)
    qtbot.waitUntil(lambda: len(second.chat.chat_model.rows) == 2)
    assert second.chat.chat_model.rows[-1].text


def test_a_window_that_is_closed_while_it_waits_for_the_database_is_deleted_after_the_answers(
    qtbot: QtBot, app: App
) -> None:
    """Whatever it asked, and whatever becomes of its conversation meanwhile."""
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    asks: list[Callable[[App, str], object]] = [
        lambda one, home: one.library.open(home),
        lambda one, home: one.library.edits.rename(home, "Fruit"),
        lambda one, home: one.library.edits.undo(),
        lambda one, home: one.library.trash_list.read(),
        lambda one, home: one.chat.warmth.warmth_of_conversation(home),
        lambda one, home: one.jump().begin(),
        lambda one, home: app.library.edits.delete_conversation(one.library.open_id),
    ]
    for ask in asks:
        second = windows_of(app).open()
        for one in (app, second):
            one.library.new_conversation()
            one.chat.requests.send("Pears?")
        qtbot.waitUntil(lambda: at_rest(app))
        answered = threading.Event()
        app.workspace.store.do(lambda _store, answered=answered: answered.wait())
        ask(second, app.library.open_id)
        with qtbot.waitSignal(second.destroyed):
            second.close()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            answered.set()
        qtbot.waitUntil(lambda: at_rest(app))


def test_windows_are_numbered_from_one_and_told_of(app: App) -> None:
    windows, opened, closed = windows_of(app), list[App](), list[App]()
    windows.opened.connect(opened.append)
    windows.closed.connect(closed.append)
    second, fifth = windows.open(), windows.open(5)
    assert opened == [second, fifth]
    assert [one.number for one in windows.apps] == [1, 2, 5]
    for number in (5, 0):
        with pytest.raises(ValueError, match=rf"{number} beside \[1, 2, 5\]"):
            windows.open(number)
    second.close()
    second.close()
    assert closed == [second]
    third = windows.open()
    assert third.number == 2
    assert windows.apps == (app, fifth, third)


def test_the_front_window_is_the_one_that_was_activated_last(app: App) -> None:
    windows = windows_of(app)
    second, third = windows.open(), windows.open()
    assert windows.front is app
    for one in (app, second, third, second):
        one.come_to_front()
        assert windows.front is one
    second.close()
    assert windows.front is third
    second.come_to_front()
    assert windows.front is third


def test_words_are_typed_for_one_window_alone(qtbot: QtBot, app: App) -> None:
    """The others work nothing out again."""
    windows, rng = windows_of(app), random.Random(3)
    for _ in range(3):
        windows.open()
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    stale = list[int]()
    for one in windows.apps:
        one.state.staled.connect(lambda one=one: stale.append(one.number))
    for step in range(20):
        one = rng.choice(windows.apps)
        one.chat.open_draft.write(f"Draft {step}")
        assert {*stale} == {one.number}
        assert one.chat.state.now.can_send
        stale.clear()


def test_what_is_announced_is_said_in_the_front_window_alone(app: App) -> None:
    second = windows_of(app).open()
    heard: list[tuple[App, str]] = []
    for one in (app, second):
        one.announced.connect(lambda text, one=one: heard.append((one, text)))
    app.notices.announce("Version 2 of 3")
    second.come_to_front()
    app.notices.announce("Answer finished")
    assert heard == [(app, "Version 2 of 3"), (second, "Answer finished")]


def test_the_progress_of_a_file_can_be_cancelled_when_its_window_has_closed(app: App) -> None:
    """What was done in it besides is no news for another window that gets its number."""
    pressed: list[str] = []
    second = windows_of(app).open()
    second.come_to_front()
    app.notices.info("Saved as Pears.md.")
    app.notices.show_progress("Reading Pears.zip: 3 of 20", lambda: pressed.append("cancel"))
    assert app.notices.now_in(app.number).text == ""
    second.close()
    assert app.notices.now_in(app.number).label == "Cancel"
    app.notices.press(app.number)
    assert pressed == ["cancel"]
    app.notices.show_progress("", lambda: None)
    third = windows_of(app).open()
    assert third.number == second.number
    assert app.notices.now_in(third.number).text == ""


def test_undo_of_a_notice_takes_one_step_back_however_many_windows_there_are(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    windows_of(app).open()
    for words in ("Pears?", "Plums?"):
        app.library.new_conversation()
        app.chat.requests.send(words)
        qtbot.waitUntil(lambda: at_rest(app))
        app.library.edits.delete_conversation(app.library.open_id)
        qtbot.waitUntil(lambda: at_rest(app))
    app.notices.press()
    qtbot.waitUntil(lambda: at_rest(app) and bool(app.library.library.conversation(app.library.open_id)))
    assert [one.title for one in app.library.library.conversations if one.title] == ["Plums?"]


def test_a_conversation_is_moved_into_a_window_of_its_own(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    app.open_in_new_window(app.library.open_id)
    assert windows_of(app).apps == (app,), "nothing was said there yet"
    app.chat.requests.send("Pears?")
    app.chat.open_draft.write("And plums")
    qtbot.waitUntil(lambda: at_rest(app))
    home = app.library.open_id
    app.open_in_new_window(home)
    first, second = windows_of(app).apps
    assert (second.library.open_id, second.chat.open_draft.now.text) == (home, "And plums")
    assert not first.chat.chat_model.rows
    with qtbot.waitSignal(second.library.cameForward):
        app.open_in_new_window(home)
    assert windows_of(app).apps == (first, second)


def test_a_window_that_is_opened_later_tells_the_same_of_every_conversation(qtbot: QtBot, app: App) -> None:
    """It was not there when the model was opened and when the cache was told."""
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    app.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: at_rest(app))
    home = app.library.open_id
    qtbot.waitUntil(lambda: app.chat.warmth.warmth_of_conversation(home) is not None)
    later = windows_of(app).open()
    qtbot.waitUntil(lambda: warmth_in(later, home) == warmth_in(app, home) is not None)
    later.chat.requests.send("Apples?")
    qtbot.waitUntil(lambda: at_rest(app))
    own = later.library.open_id
    qtbot.waitUntil(lambda: warmth_in(later, own) is not None)
    found = warmth_in(later, own)
    assert found is not None
    assert found.fits, "the limit of the model is known"


def test_what_all_windows_show_is_priced_once(qtbot: QtBot, app: App, script: Script) -> None:
    """Each lists the same conversations, and their outlines the branches that these are left on."""
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    for words in ("Pears?", "Plums?", "Figs?"):
        app.library.new_conversation()
        app.chat.requests.send(words)
        qtbot.waitUntil(lambda: at_rest(app))
    listed = [one.id for one in app.library.library.conversations if one.title]
    app.library.new_conversation()
    for _ in range(3):
        windows_of(app).open()
    app.model.open("/models/one")  # of which no price is known
    qtbot.waitUntil(lambda: app.model.current_model.path == "/models/one")
    begun = len(script.commands)

    def are_known() -> bool:
        library, index = app.library.library, app.chat.warmth
        as_branches = [index.warmth_of(library.tree(home).leaf_id or "", home) for home in listed]
        in_lists = [warmth_in(one, home) for one in windows_of(app).apps for home in listed]
        return None not in (*as_branches, *in_lists)

    qtbot.waitUntil(are_known)
    qtbot.wait(50)
    asked = [one.turns[0].text for one in script.commands[begun:] if isinstance(one, EstimateCost)]
    assert sorted(asked) == ["Figs?", "Pears?", "Plums?"]


def warmth_in(app: App, conversation_id: str) -> Warmth | None:
    """What a window tells of a conversation, but for the time, which each measures."""
    found = app.chat.warmth.warmth_of_conversation(conversation_id)
    return found and replace(found, seconds=None)


def test_nothing_keeps_a_window_that_is_closed(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    second = windows_of(app).open()
    second.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: at_rest(app))
    second.chat.open_draft.write("And plums?")
    second.find.open()
    second.find.look_for("Pears", 0)
    left = [weakref.ref(one) for one in (second, second.chat, second.library, second.edges, second.cache_rows)]
    with qtbot.waitSignal(second.destroyed):
        second.close()
    del second

    def are_gone() -> bool:
        gc.collect()
        return not any(one() for one in left)

    qtbot.waitUntil(are_gone)


def test_words_of_every_blank_conversation_are_found_where_no_window_comes_back(
    qtbot: QtBot, make_app: Callable[[], App], settings: Settings
) -> None:
    """The first window has its own, and each new one those that were left longest."""
    first = make_app()
    qtbot.waitUntil(lambda: first.model.current_model.to_ask is not None)
    first.chat.requests.send("Pears?")
    qtbot.waitUntil(lambda: at_rest(first))
    for one, words in ((windows_of(first).open(), "of the second"), (windows_of(first).open(), "of the third")):
        one.chat.open_draft.write(words)
    settings.update(start_with="new")
    app = make_app()
    with qtbot.waitSignal(app.workspace.restored):
        pass
    assert windows_of(app).apps == (app,)
    assert not app.chat.chat_model.rows
    assert [windows_of(app).open().chat.open_draft.now.text for _ in range(3)] == ["of the second", "of the third", ""]


def test_words_left_in_a_closed_window_stand_in_the_next_one(qtbot: QtBot, app: App) -> None:
    second = windows_of(app).open()
    second.chat.open_draft.write("half a thought")
    second.close()
    app.library.new_conversation()
    assert not app.chat.open_draft.now.text, "it has a blank conversation of its own"
    third = windows_of(app).open()
    with qtbot.waitSignal(third.chat.open_draft.textReplaced) as shown:
        third.library.new_conversation()
    assert shown.args == ["half a thought"]
    assert third.chat.open_draft.now.text == "half a thought"
