"""What can be done where a conversation does not fit: nothing is left out by itself, and nothing is ever lost."""

from __future__ import annotations

import random

from pytestqt.qtbot import QtBot

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.chat import Role
from app.protocol.commands import Generate, LimitContext, LoadModel
from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import ModelInfo, RequestReport
from app.viewmodels.app import App
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.context_choices import ContextChoices, context_choices, kept_branch, raised_limit
from tests.fakes.engine import CONTEXT, Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ended, ready

HOME = new_id()


def path_of(sizes: list[int], *, has_system: bool = False) -> tuple[list[Message], CostEstimate]:
    """Messages of so many tokens each, one character to a token; the last size is of words not sent yet."""
    path: list[Message] = []
    ends = [0]
    for number, size in enumerate(sizes[:-1]):
        speakers: tuple[Role, ...] = ("user", "assistant")
        role = "system" if has_system and not number else speakers[(number - has_system) % 2]
        above = path[-1].id if path else None
        path.append(Message.new(HOME, above, role, "x" * size))
        ends.append(ends[-1] + size)
    turns = tuple(
        TurnResidency(start, end, "none") for start, end in zip([0, *ends[1:]], [*ends[1:], sum(sizes)], strict=True)
    )
    return path, CostEstimate(1, RequestReport(sum(sizes), 0, 0, 0), turns, None)


def test_the_fewest_turns_are_left_out_that_make_room_for_an_answer() -> None:
    path, priced = path_of([30, 30, 30, 30, 20])
    choices = context_choices(path, priced, 110)
    assert (choices.kept_from, choices.left_out) == (2, 2)
    assert choices.branch_name == "Without the first 2 turns"
    assert choices.earlier_id == path[0].id
    assert context_choices(path, priced, 70) == ContextChoices(path[0].id, None)
    assert context_choices(path, priced, 20) == ContextChoices(None, None)
    assert context_choices([], priced, 20) == ContextChoices(None, None)


def test_what_is_left_fits_and_is_a_branch_of_its_own() -> None:
    """At random: copies in order, the system prompt kept, each following the one before it, all words as they were."""
    rng = random.Random(2)
    for _ in range(200):
        has_system = rng.random() < 0.3
        path, priced = path_of([rng.randint(1, 40) for _ in range(rng.randint(4, 12))], has_system=has_system)
        context = rng.randint(10, sum(len(one.text) for one in path) + 1)
        choices = context_choices(path, priced, context)
        copies = kept_branch(path, choices)
        if choices.kept_from is None:
            assert copies == ()
            continue
        kept = path[choices.kept_from :]
        assert kept[0].role == "user"
        assert [one.text for one in copies[has_system:]] == [one.text for one in kept]
        dropped = priced.turns[choices.kept_from].start
        assert priced.request.total - dropped < context
        tree = MessageTree(HOME, [*path, *copies])
        assert tree.path_to(copies[-1].id) == copies
        assert copies[0].name == choices.branch_name
        assert not {one.id for one in copies} & {one.id for one in path}


def test_instructions_that_were_given_before_hold_on() -> None:
    path, priced = path_of([30, 30, 30, 30, 20])
    path[0] = Message.new(HOME, None, "user", "x", instructions="Be brief", thinks=False)
    copies = kept_branch(path, context_choices(path, priced, 110))
    assert (copies[0].instructions, copies[0].thinks) == ("Be brief", False)


def test_where_nothing_was_counted_what_is_left_is_judged_by_its_length() -> None:
    path, _ = path_of([40_000, 40_000, 10, 10, 5])
    far = CostEstimate(1, RequestReport(4096, 0, 0, 0), (), None, is_far_too_long=True)
    choices = context_choices(path, far, 4096)
    assert choices.left_out == 2
    assert context_choices(path, far, 4096, said=40_000).left_out == 2
    assert context_choices(path, far, 4096, said=400_000) == ContextChoices(None, None)


