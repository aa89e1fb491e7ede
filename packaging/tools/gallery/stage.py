"""An engine without a model that plays its part for the pictures: it holds branches, prices them, and stops midway."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QTimer

from app.models.context import limited_context
from app.protocol.attachments import attached_texts, question_text
from app.protocol.capabilities import Capabilities
from app.protocol.chat import Role, Turn
from app.protocol.commands import Command, EstimateCost, Evict, Generate, LimitContext, LoadModel, Verify, WarmUp
from app.protocol.events import (
    CacheHappened,
    ContextLimited,
    CostEstimate,
    EngineStarted,
    Evicted,
    ModelFailed,
    ModelReady,
    PrefillProgress,
    RunStarted,
    TextDelta,
    TextKind,
    Token,
    TrieChanged,
    TurnResidency,
    Verified,
    WarmingUp,
)
from app.protocol.references import is_on_server
from app.protocol.reports import UNTOLD_CONTEXT, ModelInfo, Problem, Reason, RequestReport, Source, ThinkingSwitch
from app.protocol.trie_view import Residency, TrieNodeView, TrieView
from app.remote.opening import CAPABILITIES
from app.viewmodels.text.formatting import first_words
from app.worker.engine_host import EngineHost
from tools.gallery.cache_log import CacheLog
from tools.gallery.conversations import (
    MODEL,
    MODEL_NAME,
    OPEN_PATH,
    OTHERS,
    SYSTEM,
    THOUGHT,
    TRIP,
    Said,
    tokens,
)
from tools.gallery.models import SUPPORT

BYTES = 147_456  # a token of an 8B model: 36 layers of 8 key and value heads, 128 wide, 16 bits
BUDGET = 512_000_000
DISK_BUDGET = 20_000_000_000
PADDING = 256 * BYTES  # buffers grow by 256 tokens
SPARE = 64_000_000
ROOT = 1_000
Act = Literal["read", "write", "think"]
OnDisk = Literal["nothing", "old", "full", "all", "others"]
_OLD = ("old", "full")
OLD = 1800.0  # seconds without use after which only a file is left
OTHER_FILES = 3_900_000_000  # of other models
SEEDS = (4117, 902, 2288, 61, 7040, 318, 5526, 1493)
SEVERAL = (
    "Stay one tram stop **further out**: the same quiet street, 45 euros less a night. The transport card covers the "
    "way to Sintra, so the rental car can go.\n\nLunch is the main meal; the *prato do dia* is 9 to 12 euros almost "
    "everywhere. With soup and bread in the evening that is two dinners out, and not three.\n\nWhat you give up is the "
    "view from the",
    "Two cuts are enough. First the **rooms**: a guest house in Graça keeps the view and saves 130 over three nights."
    "\n\nSecond the **car**. Everything on your list is on a train line, and to park in Sintra costs more than the "
    "tickets do.\n\n- rooms: 174\n- trains: 31\n- the",
    "Keep the rooms and change the **days**: who comes on a Tuesday pays 38 euros less a night, and the museums are "
    "free on the Sunday that you would have spent in the air.\n\nThe second change is small: buy the",
)
WRITTEN = """The dates fit into one small table; I have put the free half day where the weather is most likely to turn:

- **Tuesday**: arrive, Alfama on foot
- **Wednesday**: Sintra by the early train
- **Thursday**: tram 28, then the tile"""


@dataclass
class _Edge:
    """A message as the trie holds it: `size` tokens from `start` on."""

    text: str
    residency: Residency
    start: int
    number: int
    parent: int | None
    ago: float
    size: int

    @property
    def is_whole(self) -> bool:
        """Whether all of the message is held."""
        return self.residency != "none" and self.size >= tokens(self.text)


class Stage(EngineHost):
    """Stands in for the engine's thread: answers on this thread, a moment later.

    act: what it does with a question. missing: model folders that are not there. is_filled: whether the cache
    holds the samples. disk: what lies in files: nothing; what was not used for a while, with the open branch pinned,
    on a disk that may be full; after a restart, everything; or only what other models have written.
    """

    def __init__(
        self, act: Act = "write", missing: Sequence[str] = (), is_filled: bool = True, disk: OnDisk = "nothing"
    ) -> None:
        super().__init__()
        self._act = act
        self._commands = 0
        self._missing = set(missing)
        self._edges: list[_Edge] = []
        self._log = CacheLog(BYTES)
        self._disk = disk
        self._info: ModelInfo | None = None
        if is_filled:
            self._hold(TRIP, None, SYSTEM, 0.0)
            for _, said, ago in OTHERS[:2]:
                self._hold(said, None, SYSTEM, ago)

    def start(self) -> None:
        """Be ready at once."""
        self.happened.emit(EngineStarted(Capabilities(*[True] * 9, lanes=8), SUPPORT))

    @property
    def is_idle(self) -> bool:
        """Whether everything that it was asked is answered."""
        return not self._commands

    def submit(self, command: Command) -> None:
        """Answer later, as an engine does."""
        self._commands += 1
        QTimer.singleShot(0, self, lambda: self._answer(command))

    def restart(self) -> None:
        self.start()

    def close(self) -> None:
        """There is no thread."""

    def _answer(self, command: Command) -> None:
        self._commands -= 1
        if isinstance(command, LoadModel):
            self._load(command.path)
        elif isinstance(command, LimitContext) and self._info is not None:
            self._info = replace(self._info, context_length=limited_context(self._info.own_context, command.tokens))
            self.happened.emit(ContextLimited(self._info.path, self._info.context_length))
        elif isinstance(command, EstimateCost):
            self._estimate_cost(command)
        elif isinstance(command, Generate):
            self._generate(command)
        elif isinstance(command, WarmUp):
            self.happened.emit(WarmingUp(command.query_id, 1840, 3012))
        elif isinstance(command, Evict):
            self._evict(command)
        elif isinstance(command, Verify):
            size = SYSTEM + sum(tokens(question_text(turn.text, turn.attachments)) for turn in command.turns)
            self.happened.emit(Verified(command.query_id, size, True, None, 0.004, 2.1))

    def _evict(self, command: Evict) -> None:
        named = set(command.node_ids)
        gone = [edge for edge in self._edges if named & {above.number + 1 for above in self._path(edge)}]
        for edge in gone:
            self._edges[edge.number] = replace(edge, residency="none")
        freed = sum(edge.size for edge in gone)
        self.happened.emit(TrieChanged(self._view()))
        self.happened.emit(Evicted(command.query_id, freed, freed * BYTES))

    def _load(self, path: str) -> None:
        if path in self._missing:
            where = path.replace("/Users/ana", "~")
            sentence = f"Espalier looked in {where} and found nothing there. Your conversations are safe."
            gone = Problem("The model folder is not where it was", sentence, is_missing=True)
            self.happened.emit(ModelFailed(path, gone))
            return
        if is_on_server(path):
            self._info = ModelInfo(
                *(path, "gpt-oss-120b", "on Studio", "remote", UNTOLD_CONTEXT, 0, (), True),
                capabilities=replace(CAPABILITIES, cost_estimates=True, trie=True),
                place="studio.local:8080",
            )
            self.happened.emit(ModelReady(self._info))
            self.happened.emit(TrieChanged(self._view()))
            return
        is_guide = "guide" in path
        name, detail = ("Espalier Guide", "built in") if is_guide else (MODEL_NAME, "4-bit")
        length, weights = (2048, 4_700_000) if is_guide else (32_768, 4_600_000_000)
        thinking = ThinkingSwitch.NONE if is_guide else ThinkingSwitch.SWITCHABLE
        layers = (("KVCache", 36),)
        self._info = ModelInfo(
            *(path, name, detail, MODEL, length, weights, layers, True), thinking=thinking, own_context=length
        )
        self.happened.emit(ModelReady(self._info))
        if self._edges and self._disk != "all":
            self.happened.emit(CacheHappened(self._log.before(SYSTEM, [tokens(text) for text in OPEN_PATH])))
        self.happened.emit(TrieChanged(self._view()))

    def _hold(self, said: Said, parent: int | None, start: int, ago: float) -> None:
        is_open = said.text in OPEN_PATH and (parent is None or self._edges[parent].residency == "live")
        residency: Residency = "live" if is_open else ("none" if said.is_cold else "memory")
        if residency != "none" and (self._disk == "all" or (self._disk in _OLD and (said.ago or ago) > OLD)):
            residency = "disk"
        number = len(self._edges)
        self._edges.append(_Edge(said.text, residency, start, number, parent, said.ago or ago, tokens(said.text)))
        for each in said.then:
            self._hold(each, number, start + tokens(said.text), ago)

    def _view(self) -> TrieView:
        now = time.time()
        nodes = [self._node(edge, now) for edge in self._ordered(None) if edge.size]
        if nodes:
            first = _Edge("You are a helpful assistant", self._first_residency, 0, ROOT - 1, None, 0.0, SYSTEM)
            nodes.insert(0, replace(self._node(first, now), parent_id=None))
        if self._is_elsewhere:
            return TrieView(len(nodes), tuple(map(_believed, nodes)), place="Studio")
        written = sum(node.disk_bytes for node in nodes)
        written += OTHER_FILES if written or self._disk == "others" else 0
        live = sum(node.bytes for node in nodes if node.residency == "live")
        paged = sum(node.bytes for node in nodes if node.residency == "memory")
        padded = -(-live // PADDING) * PADDING
        problem, lost = (os.strerror(errno.ENOSPC), 1) if self._disk == "full" else ("", 0)
        return TrieView(
            serial=len(nodes),
            nodes=tuple(nodes),
            live_tokens=live // BYTES,
            live_bytes=live,
            live_allocated_bytes=padded,
            paged_bytes=paged,
            budget_bytes=BUDGET,
            mlx_cache_bytes=SPARE,
            disk_bytes=written,
            disk_allowed_bytes=DISK_BUDGET,
            disk_problem=problem,
            dropped_files=lost,
        )

    @property
    def _is_elsewhere(self) -> bool:
        return self._info is not None and bool(self._info.place)

    @property
    def _first_residency(self) -> Residency:
        """Of the instructions, which every branch begins with."""
        return "disk" if self._disk == "all" else "live"

    def _ordered(self, parent: int | None) -> Iterator[_Edge]:
        """Depth first."""
        for edge in self._edges:
            if edge.parent == parent:
                yield edge
                yield from self._ordered(edge.number)

    def _node(self, edge: _Edge, now: float) -> TrieNodeView:
        start, end = edge.start, edge.start + edge.size
        size = (end - start) * BYTES
        is_written = edge.residency == "disk" or (self._disk in _OLD and edge.residency == "memory")
        label = first_words(edge.text.replace("*", ""), 60)
        has_state = edge.residency != "none"
        return TrieNodeView(
            edge.number + 1, ROOT if edge.parent is None else edge.parent + 1, start, end, label,
            size if edge.residency in ("live", "memory") else 0, edge.residency, (), has_state, True, 1, now - edge.ago,
            size * is_written, self._disk in _OLD and edge.residency == "live", self._role(edge), False,
            self._owners(edge),
        )  # fmt: skip

    def _path(self, edge: _Edge) -> list[_Edge]:
        """Return an edge and those above it, up to the first of its conversation."""
        path = [edge]
        while path[-1].parent is not None:
            path.append(self._edges[path[-1].parent])
        return path

    def _role(self, edge: _Edge) -> Role:
        if edge.number == ROOT - 1:
            return "system"
        return "user" if len(self._path(edge)) % 2 else "assistant"

    def _owners(self, edge: _Edge) -> frozenset[str]:
        """Name another conversation's edges by its first words; those of the open one are anybody's."""
        first = self._path(edge)[-1].text
        return frozenset() if edge.number == ROOT - 1 or first == OPEN_PATH[0] else frozenset({first})

    def _match(self, turns: Sequence[Turn]) -> list[_Edge]:
        """The edges of this branch, from the first turn on, as far as it is held."""
        found: list[_Edge] = []
        for turn in turns:
            at = found[-1].number if found else None
            edge = next((one for one in self._edges if one.parent == at and one.text == turn.text), None)
            if edge is None:
                break
            found.append(edge)
        return found

    def _report(self, turns: Sequence[Turn]) -> RequestReport:
        sizes = [tokens(question_text(turn.text, turn.attachments)) for turn in turns]
        edges = self._match(turns)
        held = next((n for n, edge in enumerate(edges) if not edge.is_whole), len(edges))
        total = SYSTEM + sum(sizes)
        cached = min(total - 1, SYSTEM * bool(self._edges) + sum(sizes[:held]))
        return RequestReport(total, cached, cached, cached, Reason.DIVERGED if cached else Reason.NEW, cached or None)

    def _estimate_cost(self, command: EstimateCost) -> None:
        residencies = [edge.residency for edge in self._match(command.turns)]
        ends, at = [], SYSTEM
        for turn in command.turns:
            at += tokens(question_text(turn.text, turn.attachments))
            ends.append(at)
        starts = [SYSTEM, *ends[:-1]]
        shown = [*residencies, *["none"] * (len(command.turns) - len(residencies))]
        attached = [tuple(map(tokens, attached_texts(turn.attachments))) for turn in command.turns]
        turns = tuple(TurnResidency(*where) for where in zip(starts, ends, shown, attached, strict=True))
        report = self._report(command.turns)
        if self._is_elsewhere:
            turns = tuple(replace(one, residency=_elsewhere(one.residency)) for one in turns)
            report = replace(report, source=Source.PREDICTED)
        if command.options.instructions:  # nothing was ever read with them
            total = report.total - SYSTEM + tokens(command.options.instructions)
            turns = tuple(replace(turn, residency="none") for turn in turns)
            report = RequestReport(total, 0, 0, 0, Reason.NEW)
        if command.forced:
            total = report.total + len(command.forced)
            report = RequestReport(total, total - 1, total - 1, total - 1, Reason.DIVERGED)
        found = self._match(command.turns)
        edge = found[-1].number + 1 if found else ROOT
        priced = CostEstimate(
            command.query_id,
            report,
            turns,
            report.left / 390,
            edge=edge,
            known=ends[len(found) - 1] if found else SYSTEM,
        )
        self.happened.emit(priced)

    def _generate(self, command: Generate) -> None:
        report = self._report(command.turns)
        self.happened.emit(RunStarted(command.run_id, report, (), SEEDS[: len(command.lanes)]))
        self.happened.emit(CacheHappened(self._log.request(report)))
        is_reading = self._act == "read"
        done = round(0.46 * report.left) if is_reading else report.left
        self._grow(command.turns[-1].text, self._match(command.turns), done)
        if is_reading:
            at = report.cached + done
            self.happened.emit(PrefillProgress(command.run_id, at, report.total, report.cached, 392.0))
            return
        self._kind: TextKind = "thinking" if self._act == "think" else "text"
        texts = SEVERAL[: len(command.lanes)] if command.beside else (THOUGHT if self._act == "think" else WRITTEN,)
        self._words = [text.split(" ") for text in texts]
        self._run_id = command.run_id
        self._answer_edge = self._grow("", self._match(command.turns), 0)
        self._writer = QTimer(self, interval=26)
        self._writer.timeout.connect(self._write)
        self._writer.start()

    def _grow(self, text: str, path: Sequence[_Edge], size: int) -> _Edge:
        """A new live edge at the end of a branch."""
        above = path[-1] if path else None
        start = SYSTEM if above is None else above.start + above.size
        edge = _Edge(text, "live", start, len(self._edges), above.number if above else None, 0.0, size)
        self._edges.append(edge)
        if size:
            self.happened.emit(TrieChanged(self._view()))
        return edge

    def _write(self) -> None:
        if not any(self._words):
            self._writer.stop()
            return
        for lane, words in enumerate(self._words):
            if words:
                word = words.pop(0) + (" " if words else "")
                self.happened.emit(TextDelta(self._run_id, lane, word, (Token(1, 0, len(word)),), self._kind))
                self._answer_edge.text += word
                self._answer_edge.size += 1
        if self._answer_edge.size % 4 == 0:
            self.happened.emit(TrieChanged(self._view()))


def _believed(node: TrieNodeView) -> TrieNodeView:
    """Return an edge as it is told of a server's cache."""
    residency = _elsewhere(node.residency)
    return replace(node, residency=residency, bytes=0, disk_bytes=0, is_pinned=False, is_restore_point=False)


def _elsewhere(residency: Residency) -> Residency:
    return "none" if residency == "none" else "believed"
