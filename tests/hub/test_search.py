"""A search says what there is, or in one sentence why it cannot."""

from __future__ import annotations

import gzip
import json
import socket
from contextlib import suppress
from typing import Any

import pytest

from app.hub import connection as hub_connection
from app.hub import naming
from app.hub.connection import Connection
from app.hub.faults import HubError
from app.hub.found import Found
from app.hub.repository import chosen, describe
from app.hub.search import search
from tests.hub.conftest import NAME
from tests.hub.server import Handler, Hub, Repo, serving

SECRET = "hf_verysecret"


def entry(name: str, *tags: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "tags": ["safetensors", *tags], "author": name.partition("/")[0], **more}


def failing(connection: Connection) -> HubError:
    with pytest.raises(HubError) as caught:
        search(connection, "qwen")
    text = f"{caught.value.problem} {caught.value!r}"
    assert SECRET not in text
    return caught.value


def test_a_row_says_what_the_hub_says(hub: Hub, connection: Connection) -> None:
    hub.found = [
        entry(
            "mlx-community/Qwen3-8B-4bit",
            "mlx",
            "license:apache-2.0",
            downloads=12_345,
            likes=67,
            lastModified="2025-05-01T00:00:00.000Z",
            safetensors={"parameters": {"U32": 1_000_000_000, "BF16": 100_000_000}, "total": 1_100_000_000},
            config={"model_type": "qwen3", "quantization": {"bits": 4}},
        )
    ]
    (row,) = search(connection, "qwen").rows
    assert row == Found(
        name="mlx-community/Qwen3-8B-4bit",
        author="mlx-community",
        downloads=12_345,
        likes=67,
        updated=1746057600.0,
        licence="apache-2.0",
        bytes=4_200_000_000,
        parameters=8_000_000_000,
        bits=4.0,
        architecture="qwen3",
        is_mlx=True,
    )


def test_models_for_mlx_come_first_and_each_once(hub: Hub, connection: Connection) -> None:
    hub.found = [entry(f"a/plain-{n}") for n in range(35)] + [entry(f"b/made-{n}", "mlx") for n in range(35)]
    rows, page = [], search(connection, "")
    while True:
        rows += page.rows
        if not page.next:
            break
        page = search(connection, "", page.next)
    assert [row.name for row in rows] == [one["id"] for one in hub.found[35:] + hub.found[:35]]
    assert [row.is_mlx for row in rows] == [True] * 35 + [False] * 35


def test_what_has_no_safetensors_is_not_offered(hub: Hub, connection: Connection) -> None:
    hub.found = [entry("a/both", "mlx", "gguf"), {"id": "a/gguf", "tags": ["gguf", "mlx"]}]
    assert [row.name for row in search(connection, "a").rows] == ["a/both"]


ODD = [None, 7, "x", [], {}, [[]], {"a": {}}, -1, 1e400, True, "\0\ud800", ["\u202e"], 10**30]


def test_odd_fields_cost_a_field_and_odd_entries_a_row(hub: Hub, connection: Connection) -> None:
    fields = ("id", "author", "downloads", "likes", "lastModified", "safetensors", "config", "gated", "tags")
    for field in fields:
        for odd in ODD:
            good = entry("a/good", "mlx")
            hub.found = [{**entry("a/odd", "mlx"), field: odd}, good]

            def answers(handler: Handler) -> bool:
                handler.json(hub.found)
                return True

            hub.misdeeds[:] = [answers]
            names = [row.name for row in search(connection, "").rows]
            assert names[-1] == "a/good", (field, odd)


@pytest.mark.parametrize("content", [b"<html>Sign in</html>", b"", b"\xff\xfe", b"[" * 200_000, b'{"a": 1}', b"7"])
def test_what_is_no_list_of_models(hub: Hub, connection: Connection, content: bytes) -> None:
    """A page to sign in, as hotels show it, an empty answer, brackets without an end."""
    hub.misdeeds.append(lambda handler: handler.reply(200, content) or True)
    assert "does not answer as a hub does" in failing(connection).problem.title


