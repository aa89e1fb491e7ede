"""Short stories, put together from parts so that hardly two are alike, and what may be asked about one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from guide_model.topic import lines
from guide_model.unknown import THINGS

CREATURES = lines("fox | owl | bear | mouse | cat | dog | hedgehog | crow | frog | whale | dragon | robot")
PEOPLE = lines("clockmaker | gardener | sailor | baker | queen | giant | wizard | painter")
PLACES = lines("lighthouse | bridge | pear tree | train | bell | kite")
MAIN_SUBJECTS = CREATURES + PEOPLE + PLACES
"""What the guide is examined on; the others below are rarer in training."""
_MORE_CREATURES = lines("""
    horse | rabbit | turtle | wolf | duck | goat | hen | lion | tiger | seal | bee | ant | crab | deer
    squirrel | badger | otter | swan | heron | snail | spider | moth | penguin | elephant | monkey | fish
    goose | donkey | pig | sheep | parrot | unicorn | dinosaur | bird | butterfly | octopus | snake | lizard
    kitten | puppy
""")
_MORE_PEOPLE = lines("""
    king | farmer | pirate | teacher | doctor | knight | shepherd | miller | princess | tailor | postman | witch
    ghost | astronaut | fisherman | boy | girl | old man | grandmother | thief | poet | cook | soldier | prince
    merchant | monk | spy | detective | mermaid | carpenter | potter | beekeeper | piano tuner | librarian
""")
_MORE_PLACES = lines("""
    mountain | river | ship | castle | star | submarine | library | mill | violin | umbrella | teapot | lamp
    snowman | rocket | door | key | house | boat | clock | garden | forest | well | mirror | map | balloon
    apple tree | bicycle | tower
""")
_CREATURE_MOOD = lines(
    "young | old | clever | shy | brave | lazy | curious | hungry | proud | gentle | tired | cheerful | quick | small"
)
_PLACE_MOOD = lines("old | small | forgotten | crooked | quiet | bright | lonely | red | famous | new | plain | tall")
_WHERE = lines("""
    at the edge of a wood | by a slow river | in a quiet harbour | on a high hill | in a green valley
    behind the old mill | in a village without a road | on a windy island | under a snowy mountain
    near a walled orchard | beside a busy market | in a town by the sea | at the end of a long lane
    in the corner of a wild garden | below a ruined tower | between two lakes
""")
_WISH = lines("""
    find a lost key | see the sea | learn to sing | build a boat | count the stars | find a friend
    bake the best pie | cross the river | read an old map | open a locked door | hear a new song
    send a letter home | mend the moon | grow a golden pear | sleep through the winter | win the spring race
    know what lay beyond the hill | paint the wind | ring the great bell | carry a lantern to the top
""")
_TROUBLE = lines("""
    a storm came up | the bridge was broken | night fell too soon | the map was wrong | a stranger took the lamp
    the path split in two | the river was too wide | nobody would listen | the snow grew deep
    a great noise shook the ground | the wind blew the wrong way | the only boat had a hole | fog hid every sign
    the door had no handle | the rope was too short | the clock had stopped
""")
_HELP = lines("""
    a kind heron showed the way | an old sailor lent a rope | a small ant had a plan | a child brought a lantern
    the wind turned round | three geese carried the load | a miller shared some bread | a snail told a secret
    the moon came out | a quiet voice sang the right tune | a tailor mended what was torn
    the rain stopped all at once | a badger dug a tunnel | a letter arrived with the answer
    someone left a ladder | a lost glove pointed north
""")
_END = lines("""
    everyone danced until morning | they laughed all the way home | the whole place was quiet and glad
    it was told for many years | there was soup for everyone | the stars seemed closer than before
    nobody was afraid any more | two old friends met again | the door stood open | the bells rang twice
    the pears were sweeter than ever | a light burned in every window | they named a hill after it
    the river sang at night | no one was late again | the garden never froze
""")
_TIME = lines(
    "one morning | one winter | one evening | one day in spring | on the longest day | before dawn | one autumn"
)

_REQUESTS = lines("""
    tell me a story about {} | tell me a short story about {} | a story about {} | a story about {} please
    story about {} | write a story about {} | can you tell me a story about {} | tell a story about {}
    i want a story about {} | could you tell a story about {} | please tell me a story about {}
    make up a story about {} | do you know a story about {} | give me a story about {}
    tell me something about {}, a story | i would like a story about {} | invent a story about {}
    write me a little story about {} | a short tale about {} | tell me a tale of {} | one about {} please
""")
_OPEN_REQUESTS = lines("""
    tell me a story | tell a story | a story please | can you tell me a story | write a short story
    i want a story | tell me something nice | do you know a story | can you tell stories | another story
    tell me another story | one more story please | tell me a bedtime story | make up a story | i am bored
""")
_ON = lines("""
    continue | go on | what happened next | and then | continue the story | more please | what happened then
    carry on | tell me more of it | then what | keep going | and what happened after that
