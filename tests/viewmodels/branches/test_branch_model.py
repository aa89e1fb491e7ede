"""The outline of branches against a tree that grows, shrinks and is gone about in at random."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_model import BranchModel
from app.viewmodels.branches.branch_rows import branch_rows
from app.viewmodels.branches.outline_nodes import MOST_STEPS, OutlineChoice, OutlineNode, outline_nodes
from app.viewmodels.branches.run_groups import LEAST_FOLDED, MOST_ANSWERS, MOST_BESIDE
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.warmth.warmth import Warmth
from tests.seeds import each_seed

HOME = new_id()
NBSP = "\N{NO-BREAK SPACE}"


def said(model: BranchModel) -> list[str]:
    """The titles of all rows, each after so many stops as it stands steps to the right."""
    return ["." * node.level + str(model.index_of(node.id).data()) for node in model.rows]


def in_a_row(tree: MessageTree, above: str | None, *texts: str) -> list[Message]:
    """Questions and answers, turn by turn, after a message."""
    made: list[Message] = []
    for number, text in enumerate(texts):
        parent = made[-1].id if made else above
        made.append(Message.new(HOME, parent, "assistant" if number % 2 else "user", text))
        tree.add(made[-1])
    return made


def grown() -> tuple[MessageTree, list[Message]]:
    """A trunk of two messages, below it "by train" with two ways to go on, and a named branch of ten messages."""
    tree = MessageTree(HOME)
    trunk = in_a_row(tree, None, "Lisbon", "Sure")
    train = in_a_row(tree, trunk[-1].id, "by train", "yes")
    in_a_row(tree, train[-1].id, "via Madrid")
    in_a_row(tree, train[-1].id, "the night train")
    cheap = in_a_row(tree, trunk[-1].id, *[f"text {number}" for number in range(10)])
    tree.replace(replace(cheap[0], name="cheaper"))
    return tree, [*trunk, *train, *cheap]


def model_of(tree: MessageTree, choice: OutlineChoice | None = None) -> BranchModel:
    model = BranchModel({}.get, lambda: 0.0)
    model.show_tree(tree, choice or OutlineChoice())
    return model


def test_branches_hang_below_where_they_fork(qapp: object) -> None:
    tree, _messages = grown()
    assert said(model_of(tree)) == [
        "“Lisbon”",
        ".“by train”",
        "..“via Madrid”",
        "..“the night train”",
        ".cheaper",
    ]


def test_only_what_hangs_below_a_row_can_be_shown(qapp: object) -> None:
    tree, messages = grown()
    model = model_of(tree, OutlineChoice(top=messages[2].id))
    assert said(model) == ["“by train”", ".“via Madrid”", ".“the night train”"]
    assert [node.level for node in model.rows] == [0, 1, 1]
    model.show_tree(tree, OutlineChoice(top=new_id()))  # of another conversation
    assert len(said(model)) == 5


def test_a_filter_leaves_what_has_all_its_words_in_name_or_first_message_and_what_is_above(qapp: object) -> None:
    tree, _messages = grown()
    model = model_of(tree, OutlineChoice(words="TRAIN night"))
    assert said(model) == ["“Lisbon”", ".“by train”", "..“the night train”"]
    assert [node.is_met for node in model.rows] == [False, False, True]
    for words, rows in (("cheaper", 2), ("text 0", 2), ("text 2", 0), ("nowhere", 0)):
        model.show_tree(tree, OutlineChoice(words=words))
        assert len(said(model)) == rows, words


def test_a_filter_leaves_one_row_of_a_trunk_above_each_branch_it_meets(qapp: object) -> None:
    tree = forked(20)
    trunk = tree.path
    tree.add(Message.new(HOME, trunk[11].id, "user", "as a table"), select=False)
    nodes = outline_nodes(tree, OutlineChoice(words="table"))
    assert [(node.level, node.is_met) for node in nodes] == [(0, False), (1, True)]
    assert nodes[0].id == trunk[11].id == nodes[1].parent_id


def test_a_run_that_is_unfolded_lists_its_questions_before_its_branches(qapp: object) -> None:
    tree, messages = grown()
    cheap = messages[4]
    model = model_of(tree, OutlineChoice(unfolded=frozenset({cheap.id})))
    assert said(model)[-5:] == [".cheaper", *[f".“text {number}”" for number in (2, 4, 6, 8)]]
    turn = list(model.rows)[-1]
    row = model.row(turn)
    assert (turn.is_turn, turn.level, row.count, row.last_id) == (True, 1, 2, messages[-1].id)
    tree.add(Message.new(HOME, messages[-3].id, "user", "a fork"))  # where the last question was
    model.show_tree(tree, OutlineChoice(unfolded=frozenset({cheap.id})))
    assert said(model)[-6:] == [
        ".cheaper",
        *[f".“text {number}”" for number in (2, 4, 6)],
        "..“text 8”",
        "..“a fork”",
    ]


def test_a_named_run_that_no_fork_leads_to_stands_under_the_one_before_it(qapp: object) -> None:
    tree, messages = grown()
    tree.replace(replace(messages[-2], name="the end"))
    model = model_of(tree)
    assert [node.level for node in model.rows] == [0, 1, 2, 2, 1, 1]
    assert said(model)[-1] == ".the end"


def test_the_open_path_is_known_by_the_rows_it_goes_through(qapp: object) -> None:
    tree, messages = grown()
    model = model_of(tree)

    def along() -> list[tuple[str, bool, int]]:
        """Which rows it goes through, where it goes on below, and on which level's line it goes past."""
        rows = enumerate(model.rows)
        return [(model.row(node).title, model.path_goes_on(at), model.path_past(at)) for at, node in rows]

    assert along() == [
        ("“Lisbon”", True, -1),
        ("“by train”", False, 0),
        ("“via Madrid”", False, 0),
        ("“the night train”", False, 0),
        ("cheaper", False, -1),
    ]
    tree.select(tree.leaf_below(messages[2].id))
    model.show_tree(tree, OutlineChoice())
    assert along()[:4] == [
        ("“Lisbon”", True, -1),
        ("“by train”", True, -1),
        ("“via Madrid”", False, 1),
        ("“the night train”", False, -1),
    ]
    model.show_tree(tree, OutlineChoice(words="Madrid"))
    assert along() == [("“Lisbon”", True, -1), ("“by train”", False, -1), ("“via Madrid”", False, -1)]


