"""What a person tells about themselves, and asks back later in the same branch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from guide_model.names import name
from guide_model.topic import lines

_COLOURS = lines(
    "red | blue | green | yellow | orange | purple | pink | black | white | brown | grey | gold | silver | "
    "violet | turquoise"
)
_CITIES = lines("""
    Paris | London | Rome | Berlin | Oslo | Madrid | Tokyo | Cairo | Lima | Delhi | Vienna | Lisbon | Dublin
    Athens | Prague | Boston | Sydney | Toronto | Hamburg | Leeds | Bristol | York | Bath | Lyon | Ghent | Turin
    Porto | Kyoto | Denver | Austin
""")
_FOODS = lines(
    "soup | bread | rice | pasta | cheese | salad | pie | cake | curry | pizza | noodles | beans | pears | "
    "plums | olives"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """How one kind of thing is told, acknowledged, asked for and given back; {v} stands for the value."""

    draw: Callable[[Random], str]
    told: tuple[str, ...]
    heard: tuple[str, ...]
    asked: tuple[str, ...]
    given: tuple[str, ...]
    missing: str


def _from(values: tuple[str, ...]) -> Callable[[Random], str]:
    return lambda rng: rng.choice(values)


FACTS: dict[str, Fact] = {
    "name": Fact(
        name,
        lines("""
            my name is {v} | i am {v} | i'm {v} | call me {v} | hi, i am {v} | hello, my name is {v}
            you can call me {v} | i am called {v} | hello, i'm {v} | this is {v} | hey, {v} here | my name's {v}
            hi, my name is {v} | please call me {v} | i go by {v} | good morning, i am {v}
        """),
        ("Hello, {v}. What would you like to know?", "Good to meet you, {v}."),
        lines("""
            what is my name | who am i | do you remember my name | what am i called | do you know my name
            what's my name | say my name | can you tell me my name | what did i say my name was
            do you still know my name | my name? | do you know who i am | which name did i give you
            tell me my name
        """),
        ("Your name is {v}.", "You are {v}."),
        "You have not told me your name in this branch.",
    ),
    "colour": Fact(
        _from(_COLOURS),
        lines("my favourite colour is {v} | i like {v} best | i like the colour {v} | my favorite color is {v}"),
        ("I will remember {v}.",),
        lines(
            "what is my favourite colour | which colour do i like | what is my favorite color | what colour did i say"
        ),
        ("Your favourite colour is {v}.",),
        "You have not told me a colour in this branch.",
    ),
    "city": Fact(
        _from(_CITIES),
        lines("i live in {v} | i come from {v} | my home is in {v} | i am from {v}"),
        ("I will remember that you live in {v}.",),
        lines("where do i live | where am i from | which city do i live in | what is my home town"),
        ("You live in {v}.",),
        "You have not told me where you live in this branch.",
    ),
    "food": Fact(
        _from(_FOODS),
        lines("i like to eat {v} | my favourite food is {v} | i love {v}"),
        ("I will remember that you like {v}.",),
        lines("what food do i like | what is my favourite food | what do i like to eat"),
        ("You like {v}.",),
        "You have not told me a food in this branch.",
    ),
}
