"""The record of what a server was sent: what it predicts is what a server would find that keeps as its rule says."""

from __future__ import annotations

from random import Random

import pytest

from app.protocol.chat import PromptOptions, Sampling, Turn
from app.protocol.commands import EstimateCost, Generate
from app.protocol.reports import Reason, Source
from app.remote.belief import Belief
from app.remote.chunks import Chunk, Usage
from app.remote.prompts import MessagePrompts
from app.remote.record import Record, Rule, Span
from app.remote.written import Written
from tests.seeds import each_seed

Ids = tuple[int, ...]


class Blocks:
    """A server that keeps whole blocks of all that it was sent, and forgets some when it is told to."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.held: set[Ids] = set()

    def find(self, ids: Ids) -> int:
        found = 0
        while found + self.block <= len(ids) - 1 and ids[: found + self.block] in self.held:
            found += self.block
        return found

    def take(self, ids: Ids) -> None:
        self.held |= {ids[:end] for end in range(self.block, len(ids) + 1, self.block)}

    def forget(self, random: Random) -> None:
        gone = random.choice(sorted(self.held)) if self.held else ()
        self.held = {one for one in self.held if not gone or one[: len(gone)] != gone}


class Slots:
    """A server that keeps its newest sequences."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.kept: list[Ids] = []

    def find(self, ids: Ids) -> int:
        return max((shared(one, ids) for one in self.kept), default=0) if len(ids) > 1 else 0

    def take(self, ids: Ids) -> None:
        self.kept = [*(one for one in self.kept if ids[: len(one)] != one), ids][-self.slots :]


class PutAway:
    """A server with slots that puts away what would be lost. slots: what each holds, and when it was used last."""

    def __init__(self, slots: int) -> None:
        self.slots: list[tuple[Ids, int]] = [((), 0)] * slots
        self.away: list[Ids] = []
        self.uses = 0

    def find(self, ids: Ids) -> int:
        _, found = self.choose(ids, self.away.copy())
        return min(found, len(ids) - 1)

    def take(self, ids: Ids, whole: Ids) -> None:
        at, _ = self.choose(ids, self.away)
        self.uses += 1
        self.slots[at] = (whole, self.uses)

    def choose(self, ids: Ids, away: list[Ids]) -> tuple[int, int]:
        """The slot, and what it holds of a prompt once something was put away or taken back."""
        alike = [common(held, ids) for held, _ in self.slots]
        at = max(range(len(alike)), key=alike.__getitem__)
        if 10 * alike[at] <= len(ids):
            at = min(reversed(range(len(alike))), key=lambda slot: self.slots[slot][1])
        elif 2 * alike[at] >= len(self.slots[at][0]):
            return at, alike[at]
        held = self.slots[at][0]
        if held and not any(one[: len(held)] == held for one in away):
            away[:] = [*(one for one in away if held[: len(one)] != one), held]
        found, worth, back = alike[at], alike[at] / len(held) if held else -1.0, Ids()
        for one in away:
            both = common(one, ids)
            if 4 * both >= len(one) and both > found and both / len(one) > worth:
                found, worth, back = both, both / len(one), one
        if back:
            away.remove(back)
        return at, found


def common(one: Ids, ids: Ids) -> int:
    return shared(one, (*ids, -1))


def shared(one: Ids, ids: Ids) -> int:
    found = 0
    while found < min(len(one), len(ids) - 1) and one[found] == ids[found]:
        found += 1
    return found


def branch(random: Random, branches: list[Ids]) -> Ids:
    """Go on from anywhere in a branch that there is."""
    start = random.choice(branches)
    return start[: random.randrange(len(start) + 1)] + tuple(random.randrange(4) for _ in range(random.randrange(1, 9)))


@pytest.mark.parametrize("block", [1, 3, 8])
@each_seed(range(40))
def test_of_blocks_everything_is_predicted(block: int, seed: int) -> None:
    random, record, server = Random(seed), Record(Rule(block)), Blocks(block)
    branches: list[Ids] = [(1, 2, 3)]
    for _ in range(60):
        ids = branch(random, branches)
        branches.append(ids)
        found = server.find(ids)
        assert record.predicted(ids) == found
        record.take(ids, (), "a", found)
        server.take(ids)


@pytest.mark.parametrize("slots", [1, 2, 5])
@each_seed(range(40))
def test_of_few_sequences_the_newest_are_believed_in(slots: int, seed: int) -> None:
    random, record, server = Random(seed), Record(Rule(sequences=slots)), Slots(slots)
    branches: list[Ids] = [(1, 2, 3)]
    for _ in range(60):
        ids = branch(random, branches)
        branches.append(ids)
        assert record.predicted(ids) == server.find(ids)
        record.take(ids, (), "a", server.find(ids))
        server.take(ids)


