"""The opening of a model on a server, or on several that run it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from app.protocol.capabilities import Capabilities
from app.protocol.chat import Sampling
from app.protocol.commands import MOST_LANES, LoadModel
from app.protocol.dataclass import dataclass
from app.protocol.references import ServerModel
from app.protocol.reports import ModelInfo
from app.protocol.servers import Server
from app.remote.address import host_of
from app.remote.belief import Belief
from app.remote.certificates import trusted
from app.remote.client import Client
from app.remote.faults import ServerError
from app.remote.id_opening import common_ids
from app.remote.id_prompts import IdPrompts
from app.remote.kinds import GoingOn
from app.remote.patience import Patience
from app.remote.probe import Found, FoundModel, look, look_closer
from app.remote.prompts import MessagePrompts
from app.remote.routing import Replica, Replicas

log = logging.getLogger(__name__)

LEFT_OUT = "It is left out until the model is opened again."
CAPABILITIES = Capabilities(
    token_ids=False,
    cost_estimates=False,
    trie=False,
    pins=False,
    evictions=False,
    warm_ups=False,
    checks=False,
    memory_budget=False,
    disk_cache=False,
    going_on=True,
    lanes=MOST_LANES,
)


@dataclass(slots=True)
class OpenModel:
    """A model that can be asked.

    name: as its servers call it. ids: its prompts, where they are sent as ids. with_messages: what can be done with it
    where they are not.
    """

    name: str
    info: ModelInfo
    replicas: Replicas
    ids: IdPrompts | None = None
    with_messages: Capabilities | None = None

    async def close(self) -> None:
        """Let go of its connections, and of what works for it."""
        if self.ids is not None:
            await self.ids.close()
        await self.replicas.close()


class Beliefs:
    """Beliefs about servers since their models were opened first, by model and address.

    A server may have been started again meanwhile: what it finds corrects that.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Belief] = {}
        self._prompts: dict[str, MessagePrompts] = {}

    def of(self, path: str, server: Server, place: str, found: Found) -> Belief | None:
        """Return what is believed of a server; None where nobody knows what its kind keeps.

        place: what the person calls it.
        """
        keeps = found.kind.keeps
        if keeps is None:
            return None
        rule = replace(keeps, sequences=found.slots) if keeps.sequences and found.slots else keeps
        known = self._known.get((path, server.url))
        if known is None or known.rule != rule:
            prompts = self._prompts.setdefault(path, MessagePrompts())
            known = self._known[path, server.url] = Belief(rule, place, prompts)
        known.place = place
        return known

    def forget(self, owner: str) -> bool:
        """Forget what only a conversation sent that is gone for ever. Returns whether there was anything.

        The servers may go on holding it.
        """
        return sum(belief.forget(owner) for belief in self._known.values()) > 0


async def open_model(
    command: LoadModel,
    named: ServerModel,
    server: Server,
    key: str,
    beliefs: Beliefs,
    silence: float,
    wait: Callable[[], object],
) -> OpenModel:
    """Return a model of a server, on all of its replicas that have it. Raises ServerError where none has.

    key: for the server, "" for none. silence: as of `Client`. wait: called where it waits for one that is loading.
    """
    tries = await _all_tried(server, key, named, silence)
    patience = Patience()
    while (busy := _busy(tries)) is not None:
        wait()
        if not await patience.pause(busy.wait):
            raise busy
        tries = await _all_tried(server, key, named, silence)
    able = [one for one in tries if isinstance(one, _Able)]
    failed = [one for one in tries if isinstance(one, ServerError)]
    if not able:
        raise failed[0]
    for error in failed:
        log.info("a replica is left out: %s", error)
    replicas = Replicas(
        [
            Replica(one.client, one.found.kind, beliefs.of(command.path, one.client.server, server.name, one.found))
            for one in able
        ]
    )
    info = _info(command, named, server, able)
    note = " ".join(f"{error.problem.title}. {error.problem.sentence}" for error in failed)
    left_out = f"{note} {LEFT_OUT}" if note else ""
    try:
        common = await common_ids([(one.client, one.found.kind) for one in able], named.name, server.tokenizer)
    except BaseException:
        await replicas.close()
        raise
    ids = common.ids
    for replica in replicas:
        if replica.belief is not None:
            replica.belief.ids = ids
    if ids is not None:
        ids.seen = replicas.seen
    described = info if ids is None else ids.described(info)
    said = " ".join(filter(None, (left_out, common.note)))
    return OpenModel(named.name, replace(described, note=said), replicas, ids, info.capabilities)


