"""vLLM's and SGLang's routes for tokens, over the guide's tokenizer. What they answer follows their sources.

Neither program runs here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment
from tokenizers import Tokenizer

from app.protocol.chat import Turn
from tests.remote.scripted import Script, event

GUIDE = Path(__file__).parents[2] / "resources" / "models" / "guide"
TOKENIZER = Tokenizer.from_file(str(GUIDE / "tokenizer.json"))
FOLDER = str(GUIDE)
END: int = TOKENIZER.token_to_id("<|end|>")
ROWS: int = TOKENIZER.get_vocab_size()
DONE = b"data: [DONE]\n\n"


def ids_of(text: str) -> list[int]:
    """The ids of a text, control tokens in it read as such."""
    found: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return found


def text_of(ids: Sequence[int]) -> str:
    """What ids read, control tokens left out."""
    return str(TOKENIZER.decode(list(ids)))


def rendered(messages: Sequence[Any]) -> str:
    """What the guide's template prints."""
    return "".join(f"<|{one['role']}|>{one['content']}<|end|>" for one in messages) + "<|assistant|>"


def prompt_of(*turns: Turn) -> list[int]:
    """The ids of a branch by its server's own rendering."""
    return ids_of(rendered([{"role": turn.role, "content": turn.text} for turn in turns]))


class _Folder:
    """What such a server answers. Tests set it before or while it serves.

    answers: of the next requests, as ids; the last one is that of all others. extra: tokens that it counts in a prompt
    beside those that were sent. cached: of a prompt, None where it does not say. why: an answer ends. asked: bodies of
    the requests for answers that are streamed. breaks: after so many tokens, the connection ends. tokenizer, template:
    of another model than the guide, the latter as Jinja reads it.
    """

    tokenizer: Tokenizer = TOKENIZER
    template = ""

    def __init__(self, script: Script, kind: str, *answers: Sequence[int]) -> None:
        self.answers = list(answers)
        self.extra = 0
        self.cached: int | None = None
        self.why = "stop"
        self.asked: list[Any] = []
        self.breaks: int | None = None
        self.script = script
        script.kind = kind
        script.routes = {"/tokenize": self.tokenize, "/detokenize": self.detokenize}

    def next(self, body: Any, most: int) -> tuple[list[int], str]:
        """The next answer, and why it ends."""
        self.asked.append(body)
        ids = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        whole = [*ids, END] if self.why == "stop" else list(ids)
        return (whole, self.why) if len(whole) <= most else (whole[:most], "length")

    def tokenize(self, body: Any) -> Any:
        ids = self.ids_of(body["prompt"]) if "prompt" in body else self.conversation(body["messages"])
        return {"tokens": ids, "count": len(ids), "max_model_len": 2048}

    def ids_of(self, text: str) -> list[int]:
        """The ids of a text, control tokens in it read as such."""
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def conversation(self, messages: Any) -> list[int]:
        """The ids of a conversation."""
        if not self.template:
            return self.ids_of(rendered(messages))
        sandbox = Environment(trim_blocks=True, lstrip_blocks=True)
        sandbox.globals["strftime_now"] = datetime.now().strftime
        given = {"messages": messages, "add_generation_prompt": True, "bos_token": "<|pad|>"}
        return self.ids_of(sandbox.from_string(self.template).render(given))

    def detokenize(self, body: Any) -> Any:
        raise NotImplementedError


