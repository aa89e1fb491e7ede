"""Pieces of answers, as each kind of server sends them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from app.remote.chunks import chat_chunk, ollama_chunk
from app.remote.faults import ServerError
from app.remote.llama_completion import LlamaCompletion
from app.remote.sglang_generate import SglangGenerate
from app.remote.vllm_completion import VllmCompletion

READERS: dict[str, Callable[[str], object]] = {
    "chat": lambda data: chat_chunk("Studio", data),
    "Ollama": lambda data: ollama_chunk("Studio", data),
    **{
        type(one).__name__: lambda data, one=one: one.reader("Studio", 10, ()).read(data)  # type: ignore[misc]
        for one in (LlamaCompletion(), VllmCompletion(), SglangGenerate())
    },
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("error", [{"message": "out of memory"}, "out of memory"])
def test_an_error_in_the_middle_of_an_answer_is_told_in_the_servers_words(name: str, error: object) -> None:
    with pytest.raises(ServerError) as raised:
        READERS[name](json.dumps({"error": error}))
    assert raised.value.problem.title == "Studio gave up"
    assert raised.value.problem.sentence == "It says: “out of memory”."


@pytest.mark.parametrize("name", READERS)
def test_one_that_says_too_long_is_told_so(name: str) -> None:
    said = "This model's maximum context length is 4096 tokens, and 5000 tokens were asked for"
    with pytest.raises(ServerError) as raised:
        READERS[name](json.dumps({"error": {"message": said}}))
    assert raised.value.too_long == 5000
