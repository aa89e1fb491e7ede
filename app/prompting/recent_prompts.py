"""The prompts that were built last, kept so that a branch is not read again to be priced or asked again.

Reading a branch of hundreds of messages takes as long as many tokens, and comparing its prompt with the trie hardly any
time. So after a change of what many branches share, only the first is compared with messages, and all with the trie.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from app.prompting.prompt import Prompt, PromptBuilder
from app.prompting.steps import Steps
from app.protocol.chat import PromptOptions, Turn

MOST_TOKENS = 1 << 21  # of all together, which take eight bytes each


class RecentPrompts:
    """The prompts of one model that were asked for last.

    Property: a prompt is the one that the model's builder would build now.
    """

    def __init__(self, most: int = MOST_TOKENS) -> None:
        self._most = most
        self._prompts: dict[Hashable, Prompt] = {}
        self._tokens = 0

    def building(self, builder: PromptBuilder, turns: Sequence[Turn], options: PromptOptions) -> Steps[Prompt]:
        """Build the prompt of a branch, or find it. builder: of the one model. Raises as it does."""
        key = _key(turns, options)
        prompt = self._prompts.pop(key, None)
        if prompt is not None:
            self._prompts[key] = prompt
            return prompt
        kept = self._prompts
        prompt = yield from builder.building(turns, options)
        if prompt.is_lasting and kept is self._prompts:
            self._keep(key, prompt)
        return prompt

    def forget(self) -> None:
        """Keep nothing of what was built so far, nor of what is being built."""
        self._prompts, self._tokens = {}, 0

    def _keep(self, key: Hashable, prompt: Prompt) -> None:
        before = self._prompts.pop(key, None)  # built meanwhile by somebody else
        self._tokens += len(prompt.ids) - (len(before.ids) if before is not None else 0)
        self._prompts[key] = prompt
        while self._tokens > self._most:
            oldest = next(iter(self._prompts))
            self._tokens -= len(self._prompts.pop(oldest).ids)


def _key(turns: Sequence[Turn], options: PromptOptions) -> Hashable:
    """Return all that a prompt depends on: of the times, that of the first turn alone."""
    said = tuple((turn.role, turn.text, turn.ids, turn.thinking, turn.attachments) for turn in turns)
    return said, turns[0].at if turns else 0.0, options
