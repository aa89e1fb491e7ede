"""The output of a model while it grows: its tokens, their thought and text, and why it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.prompting.codec import Codec
from app.prompting.detokenizer import Detokenizer
from app.prompting.stop import StopText
from app.prompting.thinking import Piece, Splitter, opening
from app.protocol.chat import Turn
from app.protocol.events import TextKind, Token
from app.protocol.reports import StopReason


class TokenSpan(NamedTuple):
    """The characters that a token added to the answer's words, or to its thought where it belongs to that."""

    length: int
    is_thinking: bool


class _Added(NamedTuple):
    """A token of the answer, and how many characters of its text there were after it, held back ones included."""

    token: Token
    text_end: int
    is_thinking: bool


class OutputText:
    """The thought, text and tokens of one answer, made token by token at a cost that does not grow with the answer.

    Stop texts count in the text only.
    """

    def __init__(self, codec: Codec, stops: tuple[str, ...], prompt: Sequence[int] = ()) -> None:
        """Begin after a prompt. prompt: the ids that follow the question in it, which may open the thought."""
        self._detokenizer = Detokenizer(codec)
        self._marks = codec.thinking
        self._splitter = Splitter(self._marks, opening(self._marks, prompt, codec.decode))
        self._stop = StopText(stops)
        self._added: list[_Added] = []
        self._reported = 0
        self._shown: dict[TextKind, list[str]] = {"text": [], "thinking": []}
        self._lengths: dict[TextKind, int] = {"text": 0, "thinking": 0}
        self._pushed: dict[TextKind, int] = {"text": 0, "thinking": 0}
        self._begun: dict[TextKind, str] = {"text": "", "thinking": ""}

    def begin(self, ids: Sequence[int], answer: Turn | None = None) -> list[Piece]:
        """Add the tokens that an answer begins with and return what there is to show.

        answer: the one that goes on from them, whose words are shown as they stand there. A tokenizer may write other
        letters than somebody typed, more or fewer of them, and whoever shows the answer has those words already.
        """
        shown = [piece for token in ids for piece in self.add(token)]
        if answer is None:
            return shown
        self._begun = {"thinking": answer.thinking, "text": answer.text}
        for kind, words in self._begun.items():
            self._restate(kind, words)
        return [Piece(kind, words) for kind in self._begun if (words := "".join(self._shown[kind]))]

    def _restate(self, kind: TextKind, words: str) -> None:
        """Take it that the tokens so far say these words, of which those that are held back come later."""
        said, held = "".join(self._shown[kind]), self._held(kind)
        if words.startswith(said) and held.startswith(words[len(said) :]):
            return
        words = words.removesuffix(held)
        before, after = len(said), len(words)

        def moved(at: int) -> int:
            return at + after - before if at >= before else min(at, after)

        for number, (token, text_end, is_thinking) in enumerate(self._added):
            if is_thinking == (kind == "thinking"):
                token = Token(token.id, moved(token.start), moved(token.end))
                self._added[number] = _Added(token, moved(text_end) if kind == "text" else text_end, is_thinking)
        self._pushed[kind] += after - before
        self._shown[kind], self._lengths[kind] = [words], after

    def _held(self, kind: TextKind) -> str:
        """Return what waits for more before it is shown."""
        if self.is_thinking != (kind == "thinking"):
            return ""
        held = self._splitter.held_text + self._detokenizer.waiting
        return held if self.is_thinking else self._stop.held + held

    def add(self, token: int) -> list[Piece]:
        """Add the next token and return what there is to show now, often nothing."""
        before = dict(self._pushed)
        shown = self._show(self._splitter.push(self._marks.signed(token, self._detokenizer.add(token))))
        kind: TextKind = "thinking" if self.is_thinking else "text"
        text_end = 0 if self.is_thinking else self._pushed["text"] + self._splitter.held
        self._added.append(_Added(Token(token, before[kind], self._pushed[kind]), text_end, self.is_thinking))
        return shown

    def preview(self, token: int) -> str:
        """Return the text of a token as if it came next, marks written out."""
        return self._detokenizer.preview(token)

    def end(self) -> list[Piece]:
        """Return what was held back for a mark or a stop text that did not come, or for the rest of a character."""
        shown = self._show(self._splitter.rest())
        rest = self._stop.rest()
        shown += self._note([Piece("text", rest)] if rest else [])
        kind: TextKind = "thinking" if self.is_thinking else "text"
        so_far, words = "".join(self._shown[kind]), self._begun[kind]
        if self._stop.is_met or len(words) <= len(so_far) or not words.startswith(so_far):
            return shown
        return shown + self._note([Piece(kind, words[len(so_far) :])])

    @property
    def is_thinking(self) -> bool:
        """Return whether the last token belongs to the thought, or opened it."""
        return self._splitter.is_thinking

    @property
    def waiting(self) -> str | None:
        """Return the white space that belongs to the thought if more of it follows.

        None inside of a character, of a mark or of a header, where nothing but its rest makes sense.
        """
        return self._splitter.waiting if self._detokenizer.is_whole else None

    @property
    def stop(self) -> StopReason | None:
        """Return STOP_TEXT once a stop text came, else None."""
        return StopReason.STOP_TEXT if self._stop.is_met else None

    @property
    def is_holding_back(self) -> bool:
        """Return whether complete text waits, as it may turn out to be a stop text."""
        return self._stop.is_met or self._stop.is_holding_back

    @property
    def text(self) -> str:
        """Return all text that was shown so far."""
        return "".join(self._shown["text"])

    @property
    def thinking(self) -> str:
        """Return all of the thought that was shown so far."""
        return "".join(self._shown["thinking"])

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the answer's token ids, without those whose text reaches into or beyond a stop text."""
        return tuple(added.token.id for added in self._kept)

    @property
    def places(self) -> tuple[TokenSpan, ...]:
        """Return the characters of each of the ids, which follow on one another."""
        ends: dict[bool, int] = {False: 0, True: 0}
        places = []
        for token, _, is_thinking in self._kept:
            places.append(TokenSpan(token.end - ends[is_thinking], is_thinking))
            ends[is_thinking] = token.end
        return tuple(places)

    @property
    def _kept(self) -> list[_Added]:
        if not self._stop.is_met:
            return self._added
        return [added for added in self._added if added.text_end <= self._lengths["text"]]

    def new_tokens(self) -> tuple[Token, ...]:
        """Return the tokens that were added since the last call."""
        reported, self._reported = self._reported, len(self._added)
        return tuple(added.token for added in self._added[reported:])

    def _show(self, pieces: list[Piece]) -> list[Piece]:
        """Let through what no stop text holds back."""
        shown: list[Piece] = []
        for kind, text in pieces:
            self._pushed[kind] += len(text)
            allowed = text if kind == "thinking" else self._stop.push(text)
            if allowed:
                shown.append(Piece(kind, allowed))
        return self._note(shown)

    def _note(self, shown: list[Piece]) -> list[Piece]:
        for kind, text in shown:
            self._shown[kind].append(text)
            self._lengths[kind] += len(text)
        return shown
