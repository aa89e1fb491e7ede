"""Stop texts: nothing of one is ever shown, and nothing else is kept back for long."""

from __future__ import annotations

import pytest

from app.prompting.output import OutputText
from app.prompting.stop import StopText
from app.protocol.reports import StopReason
from tests.engine.bench import Bench, user


def pushed(stop: StopText, *texts: str) -> list[str]:
    return [stop.push(text) for text in texts]


def test_a_stop_text_split_over_pushes_is_never_shown() -> None:
    stop = StopText(("END",))
    assert pushed(stop, "the E", "N", "D and more") == ["the ", "", ""]
    assert stop.is_met
    assert stop.rest() == ""


def test_what_turns_out_to_be_none_is_shown_late() -> None:
    stop = StopText(("END",))
    assert pushed(stop, "the E", "N", "OUGH") == ["the ", "", "ENOUGH"]
    assert not stop.is_met


def test_what_still_waits_at_the_end_is_shown_then() -> None:
    stop = StopText(("END", "\nUser:"))
    assert pushed(stop, "so EN", "\nUse") == ["so ", "EN"]
    assert stop.rest() == "\nUse"


def test_the_earliest_stop_text_counts() -> None:
    stop = StopText(("later", "b"))
    assert pushed(stop, "abc later") == ["a"]


@pytest.mark.parametrize("stops", [(), ("",)])
def test_without_stop_texts_everything_passes(stops: tuple[str, ...]) -> None:
    stop = StopText(stops)
    assert pushed(stop, "a", "b") == ["a", "b"]


def test_an_answer_ends_at_a_stop_text_split_over_tokens(tiny: Bench) -> None:
    codec = tiny.model.codec
    output = OutputText(codec, ("fork it",))
    pieces = ["You", " can", " f", "or", "k", " ", "it", " now"]
    shown = [told for piece in pieces for token in codec.plain(piece) for told in output.add(token)]
    assert "".join([text for _, text in shown + output.end()]) == "You can "
    assert output.stop is StopReason.STOP_TEXT
    assert codec.decode(output.ids).strip() == "You can"


def test_a_run_ends_at_a_stop_text(guide: Bench) -> None:
    whole = guide.ask(user("How do I fork a conversation?"), max_tokens=60, temperature=0.0).finished.text
    words = whole.split(" ")
    stop = " ".join(words[3:5])
    asked = guide.ask(user("How do I fork a conversation?"), max_tokens=60, temperature=0.0, stop=(stop,))
    assert asked.finished.stats.stop is StopReason.STOP_TEXT
    assert asked.finished.text == whole[: whole.index(stop)] == asked.streamed
