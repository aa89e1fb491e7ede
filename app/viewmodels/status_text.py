"""The sentences of the toolbar, the status line and the composer's foot."""

from __future__ import annotations

from app.protocol.events import CostEstimate
from app.protocol.reports import RequestReport
from app.protocol.trie_view import TrieView
from app.viewmodels.chat.question import Question
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT

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
CONTEXT_FULL = "The context is full: edit an earlier question to go on from there"
NOT_ANSWERED = "Not answered yet"
NOTHING_TO_SEND = "Nothing to send yet: type a question first"
CHECKING = "Checking the branch: it is computed again"
STILL_WRITING = "Answer Again works as soon as this answer has ended"


def ended_badly(has_crashed: bool, reopens: bool) -> str:
    """What the banner says after a run that was not closed. reopens: everything is open again."""
    title = "Espalier crashed last time." if has_crashed else "Espalier was not closed last time."
    saved = "Everything you said is saved, and all but the last second of an answer."
    if reopens:
        return f"{title} {saved}"
    return f"{title} {saved} As it had only just been started, no conversation is opened by itself: choose one."


def engine_line(question: Question | None, models: CurrentModel, is_asked: bool, is_engine_up: bool) -> str:
    """What the engine does, for the left of the status line. is_asked: a question waits for the model."""
    if question is not None:
        return _run_line(question)
    if models.loading is not None:
        what = f"Loading {models.wanted_name}" if is_engine_up else "Starting the engine"
        stage = DOT + models.loading.stage if models.loading.stage else ""
        return what + stage + (DOT + "your message is answered when it is ready" if is_asked else "")
    if models.info is None:
        return "No model loaded"
    return f"Ready{DOT}{models.info.name}, {formatting.size(models.info.weight_bytes)}"


def engine_bar(question: Question | None, models: CurrentModel) -> tuple[float | None, float]:
    """The bar beside it: how much is done, and how much of that was reused; None where it cannot be measured."""
    if question is None:
        return (models.loading.fraction if models.loading else None), 0.0
    if question.is_reading and question.prefill is not None:
        total = max(question.prefill.total, 1)
        return question.prefill.done / total, question.prefill.cached / total
    return None, 0.0


def _run_line(question: Question) -> str:
    if question.is_stopping:
        return "Stopping"
    if not question.is_reading:
        rate = "" if question.rate is None else f", {formatting.rate(question.rate, is_done=False)}"
        return f"Writing{DOT}{formatting.tokens(question.tokens)}{rate}"
    at = question.prefill
    if at is None:
        return "Reading"
    done = f"{formatting.number(at.done)} of {formatting.tokens(at.total)}, {formatting.number(at.cached)} from cache"
    return f"Reading {formatting.percent(at.done / max(at.total, 1))}{DOT}{done}"


def cache_line(view: TrieView) -> str:
    """For the right of the status line: "Cache 3.1 of 8.0 GB", of the memory; "Cache 4.6 GB on disk" when that is all.

    Without a budget, what is live is still held.
    """
    used = view.live_bytes + view.paged_bytes
    if not used and any(node.residency == "disk" for node in view.nodes):
        return f"Cache {formatting.size(view.disk_bytes)} on disk"
    if not used:
        return "Cache empty"
    return f"Cache {formatting.share(used, view.budget_bytes) if view.budget_bytes else formatting.size(used)}"


def warmth(priced: CostEstimate) -> float:
    """Share of a branch that is held, 1 when every message is."""
    return 1.0 if priced.is_warm else priced.request.cached / max(priced.request.total, 1)


def subtitle(priced: CostEstimate) -> str:
    """The line under the title."""
    request = priced.request
    if priced.is_far_too_long:
        return f"More than {formatting.tokens(request.total)}"
    if priced.is_warm:
        return f"{'On disk' if priced.is_on_disk else 'Warm'}{DOT}{formatting.tokens(request.total)}"
    if not request.cached:
        return f"Cold{DOT}{formatting.tokens(request.total)}"
    where = "warm, from disk" if priced.is_on_disk else "warm"
    return f"{formatting.number(request.cached)} of {formatting.tokens(request.total)} {where}"


def running_subtitle(question: Question) -> str:
    """The same while the prompt is read and the answer is written."""
    request = question.request
    if request is None:
        return ""
    if not question.is_reading:
        return f"Warm{DOT}{formatting.tokens(request.total + question.tokens)}"
    done = question.prefill.done if question.prefill else request.cached
    return f"{formatting.number(done)} of {formatting.tokens(request.total)} warm"


def price_of_sending(priced: CostEstimate) -> str:
    """What sending the composer's words costs, tokens exact, time about."""
    return _to_read(priced.request, priced.seconds)


def does_not_fit(priced: CostEstimate, context_length: int) -> str:
    """Why the composer's words cannot be sent."""
    more = "more than " if priced.is_far_too_long else ""
    return f"Does not fit: {more}{formatting.number(priced.request.total)} of {formatting.tokens(context_length)}"


def price_of_path(priced: CostEstimate) -> str:
    """What comes on top of whatever is typed."""
    if not priced.is_warm:
        return _to_read(priced.request, priced.seconds)
    return f"{'On disk' if priced.is_on_disk else 'Warm'}: only what you type is computed"


def _to_read(request: RequestReport, seconds: float | None) -> str:
    time = "" if seconds is None else f", {formatting.about(seconds)}"
    cold = "Cold: " if not request.cached else ""
    verb = "recompute" if request.excess > 0 else "compute"
    return f"{cold}{formatting.tokens(request.left)} to {verb}{time}"
