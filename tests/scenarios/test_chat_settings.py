"""Settings with the real program: what they cost is what is computed, and the same ones give the same answer."""

from __future__ import annotations

from app.conversation.message import Message
from app.protocol.events import RunStarted
from tests.scenarios.sitting import SitDown, Sitting

HOT = {"temperature": "1.4", "top_p": "0.98", "frequency_penalty": "0.3", "xtc_probability": "0.4", "max_tokens": "60"}


def answer(sitting: Sitting, text: str) -> Message:
    """Ask a question and wait for the whole answer."""
    app = sitting.app
    count = len(app.library.tree)
    app.chat.requests.send(text)
    sitting.until(lambda: len(app.library.tree) == count + 2 and not list(app.chat.questions))
    return app.library.tree.path[-1]


def again(sitting: Sitting, message_id: str) -> Message:
    """Have an answer given once more, as the menu of a message does."""
    app = sitting.app
    count = len(app.library.tree)
    app.chat.requests.repeat_answer(message_id)
    sitting.until(lambda: len(app.library.tree) == count + 1 and not list(app.chat.questions))
    return app.library.tree.path[-1]


def test_the_guide_gives_the_same_answer_again_also_after_other_runs_and_a_restart(sit_down: SitDown) -> None:
    sitting = sit_down().begin()
    chat = sitting.app.chat
    chat.settings.instruct("Answer like a pirate.")
    for name, text in HOT.items():
        chat.settings.type(name, text)
    answer(sitting, "What is a branch?")
    first = answer(sitting, "Tell me a story about a fox")
    assert first.ids
    assert first.stats is not None
    assert again(sitting, first.id).ids == first.ids
    chat.requests.regenerate(first.id)
    sitting.until(lambda: not list(chat.questions))
    assert sitting.app.library.tree.path[-1].ids != first.ids  # with another seed
    chat.settings.apply("Creative")
    chat.settings.instruct("")
    other = answer(sitting, "Which keys should I learn first?")
    sitting.app.chat.requests.regenerate(other.id)
    sitting.until(lambda: not list(chat.questions))
    chat.open_branch.show(first.id)
    assert again(sitting, first.id).ids == first.ids

    sitting = sit_down().begin()
    sitting.until(lambda: first.id in sitting.app.library.tree)
    sitting.app.chat.open_branch.show(first.id)
    repeated = again(sitting, first.id)
    assert repeated.ids == first.ids
    assert repeated.text == first.text
    assert repeated.sampling is not None
    assert repeated.sampling["seed"] == first.stats["seed"]


def test_the_price_of_another_system_prompt_is_what_is_computed(sit_down: SitDown) -> None:
    """To the token, for the words in the composer, and undone as any other question is."""
    sitting = sit_down().begin()
    app = sitting.app
    app.chat.settings.type("max_tokens", "30")
    answer(sitting, "What is a branch?")
    for instructions in ("Answer in one word.", "", "Answer like a pirate."):
        app.chat.settings.instruct(instructions)
        sitting.until(lambda: bool(app.chat.settings.state.now.price))
        words = f"And what is a snapshot? {instructions}"
        app.chat.open_draft.write(words)
        sitting.until(lambda: app.chat.branch_costs.sending is not None)
        priced = app.chat.branch_costs.sending
        assert priced is not None
        answer(sitting, words)
        computed = sitting.told(RunStarted)[-1].request
        assert (computed.total, computed.left) == (priced.request.total, priced.request.left)
    question = app.library.tree.path[-2]
    sitting.until(lambda: not app.library.changes.is_pending)
    app.library.edits.undo()
    sitting.until(lambda: question.id not in app.library.tree)
    assert app.chat.settings.state.now.held == ""
