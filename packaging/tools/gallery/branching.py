"""Another model’s answer to a question of the sample conversation."""

from __future__ import annotations

import time
from dataclasses import replace

from app.conversation.message import new_id
from app.conversation.store import Store
from tools.gallery.conversations import OPEN_PATH

OTHER_MODEL = "Phi 4"
_CHEAPER = """The plan holds at about **271 euros each**. Four changes do most of the work:

- Stay in **Graça** instead of Baixa: two tram stops further, 52 euros less a night.
- The 72-hour **transport card** covers the Sintra train, so drop the rental car.
- Lunch is the main meal: the *prato do dia* is 9 to 12 euros almost everywhere.
- See the tile museum on Sunday morning, when it costs nothing.

```python
def split(costs, people):
    \"\"\"Who owes whom, in as few payments as possible.\"\"\"
    share = sum(costs.values()) / len(people)
    owed = {p: share - costs.get(p, 0) for p in people}
    return {p: round(amount, 2) for p, amount in owed.items()}

print(split({"Ana": 212, "Rui": 48}, ["Ana", "Rui", "Tom"]))
```

Run it at the end of the trip: who has a negative number gets money back."""


def answer_otherwise(store: Store) -> None:
    """Add another model's answer to the last question of the trip, which stays as it was left."""
    owner = next(one.id for one in store.conversations.all() if one.title == "Trip plan")
    answer = next(one for one in store.messages.of(owner) if one.text == OPEN_PATH[-1])
    other = replace(answer, id=new_id(), text=_CHEAPER, model="other", model_name=OTHER_MODEL, created_at=time.time())
    store.messages.add(replace(other, ids=None))
    store.messages.select_path(owner, answer.id)
