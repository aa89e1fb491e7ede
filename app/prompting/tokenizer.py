"""What prompts need of a tokenizer: that of mlx-lm has all of it, and so may another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol


class Tokenizer(Protocol):
    """A tokenizer, with what is known of the chats that its model was trained on.

    eos_token_ids: ids that end an answer. think_start, think_end, tool_call_start, tool_call_end: marks in answers,
    None where the model has none. init_kwargs: its settings as its authors wrote them.
    """

    @property
    def eos_token_ids(self) -> Collection[int]: ...

    @property
    def init_kwargs(self) -> Mapping[str, Any]: ...

    @property
    def added_tokens_decoder(self) -> Mapping[int, Any]: ...

    @property
    def special_tokens_map(self) -> Mapping[str, Any]: ...

    @property
    def has_chat_template(self) -> bool: ...

    @property
    def has_thinking(self) -> bool: ...

    @property
    def chat_template(self) -> Any: ...

    @property
    def think_start(self) -> str | None: ...

    @property
    def think_end(self) -> str | None: ...

    @property
    def tool_call_start(self) -> str | None: ...

    @property
    def tool_call_end(self) -> str | None: ...

    def get_vocab(self) -> Mapping[str, int]:
        """Return the ids of all tokens, by what they read."""
        ...

    def get_chat_template(self) -> str:
        """Return the source of the chat template."""
        ...

    def encode(self, text: str, **options: Any) -> list[int]:
        """Return the ids of a text."""
        ...

    def decode(self, ids: list[int], **options: Any) -> str:
        """Return the text of ids."""
        ...

    def apply_chat_template(self, messages: list[dict[str, str]], **options: Any) -> Any:
        """Render messages, where the tokenizer itself knows how."""
        ...
