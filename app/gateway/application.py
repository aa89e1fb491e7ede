"""The ASGI application of the local API: what it answers at which address.

Properties: a request is looked at from its head inwards, and nothing of it is kept or logged; a client that leaves ends
its answer; an answer that has begun ends with its end mark, or with an error in its place. Only the open model answers:
none is opened for a request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.gateway import answers, asked
from app.gateway.answers import Answer
from app.gateway.asgi import Receive, Scope, Send
from app.gateway.asked import Asked
from app.gateway.body import GoneError, parsed, read_body
from app.gateway.fields import Fields, require_text
from app.gateway.guard import admit, headers_of, require_json
from app.gateway.guests import Guest, Guests
from app.gateway.refused import RefusedError
from app.protocol.chat import Sampling
from app.protocol.commands import Tokenize
from app.protocol.events import PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta, Tokenized
from app.protocol.reports import ModelInfo, Problem

logger = logging.getLogger(__name__)

MOST_CONNECTIONS = 64
PAUSE = 5.0  # seconds without news, after which a client is told that it waits
PATIENCE = 1.0  # seconds within which a request that cannot be answered is refused by its status
_MODEL = "/v1/models/"  # and the name of one
_Endpoint = Callable[["_Exchange"], Awaitable[None]]


@dataclass(slots=True)
class Connections:
    """The connections that are open now."""

    open: int = 0


class Application:
    """The application. Attribute: guests, the runs that it waits for.

    token: what clients must show. model: returns the open model, or why there is none for guests. port: of the server,
    which is known when it listens.
    """

    def __init__(
        self, token: str, guests: Guests, model: Callable[[], ModelInfo | str], connections: Connections | None = None
    ) -> None:
        self.guests, self.port = guests, 0
        self._token, self._model = token, model
        self._connections = connections or Connections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        exchange = _Exchange(receive, send, self.guests)
        try:
            await self._serve(scope, exchange)
        except GoneError:
            return
        except RefusedError as refusal:
            await exchange.refuse(refusal)
        except Exception as error:  # noqa: BLE001 - a border, where anything may come in
            # What nobody foresaw ends this request alone. Its words may stand in the error's, which are not logged.
            logger.error("the local API failed at a request: %s", type(error).__name__)
            await exchange.refuse(RefusedError(500, "Espalier failed at this request."))

    async def _serve(self, scope: Scope, exchange: _Exchange) -> None:
        method, path = scope["method"], scope["path"]
        exchange.headers = headers_of(scope["headers"])
        admit(method, exchange.headers, self.port, self._token)
        if self._connections.open > MOST_CONNECTIONS:
            raise RefusedError(503, "Too many connections are open. Close some, then ask again.")
        endpoints: Mapping[str, tuple[str, _Endpoint]] = {
            "/v1/models": ("GET", self._list_models),
            "/v1/status": ("GET", self._tell_status),
            "/health": ("GET", self._tell_status),
            "/v1/chat/completions": ("POST", self._answer_chat),
            "/v1/completions": ("POST", self._answer_prompt),
            "/completion": ("POST", self._answer_lines),
            "/v1/tokenize": ("POST", self._tokenize),
        }
        wanted, endpoint = endpoints.get(path, ("GET", None))
        if endpoint is None and path.startswith(_MODEL) and path != _MODEL:
            endpoint = partial(self._tell_model, path.removeprefix(_MODEL))
        if endpoint is None:
            raise RefusedError(404, "There is nothing at this address.")
        if method != wanted:
            raise RefusedError(405, f"Ask {path} with {wanted}.")
        await endpoint(exchange)

    def _require_model(self, name: str = "") -> ModelInfo:
        """Return the open model. Raises RefusedError where there is none, or it is not the one that is asked for."""
        model = self._model()
        if isinstance(model, str):
            raise RefusedError(503, model)
        if name not in ("", model.name):
            sentence = f"The model {name:.200} is not open. {model.name} is, and no other is opened for a request."
            raise RefusedError(404, sentence, "model_not_found")
        return model

    @property
    def _usual(self) -> Sampling:
        """Return what holds where a request says nothing: what the model's authors recommend."""
        model = self._model()
        return Sampling() if isinstance(model, str) else model.sampling

    async def _list_models(self, exchange: _Exchange) -> None:
        model = self._model()
        listed = [] if isinstance(model, str) else [answers.described(model)]
        await exchange.send_json({"object": "list", "data": listed})

    async def _tell_model(self, name: str, exchange: _Exchange) -> None:
        await exchange.send_json(answers.described(self._require_model(name)))

    async def _tell_status(self, exchange: _Exchange) -> None:
        model = self._require_model()
        status = {"Status": 0, "Progress": 100, "ContextLength": model.context_length, "Memory": model.weight_bytes}
        await exchange.send_json(status)

    async def _answer_chat(self, exchange: _Exchange) -> None:
        await self._answer(asked.chat(await exchange.read_json(), self._usual), exchange)

    async def _answer_prompt(self, exchange: _Exchange) -> None:
        await self._answer(asked.completion(await exchange.read_json(), self._usual), exchange)

    async def _answer_lines(self, exchange: _Exchange) -> None:
        await self._answer(asked.lines(await exchange.read_json(), self._usual), exchange)

    async def _answer(self, wanted: Asked, exchange: _Exchange) -> None:
        model = self._require_model(wanted.model)
        guest = self.guests.begin(wanted.command)
        await exchange.follow(guest, Answer(wanted, model.name))

    async def _tokenize(self, exchange: _Exchange) -> None:
        found = await exchange.read_json()
        command = _tokenize_of(found)
        model = self._require_model("" if isinstance(found, str) else Fields(found).text("model"))
        guest = self.guests.begin(command)
        await exchange.tell_tokens(guest, model.context_length, is_bare=isinstance(found, str))


