"""A tokenizer can be refused, but it cannot stop, end or fill the process, nor keep it from doing other things."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.engine.model import LoadedModel
from app.protocol.commands import CancelOpening, LoadModel, SetBudget, Shutdown
from app.protocol.events import ModelFailed, ModelReady, OpeningCancelled, TrieChanged
from app.tokenizing import trial
from app.tokenizing.tokenizer_check import is_risky
from tests.engine.bench import Bench, opened_folder, user
from tests.engine.conftest import GUIDE
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece

TIME = "The model's tokenizer takes too long"
MEMORY = "The model's tokenizer takes too much memory"
UNUSABLE = "The model's tokenizer cannot be used"
LOOP = "while True: pass"

Processes = list[subprocess.Popen[bytes]]


def changed(folder: Path, to: Path, **changes: Any) -> Path:
    """A copy of a folder with another tokenizer.json."""
    shutil.copytree(folder, to)
    file = to / "tokenizer.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    return to


def splitting(folder: Path, to: Path, expression: str) -> Path:
    """A copy of a folder whose tokenizer cuts texts by this expression, too."""
    own = json.loads((folder / "tokenizer.json").read_text())["pre_tokenizer"]
    cut = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    return changed(folder, to, pre_tokenizer={"type": "Sequence", "pretokenizers": [cut, own]})


@pytest.fixture(autouse=True)
def trials(monkeypatch: pytest.MonkeyPatch) -> Processes:
    """The processes that were started to try a tokenizer."""
    started: Processes = []
    start = trial.start_process

    def start_and_note() -> subprocess.Popen[bytes]:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(trial, "start_process", start_and_note)
    return started


@pytest.fixture
def in_its_place(monkeypatch: pytest.MonkeyPatch, trials: Processes) -> Callable[[str], None]:
    """Let this code run in the place of a trial."""

    def start(code: str) -> subprocess.Popen[bytes]:
        trials.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return trials[-1]

    return lambda code: monkeypatch.setattr(trial, "start_process", lambda: start(code))


def step_until(bench: Bench, is_done: Callable[[], bool]) -> None:
    for _ in range(5000):
        if is_done():
            return
        bench.loop.step()
    raise AssertionError("it never came")


def title_of(bench: Bench, folder: Path) -> str:
    told = bench.open(folder)
    return told.problem.title if isinstance(told, ModelFailed) else "opens"


@pytest.mark.timeout(400)
@pytest.mark.parametrize("expression", ["(q+)+$", "(?:ab|a|b)*c", "q*q*x", "(?=(q+)+x)q"])
def test_a_slow_expression_is_refused_and_the_model_in_use_answers_on(
    expression: str, tiny: Bench, tiny_folder: Path, tmp_path: Path, trials: Processes
) -> None:
    before = tiny.ask(user("hi")).finished.ids
    assert title_of(tiny, splitting(tiny_folder, tmp_path / "m", expression)) == TIME
    assert tiny.ask(user("hi")).finished.ids == before
    assert [one.poll() is None for one in trials] == [False]


def test_one_that_takes_much_memory_is_refused(
    tiny: Bench, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each character of a piece is a node of a tree: this is what the process is watched for where it has no limit."""
    pieces = [["<unk>", 0.0], *([f"{number:09d}" + "z" * 9000, -1.0] for number in range(2000))]
    model = {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False}
    monkeypatch.setattr(trial, "MOST_MEMORY", 1 << 30)
    assert title_of(tiny, changed(tiny_folder, tmp_path / "m", model=model, added_tokens=[])) == MEMORY


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("import os; os.kill(os.getpid(), 11)", UNUSABLE),
        ("import os; os.abort()", UNUSABLE),
        ("raise SystemExit(3)", UNUSABLE),
        ("raise SystemExit(71)", MEMORY),
        ("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\n" + LOOP, TIME),
        ("x = bytearray(1 << 28)\n" + LOOP, MEMORY),
    ],
)
def test_however_the_process_ends_there_is_a_sentence(
    code: str,
    title: str,
    tiny: Bench,
    tiny_folder: Path,
    tmp_path: Path,
    in_its_place: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial, "MOST_MEMORY", 1 << 27)
    in_its_place(code)
    assert title_of(tiny, splitting(tiny_folder, tmp_path / "m", "(a+)+")) == title
    assert tiny.ask(user("hi")).finished.ids