@pytest.mark.parametrize("rule", [Rule(), Rule(16), Rule(sequences=1, puts_away=True), Rule(sequences=4)])
@pytest.mark.parametrize("asked", [0, 1, 2])
def test_a_server_that_was_started_again_unseen_is_believed_in_no_more(rule: Rule, asked: int) -> None:
    """What was asked last would be there in any other one; the first tokens are those of all conversations."""
    record = Record(rule)
    said = [(1, 2, *range(1000 * number, 1000 * number + 200)) for number in range(1, 4)]
    for ids in said:
        record.take(ids, (), str(ids[2]), 2 if record.predicted(ids) else 0)
    assert [record.predicted((*ids, 9)) for ids in said] == [len(said[0]) // rule.block * rule.block] * 3
    record.take((*said[asked], 9), (), "a", 0)
    others = [ids for ids in said if ids is not said[asked]]
    assert all(record.predicted((*ids, 9)) <= 2 for ids in others)
    assert record.predicted((*said[asked], 9, 9)) >= 200 // rule.block * rule.block


def test_what_was_used_later_than_what_is_gone_is_still_believed_in() -> None:
    record = Record(Rule())
    said = [tuple(range(1000 * number, 1000 * number + 200)) for number in range(1, 4)]
    for ids in said:
        record.take(ids, (), "a", 0)
    record.take((*said[1], 9), (), "a", 0)
    assert [record.predicted((*ids, 9)) for ids in said] == [0, 200, 200]


@pytest.mark.parametrize("rule", [Rule(1), Rule(8), Rule(sequences=2)])
@each_seed(range(20))
def test_of_a_server_that_is_started_again_nothing_is_believed(rule: Rule, seed: int) -> None:
    def started() -> Blocks | Slots:
        return Slots(rule.sequences) if rule.sequences else Blocks(rule.block)

    random, record, server = Random(seed), Record(rule), started()
    branches: list[Ids] = [(1, 2, 3)]
    for _ in range(60):
        if random.random() < 0.1:
            server = started()
            record.lose()
            assert not any(node.residency == "believed" for node in record.view("Studio").nodes)
        ids = branch(random, branches)
        branches.append(ids)
        assert record.predicted(ids) == server.find(ids)
        record.take(ids, (), "a", server.find(ids))
        server.take(ids)
        assert record.seen(ids) == len(ids), "it was sent all the same"


@each_seed(range(40))
def test_what_a_server_let_go_of_is_believed_no_more_once_it_has_said_so(seed: int) -> None:
    random, record, server = Random(seed), Record(Rule(2)), Blocks(2)
    branches: list[Ids] = [(1, 2, 3)]
    for _ in range(80):
        if random.random() < 0.1:
            server.forget(random)
        ids = branch(random, branches)
        branches.append(ids)
        found = server.find(ids)
        record.take(ids, (), "a", found)
        server.take(ids)
        assert record.predicted(ids) == server.find(ids), "what was sent last is there"


@pytest.mark.parametrize("slots", [1, 2, 4])
@each_seed(range(40))
def test_what_slots_have_put_away_comes_back(slots: int, seed: int) -> None:
    random, record, server = Random(seed), Record(Rule(sequences=slots, puts_away=True)), PutAway(slots)
    branches: list[Ids] = [(1, 2, 3)]
    for _ in range(60):
        ids = (*branch(random, branches), random.randrange(4))
        found = server.find(ids)
        assert record.predicted(ids) == found
        whole = (*ids, *(random.randrange(4) for _ in range(random.randrange(4))))
        branches.append(whole)
        record.take(whole, (), "a", found, len(ids))
        server.take(ids, whole)


@each_seed(range(20))
def test_that_nothing_is_put_away_is_learned(seed: int) -> None:
    """By an older server, or one that was told so."""
    random, record, server = Random(seed), Record(Rule(sequences=1, puts_away=True)), Slots(1)
    branches: list[Ids] = [(1, 2, 3)]
    right = 0
    for number in range(60):
        ids = branch(random, branches)
        branches.append(ids)
        found = server.find(ids)
        right += record.predicted(ids) == found if number >= 20 else 0
        record.take(ids, (), "a", found)
        server.take(ids)
    assert right >= 24, "of the last forty"


class Whole:
    """A server whose caches cannot be cut: it finds whole sequences that a prompt begins with."""

    def __init__(self) -> None:
        self.kept: list[Ids] = []

    def find(self, ids: Ids) -> int:
        return max((len(one) for one in self.kept if len(one) < len(ids) and ids[: len(one)] == one), default=0)

    def take(self, ids: Ids) -> None:
        self.kept.append(ids)


@each_seed(range(40))
def test_that_a_cache_cannot_be_cut_is_learned(seed: int) -> None:
    random, record, server = Random(seed), Record(Rule()), Whole()
    branches: list[Ids] = [(1, 2, 3)]
    right = 0
    for number in range(60):
        ids = (*branch(random, branches), 9)
        found = server.find(ids)
        right += record.predicted(ids) == found if number >= 20 else 0
        whole = (*ids, *(random.randrange(4) for _ in range(5)))
        record.take(whole, (), "a", found, len(ids))
        server.take(whole)
        branches.append(whole)
    assert right >= 32, "of the last forty"


def test_a_shortfall_doubts_what_hangs_behind_it() -> None:
    record = Record(Rule())
    record.take((1, 2, 3, 4, 5), (), "a", 0)
    record.take((1, 2, 3, 6, 7), (), "a", 3)
    record.take((1, 2, 3, 8), (), "a", 1)
    assert record.predicted((1, 2, 3, 4, 5, 9)) == 3
    assert record.predicted((1, 2, 3, 8, 9)) == 4


def test_the_picture_has_every_token_once_and_knows_whose_they_are() -> None:
    spans = (Span(0, 3, "user", "First"), Span(3, 5, "assistant", "Answer"))
    record = Record(Rule())
    record.take((1, 2, 3, 4, 5), spans, "a")
    record.take((1, 2, 3, 9), (*spans[:1], Span(3, 4, "assistant", "Other")), "b")
    view = record.view("Studio")
    assert view.place == "Studio"
    assert [(one.start, one.end, one.label, one.role) for one in view.nodes] == [
        (0, 3, "First", "user"),
        (3, 5, "Answer", "assistant"),
        (3, 4, "Other", "assistant"),
    ]
    assert [one.owners for one in view.nodes] == [{"a", "b"}, {"a"}, {"b"}]
    assert {one.residency for one in view.nodes} == {"believed"}
    assert record.forget("a")
    assert [one.label for one in record.view("Studio").nodes] == ["First", "Other"]
    assert not record.forget("a")


def test_edges_begin_where_messages_do() -> None:
    record = Record(Rule())
    spans = (Span(0, 2, "user", "First"), Span(2, 5, "assistant", "Answer"), Span(5, 6, "user", "Next"))
    record.take((1, 2, 3, 4, 5, 6), spans, "a")
    record.take((1, 2, 3, 4, 7), (*spans[:1], Span(2, 5, "assistant", "Another")), "a")
    assert [(one.start, one.end, one.label, one.is_continued) for one in record.view("").nodes] == [
        (0, 2, "First", False),
        (2, 4, "", False),
        (4, 5, "Answer", False),
        (5, 6, "Next", False),
        (4, 5, "Another", False),
    ]


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        ("What is a branch?", "What is a fork?", [("What is a", False), (" branch?", True), (" fork?", True)]),
        ("What is a branch?", "Which keys?", [("", False), ("What is a branch?", False), ("Which keys?", False)]),
        ("Go on", "Go on, please", [("Go", False), (" on", True), (" on, please", True)]),
        ("Go on", "Go on", [("Go on", False), ("Go on", True), ("Go on", True)]),
        ("", "Go", [("", False), ("", False), ("Go", False)]),
    ],
)
def test_what_two_messages_share_is_called_by_what_both_begin_with(
    first: str, second: str, labels: list[tuple[str, bool]]
) -> None:
    record = Record(Rule())
    record.take((1, 2, 3, 4), (Span(0, 4, "user", first),), "a")
    record.take((1, 2, 8, 9), (Span(0, 4, "user", second),), "b")
    assert [(one.label, one.is_continued) for one in record.view("").nodes] == labels


