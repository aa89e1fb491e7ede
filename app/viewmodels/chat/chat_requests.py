"""What can be asked in the open conversation: every verb that has the model read or write something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial

from PySide6.QtCore import QObject

from app.conversation.message import Message, storable
from app.protocol.reports import Problem, StopReason
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.answer_settings import answer_settings, resumptions_of, sampling_of
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.context_overflow import ContextOverflow
from app.viewmodels.chat.draft_attachments import DraftAttachments
from app.viewmodels.chat.fork import Fork, ForkPoint, place_in, with_own_words
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.open_draft import OpenDraft
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.versions import answer_at, last_question, question_of
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion


class ChatRequests(QObject):
    """Asks, stops and goes on. What cannot be asked now is put in line or said in the composer's foot."""

    def __init__(
        self,
        store: StoreLink,
        library: LibraryRegion,
        model: ModelRegion,
        state: LiveState[ChatState],
        answering: Answering,
        settings: SettingsRegion,
        attachments: DraftAttachments,
        open_draft: OpenDraft,
        open_branch: OpenBranch,
        context_overflow: ContextOverflow,
        cards: ProblemCards,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._library, self._model, self._state = store, library, model, state
        self._questions, self._question_queue = answering.questions, answering.question_queue
        self._generations, self._drafts, self._outbox = answering.generations, answering.drafts, answering.outbox
        self._chosen, self._settings, self._attachments = answering.chosen, settings, attachments
        self._open_draft, self._open_branch = open_draft, open_branch
        self._context_overflow, self._cards, self._notices = context_overflow, cards, notices
        self._consent = answering.consent

    # From the composer

    def send(self, text: str) -> None:
        """Say something at the end of the open path, or as another version of the question being edited."""
        text = storable(text)
        self._drafts.write(self._open_id, text)
        if self._state.now.refusal:
            self._open_draft.say(self._state.now.refusal)
        elif self._attachments.reading(self._open_id):
            self._open_draft.say(chat_text.STILL_READING)
        elif not text.strip() and self._open_draft.now.attachments:
            self._open_draft.say(chat_text.WORDS_NEEDED)
        elif not text.strip() and self._open_draft.answer is not None:
            self._open_draft.say(chat_text.NOTHING_LEFT)
        elif self._open_draft.leave_gone():
            return
        elif not text.strip():
            self._answer_the_end()
        elif self._open_draft.answer is not None:
            self._keep_edit(self._open_draft.answer, text)
        elif self._context_overflow.refuses(text):
            return
        elif self._open_branch.is_busy:
            self._drafts.send(self._open_id, self._library.tree.leaf_id)
        else:
            self._drafts.hold(self._open_id)  # words that are in line on another branch are said here
            self._outbox.send(self._open_id)

    def go_on_from(self, text: str) -> None:
        """Have the model go on inside the answer that is being edited, from this text; without one, say the text.

        Where the model cannot, the text is kept as it is.
        """
        answer, text = self._open_draft.answer, storable(text)
        if answer is None or not text.strip() or not self._state.now.goes_on:
            self.send(text)
            return
        self._drafts.write(self._open_id, text)
        if not self._context_overflow.refuses(text) and self._may_ask():
            sampling = self._chosen.sampling(self._open_id)
            edit = answer.edit(text, asdict(sampling), StopReason.CANCELLED)
            self._drafts.take(self._open_id, attached=False)
            self._question_queue.go_on_from(edit, answer, sampling)
            self._open_draft.show()

    def stop(self) -> None:
        """End the answer on the open path within a token, and those that are written together with it.

        Words that were to follow it stay in the composer. Where there is none to end, the model that is being opened is
        given up.
        """
        self._drafts.hold(self._open_id)
        held = self._questions.held_on(self._library.tree)
        if held is None:
            self._model.stop_opening()
        elif held.is_at_engine:
            for one in held.siblings:
                if one.is_at_engine:
                    self._generations.stop(one)
        else:
            self._question_queue.withdraw(held)
        self._state.refresh()

    def stop_or_cancel_edit(self, can_stop: bool) -> None:
        """End the answer, or put an edit back that was begun, where there is nothing to end."""
        if self._open_draft.now.editing is not None and not can_stop:
            self._open_draft.cancel_edit()
        else:
            self.stop()

    def send_to_server(self) -> None:
        """Let the open conversation be sent to the server of the model in use, and have what waits there answered."""
        self._consent.give(self._open_id)

    def keep_here(self) -> None:
        """Leave unanswered what waits in the open conversation to be sent to a server."""
        self._drafts.hold(self._open_id)
        for one in self._questions.waiting:
            if one.conversation_id == self._open_id:
                self._question_queue.withdraw(one)
        self._state.refresh()

    # Another answer

    def regenerate(self, message_id: str | None = None) -> None:
        """Ask for another answer beside this one, or for the first one to a question that has none."""
        tree = self._library.tree
        at = message_id or tree.leaf_id
        question = question_of(tree, at) if at else None
        if question is not None and self._may_ask(question.id):
            self._question_queue.ask_again(question, plan=self._chosen.plan(self._open_id))

    def choose_count(self, count: int) -> None:
        """Have each question of the open conversation get so many answers from now on."""
        self._chosen.choose_plan(self._open_id, replace(self._chosen.plan(self._open_id), count=count))

    def choose_ladder(self, has_ladder: bool) -> None:
        """Have the answers to each question of the open conversation differ in temperature from now on, or not."""
        plan = replace(self._chosen.plan(self._open_id), has_ladder=has_ladder, presets=())
        self._chosen.choose_plan(self._open_id, plan)

    def choose_preset(self, number: int, name: str) -> None:
        """Have one of the answers to each question of the open conversation be written with a preset from now on.

        number: of the answer, from 0 on. name: "" for what is chosen.
        """
        self._chosen.choose_plan(self._open_id, self._chosen.plan(self._open_id).with_preset(number, name))

    def answer_the_end(self) -> None:
        """Have the question answered that ends the open path, where nobody answered it."""
        if self._questions.unanswered(self._library.tree) is not None:
            self.regenerate()

    def ask_again_with_settings(self) -> None:
        """Ask the last question again, beside itself, with what was chosen to hold from the next one on."""
        question = last_question(self._library.tree)
        if question is not None and self._settings.state.now.can_ask_again and self._may_ask():
            said = self._chosen.take(self._open_id, question.id)
            words, plan = (question.text, question.attachments, said), self._chosen.plan(self._open_id)
            self._question_queue.send(self._open_id, question.parent_id, *words, plan)

    def repeat_answer(self, message_id: str | None = None) -> None:
        """Ask for an answer's own question again, with the settings and the seed that it was written with."""
        answer = self._settings.answer(message_id)
        question = question_of(self._library.tree, answer.id) if answer is not None else None
        if answer is None or question is None:
            return
        now = answer_settings(answer, self._model.current_model.fingerprint, self._open_branch.is_busy)
        if now.note:
            self._open_draft.say(now.note)
        elif self._may_ask(question.id):
            self._question_queue.ask_again(question, sampling_of(answer), resumptions_of(answer) or ())

    def go_on(self) -> None:
        """Have the answer that ends the open path go on, where it ended before it was finished."""
        leaf = self._library.tree.leaf_id
        if leaf is not None and self._state.now.can_continue and self._may_ask():
            self._question_queue.go_on(self._library.tree.message(leaf))

    def ask_failed(self) -> None:
        """Have the question answered that the card is about, or the answer go on that broke off, on its own branch."""
        card = self._cards.now
        if card is not None and card.message_id in self._library.tree:
            self._open_branch.show(card.message_id)
            if self._state.now.can_continue:
                self.go_on()
            else:
                self.regenerate(card.message_id)

    # From inside an answer

    def fork_at(self, message_id: str, position: int, ids: Sequence[int]) -> None:
        """Ask for answers beside this one that have the same tokens before a position, and one of these ids there.

        One that ends the answer makes a version that ends there. Where another model is open than the one that wrote
        the answer, what the tokens say counts.
        """
        if ids:
            act = partial(self._fork, position=position, ids=tuple(dict.fromkeys(ids)))
            self._when_placed(message_id, position, act)

    def write_at(self, message_id: str, position: int, text: str) -> None:
        """Have a version of an answer beside it, which says this where a token stands and goes on from there."""
        if text.strip():
            self._when_placed(message_id, position, partial(self._write, text=storable(text)))

    def _when_placed(self, message_id: str, position: int, act: Callable[[Message, Message, ForkPoint], None]) -> None:
        """Do something with an answer, its question, and the place before a token, if something can be asked then."""
        tree = self._library.tree
        answer, question = answer_at(tree, message_id), question_of(tree, message_id)
        if answer is None or question is None or not self._may_ask(question.id, message_id):
            return

        def take(place: ForkPoint | None) -> None:
            still = question_of(self._library.tree, message_id) is not None
            if not still or not self._may_ask(question.id, message_id):
                return
            if place is None:
                self._open_draft.say(chat_text.NO_ALTERNATIVES)
            else:
                act(answer, question, place)

        self._store.do(lambda store: place_in(answer, store.messages.choices(message_id), position), take)

    def _fork(self, answer: Message, question: Message, place: ForkPoint, position: int, ids: tuple[int, ...]) -> None:
        fork = Fork(answer, position, tuple(one for one in ids if one not in place.ends), place)
        ended = fork.ended() if len(fork.ids) < len(ids) else None
        if fork.ids:
            self._question_queue.fork(question, fork, ended)
        elif ended is not None:
            self._library.changes.make(lambda store: store.messages.add(ended, True, fork.choices_of_ended))

    def _write(self, answer: Message, _question: Message, place: ForkPoint, text: str) -> None:
        sampling = self._chosen.sampling(self._open_id)
        self._question_queue.go_on_from(with_own_words(answer, place, text, sampling), answer, sampling)

    @property
    def _open_id(self) -> str:
        return self._library.open_id

    def _may_ask(self, *message_ids: str) -> bool:
        """Return whether something can be asked here, for which a card makes room. Where it cannot, that is said.

        message_ids: of a question that would get another answer, or an answer that it would be like, on any branch.
        """
        is_held = self._questions.is_busy_on(self._library.tree) or not self._questions.held.keys().isdisjoint(
            message_ids
        )
        if is_held or self._open_branch.is_busy:
            self._open_draft.say(chat_text.STILL_WRITING if is_held else chat_text.STILL_CHANGING)
            return False
        if self._state.now.refusal:
            self._open_draft.say(self._state.now.refusal)
            return False
        self._cards.dismiss()
        return True

    def _keep_edit(self, answer: Message, text: str) -> None:
        """Have an edited answer beside the one that it was made of, as it is. The same text is no other version."""
        if text == answer.text:
            self._drafts.take(self._open_id, attached=False)
            self._open_draft.show()
        elif self._may_ask():
            edit, changes = answer.edit(text, None, StopReason.FINISHED), self._library.changes
            self._drafts.take(self._open_id, attached=False)
            self._open_draft.show()

            def give_back(problem: Problem) -> None:
                self._outbox.give_back_edit(edit, answer)
                self._notices.error(problem)

            changes.make(lambda store: store.messages.add(edit), None, give_back)

    def _answer_the_end(self) -> None:
        """Have the question answered that ends the path, if there is one: nothing was typed."""
        if self._state.now.can_answer:
            self.regenerate(self._library.tree.leaf_id)
        else:
            self._open_draft.say(chat_text.NOTHING_TO_SEND)
