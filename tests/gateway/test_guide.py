"""The local API over the real engine and the guide: what it answers, what it spares, and who is answered first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import openai
import pytest
from pytestqt.qtbot import QtBot

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import MOST_GUESTS, Cancel, Generate, LoadModel
from app.protocol.events import Event, ModelReady, RunFinished, RunStarted, TextDelta
from app.worker.engine_host import EngineHost
from app.worker.gateway_host import GatewayHost

T = TypeVar("T")
TURNS = (Turn("system", "You are the guide. " + "Be brief and kind. " * 12), Turn("user", "What is a branch?"))
MESSAGES: list[Any] = [{"role": one.role, "content": one.text} for one in TURNS]
STORY: list[Any] = [{"role": "user", "content": "Tell me a story about a fox"}]


class Program:
    """The engine and the local API over it. Attributes: host, gateway, client, events."""

    def __init__(self, folder: Path, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.host = EngineHost()
        self.gateway = GatewayHost(self.host, str(folder / "token"))
        self.events: list[Event] = []
        self.host.happened.connect(self.events.append)
        self.gateway.listening.connect(self._listen)
        self.client: openai.OpenAI | None = None
        self.host.start()
        self.host.submit(LoadModel(str(guide_model())))
        self.gateway.start(0)
        self.until(lambda: self.client is not None and any(isinstance(one, ModelReady) for one in self.events))

    def _listen(self, port: int, token: str) -> None:
        self.client = openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=token, max_retries=0)

    def until(self, holds: Callable[[], object]) -> None:
        self._qtbot.waitUntil(holds, timeout=300_000)

    def on_a_thread(self, ask: Callable[[openai.OpenAI], T]) -> Callable[[], T]:
        """Have a client ask something; returns what waits for the answer while the window goes on."""
        assert self.client is not None
        client, answers = self.client, list[T]()
        thread = threading.Thread(target=lambda: answers.append(ask(client)))
        thread.start()

        def answer() -> T:
            self.until(lambda: not thread.is_alive())
            return answers[0]

        return answer

    def ask(self, ask: Callable[[openai.OpenAI], T]) -> T:
        return self.on_a_thread(ask)()

    def chat(self, **more: Any) -> Any:
        return self.ask(
            lambda client: client.chat.completions.create(**({"model": "guide", "messages": MESSAGES} | more))
        )

    def answered(self, run_id: int) -> RunFinished:
        """Wait for the end of an answer of the window's."""
        self.until(lambda: any(isinstance(one, RunFinished) and one.run_id == run_id for one in self.events))
        return next(one for one in self.events if isinstance(one, RunFinished) and one.run_id == run_id)

    def close(self) -> None:
        assert self.client is not None
        self.client.close()
        self.gateway.close()
        self.host.close()


@pytest.fixture(autouse=True)
def _no_keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the keychain of this computer."""
    monkeypatch.setattr("app.hub.tokens.SYSTEMS", ())


@pytest.fixture
def program(tmp_path: Path, qtbot: QtBot) -> Iterator[Program]:
    program = Program(tmp_path, qtbot)
    yield program
    program.close()


def streamed(client: openai.OpenAI, seed: int, temperature: float) -> tuple[str, int]:
    """A story of the guide's, as it came, and how many tokens it has."""
    create: Any = client.chat.completions.create
    asked = {"temperature": temperature, "seed": seed, "max_tokens": 60, "stream_options": {"include_usage": True}}
    chunks = list(create(model="guide", messages=STORY, stream=True, **asked))
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert chunks[-1].usage is not None
    return text, chunks[-1].usage.completion_tokens