@pytest.mark.parametrize(
    "rule", [Rule(), Rule(sequences=3), Rule(sequences=1 << 29), Rule(sequences=1 << 29, puts_away=True)]
)
def test_it_never_grows_beyond_its_room(rule: Rule) -> None:
    """Also not by one sequence, nor by those that a server keeps."""
    random, record = Random(1), Record(rule, most=500)
    for _ in range(200):
        ids = tuple(random.randrange(50) for _ in range(random.choice((40, 40, 200, 500, 501, 900))))
        known = record.seen(ids)
        record.take(ids, (), "a")
        assert record.seen(ids) == (len(ids) if len(ids) <= 500 else known)
        assert sum(one.tokens for one in record.view("").nodes) <= 500
        assert sum(map(len, record._kept)) <= 500


def turns(*words: str) -> tuple[Turn, ...]:
    return tuple(Turn("assistant" if number % 2 else "user", one) for number, one in enumerate(words))


def test_messages_come_to_what_the_server_has_counted() -> None:
    random = Random(4)
    prompts, counted = MessagePrompts(), {}
    said: tuple[str, ...] = ()
    for number in range(20):
        said = (*said, f"Question {number} " * random.randrange(1, 30))
        counted[said[-1]] = random.randrange(1, 90)
        prompt = prompts.build(turns(*said), PromptOptions())
        prompts.learn(prompt, sum(counted[one] for one in said))
        assert len(prompts.build(turns(*said), PromptOptions()).ids) == sum(counted[one] for one in said)
        said = (*said, f"Answer {number} " * random.randrange(1, 30))
        counted[said[-1]] = random.randrange(1, 90)
        prompts.learn_answer(said[-1], counted[said[-1]])
        whole = prompts.build(turns(*said), PromptOptions())
        assert len(whole.ids) == sum(counted[one] for one in said)
        assert whole.turns[-1] == (len(whole.ids) - counted[said[-1]], len(whole.ids))


