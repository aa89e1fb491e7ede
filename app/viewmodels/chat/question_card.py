"""The card about a question that could not be answered."""

from __future__ import annotations

from app.protocol.reports import Problem
from app.viewmodels.kit.problem_card import ProblemCard


def question_failed(problem: Problem, question_id: str) -> ProblemCard:
    """Return the card of a question that cannot be answered as it is, for example because the context is full."""
    return ProblemCard(
        problem.title, problem.sentence, "Edit the Question", "edit_failed", "Not Now", "dismiss", question_id
    )
