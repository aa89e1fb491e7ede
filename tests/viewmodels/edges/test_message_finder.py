"""The search for the messages of a row goes on to its end, whatever becomes of the conversation meanwhile."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.commands import Command, EstimateCost
from app.protocol.events import CostEstimate, CostRefused, TurnResidency
from app.protocol.reports import Problem, RequestReport
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.edges.message_finder import Found, MessageFinder
from app.viewmodels.warmth.cost_queries import CostQueries
from tests.seeds import chosen

EDGE = TrieNodeView(1, None, 0, 100, "", 1, "memory", (), False, False, 1, 0.0)
REFUSED = Problem("It cannot be read", "So it is.")


def test_an_edge_of_no_conversation_is_looked_for_in_none() -> None:
    library = SimpleNamespace(tree_of=lambda _id: None)
    store = SimpleNamespace(do=lambda *_: pytest.fail("the database was asked for no conversation"))
    queries = CostQueries(lambda command: pytest.fail(f"the engine was asked: {command}"))
    model = SimpleNamespace(info=object(), fingerprint="one")
    of_all = cast(Any, store), cast(Any, library), cast(Any, model), queries, lambda: {1: EDGE}
    finder = MessageFinder(*of_all, "row")
    found: list[Found | None] = []
    finder.find("", frozenset({1}), found.append)
    assert found == [None]
    finder.deleteLater()


def test_a_search_ends_once_whatever_is_deleted_or_refused_meanwhile() -> None:
    for seed in chosen(range(200)):
        rng = random.Random(seed)
        tree = MessageTree(new_id())
        for number in range(rng.randrange(1, 12)):
            said = [None, *(run.last_id for run in tree.runs().values())]
            tree.add(Message.new(tree.conversation_id, rng.choice(said), "user", f"Message {number}"))
        messages = [tree.message(run.last_id) for run in tree.runs().values()]
        wanted = rng.choice(messages).text
        sent: list[EstimateCost] = []

        def submit(command: Command, sent: list[EstimateCost] = sent) -> None:
            assert isinstance(command, EstimateCost)
            sent.append(command)

        queries = CostQueries(submit)
        model = SimpleNamespace(info=object(), fingerprint="one")
        library = SimpleNamespace(tree_of=lambda _id, tree=tree: tree)
        of_all = cast(Any, None), cast(Any, library), cast(Any, model), queries, lambda: {1: EDGE}
        finder = MessageFinder(*of_all, "row")
        found: list[Found | None] = []
        finder.find(tree.conversation_id, frozenset({1}), found.append)
        while sent:
            query = sent.pop()
            left = [run.last_id for run in tree.runs().values()]
            left = [one for one in left if not tree.children(one)]
            if left and rng.random() < 0.4:
                tree.remove(rng.choice(left))
            if rng.random() < 0.3:
                queries.take(CostRefused(query.query_id, REFUSED))
                continue
            is_it = query.turns[-1].text == wanted
            turns = tuple(TurnResidency(at, at + 1, "memory") for at in range(len(query.turns)))
            report = RequestReport(len(turns), 0, 0, 0)
            queries.take(CostEstimate(query.query_id, report, turns, 0.1, edge=int(is_it), known=len(turns)))
        assert len(found) == 1, f"seed {seed}"
        assert found[0] is None or found[0].path[-1].id in tree, f"seed {seed}"
        finder.deleteLater()
