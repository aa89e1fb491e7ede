"""From messages, the question that is being answered and what the cache holds, to the rows of the chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import compress, count
from operator import is_not
from types import MappingProxyType
from typing import Any, NamedTuple

from app.conversation.message import EDITED, Message
from app.conversation.tree import MessageTree
from app.protocol.excerpts import one_line
from app.protocol.reports import Reason, RequestReport, Source, StopReason
from app.protocol.trie_view import Residency
from app.viewmodels.chat.chat_text import doing
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.rows import AttachmentRow, Footer, MessageRow, PrefillRow, ThoughtRow, segments_of
from app.viewmodels.chat.unfolded import attachment_key
from app.viewmodels.chat.versions import version_of
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.text.reasons import why_read_again

_NOTES: dict[str, str] = {
    StopReason.CANCELLED: "Stopped",
    StopReason.LENGTH: "Ended at the length limit",
    StopReason.CONTEXT: "The context is full: fork from an earlier message to go on",
    StopReason.FAILED: "Not finished: it broke off here",
}

_BELIEVED = frozenset(one for one in Source if one.is_believed)
_ONLY_THOUGHT = "All of it is thought: no answer was begun"


class Marks(NamedTuple):
    """Messages that are marked, by id: the one whose words stand in the composer, and the question to be answered."""

    edited: str = ""
    unanswered: str = ""


_NO_MARKS = Marks()


class ChatRows:
    """Tells the rows of the open path. What is listed of a path is listed again only when its tree has changed."""

    def __init__(self) -> None:
        self._tree: MessageTree | None = None
        self._version = -1
        self._path: Sequence[Message] = ()
        self._ids: list[str] = []

    def of(
        self,
        tree: MessageTree,
        question: Question | None,
        residencies: Mapping[str, Residency] | None,
        opened: Set[str] = frozenset(),
        attached: Mapping[str, Sequence[int]] = MappingProxyType({}),
        marks: Marks = _NO_MARKS,
    ) -> PathRows:
        """Return one row to each message of the selected path, each made when it is asked for.

        residencies: as far as they are known, by message; None when the engine tells none. opened: ids of the messages
        whose thought is open, and `attachment_key` of attachments. attached: tokens of attachments, by message. marks:
        of single messages.
        """
        if tree is not self._tree or tree.version != self._version:
            self._follow(tree.path)
            self._tree, self._version = tree, tree.version
        path = self._path
        return PathRows(
            self._ids,
            lambda number: message_row(
                *(path[number], _versions(tree, path[number]), question, residencies, opened, attached, marks)
            ),
            lambda first, end: [(one.role, segments_of(one.role, one.text)) for one in path[first:end]],
        )

    def _follow(self, path: Sequence[Message]) -> None:
        """Take another path. Ids of messages that stay are not asked for again."""
        shorter = min(len(path), len(self._path))
        kept = next(compress(count(), map(is_not, self._path, path)), shorter)
        self._ids = self._ids[:kept] + [message.id for message in path[kept:]]
        self._path = path


def running_footer(question: Question) -> Footer:
    """Figures of an answer that is being written. That a server should find nothing is no figure."""
    request = question.request
    if request is None or not request.is_known or (request.is_believed and not request.cached):
        return Footer(None, None, question.tokens, question.rate, None, "")
    return Footer(request.cached, request.left, question.tokens, question.rate, None, "", request.is_believed)


def _versions(tree: MessageTree, message: Message) -> Sequence[Message]:
    # A row that is still painted may be of a message that is gone.
    return tree.siblings(message.id) if message.id in tree else (message,)


def message_row(
    message: Message,
    versions: Sequence[Message],
    question: Question | None,
    residencies: Mapping[str, Residency] | None = None,
    opened: Set[str] = frozenset(),
    attached: Mapping[str, Sequence[int]] = MappingProxyType({}),
    marks: Marks = _NO_MARKS,
) -> MessageRow:
    """Return the row of a message. versions: it and those beside it. The rest as in `ChatRows.of`."""
    version = version_of(versions, message.id)
    own = question if question is not None and question.held_id == message.id else None
    beside = [] if residencies is None else [_residency(one, own, residencies) for one in versions]
    return MessageRow(
        id=message.id,
        role=message.role,
        name=message.speaker,
        branch=message.name or "",
        segments=segments_of(message.role, own.text if own else message.text),
        residency=beside[version] if beside else None,
        version=version + 1,
        versions=len(versions),
        sibling_residencies=tuple(beside),
        footer=_footer(message, own),
        prefill=prefill_row(own) if own else None,
        is_streaming=own is not None,
        doing=doing(own) if own else "",
        note="" if own else _note(message, is_unanswered=message.id == marks.unanswered),
        is_edited=message.id == marks.edited,
        is_pinned=message.is_pinned,
        is_unanswered=message.id == marks.unanswered,
        thought=_thought(message, own, is_open=message.id in opened),
        attachments=_attachments(message, opened, attached.get(message.id, ())),
    )


def _attachments(message: Message, opened: Set[str], tokens: Sequence[int]) -> tuple[AttachmentRow, ...]:
    if not message.attachments:
        return ()
    known = tokens if len(tokens) == len(message.attachments) else [None] * len(message.attachments)
    return tuple(
        AttachmentRow(one_line(one.name), one.text, count, attachment_key(message.id, number) in opened, one.kind)
        for number, (one, count) in enumerate(zip(message.attachments, known, strict=True))
    )


def _thought(message: Message, question: Question | None, *, is_open: bool) -> ThoughtRow | None:
    if question is not None and (question.thinking or question.is_thinking):
        seconds, tokens = question.thinking_seconds or None, question.thinking_tokens or None
        return ThoughtRow(question.thinking, seconds, tokens, is_open, question.is_thinking)
    if question is not None or not message.thinking:
        return None
    stats = message.stats or {}
    return ThoughtRow(
        message.thinking, stats.get("thinking_seconds") or None, stats.get("thinking_tokens") or None, is_open
    )


def _residency(message: Message, question: Question | None, residencies: Mapping[str, Residency]) -> Residency:
    if question is not None and question.held_id == message.id:
        return "none" if question.is_reading else "live"
    return residencies.get(message.id, "none")


def _footer(message: Message, question: Question | None) -> Footer | None:
    if question is not None:
        return None if question.is_reading else running_footer(question)
    return _stored_footer(message.stats, message.stop or "") if message.stats else None


def _stored_footer(stats: Mapping[str, Any], stop: str) -> Footer:
    """Figures from the database, where an older version may have left some out. One token alone has no rate."""
    request = stats.get("request") or {}
    cached, total, source = request.get("cached"), request.get("total"), request.get("source")
    if source == Source.UNKNOWN:
        cached = total = None
    computed = total - cached if isinstance(total, int) and isinstance(cached, int) else None
    figures = stats.get("tokens"), stats.get("rate") or None, stats.get("first_token")
    return Footer(cached, computed, *figures, stop, source in _BELIEVED)


def prefill_row(question: Question) -> PrefillRow | None:
    """Return how far the prompt is read; None before the engine has begun, after the first word, and where a server
    does not say."""
    request, progress = question.request, question.prefill
    if request is None or not request.is_known or not question.is_reading:
        return None
    if request.is_believed and progress is None:
        return None
    done, rate = (progress.done, progress.rate) if progress else (request.cached, 0.0)
    return PrefillRow(request.cached, done, request.total, rate, why(request))


def why(request: RequestReport) -> str:
    """One line on why tokens are computed that could have been reused, or that differ; empty when there is nothing."""
    if request.reason is Reason.DIVERGED and request.diverged_at is not None and request.cached:
        at = formatting.number(request.diverged_at + 1)
        return f"Why: the words differ from token {at} on, so what follows is read."
    sentence = why_read_again(request.reason)
    return f"Why: {sentence}." if sentence else ""


def _note(message: Message, *, is_unanswered: bool) -> str:
    if message.role == "user":
        told = "" if message.instructions is None else _told_from_here(message.instructions)
        return formatting.DOT.join(part for part in (told, "Not answered yet" if is_unanswered else "") if part)
    edited = (message.stats or {}).get(EDITED)
    if edited:
        return "Edited by you" if edited == len(message.text) else "Its beginning was edited by you"
    told = "Not finished: the program ended here" if message.is_unfinished else _NOTES.get(message.stop or "", "")
    if not message.thinking or message.text:
        return told
    return f"{told}{formatting.DOT}{_ONLY_THOUGHT}" if told else _ONLY_THOUGHT


def _told_from_here(instructions: str) -> str:
    words = formatting.first_words(instructions)
    return f"System prompt from here on: {quoted(words)}" if words else "No system prompt from here on"
