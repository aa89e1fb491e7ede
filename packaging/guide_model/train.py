"""Trains the guide: a fixed number of steps from a fixed seed, on one thread, with checkpoints that a run resumes from.

Matrices learn by Muon (https://kellerjordan.github.io/posts/muon/), everything else by AdamW. The rate is level, then
falls to zero over the last part of the run. The loss counts the guide's words fully and a sample of the others lightly.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from guide_model.batches import Batch, batches
from guide_model.export import export, load_weights
from guide_model.model import Guide, config
from guide_model.recipe import (
    ADAM_RATE,
    CONTINUING,
    MUON_RATE,
    OPENING,
    OPENING_WEIGHT,
    OTHERS_SHARE,
    OTHERS_WEIGHT,
    SEED,
    STAGES,
    TOKENS,
    WARM_UP,
    Stage,
)
from guide_model.tokenizer import CONTEXT, SPECIAL, learn, save


class Muon:
    """Momentum whose step is made orthogonal by five Newton-Schulz iterations."""

    def __init__(self, weights: list[nn.Parameter], momentum: float = 0.95) -> None:
        self.weights, self.momentum = weights, momentum
        self.velocities = [torch.zeros_like(weight) for weight in weights]

    @torch.no_grad()
    def step(self, rate: float, decay: float = 0.05) -> None:
        """Moves every weight; `rate` is the length of a step in units of the weights' spectral norm."""
        for weight, velocity in zip(self.weights, self.velocities, strict=True):
            assert weight.grad is not None
            velocity.mul_(self.momentum).add_(weight.grad)
            direction = _orthogonal(weight.grad.add(velocity, alpha=self.momentum))
            stretch = max(1.0, weight.shape[0] / weight.shape[1]) ** 0.5
            weight.mul_(1 - rate * decay).add_(direction, alpha=-rate * stretch)


def _orthogonal(matrix: Tensor) -> Tensor:
    x = matrix.bfloat16()
    x = x / (x.norm() + 1e-7)
    is_tall = x.shape[0] > x.shape[1]
    x = x.T if is_tall else x
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x.T if is_tall else x).float()


def loss(guide: Guide, batch: Batch, others: float = OTHERS_SHARE) -> Tensor:
    """Mean cross-entropy in nats, over the guide's words and, lightly, a share `others` of the rest."""
    ids, is_answer = batch
    targets, said = ids[:, 1:].reshape(-1), is_answer[:, 1:].reshape(-1)
    chosen = ((said == 1) | ((said == 0) & (torch.rand(said.shape) < others))).nonzero()[:, 0]
    with torch.autocast("cpu", torch.bfloat16):
        logits = guide(ids[:, :-1], chosen)
    each = functional.cross_entropy(logits.float(), targets[chosen], reduction="none")
    weights = torch.where(said == 1, 1.0, OTHERS_WEIGHT)
    weights = torch.where((said == 1) & _is_opening(ids[:, :-1]).reshape(-1), OPENING_WEIGHT, weights)[chosen]
    return (each * weights).sum() / weights.sum()


def _is_opening(before: Tensor) -> Tensor:
    """For each token, given the one before it: whether it is among the first `OPENING` of an answer."""
    marks = (before == SPECIAL.index("<|assistant|>")).long().cumsum(1)
    earlier = functional.pad(marks, (OPENING, 0))[:, : marks.shape[1]]
    return marks > earlier


def rate_share(step: int, stage: Stage) -> float:
    """The share of the full rate at `step` of a stage."""
    return stage.peak * min(1.0, (step + 1) / WARM_UP, (1 - step / stage.span) / stage.falling)