""")


@dataclass(frozen=True, slots=True)
class Story:
    """One told story: what it is about, the name in it, and its parts."""

    subject: str
    hero: str
    where: str
    wish: str
    has_keeper: bool
    text: str


def with_article(noun: str) -> str:
    """ "a fox", "an owl"."""
    return ("an " if noun[0] in "aeiou" and not noun.startswith(("uni", "euro")) else "a ") + noun


def subject(rng: Random) -> str:
    """Mostly one of the main ones, sometimes any thing at all."""
    draw = rng.random()
    if draw < 0.55:
        return rng.choice(MAIN_SUBJECTS)
    if draw < 0.85:
        return rng.choice(_MORE_CREATURES + _MORE_PEOPLE + _MORE_PLACES)
    return rng.choice(THINGS)


def tell(rng: Random, about: str, hero: str) -> Story:
    """A story of four or five sentences."""
    lives = about in CREATURES + _MORE_CREATURES
    acts = lives or about in PEOPLE + _MORE_PEOPLE
    where, wish = rng.choice(_WHERE), rng.choice(_WISH)
    mood = rng.choice(_CREATURE_MOOD if acts else _PLACE_MOOD)
    opening = rng.choice(_openings(acts)).format(
        x=about, n=hero, where=where, moody=with_article(f"{mood} {about}"), Where=where[0].upper() + where[1:]
    )
    time = rng.choice(_TIME)
    want = rng.choice(
        (
            f"All {hero} wanted was to {wish}.",
            f"{time[0].upper() + time[1:]} {hero} set out to {wish}.",
            f"Every night {hero} dreamed of one thing: to {wish}.",
            f"{time[0].upper() + time[1:]} {hero} made up a plan to {wish}.",
        )
    )
    parts = [opening, want, *_turns(rng)]
    return Story(about, hero, where, wish, not acts, " ".join(parts))


def _openings(acts: bool) -> tuple[str, ...]:
    if acts:
        return (
            "Once {moody} called {n} lived {where}.",
            "Long ago, {where}, there was {moody} named {n}.",
            "{Where} lived {moody} called {n}.",
        )
    return (
        "There was once {moody} {where}, and {n} looked after it.",
        "{Where} stood {moody}. Nobody knew it better than {n}.",
        "Once there was {moody} {where}. It belonged to {n}.",
    )


def _turns(rng: Random) -> list[str]:
    trouble, help_, end = rng.choice(_TROUBLE), rng.choice(_HELP), rng.choice(_END)
    return [
        rng.choice(("On the way {}.", "But {}.", "Then {}.", "At first {}.")).format(trouble),
        rng.choice(("Luckily {}.", "Just then {}.", "In the end {}.", "After a while {}.")).format(help_),
        rng.choice(("From then on {}.", "That evening {}.", "And so {}.", "Ever since, it is said, {}.")).format(end),
    ]


def request(rng: Random, about: str) -> str:
    """A plain request for a story about `about`."""
    article = "the " if rng.random() < 0.06 else ""
    return rng.choice(_REQUESTS[:4] if rng.random() < 0.4 else _REQUESTS).format(
        article + about if article else with_article(about)
    )


def open_request(rng: Random) -> str:
    """A plain request that leaves the subject open."""
    return rng.choice(_OPEN_REQUESTS)


def go_on(rng: Random, story: Story) -> tuple[str, str]:
    """A request to continue, and two or three more sentences with the same hero."""
    beginning = rng.choice(
        (
            f"The next day {story.hero} woke early, for there was one thing left to do: to {rng.choice(_WISH)}.",
            f"Some time later {story.hero} came back, and now the wish was to {rng.choice(_WISH)}.",
            f"Then {story.hero} met {with_article(rng.choice(_MORE_CREATURES))}, and together they wanted to "
            f"{rng.choice(_WISH)}.",
        )
    )
    turns = _turns(rng)
    return rng.choice(_ON), " ".join([beginning, *turns[rng.randrange(2) :]])


def question(rng: Random, story: Story) -> tuple[str, str]:
    """A question about a story just told, and its answer."""
    the = f"the {story.subject}"
    asked: list[tuple[tuple[str, ...], str]] = [
        (
            (
                f"what did {story.hero} want",
                f"what was the wish of {story.hero}",
                f"what was {story.hero} trying to do",
            ),
            f"{story.hero} wanted to {story.wish}.",
        ),
        (
            ("is that true", "is this a true story", "did that really happen", "did you make that up"),
            "No, I made it up.",
        ),
    ]
    if story.has_keeper:
        asked.append(
            (
                (f"who looked after {the}", f"whose was {the}", "what was the name in the story"),
                f"That was {story.hero}.",
            )
        )
        asked.append(((f"where was {the}", f"where did {the} stand"), f"It stood {story.where}."))
    else:
        named = (f"what was {the} called", f"what was the name of {the}", "what was its name", f"how was {the} called")
        asked.append((named, f"{the.capitalize()} was called {story.hero}."))
        asked.append((named, f"{the.capitalize()} was called {story.hero}."))
        asked.append(((f"where did {the} live", f"where did {story.hero} live"), f"{story.hero} lived {story.where}."))
    forms, answer = rng.choice(asked)
    return rng.choice(forms), answer
