"""Run as a program, to be killed: the whole program, used by somebody in a hurry who tells what they see.

It waits for one line on standard input, a JSON object: data (folder), model (folder), seed, first (number of the first
question), wants (what to do more often). Then it tells, a JSON object to a line: `asked`, the engine was given a
question, so it is committed; `siblings`, the answers that it writes at once; `wordless`, one of them has ended without
a word; `shown`, new text of an answer is there to be seen; `probe`, how long the store and the window kept each other
waiting; `kept`, bytes that lie on disk; `notice`; and `doing` what just now. Times are of `time.monotonic`.
"""

from __future__ import annotations

import tests.sealed  # noqa: F401 - before any other import

# isort: split
import json
import random
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.engine.loop import EngineLoop
from app.launch.paths import paths_in
from app.main import Program, application
from app.protocol.commands import Command, Generate, SetBudget
from app.protocol.engine import EventSink
from app.protocol.events import Event, RunFailed, RunFinished, TrieChanged

BEAT_MS = 15
PROBE_MS = 50
LITTLE = 150_000  # bytes of memory for the cache, so that most of it goes to disk
ROOM = 1 << 30
FULL = 1200  # tokens of a context of 4,096
LONGEST = 1024  # tokens of an answer: random models end none by themselves
CHANCES = (9, 4, 3, 5, 4, 2, 0.5)  # of what `_choose` knows
COUNTS = (1, 1, 2, 3, 4)  # answers to a question
WORDS = ("fox", "branch", "leaf", "answer", "how", "why", "the", "cached", "story", "tokens")


def tell(kind: str, **content: object) -> None:
    """One line, at once."""
    sys.stdout.write(json.dumps({"kind": kind, "at": time.monotonic(), **content}) + "\n")
    sys.stdout.flush()


class Telling:
    """The engine of this process; says which questions reached it and how much of its cache is on disk."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._loop = EngineLoop(self._emit, chunk=64)
        self._kept = -1

    def submit(self, command: Command) -> None:
        if isinstance(command, Generate):
            tell("asked", conversation=command.owner, text=command.turns[-1].text)
            command = replace(command, sampling=replace(command.sampling, max_tokens=LONGEST))
        self._loop.submit(command)

    def run(self) -> None:
        self._loop.run()

    def _emit(self, event: Event) -> None:
        if isinstance(event, TrieChanged) and event.view.disk_bytes != self._kept:
            self._kept = event.view.disk_bytes
            tell("kept", bytes=self._kept)
        if isinstance(event, RunFailed) or (isinstance(event, RunFinished) and not (event.text or event.thinking)):
            tell("wordless", run=event.run_id, lane=event.lane)
        self._sink(event)


class Hurry(QObject):
    """Types, asks for one answer or several, forks, stops, walks about, sizes the cache, and sometimes quits."""

    def __init__(self, program: Program, seed: int, first: int, wants: str) -> None:
        super().__init__(program)
        self._program, self._app = program, program.app
        self._random = random.Random(seed)
        self._number, self._wants = first, wants
        self._typing: tuple[str, int] | None = None
        self._notice = ""
        self._runs: set[int | None] = set()
        self._app.answering.question_queue.begun.connect(self._on_begun)
        self._app.answering.generations.grew.connect(self._on_text)
        self._app.notices.changed.connect(self._on_notice)
        self._beat = QTimer(self, interval=BEAT_MS)
        self._beat.timeout.connect(self._act)
        self._probe = QTimer(self, interval=PROBE_MS)
        self._probe.timeout.connect(self._ask_store)
        self._beat.start()
        self._probe.start()

    def _on_begun(self) -> None:
        for question in self._app.answering.questions.at_engine:
            if question.run_id not in self._runs:
                self._runs.add(question.run_id)
                tell("siblings", run=question.run_id, messages=[one.held_id for one in question.siblings])

    def _on_text(self, message_id: str, text: str, _kind: str) -> None:
        tell("shown", message=message_id, text=text)

    def _on_notice(self) -> None:
        notice = self._app.notices.now.text
        if notice and notice != self._notice:
            self._notice = notice
            tell("notice", text=notice)

    def _ask_store(self) -> None:
        begun = time.monotonic()
        self._app._store.do(lambda _: None, lambda _: tell("probe", begun=begun))

    def _act(self) -> None:
        app, now = self._app, self._app.state.now
        if self._typing is not None:
            self._type(*self._typing)
        elif now.chat.is_writing:
            if self._random.random() < 0.01:
                self._do("stopping", app.chat.requests.stop)
        elif now.activity.text.startswith("Ready"):
            self._choose()

    def _choose(self) -> None:
        app = self._app
        if (app.chat.state.now.context_used or 0) > FULL:
            self._do("leaving", app.library.new_conversation)
            return
        actions = {
            "typing": self._begin_typing,
            "forking": self._fork,
            "again": lambda: self._do("again", app.chat.requests.regenerate),
            "walking": self._walk,
            "paging": self._page,
            "leaving": lambda: self._do("leaving", app.library.new_conversation),
            "quitting": self._quit,
        }
        chosen = self._random.choices(list(actions), CHANCES)[0] if app.chat.chat_model.rows else "typing"
        actions[self._wants if self._random.random() < 0.4 and self._wants in actions else chosen]()

    def _fork(self) -> None:
        if self._app.chat.chat_model.rows:
            question = self._random.choice(self._app.chat.chat_model.rows).id
            self._do("forking", lambda: self._app.chat.open_draft.begin_edit(question))
            self._begin_typing()

    def _page(self) -> None:
        budget = LITTLE if self._random.random() < 0.7 else ROOM
        self._do("paging", lambda: self._program.host.submit(SetBudget(budget)))

    def _walk(self) -> None:
        rows = self._app.library.conversation_model.rows
        ids = [row.id for row in rows if not row.is_branch and not row.is_folder]
        if ids and self._random.random() < 0.3:
            self._do("walking", lambda: self._app.library.open(self._random.choice(ids)))
        else:
            self._do("walking", lambda: self._app.chat.open_branch.select_version(None, self._random.choice((-1, 1))))

    def _begin_typing(self) -> None:
        words = " ".join(self._random.choice(WORDS) for _ in range(self._random.randint(1, 40)))
        self._typing = f"{self._number}: {words}", 0
        self._number += 1
        tell("doing", what="typing")

    def _type(self, text: str, typed: int) -> None:
        typed += self._random.randint(1, 60)
        self._typing = text, typed
        self._app.chat.open_draft.write(text[:typed])
        if typed >= len(text):
            self._typing = None
            self._app.chat.requests.choose_count(self._random.choice(COUNTS))
            self._do("streaming", lambda: self._app.chat.requests.send(text))

    def _do(self, what: str, action: Any) -> None:
        tell("doing", what=what)
        action()

    def _quit(self) -> None:
        self._beat.stop()
        self._probe.stop()
        tell("doing", what="quitting")
        self._program.window.close()


def main() -> int:
    asked = json.loads(sys.stdin.readline())
    app = application()
    program = Program(paths_in(Path(asked["data"])), Telling)
    app.aboutToQuit.connect(program.close)
    program.start(Path(asked["model"]))
    Hurry(program, asked["seed"], asked["first"], asked["wants"])
    tell("doing", what="starting")
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
