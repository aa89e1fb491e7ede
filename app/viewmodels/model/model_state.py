"""What the window shows of the model in use, and of the engine under it."""

from __future__ import annotations

from dataclasses import field

from app.models.names import model_name
from app.protocol.capabilities import Capabilities
from app.protocol.dataclass import dataclass
from app.protocol.references import is_on_server
from app.protocol.reports import UNTOLD_CONTEXT, ModelInfo
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT


@dataclass(frozen=True, slots=True)
class ModelState:
    """The model in use, or wanted.

    detail: its precision, "built in", "loading" or "not loaded". is_missing: there is none, because it could not be
    opened. is_on_server: it does not run on this computer. is_open, is_loading: there is one, and another one is being
    opened. context_length: in tokens, 0 where that is not known. kv_bits: in how many its KV cache is kept, None for
    all. capabilities: of the model in use; without one, of the engine there is or was last, None before the first has
    told. card: the problem that stands in the way of every conversation, if any. activity: what the engine does when
    nothing is asked of it.
    """

    name: str = ""
    detail: str = ""
    is_missing: bool = False
    is_guide: bool = False
    is_on_server: bool = False
    is_open: bool = False
    is_loading: bool = False
    context_length: int = 0
    kv_bits: int | None = None
    capabilities: Capabilities | None = None
    card: ProblemCard | None = None
    activity: Activity = field(default_factory=Activity)

    def has(self, ability: str) -> bool:
        """Return whether the engine has an ability, as far as is known; true of "", which all have."""
        return not ability or self.capabilities is None or bool(getattr(self.capabilities, ability))


def model_state(
    model: CurrentModel, is_engine_up: bool, capabilities: Capabilities | None, card: ProblemCard | None
) -> ModelState:
    """Return the state of a model in an engine that has come up or not."""
    return ModelState(
        name=model.name,
        detail=_detail(model),
        is_missing=model.problem is not None,
        is_guide=model.is_guide,
        is_on_server=is_on_server(model.path),
        is_open=model.info is not None,
        is_loading=model.loading is not None,
        context_length=_context_length(model.info),
        kv_bits=model.info.kv_bits if model.info else None,
        capabilities=(model.info.capabilities if model.info is not None else None) or capabilities,
        card=card,
        activity=_activity(model, is_engine_up),
    )


def _detail(model: CurrentModel) -> str:
    """Say what it is when it is loaded, else what became of it."""
    if model.info is not None:
        return "built in" if model.is_guide else model.info.detail
    if model.problem is not None:
        return "not loaded"
    return "loading" if model.loading is not None else ""


def _context_length(info: ModelInfo | None) -> int:
    is_told = info is not None and (info.own_context or info.context_length < UNTOLD_CONTEXT)
    return info.context_length if info is not None and is_told else 0


def _activity(model: CurrentModel, is_engine_up: bool) -> Activity:
    if model.loading is not None:
        what = f"Loading {model.wanted_name}" if is_engine_up else "Starting the engine"
        stage = DOT + model.loading.stage if model.loading.stage else ""
        return Activity(what + stage, model.loading.fraction)
    if model.info is None:
        return Activity("No model loaded")
    said = [model.info.name, _where(model.info) if model.info.place else formatting.size(model.info.weight_bytes)]
    said += [f"with {model_name(model.info.adapter)}"] if model.info.adapter else []
    said += [f"approximate KV cache in {model.info.kv_bits} bits"] if model.info.kv_bits else []
    is_limited = model.info.context_length < model.info.own_context
    said += [f"limited to {formatting.tokens(model.info.context_length)}"] if is_limited else []
    return Activity(f"Ready{DOT}{', '.join(said)}")


def _where(info: ModelInfo) -> str:
    """Say on which server a model is, "on Studio at 10.0.0.7:8080", whose name may be its address."""
    return info.detail if info.detail.endswith(info.place) else f"{info.detail} at {info.place}"