@each_seed(range(20))
def test_lines_go_past_the_rows_between_a_row_and_those_that_hang_on_it(seed: int) -> None:
    rng, tree = random.Random(seed), MessageTree(HOME)
    for step in range(60):
        _change(rng, tree, step)
    runs = list(tree.runs())
    some = frozenset(run for run in runs if rng.random() < 0.2)
    choice = OutlineChoice(rng.choice(["", *runs]), rng.choice(["", "", "1"]), some, frozenset(rng.sample(runs, 3)))
    nodes = outline_nodes(tree, choice)
    places = {node.id: at for at, node in enumerate(nodes)}
    past = [0] * len(nodes)
    hung = [False] * len(nodes)
    for at, node in enumerate(nodes):
        if node.parent_id is not None:
            above = places[node.parent_id]
            hung[above] = True
            for between in range(above + 1, at):
                past[between] |= 1 << nodes[above].level
    assert [node.trunks for node in nodes] == past
    assert [node.has_below for node in nodes] == [
        is_hung or node.is_closed for is_hung, node in zip(hung, nodes, strict=True)
    ]


def test_what_hangs_below_a_row_that_is_put_away_is_not_listed_but_found(qapp: object) -> None:
    tree, messages = grown()
    away = frozenset({messages[2].id, messages[4].id})
    model = model_of(tree, OutlineChoice(collapsed=away))
    assert said(model) == ["“Lisbon”", ".“by train”", ".cheaper"]
    assert [(node.has_below, node.is_closed) for node in model.rows] == [(True, False), (True, True), (False, False)]
    heard = model.index_of(messages[2].id).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard.endswith("collapsed")
    model.show_tree(tree, OutlineChoice(words="night", collapsed=away))
    assert said(model) == ["“Lisbon”", ".“by train”", "..“the night train”"]


def test_many_versions_that_nobody_has_gone_on_from_are_one_row(qapp: object) -> None:
    tree = MessageTree(HOME)
    question = in_a_row(tree, None, "Lisbon")[0]
    answers = [Message.new(HOME, question.id, "assistant", f"answer {number}") for number in range(50)]
    for answer in answers[:MOST_ANSWERS]:
        tree.add(answer)
    assert len(model_of(tree).rows) == 1 + MOST_ANSWERS
    for answer in answers[MOST_ANSWERS:]:
        tree.add(answer)
    tree.replace(replace(answers[20], name="the best"))
    in_a_row(tree, answers[30].id, "and then?")
    tree.select(answers[3].id)
    model = model_of(tree)
    titles = [
        *("“Lisbon”", f".20{NBSP}answers", ".“answer 3”", ".the best"),
        *(f".9{NBSP}answers", ".“answer 30”", f".19{NBSP}answers"),
    ]
    assert said(model) == titles
    group = model.rows[1]
    heard = model.index_of(group.id).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard.startswith(f"Level 2, 20{NBSP}answers, ")
    assert heard.endswith(", collapsed")
    assert not model.flags(model.index_of(group.id)) & Qt.ItemFlag.ItemIsEditable
    tree.select(answers[45].id)
    model.show_tree(tree, OutlineChoice())
    assert said(model)[-2:] == [f".19{NBSP}answers", ".“answer 45”"]
    model.show_tree(tree, OutlineChoice(unfolded=frozenset({group.id})))
    assert said(model)[1:22] == [f".20{NBSP}answers", *[f".“answer {number}”" for number in range(20)]]
    model.show_tree(tree, OutlineChoice(words="answer 47"))
    assert said(model) == ["“Lisbon”", ".“answer 47”"]


