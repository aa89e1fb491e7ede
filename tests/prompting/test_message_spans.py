"""Where messages lie in a rendered conversation, and how much is rendered to find out."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from app.prompting import message_spans
from app.prompting.message_spans import RenderedChat, Said, Span, locate_messages
from app.prompting.steps import finish
from app.prompting.template import ChatTemplate
from app.protocol.chat import Role
from app.rendering.sandbox import Messages
from tests.fakes.renderer import FakeRenderer
from tests.seeds import chosen


class Template:
    """Prints most messages as they are, those with "odd" in them in its own way; counts how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def render(self, messages: Messages) -> str:
        self.times += 1
        printed = (_printed(message["content"]) for message in messages)
        said = (f"<{message['role']}>{text}</>" for message, text in zip(messages, printed, strict=True))
        return "".join(said) + "<assistant>"

    def locate(self, contents: Sequence[str]) -> RenderedChat:
        roles: list[Role] = ["user" if at % 2 == 0 else "assistant" for at in range(len(contents))]
        said = [Said(*one) for one in zip(roles, contents, strict=True)]
        return finish(locate_messages(ChatTemplate(FakeRenderer(self.render), ""), said))


def _printed(content: str) -> str:
    return content.upper() if "odd" in content else content


def _found(rendered: RenderedChat) -> list[str | None]:
    return [rendered.text[span.start : span.end] if span else None for span in rendered.spans]


def test_every_message_is_located_where_a_template_prints_some_in_a_way_of_its_own() -> None:
    for seed in chosen(range(20)):
        rng = random.Random(seed)
        contents = [rng.choice(("odd", "plain", "")) + " fox" * rng.randrange(3) for _ in range(rng.randrange(1, 40))]
        assert _found(Template().locate(contents)) == [_printed(content) for content in contents], seed


def test_a_few_odd_messages_in_a_long_conversation_are_found_with_few_renderings() -> None:
    contents = [f"message {number}" for number in range(1000)]
    contents[700] = "an odd one"
    template = Template()
    assert _found(template.locate(contents)) == [_printed(content) for content in contents]
    assert template.times < 30


def test_what_is_rendered_to_locate_messages_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_spans, "MOST_RENDERED", 1 << 18)
    template = Template()
    contents = [f"odd {number}" for number in range(300)]
    rendered = template.locate(contents)
    assert template.times * len(rendered.text) < (1 << 18) + 3 * len(rendered.text)
    found = _found(rendered)
    assert None in found
    assert all(text in (None, _printed(content)) for text, content in zip(found, contents, strict=True))


def test_a_message_that_is_printed_twice_is_not_located_and_the_others_are() -> None:
    def render(messages: Messages) -> str:
        return f"[{messages[0]['content']}]" + "".join(f"<{message['content']}>" for message in messages)

    template = ChatTemplate(FakeRenderer(render), "")
    rendered = finish(locate_messages(template, [Said("user", "a"), Said("assistant", "b"), Said("user", "c")]))
    assert rendered.spans == (None, Span(7, 8), Span(10, 11))
    assert rendered.text == "[a]<a><b><c>"
