"""Parameters of one kind of sound tower from its fields, each checked against the class of transformers."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def count(p: Json, config: Json, hidden: int) -> int | None:
    """Parameters of the encoder and of what joins it to a language model of width `hidden`; None: kind not known."""
    kind = str(p.get("model_type") or "")
    if kind == "voxtral_encoder":
        inner = p["intermediate_size"]
        whole = _whisper(p, p["hidden_size"], inner, p["num_hidden_layers"], p["max_source_positions"])
        return whole + inner * hidden + hidden * hidden
    if kind == "qwen2_audio_encoder":
        return _encoder(p, p["max_source_positions"]) + p["d_model"] * hidden + hidden
    if kind == "qwen2_5_omni_audio_encoder":
        return _encoder(p, 0) + (p["d_model"] + 3) * p["output_dim"]
    if kind == "qwen3_omni_moe_audio_encoder":
        return _frames(p)
    if kind == "gemma4_audio":
        return _gemma4(p, hidden)
    if kind.startswith("granite_speech") and isinstance(config.get("projector_config"), dict):
        return _granite(p, config, hidden)
    return None


def _whisper(p: Json, width: int, inner: int, layers: int, places: int, key_bias: int = 0) -> int:
    """Two convolutions, stored positions, blocks whose keys have no bias, a last norm."""
    start = 3 * p["num_mel_bins"] * width + 3 * width * width + 2 * width + places * width
    block = 4 * width * width + (3 + key_bias) * width + 2 * width * inner + inner + width + 4 * width
    return start + layers * block + 2 * width


def _encoder(p: Json, places: int) -> int:
    return _whisper(p, p["d_model"], p["encoder_ffn_dim"], p["encoder_layers"], places)


def _frames(p: Json) -> int:
    """Three convolutions over frames and bands instead of two over frames."""
    width, narrow, out = p["d_model"], p["downsample_hidden_size"], p["output_dim"]
    blocks = _whisper({"num_mel_bins": 0}, width, p["encoder_ffn_dim"], p["encoder_layers"], 0, 1)
    blocks -= 3 * width * width + 2 * width
    bands = p["num_mel_bins"]
    for _ in range(3):
        bands = (bands + 1) // 2
    convolutions = 9 * narrow + 2 * 9 * narrow * narrow + 3 * narrow + width * narrow * bands
    return blocks + convolutions + width * width + width + width * out + out


def _gemma4(p: Json, hidden: int) -> int:
    width, first, second = p["hidden_size"], *p["subsampling_conv_channels"]
    out = p["output_proj_dims"]
    start = 9 * first + first + 9 * first * second + second + second * 32 * width  # a quarter of 128 bands
    block = 2 * (8 * width * width + 2 * width) + 5 * width * width + width // p["num_attention_heads"]
    block += 3 * width * width + width * p["conv_kernel_size"] + 2 * width + 3 * width
    block += 4 * 10 if p.get("use_clipped_linears") else 0  # the limits of each projection's inputs and outputs
    return start + p["num_hidden_layers"] * block + width * out + out + out * hidden


def _granite(p: Json, config: Json, hidden: int) -> int:
    """A conformer that guesses letters half-way, and queries that pick what the language model reads."""
    width, inner, out = p["hidden_dim"], p["hidden_dim"] * p["feedforward_mult"], p["output_dim"]
    heads, wide = p["num_heads"] * p["dim_head"], p["hidden_dim"] * p["conv_expansion_factor"]
    feed = 2 * width * inner + inner + width + 2 * width
    attention = 2 * width + 3 * width * heads + heads * width + width + (2 * p["max_pos_emb"] + 1) * p["dim_head"]
    convolution = 2 * width + width * 2 * wide + 2 * wide + wide * p["conv_kernel_size"] + 4 * wide + 1
    block = 2 * feed + attention + convolution + wide * width + width + 2 * width
    encoder = p["input_dim"] * width + width + p["num_layers"] * block + 2 * width * out + out + width
    q = config["projector_config"]
    own, seen, deep = q["hidden_size"], q["encoder_hidden_size"], q["intermediate_size"]
    each = 4 * (own * own + own) + 2 * own  # attention among the queries
    across = 2 * (own * own + own) + 2 * (seen * own + own) + 2 * own
    layer = each + across // q.get("cross_attention_frequency", 1) + 2 * own * deep + deep + own + 2 * own
    queries = config["window_size"] // config["downsample_rate"] * own
    return encoder + queries + 2 * own + q["num_hidden_layers"] * layer + own * hidden + hidden