def _tokenize_of(found: Any) -> Callable[[int], Tokenize]:
    """Return what an engine is told where the tokens of a text, or of the messages of a chat, are wanted."""
    if isinstance(found, str):
        text = require_text(found, "The text")
        return lambda query_id: Tokenize(query_id, text)
    fields = Fields(found)
    if fields.get("messages") is not None:
        turns = asked.turns_of(fields)
        return lambda query_id: Tokenize(query_id, turns=turns)
    words = fields.text("prompt", "content", "text")
    return lambda query_id: Tokenize(query_id, words)


class _Exchange:
    """One request and its answer. Attribute: headers, of the request."""

    def __init__(self, receive: Receive, send: Send, guests: Guests) -> None:
        self._receive, self._send, self._guests = receive, send, guests
        self.headers: Mapping[bytes, bytes] = {}
        self._has_begun = self._is_streaming = False
        self._request: RunStarted | None = None

    async def read_json(self) -> Any:
        """Return what was sent. Raises RefusedError, and GoneError."""
        require_json(self.headers)
        return parsed(await read_body(self.headers, self._receive))

    async def send_json(self, value: Any, status: int = 200) -> None:
        """Send a value as the whole answer."""
        body = answers.line(value)
        await self._begin(status, "application/json", len(body))
        await self._piece(body, is_last=True)

    async def refuse(self, refusal: RefusedError) -> None:
        """Send why there is no answer, unless one has begun."""
        if not self._has_begun:
            await self.send_json(refusal.body, refusal.status)

    async def follow(self, guest: Guest, answer: Answer) -> None:
        """Send an answer as it is written, or when it is whole. The run ends where the client leaves."""
        ended = asyncio.ensure_future(self._follow(guest, answer))
        await self._while_there(guest, ended)

    async def tell_tokens(self, guest: Guest, context_length: int, *, is_bare: bool) -> None:
        """Send the ids of a prompt, when they are known."""
        ended = asyncio.ensure_future(self._tell_tokens(guest, context_length, is_bare))
        await self._while_there(guest, ended)

    async def _while_there(self, guest: Guest, ended: asyncio.Future[None]) -> None:
        gone = asyncio.ensure_future(self._until_gone())
        try:
            await asyncio.wait({ended, gone}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                ended.result()
        finally:
            self._guests.end(guest)
            for task in (ended, gone):
                task.cancel()

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _tell_tokens(self, guest: Guest, context_length: int, is_bare: bool) -> None:
        event = await guest.next()
        if isinstance(event, Tokenized) and event.problem is None:
            ids = list(event.ids)
            whole = {"tokens": ids, "count": len(ids), "max_model_len": context_length}
            await self.send_json(ids if is_bare else whole)
            return
        problem = event.problem if isinstance(event, Tokenized | RunFailed) else None
        raise RefusedError(503 if guest.is_lost else 400, _sentence(problem))

    async def _follow(self, guest: Guest, answer: Answer) -> None:
        pause = PATIENCE if answer.asked.is_stream else PAUSE
        while True:
            event = await guest.next(pause)
            if isinstance(event, RunFinished):
                await self._finish(answer, event)
                return
            if isinstance(event, RunFailed):
                await self._fail(answer, event, is_lost=guest.is_lost)
                return
            if isinstance(event, RunStarted):
                self._request = self._request or event
            if answer.asked.is_stream:
                await self._stream(answer, event)
                pause = PAUSE

    async def _stream(self, answer: Answer, event: object) -> None:
        """Send what is new; None: nothing is, since others are answered first."""
        if not self._is_streaming:
            self._is_streaming = True
            await self._begin(200, answer.content_type)
            await self._piece(answer.opening())
        if event is None:
            await self._piece(answer.waiting())
        elif isinstance(event, PrefillProgress):
            await self._piece(answer.reading(event.done, event.total))
        elif isinstance(event, TextDelta):
            await self._piece(answer.words(event.text, event.kind))

    async def _finish(self, answer: Answer, event: RunFinished) -> None:
        request, stats = event.stats.request if self._request is None else self._request.request, event.stats
        logger.info(
            "the local API gave an answer: %d tokens, %d of them cached, %d written, %s",
            *(request.total, request.cached, stats.tokens, stats.stop),
        )
        if answer.asked.is_stream:
            await self._stream(answer, self._request)
            await self._piece(answer.ending(request, event), is_last=True)
        else:
            await self.send_json(answer.whole(request, event))

    async def _fail(self, answer: Answer, event: RunFailed, *, is_lost: bool) -> None:
        logger.info("the local API gave no answer: %s", event.problem.title)
        status = 503 if is_lost else 400 if self._request is None else 500
        refusal = RefusedError(status, _sentence(event.problem))
        if not self._is_streaming:
            raise refusal
        await self._piece(answer.failure(refusal.body), is_last=True)

    async def _begin(self, status: int, content_type: str, length: int | None = None) -> None:
        self._has_begun = True
        headers = [(b"content-type", content_type.encode()), (b"cache-control", b"no-store")]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _piece(self, body: bytes, *, is_last: bool = False) -> None:
        if body or is_last:
            await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})


def _sentence(problem: Problem | None) -> str:
    return "There is no answer." if problem is None else f"{problem.title}. {problem.sentence}"
