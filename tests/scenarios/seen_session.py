"""Run as a program: the whole program, which writes down what can be seen in its window, ten times a second.

It takes `--data`. Beside that folder it writes `seen.json`, whole or not at all, as `Seen` has it. As long as there is
a file `hold` beside it the engine does not begin, so that the model is not opened.
"""

from __future__ import annotations

import tests.sealed  # noqa: F401 - before any other import

# isort: split
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.loop import EngineLoop
from app.launch.paths import paths_in
from app.main import Program, application
from app.protocol.commands import Command
from app.protocol.engine import EventSink
from app.viewmodels.tokens.token_mode import TokenMode
from tests.scenarios.person import HOLD, SEEN

LOOK_MS = 100
HELD = 0.05  # seconds between two looks for the file

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a window shows, places in points of the screen.

    status: of the window. width: of the chat. path: id, role and text of the messages of the chat. reused, computed: in
    the footer of the last of them. answers: the number in the button for it; its place, and that of the message field.
    columns: id, text and the place of the Keep button of each answer that has a column in sight. has_menu: a menu is
    open. token: the state of token mode; `is_last` where no other token follows that the keys go to.
    """

    status: str
    width: int
    path: Sequence[tuple[str, str, str]]
    reused: int | None
    computed: int | None
    answers: int
    answers_at: Place | None
    field_at: Place
    columns: Sequence[tuple[str, str, Place]] = ()
    has_menu: bool = False
    token: dict[str, Any] = field(default_factory=dict)


class LateEngine:
    """The engine of this process, which begins when it is let."""

    def __init__(self, sink: EventSink, hold: Path) -> None:
        self._loop, self._hold = EngineLoop(sink), hold

    def submit(self, command: Command) -> None:
        self._loop.submit(command)

    def run(self) -> None:
        while self._hold.exists():
            time.sleep(HELD)
        self._loop.run()


class Watch(QObject):
    """Looks at a window and writes down what it shows, if that is something else than before."""

    def __init__(self, program: Program, path: Path) -> None:
        super().__init__(program)
        self._program, self._path = program, path
        self._seen: Seen | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        seen = seen_in(self._program)
        if seen != self._seen:
            self._seen = seen
            part = self._path.with_suffix(".part")
            part.write_text(json.dumps(asdict(seen)), encoding="utf-8")
            part.replace(self._path)


def seen_in(program: Program) -> Seen:
    """Return what the front window shows."""
    app, chat = program.app, program.window.chat
    rows, composer = app.chat.chat_model.rows, chat.composer
    footer = rows[-1].footer if rows else None
    columns = () if chat.lanes is None or not chat.lanes.isVisible() else tuple(chat.lanes.columns)
    return Seen(
        status=app.state.now.activity.text,
        width=chat.width(),
        path=[(row.id, row.role, row.text) for row in rows],
        reused=footer.reused if footer is not None else None,
        computed=footer.computed if footer is not None else None,
        answers=app.chat.state.now.answers,
        answers_at=_middle(composer.answers) if composer.answers.isVisible() else None,
        field_at=_middle(composer.edit),
        columns=[
            (rows.answer_id, rows.chat_model.rows[0].text, _middle(column.keep))
            for rows, column in zip(app.lanes.rows, columns, strict=False)
            if column.isVisible()
        ],
        has_menu=QApplication.activePopupWidget() is not None,
        token=_token(app.tokens),
    )


def _token(mode: TokenMode) -> dict[str, Any]:
    state, tokens = mode.state.now, mode.tokens
    return {
        "is_last": tokens is None or tokens.next(state.position, 1, every=False) == state.position,
        "message": state.message_id,
        "position": state.position,
        "chosen": state.chosen,
        "rows": [{"id": row.id, "is_there": row.is_there, "is_end": row.is_end} for row in state.rows],
    }


def _middle(widget: QWidget) -> Place:
    at = widget.mapToGlobal(widget.rect().center())
    return at.x(), at.y()


def main() -> int:
    data = Path(sys.argv[sys.argv.index("--data") + 1])
    app = application()
    program = Program(paths_in(data), lambda sink: LateEngine(sink, data.with_name(HOLD)))
    app.may_quit = program.windows.quit
    app.aboutToQuit.connect(program.close)
    program.start()
    Watch(program, data.with_name(SEEN))
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
