"""A secret lies in the keychain, or where there is none in a file that nobody else reads, and never in both."""

from __future__ import annotations

import logging
import random
import stat
from pathlib import Path

import pytest

from app.hub import tokens
from app.hub.faults import HubError
from app.hub.kept_secrets import keep, kept
from tests.hub.test_tokens import Keychain
from tests.seeds import chosen

NAME = "server a1"


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> Keychain:
    """The system's one, once `use` says that there is one."""
    return Keychain()


def use(monkeypatch: pytest.MonkeyPatch, keychain: Keychain | None) -> None:
    def own() -> Keychain:
        if keychain is None:
            raise tokens.NoKeychainError("The access token was not saved", "There is no keychain.")
        return keychain

    monkeypatch.setattr(tokens, "_keychain", own)


def test_a_secret_lies_in_one_place_whatever_becomes_of_the_keychain(
    monkeypatch: pytest.MonkeyPatch, keychain: Keychain, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At random: the keychain comes and goes, is locked and opened, and the secret is changed and removed."""
    caplog.set_level(logging.DEBUG)
    for seed in chosen(range(200)):
        dice = random.Random(seed)
        folder = tmp_path / str(seed) / "new"
        folder.parent.mkdir()
        file, held = folder / "key", ""
        keychain.kept.clear()
        has_one = dice.random() < 0.5
        for step in range(12):
            if not held and dice.random() < 0.3:
                has_one = not has_one
            keychain.is_locked = has_one and dice.random() < 0.2
            use(monkeypatch, keychain if has_one else None)
            if dice.random() < 0.6:
                secret = dice.choice(("", f"secret-{seed}-{step}"))
                try:
                    keep(NAME, secret, str(file))
                except HubError:
                    assert keychain.is_locked, (seed, step)
                else:
                    assert not keychain.is_locked, (seed, step)
                    held = secret
            if not keychain.is_locked:
                assert kept(NAME, str(file)) == held, (seed, step)
                places = [*keychain.kept.values(), *([file.read_text()] if file.exists() else [])]
                assert places == ([held] if held else []), (seed, step)
            if file.exists():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600
                assert stat.S_IMODE(folder.stat().st_mode) == 0o700
                assert [one.name for one in folder.iterdir()] == ["key"]
    assert "secret-" not in caplog.text


def test_a_secret_that_was_kept_in_a_file_moves_to_the_keychain_with_the_next(
    monkeypatch: pytest.MonkeyPatch, keychain: Keychain, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    use(monkeypatch, None)
    keep(NAME, "one", str(file))
    use(monkeypatch, keychain)
    assert kept(NAME, str(file)) == "one"
    keep(NAME, "two", str(file))
    assert not file.exists()
    assert kept(NAME, str(file)) == "two"


def test_a_file_that_others_may_read_holds_nothing_and_what_cannot_be_kept_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, None)
    file = tmp_path / "key"
    for mode in (0o640, 0o604, 0o620, 0o660):
        keep(NAME, "one", str(file))
        file.chmod(mode)
        assert kept(NAME, str(file)) == ""
    keep(NAME, "two", str(file))
    assert kept(NAME, str(file)) == "two"
    (tmp_path / "taken").write_text("a file where the folder should be")
    with pytest.raises(HubError):
        keep(NAME, "three", str(tmp_path / "taken" / "key"))
    with pytest.raises(HubError):
        keep(NAME, "three", "")
    keep(NAME, "", "")
