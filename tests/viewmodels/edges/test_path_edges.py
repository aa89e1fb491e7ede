"""An edge belongs to the messages whose tokens it holds, else to the one that its tokens come before."""

from __future__ import annotations

from app.conversation.message import Message, new_id
from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import RequestReport
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.edges.path_edges import PathEdges

# Instructions, a question with what the template puts after it, the answer; two tokens open the next message.
ENDS = [(0, 50), (50, 69), (69, 85), (85, 87)]


def along() -> PathEdges:
    home = new_id()
    question = Message.new(home, None, "user", "Which pears keep?")
    answer = Message.new(home, question.id, "assistant", "Quinces.")
    after = Message.new(home, answer.id, "user", "And plums?")
    nodes = {
        number: TrieNodeView(number, number - 1 or None, *place, "", 1, "memory", (), False, False, 1, 0.0)
        for number, place in enumerate(ENDS, 1)
    }
    turns = tuple(TurnResidency(*place, "memory") for place in ((50, 67), (69, 85), (87, 95)))
    priced = CostEstimate(0, RequestReport(95, 87, 87, 87), turns, None, edge=len(ENDS), known=87)
    return PathEdges.of((question, answer, after), priced, nodes)


def test_instructions_and_a_templates_own_tokens_belong_to_the_message_after_them() -> None:
    path = along()
    assert path.ids == {1, 2, 3, 4}
    said = [[one.text for one in path.on(frozenset({edge}))] for edge in (1, 2, 3, 4)]
    assert said == [["Which pears keep?"], ["Which pears keep?"], ["Quinces."], ["And plums?"]]
    assert [one.text for one in path.on(frozenset({1, 2, 3}))] == ["Which pears keep?", "Quinces."]
    assert path.on(frozenset({9})) == []
    assert path.named_by(frozenset({1})) is None, "none begins there"


def test_messages_are_marked_on_the_rows_that_hold_their_own_tokens() -> None:
    path = along()
    assert [path.holding(one.id) for one in path.messages] == [[2], [3], []]
