"""Servers are added by their address, found out, looked at again and removed; nothing asks them by itself."""

from __future__ import annotations

import json
import random
import ssl
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytestqt.qtbot import QtBot

from app.hub import tokens
from app.protocol.commands import LoadModel
from app.remote.address import host_of
from app.remote.certificates import digest
from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import ServerState, Settings, settings_from
from app.viewmodels.servers.servers_region import ServersRegion
from tests.fakes import engine as fakes
from tests.remote.scripted import SIGNS, Script, serving
from tests.remote.scripted_folder import FOLDER, Vllm
from tests.remote.test_certificates import OTHER, STUDIO
from tests.seeds import chosen, each_seed
from tests.viewmodels.test_app import opened, texts


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders("/models/guide", "/caches/snapshots", database=str(tmp_path / "conversations.db"))


@pytest.fixture
def region(app: App) -> ServersRegion:
    return app.servers


def test_a_server_is_found_out_and_its_models_are_listed(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    with serving(Script(kind="vLLM")) as script:
        with qtbot.waitSignal(region.added):
            assert region.add(script.address, " My  studio ") == ""
            assert region.state.now.looking == script.address
        (server,) = settings.values.servers
        assert (server.name, server.url, server.kind) == ("My studio", script.address, "vLLM")
        assert server.models == {"tiny": 2048}
        assert region.state.now.servers == (server,)
        assert region.state.now.looking == ""
        asked = len(script.requests)
        assert "My studio" in region.add(script.address)
        assert len(script.requests) == asked


def test_without_a_name_it_is_called_by_its_address(qtbot: QtBot, region: ServersRegion) -> None:
    """Its row says that once."""
    with serving() as script, qtbot.waitSignal(region.added):
        region.add(script.address.removeprefix("http://") + "/v1/")
    assert region.state.now.servers[0].name == script.address.removeprefix("http://")
    assert region.state.now.rows[0].details.startswith("on this computer")


def test_what_cannot_be_asked_is_told_and_nothing_is_added(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    assert "encrypted" in region.add("http://models.example.com")
    assert "not an address" in region.add(" ")
    with serving() as script:
        gone = script.address
    region.add(gone, "Gone")
    qtbot.waitUntil(lambda: region.state.now.problem is not None)
    problem = region.state.now.problem
    assert problem is not None
    assert problem.title == "Gone cannot be reached"
    assert not settings.values.servers


def test_a_key_that_cannot_be_sent_is_refused_as_it_is_entered(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    with serving() as script:
        for key in ("schlüssel", "two words", "a\nb", "x" * 2000):
            assert "not a key" in region.add(script.address, key=key)
        assert region.state.now.looking == ""
        settings.update(servers=(ServerState("a1", "Mine", script.address),))
        region.change("a1", "Yours", "schlüssel")
        problem = region.state.now.problem
        assert problem is not None
        assert "not a key" in problem.sentence
        assert region.state.now.looking == ""
        assert not script.requests


@pytest.mark.parametrize("fault", [ValueError("odd"), OSError("gone"), None])
def test_every_look_ends_with_a_word(
    qtbot: QtBot,
    region: ServersRegion,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception | None,
) -> None:
    """Also with what was stored by hand, and with what nobody foresaw."""

    async def broken(_server: object) -> None:
        if fault is not None:
            raise fault

    monkeypatch.setattr("app.remote.certificates.trusted", broken)
    settings.update(servers=(ServerState("a1", "Mine", "http://192.168.1.300:8080"),))
    region.look_again("a1")
    qtbot.waitUntil(lambda: region.state.now.problem is not None)
    assert region.state.now.looking == ""
    problem = region.state.now.problem
    assert problem is not None
    assert "Mine" in problem.title
    assert ("could not be looked at" in caplog.text) == (fault is not None)


def test_each_address_shows_its_certificate_and_each_is_trusted_by_itself(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    """At random: of some nobody needs to be trusted; and no other certificate is taken at any of them afterwards."""
    shown = (None, STUDIO, OTHER)
    for seed in chosen(range(6)):
        dice = random.Random(seed)
        certificates = [dice.choice(shown) for _ in range(dice.randint(1, 4))]
        settings.update(servers=())
        with ExitStack() as stack:
            scripts = [stack.enter_context(serving(Script(kind="vLLM"), one)) for one in certificates]
            for at, certificate in enumerate(certificates):
                if certificate is None:
                    continue
                if not at or not any(certificates[:at]):
                    region.add(" ".join(one.address for one in scripts), "Studio")
                else:
                    region.trust()
                qtbot.waitUntil(lambda: bool(region.state.now.certificate) and not region.state.now.looking)
                problem = region.state.now.problem
                assert problem is not None
                assert "cannot be trusted yet" in problem.title
                assert len(scripts) == 1 or host_of(scripts[at].address) in problem.title
                assert not any(one.requests for one in scripts[at:]), "nothing is sent before"
            with qtbot.waitSignal(region.added):
                if any(certificates):
                    region.trust()
                else:
                    region.add(" ".join(one.address for one in scripts), "Studio")
            (added,) = settings.values.servers
            assert settings_from(json.loads(json.dumps(asdict(settings.values)))).servers == (added,)
            for one, certificate in zip(added.server.replicas, certificates, strict=True):
                assert bool(one.certificate) is (certificate is not None), seed
            at = dice.randrange(len(scripts))
            if certificates[at] is not None:
                asked = len(scripts[at].requests)
                other = STUDIO if certificates[at] == OTHER else OTHER
                found = added.server.trusting(scripts[at].address, digest_of(other))
                settings.update(
                    servers=(
                        replace(added, certificate=found.certificate, other_certificates=found.other_certificates),
                    )
                )
                region.look_again(added.id)
                qtbot.waitUntil(lambda: region.state.now.problem is not None)
                problem = region.state.now.problem
                assert problem is not None
                assert "shows another certificate" in problem.title
                assert len(scripts[at].requests) == asked


def digest_of(file: Path) -> str:
    return digest(
        ssl.PEM_cert_to_DER_cert("-----BEGIN CERTIFICATE" + file.read_text().partition("-----BEGIN CERTIFICATE")[2])
    )


def test_only_the_newest_look_counts_and_one_can_be_given_up(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    with serving(Script(kind="vLLM")) as first, serving(Script(kind="LM Studio")) as second:
        region.add(first.address)
        with qtbot.waitSignal(region.added):
            region.add(second.address)
        region.add(first.address)
        region.give_up()
        qtbot.wait(100)
        assert [one.kind for one in settings.values.servers] == ["LM Studio"]
        assert region.state.now.looking == ""


def test_a_server_is_looked_at_again_under_the_name_it_has(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    with serving(Script(kind="SGLang")) as script:
        settings.update(servers=(ServerState("a1", "Mine", script.address, "vLLM", {"old": 1}),))
        with qtbot.waitSignal(region.added):
            region.look_again("a1")
        assert settings.values.servers == (ServerState("a1", "Mine", script.address, "SGLang", {"tiny": 2048}),)
        region.look_again("gone")
        region.remove("a1")
        assert not settings.values.servers


def test_the_key_is_tried_before_anything_is_kept(qtbot: QtBot, region: ServersRegion, settings: Settings) -> None:
    with serving() as script:
        region.add(script.address, key="secret")
        qtbot.waitUntil(lambda: region.state.now.looking == "")
        assert {headers["Authorization"] for _, headers, _ in script.requests} == {"Bearer secret"}
        problem = region.state.now.problem
        assert problem is None
        assert "secret" not in str(settings.values)


def test_without_a_keychain_a_key_lasts_where_only_its_owner_reads_it(
    qtbot: QtBot,
    make_app: Callable[[], App],
    settings: Settings,
    folders: Folders,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """It is sent when a model is opened and when the server is asked again, also after a start, and goes with it."""

    def none() -> None:
        raise tokens.NoKeychainError("The access token was not saved", "There is no keychain.")

    monkeypatch.setattr(tokens, "_keychain", none)
    with serving(Script(kind="vLLM", key="secret")) as script:
        app = make_app()
        with qtbot.waitSignal(app.servers.added):
            app.servers.add(script.address, "Studio", "secret")
        app = make_app()
        (server,) = settings.values.servers
        with qtbot.waitSignal(app.servers.added):
            app.servers.look_again(server.id)
        app.model.open(f"server:{server.id}/tiny")
        opened(qtbot, app, "tiny")
        (file,) = (tmp_path / "server-keys").iterdir()
        assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("secret", 0o600)
        assert "secret" not in str(settings.values)
        app.servers.remove(server.id)
        qtbot.waitUntil(lambda: not file.exists())


def test_an_unencrypted_way_through_the_network_is_warned_of(region: ServersRegion) -> None:
    assert "read along" in region.warning("http://192.168.1.20:8080")
    assert "read along" in region.warning("studio.local")
    assert "read along" in region.warning("HTTP://studio.local")
    for address in ("localhost:8080", "https://192.168.1.20", "models.example.com", "ftp://studio"):
        assert region.warning(address) == ""


def test_several_addresses_of_the_same_models_are_one_server(
    qtbot: QtBot, region: ServersRegion, settings: Settings
) -> None:
    with serving(Script(kind="vLLM")) as first, serving(Script(kind="vLLM")) as second:
        with qtbot.waitSignal(region.added):
            assert region.add(f"{first.address}, {second.address}", "Both") == ""
        (server,) = settings.values.servers
        assert (server.url, server.others, server.models) == (first.address, (second.address,), {"tiny": 2048})
        assert "already" in region.add(second.address)
        assert "twice" in region.add(f"{first.address} {first.address}")
        settings.update(servers=(replace(server, url=first.address.upper()),))  # as one may have been kept
        assert "already" in region.add(first.address)
        region.remove(server.id)
        with serving(Script(kind="SGLang")) as third:
            region.add(f"{first.address} {third.address}")
            qtbot.waitUntil(lambda: region.state.now.problem is not None)
            problem = region.state.now.problem
            assert problem is not None
            assert "another server" in problem.title
    assert not settings.values.servers


def test_the_folder_of_a_tokenizer_is_kept_changed_and_taken_away(
    qtbot: QtBot, region: ServersRegion, settings: Settings, tmp_path: Path
) -> None:
    with serving(Script(kind="SGLang")) as script:
        assert "whole path" in region.add(script.address, tokenizer="models/tiny")
        assert region.state.now.looking == ""
        with qtbot.waitSignal(region.added):
            assert region.add(script.address, tokenizer=f" {tmp_path} ") == ""
        (server,) = settings.values.servers
        assert (server.tokenizer, server.server.tokenizer) == (str(tmp_path), str(tmp_path))
        assert region.takes_folder(server)
        with qtbot.waitSignal(region.added):
            region.look_again(server.id)
        assert settings.values.servers[0].tokenizer == str(tmp_path)
        with qtbot.waitSignal(region.added):
            region.change(server.id, "Studio", tokenizer="~/tiny")
        assert settings.values.servers[0].tokenizer == str(Path("~/tiny").expanduser())
        with qtbot.waitSignal(region.added):
            region.change(server.id, "Studio", tokenizer="")
        assert settings.values.servers[0].tokenizer == ""
        assert not any("tiny" in str(body) for _, _, body in script.requests if body), "no server is told of it"


def test_a_folder_is_asked_for_where_it_makes_a_difference(region: ServersRegion) -> None:
    taking = {kind for kind in SIGNS if region.takes_folder(ServerState(kind=kind))}
    assert taking == {"vLLM", "SGLang"}
    assert region.takes_folder(ServerState(kind="llama.cpp", tokenizer="/models/tiny")), "it can be taken away"


def test_a_model_in_use_is_asked_with_the_key_that_was_given_meanwhile(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings
) -> None:
    with serving() as script:
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        script.key = "secret"
        app.chat.requests.send("Hello?")
        qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
        card = app.chat.state.now.card
        assert card is not None
        assert "asks for a key" in card.title
        with qtbot.waitSignal(region.added):
            region.change("a1", "Studio", "secret")
        qtbot.waitUntil(lambda: app.chat.state.now.card is None)
        app.chat.requests.regenerate()
        qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].text == "Hello, world")


@contextmanager
def answering(qtbot: QtBot, app: App, settings: Settings) -> Iterator[Script]:
    """A server that was added and has begun an answer, which goes on when it may."""
    with serving(Script("vLLM", hold=1)) as script:
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.detail == "on Studio")
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        app.chat.requests.send("Hello?")
        qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].text == "Hello")
        yield script


def test_a_model_in_use_is_on_the_server_by_its_new_name_after_the_answer_that_is_under_way(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings
) -> None:
    """Also where another server is changed meanwhile."""
    with answering(qtbot, app, settings) as script, serving() as other:
        settings.update(servers=(*settings.values.servers, ServerState("b2", "Attic", other.address)))
        for server_id, name in (("a1", "Workshop"), ("b2", "Cellar")):
            with qtbot.waitSignal(region.added):
                region.change(server_id, name)
        assert app.model.state.now.detail == "on Studio"
        script.go.set()
        qtbot.waitUntil(lambda: app.model.state.now.detail == "on Workshop")
        assert app.chat.chat_model.rows[-1].text == "Hello, world"
        view = app.cache.view
        assert view.place == "Workshop"
        assert any(node.residency == "believed" for node in view.nodes), "nothing is forgotten for a name"


def test_another_model_is_not_opened_again_for_a_server(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings, script: fakes.Script
) -> None:
    with answering(qtbot, app, settings) as server:
        with qtbot.waitSignal(region.added):
            region.change("a1", "Workshop")
        app.model.open("/models/other")
        qtbot.waitUntil(lambda: app.model.state.now.is_open and not app.model.state.now.is_on_server)
        server.go.set()
        qtbot.waitUntil(lambda: not app.answering.is_writing())
        region.follow_answers()
    asked = [one.path for one in script.commands if isinstance(one, LoadModel) and one.path == "/models/other"]
    assert len(asked) == 1


def test_a_model_in_use_is_asked_with_the_certificate_that_is_trusted_meanwhile(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings
) -> None:
    def trusts() -> None:
        region.change("a1", "Studio")
        qtbot.waitUntil(lambda: bool(region.state.now.certificate))
        with qtbot.waitSignal(region.added):
            region.trust()

    with serving(Script("vLLM"), STUDIO) as script:
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))
        trusts()
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
        port = urlsplit(script.address).port or 0
    app.answering.chosen.all.allow(app.library.open_id, "a1")
    with serving(Script("vLLM"), OTHER, port):
        app.chat.requests.send("Hello?")
        qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
        card = app.chat.state.now.card
        assert card is not None
        assert (card.title, card.action_id) == ("Studio shows another certificate", "change_server")
        trusts()
        qtbot.waitUntil(lambda: app.chat.state.now.card is None)
        app.chat.requests.regenerate()
        qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].text == "Hello, world")


