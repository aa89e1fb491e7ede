"""An engine without a model: it answers from a script, one word a token, and keeps account of prompts for real.

Its tokens are words with their space; a prompt is the words of its turns, a role mark before and an end mark after
each. What it has read or written is remembered as token sequences, and every figure it reports is counted on them, so
a prompt that is built wrongly shows in `cached` and not only in a text. Token ids that an answer must begin with are
said in place of as many of its words.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.models.context import limited_context
from app.protocol.attachments import attached_texts, question_text
from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.capabilities import Capabilities
from app.protocol.chat import Turn
from app.protocol.choices import Candidate, Choice, pack
from app.protocol.commands import (
    Cancel,
    CancelOpening,
    ClearDiskCache,
    CloseModel,
    Command,
    ConfigureDiskCache,
    EstimateCost,
    Evict,
    Generate,
    LimitContext,
    LoadModel,
    Pin,
    SetBudget,
    Shutdown,
    Tokenize,
    Verify,
    WarmUp,
)
from app.protocol.engine import EventSink
from app.protocol.events import (
    CacheHappened,
    ContextLimited,
    CostEstimate,
    CostRefused,
    EngineStarted,
    Evicted,
    ModelClosed,
    ModelFailed,
    ModelLoading,
    ModelReady,
    OpeningCancelled,
    Pinned,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TextKind,
    Token,
    Tokenized,
    TrieChanged,
    TurnResidency,
    Verified,
    WarmedUp,
    WarmingUp,
)
from app.protocol.memory import ModelSupport
from app.protocol.reports import ModelInfo, Problem, Reason, RequestReport, RunStats, StopReason
from app.protocol.trie_view import TrieNodeView, TrieView

CONTEXT = 400
DISK = 20_000_000_000
BYTES = 100  # of a token
MARKS = {"system": 1, "user": 2, "assistant": 3}
END = 4
OTHER, STOP = 5, 6  # what could have stood in the place of every word that was not given: another one, and the end
OTHER_WORD = " instead"
ALL = Capabilities(*[True] * 9, lanes=8, guests=True)
UNREADABLE = Problem("The template refuses this conversation", "It says: “no fish”.")
CANNOT = Problem("This engine cannot do that", "Open a model of this machine to do it.")
NONE = Capabilities(*[False] * 9, going_on=False)  # an engine that answers, and nothing else


@dataclass
class Script:
    """What the fake does. Tests set it before or while the engine runs.

    answers: text for a question; others get "You said: ...". thoughts: what is thought before it. hold: answers stop
    growing after this many tokens until `go` is set. broken: folders that cannot be opened. deadly: folders that end
    the engine's loop. crash: a question that does, with `error`. hang: a question that holds the loop up until `go`.
    fail: a question that is refused. unreadable: a text with which no branch can be read. load_gate: cleared, a model
    stays loading. warm_up_gate: cleared, a warm up never ends. tells_edges: estimates name the edge of the branch.
    verified: what a check finds, whatever its id; None: it never ends. disk_bytes, disk_problem: what views say of
    the files. pin_problem: why nothing can be pinned. seed: what answers say they were drawn with. capabilities: the
    fake has no others, and tells nothing that they leave out. support: what it says that it opens.
    """

    answers: dict[str, str] = field(default_factory=dict)
    thoughts: dict[str, str] = field(default_factory=dict)
    hold: int | None = None
    go: threading.Event = field(default_factory=threading.Event)
    broken: set[str] = field(default_factory=set)
    deadly: set[str] = field(default_factory=set)
    crash: str = ""
    error: BaseException = field(default_factory=lambda: RuntimeError("the fake was told to crash"))
    hang: str = ""
    fail: str = ""
    unreadable: str = ""
    load_gate: threading.Event = field(default_factory=threading.Event)
    warm_up_gate: threading.Event = field(default_factory=threading.Event)
    tells_edges: bool = False
    commands: list[Command] = field(default_factory=list)
    verified: Verified | None = None
    disk_bytes: int = 0
    disk_problem: str = ""
    pin_problem: Problem | None = None
    seed: int = 7
    capabilities: Capabilities = ALL
    support: ModelSupport = field(default_factory=ModelSupport)

    def __post_init__(self) -> None:
        self.load_gate.set()
        self.warm_up_gate.set()


@dataclass
class _Run:
    command: Generate
    lane: int
    held: list[int]
    request: RequestReport
    words: list[tuple[TextKind, str]]
    ids: list[int] = field(default_factory=list)
    said: dict[TextKind, str] = field(default_factory=lambda: {"text": "", "thinking": ""})
    thinking_tokens: int = 0
    forced: int = 0
    is_cancelled: bool = False
    lengths: list[tuple[int, bool]] = field(default_factory=list)

    @property
    def choices(self) -> list[Choice]:
        others = Candidate(OTHER, 3000, OTHER_WORD), Candidate(STOP, 500, "", is_end=True)
        return [
            Choice(*((None,) if at < self.forced else (6000, others)), length=length, is_thinking=is_thinking)
            for at, (length, is_thinking) in enumerate(self.lengths)
        ]


class FakeEngine:
    """Implements the `Engine` protocol."""

    def __init__(self, sink: EventSink, script: Script) -> None:
        self._sink = sink
        self._script = script
        self._inbox: list[Command] = []
        self._wake = threading.Condition()
        self._vocabulary: dict[str, int] = {}
        self._held: list[list[int]] = []
        self._owners: dict[int, str] = {}
        self._info: ModelInfo | None = None
        self._runs: list[_Run] = []
        self._wanted_model: str | None = None
        self._kv_bits: int | None = None
        self._adapter = ""
        self._context_limit: int | None = None
        self._is_open = True
        self._serial = 0
        self._disk = ConfigureDiskCache("")
        self._budget: int | None = None
        self._pinned: dict[str, list[int]] = {}
        self._events = 0

    def submit(self, command: Command) -> None:
        with self._wake:
            self._script.commands.append(command)
            self._inbox.append(command)
            self._wake.notify()

    def run(self) -> None:
        self._sink(EngineStarted(self._script.capabilities, self._script.support))
        while self._is_open:
            with self._wake:
                if not self._inbox and not any(map(self._can_step, self._runs)):
                    self._wake.wait(0.002)
                commands, self._inbox = self._inbox, []
            for command in commands:
                self._handle(command)
                self._load_when_allowed()
            self._load_when_allowed()
            for run in [run for run in self._runs if self._can_step(run)]:
                self._step(run)

    def _can_step(self, run: _Run) -> bool:
        script = self._script
        return run.is_cancelled or script.hold is None or len(run.ids) < script.hold or script.go.is_set()

    def _handle(self, command: Command) -> None:
        handlers: dict[type, Callable[..., None]] = {
            LoadModel: self._load,
            CloseModel: lambda _: self._close_model(),
            LimitContext: self._limit_context,
            CancelOpening: self._cancel_opening,
            Generate: self._begin,
            Cancel: self._cancel,
            EstimateCost: self._estimate_cost,
            Tokenize: self._tokenize,
            Verify: self._verify,
            Pin: self._pin,
            Evict: self._evict,
            WarmUp: self._warm_up,
            SetBudget: self._set_budget,
            ConfigureDiskCache: self._configure_disk_cache,
            ClearDiskCache: self._clear_disk_cache,
            Shutdown: self._shut_down,
        }
        handlers.get(type(command), lambda command: None)(command)

    def _load(self, command: LoadModel) -> None:
        self._wanted_model, self._kv_bits, self._adapter = command.path, command.kv_bits, command.adapter
        self._context_limit = command.context_limit
        self._sink(ModelLoading(command.path, "Reading weights", 0.5))

    def _limit_context(self, command: LimitContext) -> None:
        if self._info is not None:
            self._info = replace(self._info, context_length=limited_context(CONTEXT, command.tokens))
            self._sink(ContextLimited(self._info.path, self._info.context_length))

    def _cancel_opening(self, command: CancelOpening) -> None:
        if self._wanted_model == command.path:
            self._wanted_model = None
            self._sink(OpeningCancelled(command.path))

    def _load_when_allowed(self) -> None:
        path = self._wanted_model
        if path is None or not self._script.load_gate.is_set():
            return
        self._wanted_model = None
        if path in self._script.deadly:
            raise self._script.error
        if path in self._script.broken or self._adapter in self._script.broken:
            gone = Problem("The model folder is not where it was", f"Nothing at {path}.", is_missing=True)
            self._sink(ModelFailed(path, gone))
            return
        if self._info is not None:
            self._close_model()
        self._held = []
        name = path.rstrip("/").rsplit("/", 1)[-1]
        self._info = ModelInfo(
            *(path, name, "fake", f"print of {path}", limited_context(CONTEXT, self._context_limit)),
            *(4_700_000, (("KVCache", 2),), True),
            kv_bits=self._kv_bits,
            adapter=self._adapter,
            own_context=CONTEXT,
        )
        self._sink(ModelReady(self._info))
        self._show_trie()

    def _close_model(self) -> None:
        for run in tuple(self._runs):
            self._end(run, StopReason.CANCELLED)
        self._sink(ModelClosed("" if self._info is None else self._info.path))
        self._info = None

    def _begin(self, command: Generate) -> None:
        if self._info is None:
            self._sink(RunFailed(command.run_id, Problem("No model", "Open a model first.")))
            return
        if command.is_guest and not self._script.capabilities.guests:
            self._sink(RunFailed(command.run_id, CANNOT))
            return
        question = command.turns[-1].text if command.turns else command.text
        if question == self._script.crash:
            raise self._script.error
        if question == self._script.hang:
            self._script.go.wait()
        prompt, ends = self._tokens(command)
        if question == self._script.fail or len(prompt) > self._info.context_length:
            self._sink(RunFailed(command.run_id, Problem("The context is full", f"{len(prompt)} tokens do not fit.")))
            return
        answer = self._script.answers.get(question, f"You said: {question}")
        request = self._report(prompt)
        begun = []
        for lane, _ in enumerate(command.lanes):
            parts: tuple[tuple[TextKind, str], ...] = (
                ("thinking", self._script.thoughts.get(question, "")),
                ("text", f"{answer} ({'ABCDEFGH'[lane]})" if command.beside else answer),
            )
            words = [(kind, word) for kind, text in parts for word in re.findall(r"\s*\S+|\s+$", text)]
            begun.append(_Run(command, lane, list(prompt), request, words))
        self._runs += begun
        seeds = tuple(self._script.seed + run.lane for run in begun)
        self._sink(RunStarted(command.run_id, request, ends, seeds))
        self._sink(PrefillProgress(command.run_id, len(prompt) - 1, len(prompt), request.cached, 1000.0))
        for run in begun:
            self._hold(run.held, command.owner)
        if command.begun is not None:
            self._begin_again(self._runs[-1], command.begun)
        for run in begun:
            self._force(run, command.lanes[run.lane].forced)
        self._events += 1
        event = CacheEvent(
            self._events, time.time(), CacheEventKind.REQUEST, request.left, 0, request.reason, request.cached
        )
        if self._script.capabilities.trie:
            self._sink(CacheHappened((event,)))
        self._show_trie()

    def _tokenize(self, command: Tokenize) -> None:
        if self._info is None or not self._script.capabilities.guests:
            self._sink(Tokenized(command.query_id, (), CANNOT))
        else:
            self._sink(Tokenized(command.query_id, tuple(self._tokens(command)[0])))

    def _cancel(self, command: Cancel) -> None:
        for run in self._runs:
            run.is_cancelled |= run.command.run_id == command.run_id and command.lane in (None, run.lane)

    def _estimate_cost(self, command: EstimateCost) -> None:
        if self._info is None or not self._script.capabilities.cost_estimates:
            return
        if self._script.unreadable and any(turn.text == self._script.unreadable for turn in command.turns):
            self._sink(CostRefused(command.query_id, UNREADABLE))
            return
        prompt, ends = self._tokens(command)
        starts = [0, *ends[:-1]]
        if command.begun is not None:
            prompt = [*prompt, *self._words(command.begun.thinking), *self._words(command.begun.text)]
        request = self._report(prompt)
        residencies = tuple(
            TurnResidency(start, end, "memory" if end <= request.cached + 1 else "none", self._attached(turn))
            for turn, start, end in zip(command.turns, starts, ends, strict=True)
        )
        pinned = max((len(held) for held in self._pinned.values() if prompt[: len(held)] == held), default=0)
        known, edge = max(((_common(prompt, held), at) for at, held in enumerate(self._held, 1)), default=(0, 0))
        priced = CostEstimate(command.query_id, request, residencies, request.left / 1000, pinned, edge=-1, known=known)
        self._sink(replace(priced, edge=edge) if self._script.tells_edges else priced)

    def _evict(self, command: Evict) -> None:
        freed = sum(len(self._held[number - 1]) for number in command.node_ids)
        for number in command.node_ids:
            self._held[number - 1] = []
        self._show_trie()
        self._sink(Evicted(command.query_id, freed, BYTES * freed))

    def _warm_up(self, command: WarmUp) -> None:
        prompt, ends = self._tokens(command)
        cached, total = self._report(prompt).cached, ends[-1]
        left = max(0, total - cached)
        self._sink(WarmingUp(command.query_id, total - left, total))
        if self._script.warm_up_gate.is_set():
            if left:
                self._hold(prompt[:total], command.owner)
            self._show_trie()
            self._sink(WarmedUp(command.query_id, left, is_whole=True))

    def _hold(self, tokens: list[int], owner: str) -> None:
        self._held.append(tokens)
        self._owners[len(self._held)] = owner

    def _pin(self, command: Pin) -> None:
        if not self._script.capabilities.pins:
            self._sink(Pinned(command.query_id, command.is_pinned, problem=CANNOT))
            return
        prompt, _ = self._tokens(command)
        held = prompt[: self._report(prompt).cached]
        if self._script.pin_problem is not None:
            self._sink(Pinned(command.query_id, command.is_pinned, problem=self._script.pin_problem))
            return
        if command.is_pinned:
            self._pinned[command.message_id] = held
        else:
            held = self._pinned.pop(command.message_id, [])
        self._show_trie()
        self._sink(Pinned(command.query_id, command.is_pinned, len(held)))

    def _set_budget(self, command: SetBudget) -> None:
        """Hold less from now on: what was read first goes first, but for what an answer is being written after."""
        self._budget = command.budget_bytes
        written = [run.held for run in self._runs]
        for number, held in enumerate(self._held):
            if self._budget is not None and BYTES * sum(map(len, self._held)) > self._budget and held not in written:
                self._held[number] = []
        if self._info is not None:
            self._show_trie()

    def _configure_disk_cache(self, command: ConfigureDiskCache) -> None:
        self._disk = command
        if self._info is not None:
            self._show_trie()

    def _clear_disk_cache(self, _command: ClearDiskCache) -> None:
        self._script.disk_bytes = 0
        if self._info is not None:
            self._show_trie()

    def _verify(self, command: Verify) -> None:
        if not self._script.capabilities.checks:
            self._sink(Verified(command.query_id, 0, False, None, 0.0, 0.0, CANNOT))
        elif self._script.verified is not None:
            self._sink(replace(self._script.verified, query_id=command.query_id))

    def _shut_down(self, _command: Shutdown) -> None:
        for run in tuple(self._runs):
            self._end(run, StopReason.CANCELLED)
        self._is_open = False

    def _step(self, run: _Run) -> None:
        if run.is_cancelled:
            self._end(run, StopReason.CANCELLED)
        elif not run.words:
            self._end(run, StopReason.FINISHED)
        else:
            if len(run.ids) + 1 == self._script.hold:
                time.sleep(0.02)  # what is last before a pause is not batched with what was before it
            self._say(run)

    def _say(self, run: _Run) -> None:
        kind, word = run.words.pop(0)
        token = OTHER if word == OTHER_WORD else self._vocabulary.setdefault(word, len(self._vocabulary) + 10)
        start = len(run.said[kind])
        run.ids.append(token)
        run.lengths.append((len(word), kind == "thinking"))
        run.said[kind] += word
        run.thinking_tokens += kind == "thinking"
        tokens = (Token(token, start, start + len(word)),) if self._script.capabilities.token_ids else ()
        self._sink(TextDelta(run.command.run_id, run.lane, word, tokens, kind))

    def _begin_again(self, run: _Run, begun: Turn) -> None:
        """Say what an answer has said that goes on; words of an edit may be more than it would have said."""
        while len(run.said["text"]) + len(run.said["thinking"]) < len(begun.text) + len(begun.thinking):
            if not run.words:
                run.words.append(("text", begun.text[len(run.said["text"]) :] or "…"))
            self._say(run)
        run.forced = len(run.ids)
        run.thinking_tokens = 0

    def _force(self, run: _Run, forced: tuple[int, ...]) -> None:
        """Say the words of some ids in place of as many of the answer's own."""
        known = {token: word for word, token in self._vocabulary.items()} | {OTHER: OTHER_WORD}
        own = [*run.words, *[("text", "") for _ in forced]]
        run.words[: len(forced)] = [
            (kind, known.get(one, word)) for one, (kind, word) in zip(forced, own, strict=False)
        ]
        for _ in forced:
            self._say(run)
        run.forced = run.forced or len(forced)

    def _end(self, run: _Run, stop: StopReason) -> None:
        self._runs.remove(run)
        run.held.extend(run.ids)
        thought = run.thinking_tokens
        stats = RunStats(
            run.request,
            stop,
            len(run.ids) - run.forced,
            0.01,
            100.0,
            0.1,
            self._script.seed + run.lane,
            thought,
            12.3 if thought else 0.0,
        )
        self._show_trie()
        ids = tuple(run.ids) if self._script.capabilities.token_ids else ()
        said = run.said
        choices = pack(run.choices) if run.command.alternatives and run.choices else b""
        self._sink(RunFinished(run.command.run_id, run.lane, said["text"], ids, stats, said["thinking"], choices))

    def _tokens(self, command: Generate | EstimateCost | Pin | Tokenize) -> tuple[list[int], tuple[int, ...]]:
        """The prompt of a branch, ready for an answer when it ends with a question; and where each turn ends."""
        if isinstance(command, Generate | Tokenize) and not command.turns:
            ids = command.ids if isinstance(command, Generate) else ()
            return [*ids, *self._words(command.text)], ()
        prompt: list[int] = []
        ends = []
        told = command.options.instructions
        if told is not None:
            prompt += [MARKS["system"], *self._words(told), END] if told else []
        for turn in command.turns:
            if turn.role == "system" and told is not None:
                ends.append(len(prompt))
                continue
            prompt.append(MARKS[turn.role])
            prompt.extend(turn.ids if turn.ids is not None else self._words(question_text(turn.text, turn.attachments)))
            ends.append(len(prompt))
            prompt.append(END)
        if command.turns and command.turns[-1].role == "user":
            prompt.append(MARKS["assistant"])
        return prompt, tuple(ends)

    def _attached(self, turn: Turn) -> tuple[int, ...]:
        return tuple(len(self._words(text)) for text in attached_texts(turn.attachments))

    def _words(self, text: str) -> list[int]:
        return [self._vocabulary.setdefault(word, len(self._vocabulary) + 10) for word in re.findall(r"\s*\S+", text)]

    def _report(self, prompt: list[int]) -> RequestReport:
        matched = max((_common(prompt, held) for held in self._held), default=0)
        cached = min(matched, len(prompt) - 1)
        reason = Reason.DIVERGED if matched else Reason.NEW
        return RequestReport(len(prompt), matched, matched, max(cached, 0), reason)

    def _show_trie(self) -> None:
        """One row to a remembered sequence: enough for a pane to follow."""
        if not self._script.capabilities.trie:
            return
        self._serial += 1
        nodes = tuple(
            TrieNodeView(
                number, None, 0, len(held), f"prompt {number}", BYTES * len(held), "memory", (), True, False, number,
                time.time(), is_pinned=any(held[: len(one)] == one for one in self._pinned.values()),
                owners=frozenset({self._owners[number]} - {""}),
            )
            for number, held in enumerate(self._held, 1) if held
        )  # fmt: skip
        paged = sum(node.bytes for node in nodes)
        budget = DISK if self._disk.budget_bytes is None else self._disk.budget_bytes
        view = TrieView(
            self._serial,
            nodes,
            paged_bytes=paged,
            budget_bytes=8_000_000_000 if self._budget is None else self._budget,
            disk_bytes=self._script.disk_bytes,
            disk_allowed_bytes=budget if self._disk.folder else 0,
            disk_problem=self._script.disk_problem,
        )
        self._sink(TrieChanged(view))


def _common(first: list[int], second: list[int]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