def test_one_that_ends_by_the_clock_is_a_sentence_too(
    tiny: Bench, tiny_folder: Path, tmp_path: Path, in_its_place: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE", 0.0)
    in_its_place("import time; time.sleep(600)")
    assert title_of(tiny, splitting(tiny_folder, tmp_path / "m", "(a+)+")) == TIME


def test_a_process_that_cannot_be_started_is_a_sentence(
    tiny: Bench, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> subprocess.Popen[bytes]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(trial, "start_process", fail)
    told = tiny.open(splitting(tiny_folder, tmp_path / "m", "(a+)+"))
    assert isinstance(told, ModelFailed)
    assert "cannot be started: Too many open files" in told.problem.sentence


def test_other_things_are_done_while_it_is_tried_and_it_can_be_given_up(
    tiny: Bench, tiny_folder: Path, tmp_path: Path, trials: Processes, in_its_place: Callable[[str], None]
) -> None:
    in_its_place(LOOP)
    folder = splitting(tiny_folder, tmp_path / "m", "(a+)+")
    for ending in (CancelOpening(str(folder)), LoadModel(str(tiny_folder)), Shutdown()):
        trials.clear()
        tiny.loop.submit(LoadModel(str(folder)))
        step_until(tiny, lambda: bool(trials))
        begin = len(tiny.events)
        tiny.loop.submit(SetBudget(1 << 20))
        tiny.loop.step()
        assert [type(event) for event in tiny.events[begin:]] == [TrieChanged]
        assert [one.poll() is None for one in trials] == [True]
        tiny.loop.submit(ending)
        tiny.idle()
        assert [one.poll() is None for one in trials] == [False]
        if isinstance(ending, CancelOpening):
            assert any(isinstance(event, OpeningCancelled) for event in tiny.events[begin:])
        elif isinstance(ending, LoadModel):
            assert any(isinstance(event, ModelReady) for event in tiny.events[begin:])


def test_one_that_only_looks_slow_opens(tiny: Bench, tiny_folder: Path, tmp_path: Path, trials: Processes) -> None:
    assert title_of(tiny, splitting(tiny_folder, tmp_path / "m", "(?:a|b)+c?")) == "opens"
    assert [one.poll() for one in trials] == [0]
    assert tiny.ask(user("abba")).finished.ids


def test_a_usual_tokenizer_needs_no_process(tiny_folder: Path, trials: Processes) -> None:
    assert isinstance(opened_folder(tiny_folder), LoadedModel)
    assert not trials
    for text in (byte_level().to_str(), sentence_piece().to_str(), (GUIDE / "tokenizer.json").read_text()):
        assert not is_risky(json.loads(text))


@pytest.mark.parametrize(
    "content",
    [
        {"model": {"type": "WordPiece", "max_input_chars_per_word": 10**9}},
        {"model": {"vocab": [["z" * 9000, -1.0]] * 2000}},
        {"added_tokens": [{"content": "z" * 9000}] * 200},
        {"decoder": {"decoders": [{"pattern": {"Regex": "(a+)+"}}]}},
        {"normalizer": {"normalizers": [{"pattern": {"Regex": "(a+)+"}}]}},
        [],
    ],
)
def test_what_may_be_slow_or_large_is_tried(content: Any) -> None:
    assert is_risky(content)


@pytest.mark.parametrize("content", [b"", b"\xff" * 5000, b"\n\x0b\n\x05<unk>\x15\0\0\0\0", b"IQ== 0\nIg== 1\n"])
def test_a_tokenizer_of_another_kind_is_tried_before_it_is_read(
    content: bytes, tiny: Bench, tiny_folder: Path, tmp_path: Path, trials: Processes
) -> None:
    """It is refused in words, or opens: what its libraries make of it is not the point."""
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.model").write_bytes(content)
    tiny.open(folder)
    assert len(trials) == 1
    tiny.open(tiny_folder)
    assert tiny.ask(user("hi")).finished.ids