def test_an_answer_without_end(hub: Hub, connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(handler: Handler) -> bool:
        handler.head(200, {"Connection": "close"})
        while not hub.ending.is_set():
            handler.wfile.write(b" " * 100_000)
        return True

    hub.misdeeds.append(endless)
    assert "more than a list" in failing(connection).problem.sentence
    monkeypatch.setattr(hub_connection, "LARGEST_ANSWER", 1 << 60)
    monkeypatch.setattr(hub_connection, "LONGEST_ANSWER", 0.05)
    assert failing(connection).is_passing


def test_a_proxy_that_compresses_what_was_not_asked_to_be(hub: Hub, connection: Connection) -> None:
    packed = gzip.compress(json.dumps([entry("a/good", "mlx")]).encode())
    for content, encoding in ((packed, "gzip"), (packed[:20], "gzip"), (b"nonsense", "gzip"), (packed, "identity")):
        hub.misdeeds[:] = [
            lambda handler, content=content, encoding=encoding: (
                handler.reply(200, content, {"Content-Encoding": encoding}) or True
            )
        ]
        if content == packed and encoding == "gzip":
            assert [row.name for row in search(connection, "").rows] == ["a/good"]
        else:
            assert failing(connection).problem.sentence.endswith(".")
    hub.misdeeds[:] = [
        lambda handler: handler.reply(200, gzip.compress(b" " * (64 << 20)), {"Content-Encoding": "gzip"}) or True
    ]
    assert "more than a list" in failing(connection).problem.sentence


def test_endless_headers_and_bodies_of_redirects(hub: Hub, connection: Connection) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(200, b"[]", {f"X-{n}": "x" * 900 for n in range(300)}) or True)
    assert failing(connection).is_passing

    def redirects(handler: Handler) -> bool:
        if "there" in handler.path:
            return False
        handler.head(302, {"Location": "/api/models?there=1", "Connection": "close"})
        while not hub.ending.is_set():
            handler.wfile.write(b" " * 100_000)
        return True

    hub.misdeeds[:] = [redirects]
    assert search(connection, "").rows == ()


@pytest.mark.parametrize(
    ("status", "headers", "title"),
    [
        (401, {}, "Nothing public was found"),
        (403, {}, "Access was refused"),
        (403, {"X-Error-Code": "GatedRepo"}, "Access must be granted first"),
        (404, {}, "Nothing was found"),
        (410, {}, "Nothing was found"),
        (418, {}, " refused"),
        (429, {"Retry-After": "30"}, "Too many requests"),
        (429, {"Retry-After": "soon"}, "Too many requests"),
        (500, {}, " has a fault"),
        (503, {"Retry-After": "9" * 400}, " has a fault"),
    ],
)
def test_each_refusal_has_its_sentence(
    hub: Hub, connection: Connection, status: int, headers: dict[str, str], title: str
) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(status, b"<html>" * 1000, headers) or True)
    error = failing(connection)
    assert error.problem.title.endswith(title)
    assert error.problem.sentence.endswith(".")
    assert error.is_passing == (status in (429, 500, 503))
    if headers.get("Retry-After") == "30":
        assert error.wait == 30
        assert "in 30\u00a0seconds" in error.problem.sentence


def test_nobody_there() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with Connection(f"http://127.0.0.1:{unused.getsockname()[1]}") as connection:
            error = failing(connection)
    assert error.problem.title.endswith("cannot be reached")
    assert error.is_passing


def test_a_hub_that_says_nothing(hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: hub.ending.wait(20))
    with Connection(hub.address, read=0.1) as connection:
        assert failing(connection).problem.title.endswith("does not answer")


def test_redirects_without_end_and_to_nowhere(hub: Hub, connection: Connection) -> None:
    for place in ("/again", "ftp://127.0.0.1/x", "http://", "//", "http://127.0.0.1:99999/"):
        hub.misdeeds[:] = [lambda handler, place=place: handler.reply(302, b"", {"Location": place}) or True]
        assert failing(connection).problem.sentence.endswith("."), place
    assert len(hub.asked) < 40


