"""What stands in the way, and the way on: the card that takes the composer's place."""

from __future__ import annotations

from app.protocol.dataclass import dataclass

CHANGE_SERVER = ("Change Server…", "change_server")


@dataclass(frozen=True, slots=True)
class ProblemCard:
    """Something that stands in the way, shown in the composer's place until it is put right.

    action_id, other_id: the command, or what else of the table a card's button does. An empty label: no button.
    choices: labels and commands of more buttons between the two.
    message_id: the question that it is about, "" where it is about none.
    """

    title: str
    sentence: str
    action_label: str
    action_id: str
    other_label: str = ""
    other_id: str = ""
    message_id: str = ""
    choices: tuple[tuple[str, str], ...] = ()
