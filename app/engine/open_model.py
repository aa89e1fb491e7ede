"""The open model, with all that begins and ends with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from app.engine.edge_labels import EdgeLabels
from app.engine.memory import default_budget
from app.engine.model import LoadedModel
from app.engine.prefill_rate import PrefillRate
from app.engine.step_memory import StepMemory
from app.engine.task import ModelTask
from app.engine.trie_feed import TrieFeed
from app.engine.turns import Turns
from app.kvcache.prefix_cache import PrefixCache
from app.models.context import limited_context
from app.prompting.problems import NO_CONTEXT_LIMIT
from app.prompting.prompt import Prompt
from app.prompting.recent_prompts import RecentPrompts
from app.prompting.steps import Steps
from app.protocol.chat import PromptOptions, Turn
from app.protocol.commands import CONTEXT_LIMIT, ConfigureDiskCache
from app.protocol.engine import EventSink
from app.protocol.events import ContextLimited, Event
from app.protocol.reports import Problem

_DISK_SECONDS = 1.4  # that writing may take when a model is closed; a disk that hangs adds a fifth
_PAUSE = 0.05  # seconds between two looks at whether the disk is done


class OpenModel:
    """A model that is open, and what begins and ends with it. Owned by the model thread.

    cache: of its state. pinned: the tokens up to each place that is pinned, by the message it is kept with.
    recent_prompts: of branches that were read. prefill_rate, step_memory: of its calls, as measured so far. feed: tells
    what the cache does. turns: of the answers that are being written. task: what else goes on, while no answer is
    written. is_pricing: branches are priced; not from where the template had to be ended over one until it has rendered
    what was asked.
    """

    def __init__(
        self,
        model: LoadedModel,
        budget_bytes: int | None,
        emit: EventSink,
        serials: Iterator[int],
        chunk: int | None = None,
    ) -> None:
        """Begin with an empty cache. budget_bytes: see `set_budget`; serials: see TrieFeed; chunk: see PrefillRate."""
        self.cache = cache = PrefixCache(model.forward, model.new_caches, _budget(model, budget_bytes))
        self.model = replace(model, prompts=replace(model.prompts, seen=lambda ids: cache.price(ids).seen))
        self.pinned: dict[str, Sequence[int]] = {}
        self.recent_prompts = RecentPrompts()
        self.prefill_rate = PrefillRate(chunk)
        self.step_memory = StepMemory(model.sizes, model.memory)
        self.feed = TrieFeed(cache, EdgeLabels(model.codec, model.prompts.openings), emit, serials)
        self.turns = Turns(cache, self.step_memory)
        self.task: ModelTask | None = None
        self.is_pricing = True
        self._emit = emit
        self._disk_folder = ""
        self._erasing: list[str] = []
        self._is_saving = False

    def read(self, turns: Sequence[Turn], options: PromptOptions, *, is_kept: bool = True) -> Steps[Prompt]:
        """Turn a branch into the tokens of its prompt. Raises RequestError for one that cannot be answered.

        is_kept: among those that were read, as it will be wanted again.
        """
        prompts = self.model.prompts
        composed = prompts.composed(turns, options)
        prompts.lengths.require_near(composed, self.model.context_length)
        self.step_memory.require_room_to_read(composed)
        kept = self.recent_prompts
        prompt = yield from kept.building(prompts, turns, options) if is_kept else prompts.building(turns, options)
        self.is_pricing = True
        return prompt

    @property
    def is_busy(self) -> bool:
        """Return whether an answer is being written, or something else goes on that does not give way."""
        return bool(self.turns) or (self.task is not None and not self.task.gives_way)

    def can_begin(self, lanes: int) -> bool:
        """Return whether so many answers can be begun now. None is before what is to be erased has been."""
        return self.task is None and not self._erasing and self.turns.has_room_for(lanes)

    def advance(self) -> bool:
        """Advance what goes on by one step. Return False when there is nothing.

        A picture of the trie precedes the outcomes, so that both are seen together.
        """
        if self.task is not None:
            self.task.advance()
            self._end_task()
        elif self.turns:
            self.tell(self.turns.advance())
        else:
            return False
        return True

    def cancel(self, number: int, lane: int | None = None) -> None:
        """End the task or run with this number, or one answer of it, within a token."""
        if self.task is not None and self.task.number == number:
            self.stop()
        self.tell(self.turns.cancel(number, lane))

    def stop(self) -> None:
        """End all that goes on, with its outcomes."""
        if self.task is not None:
            self.task.cancel()
            self._end_task()
        self.tell(self.turns.stop())

    def make_way(self) -> None:
        """End a task that gives way to whatever else is asked."""
        if self.task is not None and self.task.gives_way:
            self.stop()

    def _end_task(self) -> None:
        outcome = self.task.outcome if self.task is not None else None
        if outcome is not None:
            self.task = None
            self.tell([outcome])

    def tell(self, outcomes: Sequence[Event]) -> None:
        """Tell what has ended, after a picture of the trie."""
        if not outcomes:
            return
        while self._erasing and not self.turns:
            self._erase(self._erasing.pop())
        self.feed.ended()
        for outcome in outcomes:
            self._emit(outcome)

    def limit_context(self, tokens: int | None) -> ContextLimited:
        """Read at most so many tokens from now on, None for as many as the model can."""
        if not CONTEXT_LIMIT.allows(tokens):
            return ContextLimited(self.model.path, self.model.context_length, Problem(*NO_CONTEXT_LIMIT))
        length = limited_context(self.model.own_context, tokens)
        self.model = replace(self.model, context_length=length)
        return ContextLimited(self.model.path, length)

    def set_budget(self, budget_bytes: int | None) -> None:
        """Limit what the cache may hold in memory, in bytes; None for the default of this machine and model."""
        self.cache.set_budget(_budget(self.model, budget_bytes))
        self.feed.changed()

    def erase(self, owner: str) -> None:
        """Erase the state that only this owner used, once no answer is written: one may be its owner's."""
        self.make_way()
        if self.turns or self.task is not None:
            self._erasing.append(owner)
        else:
            self._erase(owner)
            self.feed.changed()

    def _erase(self, owner: str) -> None:
        """Erase the owner's state with its pins, and the words of every branch that was read: nobody says whose."""
        self.cache.erase(owner)
        self.pinned = {one: tokens for one, tokens in self.pinned.items() if self.cache.is_pinned(tokens)}
        self.recent_prompts.forget()

    def open_disk(self, disk: ConfigureDiskCache) -> None:
        """Keep state on disk too, if a folder is named. To be called before the first request."""
        self._disk_folder = disk.folder
        if disk.folder:
            fingerprint = self.model.state_fingerprint
            self.cache.open_disk(Path(disk.folder), fingerprint, disk.budget_bytes, disk.writes_all)

    def limit_disk(self, disk: ConfigureDiskCache) -> None:
        """Apply other limits to what is kept on disk. Without effect where nothing is.

        Where another folder is meant, nothing is kept any more: a model stays with the folder it was opened with, and
        what it wrote there is deleted.
        """
        if self.cache.disk is not None:
            self.cache.disk.writes_all = disk.writes_all
            self.cache.disk.set_budget(disk.budget_bytes if disk.folder == self._disk_folder else 0)
            self.feed.changed()

    def clear_disk(self) -> None:
        """Delete the files of all models. Without effect where nothing is kept on disk."""
        if self.cache.disk is not None:
            self.cache.disk.wipe()
            self.cache.disk.wait(_DISK_SECONDS)
            self.feed.changed()

    def save_a_little(self) -> float | None:
        """Write a little of what is worth keeping to disk, when nothing else is to be done.

        Returns the seconds after which there may be more to do, or None when there is nothing.
        """
        disk = self.cache.disk
        if disk is not None and disk.tend():
            self._is_saving = True
            return 0.0
        if self._is_saving and not self.cache.is_saving:
            self._is_saving = False
            self.feed.changed()
        return _PAUSE if self._is_saving else None

    def close(self) -> None:
        """Write what is worth keeping to disk, as far as there is time, and let go of all arrays."""
        self.cache.close_disk(_DISK_SECONDS)
        self.cache.close()
        self.model.prompts.template.close()


def _budget(model: LoadedModel, budget_bytes: int | None) -> int:
    return default_budget(model.weight_bytes, model.memory) if budget_bytes is None else budget_bytes
