"""The draft of the open conversation, as the composer shows it: words, an edit that was begun, a hint, a price."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message, storable
from app.protocol.reports import Problem
from app.viewmodels.chat import chat_text, draft_limits
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.draft_attachments import DraftAttachments
from app.viewmodels.chat.drafts import Draft
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.chat.prompt_settings import Told
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.versions import (
    answer_above,
    answer_at,
    edited_answer,
    is_edit_gone,
    last_answer,
    last_question,
    parent_for,
    question_of,
)
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library_region import LibraryRegion


class OpenDraft(QObject):
    """Verbs that change what stands in the composer. Each change is priced, and nothing is sent.

    Attribute: hint, a sentence for the composer's foot until the words change, or "".

    Signals: textReplaced(str), the composer shall hold exactly this; turnedTo(), the person has turned to the words,
    and the keyboard follows; editBegun(str), this message is being edited now, which shall be seen; hinted(), the hint
    is another one.
    """

    textReplaced = Signal(str)
    turnedTo = Signal()
    editBegun = Signal(str)
    hinted = Signal()

    def __init__(
        self,
        library: LibraryRegion,
        answering: Answering,
        attachments: DraftAttachments,
        settings: SettingsRegion,
        branch_costs: BranchCosts,
        cards: ProblemCards,
        open_branch: OpenBranch,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._settings, self._chosen = library, settings, answering.chosen
        self._questions, self._drafts = answering.questions, answering.drafts
        self._branch_costs, self._cards, self._open_branch = branch_costs, cards, open_branch
        self._notices = notices
        self.hint = ""
        attachments.changed.connect(self._on_attached)
        settings.told.connect(self.price)
        answering.outbox.moved.connect(self._on_moved)

    @property
    def now(self) -> Draft:
        """The words, and what comes with them."""
        return self._drafts.of(self._open_id)

    @property
    def path_above(self) -> tuple[Message, ...]:
        """The messages that the words would follow."""
        tree = self._library.tree
        parent = parent_for(tree, self.now.editing)
        return () if parent is None else tree.path_to(parent)

    def write(self, text: str) -> None:
        """Take over what stands in the composer now; its price follows."""
        self._show_hint("")
        self._drafts.write(self._open_id, storable(text))
        self.price()

    @property
    def length(self) -> int:
        """The characters of the words, with what is attached to them."""
        return len(self.now.text) + sum(len(one.text) for one in self.now.attachments)

    def say(self, hint: str) -> None:
        """Say in the composer's foot why something was not done."""
        self._show_hint(hint)
        self._notices.announce(hint)

    def begin_edit(self, message_id: str | None = None) -> None:
        """Put a question into the composer, to be sent as another version, and into view; the old branch stays."""
        tree = self._library.tree
        question = question_of(tree, message_id) if message_id else last_question(tree)
        excess = draft_limits.excess(question.text) if question is not None else ""
        if excess:
            self._notices.error(Problem("Too long to edit", f"The question was not opened: {excess}. Ask it in parts."))
        elif question is not None:
            self._cards.dismiss()
            self._edit(question)
            self._come()
            self._open_branch.messageShown.emit(question.id)
            self.editBegun.emit(question.id)

    @property
    def answer(self) -> Message | None:
        """The answer whose text stands in the composer, or None."""
        return edited_answer(self._library.tree, self.now)

    @property
    def after(self) -> Message | None:
        """The answer that the words in the composer begin a new branch after, or None."""
        return answer_above(self._library.tree, self.now)

    def begin_after(self, message_id: str | None = None) -> None:
        """Begin a new branch after an answer: the path ends with it, and what is typed follows it; the old one stays.

        message_id: None for the last answer of the open path.
        """
        tree = self._library.tree
        answer = answer_at(tree, message_id) if message_id else last_answer(tree)
        if answer is None:
            return
        self._cards.dismiss()
        if self.after is not answer and tree.children(answer.id):
            self._drafts.edit(self._open_id, answer.id, "", self._is_changed, is_after=True)
            self._open_branch.end_with(answer.id)
        self._come()

    def keep_end(self) -> None:
        """Have the open path end with the answer after which a new branch was begun, where it goes through it."""
        after, tree = self.after, self._library.tree
        if after is not None and tree.is_on_path(after.id) and tree.leaf_id != after.id:
            tree.select(after.id)

    def leave_end(self) -> None:
        """Let the words begin a new branch no more, where the person has gone on to what follows already."""
        after, tree = self.after, self._library.tree
        if after is not None and tree.is_on_path(after.id) and tree.leaf_id != after.id:
            self._drafts.leave_edit(self._open_id)
            self._come()

    def edit_answer(self, message_id: str | None = None) -> None:
        """Put an answer's text into the composer, to go on from what a person makes of it; the old one stays.

        message_id: None for the last answer of the open path.
        """
        tree = self._library.tree
        answer = answer_at(tree, message_id) if message_id else last_answer(tree)
        excess = draft_limits.excess(answer.text) if answer is not None else ""
        if excess:
            self._notices.error(Problem("Too long to edit", f"The answer was not opened: {excess}."))
        elif answer is None or answer.parent_id is None:
            return
        elif answer.id in self._questions.held:
            self.say(chat_text.EDITED_LATER)
        else:
            self._cards.dismiss()
            self._edit(answer)
            self._come()
            self._open_branch.show(answer.id)
            self.editBegun.emit(answer.id)

    def leave_gone(self) -> bool:
        """Let the words be a new question whose message was deleted, and say so. Returns whether it was."""
        is_gone = is_edit_gone(self._library.tree, self.now)
        if is_gone:
            self._drafts.leave_edit(self._open_id)
            self._come()
            self.say(chat_text.NOW_A_QUESTION)
        return is_gone

    def edit_failed(self) -> None:
        """Edit the question that the card in the open conversation is about, on the branch where it stands."""
        card = self._cards.now
        if card is not None and card.message_id in self._library.tree:
            self._open_branch.show(card.message_id)
            self.begin_edit(card.message_id)

    def cancel_edit(self) -> None:
        """Put back what stood in the composer before; it follows the words of an edit whose message was deleted."""
        after = self.after
        if self.leave_gone():
            return
        if self.now.editing is not None:
            self._drafts.cancel_edit(self._open_id)
            if after is not None:
                self._open_branch.go_down(after.id)
            self._come()

    def turn_to(self) -> None:
        """Show the draft of another conversation than before; the keyboard follows where the person asked for it."""
        self.hint = ""
        self.show()
        if self._library.has_chosen:
            self.turnedTo.emit()

    def show(self) -> None:
        """Have the composer hold the words, and price them."""
        self.textReplaced.emit(self.now.text)
        self.price()
        self._settings.follow()

    def price(self) -> None:
        """Have the words priced where they would be said now, with what their question says beside them."""
        draft, answer = self.now, self.answer
        self._branch_costs.tell(self._chosen.told_next(self._open_id, draft.editing) if answer is None else Told())
        parent = parent_for(self._library.tree, draft.editing) if answer is None else answer.parent_id
        self._branch_costs.type(parent, draft.text, draft.attachments, answer)

    def _come(self) -> None:
        self.show()
        self.turnedTo.emit()

    @property
    def _open_id(self) -> str:
        return self._library.open_id

    def _edit(self, question: Message) -> None:
        """Have this message in the composer. One that is there already stays as it is: words were typed in it."""
        if self.now.editing != question.id or self.now.is_after:
            self._drafts.edit(self._open_id, question.id, question.text, self._is_changed, question.attachments)

    @property
    def _is_changed(self) -> bool:
        """Whether the words of an edit that was begun are others than those of its message."""
        begun, tree = self.now, self._library.tree
        is_there = begun.editing is not None and begun.editing in tree and not begun.is_after
        original = tree.message(begun.editing) if begun.editing and is_there else None
        said = (original.text, original.attachments) if original else ("", ())
        return (begun.text, begun.attachments) != said

    def _show_hint(self, hint: str) -> None:
        self.hint = hint
        self.hinted.emit()

    def _on_moved(self, conversation_id: str) -> None:
        if conversation_id == self._open_id:
            self.show()

    def _on_attached(self, conversation_id: str) -> None:
        if conversation_id == self._open_id:
            self._show_hint("")
            self.price()
