"""What a session told before it was killed, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LAST = 3.0  # seconds before the kill in which the store's pace is looked at


@dataclass
class Told:
    """asked: (conversation, question) in the order the engine got them. answers: pieces shown, with times, by message.

    siblings: the answers that were asked for at once, by their run. wordless: (run, lane) of those that had ended
    without a word, so that nothing of them need be stored; lane: None for all of a run.

    doing: what came last. kept: bytes on disk as last told. killed_at: by `time.monotonic`.
    """

    asked: list[tuple[str, str]] = field(default_factory=list)
    answers: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    siblings: dict[int, list[str]] = field(default_factory=dict)
    wordless: set[tuple[int, int | None]] = field(default_factory=set)
    probes: list[tuple[float, float]] = field(default_factory=list)  # asked and answered at
    notices: list[str] = field(default_factory=list)
    doing: str = "nothing"
    kept: int = 0
    killed_at: float = 0.0

    def take(self, line: dict[str, Any]) -> None:
        """One line of the session's."""
        match line["kind"]:
            case "asked":
                self.asked.append((line["conversation"], line["text"]))
            case "shown":
                self.answers.setdefault(line["message"], []).append((line["at"], line["text"]))
            case "siblings":
                self.siblings[line["run"]] = line["messages"]
            case "wordless":
                self.wordless.add((line["run"], line["lane"]))
            case "probe":
                self.probes.append((line["begun"], line["at"]))
            case "notice":
                self.notices.append(line["text"])
            case "doing":
                self.doing = line["what"]
            case "kept":
                self.kept = line["bytes"]

    @property
    def pace(self) -> float:
        """Seconds: the longest that a request to the store took lately, or that no request was answered at the end."""
        recent = [end - begin for begin, end in self.probes if end > self.killed_at - LAST]
        last = max((end for _, end in self.probes), default=self.killed_at)
        return max([*recent, self.killed_at - last])

    def check_answer(self, message_id: str, stored: str, saved_every: float) -> None:
        """What was shown so long ago, and as long as the store takes, is stored; AssertionError when it is not."""
        pieces = self.answers[message_id]
        whole = "".join(text for _, text in pieces)
        oldest = self.killed_at - saved_every - 2 * self.pace
        due = "".join(text for at, text in pieces if at < oldest)
        assert stored.startswith(due), f"of an answer {len(stored)} characters are stored, {len(due)} were due"
        assert whole.startswith(stored) or stored.startswith(whole), "another text is stored than was shown"

    def check_siblings(self, stored: Iterable[str]) -> None:
        """Of answers that were asked for at once all are stored or none, in their order; AssertionError otherwise.

        stored: ids of messages, oldest first. One that had ended without a word may be missing.
        """
        known = list(stored)
        for run, asked in self.siblings.items():
            found = [one for one in known if one in asked]
            due = [one for lane, one in enumerate(asked) if self.wordless.isdisjoint({(run, lane), (run, None)})]
            assert not found or set(due) <= set(found), f"of {len(asked)} answers {len(found)} are stored"
            assert found == [one for one in asked if one in found], "answers are stored in another order"