def test_eight_answers_are_one_row_and_those_that_somebody_cares_about_stand_beside_it(qapp: object) -> None:
    """One that is open, named, a favourite or gone on from; where few others are left each has its row."""
    tree = MessageTree(HOME)
    question = in_a_row(tree, None, "Lisbon")[0]
    answers = [Message.new(HOME, question.id, "assistant", f"answer {number}") for number in range(8)]
    for answer in answers:
        tree.add(answer)
    tree.select(answers[7].id)
    assert said(model_of(tree)) == ["“Lisbon”", f".8{NBSP}answers", ".“answer 7”"]
    tree.replace(replace(answers[0], name="the best"))
    assert said(model_of(tree))[1:] == [".the best", f".7{NBSP}answers", ".“answer 7”"]
    tree.replace(replace(answers[1], is_favourite=True))
    in_a_row(tree, answers[2].id, "and then?")
    tree.select(answers[0].id)
    assert said(model_of(tree))[1:] == [".the best", ".“answer 1”", ".“answer 2”", f".{LEAST_FOLDED}{NBSP}answers"]
    tree.replace(replace(answers[5], name="good too"))
    assert len(model_of(tree).rows) == 9


def test_versions_of_a_question_have_their_rows_up_to_a_larger_number(qapp: object) -> None:
    tree = MessageTree(HOME)
    answer = in_a_row(tree, None, "Lisbon", "It is a city.")[-1]
    for number in range(MOST_BESIDE + 1):
        assert len(model_of(tree).rows) == (1 + number if number > 1 else 1)
        tree.add(Message.new(HOME, answer.id, "user", f"question {number}"))
    assert said(model_of(tree))[1] == f".{MOST_BESIDE + 1}{NBSP}questions"


def test_a_long_path_with_many_forks_is_one_trunk_and_its_branches_stand_where_they_leave_it(qapp: object) -> None:
    tree = forked(6)  # five forks, and as many steps to the right
    assert [node.level for node in outline_nodes(tree, OutlineChoice())] == [0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1]
    tree = forked(9)
    nodes = outline_nodes(tree, OutlineChoice())
    assert [node.level for node in nodes] == [0, 1] * 7 + [0, 1, 1]
    trunk = [node.id for node in nodes if tree.is_on_path(node.id)]
    assert [node.parent_id for node in nodes if node.id in trunk] == [None, *trunk[:-1]]


@each_seed(range(20))
def test_the_steps_to_the_right_grow_with_the_logarithm_of_the_branches(seed: int) -> None:
    rng, tree, ids = random.Random(seed), MessageTree(HOME), list[str | None]([None])
    for _ in range(rng.choice([30, 300])):
        newest = rng.choice([1, 3, len(ids)])
        for _ in range(2):
            made = Message.new(HOME, ids[-rng.randint(1, min(newest, len(ids)))], "user", "text")
            tree.add(made, select=False)
            ids.append(made.id)
    nodes = outline_nodes(tree, OutlineChoice())
    assert max(node.level for node in nodes) <= max(MOST_STEPS, math.log2(len(nodes)) + 1)
    above = {node.id: node for node in nodes}
    for node in nodes:
        if node.parent_id is not None and node.parent_id in above:
            assert node.level - above[node.parent_id].level in (0, 1)


def test_a_row_is_said_with_level_size_tokens_and_warmth(qapp: object) -> None:
    tree, messages = grown()
    warm = {messages[-1].id: Warmth(382, 382, False, 3794, 0, None, 4096, is_warm=True)}
    model = BranchModel(warm.get, lambda: messages[-1].created_at)
    model.show_tree(tree, OutlineChoice())
    heard = model.index_of(messages[4].id).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == f"Level 2, cheaper, 10{NBSP}messages, now, 382{NBSP}tokens, warm, open"
    heard = model.index_of(messages[2].id).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == f"Level 2, “by train”, 2{NBSP}messages, now, expanded"