@dataclass(frozen=True, slots=True)
class _Able:
    """A server that has the model."""

    client: Client
    found: Found
    model: FoundModel


def _busy(tries: Sequence[_Able | ServerError]) -> ServerError | None:
    """Return what a server says that has no room yet, None where another one can be asked, or nothing helps."""
    if any(isinstance(one, _Able) for one in tries):
        return None
    return next((one for one in tries if isinstance(one, ServerError) and one.is_busy), None)


async def _all_tried(server: Server, key: str, named: ServerModel, silence: float) -> list[_Able | ServerError]:
    """Return what became of each replica. Where that is given up, no connection stays open."""
    asking = [asyncio.ensure_future(_tried(one, key, named, silence)) for one in server.replicas]
    try:
        return await asyncio.gather(*asking)
    except BaseException:
        for task in asking:
            task.cancel()
        for found in await asyncio.gather(*asking, return_exceptions=True):
            if isinstance(found, _Able):
                await found.client.close()
        raise


async def _tried(server: Server, key: str, named: ServerModel, silence: float) -> _Able | ServerError:
    try:
        client = Client(server, key, await trusted(server), silence=silence)
    except ServerError as error:
        return error
    try:
        found = await look(client)
        model = found.model(named.name)
        if model is None:
            raise _not_there(server, named.name, [one.name for one in found.models])
        model = await look_closer(client, found.kind, model)
    except ServerError as error:
        await client.close()
        return error
    except BaseException:
        await client.close()
        raise
    return _Able(client, found, model)


def _not_there(server: Server, name: str, others: Sequence[str]) -> ServerError:
    has = f"It has {', '.join(others[:5])}." if others else "It has none at all."
    return ServerError(f"{server.name} does not have {name}", f"{has} Choose another model, or start it there.")


def _info(command: LoadModel, named: ServerModel, server: Server, able: Sequence[_Able]) -> ModelInfo:
    """Describe the model by what all of its servers can do."""
    has = [one.found.kind for one in able]
    own = min(filter(None, (one.model.context for one in able)), default=0)
    usual = min(filter(None, (one.model.usual for one in able)), default=0)
    is_known = any(kind.keeps is not None for kind in has)
    info = ModelInfo(
        path=command.path,
        name=named.title,
        detail=f"on {server.name}",
        fingerprint=hashlib.sha256(f"on a server: {named.name}".encode()).hexdigest()[:32],
        context_length=own,
        weight_bytes=0,
        layers=(),
        is_reusable=True,
        sampling=Sampling(),
        own_context=own,
        usual_context=usual,
        capabilities=replace(
            CAPABILITIES,
            going_on=all(kind.going_on is not GoingOn.NONE for kind in has),
            cost_estimates=is_known,
            trie=is_known,
            unused_settings=frozenset[str]().union(*(kind.unused_settings for kind in has)),
            most_settings=_least(kind.most for kind in has),
        ),
        place=", ".join(host_of(one.client.server.url) for one in able),
    )
    return replace(info, context_length=info.context_of(command.context_limit))


def _least(found: Iterable[Iterable[tuple[str, float]]]) -> tuple[tuple[str, float], ...]:
    """Return the least of the numbers that stand for each name."""
    least: dict[str, float] = {}
    for name, most in chain.from_iterable(found):
        least[name] = min(most, least.get(name, most))
    return tuple(sorted(least.items()))
