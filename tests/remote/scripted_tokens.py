"""llama.cpp's routes for tokens, over a tokenizer in which each byte is a token, and some marks are too.

As the real one it tells of a character in several tokens the last one alone, and of bytes that are no text U+FFFD.
"""

from __future__ import annotations

import codecs
import json
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tests.remote.scripted import Script, event

MARKS = ("<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
END = 256
ROWS = 256 + len(MARKS)
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
_CUT = re.compile("(" + "|".join(map(re.escape, MARKS)) + ")")


def ids_of(text: str, *, is_plain: bool = False, begin: str = "") -> list[int]:
    """The ids of a text. begin: what stands before each piece of it, as in the manner of SentencePiece."""
    pieces = [text] if is_plain else _CUT.split(text)
    pieces = [begin + piece if piece and piece not in MARKS else piece for piece in pieces]
    return [one for piece in pieces for one in ([256 + MARKS.index(piece)] if piece in MARKS else piece.encode())]


def bytes_of(token: int) -> bytes:
    """What a token reads."""
    return bytes([token]) if token < 256 else MARKS[token - 256].encode()


class Tokens:
    """What a server with this tokenizer answers. Tests set it before or while it serves.

    answers: of the next requests, as ids; the last one is that of all others. extra: tokens that it counts in a prompt
    beside those that were sent. cached: of a prompt. why: an answer ends. others: what is told with each token of those
    that could have stood in its place. begin: what the tokenizer puts before a text. breaks: after so many pieces of an
    answer the connection ends; holds: after them, it waits for the script's `go`. is_holding: it does.
    """

    def __init__(self, script: Script, *answers: Sequence[int]) -> None:
        self.answers = list(answers)
        self.extra = self.cached = 0
        self.why = "eos"
        self.others: Any = None
        self.begin = ""
        self.breaks = self.holds = -1
        self.is_holding, self._go = threading.Event(), script.go
        self.asked: list[Any] = []
        script.kind = "llama.cpp"
        meta = {"n_ctx_train": 4096, "n_vocab": ROWS}
        script.routes = {
            "/v1/models": lambda _: {"data": [{"id": "tiny", "owned_by": "llamacpp", "meta": meta}]},
            "/props": lambda _: {
                "default_generation_settings": {"n_ctx": 4096},
                "chat_template": TEMPLATE,
                "eos_token": MARKS[0],
                "bos_token": "",
            },
            "/tokenize": self.tokenize,
            "/detokenize": lambda body: {"content": b"".join(map(bytes_of, body["tokens"])).decode("utf-8", "replace")},
            "/apply-template": lambda body: {"prompt": rendered(body["messages"])},
            "/completion": self.complete,
        }

    def tokenize(self, body: Any) -> Any:
        ids = ids_of(body["content"], is_plain=not body["parse_special"], begin=self.begin)
        if not body["with_pieces"]:
            return {"tokens": ids}
        pieces = [list(bytes_of(one)) if one > 127 else bytes_of(one).decode() for one in ids]
        return {"tokens": [{"id": one, "piece": piece} for one, piece in zip(ids, pieces, strict=True)]}

    def complete(self, body: Any) -> Iterator[bytes]:
        self.asked.append(body)
        ids = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        total = len(body["prompt"]) + self.extra
        for number, piece in enumerate(self._events([*ids, END] if self.why == "eos" else list(ids), total)):
            if number == self.breaks:
                return
            if number == self.holds:
                self.is_holding.set()
                self._go.wait(30)
            yield piece

    def _events(self, ids: Sequence[int], total: int) -> Iterator[bytes]:
        progress = {"total": total, "cache": self.cached, "processed": total}
        yield event({"tokens": [0], "content": "", "stop": False, "prompt_progress": progress})
        text, waiting = "", codecs.getincrementaldecoder("utf-8")("replace")
        for number, token in enumerate(ids, 1):
            text += waiting.decode(b"" if token >= 256 else bytes([token]))
            if waiting.getstate()[0]:
                continue
            told = {"content": text, "tokens": [token], "stop": False}
            text = ""
            if self.others is not None:
                told["completion_probabilities"] = self.others
            yield event({**told, "tokens_predicted": number, "tokens_evaluated": total})
        yield event(
            {
                "content": "",
                "tokens": [],
                "stop": True,
                "stop_type": self.why,
                "tokens_predicted": len(ids),
                "tokens_evaluated": total,
                "timings": {"cache_n": self.cached},
            }
        )


def rendered(messages: Sequence[Any]) -> str:
    """What the template prints."""
    return "".join(f"<|{one['role']}|>{one['content']}<|end|>" for one in messages) + "<|assistant|>"


def words(text: str) -> list[int]:
    """The ids of an answer of these words."""
    return json.loads(json.dumps(list(text.encode())))