def test_no_message_has_more_tokens_than_it_can_have_whatever_a_server_counts() -> None:
    random, prompts, said = Random(5), MessagePrompts(), ("Hi", "Yes?", "Größe " * 50, "ok", "日本 " * 9)
    most = [len(one.encode()) + 1024 for one in said]
    for _ in range(200):
        count = random.randrange(1, len(said) + 1)
        prompt = prompts.build(turns(*said[:count]), PromptOptions())
        prompts.learn(prompt, random.choice((0, 7, 3000, 10**5, (1 << 40) - 1)))
        prompts.learn_answer("ok", random.choice((-3, 7, 1027, 10**5, (1 << 40) - 1)))
        built = prompts.build(turns(*said), PromptOptions())
        lengths = [span.end - span.start for span in built.spans]
        assert all(1 <= length <= bound for length, bound in zip(lengths, most, strict=True))
        assert prompts.with_answer(built, "New").spans[-1].end <= sum(most) + 3 + 1024


def test_a_count_that_cannot_be_is_not_learned_from() -> None:
    prompts, asked = MessagePrompts(), turns("Hello", "Hello?", "How are you?")
    prompts.learn(prompts.build(asked, PromptOptions()), 40)
    known = prompts.build(asked, PromptOptions())
    more = turns("Hello", "Hello?", "How are you?", "Well", "And you?")
    guessed = prompts.build(more, PromptOptions())
    prompts.learn(guessed, 1 << 39)
    assert prompts.build(more, PromptOptions()) == guessed
    assert len(known.ids) == 40


def test_a_system_prompt_lies_where_the_instructions_do() -> None:
    asked = (Turn("system", "Old"), *turns("Hello"))
    prompt = MessagePrompts().build(asked, PromptOptions(instructions="Be brief"))
    assert [span.words for span in prompt.spans] == ["Be brief", "Hello"]
    assert prompt.turns == tuple((span.start, span.end) for span in prompt.spans)
    without = MessagePrompts().build(asked, PromptOptions(instructions=""))
    assert without.turns[0] == (0, 0)


def written(text: str, usage: Usage) -> Written:
    found = Written(1)
    found.take(Chunk(text=text))
    found.take(Chunk(finish="stop", usage=usage))
    return found


def settle(belief: Belief, run: int, usage: Usage, *said: str, answer: str) -> None:
    command = Generate(run, turns(*said), Sampling(), "a")
    belief.settle(command, belief.prompt(command), written(answer, usage))


def test_a_branch_is_priced_without_asking_anybody() -> None:
    belief = Belief(Rule(16), "Studio")
    cold = belief.estimate(EstimateCost(1, turns("Hello?")))
    assert (cold.request.cached, cold.request.source, cold.is_warm) == (0, Source.PREDICTED, False)
    settle(belief, 1, Usage(40, 24, 0), "Hello?", answer="Good day")
    warm = belief.estimate(EstimateCost(2, turns("Hello?", "Good day", "And?")))
    assert warm.request.cached == 64
    assert [turn.residency for turn in warm.turns] == ["believed", "believed", "none"]
    assert belief.estimate(EstimateCost(4, turns("Hello?", "Good day"))).is_warm
    fork = belief.estimate(EstimateCost(3, turns("Hello?", "Good day", "And more of it " * 40)))
    assert (fork.request.cached, fork.turns[-1].residency) == (64, "none")
    assert fork.seconds is None or fork.seconds > 0


def test_what_was_let_go_is_said_with_the_answer() -> None:
    belief = Belief(Rule(1), "Studio")
    settle(belief, 1, Usage(100, 20, 0), "Hello?", answer="Good day")
    command = Generate(2, turns("Hello?", "Good day", "And?"), Sampling(), "a")
    report = belief.settle(command, belief.prompt(command), written("Yes", Usage(125, 2, 10)))
    assert (report.total, report.cached, report.source, report.reason) == (125, 10, Source.REPORTED, Reason.LET_GO)
