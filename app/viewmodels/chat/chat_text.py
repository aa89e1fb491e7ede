"""The sentences of the toolbar, the composer's foot, and the status line while something is answered."""

from __future__ import annotations

from collections.abc import Sequence

from app.conversation.message import Message
from app.protocol.events import CostEstimate
from app.protocol.reports import Problem, Source
from app.viewmodels.chat.question import Question
from app.viewmodels.kit.activity import Activity
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.text.formatting import DOT
from app.viewmodels.warmth.price_text import price_of_request, tokens_held, unreadable

GREETING = (
    "Hello. I am the guide, a very small model that lives inside Espalier. I know this program well and little else; "
    "for anything larger, open a model of your own. Ask me something, or begin with one of these:"
)
SUGGESTIONS = (
    "What is a branch?",
    "How do I fork a message?",
    "What does “in memory” mean?",
    "Tell me a story about a fox",
    "Which keys should I learn first?",
    "How do I open a real model?",
)
LIMIT_REACHED = "Context full: raise its limit, or edit a question"
CONTEXT_FULL = "Context full: edit an earlier question"
NOT_ANSWERED = "Not answered yet"
NOTHING_TO_SEND = "Nothing to send yet: type a question first"
ANSWERED_LATER = "your message is answered when it is ready"
WORDS_NEEDED = "Say what to do with what is attached"
SENDS_HERE = "Sends when this answer ends"
SENDS_ELSEWHERE = "Sends on the branch of that answer when it ends"
STILL_READING = "Sends when the file is read: press Return again then"
STILL_CHANGING = "Possible as soon as the last change is stored"
EDITED_LATER = "It can be edited as soon as it has ended"
NOT_WITH_ANSWERS = "An answer has no attachments: keep what is being edited first, or put it back"
EDITED_GONE = "What this belongs to was deleted: Return makes a new question of it"
NOW_A_QUESTION = "A new question now: Return sends it"
NOTHING_LEFT = "Leave a word of the answer, or answer again"
NO_ALTERNATIVES = "It is not known what else could stand there"
LETTERS = "ABCDEFGH"
LONG_SILENCE = 40.0  # seconds
ONLY_KEPT = "This model cannot go on inside an answer: Return keeps the text"
STILL_WRITING = "Possible as soon as this answer has ended"


def answer_activity(question: Question, elsewhere: str, together: Sequence[Question]) -> Activity:
    """Return how far an answer is, and how much of its prompt is read.

    elsewhere: its title, where it is not shown. together: the questions of its conversation that are at the engine.
    """
    what, dot, figures = _answer_line(question, together).partition(DOT)
    line = f"{what} in {quoted(elsewhere)}{dot}{figures}" if elsewhere else f"{what}{dot}{figures}"
    place = (question.conversation_id, question.held_id) if elsewhere else None
    if question.is_reading and question.prefill is not None:
        total = max(question.prefill.total, 1)
        return Activity(line, question.prefill.done / total, question.prefill.cached / total, place)
    return Activity(line, place=place)


def _answer_line(question: Question, together: Sequence[Question]) -> str:
    """Say how far it is; of one of which nothing was heard for long, that."""
    if question.is_stopping:
        return "Stopping"
    line = _figures(question, together)
    silence = question.silence
    return line if silence < LONG_SILENCE else f"{line}{DOT}no word for {formatting.whole_seconds(silence)}"


def _figures(question: Question, together: Sequence[Question]) -> str:
    written = [one for one in together if not one.is_reading]
    if len(written) > 1 and question in written:
        return _line_of_several(written)
    if question.awaited:
        return f"Waiting for {question.awaited}" + (f"{DOT}nothing answers there" if question.is_server_away else "")
    if question.is_thinking:
        return f"Thinking{DOT}{formatting.whole_seconds(question.thinking_seconds)}"
    if not question.is_reading:
        rate = "" if question.rate is None else f", {formatting.rate(question.rate, is_done=False)}"
        return f"Writing{DOT}{formatting.tokens(question.tokens)}{rate}"
    at = question.prefill
    if at is None:
        return "Reading"
    done = f"{formatting.number(at.done)} of {formatting.tokens(at.total)}, {formatting.number(at.cached)} from cache"
    return f"Reading {formatting.percent(at.done / max(at.total, 1))}{DOT}{done}"


