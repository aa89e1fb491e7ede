"""Run as a program, to be killed: talks into a store and reports each commit on standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from app.conversation.kept_choices import NewChoices
from app.conversation.store import Store
from app.protocol.choices import Choice, pack
from tests.conversation.builders import asked


def main() -> None:
    """Ask, append numbered words for ever; one line for each thing that is committed."""
    store = Store(Path(sys.argv[1]))
    for turn in range(sys.maxsize):
        _, question, answer = asked(store, f"Question {turn}")
        tell("asked", question.conversation_id)
        for word in range(turn + 5):
            store.messages.append_text(answer.id, f"{word} " * 50)
            tell("word", str(word))
        choices = NewChoices(pack([Choice(9_000 - turn)] * 5000))
        store.messages.finish(answer.id, stop="finished", ids=range(5000), choices=choices)
        tell("finished", answer.id)


def tell(kind: str, value: str) -> None:
    sys.stdout.write(f"{kind} {value}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
