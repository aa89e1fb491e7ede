"""Whole conversations: questions about the program, stories, names told and asked back, and things nobody told it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from guide_model import foreign, stories
from guide_model.memory import FACTS
from guide_model.names import short_name, strange_name
from guide_model.outside import ASKED_OUTSIDE
from guide_model.phrasing import HELD_OUT_FORMS, ask, dress, normalised
from guide_model.topic import Topic, lines
from guide_model.topics_branches import BRANCHES
from guide_model.topics_cache import CACHE
from guide_model.topics_finding import FINDING
from guide_model.topics_ideas import IDEAS
from guide_model.topics_keeping import KEEPING
from guide_model.topics_lanes import LANES
from guide_model.topics_missing import MISSING
from guide_model.topics_models import MODELS
from guide_model.topics_program import PROGRAM
from guide_model.topics_rows import ROWS
from guide_model.topics_self import SELF
from guide_model.topics_servers import SERVERS
from guide_model.topics_talk import TALK
from guide_model.topics_window import WINDOW
from guide_model.unknown import CANNOT, DONT_KNOW, FOREIGN, unknown

TOPICS: tuple[Topic, ...] = (
    *(*PROGRAM, *BRANCHES, *LANES, *WINDOW, *FINDING, *KEEPING, *MODELS, *SERVERS, *TALK),
    *(*IDEAS, *CACHE, *ROWS, *SELF, *MISSING),
)
BY_ID: dict[str, Topic] = {topic.id: topic for topic in TOPICS}
TAUGHT = frozenset(command for topic in TOPICS for command in topic.commands)
"""The commands that some topic explains; the guide that ships may be older than others, and denies none of them."""

Turn = tuple[str, str]
"""A question and its answer."""
Message = tuple[str, str]
"""A role ("system", "user" or "assistant") and a text."""


@dataclass(frozen=True, slots=True)
class Mix:
    """What conversations are made of: shares of turns, of which what is left tells something about the person.

    strange: how often a name is one that can only be copied, and a question from outside is one of the whole ones.
    """

    topic: float
    story: float
    unknown: float
    recall: float
    strange: float


FIRST = Mix(topic=0.74, story=0.07, unknown=0.08, recall=0.06, strange=0.0)
SECOND = Mix(topic=0.60, story=0.06, unknown=0.16, recall=0.09, strange=0.7)
"""The second stage has more of what is learned last: saying that it does not know, and copying a name."""

_SUMS, _FOREIGN = 0.2, 0.2
"""Which of the questions from outside are sums, and which are in other languages."""

_SYSTEM_PROMPTS = lines("""
    You are a helpful assistant. | Be brief. | You are the guide of Espalier. | Answer in plain words.
    You are a friendly guide. | Be polite. | You are an expert. | Answer in one sentence. | You know Espalier well.
""")
_TASK_WORDS = lines("""
    write | explain | translate | summarise | describe | name | list | count | spell | add | solve | convert
    give | suggest | recommend | plan | make | play | sing | draw | paint | call | buy | turn | set | check
    order | send | find | fix | correct | improve | rewrite | proofread | debug | can you | could you | divide
""")
_MORE = lines(
    "tell me more | more | anything else | what else | go on | and what else | say more | is there more to it | "
    "can you say more"
)


def conversation(rng: Random, mix: Mix = FIRST) -> list[Message]:
    """One conversation as (role, text); about one in twenty is long (20 to 48 turns, up to some 3,000 tokens)."""
    messages: list[Message] = []
    if rng.random() < 0.08:
        messages.append(("system", rng.choice(_SYSTEM_PROMPTS)))
    source = turns(rng, mix)
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


def turns(rng: Random, mix: Mix) -> Iterator[Turn]:
    """Endless turns of one conversation, which remembers what it was told."""
    known: dict[str, str] = {}
    story = mix.topic + mix.story
    outside = story + mix.unknown
    while True:
        draw = rng.random()
        if draw < mix.topic:
            yield from _about_topic(rng)
        elif draw < story:
            yield from _story(rng, mix)
        elif draw < outside:
            yield _from_outside(rng, mix)
        elif draw < outside + mix.recall or (known and draw < outside + mix.recall + 0.03):
            yield _recall(rng, known)
        else:
            yield _tell(rng, known, mix)


def _is_strange(rng: Random, mix: Mix) -> bool:
    return mix.strange > 0 and rng.random() < mix.strange


def _from_outside(rng: Random, mix: Mix) -> Turn:
    draw = rng.random()
    if draw < _SUMS:
        return _kept_apart(rng, foreign.number), rng.choice(DONT_KNOW)
    if draw < _SUMS + _FOREIGN:
        return _kept_apart(rng, foreign.foreign), rng.choice(FOREIGN)
    asked, answered = unknown(rng)
    if _is_strange(rng, mix):
        asked = rng.choice(ASKED_OUTSIDE)
        answered = rng.choice(CANNOT if asked.startswith(_TASK_WORDS) else DONT_KNOW)
    return _dressed(rng, asked), answered


def _kept_apart(rng: Random, draw: Callable[[Random], str]) -> str:
    """Draw one that is not held out, with a capital letter or a mark now and then; a slip would make it another one."""
    while normalised(text := draw(rng)) in HELD_OUT_FORMS:
        pass
    text = text[0].upper() + text[1:] if rng.random() < 0.5 else text
    return text + "?" if text[-1].isalnum() and rng.random() < 0.3 else text


def _about_topic(rng: Random) -> Iterator[Turn]:
    topic = rng.choice(TOPICS)
    answer = rng.choice(topic.answers)
    unsaid = list(topic.more) or [other for other in topic.answers if other != answer]
    if topic.more and rng.random() < 0.3:
        answer += " " + unsaid.pop(rng.randrange(len(unsaid)))
    yield ask(rng, topic), answer
    if unsaid and rng.random() < 0.12:
        yield dress(rng, rng.choice(_MORE)), rng.choice(unsaid)


def _story(rng: Random, mix: Mix) -> Iterator[Turn]:
    about, hero = stories.subject(rng), short_name(rng)
    if _is_strange(rng, mix):
        hero = strange_name(rng)
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


def _tell(rng: Random, known: dict[str, str], mix: Mix) -> Turn:
    kind = _kind(rng)
    fact = FACTS[kind]
    value = strange_name(rng) if kind == "name" and _is_strange(rng, mix) else fact.draw(rng)
    known[kind] = value
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
