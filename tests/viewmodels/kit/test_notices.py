"""One notice at a time, its button, and the progress that covers it."""

from __future__ import annotations

import random
from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.reports import Problem
from app.viewmodels.kit import notices as module
from app.viewmodels.kit.notices import Notice, Notices
from tests.seeds import chosen

FULL = Problem("The disk is full", "Nothing is saved.")


class History:
    """A number of steps, of which the last is taken back."""

    def __init__(self) -> None:
        self.steps = 0


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def notices(history: History) -> Notices:
    return Notices(lambda: history.steps)


@pytest.fixture
def heard(notices: Notices) -> list[str]:
    heard: list[str] = []
    notices.announced.connect(heard.append)
    return heard


def test_the_last_one_is_shown_and_each_is_announced(notices: Notices, heard: list[str]) -> None:
    assert notices.now == Notice()
    notices.info("Saved.")
    assert (notices.now.text, notices.now.is_good) == ("Saved.", True)
    notices.error(FULL)
    assert (notices.now.text, notices.now.is_good) == ("The disk is full. Nothing is saved.", False)
    notices.error(None)
    assert not notices.now.is_refusal
    notices.announce("For the ear alone")
    assert heard == ["Saved.", "The disk is full. Nothing is saved.", "For the ear alone"]
    notices.dismiss()
    assert notices.now == Notice()


def test_a_second_problem_is_told_beside_the_first_and_keeps_its_button(notices: Notices) -> None:
    pressed: list[str] = []
    notices.add_error(None)
    notices.warn("It crashed.", "Show Log", lambda: pressed.append("log"))
    notices.add_error(FULL)
    assert notices.now.text == "It crashed. The disk is full. Nothing is saved."
    notices.press()
    assert pressed == ["log"]


def test_a_problem_that_is_over_is_no_longer_shown_and_another_one_stays(notices: Notices) -> None:
    notices.error(FULL)
    notices.withdraw(Problem("The disk is slow", "Wait."))
    assert notices.now.text
    notices.withdraw(FULL)
    assert not notices.now.text


def test_each_of_several_is_closed_by_itself_when_it_is_over(notices: Notices, history: History) -> None:
    """Whatever is told beside it: what is over stands no longer, what lasts stays, and nothing stands twice."""
    problems = [Problem(f"Problem {number}", "It is so.") for number in range(3)]
    for seed in chosen(range(200)):
        dice, shown, lasting = random.Random(seed), list[str](), set[str]()
        notices.dismiss()
        for _ in range(20):
            problem = dice.choice(problems)
            text = f"{problem.title}. {problem.sentence}"
            match dice.randrange(7):
                case 0 | 1:
                    notices.add_error(problem)
                    shown = [*(one for one in shown if one != text), text]
                case 2:
                    notices.keep_telling(problem)
                    shown = [*(one for one in shown if one != text), text]
                    lasting.add(text)
                case 3 | 4:
                    notices.withdraw(problem)
                    shown = [one for one in shown if one != text]
                    lasting.discard(text)
                case 5:
                    notices.warn("It crashed.", "Show Log", str)
                    shown = [*(one for one in shown if one in lasting), "It crashed."]
                case _:
                    notices.close("It crashed.")
                    shown = [one for one in shown if one != "It crashed."]
            assert notices.now.text == " ".join(shown), f"seed {seed}"
            assert notices.now.label == ("Show Log" if "It crashed." in shown else ""), f"seed {seed}"


def test_undo_stays_beside_a_problem_until_its_step_is_no_longer_the_last(notices: Notices, history: History) -> None:
    asked: list[int] = []
    notices.undoAsked.connect(asked.append)
    history.steps = 3
    notices.info("Deleted.", undo_step=3)
    notices.add_error(FULL)
    notices.press()
    assert asked == [3]
    assert not notices.now.is_good
    history.steps = 4
    notices.follow_history()
    assert (notices.now.text, notices.now.label) == ("The disk is full. Nothing is saved.", "")


def test_progress_covers_a_notice_and_is_announced_once(notices: Notices, heard: list[str]) -> None:
    cancelled: list[bool] = []
    notices.info("Saved.")
    for share in ("", " 10 %", " 20 %"):
        notices.show_progress(f"Reading{share}…", lambda: cancelled.append(True))
    assert (notices.now.text, notices.now.label, notices.now.is_good) == ("Reading 20 %…", "Cancel", True)
    notices.press()
    assert cancelled == [True]
    notices.show_progress("", lambda: None)
    assert notices.now.text == "Saved."
    assert heard == ["Saved.", "Reading…"]