class Vllm(_Folder):
    """vLLM's. knows_ids: it is new enough to tell the ids of an answer."""

    def __init__(self, script: Script, *answers: Sequence[int]) -> None:
        super().__init__(script, "vLLM", *answers)
        self.knows_ids = True
        script.routes["/v1/completions"] = self.complete

    def detokenize(self, body: Any) -> Any:
        return {"prompt": self.tokenizer.decode(body["tokens"], skip_special_tokens=False)}

    def complete(self, body: Any) -> Any:
        assert body["max_tokens"] + len(body["prompt"]) <= 2048, "vLLM refuses that"
        if not body["stream"]:
            assert "stream_options" not in body, "vLLM refuses that"
            choice = self._choice(body, [END], "length", is_first=True)
            return {"choices": [choice], "usage": {"prompt_tokens": len(body["prompt"]), "completion_tokens": 1}}
        ids, why = self.next(body, body["max_tokens"])
        return self._events(body, ids, why)

    def _events(self, body: Any, ids: Sequence[int], why: str) -> Iterator[bytes]:
        for at in range(len(ids)):
            if at == self.breaks:
                return
            yield event(
                {"choices": [self._choice(body, ids[at : at + 1], why if at == len(ids) - 1 else None, not at)]}
            )
        usage: dict[str, Any] = {"prompt_tokens": len(body["prompt"]) + self.extra, "completion_tokens": len(ids)}
        if self.cached is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached}
        yield event({"choices": [], "usage": usage})
        yield DONE

    def _choice(self, body: Any, ids: Sequence[int], why: str | None, is_first: bool) -> Any:
        found: dict[str, Any] = {"index": 0, "text": text_of(ids), "finish_reason": why, "stop_reason": None}
        if self.knows_ids:
            found["token_ids"] = list(ids)
            found["prompt_token_ids"] = [*body["prompt"], *[END] * self.extra] if is_first else None
        if "logprobs" in body:
            assert body["return_tokens_as_token_ids"]
            others = [{f"token_id:{one}": -0.5, "token_id:65": -1.0} for one in ids]
            found["logprobs"] = {"token_logprobs": [-0.5] * len(ids), "top_logprobs": others}
        return found


class Sglang(_Folder):
    """SGLang's. is_incremental: it was started so that no piece repeats those before. tells_ids: of a conversation."""

    def __init__(self, script: Script, *answers: Sequence[int]) -> None:
        super().__init__(script, "SGLang", *answers)
        self.is_incremental = False
        self.tells_ids = True
        self.cached = 0
        script.routes["/generate"] = self.generate
        script.routes["/v1/chat/completions"] = self.chat

    def detokenize(self, body: Any) -> Any:
        return {"text": self.tokenizer.decode(body["tokens"], skip_special_tokens=body["skip_special_tokens"])}

    def chat(self, body: Any) -> Any:
        """One token of an answer where nothing is streamed; the usual events else."""
        if body.get("stream"):
            return self.script.events()
        ids = self.conversation(body["messages"])
        choice = {"message": {"content": "A"}, "finish_reason": "length"}
        more = {"prompt_token_ids": ids} if self.tells_ids else {}
        return {"choices": [{**choice, **more}], "usage": {"prompt_tokens": len(ids), "completion_tokens": 1}}

    def generate(self, body: Any) -> Any:
        assert "seed" not in body["sampling_params"]
        assert body["sampling_params"]["top_k"] != 0, "SGLang refuses that"
        most = body["sampling_params"]["max_new_tokens"]
        if not body["stream"]:
            return self._piece(body, [END], 1, {"type": "length", "length": 1})
        ids, why = self.next(body, most)
        return self._events(body, ids, {"type": why, "matched": END} if why == "stop" else {"type": why})

    def _events(self, body: Any, ids: Sequence[int], why: Any) -> Iterator[bytes]:
        for end in range(1, len(ids) + 1):
            if end - 1 == self.breaks:
                return
            yield event(self._piece(body, ids, end, why if end == len(ids) else None))
        yield DONE

    def _piece(self, body: Any, ids: Sequence[int], end: int, why: Any) -> Any:
        told = list(ids[end - 1 : end] if self.is_incremental else ids[:end])
        meta = {"prompt_tokens": len(body["input_ids"]) + self.extra, "completion_tokens": end, "finish_reason": why}
        if self.cached is not None:
            meta["cached_tokens"] = self.cached
        if body.get("return_logprob"):
            meta["output_token_logprobs"] = [[-0.5, one, None] for one in told]
            meta["output_top_logprobs"] = [[[-0.5, one, None], [-1.0, 65, None]] for one in told]
        return {"text": text_of(told), "output_ids": told, "meta_info": meta}


def copied(folder: Path, **settings: Any) -> Path:
    """A folder with the guide's tokenizer and nothing else. settings: of it, changed."""
    folder.mkdir()
    for name in ("tokenizer.json", "config.json"):
        (folder / name).write_bytes((GUIDE / name).read_bytes())
    own = json.loads((GUIDE / "tokenizer_config.json").read_text(encoding="utf-8"))
    (folder / "tokenizer_config.json").write_text(json.dumps({**own, **settings}), encoding="utf-8")
    return folder
