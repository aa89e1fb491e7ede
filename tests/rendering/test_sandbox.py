"""Templates compute what they are written for, and nothing that fills the memory in one step."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from app.rendering.sandbox import MOST_BEYOND, DamagedTemplateError, Messages, Sandbox, TooMuchError
from tests.seeds import chosen

NOON = datetime(2026, 11, 20, 12).timestamp()
TALK = [{"role": "user", "content": "fox"}, {"role": "assistant", "content": "Yes"}]


def rendered(source: str, messages: Messages = TALK, **more: object) -> str:
    return Sandbox(source, {"bos_token": "<s>"}).render(messages, NOON, more)


USUAL = {
    "{{ bos_token }}{% for m in messages %}{{ m.role + m['content'] }}{% endfor %}": "<s>userfoxassistantYes",
    "{{ strftime_now('%d %B %Y') }}": "20 November 2026",
    "{{ messages | tojson }}": '[{"role": "user", "content": "fox"}, {"role": "assistant", "content": "Yes"}]',
    "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}": "fox",
    "{{ tools is none and documents is none and add_generation_prompt }}": "True",
    "{{ 2 ** 10 + 7 % 4 * 3 }}{{ 'ab' * 3 }}{{ [1] + [2] }}{{ 1.5 * 2 }}": "1033ababab[1, 2]3.0",
    "{{ '%s=%5.2f' % ('a', 3) }}": "a= 3.00",
    "{{ thinking }}": "on",
}  # fmt: skip


@pytest.mark.parametrize("source", USUAL)
def test_what_templates_use_is_there(source: str) -> None:
    assert rendered(source, thinking="on") == USUAL[source]


TOO_MUCH = [
    "{{ 9 ** (9 ** 9) }}",
    "{{ (2 ** 9999) * (2 ** 9999) }}",
    "{{ 'x' * 10 ** 12 }}",
    "{{ 10 ** 12 * 'x' }}",
    "{{ [0] * 10 ** 12 }}",
    "{{ '%999999999d' % 7 }}",
    "{{ '%*d' % (999999999, 7) }}",
    "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "{% set ns = namespace(s=[1, 2]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "{% set ns = namespace(n=3) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
    "{% for i in range(99999) %}{{ 'x' * 1000 }}{% endfor %}",
]


@pytest.mark.parametrize("source", TOO_MUCH)
def test_what_grows_without_measure_is_refused_at_once(source: str) -> None:
    with pytest.raises(TooMuchError):
        rendered(source)


def test_what_may_be_written_grows_with_what_is_given() -> None:
    for seed in chosen(range(5)):
        length = random.Random(seed).randrange(MOST_BEYOND)
        messages = [{"role": "user", "content": "x" * length}]
        assert len(rendered("{{ messages[0].content + messages[0].content * 3 }}", messages)) == 4 * length
        with pytest.raises(TooMuchError):
            rendered(f"{{{{ messages[0].content * 4 + 'x' * {MOST_BEYOND + 17} }}}}", messages)


DAMAGED = ["{% if %}", "{{ ", "{% for i in range(2) %}" * 25 + "{% endfor %}" * 25, "{{ " + "(" * 100_000]


@pytest.mark.parametrize("source", DAMAGED, ids=range(len(DAMAGED)))
def test_what_is_no_template_is_damaged(source: str) -> None:
    with pytest.raises(DamagedTemplateError):
        rendered(source)


@pytest.mark.parametrize("source", ["{{ messages.__class__.__mro__ }}", "{{ messages.append(1) }}"])
def test_nothing_reaches_out_of_it_or_changes_what_it_is_given(source: str) -> None:
    messages = [{"role": "user", "content": "fox"}]
    with pytest.raises(Exception, match="unsafe"):
        rendered(source, messages)
    assert messages == [{"role": "user", "content": "fox"}]
