"""Turns a topic's plain phrases into what people type: frames, synonyms, slips, and careless punctuation.

Every drawn phrasing is checked against the held-out ones, so that none of those is ever trained on.
"""

from __future__ import annotations

import re
from random import Random

from guide_model.held_out import HELD_OUT, LANGUAGES, SUMS, UNKNOWN
from guide_model.more_asked import MORE_ASKED
from guide_model.topic import Topic, lines, words

DOING_FRAMES = lines("""
    how do i {} | how can i {} | how would i {} | how does one {} | how to {} | how should i {}
    what is the way to {} | can you tell me how to {} | tell me how to {} | show me how to {} | i want to {}
    i would like to {} | i'd like to {} | where do i {} | where can i {} | is there a way to {} | can i {}
    is it possible to {} | what do i press to {} | which key do i press to {} | what is the shortcut to {}
    i need to {} | help me {} | could i {} | what must i do to {} | what do i do to {} | i am trying to {}
    how do you {} | i cannot find how to {} | am i able to {} | how could i {} | what if i want to {}
    explain how to {} | do you know how to {} | how do people {} | which menu do i use to {} | {} how
    i don't know how to {} | what is the best way to {} | is there a key to {} | {}
    can espalier {} | does espalier let me {} | is there any way to {} | how do i manage to {}
    could you tell me how i {} | what should i do to {} | which command do i use to {} | let me {}
""")
NAMING_FRAMES = lines("""
    what is {} | what's {} | whats {} | explain {} | what does {} mean | what do you mean by {}
    tell me about {} | can you explain {} | describe {} | what exactly is {} | define {} | the meaning of {}
    i do not understand {} | please explain {} | help me understand {} | i don't know what {} is
    could you explain {} | what is meant by {} | tell me what {} is | {} | what about {} | what is {} for
    what does {} do | what does {} tell me | i see {}, what is that | give me a definition of {}
    say something about {} | what is the meaning of {} | do you know what {} is | why is there {}
    what is {} good for | how does {} work | in simple words, what is {} | what is this {} thing
""")
_OPENERS = lines("""
    please | hey, | ok, | so | and | one more thing: | another question: | quick question: | sorry, | hi,
    well, | but | now | hello, | just wondering, | guide, | ok so | a question: | tell me, | excuse me,
    actually, | right,
""")
_CLOSERS = lines(
    "please | in espalier | here | in this app | in this program | then | exactly | again | now | thanks | "
    "though | , please"
)
_SYNONYMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("conversation", ("chat", "conversation", "thread", "dialogue")),
    ("conversations", ("chats", "conversations")),
    ("chat", ("conversation", "chat")),
    ("answer", ("reply", "response", "answer")),
    ("answers", ("replies", "responses", "answers")),
    ("program", ("app", "application", "program")),
    ("app", ("program", "app")),
    ("mac", ("computer", "mac", "machine", "laptop")),
    ("question", ("message", "prompt", "question")),
    ("message", ("question", "message", "prompt")),
    ("big", ("large", "big")),
    ("bigger", ("larger", "bigger")),
    ("shortcut", ("key", "shortcut", "hotkey", "keyboard shortcut")),
    ("start", ("begin", "start")),
    ("mean", ("mean", "stand for", "mean")),
    ("pane", ("panel", "pane", "column")),
    ("do not", ("don't", "dont", "do not")),
    ("cannot", ("can't", "cant", "cannot")),
    ("what is", ("what's", "whats", "what is", "what is")),
    ("colours", ("colors", "colours")),
    ("quick", ("fast", "quick")),
    ("get", ("get", "have", "obtain")),
    ("show", ("show", "display")),
    ("sidebar", ("side bar", "sidebar")),
    ("text", ("text", "font")),
)
_QUESTION_WORDS = frozenset(
    words("how what why who can do does is are where when which will could would am should may did has")
)
_NEAR_KEYS = {
    "a": "s",
    "e": "r",
    "i": "o",
    "o": "p",
    "n": "m",
    "r": "t",
    "s": "d",
    "t": "y",
    "h": "j",
    "l": "k",
    "d": "f",
}


