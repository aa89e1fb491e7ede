"""A sentence that denies what the program can do is found, and what the guide learns holds none."""

from __future__ import annotations

from random import Random

import pytest
from guide_model.commands import commands, menu_path
from guide_model.denials import SPOKEN_OF, TRUE, denials, sentences
from guide_model.dialogue import FIRST, SECOND, TAUGHT, TOPICS, Mix, conversation

OLD_LIES = (
    "There is no search yet.",
    "Searching is not there yet. The list at the left shows every conversation.",
    "Deleting is not there yet. Every branch and conversation is kept.",
    "Not yet: branches and conversations cannot be deleted in this version.",
    "Folders and names for branches are not there yet.",
    "Not yet. There are no folders, and branches have no names in this version.",
    "Pinning and a cache on disk are not there yet. The cache lives in memory; your text is saved.",
    "Not yet. The cache is in memory only, so after a restart a branch is read again once.",
    "Export and import are not there yet. You can copy a message with Cmd-C.",
    "There is no map of the branches yet. The cache pane shows the tree of tokens.",
    "A map is not there yet. Step through versions with the arrows at a fork.",
    "Branches have no names yet. A conversation can be renamed.",
    "Names and labels for branches are not there yet; the arrows at a fork count the versions.",
    "The text of an answer cannot be edited yet.",
    "Only questions can be edited so far.",
    "There are no settings.",
    "Two answers cannot be compared yet.",
    "There is no command palette.",
    "Several answers at once are not there yet. Press Cmd-R for another one.",
    "One answer at a time, so far.",
    "The likely other words at a place are not shown.",
    "Word alternatives are not there yet. Change the word yourself with Cmd-E.",
    "Espalier is no server and connects to none: the model runs in the program, for you alone.",
    "There is no server and no cloud model here.",
)


@pytest.mark.parametrize("text", OLD_LIES)
def test_what_the_guide_once_denied_is_found(text: str) -> None:
    assert denials(text) != []


def test_that_a_command_is_not_there_is_found_for_each_that_has_a_path() -> None:
    for command in commands():
        if command != "quit":
            assert denials(f"{menu_path(command)} is not there yet.") != []


def test_what_is_said_of_every_command_is_known() -> None:
    assert SPOKEN_OF.keys() >= TAUGHT
    assert SPOKEN_OF.keys() <= set(commands())


@pytest.mark.parametrize("text", ["Press Cmd-F and type a word.", "There is no sync yet.", "The old branch stays."])
def test_what_is_true_is_no_denial(text: str) -> None:
    assert denials(text) == []


def test_no_answer_that_is_learned_denies_what_exists() -> None:
    assert [found for topic in TOPICS for text in topic.answers + topic.more for found in denials(text)] == []


@pytest.mark.parametrize("mix", [FIRST, SECOND], ids=["first", "second"])
def test_no_drawn_answer_denies_what_exists(mix: Mix) -> None:
    rng = Random(21)
    said = [text for _ in range(1500) for role, text in conversation(rng, mix) if role == "assistant"]
    assert [found for text in said for found in denials(text)] == []


def test_every_audited_sentence_is_still_said() -> None:
    said = {sentence for topic in TOPICS for text in topic.answers + topic.more for sentence in sentences(text)}
    assert said >= TRUE
