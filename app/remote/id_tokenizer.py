"""What prompts as ids need of a tokenizer: the server's own, or that of a folder, which is compared with the server's.

On the thread of its server alone it may ask, and raise UnansweredError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from app.prompting.tokenizer import Tokenizer


class IdTokenizer(Tokenizer, Protocol):
    """A tokenizer of a model on a server.

    rows: how many tokens it has. bytes_per_token: of texts, about. may_ask: the server may be sent texts, else
    NotAskedError is raised. identity: names it, whichever server it was found on. read: what a token reads by itself,
    None for what it reads where it stands. is_servers_own: it is asked of the server.
    """

    may_ask: bool

    @property
    def rows(self) -> int: ...

    @property
    def bytes_per_token(self) -> float: ...

    @property
    def identity(self) -> str: ...

    @property
    def read(self) -> Callable[[int], str] | None: ...

    @property
    def is_servers_own(self) -> bool: ...

    def agrees(self, texts: Sequence[str]) -> bool:
        """Ask the server what it makes of texts. Returns whether nothing speaks against what is made of them here."""
        ...

    def written_out(self, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return what the server says that these ids read, and those, control tokens included."""
        ...

    def is_conversation(self, messages: list[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether the server makes these ids of a conversation, as far as it tells."""
        ...

    def knows(self, ids: Sequence[int]) -> bool:
        """Return whether these ids are decoded without asking."""
        ...

    def learn(self, ids: Sequence[int]) -> None:
        """Have these ids be decoded without asking from now on."""
        ...

    def spelled(self, text: str, last: int, count: int) -> tuple[int, ...]:
        """Return the ids that a text was written with that end with this one, as many as there were."""
        ...
