"""Models as they lie on disks, opened through the real window: each answers, or is refused with its own sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.main import Program
from tests.engine.test_folder import SPOILT
from tests.fakes.model_folder import write_model_folder
from tests.models.tiny_folders import REAL, TinyModel, to_ollama
from tests.scenarios.test_window import Person

pytestmark = pytest.mark.timeout(300)
CONTEXT = 80  # tokens, after which an answer of random words ends
QUESTION = "Hello there"


@pytest.fixture
def person(qtbot: QtBot, program: Program) -> Person:
    person = Person(qtbot, program)
    person.wait_until_ready()
    return person


def open_model(person: Person, path: str) -> None:
    """Open a model as the Models window does, and wait until it is in use."""
    app = person.program.app
    app.model.open(path)
    person.until(lambda: not app.model.state.now.is_loading)
    assert app.model.state.now.card is None
    assert app.model.current_model.path == path, app.notices.now.text
    person.wait_until_ready()


def answered(person: Person) -> str:
    """Ask twice in a conversation of its own. Returns the first answer."""
    person.program.app.library.new_conversation()
    person.ask(QUESTION)
    first = person.rows[-1]
    assert first.note == "" or any(word in first.note.lower() for word in ("limit", "context", "thought")), first.note
    assert first.footer is not None
    assert person.program.app.chat.state.now.card is None
    return person.texts[-1]


def test_every_kind_of_folder_is_opened_and_answers(person: Person, tmp_path: Path) -> None:
    answers = {}
    for name, model in REAL.items():
        folder = model.write(tmp_path / name, max_position_embeddings=CONTEXT)
        open_model(person, str(folder))
        state = person.program.app.model.state.now
        assert state.name == name
        assert state.context_length == CONTEXT
        bits = {"int4": "4-bit", "int8": "8-bit", "mxfp4": "4-bit", "nvfp4": "4-bit", "mxfp8": "8-bit"}
        assert bits.get(model.quantization, "") in state.detail
        answers[name] = answered(person)
        shutil.rmtree(folder)
    assert sum(map(bool, answers.values())) > len(answers) // 2  # random words may be an end at once
    assert len(set(answers.values())) > len(answers) // 2


def test_a_model_of_ollamas_store_is_opened_and_answers(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "ollama"))
    folder = TinyModel("qwen3", "int4").write(tmp_path / "m", max_position_embeddings=CONTEXT)
    open_model(person, to_ollama(folder, tmp_path / "ollama", "tiny", "int4", is_packed=True))
    assert person.program.app.model.state.now.name == "tiny:latest"
    assert answered(person) is not None


def test_every_damaged_folder_is_refused_with_its_own_sentence(person: Person, tmp_path: Path) -> None:
    app, told = person.program.app, {}
    whole = write_model_folder(tmp_path / "whole")
    for number, (way, (spoil, words)) in enumerate(SPOILT.items()):
        folder = Path(shutil.copytree(whole, tmp_path / f"folder {number}"))
        spoil(folder)
        app.notices.dismiss()
        app.model.open(str(folder))
        person.until(lambda: not app.model.state.now.is_loading)
        text = app.notices.now.text
        assert words in text, way
        assert text.endswith("Espalier Guide stays in use."), way
        assert app.model.state.now.is_guide
        told[way] = text
        shutil.rmtree(folder)
    assert len(set(told.values())) > len(told) // 2
    person.ask("What is a fork?")
    assert person.texts[-1]
