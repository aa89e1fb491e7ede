"""The open branch, as a person goes about in it: which version is shown, where a message is, what is deleted."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.viewmodels.chat.open_paths import OpenPaths
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.rows import Segment, segments_of
from app.viewmodels.chat.versions import branch_start, last_fork, last_question, version_beside, version_of
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel


class OpenBranch(QObject):
    """Verbs that go from one branch of the open conversation to another, or that change it as a whole.

    Nothing is asked of a model here. Signals: moved(str), the path of this conversation is another one;
    messageShown(str), bring this message into view.
    """

    moved = Signal(str)
    messageShown = Signal(str)

    def __init__(
        self,
        library: LibraryRegion,
        current_model: CurrentModel,
        questions: Questions,
        open_paths: OpenPaths,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._current_model, self._questions = library, current_model, questions
        self._open_paths, self._notices = open_paths, notices

    @property
    def turns(self) -> Branch:
        """The open branch without the answer that is being written; nothing without a model."""
        model = self._current_model
        if model.info is None:
            return Branch((), None)
        return Branch(self.path, model.fingerprint)

    @property
    def path(self) -> tuple[Message, ...]:
        """The messages of the open branch, without the answer that is being written."""
        return self._questions.settled(self._library.tree.path)

    def path_to(self, message_id: str) -> tuple[Message, ...]:
        """Return the messages down to one, on whichever branch; those of the open one where it is gone."""
        tree = self._library.tree
        return self._questions.settled(tree.path_to(message_id)) if message_id in tree else self.path

    def said(self) -> Iterator[tuple[str, tuple[Segment, ...]]]:
        """Yield who said what on the open branch, from its first message on."""
        for message in self._library.tree.path:
            yield message.speaker, segments_of(message.role, message.text)

    @property
    def is_busy(self) -> bool:
        """Whether nothing can be said here now: an answer is under way, or the database changes the tree."""
        return self._questions.is_busy_on(self._library.tree) or self._library.changes.is_pending

    def show(self, message_id: str) -> None:
        """Go to the branch through a message, where one last was below it, unless it is shown or gone."""
        tree = self._library.tree
        if message_id not in tree:
            return
        if not tree.is_on_path(message_id):
            tree.select(tree.leaf_below(message_id))
            self._open_paths.save(tree.conversation_id)
            self.moved.emit(tree.conversation_id)
        self.messageShown.emit(message_id)

    def end_with(self, message_id: str) -> None:
        """Have the open path end with a message, whatever follows it, and show that."""
        tree = self._library.tree
        tree.select(message_id)
        self._open_paths.save(tree.conversation_id)
        self.moved.emit(tree.conversation_id)
        self.messageShown.emit(message_id)

    def go_down(self, message_id: str) -> None:
        """Have the open path go on from a message that it ends with, to where one last was."""
        tree = self._library.tree
        if tree.leaf_id == message_id:
            self.end_with(tree.leaf_below(message_id) or message_id)

    def select_version(self, message_id: str | None, step: int) -> None:
        """Show the version that stands `step` to the right, and go down from there to where one last was."""
        tree = self._library.tree
        if message_id is not None and message_id not in tree:
            return
        message = tree.message(message_id) if message_id else last_fork(tree)
        target = version_beside(tree, message, step) if message else None
        if target is None:
            return
        self.show(target.id)
        versions = tree.siblings(target.id)
        self._notices.announce(f"Version {version_of(versions, target.id) + 1} of {len(versions)}")

    def mark_favourite(self) -> None:
        """Make the open branch a favourite, or no longer."""
        start = branch_start(self._library.tree)
        if start is not None:
            self._library.edits.mark_branch(start.id, not start.is_favourite)

    def delete_message(self, message_id: str | None = None) -> None:
        """Delete a message, else the last question of the open path, with what follows.

        Where that is more than a person sees, it is asked about.
        """
        tree = self._library.tree
        last = last_question(tree)
        target = message_id or (last.id if last else tree.leaf_id)
        if target is not None and target in tree:
            self._library.edits.ask_to_delete(tree.conversation_id, target)
