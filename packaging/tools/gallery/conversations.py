"""Sample conversations, written into a database as the program would have written them."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace

from app.conversation.kept_choices import NewChoices
from app.conversation.message import Conversation, Message, new_id
from app.conversation.store import Store
from app.protocol.chat import Sampling
from tools.gallery.sample_choices import choices_of

MODEL = "sample-model"
MODEL_NAME = "Qwen3 8B"
SYSTEM = 24  # tokens of the instructions that the chat template puts before every conversation
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True)
class Said:
    """A message and what was said after it; `answers` to a question are its versions, and the other way round.

    is_cold: what is known of it must be read again. ago: seconds since it was last used, where not now.
    """

    text: str
    then: tuple[Said, ...] = ()
    is_cold: bool = False
    ago: float = 0.0


_PLAN = """Here is a plan for three quiet days.

**Day one** is for walking: leave the bags in Baixa, go up to the castle before the heat, and come down through Alfama \
while the tables are being set. Dinner at eight, not before.

**Day two** belongs to Sintra. Take the train at 8:11 so that Sintra falls on the hour with the shortest queues: be at \
the gate at half past nine, see the palace first and the gardens after lunch.

On the third day take the **tram 28 early**, before nine, then walk down from Graça. If it rains, the tile museum is \
the better half of the same day.

What can wait: the aqueduct, the second palace, and every viewpoint after the third. What should not: a Sunday morning \
in the gardens of the Gulbenkian, where half the city reads its paper; the ferry to Cacilhas an hour before sunset, \
sitting on the right; and one long lunch without a plan.

Book ahead only the palace and the late train back. Late October is warm at noon and cool after seven: a jacket, and \
shoes that hold on wet stone, since the pavements are polished. If you arrive by air before ten, leave the bags at the \
station, not at the hotel: it saves a climb. Pharmacies are open late near Rossio, and the kiosks sell the card that \
covers metro, trams, lifts and the Sintra train alike."""
_CHEAPER = """The plan holds at about **284 euros each**. Three changes do most of the work:

- Stay in **Arroios** instead of Baixa: four metro stops further, 45 euros less a night.
- The 72-hour **transport card** covers the Sintra train, so drop the rental car.
- Lunch is the main meal: the *prato do dia* is 9 to 12 euros almost everywhere.

```python
def split(costs, people):
    \"\"\"Who owes whom, in as few payments as possible.\"\"\"
    share = sum(costs.values()) / len(people)
    return {p: round(share - costs.get(p, 0), 2) for p in people}

print(split({"Ana": 212, "Rui": 48}, ["Ana", "Rui", "Tom"]))
```

Run it once at the end of the trip; a negative number means that person gets money back."""
_TRAIN = """By train it is a day longer and a good deal calmer: Madrid at noon, the hotel near Atocha, and the bus to \
Badajoz in the morning. The last part, along the Tagus, is worth a window seat on the left."""
_CHILDREN = """With a six- and a nine-year-old, keep one fixed point a day and leave the rest open. The aquarium on \
the first afternoon, the trams as a ride and not as transport, and the beach at Cascais instead of a second palace."""
_CHEMIST = """Think of a reaction that you carry out in steps, where each step needs the products of all steps before \
it. You would not start from the bottle each time: you keep the intermediates in the fridge. A KV cache is that \
fridge; its shelves are the tokens already read."""
_PARSER = "The parser is sound, but `peek` clones the token each time; borrow it and the lifetimes fall into place."

TRIP = Said(
    "Three days in Lisbon in late October for two: what would you see, in which order, and what can wait?",
    (
        Said(
            _PLAN,
            (
                Said("By train instead, no flights", (Said(_TRAIN, ago=12 * MINUTE),), ago=12 * MINUTE),
                Said(
                    "Make it cheaper, under 300 euros each without the flights, and give us a small script to split "
                    "the costs.",
                    (Said(_CHEAPER),),
                ),
                Said(
                    "With the children, six and nine years old",
                    (Said(_CHILDREN, is_cold=True, ago=2 * HOUR),),
                    ago=2 * HOUR,
                ),
            ),
        ),
    ),
)
OTHERS: tuple[tuple[str, Said, float], ...] = (
    ("A KV cache, for a chemist", Said("Explain a KV cache to a chemist", (Said(_CHEMIST),)), 18 * MINUTE),
    ("Letter to the landlord", Said("Write to the landlord about the boiler", (Said("Dear Mr Baker, …"),)), 3 * HOUR),
    ("Parser review, Rust", Said("Review this parser, in Rust", (Said(_PARSER),)), 1.2 * DAY),
    ("Names for a pear orchard", Said("Names for a pear orchard", (Said("Perry End."),)), 6 * DAY),
    ("Why is the sky darker in May", Said("Why is the sky darker in May?", (Said("It is not."),)), 9 * DAY),
)
THOUGHT = """The person wants the dates in a table. We had three days, Tuesday to Thursday: two adults, no car.

