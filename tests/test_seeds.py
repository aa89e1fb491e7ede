"""Every seed is run, and a failure names its own."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.seeds import FEW, each_seed


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """All seeds, whatever the environment says; filled by the tests below."""
    monkeypatch.delenv(FEW, raising=False)
    return []


def test_each_seed_runs_once_and_the_failing_one_is_named(ran: list[int]) -> None:
    @each_seed(range(3, 9))
    def check(seed: int) -> None:
        ran.append(seed)
        assert seed != 5

    with pytest.raises(AssertionError) as caught:
        check()
    assert ran == [3, 4, 5]
    assert caught.value.__notes__ == ["seed 5"]


def test_the_environment_may_ask_for_few(ran: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    @each_seed(range(5))
    def note(seed: int) -> None:
        ran.append(seed)

    note()
    monkeypatch.setenv(FEW, "2")
    note()
    assert ran == [0, 1, 2, 3, 4, 0, 1]


def test_each_seed_has_a_folder_of_its_own_and_pytest_is_asked_for_no_seed(ran: list[int], tmp_path: Path) -> None:
    @each_seed([1, 2])
    def check(tmp_path: Path, kind: str, seed: int) -> None:
        assert list(tmp_path.iterdir()) == []
        (tmp_path / kind).touch()

    assert list(inspect.signature(check).parameters) == ["tmp_path", "kind"]
    check(tmp_path=tmp_path, kind="x")
