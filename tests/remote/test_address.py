from __future__ import annotations

import random

import pytest

from app.remote.address import (
    AddressError,
    Reach,
    addresses_of,
    checked_address,
    host_of,
    is_encrypted,
    origin,
    reach_of,
    reach_of_number,
)
from tests.seeds import each_seed


@pytest.mark.parametrize(
    ("entered", "address"),
    [
        ("localhost:8080", "http://localhost:8080"),
        (" 127.0.0.1:8000/v1/ ", "http://127.0.0.1:8000"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("studio:1234", "http://studio:1234"),
        ("studio.local", "http://studio.local"),
        ("192.168.1.20:11434", "http://192.168.1.20:11434"),
        ("http://10.0.0.2:30000/api/v1", "http://10.0.0.2:30000/api"),
        ("models.example.com", "https://models.example.com"),
        ("my_box-2.lan.", "http://my_box-2.lan."),
        ("[fd00::1]:8080", "http://[fd00::1]:8080"),
        ("https://models.example.com:8443/", "https://models.example.com:8443"),
        ("HTTP://Studio.Local:80/API/v1", "http://studio.local:80/API"),
        ("[FE80::1%25En0]:8080", "http://[fe80::1%25En0]:8080"),
    ],
)
def test_an_address_is_taken_as_people_write_it(entered: str, address: str) -> None:
    assert checked_address(entered) == address
    assert checked_address(address) == address


@pytest.mark.parametrize(
    ("entered", "why"),
    [
        ("", "not an address"),
        ("two words", "not an address"),
        ("http://", "not an address"),
        ("localhost:0", "not an address"),
        ("localhost:99999", "not an address"),
        ("x" * 600, "not an address"),
        ("bücher.example", "not an address"),
        ("ftp://localhost", "http:// or https://"),
        ("https://me:secret@models.example.com", "key has a field"),
        ("https://models.example.com?key=1", "“?”"),
        ("https://models.example.com?", "“?”"),
        ("HTTP://models.example.com", "encrypted only"),
        ("http://models.example.com", "encrypted only"),
        ("http://8.8.8.8:80", "encrypted only"),
        ("http://127.0.0.1.example.com", "encrypted only"),
        ("http://[::ffff:8.8.8.8]", "encrypted only"),
        ("192.168.1.300:8080", "“192.168.1.300” is not the number"),
        ("http://134744072", "“134744072” is not the number"),
        ("http://0x08080808:80", "is not the number"),
        ("http://0X8.8.8.8.", "is not the number"),
        ("http://010.8.8.8", "is not the number"),
        ("https://127.1", "is not the number"),
        ("http://a..b", "not an address"),
        ("http://-studio", "not an address"),
        ("http://stu%64io", "not an address"),
        (f"http://{'x' * 64}", "not an address"),
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(entered: str, why: str) -> None:
    with pytest.raises(AddressError, match=why.replace("?", r"\?")):
        checked_address(entered)


@pytest.mark.parametrize(
    ("address", "reach"),
    [
        ("http://localhost:1", Reach.HERE),
        ("http://127.8.8.8", Reach.HERE),
        ("http://[::1]", Reach.HERE),
        ("http://[fe80::1%25en0]:80", Reach.NETWORK),
        ("http://172.16.0.1", Reach.NETWORK),
        ("http://nas", Reach.NETWORK),
        ("https://172.32.0.1", Reach.INTERNET),
        ("https://local", Reach.NETWORK),
        ("https://a.b", Reach.INTERNET),
        ("http://[::ffff:8.8.8.8]", Reach.INTERNET),
        ("http://[::ffff:127.0.0.1]", Reach.HERE),
        ("http://134744072", Reach.INTERNET),
        ("http://0x08080808", Reach.INTERNET),
    ],
)
def test_how_far_words_go(address: str, reach: Reach) -> None:
    assert reach_of(address) is reach


@each_seed(range(20))
def test_capitals_make_no_other_server(seed: int) -> None:
    """Whether words go encrypted, how far they go, and what is entered twice is the same of addresses kept as typed."""
    rng = random.Random(seed)
    scheme, host = rng.choice(("http", "https")), rng.choice(("studio:8080", "nas.local", "10.0.0.7:1", "[fd00::a]:80"))
    plain = f"{scheme}://{host}/Api"
    typed = "".join(rng.choice((one, one.upper())) for one in f"{scheme}://{host}") + "/Api"
    assert checked_address(typed) == plain
    assert (is_encrypted(typed), reach_of(typed), origin(typed)) == (scheme == "https", reach_of(plain), origin(plain))
    with pytest.raises(AddressError, match="twice"):
        addresses_of(f"{plain} {typed}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://studio", "http://studio:80"),
        ("https://studio:443", "https://studio."),
        ("http://127.0.0.1:08080", "http://127.0.0.1:8080"),
        ("http://[::1]", "http://[0:0:0:0:0:0:0:1]"),
    ],
)
def test_a_server_is_itself_however_its_address_is_written(one: str, other: str) -> None:
    with pytest.raises(AddressError, match="twice"):
        addresses_of(f"{one}, {other}")


def test_other_servers_are_others() -> None:
    found = ("http://studio", "https://studio", "http://studio:81", "http://studio/a", "http://studio/A")
    found += ("http://[fe80::1%25en0]", "http://[fe80::1%25en1]")
    assert addresses_of(" ".join(found)) == found


def test_an_address_has_a_name_for_sentences() -> None:
    assert host_of("http://localhost:8080/api") == "localhost:8080"


@pytest.mark.parametrize(
    ("number", "reach"),
    [
        ("127.0.0.1", Reach.HERE),
        ("::1", Reach.HERE),
        ("192.168.1.20", Reach.NETWORK),
        ("fe80::1%en0", Reach.NETWORK),
        ("fd00::1", Reach.NETWORK),
        ("::ffff:10.0.0.1", Reach.NETWORK),
        ("8.8.8.8", Reach.INTERNET),
        ("::ffff:8.8.8.8", Reach.INTERNET),
        ("64:ff9b::808:808", Reach.INTERNET),
        ("2001:4860:4860::8888", Reach.INTERNET),
        ("", Reach.INTERNET),
    ],
)
def test_how_far_the_computer_of_a_number_is_away(number: str, reach: Reach) -> None:
    assert reach_of_number(number) is reach
