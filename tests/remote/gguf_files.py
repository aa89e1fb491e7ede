"""The guide in llama.cpp's own format, for its server: the same weights, words and template."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

# By the names of lfm2 in a folder of safetensors, those in llama.cpp's format.
_OF_LAYER: Mapping[str, str] = {
    "operator_norm": "attn_norm",
    "ffn_norm": "ffn_norm",
    "feed_forward.w1": "ffn_gate",
    "feed_forward.w2": "ffn_down",
    "feed_forward.w3": "ffn_up",
    "conv.conv": "shortconv.conv",
    "conv.in_proj": "shortconv.in_proj",
    "conv.out_proj": "shortconv.out_proj",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.out_proj": "attn_output",
    "self_attn.q_layernorm": "attn_q_norm",
    "self_attn.k_layernorm": "attn_k_norm",
}
_OF_MODEL = {"model.embed_tokens.weight": "token_embd.weight", "model.embedding_norm.weight": "token_embd_norm.weight"}


def write_gguf(folder: Path, path: Path) -> None:
    """Write the guide in a folder to a file."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    writer = gguf.GGUFWriter(str(path), "lfm2")
    writer.add_name("Espalier Guide")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_head_count(config["num_attention_heads"])
    heads = config["num_key_value_heads"]
    writer.add_head_count_kv([heads if kind == "full_attention" else 0 for kind in config["layer_types"]])
    writer.add_layer_norm_rms_eps(config["norm_eps"])
    writer.add_rope_freq_base(float(config.get("rope_theta") or config["rope_parameters"]["rope_theta"]))
    writer.add_vocab_size(config["vocab_size"])
    writer.add_shortconv_l_cache(config["conv_L_cache"])
    writer.add_file_type(1)
    _add_words(writer, folder, config["vocab_size"])
    for name, tensor in _tensors(folder / "model.safetensors"):
        if name.endswith("feed_forward.w1.weight") and ".0." in name:
            writer.add_feed_forward_length(tensor.shape[0])
        is_filter = "conv.conv" in name
        whole = tensor[:, :, 0] if is_filter else tensor
        kept = whole.astype(np.float32) if whole.ndim == 1 or is_filter else whole
        writer.add_tensor(_renamed(name), np.ascontiguousarray(kept))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_words(writer: Any, folder: Path, size: int) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    words, types = [f"[PAD{number}]" for number in range(size)], [gguf.TokenType.UNUSED] * size
    for word, number in tokenizer["model"]["vocab"].items():
        words[number], types[number] = word, gguf.TokenType.NORMAL
    for added in tokenizer["added_tokens"]:
        words[added["id"]], types[added["id"]] = added["content"], gguf.TokenType.CONTROL
    ids = {word: number for number, word in enumerate(words)}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")  # digits one by one, then GPT-2's own pattern
    writer.add_token_list(words)
    writer.add_token_types(types)
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([" ".join(one) if isinstance(one, list) else one for one in merges])
    writer.add_eos_token_id(ids[settings["eos_token"]])
    writer.add_pad_token_id(ids[settings.get("pad_token") or settings["eos_token"]])
    writer.add_bos_token_id(ids[settings.get("bos_token") or settings.get("pad_token") or settings["eos_token"]])
    writer.add_add_bos_token(False)
    template = folder / "chat_template.jinja"
    writer.add_chat_template(template.read_text(encoding="utf-8") if template.exists() else settings["chat_template"])


def _renamed(name: str) -> str:
    if name in _OF_MODEL:
        return _OF_MODEL[name]
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{_OF_LAYER[rest.removesuffix('.weight')]}.weight"


def _tensors(path: Path) -> Iterator[tuple[str, NDArray[np.float16]]]:
    """Give the tensors of a file of 16-bit weights."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    for name, entry in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__":
            first, last = (8 + length + offset for offset in entry["data_offsets"])
            yield name, np.frombuffer(content[first:last], np.float16).reshape(entry["shape"])