Tuesday is the arrival, so nothing that needs a ticket. Sintra has to be early, the train at 8:11; if that is \
Wednesday, the weather is still safe. Thursday may be wet after noon, and the tile museum is indoors, so the free half \
day belongs there. The table needs a column for the day and one for the plan; costs were not asked for."""
DATES = "And then put the dates into a table"
_TABLE = """| Day | Plan |
|---|---|
| Tuesday | Arrive, Alfama on foot |
| Wednesday | Sintra by the early train |
| Thursday | Tram 28, then the tile museum |"""
OPEN_PATH = (TRIP.text, _PLAN, TRIP.then[0].then[1].text, _CHEAPER)


def tokens(text: str) -> int:
    """About as many as a tokenizer would make of it."""
    return max(3, round(len(text) / 3.4))


def fill(store: Store) -> None:
    """Write all sample conversations, the trip last, so that it is the one that opens."""
    now = time.time()
    for title, said, ago in reversed(OTHERS):
        _write(store, title, said, now - ago)
    _write(store, "Trip plan", TRIP, now - 20)


def think(store: Store, is_cut: bool) -> None:
    """Add a question to the path that opens, and its answer with a thought; is_cut: the answer is stopped inside it."""
    owner = next(one.id for one in store.conversations.all() if one.title == "Trip plan")
    at = time.time() - 10
    asked = _question(owner, store.messages.leaf_of(owner), DATES, at)
    total = SYSTEM + sum(map(tokens, (*OPEN_PATH, DATES)))
    answer = _answer(owner, asked.id, _TABLE, at, total, tokens(DATES))
    thought = tokens(THOUGHT)
    stats = {**(answer.stats or {}), "thinking_tokens": thought, "thinking_seconds": 12.4}
    if is_cut:
        answer = replace(answer, text="", stop="stopped", stats={**stats, "tokens": thought}, thinking=THOUGHT)
    else:
        tokens_of_both = thought + tokens(_TABLE)
        answer = replace(answer, stats={**stats, "tokens": tokens_of_both}, thinking=THOUGHT)
    store.messages.add(asked)
    store.messages.add(answer)


def _write(store: Store, title: str, said: Said, at: float) -> None:
    conversation = Conversation(new_id(), title, at, at)
    store.conversations.create(conversation)
    _add(store, conversation.id, None, said, at, SYSTEM)
    leaf = next((message for message in store.messages.of(conversation.id) if message.text == OPEN_PATH[-1]), None)
    if leaf is not None:
        store.messages.select_path(conversation.id, leaf.id)


def _add(store: Store, owner: str, parent: Message | None, said: Said, at: float, before: int) -> None:
    """before: tokens of the prompt that ends with the parent."""
    parent_id = None if parent is None else parent.id
    if parent is not None and parent.role == "user":
        message = _answer(owner, parent_id, said.text, at, before, tokens(parent.text))
    else:
        message = _question(owner, parent_id, said.text, at)
    is_known = said.text == _CHEAPER
    store.messages.add(message, choices=NewChoices(choices_of(said.text)) if is_known else None)
    for each in said.then:
        _add(store, owner, message, each, at, before + tokens(said.text))


def _question(owner: str, parent: str | None, text: str, at: float) -> Message:
    return Message(new_id(), owner, parent, "user", text, at)


def _answer(owner: str, parent: str | None, text: str, at: float, total: int, asked: int) -> Message:
    held = total - asked
    request = {"total": total, "seen": held, "matched": held, "cached": held}
    stats = {"request": request, "tokens": tokens(text), "rate": 38.2, "first_token": 0.48, "seconds": 6.1}
    ids = tuple(range(tokens(text)))
    stats |= {"seed": 2_841_077_391}
    sampling = asdict(Sampling())
    return Message(new_id(), owner, parent, "assistant", text, at, ids, MODEL, MODEL_NAME, stats, "finished", sampling)
