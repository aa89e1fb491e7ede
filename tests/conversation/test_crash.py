"""kill -9 in the middle of writing: nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from app.conversation.store import Store
from app.protocol.choices import unpack
from tests.seeds import each_seed

ROOT = Path(__file__).parents[2]


def killed_after(path: Path, lines: int) -> list[tuple[str, str]]:
    """What a writer had acknowledged when it was killed, shortly after so many commits."""
    command = [sys.executable, "-m", "tests.conversation.writer", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        told += child.stdout.readlines()
    assert child.returncode == -9
    return [(words[0], words[1]) for words in map(str.split, told) if len(words) == 2]


@each_seed(range(4))
def test_nothing_acknowledged_is_lost(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "conversations.sqlite", random.Random(seed)
    told = []
    for _ in range(2):  # the second writer goes on in the file that the first left
        told += killed_after(path, rng.randint(1, 120))
    store = Store(path)
    assert store.notice is None
    found = {conversation.id: store.messages.of(conversation.id) for conversation in store.conversations.all()}
    words: list[str] = []
    answer, ended = None, set()
    for kind, value in told:
        if kind == "asked":
            assert found[value][0].text.startswith("Question")
            answer, words = found[value][1], []
        elif kind == "word":
            words.append(f"{value} " * 50)
            assert answer is not None
            assert answer.text.startswith("".join(words))
        else:
            ended.add(value)
    assert any(kind == "asked" for kind, _ in told)
    answers = [message for messages in found.values() for message in messages if message.role == "assistant"]
    assert ended <= {message.id for message in answers if message.ids == tuple(range(5000))}
    for answer in answers:
        found_choices = store.messages.choices(answer.id)
        assert bool(found_choices) is (answer.ids is not None)
        assert not found_choices or len(unpack(found_choices)) == 5000
    for unfinished in [message for message in answers if message.is_unfinished]:
        assert unfinished.ids is None
        store.messages.append_text(unfinished.id, "and on")
        store.messages.finish(unfinished.id, stop="finished", ids=(1, 2))
    store.close()
