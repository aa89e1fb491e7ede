"""Cost queries: one under way and one in line for each purpose, the newest wins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from PySide6.QtWidgets import QApplication

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.chat import Turn
from app.protocol.commands import Command, EstimateCost
from app.protocol.events import CostEstimate
from app.protocol.reports import RequestReport
from app.viewmodels.chat.branch_costs import MOST_SIBLINGS, REST, SLOW, WRITING_MS, BranchCosts
from app.viewmodels.chat.questions import Questions
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CAUTION, PATIENCE, CostQueries


class Bench:
    def __init__(self) -> None:
        self.now = 0.0
        self.sent: list[EstimateCost] = []
        self.heard: list[tuple[str, int]] = []
        self.queries = CostQueries(self.submit, lambda: self.now)

    def submit(self, command: Command) -> None:
        assert isinstance(command, EstimateCost)
        self.sent.append(command)

    def ask(self, purpose: str, text: str) -> None:
        turns = (Turn("user", text),)
        self.queries.ask(purpose, turns, lambda priced: self.heard.append((text, priced.request.total)))

    def answer(self, query: EstimateCost, total: int = 7) -> None:
        self.queries.take(CostEstimate(query.query_id, RequestReport(total, 0, 0, 0), (), None))


def asked(bench: Bench) -> list[str]:
    return [command.turns[0].text for command in bench.sent]


def test_the_newest_question_is_asked_after_the_one_under_way() -> None:
    bench = Bench()
    for text in ("a", "ab", "abc", "abcd"):
        bench.ask("send", text)
    assert asked(bench) == ["a"]
    bench.answer(bench.sent[0])
    assert asked(bench) == ["a", "abcd"]
    assert bench.heard == []
    bench.answer(bench.sent[1], total=4)
    assert bench.heard == [("abcd", 4)]


def test_purposes_do_not_wait_for_each_other() -> None:
    bench = Bench()
    bench.ask("send", "a")
    bench.ask("path", "b")
    assert asked(bench) == ["a", "b"]


def test_answers_nobody_waits_for_are_dropped() -> None:
    bench = Bench()
    bench.ask("send", "a")
    bench.ask("path", "b")
    bench.queries.drop("send")
    bench.answer(bench.sent[0])
    bench.queries.drop_all()
    bench.answer(bench.sent[1])
    bench.answer(EstimateCost(999, ()))
    assert bench.heard == []


def test_an_answer_to_another_window_is_not_taken() -> None:
    bench, other = Bench(), Bench()
    bench.ask("path", "a")
    other.ask("path", "b")
    bench.answer(other.sent[0])
    assert not bench.heard
    bench.answer(bench.sent[0])
    assert bench.heard == [("a", 7)]


def test_a_query_without_an_answer_does_not_block_the_next() -> None:
    bench = Bench()
    bench.ask("send", "")
    bench.now = PATIENCE + 0.1
    bench.ask("send", "b")
    assert asked(bench) == ["", "b"]
    bench.answer(bench.sent[1])
    assert bench.heard == [("b", 7)]


def test_a_slow_answer_is_waited_for_longer_than_a_quick_one() -> None:
    """QuestionQueue again for what is being computed would only make the next answer later."""
    bench = Bench()
    bench.ask("path", "long")
    bench.now = 30.0
    bench.answer(bench.sent[0])
    assert bench.queries.took == 30.0
    bench.ask("path", "longer")
    bench.now += 30.0 + PATIENCE
    bench.ask("path", "longest")
    assert asked(bench) == ["long", "longer"]
    bench.now += 30.0 * CAUTION
    bench.ask("path", "the longest of all")
    assert asked(bench) == ["long", "longer", "the longest of all"]


def test_prices_that_take_long_are_asked_for_less_often_while_an_answer_is_written(qapp: QApplication) -> None:
    bench = Bench()
    costs = BranchCosts(
        bench.queries, cast(CurrentModel, None), cast(Questions, SimpleNamespace(at_engine=("a question",)))
    )
    for took, wait in ((0.0, WRITING_MS), (0.9 * SLOW, WRITING_MS), (3.0, 3000 * REST)):
        bench.queries.took = took
        costs.renew()
        assert costs._path_timer.interval() == wait
        costs._path_timer.stop()


def test_a_price_that_waited_for_an_answer_is_asked_for_when_that_ends(qapp: QApplication) -> None:
    """Wherever it was written: in another conversation, or in another window."""
    bench, questions = Bench(), SimpleNamespace(at_engine=("a question",))
    costs = BranchCosts(bench.queries, cast(CurrentModel, None), cast(Questions, questions))
    bench.queries.took = 3.0
    costs.renew()
    assert costs._path_timer.remainingTime() > 1000
    questions.at_engine = ()
    costs.renew()
    assert costs._path_timer.remainingTime() == 0


def test_no_price_is_asked_of_an_answer_that_says_nothing(qapp: QApplication) -> None:
    """Stopped before its first word, at the end of the path and beside it."""
    bench, tree = Bench(), MessageTree(new_id())
    model = cast(CurrentModel, SimpleNamespace(info=object(), fingerprint=None))
    costs = BranchCosts(bench.queries, model, Questions())
    question = Message.new(tree.conversation_id, None, "user", "a")
    tree.add(question)
    for text in ("b", "", " "):
        tree.add(Message.new(tree.conversation_id, question.id, "assistant", text))
    costs.show(tree)
    costs._path_timer.stop()
    costs._ask_path()
    assert [[turn.text for turn in command.turns] for command in bench.sent] == [["a"], ["a", "b"]]


def test_the_versions_right_beside_the_path_are_asked_about_first(qapp: QApplication) -> None:
    """Each of them has a disc of its own, however many versions there are."""
    bench, home = Bench(), new_id()
    question = Message.new(home, None, "user", "Why?")
    answers = [Message.new(home, question.id, "assistant", f"Because {number}") for number in range(20)]
    tree = MessageTree(home, [question, *answers])
    costs = BranchCosts(bench.queries, cast(CurrentModel, SimpleNamespace(info=True, fingerprint="")), Questions())
    for opened, beside in ((19, {18}), (9, {8, 10}), (0, {1})):
        tree.select(answers[opened].id)
        bench.sent.clear()
        bench.queries.drop_all()
        costs.show(tree)
        costs._ask_path()
        said = [command.turns[-1].text for command in bench.sent]
        assert said[0] == f"Because {opened}"
        assert set(said[1 : 1 + len(beside)]) == {f"Because {number}" for number in beside}
        assert len(said) == 1 + MOST_SIBLINGS
