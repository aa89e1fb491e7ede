"""What it costs to go on with another token in an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.chat import Turn
from app.protocol.events import CostEstimate, CostRefused
from app.viewmodels.chat.context_choices import is_too_long
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting
from app.viewmodels.tokens.answer_tokens import AnswerTokens
from app.viewmodels.tokens.token_state import TokenRow
from app.viewmodels.warmth.cost_queries import BegunAnswer, CostQueries

_PURPOSE = "token"
NO_MODEL = "Choose a model to go on from here."


class Price(NamedTuple):
    """The price of a fork in a few words, "" while unknown. note: a sentence beside it, or ""."""

    words: str = ""
    note: str = ""


class TokenPrices(QObject):
    """Asks for the price of one fork at a time.

    By its own ids an answer goes on only with the model that wrote it. Another model reads the words up to there.

    Signal: outdated(), what was told holds no more: another model is open, or none, or it reads more or less.
    """

    outdated = Signal()

    def __init__(
        self,
        library: LibraryRegion,
        current_model: CurrentModel,
        queries: CostQueries,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._current_model, self._queries = library, current_model, queries
        self._told_with = self._model
        current_model.changed.connect(self._follow_model)

    def ask(self, tokens: AnswerTokens, position: int, row: TokenRow, take: Callable[[Price], None]) -> None:
        """Have `take` called with what it costs to go on with a token, at once where nothing has to be asked."""
        self.drop()
        tree, answer, model = self._library.tree, tokens.answer, self._current_model
        if row.is_end and not row.is_there:
            take(Price("nothing to compute"))
        elif model.info is None:
            take(Price(note=NO_MODEL))
        elif answer.parent_id is not None and answer.parent_id in tree:
            context = model.info.context_length
            branch = Branch(tree.path_to(answer.parent_id), model.fingerprint)
            is_own = answer.model == model.fingerprint
            forced = (*(answer.ids or ())[:position], row.id) if is_own else ()
            begun = BegunAnswer(forced=forced) if is_own else BegunAnswer(_words_before(tokens, position, row.text))
            note = "" if is_own else _needs(answer, model.info.name)
            self._queries.ask(
                *(_PURPOSE, branch, lambda priced: take(Price(_words(priced, context), note)), branch.options, begun),
                refused=lambda event: take(_refused(event)),
            )

    def ask_words(self, tokens: AnswerTokens, position: int, words: str, take: Callable[[Price], None]) -> None:
        """Have `take` called with what it costs to go on with these words in the place of a token.

        Asked as the answer will be asked for: what stands before the token keeps its ids where its own model reads it.
        """
        self.drop()
        tree, answer, model = self._library.tree, tokens.answer, self._current_model
        if model.info is None:
            take(Price(note=NO_MODEL))
        elif answer.parent_id is not None and answer.parent_id in tree:
            context = model.info.context_length
            branch = Branch(tree.path_to(answer.parent_id), model.fingerprint)
            begun = BegunAnswer(_words_before(tokens, position, words), answer.turn(model.fingerprint).ids or ())
            note = "" if answer.model == model.fingerprint else _needs(answer, model.info.name)
            self._queries.ask(
                *(_PURPOSE, branch, lambda priced: take(Price(_words(priced, context), note)), branch.options, begun),
                refused=lambda event: take(_refused(event)),
            )

    def drop(self) -> None:
        """Ask no more."""
        self._queries.drop(_PURPOSE)

    @property
    def _model(self) -> tuple[str, int] | None:
        info = self._current_model.info
        return None if info is None else (info.fingerprint, info.context_length)

    def _follow_model(self) -> None:
        if self._model != self._told_with:
            self._told_with = self._model
            self.outdated.emit()


def _words(priced: CostEstimate, context: int) -> str:
    if priced.is_far_too_long:
        return f"does not fit: more than {formatting.tokens(context)}"
    if is_too_long(priced, context):
        return f"does not fit: {formatting.number(priced.request.total)} of {formatting.tokens(context)}"
    time = "" if priced.seconds is None else f", {formatting.about(priced.seconds)}"
    return f"{formatting.tokens(priced.request.left)}{time}"


def _refused(event: CostRefused) -> Price:
    return Price() if event.problem is None else Price("cannot be read", event.problem.sentence)


def _needs(answer: Message, name: str) -> str:
    """Say who goes on from an answer of another model."""
    writer = answer.model_name or "another model"
    return f"Exact only with {writer}, which wrote it: {name} goes on from the words."


def _words_before(tokens: AnswerTokens, position: int, words: str) -> Turn:
    """Return the beginning of an answer up to a token, with these words in its place."""
    answer, choice = tokens.answer, tokens.choices[position]
    start, _end = tokens.span(position)
    if choice.is_thinking:
        return Turn("assistant", "", thinking=answer.thinking[:start] + words)
    return Turn("assistant", answer.text[:start] + words, thinking=answer.thinking)
