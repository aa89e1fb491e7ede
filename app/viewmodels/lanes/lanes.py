"""Several answers to one question beside each other: written by turns, compared, and gone on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message, storable
from app.protocol.chat import Sampling
from app.protocol.events import TextKind
from app.protocol.trie_view import Residency
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.answer_settings import sampling_of
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.unfolded import Unfolded
from app.viewmodels.chat.versions import can_go_on, question_of
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.lanes.lane_rows import LaneRows
from app.viewmodels.lanes.lane_settings import differences
from app.viewmodels.lanes.lane_state import LanesState, LaneState
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT

TICK_MS = 250
_MOST_SHOWN = 400  # characters of the question
MOST = len(chat_text.LETTERS)


class Lanes(QObject):
    """Shows the answers to a question of the open path beside each other, each with what follows it.

    They come into sight when several are asked for, and leave it with the question they answer.

    Attributes: state; rows, of each answer in its order; unfolded, thoughts and attachments that are open. Signals:
    arranged(), other answers than before are shown; compareAsked(str, str), the ends of two branches that are to be
    compared.
    """

    arranged = Signal()
    compareAsked = Signal(str, str)

    state: LiveState[LanesState]

    def __init__(
        self,
        library: LibraryRegion,
        answering: Answering,
        open_branch: OpenBranch,
        unfolded: Unfolded,
        model: Callable[[], str | None],
        residency: Callable[[str], Residency | None],
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        """model: returns the fingerprint of the one in use, None without one.

        residency: says where the state after a message is, None where that is not known.
        """
        super().__init__(parent)
        self._residency = residency
        self._library, self._answering, self._open_branch = library, answering, open_branch
        self.unfolded, self._model, self._notices = unfolded, model, notices
        self._question_id = ""
        self._closed: set[int | None] = set()  # runs whose answers were put away while they were written
        self._discarded: dict[str, str] = {}  # answers that go as soon as what is written on their branch has ended
        self._focused = ""
        self.rows: list[LaneRows] = []
        self._tick = QTimer(self, interval=TICK_MS)
        self.state = LiveState(self._state, self)
        self._tick.timeout.connect(self.state.refresh)
        answering.generations.grew.connect(self._show_text)
        answering.generations.moved.connect(self._follow)
        answering.question_queue.moved.connect(self._on_moved)
        answering.question_queue.ended.connect(self._on_ended)
        unfolded.changed.connect(self._follow)
        for moved in (library.moved, library.opened, open_branch.moved):
            moved.connect(self._on_moved)

    # What is shown

    def open(self, message_id: str | None = None) -> None:
        """Show the answers to the question that a message answers or is, the last of the open path by default."""
        tree = self._library.tree
        at = message_id or tree.leaf_id
        while at is not None and len(self._answers(question := question_of(tree, at))) < 2:
            at = None if question is None else question.parent_id
        if at is not None and question is not None:
            self._show(question.id)

    def toggle(self) -> None:
        """Show answers beside each other, or the chat again."""
        if self._question_id:
            self.close()
        else:
            self.open()

    def close(self) -> None:
        """Show the chat again; whatever is written goes on."""
        if self._question_id:
            self._closed = {one.run_id for one in self._writing()}
            self._show("")

    def focus(self, number: int) -> None:
        """Have the next question go to one of the answers; to all of them again where it is that one already."""
        if 0 <= number < len(self.rows):
            chosen = self.rows[number]
            self._focused = "" if self._focused == chosen.answer_id else chosen.answer_id
            if self._focused:
                self._go_to(chosen.leaf_id)
            self.state.refresh()

    @property
    def first(self) -> int:
        """The number of the first answer that is written, else of the one on the open path."""
        written = {self._lane_of(one.held_id) for one in self._writing()}
        tree = self._library.tree
        wanted = [one.answer_id in written for one in self.rows], [tree.is_on_path(one.answer_id) for one in self.rows]
        return next((found.index(True) for found in wanted if True in found), 0)

    @property
    def asked(self) -> tuple[str, ...]:
        """The messages that the next question follows, where those are several: the ends of all branches, or none."""
        return () if self._focused else tuple(one.leaf_id for one in self.rows)

    # What becomes of an answer

    def keep(self, answer_id: str) -> None:
        """Go on with one answer in the chat. The others stop, and stay as its versions."""
        for question in self._writing():
            if self._lane_of(question.held_id) != answer_id:
                self._answering.generations.stop(question)
        self.go_on(answer_id)

    def go_on(self, answer_id: str) -> None:
        """Go on with one answer in the chat, while the others are written on."""
        leaf = next((one.leaf_id for one in self.rows if one.answer_id == answer_id), answer_id)
        self.close()
        self._go_to(leaf)

    def discard(self, answer_id: str) -> None:
        """Put an answer into the trash, as soon as it has ended where it is written."""
        under_way = [one for one in self._writing() if self._lane_of(one.held_id) == answer_id]
        for question in under_way:
            self._discarded[question.held_id] = answer_id
            self._answering.generations.stop(question)
        if not under_way:
            self._delete(answer_id)

    def stop(self) -> bool:
        """End whatever is written on these branches within a token. Returns whether something was."""
        writing = self._writing()
        for question in writing:
            self._answering.generations.stop(question)
        return bool(writing)

    def compare(self, answer_id: str = "") -> None:
        """Compare an answer, by default the one that is focused or the first, with another one that has ended too.

        That is the one that is focused, else the one after it, or before it where it is the last.
        """
        number = self._number_of(answer_id or self._focused)
        if not self.rows:
            return
        pair = [self.rows[at] for at in sorted((number, self._beside(number)))]
        if not self._have_ended(*pair):
            self._notices.refuse(f"{chat_text.STILL_WRITING}.")
            return
        self.compareAsked.emit(*(one.leaf_id for one in pair))

    def mark(self, answer_id: str) -> None:
        """Make the branch that begins with an answer a favourite, or no longer."""
        is_favourite = self._library.tree.message(answer_id).is_favourite
        self._library.edits.mark_branch(answer_id, not is_favourite)

    def send(self, text: str) -> None:
        """Ask the answer that is focused, or all of them, each with its own settings where these differ.

        Where one of them is still being written, or something else is not over that has to be, that is said.
        """
        if not self._library.edits.may_edit():
            return
        text = storable(text)
        asked = [one for one in self.rows if self._focused in ("", one.answer_id)]
        if not text.strip() or not asked:
            return
        refusal = self._refusal([one.leaf_id for one in asked])
        if refusal:
            self._notices.refuse(f"{refusal}.")
            return
        self._answering.drafts.write(self._library.open_id, text)
        known = dict(zip(self.rows, self._own_sampling(), strict=True))
        self._answering.outbox.send_to_each(self._library.open_id, {one.leaf_id: known[one] for one in asked})

    def resume(self) -> bool:
        """Have the answer that is focused go on where it was cut, or all that were, each with its own settings.

        Returns whether answers are beside each other.
        """
        tree, model = self._library.tree, self._model()
        known = dict(zip(self.rows, self._own_sampling(), strict=True))
        cut = {
            one.leaf_id: known[one]
            for one in self.rows
            if self._focused in ("", one.answer_id)
            and model is not None
            and can_go_on(tree, tree.message(one.leaf_id), model)
        }
        if not cut or not self._library.edits.may_edit():
            return bool(self.rows)
        refusal = self._refusal(list(cut))
        if refusal:
            self._notices.info(f"{refusal}.")
        else:
            for leaf_id, sampling in cut.items():
                self._answering.question_queue.go_on(tree.message(leaf_id), sampling)
        return True

    def _refusal(self, leaf_ids: Sequence[str]) -> str:
        """Say why nothing can be asked at the ends of these branches, "" where something can."""
        held = self._answering.questions.held
        if any(one in held for one in leaf_ids):
            return chat_text.STILL_WRITING
        if self._answering.attachment_reader.reading(self._library.open_id):
            return chat_text.STILL_READING
        return chat_text.STILL_CHANGING if self._library.changes.is_pending else ""

    def _number_of(self, answer_id: str) -> int:
        """Return the number of an answer, 0 for none of them."""
        return next((at for at, one in enumerate(self.rows) if one.answer_id == answer_id), 0)

    def _beside(self, number: int) -> int:
        """Return the number of the answer that another one is compared with."""
        if self._focused and self.rows[number].answer_id != self._focused:
            return self._number_of(self._focused)
        return number + 1 if number + 1 < len(self.rows) else number - 1

    def _have_ended(self, *rows: LaneRows) -> bool:
        under_way = {self._lane_of(one.held_id) for one in self._writing()}
        return under_way.isdisjoint(one.answer_id for one in rows)

    # How it follows

    def _answers(self, question: Message | None) -> Sequence[Message]:
        """Return the answers to a question, the last ones where there are more than can stand beside each other."""
        tree = self._library.tree
        if question is None or question.id not in tree:
            return ()
        return [one for one in tree.children(question.id) if one.role == "assistant"][-MOST:]

    def _writing(self) -> list[Question]:
        """Return the questions of these branches that are at the engine."""
        return [one for one in self._answering.questions.at_engine if self._lane_of(one.held_id)]

    def _lane_of(self, message_id: str) -> str:
        """Return the answer on whose branch a message stands, "" for none of those that are shown."""
        tree = self._library.tree
        if message_id not in tree:
            return ""
        found = (one for one in self.rows if one.answer_id in tree and tree.is_below(message_id, one.answer_id))
        return next((one.answer_id for one in found), "")

    def _on_moved(self, conversation_id: str) -> None:
        if conversation_id != self._library.open_id:
            return
        held = self._answering.questions.held_on(self._library.tree)
        if held is not None and len(held.siblings) > 1 and held.run_id not in self._closed:
            self._show(held.message.id)
        else:
            self._follow()

    def _show(self, question_id: str) -> None:
        if question_id != self._question_id:
            self._question_id, self._focused = question_id, ""
        self._follow()

    def _follow(self) -> None:
        """Show what there is of the answers now. Without two of them, or on another path, the chat is shown."""
        tree = self._library.tree
        is_there = self._question_id in tree and tree.is_on_path(self._question_id)
        answers = self._answers(tree.message(self._question_id)) if is_there else ()
        if len(answers) < 2:
            self._question_id, self._focused, answers = "", "", ()
        if [one.answer_id for one in self.rows] != [one.id for one in answers]:
            known = {one.answer_id: one for one in self.rows}
            self.rows = [known.pop(one.id) if one.id in known else LaneRows(one.id, self) for one in answers]
            for gone in known.values():
                gone.deleteLater()
            self.arranged.emit()
        for one in self.rows:
            one.show(tree, self._answering.questions, self.unfolded)
        if self._writing():
            self._tick.start()
        else:
            self._tick.stop()
        self.state.refresh()

    def _show_text(self, answer_id: str, text: str, kind: TextKind) -> None:
        for one in self.rows:
            one.chat_model.append_tail(answer_id, text, kind)

    def _on_ended(self, question: Question) -> None:
        answer_id = self._discarded.pop(question.held_id, "")
        if answer_id and (question.is_kept or answer_id != question.held_id):
            self._delete(answer_id)

    def _delete(self, answer_id: str) -> None:
        self._library.edits.delete_message(self._library.open_id, answer_id)

    def _go_to(self, message_id: str) -> None:
        if message_id in self._library.tree:
            self._open_branch.show(message_id)

    # In words

    def _state(self) -> LanesState:
        tree = self._library.tree
        if not self.rows or self._question_id not in tree:
            return LanesState()
        under_way = {self._lane_of(one.held_id): one for one in self._writing()}
        lanes = tuple(
            self._lane(
                *(letter, tree.message(one.answer_id), tree.message(one.leaf_id), under_way.get(one.answer_id)), told
            )
            for letter, one, told in zip(chat_text.LETTERS, self.rows, self._settings(), strict=False)
        )
        own = {one.held_id: one for one in under_way.values()}
        read = (_prompt_tokens(tree.message(one.answer_id), own.get(one.answer_id)) for one in self.rows)
        total = next((tokens for tokens in read if tokens), 0)
        count = len(lanes)
        return LanesState(
            question=formatting.plain_words(tree.message(self._question_id).text, _MOST_SHOWN),
            prefix=f"Prefix {formatting.tokens(total)}, computed once" if total else "",
            saved=f"{count} answers share it; alone they would read {formatting.number(count * total)}"
            if total
            else "",
            lanes=lanes,
            focused=next((at for at, one in enumerate(self.rows) if one.answer_id == self._focused), -1),
        )

    def _settings(self) -> list[str]:
        """Say of each answer with which settings it is written, "" where they are the same."""
        return differences(self._sampling, self._answering.chosen.preset_of)

    def _own_sampling(self) -> list[Sampling | None]:
        """Return how what comes next in each column is sampled, None for what is chosen in the conversation."""
        return self._sampling if any(self._settings()) else [None] * len(self.rows)

    @property
    def _sampling(self) -> list[Sampling | None]:
        """Return the settings of each answer, None where they are not known. Its seed is its own."""
        known = (sampling_of(self._library.tree.message(one.answer_id)) for one in self.rows)
        return [one and replace(one, seed=None) for one in known]

    def _lane(self, letter: str, answer: Message, leaf: Message, question: Question | None, settings: str) -> LaneState:
        """Say how an answer, or the last one on its branch, is. question: that is being answered there, if any."""
        other = self._beside(chat_text.LETTERS.index(letter))
        seed = _seed(answer, question)
        figures = leaf.stats or {}
        tokens = figures.get("tokens") if question is None else question.tokens
        rate = figures.get("rate") if question is None else question.rate
        told = [formatting.tokens(tokens)] if isinstance(tokens, int) and tokens else []
        told += [formatting.rate(rate, is_done=question is None)] if isinstance(rate, float) and rate else []
        return LaneState(
            answer_id=answer.id,
            letter=letter,
            settings=settings,
            seed=f"seed {seed}" if isinstance(seed, int) else "",
            figures=DOT.join(told),
            status=_status(leaf) if question is None else chat_text.doing(question),
            is_writing=question is not None,
            residency=(self._residency(answer.id) or "none") if question is None else "live",
            is_favourite=answer.is_favourite,
            other=chat_text.LETTERS[other],
            can_compare=self._have_ended(self.rows[chat_text.LETTERS.index(letter)], self.rows[other]),
        )


def _seed(answer: Message, question: Question | None) -> object:
    """Return the seed that an answer began with, None where it is not known. question: that is answered on its branch.

    One that goes on is written with other seeds from there on.
    """
    if question is None or question.held_id != answer.id:
        return (answer.stats or {}).get("seed")
    return question.seed if question.begun is None else (question.begun.stats or {}).get("seed")


def _status(message: Message) -> str:
    """Say why an answer has ended; nothing of a question, which waits."""
    if message.role != "assistant":
        return "waiting"
    return message.stop or "not finished"


def _prompt_tokens(answer: Message, question: Question | None) -> int:
    """Return how many tokens an answer's prompt has, 0 where that is not known. question: while it is written.

    For one that went on, what was read last is more than its prompt.
    """
    if question is not None:
        return 0 if question.request is None or question.begun is not None else question.request.total
    stats = answer.stats or {}
    total = (stats.get("request") or {}).get("total")
    return total if isinstance(total, int) and "resumptions" not in stats else 0
