"""A folder's tokenizer beside a server that has one of its own: compared once, and asked nothing after it.

Read in vLLM's `entrypoints/serve/tokenize/protocol.py` and SGLang's `entrypoints/openai/serving_tokenize.py`: both take
control tokens that a text spells for control tokens. vLLM tokenizes a conversation too. SGLang does not, so it is asked
for one token of an answer to it, and says of how many tokens the conversation was, and of which in newer versions.

Property: what people write is tokenized here. The server is sent the texts of the proof alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from app.remote.chunks import count_of
from app.remote.faults import malformed
from app.remote.id_interface import is_token
from app.remote.token_thread import TokenThread, UnansweredError
from app.tokenizing.folder_tokenizer import FolderTokenizer

_MOST = 1 << 16  # tokens of a text of the proof
_BYTES = 4.0  # of text to a token, about


class TokenRoutes(Protocol):
    """The questions about tokens that a kind of server answers, asked on its thread. Each raises UnansweredError."""

    def tokenized(self, thread: TokenThread, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts, control tokens in them read as such."""
        ...

    def read(self, thread: TokenThread, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the texts of ids, control tokens written out."""
        ...

    def is_conversation(self, thread: TokenThread, messages: Sequence[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether a conversation comes to these ids, as far as the server tells."""
        ...


class ComparedTokenizer:
    """A tokenizer as `IdTokenizer`. It is that of the server only once it is proven."""

    has_thinking = True
    think_start = think_end = tool_call_start = tool_call_end = None
    is_servers_own = False
    bytes_per_token = _BYTES
    read = None

    def __init__(self, tokenizer: FolderTokenizer, thread: TokenThread, routes: TokenRoutes) -> None:
        self._tokenizer, self._thread, self._routes = tokenizer, thread, routes
        self.may_ask = True
        self.rows = tokenizer.rows
        self.eos_token_ids, self.init_kwargs = tokenizer.eos_token_ids, tokenizer.init_kwargs
        self.added_tokens_decoder = tokenizer.added_tokens_decoder
        self.special_tokens_map = tokenizer.special_tokens_map
        self.has_chat_template, self.chat_template = tokenizer.has_chat_template, tokenizer.chat_template
        self.get_vocab, self.get_chat_template = tokenizer.get_vocab, tokenizer.get_chat_template
        self.encode, self.decode = tokenizer.encode, tokenizer.decode
        self.apply_chat_template = tokenizer.apply_chat_template
        tokens = repr(sorted(self.get_vocab().items()))
        self.identity = hashlib.sha256(tokens.encode("utf-8", "replace")).hexdigest()

    def agrees(self, texts: Sequence[str]) -> bool:
        """Return whether the server makes the ids of texts that are made here, and calls added tokens what they are.

        Raises UnansweredError.
        """
        ids = [self.encode(text, add_special_tokens=False) for text in texts]
        added = sorted(self.added_tokens_decoder)
        own = self.decode(added, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        [named] = self._routes.read(self._thread, [added])
        is_named_alike = "".join(own.split()) == "".join(named.split())  # some versions put spaces between them
        return is_named_alike and self._routes.tokenized(self._thread, texts) == ids

    def written_out(self, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return what these ids read. Raises UnansweredError.

        Some tokenizers are told to leave out spaces that belong to no word: what a server leaves out for that reason
        alone is put in again.
        """
        texts = self._routes.read(self._thread, all_ids)
        return [self._untidied(list(ids), text) for ids, text in zip(all_ids, texts, strict=True)]

    def is_conversation(self, messages: list[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether the server makes these ids of a conversation, as far as it tells. Raises UnansweredError."""
        return self._routes.is_conversation(self._thread, messages, ids)

    def knows(self, ids: Sequence[int]) -> bool:
        """Return whether these are ids of tokens."""
        return all(0 <= one < self.rows for one in ids)

    def learn(self, ids: Sequence[int]) -> None:
        """Do nothing: all that can be known is."""

    def spelled(self, text: str, last: int, count: int) -> tuple[int, ...]:
        """Raise UnansweredError: a server that is asked so tells all ids."""
        raise UnansweredError(malformed(self._thread.name, "a piece of an answer without its tokens"))

    def _untidied(self, ids: list[int], text: str) -> str:
        whole = self.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        if text == whole:
            return whole
        tidy = self.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=True)
        return whole if text == tidy else text


class VllmRoutes:
    """vLLM's, as `TokenRoutes`."""

    def tokenized(self, thread: TokenThread, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts."""
        return _tokenized(thread, texts)

    def read(self, thread: TokenThread, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the texts of ids."""
        return _read(thread, [{"tokens": list(ids)} for ids in all_ids], "prompt")

    def is_conversation(self, thread: TokenThread, messages: Sequence[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether a conversation comes to these ids."""
        asked = {"messages": list(messages), "add_generation_prompt": True, "add_special_tokens": False}
        return _ids(thread, thread.ask("/tokenize", **asked)) == list(ids)


class SglangRoutes:
    """SGLang's, as `TokenRoutes`."""

    def tokenized(self, thread: TokenThread, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts."""
        return _tokenized(thread, texts)

    def read(self, thread: TokenThread, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the texts of ids."""
        return _read(thread, [{"tokens": list(ids), "skip_special_tokens": False} for ids in all_ids], "text")

    def is_conversation(self, thread: TokenThread, messages: Sequence[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether a conversation comes to as many ids, and to these where the server tells."""
        asked = {"messages": list(messages), "max_tokens": 1, "temperature": 0.0, "return_prompt_token_ids": True}
        answer = thread.ask("/v1/chat/completions", **asked)
        usage, choices = answer.get("usage"), answer.get("choices")
        counted = count_of(usage, "prompt_tokens") if isinstance(usage, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        told = choice.get("prompt_token_ids") if isinstance(choice, dict) else None
        return counted == len(ids) and told in (None, list(ids))


def _tokenized(thread: TokenThread, texts: Sequence[str]) -> list[list[int]]:
    answers = thread.ask_all("/tokenize", [{"prompt": text, "add_special_tokens": False} for text in texts])
    return [_ids(thread, one) for one in answers]


def _ids(thread: TokenThread, answer: Mapping[str, Any]) -> list[int]:
    found = answer.get("tokens")
    if not isinstance(found, list) or len(found) > _MOST or not all(map(is_token, found)):
        raise UnansweredError(malformed(thread.name, "no list of tokens"))
    return found


def _read(thread: TokenThread, asked: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    found = [one.get(name) for one in thread.ask_all("/detokenize", asked)]
    texts = [one.encode("utf-8", "replace").decode() for one in found if isinstance(one, str)]
    if len(texts) != len(found):
        raise UnansweredError(malformed(thread.name, "no text of tokens"))
    return texts
