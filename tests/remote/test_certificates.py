"""A certificate that a person trusts is accepted, and no other one in its place."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.protocol.servers import Server
from app.remote.certificates import digest, presented, trusted
from app.remote.client import Client, _unreachable
from app.remote.faults import ServerError
from app.remote.probe import look
from tests.remote.scripted import Script, serving

STUDIO, OTHER = (Path(__file__).with_name(name) for name in ("studio.pem", "other.pem"))


async def _names(server: Server) -> list[str]:
    async with Client(server, "secret", await trusted(server)) as client:
        return [one.name for one in (await look(client)).models]


async def _digest(server: Server) -> str:
    return digest(await presented(server))


def test_one_that_nobody_speaks_for_is_accepted_when_it_is_trusted() -> None:
    with serving(Script(kind="vLLM"), STUDIO) as script:
        server = Server("a1", "Studio", script.address)
        with pytest.raises(ServerError) as raised:
            asyncio.run(_names(server))
        assert raised.value.is_untrusted
        assert "self" in raised.value.problem.sentence
        certificate = asyncio.run(_digest(server))
        assert len(certificate) == 64
        assert not script.requests
        assert asyncio.run(_names(Server("a1", "Studio", script.address, certificate))) == ["tiny"]


def test_another_one_in_its_place_gets_nothing() -> None:
    with serving(Script(), STUDIO) as script:
        certificate = asyncio.run(_digest(Server("a1", "Studio", script.address)))
    with serving(Script(), OTHER) as script:
        with pytest.raises(ServerError, match="shows another certificate") as raised:
            asyncio.run(_names(Server("a1", "Studio", script.address, certificate)))
        assert raised.value.is_untrusted
        assert not script.requests


@pytest.mark.parametrize(("now", "title"), [(OTHER, "Studio shows another certificate"), (STUDIO, "")])
def test_another_one_is_told_to_whoever_is_connected_already(now: Path, title: str) -> None:
    """Somebody may have put another computer in the place of the one that was asked before."""

    async def asked_again() -> str:
        with serving(Script(kind="vLLM"), STUDIO) as script:
            address = script.address
            certificate = await _digest(Server("a1", "Studio", address))
            server = Server("a1", "Studio", address, certificate)
            client = Client(server, "secret", await trusted(server))
            assert (await look(client)).models
        async with client:
            with serving(Script(kind="vLLM"), now, urlsplit(address).port or 0):
                try:
                    await look(client)
                except ServerError as error:
                    return error.problem.title
        return ""

    assert asyncio.run(asked_again()) == title


def test_a_trusted_one_that_is_out_of_date_is_called_that() -> None:
    server = Server("a1", "Studio", "https://studio:8443", "9f3a" * 16)
    old = ssl.SSLCertVerificationError("verify failed")
    old.verify_code, old.verify_message = 10, "certificate has expired"
    problem = _unreachable(server, "studio:8443", old).problem
    assert "certificate has expired" in problem.sentence
    assert problem.is_of_server


def test_a_server_without_encryption_shows_none() -> None:
    with serving(Script()) as script:
        server = Server("a1", "Studio", script.address.replace("http:", "https:"))
        with pytest.raises(ServerError):
            asyncio.run(presented(server))
