"""Answers that go on another way, with the real program and the guide: they cost what was told before, and no more."""

from __future__ import annotations

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.engine.forks import UNSURE
from app.protocol.choices import LEAST, WHOLE, Choice, unpack
from app.protocol.events import CostEstimate, RunStarted
from app.viewmodels.warmth.cost_queries import BegunAnswer
from tests.scenarios.sitting import SitDown, Sitting
from tests.scenarios.test_chat_settings import answer

QUESTION = "Tell me a story about a fox"


def choices_of(sitting: Sitting, one: Message) -> tuple[Choice, ...]:
    return unpack(sitting.app.workspace.store.call(lambda store: store.messages.choices(one.id)))


def price(sitting: Sitting, one: Message, forced: tuple[int, ...]) -> int:
    """The tokens that would be computed."""
    chat, found = sitting.app.chat, list[CostEstimate]()
    branch = Branch(sitting.app.library.tree.path_to(one.parent_id or ""), one.model)
    chat.cost_queries.ask("fork", branch, found.append, branch.options, BegunAnswer(forced=forced))
    sitting.until(lambda: bool(found))
    return found[0].request.left


def forked(sitting: Sitting, one: Message, position: int, ids: list[int]) -> tuple[list[Message], int]:
    """Fork an answer; returns the answers that came of it, and how many tokens were read."""
    app = sitting.app
    siblings, runs = app.library.tree.siblings(one.id), len(sitting.told(RunStarted))
    app.chat.requests.fork_at(one.id, position, ids)
    sitting.until(
        lambda: len(app.library.tree.siblings(one.id)) == len(siblings) + len(ids) and not list(app.chat.questions)
    )
    new = [found for found in app.library.tree.siblings(one.id) if found not in siblings]
    return new, sum(event.request.left for event in sitting.told(RunStarted)[runs:])


def test_an_answer_of_the_guide_is_forked_at_any_unsure_token_for_the_price_that_was_told(sit_down: SitDown) -> None:
    sitting = sit_down().begin()
    sitting.app.chat.settings.type("temperature", "1.2")
    sitting.app.chat.settings.type("max_tokens", "60")
    first = answer(sitting, QUESTION)
    choices = choices_of(sitting, first)
    assert first.ids is not None
    assert len(choices) == len(first.ids)
    assert sum(one.length for one in choices) == len(first.text)
    unsure = [
        at
        for at, one in enumerate(choices)
        if (one.share or 0) < UNSURE * WHOLE and any(not other.is_end for other in one.candidates)
    ]
    assert len(unsure) > 3
    for at in (unsure[0], unsure[len(unsure) // 2], unsure[-1]):
        others = [one for one in choices[at].candidates if not one.is_end]
        forced = (*first.ids[:at], others[0].id)
        told = price(sitting, first, forced)
        (new,), read = forked(sitting, first, at, [others[0].id])
        assert told == read == 1, at
        assert new.ids is not None
        assert new.ids[: at + 1] == forced
        assert new.text.startswith(first.text[: sum(one.length for one in choices[:at])] + others[0].text)
        found = choices_of(sitting, new)
        assert len(found) == len(new.ids)
        assert found[:at] == choices[:at]
        own, kept = choices[at].share or 0, found[at].candidates
        if first.ids[at] in {one.id for one in kept}:
            assert own >= LEAST
        else:
            assert own < LEAST or own <= kept[-1].share, "there is room for the likeliest"
        assert sum(one.length for one in found) == len(new.text)

    sitting = sit_down().begin()
    sitting.until(lambda: first.id in sitting.app.library.tree)
    at = max(unsure, key=lambda place: len(choices[place].candidates))
    ways = [one.id for one in choices[at].candidates if not one.is_end]
    told = price(sitting, first, (*first.ids[:at], ways[0]))
    several, read = forked(sitting, first, at, ways)
    assert [one.ids[: at + 1] for one in several if one.ids] == [(*first.ids[:at], way) for way in ways]
    assert read == told
    app = sitting.app
    app.chat.requests.write_at(first.id, at, " Suddenly")
    sitting.until(
        lambda: (
            app.library.tree.path[-1].text.startswith(
                first.text[: sum(one.length for one in choices[:at])] + " Suddenly"
            )
            and not list(app.chat.questions)
        )
    )