def test_a_model_that_was_refused_is_opened_once_its_server_is_asked_rightly(
    qtbot: QtBot, make_app: Callable[[], App], settings: Settings
) -> None:
    with serving(Script(key="secret")) as script:
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))
        app = make_app()
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
        app.servers.change("a1", "Studio", "secret")
        qtbot.waitUntil(lambda: app.model.state.now.is_open and app.chat.state.now.card is None)
        assert app.model.state.now.is_on_server


def test_a_model_in_use_is_opened_again_with_another_tokenizer(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings
) -> None:
    def takes_ids() -> bool:
        info = app.model.current_model.info
        return info is not None and info.capabilities is not None and info.capabilities.token_ids

    with serving() as script:
        Vllm(script, [65])
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
        assert not takes_ids()
        region.change("a1", "Studio", tokenizer=FOLDER)
        qtbot.waitUntil(takes_ids, timeout=20_000)
        region.change("a1", "Studio", tokenizer="/no/such/folder")
        qtbot.waitUntil(lambda: not takes_ids() and app.model.state.now.is_open, timeout=20_000)
        assert "no folder" in app.notices.now.text


@each_seed(range(8))
def test_whatever_is_changed_meanwhile_the_next_question_goes_as_was_entered_last(
    qtbot: QtBot, app: App, region: ServersRegion, settings: Settings, seed: int
) -> None:
    """Its key and its name, while an answer is written or a model opened, refused or in use."""
    dice = random.Random(seed)
    with serving(Script("vLLM", pause=0.01)) as script:
        settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))

        def give_key() -> None:
            script.key = f"key-{dice.randrange(1000)}"
            change("Studio", script.key)

        def change(name: str, key: str = "") -> None:
            with qtbot.waitSignal(region.added):
                region.change("a1", name, key)

        acts: list[Callable[[], object]] = [
            give_key,
            lambda: change(dice.choice(("Studio", "Workshop", "Attic"))),
            lambda: app.model.open("server:a1/tiny"),
            lambda: app.model.open("/models/other"),
            lambda: app.chat.requests.send("Hello?"),
            lambda: app.chat.requests.regenerate(),
            lambda: qtbot.wait(dice.randrange(60)),
        ]
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        app.model.open("server:a1/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.is_on_server and not app.model.state.now.is_loading)
        for _ in range(12):
            dice.choice(acts)()
        qtbot.waitUntil(lambda: not (app.model.state.now.is_loading or app.answering.is_writing()))
        if not app.model.state.now.is_on_server:
            app.model.open("server:a1/tiny")
            qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
            dice.choice(acts[:2])()
        app.library.new_conversation()
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        app.chat.requests.send("And now?")
        qtbot.waitUntil(lambda: texts(app) == ["And now?", "Hello, world"])
        assert app.model.state.now.detail == f"on {settings.values.servers[0].name}"
