"""The process that talks to hubs: it answers, it can be killed at any moment, and nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

import app
from app.hub import FLAG
from app.hub.messages import (
    Arrived,
    Describe,
    Description,
    Discard,
    Done,
    Failed,
    Fetch,
    HubEndpoint,
    KeepToken,
    Listed,
    Ready,
    Reply,
    Search,
    line_of,
    reply_of,
    request_of,
)
from app.worker.hub_process import HubProcess
from tests.hub.conftest import NAME
from tests.hub.server import COMMIT, Handler, Hub, Repo, has_arrived, model_files, wait_until

ROOT = Path(app.__file__).parent.parent


@pytest.fixture
def process(qtbot: QtBot) -> Iterator[HubProcess]:
    process = HubProcess()
    yield process
    process.close()


@pytest.fixture
def replies(process: HubProcess) -> list[Reply]:
    found: list[Reply] = []
    process.replied.connect(found.append)
    return found


@pytest.fixture
def place(hub: Hub, tmp_path: Path) -> HubEndpoint:
    return HubEndpoint(hub.address, cache=str(tmp_path / "cache"))


def answered(qtbot: QtBot, process: HubProcess) -> None:
    qtbot.waitUntil(lambda: not process.is_busy, timeout=60_000)


def test_a_search_a_description_and_a_download(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    hub.found = [{"id": NAME, "tags": ["mlx", "safetensors"]}]
    process.ask(Search(place, "tiny"))
    process.ask(Describe(place, NAME))
    process.ask(Fetch(place, NAME, COMMIT))
    process.ask(Describe(place, NAME))
    answered(qtbot, process)
    listed, described, *told, ready, again = replies
    assert isinstance(listed, Listed)
    assert [row.name for row in listed.rows] == [NAME]
    assert isinstance(described, Description)
    assert (described.path, described.missing, described.is_room) == ("", described.bytes, True)
    assert all(isinstance(one, Arrived) for one in told)
    assert isinstance(ready, Ready)
    assert (Path(ready.path) / "config.json").read_bytes() == hub.repos[NAME].files["config.json"]
    assert isinstance(again, Description)
    assert (again.path, again.missing) == (ready.path, 0)


def test_what_goes_wrong_is_told_and_the_next_request_is_answered(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    process.ask(Describe(place, "nobody/nothing"))
    process.ask(Describe(place, NAME))
    answered(qtbot, process)
    failed, described = replies
    assert isinstance(failed, Failed)
    assert failed.title == "Nothing was found"
    assert isinstance(described, Description)


def test_a_download_that_was_killed_goes_on(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    """Whatever is killed in the middle: what had arrived is not fetched again, and the model is the same."""
    hub.repos[NAME] = Repo(model_files(3, 400_000))
    files = hub.repos[NAME].files
    large = files["model-00002-of-00002.safetensors"]

    def stalls(handler: Handler) -> bool:
        if handler.content() != large or handler.start:
            return False
        handler.head(200, {"Content-Length": str(len(large))})
        handler.wfile.write(large[:150_000])
        handler.wfile.flush()
        hub.ending.wait(60)
        return True

    hub.misdeeds.append(stalls)
    process.ask(Fetch(place, NAME, COMMIT))
    qtbot.waitUntil(lambda: has_arrived(Path(place.cache), 150_000), timeout=60_000)
    process.stop()
    assert not list(Path(place.cache).glob("*/snapshots/*"))
    hub.asked.clear()
    process.ask(Fetch(place, NAME, COMMIT))
    answered(qtbot, process)
    ready = replies[-1]
    assert isinstance(ready, Ready)
    for name in ("config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"):
        assert (Path(ready.path) / name).read_bytes() == files[name]
    assert [headers.get("Range") for path, headers in hub.asked if "resolve" in path] == ["bytes=150000-"]


def test_giving_up_removes_what_had_arrived(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    hub.misdeeds.append(lambda handler: "00002-of" in handler.path and hub.ending.wait(60))
    process.ask(Fetch(place, NAME, COMMIT))
    cache = Path(place.cache)
    qtbot.waitUntil(lambda: len(hub.paths("resolve")) >= 4, timeout=60_000)
    process.stop()
    assert [path for path in cache.rglob("*") if path.is_file()]
    process.ask(Discard(place, NAME, COMMIT))
    answered(qtbot, process)
    assert isinstance(replies[-1], Done)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_process_that_dies_is_told_and_replaced(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    hub.misdeeds.append(lambda handler: hub.ending.wait(60))
    process.ask(Describe(place, NAME))
    qtbot.waitUntil(lambda: bool(hub.asked), timeout=60_000)
    os.kill(process.findChildren(QProcess)[0].processId(), signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(replies), timeout=60_000)
    assert isinstance(replies[0], Failed)
    assert replies[0].is_passing
    hub.misdeeds.clear()
    process.ask(Describe(place, NAME))
    answered(qtbot, process)
    assert isinstance(replies[-1], Description)


def test_a_process_that_is_stopped_says_nothing_more(
    qtbot: QtBot,
    hub: Hub,
    process: HubProcess,
    replies: list[Reply],
    place: HubEndpoint,
) -> None:
    hub.misdeeds.append(lambda handler: hub.ending.wait(60))
    process.ask(Describe(place, NAME))
    qtbot.waitUntil(lambda: bool(hub.asked), timeout=60_000)
    process.stop()
    assert not process.is_busy
    qtbot.wait(50)
    assert replies == []


def started(environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "app", FLAG]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=ROOT, env={**os.environ, **(environment or {})})


def test_it_ends_when_the_program_does(hub: Hub, place: HubEndpoint) -> None:
    """Its input ends with the program, also when that is killed; what is under way is left as it is."""
    hub.misdeeds.append(lambda handler: hub.ending.wait(60))
    with started() as child:
        assert child.stdin is not None
        child.stdin.write(line_of(Describe(place, NAME)))
        child.stdin.flush()
        wait_until(lambda: bool(hub.asked))
        child.stdin.close()
        assert child.wait(30) == 0


def test_it_asks_what_it_is_asked_to_and_sends_no_stray_token(hub: Hub, place: HubEndpoint) -> None:
    """Whatever the shell says: huggingface_hub would ask for a list of its own, and send a token that it finds."""
    found = b""
    switches = (
        "HF_HUB_DISABLE_TELEMETRY",
        "DISABLE_TELEMETRY",
        "DO_NOT_TRACK",
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
    )
    telling = {**dict.fromkeys(switches, ""), "HF_HOME": place.cache}
    for environment in (telling, {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}):
        with started({**environment, "HF_TOKEN": "hf_stray", "HF_ENDPOINT": hub.address}) as child:
            found = _asked(child, place)
        assert isinstance(reply_of(found), Description)
    assert [path.partition("?")[0] for path in hub.paths()] == [f"/api/models/{NAME}"] * 2
    assert "hf_stray" not in json.dumps(hub.asked)


def _asked(child: subprocess.Popen[bytes], place: HubEndpoint) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(line_of(Describe(place, NAME)))
    child.stdin.flush()
    line = child.stdout.readline()
    child.stdin.close()
    child.stdout.close()
    child.wait(30)
    return line


def test_messages_are_the_same_on_the_other_side(place: HubEndpoint) -> None:
    for request in (Search(place, "ü\n", "x"), Describe(place, NAME), Fetch(place, NAME, COMMIT)):
        assert request_of(line_of(request)) == request
    for reply in (Failed("a", "b", True), Arrived(1, 2, "c"), Ready("/x"), Done(), Listed("a", "", (), "n")):
        assert reply_of(line_of(reply)) == reply
        assert line_of(reply).count(b"\n") == 1


def test_a_token_is_not_part_of_what_is_printed(place: HubEndpoint) -> None:
    assert "hf_secret" not in repr(KeepToken(place, "hf_secret"))
