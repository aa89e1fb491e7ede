"""Finding words in what is shown, and going from one result to the next of a search in all conversations.

Texts are searched in slices and not through their layout: of each message only the number of places is kept, and where
they are is asked again for those in sight.

Properties: `total` is the number of places in all messages searched so far, folded parts included; nothing moves the
view but what is typed in the field, `go` and a result that is opened.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.chat.rows import MessageRow, Segment, SegmentKind
from app.viewmodels.chat.text_marks import OF_ATTACHMENTS, Part, TextMark, parts_of, parts_of_row
from app.viewmodels.chat.unfolded import attachment_key
from app.viewmodels.find.matching import Matcher, Phrase, Words
from app.viewmodels.find.searched_rows import SearchedRows
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.library.line_model import LineRow
from app.viewmodels.text import formatting

TAIL_MS = 250
_KEPT = 256  # messages whose places are remembered
ShownTexts = Callable[[Segment], Sequence[str]]


def as_written(segment: Segment) -> Sequence[str]:
    """Take a segment as one block that shows what it says."""
    return (segment.text,)


class Find(QObject):
    """Looks for words in the open branch, or in the answers beside each other; counts the places and goes through them.

    Attributes: is_open, whether anything is looked for; text; is_everywhere, whether `go` leads through the results of
    a search in all conversations; shown_texts, returns what the blocks of a segment show, as the view cuts them.

    Signals: opened(), somebody wants to look for something; changed(), what is told of it; marked(), other places are
    marked; hitWanted(str, TextMark), bring this place of a message into sight; resultShown(int), this result is opened.
    """

    opened = Signal()
    changed = Signal()
    marked = Signal()
    hitWanted = Signal(str, object)
    resultShown = Signal(int)

    def __init__(
        self, library: LibraryRegion, chat: ChatRegion, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library, self._chat, self._notices = library, chat, notices
        self._rows = SearchedRows(chat.chat_model, self)
        self.shown_texts: ShownTexts = as_written
        self.is_open = self.is_everywhere = False
        self.text = ""
        self._matcher: Matcher = Phrase("")
        self._found: list[int] = []  # rows with any place, in order
        self._ends: list[int] = []  # how many places there are down to the end of each of those
        self._searched = 0
        self._current: tuple[str, int] | None = None  # a message, and which of its places
        self._from = 0
        self._moves = False
        self._on_the_way = ""  # a part that a letter has unfolded, and nobody has gone to
        self._result = -1
        self._marks: dict[str, tuple[list[Part], list[TextMark]]] = {}
        self._work = SlicedWork(self)
        self._work.advanced.connect(self._follow_work)
        self._tail = QTimer(self, singleShot=True, interval=TAIL_MS)
        self._tail.timeout.connect(self._recount_tail)
        self._connect()

    def _connect(self) -> None:
        self._rows.grew.connect(self._wake_tail)
        self._rows.exchanged.connect(self._on_exchanged)
        self._library.reached.connect(self._on_reached)
        self._library.search.changed.connect(self._on_search_changed)

    # What the person does

    def open(self) -> None:
        """Look for what was looked for last, or for what is typed next."""
        was_everywhere, self.is_open, self.is_everywhere = self.is_everywhere, True, False
        self.opened.emit()
        if was_everywhere or not self._searched:
            self._begin(Phrase(self.text), moves=False)
        self.changed.emit()

    def close(self) -> None:
        """Mark nothing any more. The view stays where it is."""
        self.is_open = self.is_everywhere = False
        self._work.stop()
        self._tail.stop()
        self._forget_from(0)
        self._marks.clear()
        self._current = None
        self._on_the_way = ""  # whoever stops looking for it reads there
        self.marked.emit()
        self.changed.emit()

    def search_in(self, models: Sequence[ChatModel]) -> None:
        """Look for it in the rows of these models from now on, which are all that is shown.

        The place that one has come to stays where one of them has its message.
        """
        if self._rows.show(models) and self.is_open:
            current = self._current
            self._begin(self._matcher, moves=False)
            if current is not None and self._rows.row_of(current[0]) >= 0:
                self._current = current

    def look_for(self, text: str, first_row: int) -> None:
        """Look for these words in the open branch, and go to the first place from a row on."""
        if text == self.text and not self.is_everywhere:
            return
        self.text, self.is_everywhere = text, False
        at = self._row_of_current
        self._from = first_row if at < 0 else at
        self._begin(Phrase(text), moves=True)

    def go(self, step: int) -> None:
        """Go to the next place, or with -1 to the one before; after the last comes the first."""
        if self.is_everywhere:
            self._go_to_result(step)
        elif self._found:
            self._current = self._beside(step)
            self._show_current()
            self.changed.emit()
            self._notices.announce(self.told)

    def open_result(self, row: LineRow) -> None:
        """Open what a search in all conversations has found, with the words marked in it."""
        results = self._library.search.rows.rows
        if row.id:
            self.text, self.is_open, self.is_everywhere = self._library.search.text, True, True
            self._result = results.index(row) if row in results else -1
            self._current = None
            self._begin(Words(self.text), moves=False)
        self._library.go_to(row.conversation_id, row.id)
        self.changed.emit()

    # What is told

    @property
    def total(self) -> int:
        """The number of places that were found so far."""
        return self._ends[-1] if self._ends else 0

    @property
    def number(self) -> int:
        """Which of the places is the current one, counted from 1; 0 for none."""
        at = bisect_left(self._found, self._row_of_current) if self._current else len(self._found)
        if self._current is None or at == len(self._found) or self._found[at] != self._row_of_current:
            return 0
        return (self._ends[at - 1] if at else 0) + self._current[1] + 1

    @property
    def told(self) -> str:
        """Say which place of how many is shown: "3 of 12"."""
        if self.is_everywhere:
            results, shown = self._results, self._shown_result
            at = results.index(shown) + 1 if shown in results else 0
            return f"{formatting.number(at)} of {formatting.plural(len(results), 'result')}"
        if not self.text:
            return ""
        if not self.total:
            return "Searching…" if self._work.is_running else "Not found"
        number = self.number
        return f"{formatting.number(number)} of {formatting.number(self.total)}" if number else ""

    @property
    def can_go(self) -> bool:
        """Whether there is anything to go to."""
        return self.is_open and (len(self._results) > 0 if self.is_everywhere else self.total > 0)

    def marks(self, row: MessageRow) -> list[TextMark]:
        """Return the places in a message of the open branch, the current one told apart."""
        if not self.is_open or not self.text:
            return []
        found = self._places(row.id, parts_of_row(row))
        if self._current is None or self._current[0] != row.id or self._current[1] >= len(found):
            return found
        at = self._current[1]
        return [*found[:at], found[at]._replace(is_current=True), *found[at + 1 :]]

    # Searching

    def _begin(self, matcher: Matcher, *, moves: bool) -> None:
        self._matcher, self._moves = matcher, moves
        self._forget_from(0)
        self._marks.clear()
        self._current = None
        self._search_on()
        self.marked.emit()
        self.changed.emit()

    def _search_on(self) -> None:
        """Search the rows that come after those that were searched."""
        if self.is_open and self.text and not self.is_everywhere:
            self._work.start(self._steps())

    def _steps(self) -> Iterator[None]:
        """Count the places of one message after another; each step is one text."""
        while self._searched < len(self._rows):
            count = 0
            for part in self._parts(self._searched):
                count += sum(1 for _place in self._places_in(part))
                yield
            self._note(self._searched, count)
            self._searched += 1
            yield

    def _note(self, row: int, count: int) -> None:
        if count:
            self._found.append(row)
            self._ends.append(self.total + count)

    def _parts(self, number: int) -> list[Part]:
        """Return the texts of a row, which is made only where it is growing."""
        tree, growing, message_id = self._library.tree, self._rows.growing(number), self._rows.id_of(number)
        if growing is not None:
            return parts_of_row(growing)
        return parts_of(tree.message(message_id)) if message_id in tree else []

    def _places_in(self, part: Part) -> Iterator[TextMark]:
        segment, matcher = part.segment, self._matcher
        if segment.kind is SegmentKind.MARKDOWN:
            if not matcher.may_be_in(segment.text):
                return
        elif not matcher.ranges(segment.text):
            return
        for block, text in enumerate(self.shown_texts(segment)):
            for start, end in matcher.ranges(text):
                yield TextMark(part.number, segment.kind, block, start, end)

    def _places(self, message_id: str, parts: list[Part]) -> list[TextMark]:
        """Return the places in a message; asked again only when its texts are others."""
        known = self._marks.pop(message_id, None)
        if known is None or known[0] != parts:
            known = parts, [place for part in parts for place in self._places_in(part)]
        self._marks[message_id] = known
        while len(self._marks) > _KEPT:
            del self._marks[next(iter(self._marks))]
        return known[1]

    def _forget_from(self, row: int) -> None:
        at = bisect_left(self._found, row)
        del self._found[at:], self._ends[at:]
        self._searched = min(self._searched, row)

    def _on_exchanged(self, first: int) -> None:
        self._forget_from(first)
        if self._current is not None and self._row_of_current < 0:
            self._current, self._from = None, first
        self._search_on()

    def _wake_tail(self) -> None:
        if self.is_open and self.text and not self._tail.isActive():
            self._tail.start()

    def _recount_tail(self) -> None:
        """Count again in the last messages, which grow; what is shown stays where it is."""
        first = next(iter(self._rows.lasts), len(self._rows))
        if not self.is_everywhere and self._searched > first:
            self._forget_from(first)
            self._search_on()
        self.marked.emit()

    def _follow_work(self) -> None:
        """Choose the first place from where the person was, as soon as it is known."""
        if self._current is None and self._found and self.is_open:
            at = bisect_left(self._found, self._from)
            if at < len(self._found) or not self._work.is_running:
                self._current = (self._rows.id_of(self._found[at % len(self._found)]), 0)
                if self._moves:
                    self._show_current()
                else:
                    self.marked.emit()
        if not self._work.is_running:
            self._moves = False
            self._keep_current()
        self.changed.emit()

    def _keep_current(self) -> None:
        """Let go of a place that is not there any more."""
        row = self._row_of_current
        if self._current is not None and not self._count_of(row):
            self._current = None
        elif self._current is not None:
            self._current = (self._current[0], min(self._current[1], self._count_of(row) - 1))

    # Going

    @property
    def _row_of_current(self) -> int:
        return -1 if self._current is None else self._rows.row_of(self._current[0])

    def _count_of(self, row: int) -> int:
        at = bisect_left(self._found, row)
        if at == len(self._found) or self._found[at] != row:
            return 0
        return self._ends[at] - (self._ends[at - 1] if at else 0)

    def _beside(self, step: int) -> tuple[str, int]:
        """Return the place after the current one, or before it; without one, the nearest to where the search began."""
        above = bisect_left(self._found, self._from)
        between = self._ends[above - 1] if above else 0
        wanted = self.number - 1 + step if self.number else between + min(step, 0)
        wanted %= self.total
        at = bisect_right(self._ends, wanted)
        return self._rows.id_of(self._found[at]), wanted - (self._ends[at - 1] if at else 0)

    def _show_current(self) -> None:
        """Bring the current place into sight, and unfold the part that it is in."""
        assert self._current is not None
        message_id, place = self._current
        row = self._rows[self._rows.row_of(message_id)]
        found = self._places(message_id, parts_of_row(row))
        if place < len(found):
            self._show_mark(row, found[place])

    def _show_mark(self, row: MessageRow, mark: TextMark) -> None:
        """Bring a place into sight, its part unfolded. A part that was only on the way while typing is folded again."""
        unfolded, part = self._chat.unfolded, _folding_part(row, mark)
        if self._moves and self._on_the_way not in ("", part):
            unfolded.fold_part(self._on_the_way)
        was_folded = bool(part) and unfolded.open_part(part)
        self._on_the_way = part if self._moves and (was_folded or part == self._on_the_way) else ""
        self.marked.emit()
        self.hitWanted.emit(row.id, mark)

    # Results of a search in all conversations

    @property
    def _results(self) -> list[LineRow]:
        return [row for row in self._library.search.rows.rows if row.id]

    @property
    def _shown_result(self) -> LineRow | None:
        rows = self._library.search.rows.rows
        return rows[self._result] if 0 <= self._result < len(rows) else None

    def _go_to_result(self, step: int) -> None:
        results = self._results
        if not results:
            return
        shown = self._shown_result
        at = results.index(shown) if shown in results else -1 if step > 0 else 0
        row = results[(at + step) % len(results)]
        self.open_result(row)
        self.resultShown.emit(self._result)
        self._notices.announce(self.told)

    def _on_search_changed(self) -> None:
        """Mark its words no longer when the search in all conversations is ended."""
        if self.is_everywhere and not self._library.search.is_active:
            self.close()
        elif self.is_everywhere:
            self.changed.emit()

    def _on_reached(self, message_id: str) -> None:
        """Mark the first place of a result as the current one: in its text, else in what is folded."""
        number = self._rows.row_of(message_id)
        if not self.is_everywhere or number < 0:
            return
        row = self._rows[number]
        places = self._places(message_id, parts_of_row(row))
        order = (SegmentKind.TYPED, SegmentKind.MARKDOWN, SegmentKind.THINKING, *OF_ATTACHMENTS)
        is_thought = message_id in self._library.search.in_thoughts
        at = min(
            range(len(places)),
            key=lambda one: (
                is_thought and places[one].kind is not SegmentKind.THINKING,
                order.index(places[one].kind),
            ),
            default=None,
        )
        if at is not None:
            self._current = (message_id, at)
            self._show_mark(row, places[at])
        self.changed.emit()


def _folding_part(row: MessageRow, mark: TextMark) -> str:
    """Return the key under which the part with a place is unfolded, "" where it cannot be folded."""
    if mark.kind is SegmentKind.THINKING:
        return row.id
    return attachment_key(row.id, mark.number) if mark.kind in OF_ATTACHMENTS else ""
