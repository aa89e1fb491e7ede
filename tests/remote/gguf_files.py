"""Models in llama.cpp's own format, for its server, with the weights, words and template of a folder."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

# By the names in a folder of safetensors, of lfm2 and of qwen3, those in llama.cpp's format.
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
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.down_proj": "ffn_down",
    "mlp.up_proj": "ffn_up",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
}
_OF_MODEL = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.embedding_norm.weight": "token_embd_norm.weight",
    "model.norm.weight": "output_norm.weight",
}
_TYPES = {"F16": np.float16, "F32": np.float32}


def write_gguf(folder: Path, path: Path) -> None:
    """Write the model of a folder, an lfm2 as the guide is or a qwen3, to a file."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    writer = gguf.GGUFWriter(str(path), config["model_type"])
    writer.add_name(folder.name)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_head_count(config["num_attention_heads"])
    heads = config["num_key_value_heads"]
    if config["model_type"] == "lfm2":
        writer.add_head_count_kv([heads if kind == "full_attention" else 0 for kind in config["layer_types"]])
        writer.add_shortconv_l_cache(config["conv_L_cache"])
    else:
        writer.add_head_count_kv(heads)
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config.get("norm_eps") or config["rms_norm_eps"])
    writer.add_rope_freq_base(float(config.get("rope_theta") or config["rope_parameters"]["rope_theta"]))
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(1)
    _add_words(writer, folder, config["vocab_size"])
    for name, tensor in _tensors(folder / "model.safetensors"):
        if name.endswith((".0.feed_forward.w1.weight", ".0.mlp.gate_proj.weight")):
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


def _tensors(path: Path) -> Iterator[tuple[str, NDArray[np.floating]]]:
    """Give the tensors of a file of weights of 16 or 32 bits."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    for name, entry in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__":
            first, last = (8 + length + offset for offset in entry["data_offsets"])
            yield name, np.frombuffer(content[first:last], _TYPES[entry["dtype"]]).reshape(entry["shape"])
