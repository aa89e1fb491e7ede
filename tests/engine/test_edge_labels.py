"""The names of edges: each tells whose words it holds, wherever a branch was cut."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from app.engine.edge_labels import FEW, EdgeLabels
from app.kvcache.snapshot import CacheTrie, TrieNode
from app.kvcache.trie import Trie
from app.kvcache.view import EdgeLabel
from app.prompting.prompt import Prompt, PromptBuilder
from app.protocol.chat import Attachment, PromptOptions, Turn
from app.protocol.events import TrieChanged
from app.protocol.trie_view import TrieNodeView
from tests.engine.bench import Bench, user
from tests.fakes.tiny_tokenizer import byte_level
from tests.prompting.codecs import builder_of
from tests.seeds import chosen

TEMPLATES = Path(__file__).parent / "templates"
NAMED = ("qwen_3", "command_a", "seed_oss", "glm_4_6", "kimi_k2_thinking", "deepseek_r1", "bielik_3")
TALK = (user("the fox and the robin"), Turn("assistant", "once there was a moon"), user("and the river"))
WORDS = ("the", "fox", "and", "story", "robin", "moon", "river", "once", "there", "was")


def builder(path: Path, name: str) -> PromptBuilder:
    """A prompt builder whose tokenizer has the control tokens of its template."""
    if not name:
        return builder_of(path / "plain", None)
    template, tokenizer = (TEMPLATES / f"{name}.jinja").read_text(), byte_level()
    controls = set(re.findall(r"<[|｜]?[A-Za-z_▁｜]+[|｜]?>|\[/?[A-Z_]+\]", template))
    tokenizer.add_special_tokens(sorted(controls | {"[gMASK]", "<|im_user|>", "<|im_system|>"}))
    return builder_of(path / name, template, tokenizer)


def conversation(rng: random.Random) -> list[Turn]:
    def text() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(8, 30)))

    turns = [Turn("system", text())] if rng.random() < 0.5 else []
    for _ in range(rng.randint(1, 4)):
        turns += [user(text()), Turn("assistant", text())]
    return [*turns, user(text())]


def cut(prompt: Prompt, rng: random.Random) -> list[TrieNode]:
    """The edges of a branch, divided at random."""
    trie: CacheTrie = Trie()
    trie.append(trie.root, prompt.ids, ())
    for _ in range(rng.randint(0, 6)):
        node = rng.choice(list(trie))
        if len(node.tokens) > 1:
            trie.split(node, rng.randrange(node.start + 1, node.end))
    return list(trie)


@pytest.mark.parametrize("name", NAMED)
def test_an_edge_is_named_by_the_first_message_of_which_it_holds_more_than_a_few_tokens(
    tmp_path: Path, name: str
) -> None:
    """At random: against the places of the turns, which the prompt knows and the name does not."""
    made = builder(tmp_path, name)
    labels = EdgeLabels(made.codec, made.openings)
    for seed in chosen(range(40)):
        rng = random.Random(seed)
        turns = conversation(rng)
        prompt = made.build(turns)
        for node in cut(prompt, rng):
            label = labels(node)
            held = [
                (turn, max(start, node.start), min(end, node.end), start)
                for turn, start, end in zip(turns, prompt.turn_starts, prompt.turn_ends, strict=True)
                if min(end, node.end) - max(start, node.start) > FEW + 2
            ]
            if held:
                turn, begin, end, start = held[0]
                where = f"seed {seed}, edge {node.start}-{node.end}"
                if label.role == turn.role:
                    words = " ".join(made.codec.decode(prompt.ids[begin:end]).split())
                    assert words.startswith(label.words) or label.words.strip() in words, where
                    if label.is_continued:
                        above = made.codec.decode(prompt.ids[start:begin])
                        following = made.codec.decode(prompt.ids[start:end])[len(above) :]
                        assert label.words.startswith(" ") == following[:1].isspace(), where
                    begins = turn.text.startswith(label.words[:12])
                    assert label.is_continued == (start < node.start and not begins), where
                else:  # a little of the message before it
                    at = turns.index(turn)
                    assert at, where
                    assert label.role == turns[at - 1].role, where
                    assert prompt.turn_ends[at - 1] > node.start, where
            assert "<|" not in label.words, seed


def test_the_template_s_own_text_is_no_name(tmp_path: Path) -> None:
    made = builder(tmp_path, "qwen_3")
    prompt = made.build(TALK)
    trie: CacheTrie = Trie()
    trie.append(trie.root, prompt.ids, ())
    (node,) = trie
    for end, start in zip(prompt.turn_ends, prompt.turn_starts[1:], strict=False):
        (node,) = [one for one in trie if one.start <= end < one.end]
        trie.split(node, start)
        (upper,) = [one for one in trie if one.end == start]
        trie.split(upper, end)
        (gap,) = [one for one in trie if one.start == end]
        assert EdgeLabels(made.codec, made.openings)(gap).words == ""


def test_the_last_few_tokens_of_a_message_do_not_name_the_edge_of_the_next(tmp_path: Path) -> None:
    made = builder(tmp_path, "qwen_3")
    prompt = made.build(TALK)
    trie: CacheTrie = Trie()
    trie.append(trie.root, prompt.ids, ())
    (node,) = trie
    trie.split(node, prompt.turn_ends[1] - 2)
    *_, below = trie
    label = EdgeLabels(made.codec, made.openings)(below)
    assert label == EdgeLabel("and the river", "user", False)


def test_a_short_question_names_the_edge_that_begins_with_it(tmp_path: Path) -> None:
    made = builder(tmp_path, "qwen_3")
    prompt = made.build((Turn("user", "Hi"), Turn("assistant", "Hello, what would you like to know of pears?")))
    trie: CacheTrie = Trie()
    trie.append(trie.root, prompt.ids, ())
    (node,) = trie
    labels = EdgeLabels(made.codec, made.openings)
    assert labels(node) == EdgeLabel("Hi", "user", False)
    trie.split(node, prompt.turn_starts[0] + 1)
    *_, below = trie
    assert labels(below).role == "assistant"


def test_a_model_without_a_template_names_its_edges_too(tmp_path: Path) -> None:
    made = builder(tmp_path, "")
    prompt = made.build(TALK)
    trie: CacheTrie = Trie()
    trie.append(trie.root, prompt.ids, ())
    (node,) = trie
    trie.split(node, prompt.turn_starts[1])
    above, below = trie
    labels = EdgeLabels(made.codec, made.openings)
    assert (labels(above).role, labels(above).words) == ("user", "the fox and the robin")
    assert labels(below).role == "assistant"
    assert labels(below).words.startswith("once there was a moon")


def test_the_picture_says_who_said_what_and_for_whom(tiny: Bench) -> None:
    tiny.do(tiny.command(user("the fox and the robin in the moon"), owner="c"))
    options = PromptOptions("be kind to every fox that there is")
    tiny.ask(user("the fox and the robin in the moon"), options=options)
    nodes = {(node.role, node.label): node for node in _nodes(tiny)}
    question = next(node for (role, _), node in nodes.items() if role == "user")
    assert question.label.startswith("the fox and the robin")
    assert question.owners == {"c"}
    system = [node for (role, _), node in nodes.items() if role == "system"]
    assert [node.label.startswith("be kind") for node in system[:1]] == [True]


def _nodes(bench: Bench) -> tuple[TrieNodeView, ...]:
    return [event for event in bench.events if isinstance(event, TrieChanged)][-1].view.nodes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def grow(tree):\n    return tree\n", "fox.txt def grow(tree): return tree And that?"),
        ("# The fox\n\n* a **moon**\n", "fox.txt The fox a moon And that?"),
        ("a ``` b", "fox.txt a ``` b And that?"),
    ],
)
def test_a_name_has_the_words_of_a_file_without_what_stands_around_them(tmp_path: Path, text: str, words: str) -> None:
    made = builder(tmp_path, "")
    question = Turn("user", "And that?", attachments=(Attachment("fox.txt", "text", text),))
    prompt = made.build((question,))
    assert made.codec.label(prompt.ids[prompt.turn_starts[0] : prompt.turn_ends[0]]) == words


def test_where_there_are_marks_alone_they_are_the_name(tmp_path: Path) -> None:
    made = builder(tmp_path, "")
    prompt = made.build((user("```"),))
    assert made.codec.label(prompt.ids[prompt.turn_starts[0] : prompt.turn_ends[0]]) == "```"
