"""Documents, answers that go on, and two models in one conversation: the whole program with real engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.protocol.commands import Command, EstimateCost, Generate
from app.protocol.events import RunStarted
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import sentence_piece
from tests.scenarios.sitting import SitDown

REPORT = "The pears of Lisbon keep for a week, and the fox knows.\n" * 8


@pytest.mark.parametrize("kind", ["llama", "gemma3", "lfm2"])
def test_a_document_is_read_once_for_all_branches_and_conversations(
    sit_down: SitDown, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "report.txt").write_text(REPORT)
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", kind=kind, ends=False))
    app = sitting.app

    def attach() -> None:
        app.chat.attachments.attach_files([str(tmp_path / "report.txt")])
        sitting.until(lambda: bool(app.chat.state.now.attachments) and not app.chat.state.now.attaching)

    attach()
    first = sitting.ask("Which pears keep?").request
    app.chat.open_draft.begin_edit()
    forked = sitting.ask("And the fox?").request
    app.library.new_conversation()
    attach()
    elsewhere = sitting.ask("Say more").request
    for request in (forked, elsewhere):
        assert request.excess == 0
        assert request.left < 40 < first.left


@pytest.mark.parametrize("kind", ["llama", "gemma3", "lfm2"])
def test_a_stopped_answer_goes_on_with_nothing_computed_again(sit_down: SitDown, tmp_path: Path, kind: str) -> None:
    sitting = sit_down().begin(write_model_folder(tmp_path / "model", kind=kind, ends=False))
    app = sitting.app
    sitting.ask("Count, please")
    answer = app.library.tree.path[-1]
    app.library.new_conversation()
    sitting.ask("Something else")
    app.library.open(answer.conversation_id)
    sitting.until(lambda: app.chat.state.now.can_continue)
    before = len(sitting.told(RunStarted))
    app.chat.requests.go_on()
    sitting.until(lambda: len(sitting.told(RunStarted)) > before)
    sitting.until(
        lambda: app.library.tree.path[-1].stop is not None or len(app.chat.chat_model.rows[-1].text) > len(answer.text)
    )
    app.chat.requests.stop()
    sitting.until(lambda: not list(app.chat.questions))
    assert sitting.told(RunStarted)[-1].request.excess == 0
    grown = app.library.tree.path[-1]
    assert grown.id == answer.id
    assert grown.text.startswith(answer.text)
    assert (grown.ids or ())[: len(answer.ids or ())] == answer.ids


def test_two_models_answer_the_same_question_beside_each_other_and_never_share(
    sit_down: SitDown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer has its model's name, and no model is given the other's ids, whatever is asked next."""
    one = write_model_folder(tmp_path / "one", kind="llama", seed=1, ends=False)
    two = write_model_folder(tmp_path / "two", kind="lfm2", seed=2, tokenizer=sentence_piece(), ends=False)
    sitting = sit_down().begin(one)
    app, asked = sitting.app, []
    submit = sitting.program.host.submit

    def note(command: Command) -> None:
        if isinstance(command, Generate | EstimateCost):
            asked.append((app.model.current_model.fingerprint, command))
        submit(command)

    monkeypatch.setattr(sitting.program.host, "submit", note)
    sitting.ask("Which pears keep?")
    first = app.library.tree.path[-1]
    app.model.open(str(two))
    sitting.until(lambda: app.chat.state.now.model_name == "two")
    app.chat.requests.regenerate()
    sitting.until(lambda: len(app.library.tree) == 3 and len(app.chat.chat_model.rows[-1].text) > 3)
    app.chat.requests.stop()
    sitting.until(lambda: not list(app.chat.questions))
    second = app.library.tree.path[-1]
    assert second.parent_id == first.parent_id
    assert (first.model_name, second.model_name) == ("one", "two")
    assert app.chat.chat_model.rows[-1].name == "two"
    assert app.chat.chat_model.rows[-1].versions == 2
    app.chat.open_branch.select_version(None, -1)
    sitting.ask("And the fox?")
    app.model.open(str(one))
    sitting.until(lambda: app.chat.state.now.model_name == "one")
    sitting.ask("And then?")
    owners = {tuple(message.ids): message.model for message in app.library.tree.path if message.ids}
    owners[tuple(second.ids or ())] = second.model
    given = 0
    for fingerprint, command in asked:
        for turn in command.turns:
            if turn.ids is not None:
                assert owners[tuple(turn.ids)] == fingerprint
                given += 1
    assert given
