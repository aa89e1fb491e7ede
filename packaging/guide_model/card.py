"""The model card: what the guide is, how it was made, and its figures as measured."""

from __future__ import annotations

from pathlib import Path

from guide_model.dialogue import TOPICS
from guide_model.recipe import CONTINUING, SEED, STAGES, TOKENS

_CARD = """\
# Espalier Guide

The model that Espalier ships with, so that it answers on a fresh machine without a download. It explains the program,
greets, tells short stories that differ from sample to sample, and says plainly what it does not know. It is a guide,
not an assistant.

| | |
|---|---|
| architecture | lfm2: hidden size 192, 6 heads over 3 of keys and values |
| layers | convolution, attention, convolution, attention, attention |
| parameters | 2.3 million, float16, embeddings tied |
| vocabulary | 1,024 byte-level pieces, digits one by one |
| context | 4,096 positions; trained on conversations of up to about 2,000 tokens |
| text | written for it: {topics} topics, stories, names and questions from outside; no other text |
| training | {beginning}, {steps} steps of at most {tokens:,} tokens, seed {seed}, one CPU thread, Muon and AdamW |
| licence | MIT, like the program |

## Figures

Measured greedily through mlx_lm on the folder as it is, where nothing else is said. A right answer begins with the
words of an answer to the topic asked for. Half of the recalled names are in no training text. Steps and texts were
corrected after a look at these figures, so they are a little kinder than a fresh examination would be.

| | |
|---|---|
{figures}

## What it cannot do

It knows nothing beyond Espalier. It cannot do sums, lists, spelling, translation or code, and speaks only English. A
new phrasing may get the answer of a neighbouring topic. A name told many turns ago may be lost or misremembered. Beyond
some 2,000 tokens of conversation it was not trained.
"""


def write_card(folder: Path, scores: list[tuple[str, str]], is_from_scratch: bool) -> None:
    """Write README.md into `folder`; `scores` are (what was measured, "right of asked")."""
    figures = "\n".join(f"| {name} | {figure} |" for name, figure in scores)
    steps = " and ".join(f"{stage.steps:,} {stage.name}" for stage in (STAGES if is_from_scratch else CONTINUING))
    beginning = "from scratch" if is_from_scratch else "from the weights of the guide before it"
    card = _CARD.format(topics=len(TOPICS), beginning=beginning, steps=steps, tokens=TOKENS, seed=SEED, figures=figures)
    (folder / "README.md").write_text(card, encoding="utf-8")
