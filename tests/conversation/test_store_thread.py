"""One thread, in order, and no job that fails takes another with it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.conversation.database import Database
from app.conversation.faults import StoreError
from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from tests.conversation.builders import asked, raw


def store_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("store")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


def test_jobs_are_done_in_order_on_one_thread_that_close_ends(path: Path) -> None:
    done: list[int] = []
    threads = set()
    store = StoreThread(path)

    def job(number: int) -> None:
        done.append(number)
        threads.add(threading.current_thread())

    futures = [store.submit(lambda _, number=number: job(number)) for number in range(200)]
    assert len(store_threads()) == 1
    store.close()
    assert done == list(range(200))
    assert all(future.done() for future in futures)
    assert len(threads) == 1
    assert threading.current_thread() not in threads
    assert store_threads() == []
    store.close()
    with pytest.raises(RuntimeError):
        store.submit(lambda _: None)


def test_a_job_that_fails_fails_alone(path: Path) -> None:
    with StoreThread(path) as store:
        before = store.submit(asked)
        failing = store.submit(lambda it: it.messages.of("0" * 32))
        after = store.submit(lambda it: it.conversations.all())
        with pytest.raises(LookupError, match="0000"):
            failing.result()
        assert [found.id for found in after.result()] == [before.result()[0].id]


def test_a_future_resolves_after_the_commit(path: Path) -> None:
    with StoreThread(path) as store:
        conversation = Conversation.new()
        store.submit(lambda it: it.conversations.create(conversation))
        store.submit(lambda it: it.messages.add(Message.new(conversation.id, None, "user", "UnsavedRecord?"))).result()
        with raw(path) as other:
            assert other.execute("SELECT text FROM message").fetchall() == [("UnsavedRecord?",)]


def test_close_finishes_what_was_submitted(path: Path) -> None:
    gate = threading.Event()
    store = StoreThread(path)
    store.submit(lambda _: gate.wait(30))
    asking = store.submit(asked)
    threading.Timer(0.05, gate.set).start()
    store.close()
    assert not path.with_name(path.name + "-wal").exists()  # closed, with its journal merged
    reopened = Store(path)
    assert [found.id for found in reopened.conversations.all()] == [asking.result()[0].id]
    reopened.close()


def test_leaving_by_an_error_ends_the_thread_too(path: Path) -> None:
    with pytest.raises(KeyError), StoreThread(path):
        raise KeyError
    assert store_threads() == []


def test_without_a_usable_file_conversations_go_on_in_memory_and_the_notice_says_so(path: Path) -> None:
    path.write_text("a file where a folder should be")
    with StoreThread(path / "conversations.sqlite") as store:
        conversation, question, _ = store.submit(asked).result()
        assert store.submit(lambda it: it.messages.of(conversation.id)).result()[0] == question
        notice = store.submit(lambda it: it.notice).result()
        assert notice is not None
        assert "lost when Espalier quits" in notice.sentence
        assert not store.submit(lambda it: it.is_durable).result()
    assert path.read_text() == "a file where a folder should be"


def test_a_store_error_reaches_the_one_who_asked(path: Path) -> None:
    with StoreThread(path) as store:
        _, _, answer = store.submit(asked).result()
        store.submit(lambda it: it.database.connection.execute("PRAGMA max_page_count = 1"))
        failing = store.submit(lambda it: it.messages.append_text(answer.id, "x" * 100_000))
        assert isinstance(failing.exception(), StoreError)


def test_a_program_that_ends_without_close_still_ends_and_has_kept_everything(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app.conversation.store_thread import StoreThread;"
        "from tests.conversation.builders import asked;"
        "store = StoreThread(Path(sys.argv[1])); [store.submit(asked) for _ in range(20)]"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", program, str(path)], cwd=root, timeout=60, check=True)
    store = Store(path)
    assert len(store.conversations.all()) == 20
    store.close()


def test_a_database_that_cannot_be_opened_for_a_reason_that_nobody_knows_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = Database.__init__

    def unlucky(database: Database, path: Path | None, patience: float) -> None:
        if path is not None:
            raise KeyError("pears")
        opening(database, path, patience)

    monkeypatch.setattr(Database, "__init__", unlucky)
    with StoreThread(path) as store:
        notice = store.submit(lambda it: it.notice).result()
        assert notice is not None
        assert "KeyError" in notice.sentence
        assert "lost when Espalier quits" in notice.sentence
        assert "pears" not in notice.sentence


def test_a_step_of_the_index_that_fails_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stepping, failures, failed = Store.idle_step, [MemoryError(), KeyError()], threading.Semaphore(0)

    def unlucky(store: Store) -> int:
        if failures:
            failed.release()
            raise failures.pop()
        return stepping(store)

    monkeypatch.setattr(Store, "idle_step", unlucky)
    with StoreThread(path) as store:
        for _ in range(2):
            store.submit(asked).result()
            assert failed.acquire(timeout=30)
        assert len(store.submit(lambda it: it.search.find("pears")).result()) == 2


def test_the_index_goes_on_when_nothing_is_submitted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, begun, gate, stepped = list[object](), threading.Event(), threading.Event(), threading.Event()
    monkeypatch.setattr(Store, "idle_step", lambda _: bool(done.append("step") or stepped.set()))

    def hold(_: Store) -> None:
        begun.set()
        gate.wait(30)
        done.clear()
        stepped.clear()

    with StoreThread(path) as store:
        store.submit(hold)
        assert begun.wait(30)
        for number in range(5):
            store.submit(lambda _, number=number: done.append(number))
        gate.set()
        assert stepped.wait(30)
    assert done == [0, 1, 2, 3, 4, "step"]
