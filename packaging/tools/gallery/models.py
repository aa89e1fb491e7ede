"""Models of a machine, for the pictures of its window of models."""

from __future__ import annotations

from dataclasses import replace

from app.models.entry import ModelEntry, Source
from app.protocol.memory import GIB, Memory, ModelSupport
from app.viewmodels.model.model_list import ModelList

QWEN = "/Users/ana/Models/Qwen3-8B-4bit"
HUB = "/Users/ana/.cache/huggingface/hub"
SUPPORT = ModelSupport(
    frozenset(
        {"lfm2", "qwen3", "qwen3_moe", "llama", "gemma3", "gpt_oss", "nemotron_h", "mistral", "phi3", "deepseek_v3"}
    ),
    Memory(24 * GIB, 18 * GIB),
)
_GB = 10**9


def _hub(
    name: str, model_type: str, billions: float, precision: str, size: float, context: int, **more: object
) -> ModelEntry:
    owner, _, short = name.partition("/")
    nbytes = int(size * _GB)
    known = {"owner": owner, "model_type": model_type, "parameters": int(billions * _GB), "precision": precision}
    known |= {"weight_bytes": nbytes, "context": context, "calls_tools": True}
    place = {"path": f"{HUB}/{short}", "name": short, "source": Source.HUB, "root": HUB}
    return ModelEntry(**{**place, **known, **more})  # type: ignore[arg-type]


def entries(guide: str) -> tuple[ModelEntry, ...]:
    """Return the models of somebody who has tried a few programs."""
    ollama = ModelEntry("ollama:mistral:7b-mlx", "mistral:7b-mlx", Source.OLLAMA, "", "", "mistral")
    gguf = "Ollama keeps llama3.2:latest as GGUF. Choose a version of it in the MLX or safetensors format."
    pickles = "Its weights are Python pickles, which can run code when they are opened."
    missing = "2\u00a0weight files are missing: copy or download them again."
    found = [
        ModelEntry(guide, "guide", Source.GUIDE, guide, "", "lfm2", 2_400_000, "fp16", 4_800_000, 4096),
        _hub("mlx-community/Qwen3-8B-4bit", "qwen3", 8.2, "4-bit", 4.6, 40_960, path=QWEN, source=Source.ADDED),
        _hub("mlx-community/gpt-oss-20b-MXFP4-Q8", "gpt_oss", 20.9, "4-bit", 12.1, 131_072),
        _hub("mlx-community/gemma-3-12b-it-4bit", "gemma3", 12.2, "4-bit", 8.1, 131_072, sees=True),
        _hub("mlx-community/Llama-3.3-70B-Instruct-4bit", "llama", 70.6, "4-bit", 39.7, 131_072),
        _hub("LiquidAI/LFM2-1.2B-8bit", "lfm2", 1.2, "8-bit", 1.2, 32_768, source=Source.LM_STUDIO),
        _hub("mlx-community/Phi-4-mini-instruct", "phi3", 3.8, "bf16", 7.7, 131_072, calls_tools=False),
        _hub("mlx-community/Nemotron-3-Nano-30B-4bit", "nemotron_h", 31.6, "4-bit", 17.8, 262_144),
        replace(ollama, parameters=7 * _GB, precision="4-bit", weight_bytes=4 * _GB, context=32_768),
        ModelEntry("ollama:llama3.2:latest", "llama3.2:latest", Source.OLLAMA, reason=gguf),
        _hub("openai/whisper-large-v3-turbo", "whisper", 0.8, "fp16", 1.6, 448, calls_tools=False),
        _hub("bigscience/bloom-7b1", "", 0, "", 14.1, 0, reason=pickles),
        _hub("mlx-community/Qwen3-32B-4bit", "qwen3", 32.8, "4-bit", 9.2, 40_960, reason=missing),
    ]
    return tuple(found)


def furnish(models: ModelList, found: tuple[ModelEntry, ...]) -> None:
    """Have these found wherever it looks."""

    def look_everywhere(_guide: str, _added: object) -> None:
        models.search.found.emit(found)
        models.search.ended.emit()

    vars(models.search)["look_everywhere"] = look_everywhere
