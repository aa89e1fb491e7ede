"""The cards about models and their engine."""

from __future__ import annotations

from app.models.names import model_name
from app.protocol.references import server_model
from app.protocol.reports import Problem
from app.viewmodels.kit.problem_card import CHANGE_SERVER, ProblemCard


def model_failed(problem: Problem, path: str, is_guide: bool) -> ProblemCard:
    """Return the card of a model that was not opened: a folder that is missing or of no use, or a server's."""
    if is_guide:
        cause = problem.title[:1].lower() + problem.title[1:]
        sentence = (
            f"The guide comes with Espalier, so a part of the program is missing or broken: {cause}. Install Espalier "
            "again, or open a model of your own. Conversations are kept as always."
        )
        return ProblemCard("The guide could not be loaded", sentence, "Open Model…", "open_model")
    way_out = ("Choose Another Model…", "models")
    if problem.is_missing:
        way_out = ("Locate Folder…", "open_model")
    elif problem.is_of_server:
        way_out = CHANGE_SERVER
    elif server_model(path) is not None:
        way_out = ("Try Again", "open_anyway")
    return ProblemCard(problem.title, problem.sentence, *way_out, "Use the Guide Meanwhile", "use_guide")


def engine_failed(problem: Problem) -> ProblemCard:
    """Return the card of an engine that met what nobody foresaw."""
    return ProblemCard(problem.title, problem.sentence, "Restart", "restart", "Use the Guide Meanwhile", "use_guide")


def stopped(name: str) -> ProblemCard:
    """Return the card of a model whose opening the person ended while no other is in use."""
    sentence = "You stopped it, and no model is in use. Conversations can be read, and answered when a model is open."
    return ProblemCard(f"{name} was not opened", sentence, "Open It", "open_anyway", "Use the Guide", "use_guide")


def suspected(path: str) -> ProblemCard:
    """Return the card of the start: a model that the program, or its engine, did not live through.

    Another one is opened instead.
    """
    name = model_name(path)
    sentence = (
        f"The last time, Espalier or its engine ended while the model {name} was being opened or in use, so it is not "
        "opened by itself. Everything you said is saved. Go on with the model named in the toolbar, or open this one "
        "all the same."
    )
    return ProblemCard(f"{name} was not opened", sentence, "Open It Anyway", "open_anyway", "Go On", "dismiss")
