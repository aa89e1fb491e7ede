"""The opening of prompts as ids: a tokenizer is had from the server, or read from a folder, and proven."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os.path import expanduser
from pathlib import Path
from typing import Any
from urllib.parse import quote

from app.prompting.border import foreign_code
from app.prompting.codec import Codec
from app.prompting.problems import EngineError, ModelError
from app.prompting.prompt import PromptBuilder
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, chat_template, renderer_of
from app.protocol.chat import PromptOptions, Sampling, Turn
from app.protocol.dataclass import dataclass
from app.remote import kinds
from app.remote.client import Client
from app.remote.compared_tokenizer import ComparedTokenizer, SglangRoutes, TokenRoutes, VllmRoutes
from app.remote.faults import ServerError, words
from app.remote.id_interface import IdInterface, IdQuestion
from app.remote.id_prompts import IdPrompts
from app.remote.id_tokenizer import IdTokenizer
from app.remote.kinds import Kind
from app.remote.llama_completion import LlamaCompletion
from app.remote.proof import proven
from app.remote.server_tokenizer import LARGEST_TEMPLATE, MOST_ROWS, ServerTokenizer
from app.remote.sglang_generate import SglangGenerate
from app.remote.token_thread import TokenThread, UnansweredError
from app.remote.vllm_completion import VllmCompletion
from app.tokenizing.folder_tokenizer import FolderTokenizer, read_tokenizer

log = logging.getLogger(__name__)

_MESSAGES = "Messages are sent instead, which the server tokenizes itself."
_OTHER = "The tokenizer in {folder} is not the one of {name}: they make other tokens of the same words."
_OTHER_ANSWER = "{name} does not answer token ids with token ids: it may be too old for that."
# The kinds whose tokenizer a folder has, with how they are asked.
_BY_FOLDER: dict[Kind, tuple[TokenRoutes, IdInterface]] = {
    kinds.VLLM: (VllmRoutes(), VllmCompletion()),
    kinds.SGLANG: (SglangRoutes(), SglangGenerate()),
}


@dataclass(frozen=True, slots=True)
class CommonIds:
    """The prompts of a model as ids that all of its servers take. ids: None where they are sent messages. note: why
    they are, where the person named a folder.
    """

    ids: IdPrompts | None = None
    note: str = ""


async def common_ids(servers: Sequence[tuple[Client, Kind]], model: str, folder: str) -> CommonIds:
    """Return the prompts of a model on its servers.

    model: as they call it. folder: that the person named for its tokenizer, "" for none.
    """
    found: list[IdPrompts] = []
    tokenizer: FolderTokenizer | None = None
    try:
        for client, kind in servers:
            if kind is kinds.LLAMA:
                ids, why = await llama_prompts(client, model), ""
            elif kind in _BY_FOLDER and folder:
                ids, why, tokenizer = await _folder_prompts(client, kind, model, folder, tokenizer)
            else:
                ids, why = None, ""
            if ids is None:
                return CommonIds(note=f"{why} {_MESSAGES}" if why else "")
            found.append(ids)
        alike = len({ids.fingerprint for ids in found}) == 1
        return CommonIds(found.pop(0) if alike else None)
    finally:
        for ids in found:
            await ids.close()


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
        found = await _finished(thread, _llama_opening(client, thread, rows, template, specials))
    except EngineError as error:
        log.info("%s is sent messages: %s", client.server.name, error)
        return None
    if found is None:
        log.info("%s is sent messages: prompts made here are not its own", client.server.name)
    return found


async def _folder_prompts(
    client: Client, kind: Kind, model: str, folder: str, tokenizer: FolderTokenizer | None
) -> tuple[IdPrompts | None, str, FolderTokenizer | None]:
    """Return the prompts of a model whose tokenizer a folder has, or why there are none; and the tokenizer.

    tokenizer: None where it was not read yet.
    """
    thread = TokenThread(client, model)
    try:
        opening = _FolderOpening(client, kind, model, thread, Path(expanduser(folder)))
        ids = await _finished(thread, opening.steps(tokenizer))
    except EngineError as error:
        ids, why = None, f"{error.problem.title}. {error.problem.sentence}"
    else:
        why = opening.why
    if why:
        log.info("%s is sent messages: %s", client.server.name, why)
    return ids, why, opening.tokenizer


async def _finished(thread: TokenThread, steps: Steps[IdPrompts | None]) -> IdPrompts | None:
    """Take steps on a thread, which ends where nothing comes of them."""
    found: IdPrompts | None = None
    try:
        found = await thread.finish(steps)
    finally:
        if found is None:
            thread.close()
    return found


def _llama_opening(
    client: Client, thread: TokenThread, rows: int, template: str, specials: dict[str, str]
) -> Steps[IdPrompts | None]:
    yield
    with foreign_code(_unusable):
        tokenizer = ServerTokenizer(thread, rows, template, specials)
    yield
    rendered = chat_template(tokenizer, datetime.now().astimezone())
    codec, builder = yield from _proven(tokenizer, rendered, rows)
    return None if builder is None else IdPrompts(LlamaCompletion(), thread, tokenizer, codec, builder)


class _FolderOpening:
    """The opening of prompts by a folder's tokenizer. Attributes: tokenizer; why, there are none."""

    def __init__(self, client: Client, kind: Kind, model: str, thread: TokenThread, folder: Path) -> None:
        self._client, self._kind, self._model, self._thread, self._folder = client, kind, model, thread, folder
        self._routes, self._interface = _BY_FOLDER[kind]
        self.tokenizer: FolderTokenizer | None = None
        self.why = ""

    def steps(self, known: FolderTokenizer | None) -> Steps[IdPrompts | None]:
        """Read the tokenizer, unless it is known, and prove it. Raises EngineError."""
        yield
        self.tokenizer = (yield from read_tokenizer(self._folder)) if known is None else known
        tokenizer = ComparedTokenizer(self.tokenizer, self._thread, self._routes)
        codec, builder = yield from _proven(tokenizer, _template(tokenizer), None)
        name = self._client.server.name
        if builder is None:
            self.why = _OTHER.format(folder=words(self._folder.name), name=name)
            return None
        prompts = IdPrompts(self._interface, self._thread, tokenizer, codec, builder)
        answers_ids = False
        try:
            prompt = yield from builder.building((Turn("user", "Hello"),), PromptOptions())
            answers_ids, prompts.tells_alternatives = self._answers_ids(codec, prompt.ids)
        finally:
            if not answers_ids:
                builder.template.close()
        self.why = "" if answers_ids else _OTHER_ANSWER.format(name=name)
        return prompts if answers_ids else None

    def _answers_ids(self, codec: Codec, ids: Sequence[int]) -> tuple[bool, bool]:
        """Return whether the server answers ids with ids, and whether it may be asked what else could have stood.

        It is asked for one token; once more, where it allows no such question. Raises UnansweredError.
        """
        sampling, salt, asks_more = Sampling(temperature=0.0, max_tokens=1), self._client.server.salt, True
        question = IdQuestion(self._kind, self._model, ids, sampling, seed=0, room=1, alternatives=True, salt=salt)
        try:
            answer = self._asked(question)
        except UnansweredError:
            answer, asks_more = self._asked(replace(question, alternatives=False)), False
        try:
            reader = self._interface.reader(self._client.server.name, codec.rows, codec.stop_ids)
            piece = reader.read(json.dumps(answer))
        except ServerError as error:
            log.info("%s answers no ids: %s", self._client.server.name, error)
            return False, False
        return piece.prompt in (None, tuple(ids)) and piece.total in (None, len(ids)), asks_more

    def _asked(self, question: IdQuestion) -> Mapping[str, Any]:
        """Ask for an answer as a whole. Raises UnansweredError."""
        body = self._interface.request(question)
        body.pop("stream_options", None)
        return self._thread.ask(self._interface.path, **{**body, "stream": False})


def _proven(
    tokenizer: IdTokenizer, template: ChatTemplate, rows: int | None
) -> Steps[tuple[Codec, PromptBuilder | None]]:
    """Return what reads tokens and what builds prompts, None where those are not the server's."""
    builder: PromptBuilder | None = None
    try:
        with foreign_code(_unusable):
            codec = Codec(tokenizer, template.source, rows)
        builder = yield from proven(tokenizer, codec, template)
    finally:
        if builder is None:
            template.close()
    return codec, builder


def _template(tokenizer: ComparedTokenizer) -> ChatTemplate:
    """Return the template of a folder, which is told nothing of thinking: these servers tell it nothing by default."""
    found = chat_template(tokenizer, datetime.now().astimezone())
    if found.is_plain:
        return found
    return ChatTemplate(renderer_of(found.source, tokenizer.special_tokens_map), found.source, found.at)


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