# The access token


def test_the_token_goes_to_the_hub_alone(hub: Hub) -> None:
    """Not where it redirects to, not where the next page is said to lie, and not to another port of its host."""
    with serving() as other, Connection(hub.address, SECRET) as connection:

        def redirects(handler: Handler) -> bool:
            handler.reply(302, b"", {"Location": f"{other.address}{handler.path}"})
            return True

        search(connection, "")
        assert hub.asked[-1][1]["Authorization"] == f"Bearer {SECRET}"
        hub.misdeeds.append(redirects)
        search(connection, "")
        hub.misdeeds[:] = [
            lambda handler: handler.json([], {"Link": f'<{other.address}/api/models?filter=mlx>; rel="next"'}) or True
        ]
        page = search(connection, "")
        assert other.address not in page.next
        with pytest.raises(HubError, match="another hub"):
            search(connection, "", f"{other.address}/api/models")
        other.misdeeds.append(lambda handler: handler.reply(302, b"", {"Location": f"{hub.address}/back"}) or True)
        hub.misdeeds[:] = [lambda handler: "back" not in handler.path and redirects(handler)]
        failing(connection)
        assert other.asked
        assert not any("Authorization" in headers for _path, headers in other.asked)


def test_the_token_is_never_sent_unencrypted_over_a_network() -> None:
    """The hub is not asked here: its request is made, and looked at."""
    import httpx2

    for address, is_sent in (("http://hub.example", False), ("https://hub.example", True), ("http://[::1]:8", True)):
        with Connection(address, SECRET) as connection:
            request = httpx2.Request("GET", f"{address}/api/models", headers={"Authorization": "Bearer stale"})
            connection._check(request)
            assert request.headers.get("Authorization") == (f"Bearer {SECRET}" if is_sent else None)
    with Connection("https://hub.example", SECRET) as connection, pytest.raises(HubError, match="not encrypted"):
        connection._check(httpx2.Request("GET", "http://hub.example/x"))


