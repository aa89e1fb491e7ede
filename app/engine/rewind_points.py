"""Points inside an answer that the next turn may rewind to, on models whose whole state cannot be rewound at will.

The past form of an answer is not always the answer: templates drop its thinking, trim its white space, or a stop text
cuts it. The next prompt then leaves the answer's tokens somewhere, and what lies before that point must not be computed
again. Where it lies is known only when the answer has ended, and its state is gone by then. So while the answer is
written a few states are held that may be wanted, which copies nothing: those before and in the marks of a thought and
the white space at its beginning, those around the mark that ends the thought, those in the white space at the answer's
end, and the one before what is held back as a possible stop text. At the end the branch is rendered as the next prompt
will have it, and the one point at which it leaves the answer is kept.

Not held are points within words: where a template drops the beginning of an answer, up to a `</think>` in its text say,
and the rest happens to begin with the same tokens, these few are computed again, as only a state at every token of the
answer would spare them.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.kvcache.session import Session
from app.kvcache.snapshot import Bookmark
from app.prompting.token_reuse import shared_length

# Two stored states lie at least this many tokens apart, unless the later one is exactly where the next turn begins.
_LEAST_GAP = 16
# Points held of each run of white space: before it, and after its first token, which a template that trims an answer
# may print there itself.
_MOST = 2
# Points held at the beginning of an answer: past the marks that open a thought, which a template may print in the place
# of one that it drops.
_MOST_LEADING = 4
# Points held before the mark that ends a thought, and from its last token on: a template may print other white space
# on either side of it. What lies within a mark of many tokens is the same in both.
_MOST_BEFORE_MARK = 2
_MOST_AFTER_MARK = 4


class RewindPoints:
    """The states that one answer may have to be rewound to. Each token is told to `passed` before it counts as fed.

    are_wanted: the model has whole states; otherwise nothing here does anything.
    """

    def __init__(self, session: Session) -> None:
        """Hold the state at the end of the prompt, which is fed, and nothing after it."""
        self._session = session
        begin = session.bookmark()
        self.are_wanted = begin is not None
        self._leading = [begin]
        self._is_leading = True
        self._closing: list[Bookmark | None] = []
        self._closed: list[Bookmark | None] = []
        self._has_thought = self._has_text = False
        self._trailing: list[Bookmark | None] = []
        self._held_back: Bookmark | None = None
        self._before_last: Bookmark | None = None

    def passed(self, shown: str, is_holding_back: bool, is_thinking: bool) -> None:
        """Hold the state after a token where it may be wanted.

        shown: text that came out with it. is_holding_back: more text waits for what follows. is_thinking: what follows
        belongs to the thought.
        """
        if not self.are_wanted:
            return
        self._before_last = self._session.bookmark()
        if self._is_leading:
            self._lead(shown)
        if not self._has_text:
            self._close(shown, is_thinking)
        if shown:
            self._trail(shown)
        if not is_holding_back:
            self._held_back = None
        elif shown or self._held_back is None:
            self._held_back = self._session.bookmark()

    def keep_last(self) -> None:
        """Keep the state before the last token that was fed, from which an answer that was stopped goes on."""
        last = self._before_last
        if last is not None and last.offset == len(self._session.tokens()) - 1:
            self._session.keep(last)
        self._before_last = None

    def keep(self, following: Sequence[int]) -> None:
        """Keep the point at which the next turn's tokens, `following`, leave what was fed, and drop the others."""
        fed = self._session.tokens()
        leaves = shared_length(fed, following)
        points = (*self._leading, *self._closing, *self._closed, *self._trailing, self._held_back)
        held = [point for point in points if point is not None and point.offset <= leaves]
        if held and leaves < len(fed):
            best = max(held, key=lambda point: point.offset)
            if best.offset == leaves or best.offset - held[0].offset >= _LEAST_GAP:
                self._session.keep(best)
        self._leading.clear()
        self._closing.clear()
        self._closed.clear()
        self._trailing.clear()
        self._held_back = None

    def _lead(self, shown: str) -> None:
        """Hold the points between the first tokens, up to the first one that is more than a mark or white space."""
        self._leading.append(self._session.bookmark())
        self._is_leading = len(self._leading) < _MOST_LEADING and not shown.strip()

    def _close(self, shown: str, is_thinking: bool) -> None:
        """Hold the points around the mark that ends a thought: those in the last tokens that show nothing."""
        if is_thinking and shown:
            self._closing.clear()
        elif is_thinking:
            self._hold(self._closing, _MOST_BEFORE_MARK)
        elif self._has_thought:
            self._hold(self._closed, _MOST_AFTER_MARK)
        self._has_thought = self._has_thought or is_thinking
        self._has_text = bool(shown) and not is_thinking

    def _trail(self, shown: str) -> None:
        """Hold the points from the token on with which the white space at the end of what is shown begins."""
        if not shown.isspace():
            self._trailing.clear()
        if shown[-1].isspace():
            self._hold(self._trailing, _MOST)

    def _hold(self, points: list[Bookmark | None], most: int) -> None:
        """Hold the point before the token that passes, unless there are as many as there may be."""
        if len(points) < most:
            points.append(self._session.bookmark())