def test_rows_are_named_in_their_place(qapp: object) -> None:
    tree, messages = grown()
    model = model_of(tree)
    asked: list[tuple[str, str]] = []
    model.nameAsked.connect(lambda row_id, name: asked.append((row_id, name)))
    named, unnamed = model.index_of(messages[4].id), model.index_of(messages[2].id)
    assert (named.data(Qt.ItemDataRole.EditRole), unnamed.data(Qt.ItemDataRole.EditRole)) == ("cheaper", "")
    for index, text in ((named, "cheaper"), (unnamed, "  "), (unnamed, " By \n train "), (named, "")):
        assert model.setData(index, text)
    assert asked == [(messages[2].id, "By train"), (messages[4].id, "")]


def test_a_row_whose_message_is_gone_is_empty_until_the_outline_hears_of_it(qapp: object) -> None:
    tree, _messages = grown()
    model = model_of(tree)
    indexes = [model.index_of(node.id) for node in model.rows]
    tree.exchange(MessageTree(HOME))
    assert [index.data() for index in indexes] == [""] * 5
    model.show_tree(tree, OutlineChoice())
    assert model.rowCount() == 0


@each_seed(range(6))
def test_whatever_happens_to_a_tree_its_rows_follow_and_stay_themselves(qapp: object, seed: int) -> None:
    rng, tree = random.Random(seed), MessageTree(HOME)
    model = BranchModel({}.get, lambda: 0.0)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    resets, told = list[str](), set[str]()
    model.modelReset.connect(lambda: resets.append("reset"))

    def tell(first: QModelIndex, last: QModelIndex) -> None:
        told.update(model.rows[number].id for number in range(first.row(), last.row() + 1))

    model.dataChanged.connect(tell)
    for step in range(40):
        _change(rng, tree, step)
        unfolded = frozenset(run for run in tree.runs() if rng.random() < 0.2)
        choice = OutlineChoice(
            rng.choice(["", "", *tree.runs()]),
            rng.choice(["", "", "1"]),
            unfolded,
            frozenset(run for run in tree.runs() if rng.random() < 0.1),
        )
        before = {node.id: QPersistentModelIndex(model.index_of(node.id)) for node in model.rows}
        rows = {node.id: model.row(node) for node in model.rows}
        told.clear()
        model.show_tree(tree, choice)
        nodes: list[OutlineNode] = list(model.rows)
        if choice == OutlineChoice(unfolded=unfolded):
            listed = {node.id: model.row(node) for node in nodes if not (node.is_turn or node.folded)}
            assert listed == {row.id: row for row in branch_rows(tree)}
        for node in nodes:
            if node.id in before:
                assert before[node.id].data(RowRole.ROW) == node
                assert model.row(node) == rows[node.id] or node.id in told
    assert not resets
    del tester


def _change(rng: random.Random, tree: MessageTree, step: int) -> None:
    """Add, remove, name, or go somewhere else."""
    known = [message.id for run in tree.runs().values() for message in tree.path_to(run.last_id)]
    action = rng.choice(["add", "add", "go on", "select", "name", "remove"]) if known else "add"
    if action in ("add", "go on"):
        parent = tree.leaf_id if action == "go on" else rng.choice([None, *known])
        tree.add(Message.new(HOME, parent, rng.choice(["user", "assistant"]), f"text {step}"), rng.random() < 0.7)
    elif action == "select":
        tree.select(rng.choice(known))
    elif action == "name":
        tree.replace(replace(tree.message(rng.choice(known)), name=rng.choice([None, f"name {step}"])))
    else:
        tree.remove(rng.choice([run.last_id for run in tree.runs().values() if not run.children]))


def test_a_tree_of_twice_the_branches_takes_twice_the_steps(qapp: object) -> None:
    steps = [_steps(forked(count)) for count in (500, 1000)]
    for short, long in zip(*steps, strict=True):
        assert long < 2.3 * short + 200


def forked(count: int) -> MessageTree:
    """Forks at so many messages of one long branch: as deep as a tree can be."""
    tree = MessageTree(HOME)
    trunk = in_a_row(tree, None, *["text"] * count)
    for message in trunk:
        tree.add(Message.new(HOME, message.id, "assistant", "beside"), select=False)
    return tree


def _steps(tree: MessageTree) -> list[int]:
    """How many lines of Python it takes to show a tree, to filter it, to show all again, and to follow a fork."""
    model = BranchModel({}.get, lambda: 0.0)
    choices = [OutlineChoice(), OutlineChoice(words="text 1"), OutlineChoice()]
    found = [_lines(model, tree, choice) for choice in choices]
    assert tree.leaf_id is not None
    tree.add(Message.new(HOME, tree.path[len(tree.path) // 2].id, "user", "a fork"))
    return [*found, _lines(model, tree, OutlineChoice())]


def _lines(model: BranchModel, tree: MessageTree, choice: OutlineChoice) -> int:
    lines = 0

    def count(_frame: object, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        model.show_tree(tree, choice)
        while model.is_busy:
            QCoreApplication.processEvents()
    finally:
        sys.settrace(before)
    return lines
