"""The opening of prompts as ids: a tokenizer is had from the server, or read from a folder, and proven."""

from __future__ import annotations

import logging
from datetime import datetime
from urllib.parse import quote

from app.prompting.border import foreign_code
from app.prompting.codec import Codec
from app.prompting.problems import EngineError, ModelError
from app.prompting.prompt import PromptBuilder
from app.prompting.steps import Steps
from app.prompting.template import chat_template
from app.remote.client import Client
from app.remote.faults import ServerError
from app.remote.id_prompts import IdPrompts
from app.remote.llama_completion import LlamaCompletion
from app.remote.proof import proven
from app.remote.server_tokenizer import LARGEST_TEMPLATE, MOST_ROWS, ServerTokenizer
from app.remote.token_thread import TokenThread

log = logging.getLogger(__name__)


async def llama_prompts(client: Client, model: str) -> IdPrompts | None:
    """Return the prompts of a model on llama.cpp's server, None where it does not tell enough or they are not proven.

    model: as the server calls it.
    """
    try:
        props = await client.json(f"/props?model={quote(model, safe='')}")
        rows = _rows(await client.json("/v1/models"), model)
    except ServerError:
        return None
    template = props.get("chat_template")
    if not isinstance(template, str) or not 0 < len(template) <= LARGEST_TEMPLATE or not 0 < rows <= MOST_ROWS:
        return None
    specials = {name: text for name in ("bos_token", "eos_token") if isinstance(text := props.get(name), str)}
    thread = TokenThread(client, model)
    try:
        found = await thread.finish(_opening(client, thread, rows, template, specials))
    except EngineError as error:
        log.info("%s is sent messages: %s", client.server.name, error)
        found = None
    except BaseException:
        thread.close()
        raise
    if found is None:
        thread.close()
    return found


def _opening(
    client: Client, thread: TokenThread, rows: int, template: str, specials: dict[str, str]
) -> Steps[IdPrompts | None]:
    yield
    with foreign_code(_unusable):
        tokenizer = ServerTokenizer(thread, rows, template, specials)
    yield
    rendered = chat_template(tokenizer, datetime.now().astimezone())
    builder: PromptBuilder | None = None
    try:
        with foreign_code(_unusable):
            codec = Codec(tokenizer, template, rows)
        builder = yield from proven(tokenizer, codec, rendered)
    finally:
        if builder is None:
            rendered.close()
    if builder is None:
        log.info("%s is sent messages: prompts made here are not its own", thread.name)
        return None
    return IdPrompts(LlamaCompletion(), client, thread, tokenizer, codec, builder)


def _unusable(words: str) -> ModelError:
    return ModelError("The server's tokens cannot be used", words)


def _rows(listed: object, model: str) -> int:
    """Return how many tokens a model has, 0 where the server does not say."""
    data = listed.get("data") if isinstance(listed, dict) else None
    for one in data if isinstance(data, list) else []:
        meta = one.get("meta") if isinstance(one, dict) and one.get("id") == model else None
        rows = meta.get("n_vocab") if isinstance(meta, dict) else None
        if isinstance(rows, int) and not isinstance(rows, bool):
            return rows
    return 0
