"""`--self-test`: one JSON object at the end, and an exit status that can fail."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from app.kvcache import layers, prefix_cache
from app.kvcache import replay as replay_module
from app.kvcache.replay import Replay
from app.launch import selftest
from tests.engine.conftest import GUIDE
from tests.fakes.model_folder import write_model_folder

ALWAYS = ("device", "versions", "seconds")


def run(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any], str]:
    status = selftest.run(str(path))
    printed = capsys.readouterr()
    return status, json.loads(printed.out.splitlines()[-1]), printed.err


def test_the_guide_passes_and_says_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, report, errors = run(GUIDE, capsys)
    assert (status, report["ok"], errors) == (0, True, "")
    assert report.keys() == {"ok", "model", "layers", "answers", "requests", "trie", "frozen", *ALWAYS}
    assert report["layers"] == {"ArraysCache": 2, "KVCache": 3}
    assert len(report["answers"]) == len(report["requests"]) == 4
    assert all(report["answers"])
    assert report["requests"][0].keys() == {"total", "seen", "matched", "cached", "left", "excess", "reason"}
    assert [request["excess"] for request in report["requests"]] == [0, 0, 0, 0]
    assert report["requests"][0]["reason"] == "new prompt"
    assert report["trie"].keys() == {"nodes", "live_bytes", "paged_bytes"}
    assert report["trie"]["nodes"] > 4


def test_on_the_cpu_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    chosen: list[mx.Device] = []
    monkeypatch.setattr(mx, "set_default_device", chosen.append)
    monkeypatch.setenv("MLX_DISABLE_COMPILE", "0")
    assert selftest.run(str(GUIDE), on_cpu=True) == 0
    assert chosen == [mx.Device(mx.cpu)]
    assert os.environ["MLX_DISABLE_COMPILE"] == "1"
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["device"] == str(mx.default_device())


@pytest.mark.parametrize("kind", ["llama", "falcon_h1"])
def test_other_kinds_pass_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    status, report, errors = run(write_model_folder(tmp_path / kind, kind=kind), capsys)
    assert (status, report["ok"], errors) == (0, True, "")
    assert report["model"] == kind


def test_a_missing_folder_fails_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, report, errors = run(tmp_path / "nowhere", capsys)
    assert (status, report["ok"]) == (1, False)
    assert "There is no folder" in errors


def test_an_answer_that_replays_differently_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = replay_module.replay

    def dishonest(cache: prefix_cache.PrefixCache, tokens: tuple[int, ...]) -> Replay:
        replayed = honest(cache, tokens)
        last = max(replayed.logits)
        replayed.logits[last] = mx.roll(replayed.logits[last], 1)
        return replayed

    monkeypatch.setattr(replay_module, "replay", dishonest)
    status, report, errors = run(GUIDE, capsys)
    assert (status, report["ok"]) == (1, False)
    assert "when its branch is replayed" in errors


def test_a_model_of_an_unknown_cache_kind_fails_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "_WITH_ROWS", {})
    status, report, errors = run(write_model_folder(tmp_path / "llama"), capsys)
    assert (status, report["ok"], report["model"]) == (1, False, "llama")
    assert report["requests"][1]["reason"] == "cache kind not supported"
    assert "cannot be replayed" in errors


@pytest.mark.parametrize("broken", ["_differences", "do"])
def test_whatever_it_breaks_off_with_the_last_line_is_the_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object) -> list[str]:
        raise IndexError("on purpose")

    monkeypatch.setattr(selftest._SelfTest, broken, fail)
    status, report, _ = run(GUIDE, capsys)
    assert (status, report["ok"]) == (1, False)


def test_a_cache_that_computes_again_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_cache, "captures_for", lambda *_: {})
    status, report, errors = run(GUIDE, capsys)
    assert (status, report["ok"]) == (1, False)
    assert "computed" in errors
    assert "again" in errors
