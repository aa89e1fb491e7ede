"""OpenAI's own client, as other programs use it, over the local API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import openai
import pytest

from tests.gateway.scripted import MODEL, TOKEN, Api, Script


@pytest.fixture
def client(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[openai.OpenAI]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with openai.OpenAI(base_url=f"http://127.0.0.1:{api.port}/v1", api_key=TOKEN, max_retries=0) as client:
        yield client


@pytest.mark.parametrize("name", ["tiny", "people/Größer als 4B?", "100%"])
def test_it_lists_the_model_and_finds_it_by_its_name(client: openai.OpenAI, script: Script, name: str) -> None:
    script.model = replace(MODEL, name=name)
    (listed,) = client.models.list()
    assert listed.id == name
    assert client.models.retrieve(name) == listed
    with pytest.raises(openai.NotFoundError, match="other is not open"):
        client.models.retrieve("other")


def test_it_gets_an_answer_and_its_figures(client: openai.OpenAI, script: Script) -> None:
    script.words = [("thinking", "Hm."), ("text", "Hello")]
    answer = client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hi"}], temperature=0)
    assert answer.choices[0].message.content == "Hello"
    assert answer.choices[0].message.model_extra == {"reasoning_content": "Hm."}
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is not None
    assert (answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens) == (10, 7)


def test_it_streams(client: openai.OpenAI, script: Script) -> None:
    script.words = [("thinking", "Hm."), ("text", "Hel"), ("text", "lo")]
    chunks = list(
        client.chat.completions.create(
            model="tiny",
            messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "Hello"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3


def test_it_completes_text_and_ids(client: openai.OpenAI, script: Script) -> None:
    assert client.completions.create(model="tiny", prompt="Once").choices[0].text == "Hello world"
    assert client.completions.create(model="tiny", prompt=[1, 2, 3]).choices[0].text == "Hello world"
    streamed = client.completions.create(model="tiny", prompt="Once", stream=True)
    assert "".join(one.choices[0].text for one in streamed) == "Hello world"
    assert [(one.text, one.ids) for one in script.asked] == [("Once", ()), ("", (1, 2, 3)), ("Once", ())]


def test_it_ends_an_answer_by_closing_the_stream(client: openai.OpenAI, api: Api, script: Script) -> None:
    script.is_held = True
    stream = client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hi"}], stream=True)
    stream.close()
    script.wait_for(lambda: script.cancelled == [-1])


def test_refusals_are_errors_of_its_own(client: openai.OpenAI, api: Api, script: Script) -> None:
    wrong = openai.OpenAI(base_url=f"http://127.0.0.1:{api.port}/v1", api_key="no", max_retries=0)
    with wrong, pytest.raises(openai.AuthenticationError, match="The token is missing or wrong"):
        wrong.models.list()
    with pytest.raises(openai.NotFoundError, match="gpt-4 is not open"):
        client.chat.completions.create(model="gpt-4", messages=[{"role": "user", "content": "Hi"}])
    with pytest.raises(openai.BadRequestError, match="One answer is given"):
        client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hi"}], n=2)
    script.model = "No model is open."
    with pytest.raises(openai.InternalServerError, match="No model is open"):
        client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hi"}])


def test_an_answer_that_fails_in_its_middle_is_an_error(client: openai.OpenAI, script: Script) -> None:
    script.fails_after = 1
    with pytest.raises(openai.APIError, match="The model failed"):
        list(client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": "Hi"}], stream=True))
