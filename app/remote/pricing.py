"""The tokens of branches that are only priced: words are not sent to a server before they are asked of it.

What was asked before is known, token by token. Of the rest the number of tokens is guessed, and other ids stand for
them, which no tokenizer has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from app.prompting.codec import Codec
from app.remote.id_tokenizer import IdTokenizer
from app.remote.server_tokenizer import NotAskedError

GUESSED = 1 << 40  # the first id that stands for a token which nobody knows
_ROOM = 1 << 24


class PricingCodec(Codec):
    """A codec that asks nothing, with all that another one knows."""

    def __init__(self, codec: Codec, tokenizer: IdTokenizer) -> None:
        """Share what the other one remembers, now and later."""
        vars(self).update(vars(codec))
        self._server = tokenizer

    def plain(self, text: str, after: int | None = None) -> list[int]:
        """Encode text in which nothing is a control token, as ids that stand for it where it is not known."""
        try:
            return super().plain(text, after)
        except NotAskedError:
            return self._guess(text)

    def decode(self, ids: Sequence[int]) -> str:
        """Decode ids, without those that stand for others."""
        return super().decode([one for one in ids if one < GUESSED])

    def unknown(self, ids: Sequence[int]) -> int | None:
        """Return the first id that the model does not know, and that stands for none that it does."""
        return super().unknown([one for one in ids if one < GUESSED])

    def _guess(self, text: str) -> list[int]:
        content = text.encode("utf-8", "replace")
        length = min(max(round(len(content) / self._server.bytes_per_token), 1), _ROOM - 1)
        key = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")
        first = GUESSED + key * _ROOM
        return list(range(first, first + length))
