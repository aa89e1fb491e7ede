"""The price of going on from a branch in words, the same wherever one is told."""

from __future__ import annotations

from app.protocol.events import CostEstimate
from app.protocol.reports import Problem, RequestReport, Source
from app.viewmodels.text import formatting
from app.viewmodels.text.reasons import why_read_again
from app.viewmodels.warmth.warmth import Warmth

UNKNOWN = "Not known yet"
_BELIEVED = {Source.PREDICTED: "about ", Source.AT_MOST: "at most "}


def price_sentence(warmth: Warmth | None) -> str:
    """Say the whole price in one line: "212 tokens to recompute, about 0.6 s"."""
    time = price_time(warmth)
    return f"{price_title(warmth)}, {time}" if time else price_title(warmth)


def price_title(warmth: Warmth | None) -> str:
    """Say the price without its time: "opens at once", "212 tokens to recompute", "does not fit: 120 032 of 4 096"."""
    if warmth is None:
        return UNKNOWN
    if warmth.refusal is not None:
        return unreadable(warmth.refusal)
    if warmth.is_far_too_long:
        return f"does not fit: more than {formatting.tokens(warmth.context)}"
    if not warmth.fits:
        fits = "may not fit: about " if warmth.source is Source.PREDICTED else "does not fit: "
        return f"{fits}{formatting.number(warmth.total)} of {formatting.tokens(warmth.context)}"
    if warmth.is_warm:
        at_once = "should open at once" if warmth.source.is_believed else "opens at once"
        return "opens from disk" if warmth.is_from_disk else at_once
    return tokens_left(warmth)


def unreadable(problem: Problem) -> str:
    """Say that a branch cannot be read: "cannot be read: the model's template refuses this conversation"."""
    return f"cannot be read: {problem.title[:1].lower()}{problem.title[1:]}"


def tokens_left(of: Warmth | RequestReport) -> str:
    """Say what has to be computed: "cold: 3 580 tokens", "212 tokens to recompute", never read before: "to read".

    What is believed of a server's cache is said with "about", or "at least" where the tokens themselves are counted.
    """
    if not of.cached:
        return f"cold: {_about(of)}{formatting.tokens(of.left)}"
    return f"{_left(of)}{formatting.tokens(of.left)} to {_verb(of)}"


def price_of_request(priced: CostEstimate) -> str:
    """Say as the beginning of a line what the engine would compute, and about how long that takes."""
    time = "" if priced.seconds is None else f", {formatting.about(priced.seconds)}"
    left = tokens_left(priced.request)
    return f"{left[:1].upper()}{left[1:]}{time}"


def price_time(warmth: Warmth | None) -> str:
    """Say about how long it takes; "" where nothing is computed, or it cannot be told."""
    if warmth is None or warmth.seconds is None or warmth.is_warm or not warmth.fits:
        return ""
    return formatting.about(warmth.seconds)


def tokens_held(of: Warmth | RequestReport, is_from_disk: bool) -> str:
    """Say how much of a path is held: "3 871 of 4 083 tokens warm", of a server "should be warm", "warm, from disk"."""
    warm = "should be warm" if of.source is Source.COUNTED else "warm"
    where = "warm, from disk" if is_from_disk else warm
    if not of.cached:
        return f"0 of {_about(of)}{formatting.tokens(of.total)} {where}"
    return f"{_BELIEVED.get(of.source, '')}{formatting.number(of.cached)} of {formatting.tokens(of.total)} {where}"


def price_reused(warmth: Warmth) -> str:
    """Say what is held: "3 871 from disk and memory"."""
    where = "disk and memory" if warmth.is_from_disk else "memory"
    where = "the server" if warmth.source.is_believed else where
    believed = _BELIEVED.get(warmth.source, "")
    return f"{believed}{formatting.number(warmth.cached)} from {where}" if warmth.cached else ""


def price_computed(warmth: Warmth) -> str:
    """Say what is left to do: "212 to recompute"; of a branch that is held, "only what you type"."""
    if warmth.is_warm and warmth.fits:
        return "only what you type is computed"
    return f"{_left(warmth)}{formatting.number(warmth.left)} to {_verb(warmth)}"


def price_reason(warmth: Warmth) -> str:
    """Say in a sentence why that is the price; "" where there is nothing to explain."""
    if warmth.refusal is not None:
        return warmth.refusal.sentence
    if not warmth.fits:
        return "Raise the limit of the context, or go on from an earlier message."
    if warmth.is_warm or not warmth.is_recomputed:
        return ""
    why = why_read_again(warmth.reason)
    return f"{why[0].upper()}{why[1:]}." if why else ""


def _about(of: Warmth | RequestReport) -> str:
    return "about " if of.source is Source.PREDICTED else ""


def _left(of: Warmth | RequestReport) -> str:
    return "at least " if of.source is Source.AT_MOST and of.cached else _about(of)


def _verb(of: Warmth | RequestReport) -> str:
    return "recompute" if of.is_recomputed else "read"
