"""The token of the local API: it lasts, is renewed, and lies where nobody else reads it."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import pytest

from app.hub import tokens
from app.worker.gateway_token import ACCOUNT, kept_token, new_token


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A keychain that works."""
    kept: dict[str, str] = {}
    monkeypatch.setattr(tokens, "kept", lambda name: kept.get(name, ""))
    monkeypatch.setattr(tokens, "keep", kept.__setitem__)
    return kept


@pytest.fixture
def no_keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without one."""

    def refuse(_name: str, _token: str) -> None:
        raise tokens.NoKeychainError("The access token was not saved", "There is no keychain.")

    monkeypatch.setattr(tokens, "kept", lambda _name: "")
    monkeypatch.setattr(tokens, "keep", refuse)


def test_it_lies_in_the_keychain_and_in_no_file(keychain: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "token"
    first = kept_token(str(file))
    assert len(bytes.fromhex(first)) == 32
    assert (keychain, kept_token(str(file))) == ({ACCOUNT: first}, first)
    assert not file.exists()
    second = new_token(str(file))
    assert second != first
    assert kept_token(str(file)) == second


def test_where_there_is_no_keychain_only_its_owner_reads_the_file(no_keychain: None, tmp_path: Path) -> None:
    file = tmp_path / "token"
    first = kept_token(str(file))
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (first, 0o600)
    assert kept_token(str(file)) == first
    second = new_token(str(file))
    assert second != first
    assert kept_token(str(file)) == second
    assert [one.name for one in tmp_path.iterdir()] == ["token"]


@pytest.mark.parametrize("held", ["", "short", "g" * 64, "a" * 65, "é" * 64, "A" * 64])
def test_what_is_no_token_is_replaced(no_keychain: None, tmp_path: Path, held: str) -> None:
    file = tmp_path / "token"
    file.write_text(held)
    file.chmod(0o600)
    assert kept_token(str(file)) == file.read_text() != held


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606, 0o777])
def test_a_file_that_others_may_read_is_not_believed(no_keychain: None, tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    first = kept_token(str(file))
    file.chmod(mode)
    assert kept_token(str(file)) != first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_or_a_folder_in_its_place_is_replaced_or_passed_over(no_keychain: None, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("a" * 64)
    (tmp_path / "link").symlink_to(other)
    assert kept_token(str(tmp_path / "link")) != "a" * 64
    assert other.read_text() == "a" * 64
    (tmp_path / "folder").mkdir()
    assert len(kept_token(str(tmp_path / "folder"))) == 64
    assert len(kept_token("")) == 64


def test_a_file_from_before_goes_when_there_is_a_keychain(keychain: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a" * 64)
    file.chmod(0o600)
    assert kept_token(str(file)) == "a" * 64
    new_token(str(file))
    assert not file.exists()


def test_it_is_never_logged(no_keychain: None, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        held = {kept_token(str(tmp_path / "token")), new_token(str(tmp_path / "none" / "none" / "token"))}
    assert caplog.records
    assert not any(token in record.getMessage() for token in held for record in caplog.records)