def doing(question: Question) -> str:
    """Say in a word or two what becomes of an answer that is under way: "writing"."""
    if question.is_stopping:
        return "stopping"
    if question.awaited:
        return "waiting"
    if question.is_reading:
        return "reading the prompt"
    return "thinking" if question.is_thinking else "writing"


def answer_name(question: Question) -> str:
    """Name the answer to a question: "Answer", or "Answer B of 3" among those that are written together."""
    count = len(question.siblings)
    return f"Answer {LETTERS[question.lane]} of {count}" if count > 1 else "Answer"


def _line_of_several(together: Sequence[Question]) -> str:
    """Say how far several answers are that are written by turns. Their speeds add up to one."""
    tokens = sum(one.tokens for one in together)
    rates = [one.rate for one in together if one.rate is not None]
    rate = f", {formatting.rate(sum(rates), is_done=False)} together" if rates else ""
    return f"Writing {len(together)} answers{DOT}{formatting.tokens(tokens)}{rate}"


def warmth(priced: CostEstimate) -> float:
    """Share of a branch that is held, 1 when every message is."""
    return 1.0 if priced.is_warm else priced.request.cached / max(priced.request.total, 1)


def subtitle(priced: CostEstimate) -> str:
    """Return the line under the title."""
    request = priced.request
    if priced.is_far_too_long:
        return f"More than {formatting.tokens(request.total)}"
    if priced.is_warm:
        warm = "Should be warm" if request.is_believed else "Warm"
        return f"{'On disk' if priced.is_on_disk else warm}{DOT}{formatting.tokens(request.total)}"
    if not request.cached:
        return f"Cold{DOT}{'about ' if request.is_about else ''}{formatting.tokens(request.total)}"
    held = tokens_held(request, priced.is_on_disk)
    return f"{held[:1].upper()}{held[1:]}"


def running_subtitle(question: Question) -> str:
    """Return the line under the title while the prompt is read and the answer is written."""
    request = question.request
    if request is None or not request.is_known or request.is_believed:
        return ""
    if not question.is_reading:
        return f"Warm{DOT}{formatting.tokens(request.total + question.tokens)}"
    done = question.prefill.done if question.prefill else request.cached
    return f"{formatting.number(done)} of {formatting.tokens(request.total)} warm"


def price_of_sending(priced: CostEstimate) -> str:
    """Say what sending the composer's words costs, tokens exact, time about."""
    return price_of_request(priced)


def price_of_asking(priced: CostEstimate, count: int) -> str:
    """Say what the composer's words cost that so many answers are asked at once. priced: all of them together."""
    return f"{price_of_request(priced)}, for all {count} answers together"


def does_not_fit(priced: CostEstimate, context_length: int, raised: int = 0) -> str:
    """Why the composer's words cannot be sent. raised: a limit with which they could, 0 for none."""
    more = "more than " if priced.is_far_too_long else "about " if priced.request.is_about else ""
    way = f"{DOT}Return offers to raise the limit" if raised else ""
    return f"Does not fit: {more}{formatting.number(priced.request.total)} of {formatting.tokens(context_length)}{way}"


def price_of_path(priced: CostEstimate) -> str:
    """Say what comes on top of whatever is typed."""
    if not priced.is_warm:
        return price_of_request(priced)
    warm = "Should be warm" if priced.request.is_believed else "Warm"
    return f"{'On disk' if priced.is_on_disk else warm}: only what you type is computed"


def cannot_be_read(problem: Problem) -> str:
    """Say why a branch cannot be read, as the beginning of a line."""
    words = unreadable(problem)
    return f"{words[:1].upper()}{words[1:]}"


def price_of_settings(priced: CostEstimate) -> str:
    """Say what has to be read again before the next answer, tokens exact, time about."""
    if priced.is_warm:
        return "Warm: nothing is read again"
    return price_of_request(priced)


def tokens_told(path: Sequence[Message]) -> int | None:
    """Return the tokens of a path to its last answer, as whoever wrote that has told; None where nobody has."""
    answer = next((one for one in reversed(path) if one.role == "assistant"), None)
    stats = (answer.stats if answer is not None else None) or {}
    request, written = stats.get("request") or {}, stats.get("tokens")
    total = None if request.get("source") == Source.UNKNOWN else request.get("total")
    return total + written if isinstance(total, int) and isinstance(written, int) else None
