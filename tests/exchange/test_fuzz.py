"""Files that were tampered with at random: either something sound comes in, or an ExchangeError says why not."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from app.conversation.store import Store
from app.exchange import ExchangeError, markdown_of_path, markdown_of_tree, read, read_any, write
from app.widgets.chat.messages.figures import figure_words
from tests.exchange.samples import chatgpt, forked, node, packed, random_document, webui_forked
from tests.seeds import each_seed
from tests.viewmodels.builders import rows_of

ODD: list[Any] = [
    *(None, True, 0, -1, 2**31, 2**63, 2**64, 10**400, 1.5, -1e308, 1e-320, "", " ", "\0", "a\ud83d", "0" * 32, "user"),
    *("system", "assistant", "tool", "finished", [], {}, [None], {"": {}}, [[[[]]]], "q", "a1", ["q", "q"], "# <!--"),
]


def everything() -> dict[str, Any]:
    """A conversation of ChatGPT's with all kinds of content."""
    kinds = ["code", "execution_output", "multimodal_text", "thoughts", "user_editable_context", "tether_quote"]
    mapping = forked()["mapping"]
    for number, kind in enumerate(kinds):
        content = {"content_type": kind, "text": "x", "parts": ["a", {"content_type": "image_asset_pointer"}]}
        role = ["user", "assistant", "tool"][number % 3]
        mapping[kind] = node("q", [kinds[number - 1]] if number else [], role, "", content=content)
    return chatgpt(mapping, "a3")


SOURCES: list[Callable[[int], Any]] = [
    lambda seed: json.loads(write(random_document(seed, 8))),
    lambda _: [everything(), forked()],
    lambda _: [webui_forked(), webui_forked()["chat"]],
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in the value with each of its keys."""
    found: list[tuple[Any, Any]] = []
    front = [value]
    while front:
        one = front.pop()
        keys = list(one) if isinstance(one, dict) else list(range(len(one)))
        found += ((one, key) for key in keys)
        front += (one[key] for key in keys if isinstance(one[key], dict | list))
    return found


def tamper(value: Any, rng: random.Random) -> None:
    """Change one place: another value, one from elsewhere, none, another name, or another order."""
    container, key = rng.choice(places(value))
    other, other_key = rng.choice(places(value))
    taken = json.loads(json.dumps(other[other_key]))
    match rng.randrange(6):
        case 0 | 1:
            container[key] = rng.choice(ODD)
        case 2:
            container[key] = taken
        case 3:
            del container[key]
        case 4 if isinstance(container, dict):
            container[rng.choice(["id", "parent", "q", "tokens", "x"])] = container.pop(key)
        case _ if isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), taken)
        case _:
            container["a2"] = taken


def check(data: bytes) -> bool:
    """Whether it came in. Whatever did is kept by a store as it is, shown by the window, and written again."""
    try:
        found = read_any("fuzz", data)
    except ExchangeError as error:
        refused = error.problem.sentence
    else:
        refused = ""
    if refused:
        assert "“fuzz” was not imported" in refused
        assert len(refused) < 2000
        return False
    store = Store(None)
    for document in found.documents:
        conversation_id = store.imports.add(document).conversation_id
        assert conversation_id is not None
        kept = store.exports.export(conversation_id)
        assert [message.text for message in kept.messages] == [message.text for message in document.messages]
        assert read(write(kept)) == kept
        markdown_of_path(kept)
        markdown_of_tree(kept)
        for row in rows_of(store.messages.load(conversation_id), None, {}):
            if row.footer:
                assert figure_words(row.footer, is_done=True)
    while store.idle_step():
        pass
    store.search.find("pear")
    store.close()
    return True


@pytest.mark.parametrize("source", range(len(SOURCES)), ids=["espalier", "chatgpt", "open-webui"])
@each_seed(range(12))
def test_changed_values(source: int, seed: int) -> None:
    rng = random.Random(seed)
    taken = []
    for number in range(20):
        value = SOURCES[source](1000 * seed + number)
        for _ in range(rng.choice([1, 1, 2, 5])):
            tamper(value, rng)
        taken.append(check(json.dumps(value).encode()))
    assert check(json.dumps(SOURCES[source](seed)).encode())
    assert not all(taken)


@pytest.mark.parametrize("source", range(len(SOURCES)), ids=["espalier", "chatgpt", "open-webui"])
def test_changed_bytes(source: int) -> None:
    rng = random.Random(source)
    whole = json.dumps(SOURCES[source](4)).encode()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 3])):
            at = rng.randrange(len(data))
            data[at : at + rng.choice([0, 1, 1, 40])] = rng.choice(
                [b"", b"{", b"]", b'"', b"\\", bytes([rng.randrange(256)])]
            )
        check(bytes(data))


def test_changed_archives() -> None:
    rng = random.Random(1)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", packed([forked()]))
        made.writestr("user.json", b"{}")
    assert check(whole.getvalue())
    came_in = 0
    for _ in range(600):
        data = bytearray(whole.getvalue())
        for _ in range(rng.choice([1, 2])):
            data[rng.randrange(4, len(data))] = rng.randrange(256)
        came_in += check(bytes(data[: rng.choice([len(data), rng.randrange(len(data))])]))
    assert came_in < 600


def test_a_file_that_is_refused_has_left_nothing() -> None:
    """Two good conversations before a bad one: none of them is handed over."""
    with pytest.raises(ExchangeError, match="conversation 3, “mapping”, “q”, “parent”"):
        read_any("x", packed([forked(), webui_forked(), chatgpt({"q": {"parent": 7}})]))
