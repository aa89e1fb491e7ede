"""What a branch is called is the same in every list."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from app.conversation.message import Conversation, Message, new_id, title_from
from app.conversation.records import ListedBranch
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import branch_rows
from app.viewmodels.branches.outline_nodes import OutlineChoice, outline_nodes
from app.viewmodels.comparison.comparison import _branches
from app.viewmodels.library.conversation_rows import Shown, conversation_rows
from app.viewmodels.map.map_runs import map_items
from app.viewmodels.text.branch_titles import branch_title, branch_title_among, neighbours, title_apart
from app.viewmodels.warmth.price_card import following_branch, version_branch

HOME = new_id()
MARKED = "## **Plan** `four` days"
WITHOUT_SPACES = "果樹を壁に這わせるにはどうすればよいですか"


def test_a_branch_is_called_by_its_name_or_its_first_words_or_who_speaks() -> None:
    message = Message.new(HOME, None, "user", MARKED)
    assert branch_title(message) == "“Plan four days”"
    assert branch_title(replace(message, name="**Lisbon**")) == "**Lisbon**"
    assert branch_title(Message.new(HOME, message.id, "assistant", "***", model_name="Qwen3 8B")) == "Qwen3 8B"


def test_no_list_shows_the_marks_of_markdown() -> None:
    tree = MessageTree(HOME)
    tree.add(Message.new(HOME, None, "user", MARKED))
    tree.add(Message.new(HOME, None, "user", "another way"))
    first = tree.siblings(tree.path[0].id)[0]
    (listed, _other) = branch_rows(tree)
    item, _other_item = (one for some in map_items(tree, {}.get) for one in some)
    priced = following_branch(tree, first.id)
    assert priced is not None
    rows = conversation_rows(
        [Conversation(HOME, title_from(MARKED), 0.0, 0.0)],
        Shown(HOME, (), "", 0.0, branches={HOME: [ListedBranch(first.id, HOME, "", True, MARKED)]}),
    )
    assert [row.title for row in rows] == ["Plan four days", "“Plan four days”"]
    assert {listed.title, item.label, priced.title} == {"“Plan four days”"}


def test_the_map_tells_a_branch_apart_from_those_that_it_follows() -> None:
    """As the outline does: one scene after the other is asked for in the same words."""
    tree, words = MessageTree(HOME), "Write, in the voice of an old sailor, the scene "
    before: str | None = None
    for place in ("in the harbour", "at sea", "on the island"):
        for text in (f"{words}{place}", "Stop here"):
            tree.add(Message.new(HOME, before, "user", text))
        before = tree.siblings(tree.path[-1].id)[0].id
    items = [item for some in map_items(tree, {}.get) for item in some]
    assert [item.apart for item in items if item.label.startswith("“Write")] == [
        "",
        "“…the scene at sea”",
        "“…the scene on the island”",
    ]
    (last,) = (one for one in neighbours(tree, before or "") if one.id == before)
    assert [one.text for one in neighbours(tree, last.id)][:2] == [f"{words}at sea", f"{words}in the harbour"]


def apart(*texts: str) -> list[str]:
    versions = [Message.new(HOME, None, "user", text) for text in texts]
    return [title_apart(one, versions) for one in versions]


def test_versions_that_begin_alike_are_told_apart_by_what_they_go_on_with() -> None:
    found = apart("Tell me a long story", "Tell me a story about a **wolf**", "Tell me a story about a hen")
    assert found == ["", "“…about a wolf”", "“…about a hen”"], "the first one's title says enough"
    long = "You are a gardener who answers in one sentence. " * 60
    found = apart(f"{long}Which pear?", f"{long}Which plum?\n\nFor a wall.")
    assert found == ["“…Which pear?”", "“…Which plum? For a wall.”"]
    story = "Tell me a long story"
    found = apart(story, story, "Tell me a long stork", f"{story}, please")
    assert found == ["“…long story”", "“…long story”", "“…a long stork”", "“…long story, please”"]
    pear, early = (Message.new(HOME, None, "user", f"{begun}Which pear?") for begun in (long, ""))
    assert [branch_title_among(one, [pear, early]) for one in (pear, early)] == [branch_title(pear), "“Which pear?”"]
    plum = Message.new(HOME, None, "user", f"{long}Which plum?")
    assert branch_title_among(pear, [pear, early, plum]) == "“…Which pear?”"
    found = apart(f"{WITHOUT_SPACES}梨", f"{WITHOUT_SPACES}桃")
    assert found == ["“…にはどうすればよいですか梨”", "“…にはどうすればよいですか桃”"]


def test_a_name_an_early_difference_and_equal_words_need_no_other_title() -> None:
    assert apart("Which pears?", "Which plums?") == ["", ""]
    assert apart("Tell me a long story", "Tell me a long story") == ["", ""]
    assert apart("Tell me a long story") == [""]
    assert apart(f"{'so ' * 4_000}on", f"{'so ' * 4_000}forth") == ["", ""], "further than anybody looks"
    named = replace(Message.new(HOME, None, "user", "Tell me a long story"), name="Long")
    assert title_apart(named, [named, Message.new(HOME, None, "user", "Tell me a long stork")]) == ""


@pytest.mark.parametrize("seed", range(10))
def test_no_two_versions_that_differ_are_called_the_same(seed: int) -> None:
    dice = Random(seed)
    for _ in range(50):
        common = "".join(dice.choice("ab \n") for _ in range(dice.randrange(100)))
        texts = {f"x{common}{dice.choice('cde')}{dice.choice('fgh')}" for _ in range(dice.randint(2, 6))}
        found = [title for title in apart(*sorted(texts)) if title]
        assert len(set(found)) == len(found)


def test_branches_that_begin_with_the_same_words_are_called_by_the_first_others() -> None:
    tree = MessageTree(HOME)
    for answer in ("Once a small fox", "Once a brave fox"):
        question = Message.new(HOME, None, "user", "Tell me a story")
        tree.add(question)
        tree.add(Message.new(HOME, question.id, "assistant", answer))
    titles = ["“Once a small fox”", "“Once a brave fox”"]
    assert [row.title for row in branch_rows(tree)] == titles
    assert [item.label for some in map_items(tree, {}.get) for item in some] == titles
    assert [one.name for one in _branches(tree, ())] == titles
    priced = [version_branch(tree, tree.path[0].id, number) for number in range(2)]
    assert [one and one.title for one in priced] == titles
    for words in ("brave", "story brave", "tell"):
        assert len(outline_nodes(tree, OutlineChoice(words=words))) == (2 if words == "tell" else 1)


@pytest.mark.parametrize("seed", range(20))
def test_branches_called_the_same_say_the_same(seed: int) -> None:
    """Beside each other and without a name: as far as the shorter one goes, or until they fork."""
    dice, tree, ids = Random(seed), MessageTree(HOME), list[str | None]([None])
    for _ in range(40):
        above = dice.choice(ids[-12:])
        message = Message.new(HOME, above, "assistant", dice.choice(("one", "two", "two", "")))
        tree.add(replace(message, name="Named") if dice.random() < 0.05 else message)
        ids.append(message.id)
    rows = list(branch_rows(tree))
    for row, other in combinations([row for row in rows if not row.name], 2):
        mine, others = (_texts(tree, one.id) for one in (row, other))
        if row.title == other.title and row.parent_id == other.parent_id and mine[0] == others[0]:
            shorter = min(len(mine), len(others))
            assert mine[:shorter] == others[:shorter] or "" in mine + others, f"{mine} {others}"


def _texts(tree: MessageTree, first_id: str) -> list[str]:
    """Say what is said in a run."""
    run = tree.run_of(first_id)
    path = tree.path_to(run.last_id)
    return [one.text for one in path[-run.length :]]


def test_prices_and_menus_tell_long_versions_apart_too() -> None:
    tree, long = MessageTree(HOME), "You are a gardener who answers in one sentence and never names a price. "
    for kind in ("pear", "plum"):
        tree.add(Message.new(HOME, None, "user", f"{long}Which {kind}?"))
    told = ["“…Which pear?”", "“…Which plum?”"]
    priced = [version_branch(tree, tree.path[0].id, number) for number in range(2)]
    assert [one and one.title for one in priced] == told
    followed = [following_branch(tree, one.id) for one in tree.siblings(tree.path[0].id)]
    assert [one and one.title for one in followed] == told
    assert [one.name for one in _branches(tree, ())] == told
