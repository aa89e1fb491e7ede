"""What the window shows around the messages of the open conversation, and what can be done there."""

from __future__ import annotations

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.draft_attachments import AttachmentChip
from app.viewmodels.chat.versions import Ending
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.problem_card import ProblemCard


@dataclass(frozen=True, slots=True)
class ChatState:
    """The open conversation, its composer and the answer under way. Token counts are exact, shares run from 0 to 1.

    branch: the name of the open branch, "" where neither it nor one above it has any; is_favourite_branch: it is one.
    title, subtitle, warmth: the conversation, how warm its open path is in words ("Warm · 3 794 tokens") and as a
    share, None while unknown; is_on_disk: some of that share must be read from the disk first. has_residencies: the
    engine tells what is held. context_used: tokens of the open path, None where nobody tells. model_name: who would
    answer. activity: of an answer, None while none is under way or waited for. card: what stands in the composer's
    place, if anything. greeting, suggestions: of an empty conversation.

    branch_price: what reading the open branch costs in words, "" while unknown or an answer is being written.
    placeholder: of the message field. send_price, send_parts: the composer's foot in words, and (reused, computed)
    tokens for its bar, None where nothing is known. editing: first words of the message being edited, or None;
    editing_id: its id, or ""; is_editing: there is one, or was; edits_answer: it is an answer; branches_after: the
    words begin a new branch after it. attachments: what comes
    with the words; attaching: the file that is being read.

    is_empty: nothing has been said. is_writing, is_answering: an answer is under way here, or anywhere. is_waiting: the
    words in the composer are sent when that answer ends; is_too_long: they do not fit the model's context.

    answers: how many a question gets; most_answers: as many as it can get; has_ladder: they differ in temperature;
    answer_presets: of each, "" for what is chosen; presets: names of all there are.

    can_send: Return has something said or answered; can_answer: it has a question answered that nobody answered.
    has_unanswered: such a question ends the path, whatever stands in the composer.
    can_continue: the answer that ends the path ended before it was finished, and can go on. ending: the kind of
    message that ends the path, None while there is none or no model; is_full: the path leaves no room in the context.
    goes_on: the model in use can be made to go on inside an answer.
    can_show_answers: a question of the open path has several answers.
    can_ask_again: something was chosen to hold from the next question on. can_pin: there may be
    something of the open branch to keep that no pin keeps; can_unpin: a message of it is pinned. refusal: why nothing
    can be said or changed, "" where it can.
    """

    title: str = ""
    branch: str = ""
    is_favourite_branch: bool = False
    subtitle: str = ""
    warmth: float | None = None
    is_on_disk: bool = False
    context_used: int | None = 0
    has_residencies: bool = True
    model_name: str = ""
    activity: Activity | None = None
    card: ProblemCard | None = None
    greeting: str = ""
    suggestions: tuple[str, ...] = ()
    branch_price: str = ""
    placeholder: str = ""
    send_price: str = ""
    send_parts: tuple[int, int] | None = None
    attachments: tuple[AttachmentChip, ...] = ()
    attaching: str = ""
    editing: str | None = None
    editing_id: str = ""
    is_editing: bool = False
    edits_answer: bool = False
    branches_after: bool = False
    is_empty: bool = True
    is_writing: bool = False
    is_answering: bool = False
    is_waiting: bool = False
    is_too_long: bool = False
    answers: int = 1
    most_answers: int = 1
    has_ladder: bool = False
    answer_presets: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    can_send: bool = False
    can_answer: bool = False
    has_unanswered: bool = False
    can_continue: bool = False
    ending: Ending | None = None
    is_full: bool = False
    can_stop: bool = False
    can_fork: bool = False
    can_regenerate: bool = False
    can_edit_answer: bool = False
    goes_on: bool = True
    can_prune: bool = False
    can_show_answers: bool = False
    can_show_previous: bool = False
    can_show_next: bool = False
    can_ask_again: bool = False
    can_pin: bool = False
    can_unpin: bool = False
    refusal: str = ""

    @property
    def message_actions(self) -> frozenset[str]:
        """Return the ids of the commands that begin a branch from a message, as far as they can now."""
        possible = (
            ("fork", self.can_fork),
            ("regenerate", self.can_regenerate),
            ("edit_answer", self.can_edit_answer),
            ("branch_here", self.can_edit_answer),
            ("answer", self.has_unanswered),
        )
        return frozenset(action_id for action_id, can in possible if can and not self.refusal)
