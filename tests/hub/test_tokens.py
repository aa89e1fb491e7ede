"""An access token lies in the system's keychain, or nowhere."""

from __future__ import annotations

import keyring.errors
import pytest
from keyring.backend import KeyringBackend

from app.hub import tokens
from app.hub.faults import HubError

HOST = "hub.example"


class Keychain(KeyringBackend):
    """A system's keychain, in memory. is_locked: it opens for nobody."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def _open(self) -> None:
        if self.is_locked:
            raise keyring.errors.KeyringLocked("hf_secret is what it was about")

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> Keychain:
    keychain = Keychain()
    kind = type("Own", (Keychain,), {"viable": True, "__new__": lambda cls: keychain})
    monkeypatch.setattr(tokens, "SYSTEMS", (kind,))
    return keychain


def test_a_token_is_kept_for_its_hub_alone(keychain: Keychain) -> None:
    tokens.keep(HOST, "hf_secret")
    assert tokens.kept(HOST) == "hf_secret"
    assert tokens.kept("other.example") == ""
    tokens.keep(HOST, "")
    tokens.keep(HOST, "")
    assert keychain.kept == {}


@pytest.mark.parametrize("token", ["two words", "a\nb", "hf_\u00fc", "x" * 1001, "a\0"])
def test_what_could_not_be_sent_is_refused(keychain: Keychain, token: str) -> None:
    with pytest.raises(HubError) as caught:
        tokens.keep(HOST, token)
    assert token not in str(caught.value)
    assert keychain.kept == {}


def test_a_locked_keychain_is_told_and_gives_none(keychain: Keychain) -> None:
    keychain.is_locked = True
    assert tokens.kept(HOST) == ""
    with pytest.raises(HubError, match="Unlock it") as caught:
        tokens.keep(HOST, "hf_secret")
    assert "hf_secret" not in f"{caught.value!r}"
    assert caught.value.__suppress_context__


def test_without_a_keychain_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a screen has none, whatever other backends are installed there."""
    for kind in tokens.SYSTEMS:
        monkeypatch.setattr(kind, "viable", False)
    assert tokens.kept(HOST) == ""
    with pytest.raises(HubError, match="not written to a file"):
        tokens.keep(HOST, "hf_secret")


def test_the_system_s_keychains_are_known_here() -> None:
    """None of them can be used on another system, and asking costs no exception."""
    assert len(tokens.SYSTEMS) == 4
    assert all(isinstance(kind.viable, bool) for kind in tokens.SYSTEMS)