def normalised(text: str) -> str:
    """A phrasing without case, punctuation or doubled spaces, for comparing."""
    return " ".join(re.sub(r"[^\w\s+-]", "", text.casefold()).split())


HELD_OUT_FORMS = frozenset(normalised(text) for text in (*(text for text, _ in HELD_OUT), *UNKNOWN, *SUMS, *LANGUAGES))


def asked(topic: Topic) -> tuple[str, ...]:
    """The whole questions of a topic, the plainest first."""
    return topic.asked + MORE_ASKED.get(topic.id, ())


def plain_phrasings(topic: Topic) -> list[str]:
    """Every framed question of a topic, undressed; the held-out ones are left out."""
    framed = list(asked(topic))
    framed += [frame.format(phrase) for phrase in topic.doing for frame in DOING_FRAMES]
    framed += [frame.format(phrase) for phrase in topic.naming for frame in NAMING_FRAMES]
    return [text for text in dict.fromkeys(framed) if normalised(text) not in HELD_OUT_FORMS]


def ask(rng: Random, topic: Topic) -> str:
    """One dressed question about a topic that is not held out."""
    while True:
        text = dress(rng, _draw(rng, topic))
        if normalised(text) not in HELD_OUT_FORMS:
            return text


def _draw(rng: Random, topic: Topic) -> str:
    framed = [phrases for phrases in (topic.doing, topic.naming) if phrases]
    kinds = [asked(topic)] * 4 + framed * 2
    phrases = rng.choice(kinds)
    phrase = rng.choice(phrases)
    if phrases is topic.doing:
        return rng.choice(DOING_FRAMES).format(phrase)
    if phrases is topic.naming:
        frames = NAMING_FRAMES if rng.random() < 0.7 else NAMING_FRAMES[:5]
        return rng.choice(frames).format(phrase)
    return phrase


def dress(rng: Random, text: str, surround: float = 0.22) -> str:
    """`text` as someone might type it: other words, an opener or closer, case, punctuation, and now and then a slip."""
    text = _with_synonyms(rng, text)
    if rng.random() < surround:
        text = (
            f"{rng.choice(_OPENERS)} {text}"
            if rng.random() < 0.6
            else f"{text} {rng.choice(_CLOSERS)}".replace(" ,", ",")
        )
    return _cased(rng, _punctuated(rng, _with_slip(rng, text)))


def _with_synonyms(rng: Random, text: str) -> str:
    for word, others in _SYNONYMS:
        if word in text and rng.random() < 0.25:
            text = re.sub(rf"\b{re.escape(word)}\b", rng.choice(others), text)
    return text


def _with_slip(rng: Random, text: str) -> str:
    """Swaps, drops, doubles or misses one letter in about one text of nine, two now and then."""
    for chance in (0.11, 0.02):
        if rng.random() < chance and len(text) > 8:
            at = rng.randrange(1, len(text) - 2)
            here, following = text[at], text[at + 1]
            slips = (following + here, following, here + here + following, _NEAR_KEYS.get(here, here) + following)
            text = text[:at] + rng.choice(slips) + text[at + 2 :]
    return text


def _punctuated(rng: Random, text: str) -> str:
    if text[-1] in ".?!" or rng.random() < 0.35:
        return text.replace(",", "") if rng.random() < 0.2 else text
    is_question = text.split()[0].strip(",").lower() in _QUESTION_WORDS
    return text + ("?" if is_question or rng.random() < 0.3 else ".")


def _cased(rng: Random, text: str) -> str:
    draw = rng.random()
    if draw < 0.02:
        return text.upper()
    text = re.sub(r"\bi\b", "I", text) if draw < 0.75 else text
    if draw < 0.68:
        text = text[0].upper() + text[1:]
        text = text.replace("mac", "Mac").replace("espalier", "Espalier").replace("kv ", "KV ").replace("mlx", "MLX")
    return text
