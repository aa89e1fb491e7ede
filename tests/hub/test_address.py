"""What may be entered as the address of a hub."""

from __future__ import annotations

import pytest

from app.hub.address import AddressError, endpoint, host, is_private, is_repository


@pytest.mark.parametrize(
    ("entered", "used", "name"),
    [
        ("", "https://huggingface.co", "huggingface.co"),
        (" https://huggingface.co/ ", "https://huggingface.co", "huggingface.co"),
        ("hub.example", "https://hub.example", "hub.example"),
        ("hub.example:8443/models", "https://hub.example:8443/models", "hub.example:8443"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000", "127.0.0.1:9000"),
        ("https://hub.example:443", "https://hub.example:443", "hub.example"),
    ],
)
def test_addresses(entered: str, used: str, name: str) -> None:
    assert endpoint(entered) == used
    assert host(used) == name


@pytest.mark.parametrize(
    "entered",
    [
        "ftp://hub.example",
        "https://",
        "https://ana:secret@hub.example",
        "https://hub.example?x=1",
        "https://hub.example/#a",
        "https://hub.example:99999",
        "https://hub.example:x",
        "https://[",
        "two words",
        "https://hüb.example",
        "file:///etc/passwd",
        "https://h/" + "x" * 1000,
        "a\nb",
    ],
)
def test_what_is_no_address_has_a_sentence(entered: str) -> None:
    with pytest.raises(AddressError, match=r"\.$"):
        endpoint(entered)


def test_where_nobody_reads_along() -> None:
    assert is_private("https://hub.example")
    assert is_private("http://127.1.2.3:80")
    assert is_private("http://localhost")
    assert not is_private("http://hub.example")
    assert not is_private("http://127.0.0.1.evil.example")
    assert not is_private("http://192.168.1.2")


def test_names_of_repositories() -> None:
    assert is_repository("gpt2")
    assert is_repository("mlx-community/Qwen3-8B-4bit")
    assert not any(map(is_repository, ("", "a/b/c", "../x", "a/..", ".a/b", "a/b c", "a--b/c", "a/b\n")))
