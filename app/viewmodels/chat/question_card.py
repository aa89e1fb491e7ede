"""The card about a question that could not be answered."""

from __future__ import annotations

from app.protocol.events import CostEstimate
from app.protocol.reports import Problem
from app.viewmodels.chat.context_choices import ContextChoices
from app.viewmodels.kit.problem_card import CHANGE_SERVER, ProblemCard
from app.viewmodels.text import formatting


def question_failed(problem: Problem, question_id: str) -> ProblemCard:
    """Return the card of a question that cannot be answered as it is, for example because the context is full."""
    return ProblemCard(
        problem.title, problem.sentence, "Edit the Question", "edit_failed", "Not Now", "dismiss", question_id
    )


def server_failed(problem: Problem, question_id: str, goes_on: bool) -> ProblemCard:
    """Return the card of a question to which a server gave no answer, or half of one. goes_on: that can go on."""
    again = ("Go On" if goes_on else "Answer Again", "ask_failed")
    first, second = (CHANGE_SERVER, again) if problem.is_of_server else (again, ("Edit the Question", "edit_failed"))
    return ProblemCard(problem.title, problem.sentence, *first, "Not Now", "dismiss", question_id, (second,))


def does_not_fit(
    priced: CostEstimate, context_length: int, choices: ContextChoices, raised: int, message_id: str = ""
) -> ProblemCard:
    """Return the card of words that do not fit the model's context.

    raised: a limit with which they do, 0 for none. message_id: of a question that is stored.
    """
    total, most = formatting.tokens(priced.request.total), formatting.number(context_length)
    length = f"more than {formatting.tokens(context_length)}" if priced.is_far_too_long else total
    length = f"about {length}" if priced.request.is_about else length
    limit = f"is limited to {most} tokens" if raised else f"reads at most {most}"
    last = "raise the limit" if raised else "open a model with a longer context"
    sentence = (
        f"It comes to {length}, and this model {limit}, its answer included. Nothing was left out and nothing was "
        f"sent. Shorten the question, fork at an earlier one, or {last}."
    )
    buttons: list[tuple[str, str]] = []
    if raised:
        buttons.append((f"Raise the Limit to {formatting.plural(raised, 'Token')}", "raise_limit"))
    if choices.kept_from is not None:
        buttons.append((f"Leave Out the First {formatting.plural(choices.left_out, 'Turn')}", "leave_out_oldest"))
    if message_id:
        buttons.append(("Edit the Question", "edit_failed"))
    if choices.earlier_id is not None and choices.earlier_id != message_id:
        buttons.append(("Fork at an Earlier Question", "edit_earlier"))
    (label, verb), *more = buttons or [("", "")]
    return ProblemCard(
        "The conversation is too long for this model",
        *(sentence, label, verb, "Not Now", "dismiss", message_id),
        choices=tuple(more),
    )