WORDS = "more " * 120


def refused(qtbot: QtBot, app: App, script: Script) -> tuple[Message, ...]:
    """Talk until the context is nearly full, and then say what does not fit; returns the path before that."""
    ready(qtbot, app)
    for number in range(3):
        script.answers[f"Question {number}"] = "word " * (CONTEXT // 4)
        ask(qtbot, app, f"Question {number}")
    app.chat.open_draft.write(WORDS)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price.startswith("Does not fit: "))
    path = app.library.tree.path
    app.chat.requests.send(WORDS)
    assert app.chat.state.now.card is not None
    return path


def runs(script: Script) -> int:
    return sum(isinstance(command, Generate) for command in script.commands)


def test_words_that_do_not_fit_are_refused_with_numbers_and_choices(qtbot: QtBot, app: App, script: Script) -> None:
    path = refused(qtbot, app, script)
    card = app.chat.state.now.card
    assert card is not None
    assert f"reads at most {CONTEXT}," in card.sentence
    labels = [card.action_label, *(label for label, _ in card.choices), card.other_label]
    assert labels == ["Leave Out the First 4\u00a0Turns", "Fork at an Earlier Question", "Not Now"]
    assert runs(script) == 3
    app.act(card.action_id)
    qtbot.waitUntil(lambda: len(app.library.tree.children(None)) == 2)
    kept = app.library.tree.path
    assert kept[0].name == "Without the first 4 turns"
    assert [one.text for one in kept] == [one.text for one in path[4:]]
    assert app.notices.now.text == "New branch: Without the first 4 turns."
    assert runs(script) == 3
    assert app.chat.drafts.of(app.library.open_id).text == WORDS
    qtbot.waitUntil(lambda: app.chat.state.now.can_send)
    app.chat.requests.send(WORDS)
    qtbot.waitUntil(lambda: runs(script) == 4)
    ended(qtbot, app, 4)
    assert all(message.id in app.library.tree for message in path)


def test_an_earlier_question_is_forked_with_the_words_put_aside(qtbot: QtBot, app: App, script: Script) -> None:
    refused(qtbot, app, script)
    app.act("edit_earlier")
    assert app.chat.state.now.card is None
    assert app.chat.state.now.editing == "Question 2"
    app.chat.open_draft.cancel_edit()
    assert app.chat.drafts.of(app.library.open_id).text == WORDS


def test_leaving_out_is_undone_like_everything_else(qtbot: QtBot, app: App, script: Script) -> None:
    path = refused(qtbot, app, script)
    app.act("leave_out_oldest")
    qtbot.waitUntil(lambda: len(app.library.tree.children(None)) == 2)
    app.act("undo")
    qtbot.waitUntil(lambda: len(app.library.tree.children(None)) == 1)
    assert [one.id for one in app.library.tree.path] == [one.id for one in path]


def test_not_now_leaves_the_words_where_they_are(qtbot: QtBot, app: App, script: Script) -> None:
    path = refused(qtbot, app, script)
    app.act("dismiss")
    assert app.chat.state.now.card is None
    assert app.chat.drafts.of(app.library.open_id).text == WORDS
    assert app.library.tree.path == path


def test_a_question_that_was_stored_and_does_not_fit_has_the_same_choices(
    qtbot: QtBot, app: App, script: Script
) -> None:
    """Another model reads less than the one for which it was asked."""
    refused(qtbot, app, script)
    app.act("dismiss")
    app.chat.open_draft.write("")
    app.chat.question_queue.send(app.library.open_id, app.library.tree.leaf_id, WORDS)
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    qtbot.waitUntil(lambda: len(app.chat.state.now.card.choices if app.chat.state.now.card else ()) == 2)
    app.act("leave_out_oldest")
    qtbot.waitUntil(lambda: len(app.library.tree.children(None)) == 2)
    assert app.library.tree.path[-1].text == WORDS
    qtbot.waitUntil(lambda: app.chat.state.now.can_answer)


