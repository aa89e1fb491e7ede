"""What a branch is called is the same in every list."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.message import Conversation, Message, new_id, title_from
from app.conversation.records import ListedBranch
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import branch_rows
from app.viewmodels.library.conversation_rows import Shown, conversation_rows
from app.viewmodels.map.map_runs import map_items
from app.viewmodels.text.branch_titles import branch_title
from app.viewmodels.warmth.price_card import following_branch

HOME = new_id()
MARKED = "## **Plan** `four` days"


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
