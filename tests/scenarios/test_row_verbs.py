"""What is offered for a row of the cache can be done with it, whatever the row holds."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from app.protocol.events import Evicted, Pinned, RunFinished, TrieChanged, WarmedUp
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.actions import enabled
from tests.fakes.model_folder import write_model_folder
from tests.scenarios.sitting import SitDown, Sitting

INSTRUCTIONS = "You are a gardener who knows everything about pears, and next to nothing of plums. " * 2
VERBS: dict[str, type[Pinned | WarmedUp | Evicted]] = {
    "pin_row": Pinned,
    "unpin_row": Pinned,
    "warm_up_row": WarmedUp,
    "evict_row": Evicted,
}


def branched(sitting: Sitting) -> None:
    """Two conversations with the same instructions, one of them with three branches, two of which are pinned."""
    app = sitting.app
    app.chat.settings.instruct(INSTRUCTIONS)
    sitting.ask("Which pears keep?")
    app.library.new_conversation()
    app.chat.settings.instruct(INSTRUCTIONS)
    for words in ("Which pears keep?", "And which do not?", "Until when?"):
        sitting.ask(words)
    for words in ("And which plums?", "And which quinces?"):
        app.act("pin")
        sitting.until(lambda: app.library.tree.path[-1].is_pinned)
        app.chat.open_draft.begin_edit(app.library.tree.path[2].id)
        sitting.ask(words)


def act(sitting: Sitting, verb: str, shown: list[str]) -> None:
    """Do it, and wait until all of it is done. shown: messages that were brought into view."""
    app, outcome = sitting.app, VERBS.get(verb)
    if outcome is None:
        shown.clear()
        app.act(verb)
        sitting.until(lambda: bool(shown))
        return
    told, pictures = len(sitting.told(outcome)), len(sitting.told(TrieChanged))
    app.act(verb)
    sitting.until(lambda: len(sitting.told(outcome)) > told and len(sitting.told(TrieChanged)) > pictures)
    assert sitting.told(outcome)[-1].problem is None
    sitting.until(lambda: app.edges.warm_ups.now is None and not app.workspace.cached_branches._asked_pins)
    sitting.until(lambda: not app.library.changes.is_pending)


def is_thought(sitting: Sitting, node: TrieNodeView | None) -> bool:
    """Whether a row was read with a thought, which no branch has any more once its answer has ended."""
    nodes = {one.id: one for one in sitting.app.cache_rows.trie_model.shown.nodes}
    thoughts = " ".join(" ".join(one.thinking.split()) for one in sitting.told(RunFinished))
    while node is not None and not (node.role == "assistant" and node.label.strip()[:8] in thoughts):
        node = nodes.get(node.parent_id or 0)
    return node is not None


@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_what_is_offered_for_a_row_can_be_done(sit_down: SitDown, tmp_path: Path, kind: str) -> None:
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", kind=kind, ends=False))
    app, shown = sitting.app, list[str]()
    app.chat.open_branch.messageShown.connect(shown.append)
    app.edges.wake()
    branched(sitting)
    app.edges.show_others(True)
    rng, done = random.Random(5), Counter[str]()
    for _ in range(60):
        sitting.until(lambda: "verify" in enabled(app.state.now))
        nodes = app.cache_rows.trie_model.shown.nodes
        pinned = [node for node in nodes if node.is_pinned]
        node = rng.choice(pinned if pinned and rng.random() < 0.4 else nodes)
        app.edges.choose(node.id)
        tried = {"show_row", "evict_row"} if is_thought(sitting, node) else {"show_row", *VERBS}
        offered = sorted(tried & set(enabled(app.state.now)))
        if offered:  # that which was done least: where an answer has a thought, few rows have all of them
            verb = min(offered, key=lambda one: (done[one], rng.random()))
            act(sitting, verb, shown)
            done[verb] += 1
    assert done.keys() == {"show_row", *VERBS}
