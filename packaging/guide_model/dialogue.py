"""Whole conversations: questions about the program, stories, names told and asked back, and things nobody told it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from guide_model import stories
from guide_model.memory import FACTS
from guide_model.names import short_name
from guide_model.phrasing import HELD_OUT_FORMS, ask, dress, normalised
from guide_model.topic import Topic, lines
from guide_model.topics_ideas import IDEAS
from guide_model.topics_missing import MISSING
from guide_model.topics_models import MODELS
from guide_model.topics_program import PROGRAM
from guide_model.topics_self import SELF
from guide_model.topics_window import WINDOW
from guide_model.unknown import unknown

TOPICS: tuple[Topic, ...] = PROGRAM + WINDOW + MODELS + IDEAS + SELF + MISSING
BY_ID: dict[str, Topic] = {topic.id: topic for topic in TOPICS}

Turn = tuple[str, str]
"""A question and its answer."""
Message = tuple[str, str]
"""A role ("system", "user" or "assistant") and a text."""

_SYSTEM_PROMPTS = lines("""
    You are a helpful assistant. | Be brief. | You are the guide of Espalier. | Answer in plain words.
    You are a friendly guide. | Be polite. | You are an expert. | Answer in one sentence.
    You know Espalier well.
""")
_MORE = lines(
    "tell me more | more | anything else | what else | go on | and what else | say more | is there more to it | "
    "can you say more"
)


def conversation(rng: Random) -> list[Message]:
    """One conversation as (role, text); about one in twenty is long (20 to 48 turns, up to some 3,000 tokens)."""
    messages: list[Message] = []
    if rng.random() < 0.08:
        messages.append(("system", rng.choice(_SYSTEM_PROMPTS)))
    source = turns(rng)
    for _ in range(_length(rng)):
        asked, answered = next(source)
        messages += [("user", asked), ("assistant", answered)]
    return messages


def _length(rng: Random) -> int:
    draw = rng.random()
    if draw < 0.05:
        return rng.randrange(20, 49)
    if draw < 0.22:
        return rng.randrange(6, 15)
    return rng.choice((1, 1, 1, 2, 2, 3, 4, 5))


def turns(rng: Random) -> Iterator[Turn]:
    """Endless turns of one conversation, which remembers what it was told."""
    known: dict[str, str] = {}
    while True:
        draw = rng.random()
        if draw < 0.66:
            yield from _about_topic(rng)
        elif draw < 0.76:
            yield from _story(rng)
        elif draw < 0.86:
            asked, answered = unknown(rng)
            yield _dressed(rng, asked), answered
        elif draw < 0.93 or (known and draw < 0.96):
            yield _recall(rng, known)
        else:
            yield _tell(rng, known)


def _about_topic(rng: Random) -> Iterator[Turn]:
    topic = rng.choice(TOPICS)
    answer = rng.choice(topic.answers)
    unsaid = list(topic.more) or [other for other in topic.answers if other != answer]
    if topic.more and rng.random() < 0.3:
        answer += " " + unsaid.pop(rng.randrange(len(unsaid)))
    yield ask(rng, topic), answer
    if unsaid and rng.random() < 0.12:
        yield dress(rng, rng.choice(_MORE)), rng.choice(unsaid)


def _story(rng: Random) -> Iterator[Turn]:
    about, hero = stories.subject(rng), short_name(rng)
    plain = stories.open_request(rng) if rng.random() < 0.2 else stories.request(rng, about)
    if plain.endswith(about) and rng.random() < 0.1:
        plain += f" {rng.choice(('called', 'named'))} {hero}"
    story = stories.tell(rng, about, hero)
    yield _dressed(rng, plain), story.text
    draw = rng.random()
    if draw < 0.25:
        asked, answered = stories.go_on(rng, story)
        yield dress(rng, asked), answered
    if draw < 0.45:
        asked, answered = stories.question(rng, story)
        yield _dressed(rng, asked), answered


def _tell(rng: Random, known: dict[str, str]) -> Turn:
    kind = _kind(rng)
    fact = FACTS[kind]
    known[kind] = value = fact.draw(rng)
    # The value is put in after dressing, so that no slip falls into it.
    told = dress(rng, rng.choice(fact.told).replace("{v}", "qqq"), surround=0.08)
    told = told.replace("qqq", value).replace("Qqq", value).replace("QQQ", value.upper())
    if "qqq" in told.lower() or value not in told:
        told = rng.choice(fact.told).format(v=value)
    return told, rng.choice(fact.heard).format(v=value)


def _recall(rng: Random, known: dict[str, str]) -> Turn:
    kind = rng.choice(list(known)) if known and rng.random() < 0.9 else _kind(rng)
    fact = FACTS[kind]
    answered = rng.choice(fact.given).format(v=known[kind]) if kind in known else fact.missing
    return _dressed(rng, rng.choice(fact.asked)), answered


def _kind(rng: Random) -> str:
    return "name" if rng.random() < 0.7 else rng.choice(tuple(FACTS))


def _dressed(rng: Random, plain: str) -> str:
    """`plain` dressed, and not held out."""
    while normalised(text := dress(rng, plain)) in HELD_OUT_FORMS:
        pass
    return text
