"""The cost of a branch now: the same prompt as for an answer, looked up and not computed."""

from __future__ import annotations

import logging
from itertools import pairwise

from app.engine.open_model import OpenModel
from app.prompting.begun_answer import forced_ids, ids_of_begun
from app.prompting.problems import RequestError, TooLongError
from app.prompting.steps import Steps
from app.prompting.template import TemplateEndedError
from app.protocol.commands import EstimateCost
from app.protocol.events import CostEstimate, CostRefused, TurnResidency
from app.protocol.reports import Problem, RequestReport

log = logging.getLogger(__name__)

_NO_MEMORY = Problem("There is too little free memory to read it", "Close other programs, or choose a smaller model.")


def estimate_cost(command: EstimateCost, open_model: OpenModel) -> Steps[CostEstimate | CostRefused]:
    """Estimate what a branch would cost now.

    It is refused for one that cannot be answered, such as an empty one, and where there is no memory to read it. Where
    the template had to be ended over a branch, none is priced until one has been answered: each would cost as much
    again.
    """
    if not open_model.is_pricing:
        return CostRefused(command.query_id)
    model, cache = open_model.model, open_model.cache
    turns = command.turns
    try:
        if not command.is_exact:
            # A branch makes its turns as they are counted: thousands beyond the context are never made.
            model.prompts.lengths.require_near(model.prompts.composed(turns, command.options), model.context_length)
        turns = tuple(turns)
        composed = model.prompts.composed(turns, command.options)
        if not open_model.step_memory.has_room_to_read(composed):
            return CostRefused(command.query_id, _NO_MEMORY)
        prompt = yield from open_model.recent_prompts.building(model.prompts, turns, command.options)
        if command.begun is not None:
            begun = ids_of_begun(model.prompts, prompt, command.begun, command.edited)
        else:
            begun = forced_ids(model.prompts, prompt, command.forced)
    except TooLongError:
        report = RequestReport(model.context_length, 0, 0, 0)
        return CostEstimate(command.query_id, report, (), None, is_far_too_long=True)
    except RequestError as problem:
        if isinstance(problem, TemplateEndedError) and not command.is_exact:
            open_model.is_pricing = False
        log.debug("query %d cannot be estimated: %s", command.query_id, problem.problem.title)
        return CostRefused(command.query_id, problem.problem)
    report = prompt.explained(cache.price((*prompt.ids, *begun)))
    residencies = cache.residencies(prompt.ids, prompt.turn_ends)
    places = tuple(
        TurnResidency(start, end, residency, _attached(start, end, prompt.attachment_ends))
        for start, end, residency in zip(prompt.turn_starts, prompt.turn_ends, residencies, strict=True)
    )
    path, known = cache.trie.match(prompt.ids)
    pins = (node.end for node in path if node.is_pinned_end)
    pinned = max((end for end in pins if end <= report.total), default=0)
    seconds = open_model.prefill_rate.seconds(report.left)
    return CostEstimate(command.query_id, report, places, seconds, pinned, edge=path[-1].id, known=known)


def _attached(start: int, end: int, attachment_ends: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tokens of each attachment of the turn that lies between two offsets."""
    ends = [start, *(one for one in attachment_ends if start < one <= end)]
    return tuple(after - before for before, after in pairwise(ends))
