"""Making the guide again: a run is known by what it learns from, and only a fit guide is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guide_model import dialogue, make
from guide_model.commands import commands
from guide_model.evaluate import EACH_COMMAND, KNOWN, LEAST, NO_DENIAL, ONLY_EXISTING, Score, faults

GUIDE = Path(__file__).parents[3] / "resources" / "models" / "guide"
TAUGHT = [command for command in commands() if command in dialogue.TAUGHT]
FIT = [Score(KNOWN, 100, 100), Score(EACH_COMMAND, 50, 50), Score(ONLY_EXISTING, 9, 9), Score(NO_DENIAL, 9, 9)]


def test_a_fit_guide_has_no_faults() -> None:
    assert faults([*FIT, Score("New phrasings", 1, 100)]) == []


@pytest.mark.parametrize("name", [KNOWN, EACH_COMMAND, ONLY_EXISTING, NO_DENIAL])
def test_a_guide_that_falls_short_is_told(name: str) -> None:
    short = [Score(score.name, 0, score.asked) if score.name == name else score for score in FIT]
    assert [fault.split(":")[0] for fault in faults(short)] == [name.split(":")[0]]


def test_the_shipped_guide_reached_what_the_next_one_has_to() -> None:
    card = (GUIDE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (\d+) of (\d+) \|$", card, re.MULTILINE)
    scores = [Score(name, int(right), int(asked)) for name, right, asked in rows]
    assert {score.name for score in scores} >= LEAST.keys()
    assert faults(scores) == []


def test_a_run_is_known_by_its_text_and_by_what_it_begins_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"before")
    told = make.fingerprint(False, tmp_path)
    assert told == make.fingerprint(False, tmp_path)
    assert told != make.fingerprint(True, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other")
    assert told != make.fingerprint(False, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"before")
    monkeypatch.setattr(make, "TOPICS", dialogue.TOPICS[1:])
    assert told != make.fingerprint(False, tmp_path)


def test_nothing_is_trained_before_every_command_has_a_topic(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "commands", lambda: TAUGHT)
    monkeypatch.setattr(make, "TAUGHT", dialogue.TAUGHT - {"pin"})
    assert make.main([]) == 1
    assert "No topic explains pin" in capsys.readouterr().out


class TestShipping:
    @pytest.fixture
    def places(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
        """The guide that ships and the folder to build in, both elsewhere; training writes one file of each name."""
        shipped, build = tmp_path / "shipped", tmp_path / "build"
        shipped.mkdir()
        for name in make.PARTS:
            (shipped / name).write_text("old")

        def train(work: Path, begin_with: Path | None) -> None:
            assert begin_with is None or (begin_with / "model.safetensors").read_text() == "old"
            (work / "guide").mkdir(parents=True, exist_ok=True)
            for name in make.PARTS:
                (work / "guide" / name).write_text("new")

        monkeypatch.setattr(make, "commands", lambda: TAUGHT)
        monkeypatch.setattr(make, "ROOT", tmp_path)
        monkeypatch.setattr(make, "SHIPPED", shipped)
        monkeypatch.setattr(make, "BUILD", build)
        monkeypatch.setattr(make, "train", train)
        monkeypatch.setattr(make, "Player", lambda folder: folder)
        return shipped, build

    def test_a_fit_guide_takes_the_place_of_the_old_one(
        self, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(make, "examine", lambda player: FIT)
        assert make.main([]) == 0
        assert {(places[0] / name).read_text() for name in make.PARTS if name != "README.md"} == {"new"}
        card = (places[0] / "README.md").read_text()
        assert "100 of 100" in card
        assert "from the weights of the guide before it" in card

    @pytest.mark.parametrize("arguments", [[], ["--from-scratch"]])
    def test_one_that_is_not_fit_is_left_aside(
        self,
        places: tuple[Path, Path],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        arguments: list[str],
    ) -> None:
        monkeypatch.setattr(make, "examine", lambda player: [*FIT[:-1], Score(NO_DENIAL, 8, 9)])
        assert make.main(arguments) == 1
        assert {(places[0] / name).read_text() for name in make.PARTS} == {"old"}
        assert NO_DENIAL in capsys.readouterr().out
