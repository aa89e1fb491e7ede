"""What is believed of one server's cache: what a branch would cost there, and what an answer has cost.

Properties: nothing is sent to find it out. What a server reports stands before what is believed of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.protocol.commands import EstimateCost, Generate
from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import Reason, RequestReport, Source, StopReason
from app.protocol.trie_view import TrieView
from app.remote.id_prompts import IdPrompts
from app.remote.prompts import MessagePrompts, Prompt
from app.remote.record import Record, Rule
from app.remote.written import Written

_LEAST_READ = 32  # tokens, of which the time says how fast a server reads
_MOST_SECONDS = 3600.0
_COUNTED_APART = 32  # tokens that two counts of a prompt may differ by


class Belief:
    """Keeps the record of one model on one server, and how fast that reads.

    Attributes: rule, of what the server keeps; place, what the person calls it; speed, prompt tokens that it reads in
    a second, None before it has; ids, the prompts that it is sent as ids, None where it takes none.
    """

    def __init__(self, rule: Rule, place: str, prompts: MessagePrompts | None = None) -> None:
        """place: what the person calls the server. prompts: shared by the servers that run the same model."""
        self.rule, self.place = rule, place
        self._record, self._prompts = Record(rule), prompts or MessagePrompts()
        self.ids: IdPrompts | None = None
        self.speed: float | None = None

    def prompt(self, command: Generate | EstimateCost) -> Prompt:
        """Return the prompt of a branch."""
        held = None if self.ids is None else self.ids.of(command)
        if held is not None:
            return held
        begun = command.begun if command.begun is not None and command.begun.text else None
        return self._prompts.build(command.turns, command.options, begun)

    def expect(self, prompt: Prompt, left: int | None = None) -> RequestReport:
        """Return what the server should find of a prompt.

        left: how many tokens of it the server says that it did not find, None where it does not say. More than the
        messages can have is not believed.
        """
        total = len(prompt.ids)
        seen, cached = self._record.seen(prompt.ids), self._record.predicted(prompt.ids)
        if left is not None and left <= sum(prompt.most):
            cached = min(cached, max(total - left, 0))
            total = cached + left
        request = RequestReport(total, max(seen, cached), cached, cached, source=self._source(prompt))
        return replace(request, reason=self._reason(request))

    def _source(self, prompt: Prompt) -> Source:
        """Return how sure a prediction is."""
        if not prompt.is_counted:
            return Source.PREDICTED
        return Source.COUNTED if self._record.is_right else Source.AT_MOST

    def estimate(self, command: EstimateCost) -> CostEstimate:
        """Return what a branch should cost now."""
        prompt = self.prompt(command)
        request = self.expect(prompt)
        held = self._record.believed(prompt.ids)
        turns = tuple(TurnResidency(start, end, "believed" if end <= held else "none") for start, end in prompt.turns)
        seconds = None if self.speed is None else min(request.left / self.speed, _MOST_SECONDS)
        edge = self._record.edge(prompt.ids)
        return CostEstimate(command.query_id, request, turns, seconds, edge=edge, known=request.seen)

    def note_too_long(self, prompt: Prompt, tokens: int) -> None:
        """Take over that a prompt was refused that has at least so many tokens."""
        self._prompts.note_too_long(prompt, tokens)

    def settle(self, command: Generate, prompt: Prompt, written: Written) -> RequestReport:
        """Take over how an answer went that has words, and return what its prompt has cost."""
        expected, usage = self.expect(prompt), written.usage
        self._prompts.learn(prompt, usage.prompt)
        if written.text and usage.answer is not None:
            self._prompts.learn_answer(written.text, usage.answer - written.thinking_tokens)
        told = self.prompt(command)
        whole = self._prompts.with_answer(told, written.text) if written.text else told
        return self._settled(command.owner, expected, whole, len(told.ids), written)

    def settle_ids(self, owner: str, prompt: Prompt, whole: Prompt, written: Written) -> RequestReport:
        """Take over how an answer went that has ids, and return what its prompt has cost. whole: with the answer."""
        return self._settled(owner, self.expect(prompt), whole, len(prompt.ids), written)

    def seen(self, ids: Sequence[int]) -> int:
        """Return how many of the first tokens were sent before."""
        return self._record.seen(ids)

    def _settled(
        self, owner: str, expected: RequestReport, whole: Prompt, sent: int, written: Written
    ) -> RequestReport:
        usage, report = written.usage, written.report
        unread = 1 if written.stop is StopReason.LENGTH else 0  # its last token was chosen, and never read
        held = max(len(whole.ids) - unread, sent)
        self._record.take(whole.ids[:held], whole.spans, owner, usage.cached, sent)
        seen = min(max(expected.seen, report.cached), report.total)
        report = replace(report, seen=seen, reason=self._reason(replace(report, seen=seen)))
        if not report.is_known and usage.prompt is not None and expected.cached:
            cached = min(expected.cached, max(usage.prompt - 1, 0))
            report = replace(expected, total=usage.prompt, seen=max(expected.seen, cached), cached=cached)
        self._learn_speed(report, written.first_token)
        return report

    def lose(self) -> None:
        """Believe that the server holds nothing any more: it has ended, or was started again."""
        self._record.lose()

    def forget(self, owner: str) -> bool:
        """Forget what only this conversation sent. Returns whether there was anything."""
        return self._record.forget(owner)

    @property
    def view(self) -> TrieView:
        """A picture of what the server should hold."""
        return self._record.view(self.place)

    def _reason(self, request: RequestReport) -> Reason:
        """Return why a server reads again what it was sent before; a difference that counting makes is none."""
        slack = max(self.rule.block, _COUNTED_APART)
        return Reason.LET_GO if request.is_known and request.excess > slack else Reason.NONE

    def _learn_speed(self, report: RequestReport, first_token: float | None) -> None:
        if report.is_known and report.left >= _LEAST_READ and first_token:
            speed = report.left / first_token
            self.speed = speed if self.speed is None else (self.speed + speed) / 2