def test_the_library_sends_no_token_of_its_own(
    hub: Hub, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    search(connection, "")
    assert SECRET not in json.dumps(hub.asked)


def test_a_token_that_is_refused_is_asked_for_again(hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(401, b"") or True)
    with Connection(hub.address, SECRET) as connection:
        error = failing(connection)
    assert error.wants_token
    assert error.problem.title == "The access token was refused"


# Descriptions


def test_a_description_says_what_one_decides_by(hub: Hub, connection: Connection) -> None:
    hub.repos[NAME].extra = {"cardData": {"license": "other", "license_name": "llama3.1", "license_link": "LICENSE"}}
    hub.repos[NAME].tags = ("mlx", "license:other")
    found = describe(connection, NAME)
    assert (found.licence, found.licence_link, found.is_gated, found.reason) == ("llama3.1", "LICENSE", False, "")
    assert [file.name for file in found.files] == sorted(
        name for name in hub.repos[NAME].files if name.endswith((".json", ".safetensors"))
    )
    assert found.bytes == sum(len(hub.repos[NAME].files[file.name]) for file in found.files)


EVIL = (
    "../model.safetensors",
    "/model.safetensors",
    "a/../../model.safetensors",
    "..\\model.safetensors",
    "model\0.safetensors",
    "model/../x.json",
    "additional_chat_templates/../../x.jinja",
    "~/x.json",
    ".hidden.json",
    "x..json",
    "model.safetensors\n",
    "con/model.safetensors",
)


def test_names_that_lead_elsewhere_are_never_fetched(hub: Hub, connection: Connection) -> None:
    for name in EVIL:
        hub.repos[NAME].files[name] = b"x" * 2000
    names = [file.name for file in describe(connection, NAME).files]
    assert not set(names) & set(EVIL)
    assert len(names) == 4


def test_code_and_pickles_are_never_fetched(hub: Hub, connection: Connection) -> None:
    for name in ("modeling_x.py", "model.bin", "model.pkl", "model.pt", "x.so", "run.sh", "model.gguf", "x.pth"):
        hub.repos[NAME].files[name] = b"x"
    assert len(describe(connection, NAME).files) == 4


def test_what_is_no_model_has_its_reason(hub: Hub, connection: Connection) -> None:
    files = hub.repos[NAME].files
    cases = [
        (lambda: [files.pop(name) for name in list(files) if name.startswith("model-")], "no weights"),
        (lambda: files.pop("config.json"), "no config.json"),
        (lambda: files.update({"Config.json": b"{}"}), "differ in capitals"),
        (lambda: files.update({"model.safetensors": b""}), "empty"),
        (lambda: files.update({f"f{n}.json": b"{}" for n in range(3000)}), "more than 2000 files"),
    ]
    for change, words in cases:
        files.clear()
        files.update(Repo().files)
        change()
        assert words in describe(connection, NAME).reason


def test_sizes_and_checksums_that_cannot_be(hub: Hub, connection: Connection) -> None:
    def altered(**fields: Any) -> str:
        def change(described: dict[str, Any]) -> None:
            described["siblings"][0].pop("lfs", None)
            described["siblings"][0].update(fields)

        hub.repos[NAME].change = change
        return describe(connection, NAME).reason

    assert "no checksum" in altered(blobId="../../../etc/passwd")
    assert "no checksum" in altered(blobId=None)
    assert "too large to belong" in altered(size=600_000_000)
    assert "larger than 50 GB" in altered(size=60_000_000_000)
    assert altered(lfs={"sha256": "ab" * 32, "size": 1}) == ""


def test_ten_thousand_files_beside_a_model(hub: Hub, connection: Connection) -> None:
    for number in range(10_000):
        hub.repos[NAME].files[f"data/{number}.parquet"] = b""
    assert len(describe(connection, NAME).files) == 4


def test_odd_descriptions(hub: Hub, connection: Connection) -> None:
    for field in ("sha", "siblings", "tags", "cardData", "gated", "lastModified", "disabled"):
        for odd in ODD:
            hub.repos[NAME].extra = {field: odd}
            with suppress(HubError):
                found = describe(connection, NAME)
                assert field != "siblings" or found.reason, odd
    for odd in ODD:
        assert chosen([odd, {"rfilename": odd}, {"rfilename": "config.json", "size": odd, "lfs": odd}])[1]


def test_a_name_that_is_none_is_not_asked_for(hub: Hub, connection: Connection) -> None:
    for name in ("", "..", "a/b/c", "a/../b", "a b", "a/b?x=1", "https://x/y", "a--b/c", "-a/b", "a/" + "b" * 99):
        with pytest.raises(HubError, match="not the name"):
            describe(connection, name)
    assert not hub.asked


@pytest.mark.parametrize(
    ("name", "parameters", "bits"),
    [
        ("mlx-community/Qwen3-8B-4bit", 8e9, 4),
        ("mlx-community/Qwen3-30B-A3B-Instruct-2507-4bit", 30e9, 4),
        ("mlx-community/Llama-3.2-1B-Instruct-4bit", 1e9, 4),
        ("mlx-community/Qwen2.5-0.5B-Instruct-8bit", 0.5e9, 8),
        ("mlx-community/Mixtral-8x7B-Instruct-v0.1-4-bit", 56e9, 4),
        ("mlx-community/gpt-oss-20b-MXFP4-Q8", 20e9, 4),
        ("Qwen/Qwen3-8B", 8e9, 0),
        ("mlx-community/SmolLM-135M-Instruct-fp16", 135e6, 16),
        ("someone/thing-v2", 0, 0),
    ],
)
def test_what_names_tell(name: str, parameters: float, bits: float) -> None:
    assert (naming.parameters(name), naming.bits(name)) == (parameters, bits)
