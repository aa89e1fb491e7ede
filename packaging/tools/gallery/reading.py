"""Answers that are not easy to set: mathematics, long code, tables, footnotes, and text from right to left."""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication, QEventLoop
from PySide6.QtTest import QTest

from app.conversation.message import Conversation, Message, new_id
from app.conversation.store import Store
from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow

MATHEMATICS = r"""The sum of one over the squares converges, since $\frac{1}{n^2} < \frac{1}{n(n-1)}$ for $n > 1$:

$$\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}$$

Euler found it in 1734, for a prize that cost nobody more than $5 or $6.[^1] Where \(f\) is even, its series has only
cosines, \[ a_k = \frac{2}{\pi} \int_0^{\pi} f(x) \cos kx \,dx \] and for a rotation by $\alpha$ we have

$$R = \begin{pmatrix} \cos\alpha & -\sin\alpha \\ \sin\alpha & \cos\alpha \end{pmatrix}, \qquad \det R = 1.$$

| quantity | value |
|---|---|
| $\zeta(2)$ | $\pi^2/6 \approx 1.645$ |
| $\zeta(4)$ | $\pi^4/90$ |

What is no formula stays code: $\frac{a$.

[^1]: It was called the problem of Basel."""
WRITING = """## Three scripts

שלום עולם, זה מכתב קצר מימין לשמאל, ובו גם שם: Espalier.

مرحبا، هذه فقرة قصيرة من اليمين إلى اليسار.

A family 👩‍👩‍👧, a flag 🇵🇹, a skin tone 👋🏽, and accents: é, ñ, Å.

```python
def names(people: list[str]) -> str:  # this one line is long, and is read by scrolling sideways where it does not fit
    return ", ".join(sorted(person.strip().title() for person in people if person.strip() and not person.isdigit()))
```"""
ASKED = """Why does this print nothing?

```python
for name in ():
    print(name)
```

It should print each name once."""


def write_mathematics(store: Store) -> None:
    """Add an answer full of formulas, which opens."""
    _write(store, "The problem of Basel", "Why does the sum of 1/n² converge?", MATHEMATICS)


def write_scripts(store: Store) -> None:
    """Add a question with code, and an answer in three scripts, which opens."""
    _write(store, "Three scripts", ASKED, WRITING)


def see_formulas(_app: App, window: MainWindow) -> None:
    """Wait until every formula in sight is drawn."""
    end = time.monotonic() + 20
    while time.monotonic() < end and window._style.formulas.is_busy:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
    QTest.qWait(200)


def _write(store: Store, title: str, asked: str, said: str) -> None:
    now = time.time()
    conversation = Conversation(new_id(), title, now, now)
    store.conversations.create(conversation)
    question = Message(new_id(), conversation.id, None, "user", asked, now)
    store.messages.add(question)
    store.messages.add(
        Message(new_id(), conversation.id, question.id, "assistant", said, now, model_name="Qwen3 8B", stop="finished")
    )