def test_what_the_window_read_is_not_read_again_and_the_answer_is_the_same(program: Program) -> None:
    assert program.ask(lambda client: [one.id for one in client.models.list()]) == ["guide"]
    program.host.submit(Generate(1, TURNS, Sampling(temperature=0, max_tokens=40), "conversation"))
    here = program.answered(1)
    there = program.chat(temperature=0, max_tokens=40)
    total = here.stats.request.total
    assert there.choices[0].message.content == here.text
    assert there.usage.prompt_tokens == total
    assert there.usage.prompt_tokens_details.cached_tokens == total - 1
    ids = program.ask(lambda client: client.post("/tokenize", body={"messages": MESSAGES}, cast_to=object))
    assert ids["count"] == total
    by_ids = program.ask(
        lambda client: client.completions.create(model="guide", prompt=ids["tokens"], temperature=0, max_tokens=40)
    )
    assert by_ids.choices[0].text == here.text
    more = [*MESSAGES, {"role": "assistant", "content": here.text}, {"role": "user", "content": "And a fork?"}]
    assert program.chat(messages=more, max_tokens=5).usage.prompt_tokens_details.cached_tokens >= total


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_the_window_goes_first_and_the_guest_s_words_are_those_of_an_undisturbed_run(
    program: Program, temperature: float
) -> None:
    alone = program.ask(lambda client: streamed(client, 7, temperature))
    before = len(program.events)
    guest = program.on_a_thread(lambda client: streamed(client, 7, temperature))
    program.until(lambda: any(isinstance(one, TextDelta) for one in program.events[before:]))
    program.host.submit(Generate(2, TURNS, Sampling(temperature=0, max_tokens=20), "conversation"))
    program.answered(2)
    since = program.events[before:]
    ended = [one.run_id for one in since if isinstance(one, RunFinished)]
    assert ended[0] == 2, "the window's answer ends before the guest's, which was asked before"
    assert guest() == alone


def test_who_asks_while_the_window_is_answered_waits_and_one_more_than_may_is_told_to_come_later(
    program: Program,
) -> None:
    counts: list[int] = []
    program.gateway.answering.connect(counts.append)
    endless = Sampling(temperature=0, frequency_penalty=-2, max_tokens=3000)
    program.host.submit(Generate(1, TURNS, endless, "conversation"))
    program.until(lambda: any(isinstance(one, TextDelta) for one in program.events))

    def ask(client: openai.OpenAI) -> Any:
        return client.chat.completions.create(model="guide", messages=MESSAGES, max_tokens=2)

    waiting = [program.on_a_thread(ask) for _ in range(MOST_GUESTS)]
    program.until(lambda: MOST_GUESTS in counts)
    refused = program.ask(lambda client: failure(lambda: ask(client)))
    assert isinstance(refused, openai.RateLimitError)
    assert not any(isinstance(one, RunFinished) for one in program.events), "nobody else had his turn"
    program.host.submit(Cancel(1))
    assert [one().usage.completion_tokens for one in waiting] == [2] * MOST_GUESTS


def test_who_leaves_ends_the_run(program: Program) -> None:
    def leave(client: openai.OpenAI) -> None:
        with client.chat.completions.create(
            model="guide", messages=STORY, max_tokens=2000, temperature=1.2, stream=True
        ) as stream:
            while not next(stream).choices[0].delta.content:
                pass

    program.ask(leave)
    program.until(lambda: any(isinstance(one, RunFinished) for one in program.events))
    (run,) = [one for one in program.events if isinstance(one, RunFinished)]
    assert str(run.stats.stop) == "stopped"
    assert [one.run_id for one in program.events if isinstance(one, RunStarted)] == [-1]


def test_what_the_model_cannot_read_is_refused(program: Program) -> None:
    with pytest.raises(openai.BadRequestError, match="token"):
        raise_(program.ask(lambda client: failure(lambda: client.completions.create(model="guide", prompt=[2**30]))))
    with pytest.raises(openai.BadRequestError):
        raise_(
            program.ask(
                lambda client: failure(lambda: client.completions.create(model="guide", prompt="fox " * 90_000))
            )
        )
    assert program.chat(max_tokens=3).usage.completion_tokens == 3


def failure(ask: Callable[[], object]) -> Exception | None:
    try:
        ask()
    except openai.OpenAIError as error:
        return error
    return None


def raise_(error: Exception | None) -> None:
    assert error is not None
    raise error
