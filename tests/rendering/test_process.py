"""The process that renders templates: it answers, or it ends, and it leaves nothing behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.rendering import process
from app.rendering.process import Fault, RenderingEndedError, RenderProcess
from app.rendering.resident import resident_bytes
from tests.seeds import chosen

ROOT = Path(__file__).parents[2]
ECHO = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
ENDLESS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
HUNGRY = "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"
PAUSE = 0.005


@pytest.fixture
def renderer() -> Iterator[RenderProcess]:
    made = RenderProcess()
    yield made
    made.close()


def request(source: str = ECHO, *contents: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": content} for content in contents or ("hi",)]
    return {"source": source, "variables": {}, "conversations": [messages], "at": 0.0, "more": {}}


def asked(renderer: RenderProcess, source: str = ECHO, *contents: str) -> dict[str, Any]:
    return answer_of(renderer.ask(request(source, *contents)))


def answer_of(steps: Iterator[None]) -> dict[str, Any]:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return dict(end.value)


def fault(renderer: RenderProcess, source: str) -> Fault:
    with pytest.raises(RenderingEndedError) as caught:
        asked(renderer, source)
    return caught.value.fault


def has_ended(pid: int) -> bool:
    """Whether a process of somebody else's ends within ten seconds."""
    for _ in range(2000):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(PAUSE)
    return False


def test_it_is_started_once_and_answers(renderer: RenderProcess, render_processes: Sequence[object]) -> None:
    assert not render_processes
    for text in ("hi", "ä😀\ud800\n", "x" * 3_000_000):
        assert asked(renderer, ECHO, text) == {"texts": [f"<user>{text}"]}
    assert len(render_processes) == 1


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("{{ raise_exception('no system, please') }}", {"refused": "no system, please"}),
        ("{% if %}", {"damaged": "Expected an expression, got 'end of statement block'"}),
        ("{{ 9 ** (9 ** 9) }}", {"too_much": "it computes a number of very many digits"}),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", {"refused": "maximum recursion depth exceeded"}),
        ("{{ 1 / 0 }}", {"refused": "division by zero"}),
        ("{% include 'x' %}", {"refused": "no loader for this environment specified"}),
    ],
)
def test_what_a_template_raises_is_an_answer(renderer: RenderProcess, source: str, answer: dict[str, str]) -> None:
    assert asked(renderer, source) == answer
    assert asked(renderer) == {"texts": ["<user>hi"]}


def test_what_takes_too_long_or_too_much_is_ended_and_the_next_request_gets_another_process(
    renderer: RenderProcess, render_processes: Sequence[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(renderer) == {"texts": ["<user>hi"]}
    for source, expected in ((ENDLESS, Fault.TIME), (HUNGRY, Fault.MEMORY), ("{{ 'x'.center(10**12) }}", Fault.MEMORY)):
        monkeypatch.setattr(process, "SECONDS", 1.0 if source == ENDLESS else 60.0)
        assert fault(renderer, source) is expected
        assert asked(renderer) == {"texts": ["<user>hi"]}
    assert len(render_processes) == 4


def test_memory_is_bounded_where_the_system_bounds_none(
    renderer: RenderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "most_memory", lambda size: 100 << 20)
    assert fault(renderer, HUNGRY) is Fault.MEMORY


def test_the_memory_of_a_process_can_be_told() -> None:
    assert 1 << 20 < resident_bytes(os.getpid()) < 1 << 40
    assert resident_bytes(2**22 + 1) == 0


def test_an_answer_that_is_too_long_is_not_taken(renderer: RenderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_BEYOND", 10)
    assert fault(renderer, "{{ 'x' * 1000 }}") is Fault.SIZE


def test_a_process_that_is_killed_at_any_moment_costs_no_answer(
    renderer: RenderProcess, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    slow = "{% for i in range(99999) %}{% endfor %}" * 5 + ECHO
    for seed in chosen(range(12)):
        dice = random.Random(seed)
        steps = renderer.ask(request(slow, "x" * dice.choice((1, 500_000))))
        kill_at = dice.randrange(30)
        answer = None
        for step in range(10_000):
            if step == kill_at and render_processes:
                killed = render_processes[-1]
                killed.send_signal(dice.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)))
                killed.wait()
            try:
                next(steps)
            except StopIteration as end:
                answer = end.value
                break
        assert answer is not None
        assert "texts" in answer, seed


def test_a_process_that_ended_between_requests_is_not_an_attempt_at_the_next(
    renderer: RenderProcess, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    asked(renderer)
    render_processes[-1].kill()
    render_processes[-1].wait()
    steps = renderer.ask(request())
    next(steps)
    render_processes[-1].kill()
    render_processes[-1].wait()
    assert answer_of(steps) == {"texts": ["<user>hi"]}
    assert len(render_processes) == 3


def test_one_that_ends_each_time_is_told_so(renderer: RenderProcess) -> None:
    made = RenderProcess(lambda: subprocess.Popen(["false"], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    assert fault(made, ECHO) is Fault.DEATH
    made = RenderProcess(lambda: subprocess.Popen(["no such program"]))
    with pytest.raises(FileNotFoundError):
        asked(made)


def test_requests_are_answered_in_order_whoever_waits(renderer: RenderProcess) -> None:
    first, second = renderer.ask(request(ECHO, "one")), renderer.ask(request(ECHO, "two"))
    next(first)
    assert answer_of(second) == {"texts": ["<user>two"]}
    with pytest.raises(StopIteration) as end:
        next(first)
    assert end.value.value == {"texts": ["<user>one"]}


def test_who_stops_waiting_ends_what_nobody_else_needs(
    renderer: RenderProcess, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    steps = renderer.ask(request(ENDLESS))
    other = renderer.ask(request(ECHO, "other"))
    next(steps)
    next(other)
    steps.close()
    assert render_processes[0].poll() is not None
    assert answer_of(other) == {"texts": ["<user>other"]}


def test_it_ends_when_nobody_holds_it(render_processes: list[subprocess.Popen[bytes]]) -> None:
    made = RenderProcess()
    asked(made)
    del made
    assert render_processes[0].poll() is not None


PARENT = """
import sys
from app.rendering.process import RenderProcess
from tests.rendering.test_process import ECHO, ENDLESS, asked, request
renderer = RenderProcess()
asked(renderer)
print(renderer._process._process.pid, flush=True)
if sys.argv[1] == "busy":
    steps = renderer.ask(request(ENDLESS))
    for _ in range(20):
        next(steps)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("state", ["idle", "busy"])
@pytest.mark.parametrize("how", ["kill", "quit"])
def test_nothing_is_left_of_it_when_the_program_has_ended(state: str, how: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, state], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert parent.stdout.readline() == "ready\n"
    if how == "kill":
        parent.kill()
    parent.stdin.close()
    parent.wait(20)
    parent.stdout.close()
    assert has_ended(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are looked up in /proc")
def test_it_inherits_nothing_and_imports_nothing_heavy(
    renderer: RenderProcess, render_processes: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        asked(renderer)
        pid = render_processes[0].pid
        held = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    assert not any(str(tmp_path) in name for name in held)
    assert len(held) == 3
    assert os.getsid(pid) == pid
    loaded = Path(f"/proc/{pid}/maps").read_text()
    assert not [name for name in ("mlx", "PySide6", "tokenizers", "sqlite3") if name in loaded]
