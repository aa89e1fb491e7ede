"""What a person is told beside what they do: in the banner over the chat, or by a screen reader alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem

_LEAST_MS, _MS_TO_LETTER = 6000, 150


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence that stands in nobody's way. is_good: it asks nothing of the person. label, run: its button, if any.
    undo_step: the step of the history that its Undo takes back, or 0. is_refusal: it says why nothing was done. lasts:
    it is told until it is over. window: the number of the one that it is told in, since it is about what was done
    there; 0 for all.
    """

    text: str = ""
    is_good: bool = False
    label: str = ""
    run: Callable[[], object] | None = None
    undo_step: int = 0
    is_refusal: bool = False
    lasts: bool = False
    window: int = 0


class Notices(QObject):
    """The notice that is shown: the last one, but for the progress of a file, which covers it while it lasts.

    A problem may be told beside what is shown already: each is closed by itself when it is over, and what lasts is told
    beside all that comes. Why nothing was done covers them for as long as it takes to read, and is gone when there is
    something else to tell.

    Signals: changed() another notice is shown, or none; announced(str), have it said by a screen reader;
    undoAsked(int), take this step of the history back. Attribute: front, returns the number of the window in front.
    """

    changed = Signal()
    announced = Signal(str)
    undoAsked = Signal(int)

    def __init__(self, steps: Callable[[], int], parent: QObject | None = None) -> None:
        """steps: returns the number of the history's last step."""
        super().__init__(parent)
        self.front: Callable[[], int] = lambda: 0
        self._steps = steps
        self._shown: tuple[Notice, ...] = ()
        self._progress = self._refusal = Notice()
        self._going = QTimer(self, singleShot=True)
        self._going.timeout.connect(self._uncover)

    @property
    def now(self) -> Notice:
        """Return what is shown in any window."""
        return self.now_in(0)

    def now_in(self, window: int) -> Notice:
        """Return what is shown in a window, without a text when nothing is. Undo is offered for the last step alone.

        window: its number, 0 for any.
        """
        for cover in (self._progress, self._refusal):
            if cover.text and _is_in(cover, window):
                return cover
        shown = [one for one in self._shown if _is_in(one, window)]
        if not shown:
            return Notice()
        first = next((one for one in shown if one.label or one.undo_step), shown[0])
        text, is_good = " ".join(one.text for one in shown), all(one.is_good for one in shown)
        told = replace(first, text=text, is_good=is_good)
        undo = partial(self.undoAsked.emit, first.undo_step)
        return replace(told, label="Undo", run=undo) if self._is_last_step(shown) else told

    @property
    def offers_undo(self) -> bool:
        """Whether what is shown has an Undo, for the last step of the history."""
        return self._is_last_step(self._shown) and not (self._progress.text or self._refusal.text)

    def _is_last_step(self, shown: Iterable[Notice]) -> bool:
        return any(0 < one.undo_step == self._steps() for one in shown)

    def info(self, text: str, *, undo_step: int = 0) -> None:
        """Tell of something that was done, with Undo where it is a step of the history."""
        self._show(Notice(text, True, undo_step=undo_step, window=self.front()))

    def refuse(self, why: str | Problem) -> None:
        """Tell why nothing was done that was asked for, for as long as it takes to read: it is soon true no more."""
        why = _sentence(why) if isinstance(why, Problem) else why
        self._refusal = Notice(why, True, is_refusal=True, window=self.front())
        self._tell(why)
        self._going.start(max(_LEAST_MS, len(why) * _MS_TO_LETTER))

    def warn(self, text: str, label: str = "", run: Callable[[], object] | None = None) -> None:
        """Tell of something that the person may want to act on, with a button where there is something to do."""
        self._show(Notice(text, label=label, run=run))

    def error(self, problem: Problem | None) -> None:
        """Tell what is wrong but stands in nobody's way; None is passed over."""
        if problem is not None:
            self.warn(_sentence(problem))

    def add_error(self, problem: Problem | None) -> None:
        """Tell of a problem beside what is shown already: at the start there may be two things to know."""
        if problem is not None:
            self._add(Notice(_sentence(problem)))

    def keep_telling(self, problem: Problem) -> None:
        """Tell of a problem until it is withdrawn, or the person closes it; what else comes is told beside it."""
        self._add(Notice(_sentence(problem), lasts=True))

    def withdraw(self, problem: Problem) -> None:
        """Close the notice where it tells of this problem, which is over."""
        self.close(_sentence(problem))

    def close(self, text: str) -> None:
        """Close the notice that says this, which is true no more; what is told beside it stays."""
        self._keep(lambda one: one.text != text)

    def announce(self, text: str) -> None:
        """Have something said by a screen reader alone."""
        self.announced.emit(text)

    def show_progress(self, text: str, cancel: Callable[[], object]) -> None:
        """Tell how far a file is, which a screen reader says once; an empty text ends it."""
        window = self._progress.window if self._progress.text else self.front()
        if text and not self._progress.text:
            self.announce(text)
        self._progress = Notice(text, True, "Cancel", cancel, window=window) if text else Notice()
        self.changed.emit()

    def leave(self, window: int) -> None:
        """Tell the progress of a file in all windows whose own has closed. What else was told there is gone with it."""
        self._keep(lambda one: one.window != window)
        if self._refusal.window == window:
            self._uncover()
        if self._progress.window == window:
            self._progress = replace(self._progress, window=0)
            self.changed.emit()

    def press(self, window: int = 0) -> None:
        """Do what the button says that is shown in a window."""
        run = self.now_in(window).run
        if run is not None:
            run()

    def dismiss(self, window: int = 0) -> None:
        """Close the notice of a window: where it says why nothing was done, that alone. window: 0 for any."""
        if self._refusal.text and _is_in(self._refusal, window):
            self._uncover()
        else:
            self._keep(lambda one: not _is_in(one, window))

    def follow_history(self) -> None:
        """Close a notice whose Undo is no longer the next one."""
        self._keep(lambda one: one.undo_step in (0, self._steps()))

    def _show(self, notice: Notice) -> None:
        self._shown = tuple(one for one in self._shown if one.lasts)
        self._add(notice)

    def _add(self, notice: Notice) -> None:
        lasts = any(one.lasts for one in self._shown if one.text == notice.text)
        others = (one for one in self._shown if one.text != notice.text)
        self._shown, self._refusal = (*others, replace(notice, lasts=lasts or notice.lasts)), Notice()
        self._tell(notice.text)

    def _tell(self, text: str) -> None:
        self.announce(text)
        self.changed.emit()

    def _uncover(self) -> None:
        self._refusal = Notice()
        self.changed.emit()

    def _keep(self, is_kept: Callable[[Notice], bool]) -> None:
        kept = tuple(filter(is_kept, self._shown))
        if kept != self._shown:
            self._shown = kept
            self.changed.emit()


def _is_in(notice: Notice, window: int) -> bool:
    return window == 0 or notice.window in (0, window)


def _sentence(problem: Problem) -> str:
    return f"{problem.title}. {problem.sentence}"