def info_of(limit: int, own: int) -> ModelInfo:
    return ModelInfo("/m", "m", "", "print", limit, 0, (), True, own_context=own)


def test_a_limit_is_raised_to_what_is_needed_and_never_beyond_the_model() -> None:
    """At random: what is proposed has room for the branch and an answer, or nothing is."""
    for seed in chosen(range(500)):
        rng = random.Random(seed)
        own, total = rng.randint(200, 100_000), rng.randint(1, 120_000)
        limit = rng.choice([own, rng.randint(128, own)])
        priced = CostEstimate(1, RequestReport(total, 0, 0, 0), (), None)
        raised = raised_limit(priced, info_of(limit, own))
        assert bool(raised) is (limit <= total < own)
        if raised:
            assert limit < raised <= own
            assert raised > total
            assert raised == own or (raised % 1024 == 0 and total <= 0.75 * raised)
    far = CostEstimate(1, RequestReport(1000, 0, 0, 0), (), None, is_far_too_long=True)
    assert raised_limit(far, info_of(1000, 8000)) == 8000, "it was not counted how much is needed"
    assert raised_limit(far, info_of(1000, 2000)) == 0, "it comes to more than twice as much"


LIMIT = 200


def limited(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    assert app.model.limit_context(app.model.current_model.path, str(LIMIT)) == ""
    qtbot.waitUntil(lambda: app.model.state.now.context_length == LIMIT)


def test_the_limit_is_raised_from_the_card_and_the_words_can_be_sent(qtbot: QtBot, app: App, script: Script) -> None:
    limited(qtbot, app)
    ask(qtbot, app, "Hello")
    words = "more " * LIMIT
    app.chat.open_draft.write(words)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price.endswith("Return offers to raise the limit"))
    app.chat.requests.send(words)
    card = app.chat.state.now.card
    assert card is not None
    assert f"is limited to {LIMIT} tokens," in card.sentence
    assert (card.action_label, card.action_id) == (f"Raise the Limit to {CONTEXT}\u00a0Tokens", "raise_limit")
    opened = sum(isinstance(command, LoadModel) for command in script.commands)
    app.act("raise_limit")
    assert app.chat.state.now.card is None
    qtbot.waitUntil(lambda: app.chat.state.now.can_send)
    assert LimitContext(None) in script.commands
    assert sum(isinstance(command, LoadModel) for command in script.commands) == opened
    assert app.settings.values.context_limits == {}
    assert "reads at most" in app.notices.now.text
    app.chat.requests.send(words)
    ended(qtbot, app, 4)
    assert app.library.tree.path[-2].text == words


def test_a_question_that_was_stored_can_be_answered_when_the_limit_is_raised(
    qtbot: QtBot, app: App, script: Script
) -> None:
    limited(qtbot, app)
    app.chat.question_queue.send(app.library.open_id, None, "more " * LIMIT)
    qtbot.waitUntil(lambda: "raise_limit" in ways(app))
    app.act("raise_limit")
    qtbot.waitUntil(lambda: app.chat.state.now.can_answer and app.model.state.now.context_length == CONTEXT)
    app.chat.requests.send("")
    ended(qtbot, app, 2)


def test_a_context_that_is_full_says_that_its_limit_can_be_raised(qtbot: QtBot, app: App, script: Script) -> None:
    limited(qtbot, app)
    script.answers["Talk"] = "word " * LIMIT
    ask(qtbot, app, "Talk")
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == chat_text.LIMIT_REACHED)
    app.act("raise_limit")
    qtbot.waitUntil(lambda: app.chat.state.now.send_price.startswith("Warm"))


def ways(app: App) -> list[str]:
    card = app.chat.state.now.card
    return [] if card is None else [card.action_id, *(verb for _, verb in card.choices)]