class Run:
    """One training run. Attributes: work (its folder), step (how many are done), guide, muon, adam, tokenizer."""

    def __init__(self, work: Path, begin_with: Path | None = None) -> None:
        """begin_with: the folder of a guide whose weights and tokenizer are taken over; None: from scratch."""
        torch.set_num_threads(1)
        torch.manual_seed(SEED)
        self.work = work
        self.stages = STAGES if begin_with is None else CONTINUING
        self.tokenizer = _tokenizer(work, begin_with)
        self.shape = config(self.tokenizer.get_vocab_size(), CONTEXT)
        self.guide = Guide(self.shape)
        if begin_with is not None:
            load_weights(self.guide, begin_with)
        named = list(self.guide.named_parameters())
        self.muon = Muon([p for n, p in named if p.ndim == 2 and "embed" not in n])
        rest = [p for n, p in named if not (p.ndim == 2 and "embed" not in n)]
        self.adam = torch.optim.AdamW(rest, lr=ADAM_RATE, betas=(0.9, 0.95), weight_decay=0.0)
        self.step = _resume(work / "checkpoint.pt", self.guide, self.muon, self.adam)

    def train(self, checkpoint_every: int = 200) -> None:
        """Goes through what is left of the stages, and exports to work/guide at every checkpoint."""
        before = 0
        for stage in self.stages:
            if self.step < before + stage.steps:
                self._train_stage(stage, before, checkpoint_every)
            before += stage.steps

    def _train_stage(self, stage: Stage, before: int, checkpoint_every: int) -> None:
        kept_apart = batches(self.tokenizer, "validation", stage.mix, TOKENS)
        validation = [next(kept_apart) for _ in range(3)]
        done = self.step - before
        stream = batches(self.tokenizer, f"{stage.name} {SEED}", stage.mix, TOKENS, skip=done)
        seen, started = 0, time.monotonic()
        for step in range(done, stage.steps):
            batch = next(stream)
            seen += int((batch[1] >= 0).sum())
            value = self._learn(batch, rate_share(step, stage))
            self.step += 1
            if self.step % 50 == 0:
                pace = f"{seen / (time.monotonic() - started):.0f} tokens/s"
                print(
                    f"step {self.step} loss {value:.4f} validation {self._validate(validation):.4f} {pace}", flush=True
                )
            if self.step % checkpoint_every == 0 or step == stage.steps - 1:
                _keep(self.work / "checkpoint.pt", self.step, self.guide, self.muon, self.adam)
                export(self.guide, self.shape, self.tokenizer, self.work / "guide")

    def _learn(self, batch: Batch, share: float) -> float:
        value = loss(self.guide, batch)
        value.backward()
        self.muon.step(MUON_RATE * share)
        for group in self.adam.param_groups:
            group["lr"] = ADAM_RATE * share
        self.adam.step()
        self.guide.zero_grad()
        return value.item()

    @torch.no_grad()
    def _validate(self, validation: list[Batch]) -> float:
        return sum(loss(self.guide, kept, 0.0).item() for kept in validation) / len(validation)


def _tokenizer(work: Path, begin_with: Path | None) -> Tokenizer:
    path = (begin_with or work / "tokenizer") / "tokenizer.json"
    if not path.exists():
        save(learn(), path.parent)
    return Tokenizer.from_file(str(path))


def _keep(path: Path, step: int, guide: Guide, muon: Muon, adam: torch.optim.AdamW) -> None:
    state = {"step": step, "guide": guide.state_dict(), "muon": muon.velocities, "adam": adam.state_dict()}
    torch.save({**state, "random": torch.get_rng_state()}, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def _resume(path: Path, guide: Guide, muon: Muon, adam: torch.optim.AdamW) -> int:
    """Loads a checkpoint if there is one; returns the step to go on from."""
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    guide.load_state_dict(state["guide"])
    muon.velocities = state["muon"]
    adam.load_state_dict(state["adam"])
    torch.set_rng_state(state["random"])
    return int(state["step"])


def main() -> None:
    """The command line: python -m guide_model.train --work FOLDER."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for the tokenizer, the checkpoint and the export"
    )
    parser.add_argument("--begin-with", type=Path, help="folder of a guide to go on from, in place of from scratch")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    Run(arguments.work, arguments.begin_with).train()


if __name__ == "__main__":
    main()