def test_undo_is_offered_for_the_last_step_and_for_no_other(notices: Notices, history: History) -> None:
    """Whatever else is told, done and taken back meanwhile: a button never takes back another step than it says."""
    asked: list[int] = []
    notices.undoAsked.connect(asked.append)
    for seed in chosen(range(200)):
        dice = random.Random(seed)
        shown = history.steps = 0
        notices.dismiss()
        for _ in range(20):
            match dice.randrange(5):
                case 0:
                    history.steps += 1
                    notices.follow_history()
                    shown = shown if shown == history.steps else 0
                case 1:
                    history.steps += 1
                    shown = history.steps
                    notices.info("Deleted.", undo_step=shown)
                case 2:
                    notices.error(FULL)
                    shown = 0
                case 3:
                    history.steps += 1  # on the store's thread, before anybody was told
                case _:
                    asked.clear()
                    notices.press()
                    wanted = [shown] if shown and shown == history.steps else []
                    assert asked == wanted, f"seed {seed}"
            assert (notices.now.label == "Undo") == bool(shown and shown == history.steps), f"seed {seed}"


def test_whoever_shows_it_hears_of_each_change(notices: Notices) -> None:
    count: list[str] = []
    notices.changed.connect(lambda: count.append(notices.now.text))
    notices.info("Saved.")
    notices.announce("For the ear alone")
    notices.show_progress("Reading…", lambda: None)
    notices.show_progress("", lambda: None)
    notices.dismiss()
    assert count == ["Saved.", "Reading…", "Saved.", ""]


def test_what_was_not_done_is_told_apart_from_what_was(notices: Notices, heard: list[str]) -> None:
    notices.refuse("There is nothing to undo.")
    assert (notices.now.is_refusal, notices.now.is_good) == (True, True)
    notices.add_error(FULL)
    assert (notices.now.is_refusal, notices.now.is_good) == (False, False)
    assert heard[0] == "There is nothing to undo."
    notices.refuse(FULL)
    assert (notices.now.text, notices.now.is_refusal) == ("The disk is full. Nothing is saved.", True)


def test_why_nothing_was_done_goes_when_it_was_read(
    qtbot: QtBot, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_MS", 0)
    monkeypatch.setattr(module, "_MS_TO_LETTER", 0)
    notices.refuse("There is nothing to undo.")
    assert notices.now.text
    qtbot.waitUntil(lambda: notices.now == Notice())
    notices.refuse("There is nothing to undo.")
    notices.info("Saved.")  # which stays
    qtbot.wait(20)
    assert notices.now.text == "Saved."
    notices.refuse("There is nothing to undo.")
    assert notices.now.text == "There is nothing to undo."
    qtbot.waitUntil(lambda: notices.now.text == "Saved.")


def test_why_nothing_was_done_takes_nothing_away(notices: Notices, history: History) -> None:
    """Whatever is told, in whichever window: once it is closed, what it stood over is there as if it had never been."""
    for seed in chosen(range(200)):
        dice, twin = random.Random(seed), Notices(lambda: history.steps)
        history.steps = 0
        notices.dismiss()
        notices.dismiss()
        for _ in range(20):
            act, window = dice.randrange(5), dice.randrange(3)
            for one in (notices, twin):
                one.front = partial(int, window)
                match act:
                    case 0:
                        history.steps += one is notices
                        one.info("Deleted.", undo_step=history.steps)
                    case 1:
                        one.add_error(FULL)
                    case 2:
                        one.withdraw(FULL)
                    case 3:
                        one.follow_history()
                    case _ if one is notices:
                        one.refuse("There is nothing to undo.")
                        assert one.now_in(window).is_refusal
                        assert not one.now_in(window).label
            others = [one for one in (1, 2) if not notices.now_in(one).is_refusal]
            assert [_told(notices, one) for one in others] == [_told(twin, one) for one in others], f"seed {seed}"
            if notices.now.is_refusal and dice.random() < 0.5:
                notices.dismiss()
                assert [_told(notices, one) for one in (1, 2)] == [_told(twin, one) for one in (1, 2)], f"seed {seed}"


def test_undo_in_one_window_is_its_own_whatever_another_is_told(notices: Notices, history: History) -> None:
    asked: list[int] = []
    notices.undoAsked.connect(asked.append)
    notices.front, history.steps = lambda: 1, 3
    notices.info("Deleted.", undo_step=3)
    notices.front = lambda: 2
    notices.refuse("There is nothing to redo.")
    notices.press(1)
    assert asked == [3]
    notices.dismiss(1)
    assert (notices.now_in(1).text, notices.now_in(2).text) == ("", "There is nothing to redo.")
    notices.dismiss(2)
    assert notices.now == Notice()


def _told(notices: Notices, window: int) -> tuple[str, str]:
    shown = notices.now_in(window)
    return shown.text, shown.label
