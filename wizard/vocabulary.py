"""The words that conditions may use: every path, its kind of value, and where it may be read.

Conditions in the knowledge base name *paths* ("device.compute_capability"). This module is the
single list of them. `knowledge/lint` refuses a condition that names another path or a value that
can never occur; `wizard/facts.py` derives a value for each path.
"""

from __future__ import annotations

from dataclasses import dataclass

BACKENDS = (
    "cuda", "rocm", "metal", "vulkan", "sycl", "xpu", "hpu", "cpu", "openvino-cpu", "openvino-gpu",
    "openvino-npu", "webgpu", "opencl", "directml", "tensorrt-rtx", "qnn", "cann", "musa", "hexagon",
)  # fmt: skip
VENDORS = ("nvidia", "amd", "intel", "apple", "qualcomm", "arm", "broadcom", "google", "other")
DEVICE_KINDS = ("gpu", "soc", "cpu", "npu", "client")
SEGMENTS = (
    "consumer", "laptop", "workstation", "datacenter", "server", "desktop", "edge", "phone", "browser",
)  # fmt: skip
OSES = ("linux", "windows", "wsl2", "macos", "android", "ios", "browser")
NEEDS = (
    "structured-output", "tool-calls", "lora", "multi-lora", "vision", "audio", "speech-to-text",
    "embeddings", "rerank", "speculative", "multi-model",
)  # fmt: skip
SERVING = ("self", "agents", "team", "customers", "fleet", "app", "browser", "mobile")
PRIORITIES = ("latency", "throughput", "cost", "privacy", "portability", "developer-speed")
LINKS_WITHIN = ("none", "pcie", "nvlink", "nvswitch", "unified", "thunderbolt")
FABRICS = frozenset({"infinity-fabric", "roce"})  # links of devices that a person calls "nvlink" too
LINKS_BETWEEN = ("none", "ethernet", "rdma", "thunderbolt")
ATTENTION = ("full", "swa", "chunked", "mla", "linear", "mamba", "none")
KERNELS = ("native", "weight-only", "emulated", "experimental")
FIT_CLASSES = ("fits", "tight", "offload", "no")
BOTTLENECKS = (
    "decode-bandwidth", "prefill-compute", "kv-capacity", "interconnect", "expert-routing",
    "runtime-overhead", "host-offload", "scheduler",
)  # fmt: skip
INSTRUCTIONS = (
    "sse42", "avx", "avx2", "avx512", "avx512-bf16", "avx512-vnni", "avx-vnni", "amx", "neon",
    "dotprod", "i8mm", "sve", "rvv",
)  # fmt: skip
ROLES = ("start", "alternative", "benchmark-against", "orchestrate-with", "convenience")


@dataclass(frozen=True)
class Word:
    """One path of the condition language.

    kind: enum | number | version | bool | set | id (free id of an entry) | text
    values: what may occur, for enum and set; empty means any.
    entries: for kind id, the entry kind the value must name.
    """

    kind: str
    help: str
    values: tuple[str, ...] = ()
    entries: str = ""


PATHS: dict[str, Word] = {
    # what the person said (defaults filled in)
    "situation.serving": Word("enum", "for whom it runs", SERVING),
    "situation.priority": Word("enum", "what matters most", PRIORITIES),
    "situation.needs": Word("set", "must-haves", NEEDS),
    "situation.context.tokens": Word("number", "longest context of one request, tokens"),
    "situation.context.input": Word("number", "typical prompt, tokens"),
    "situation.context.output": Word("number", "typical answer, tokens"),
    "situation.traffic.concurrency": Word("number", "requests at the same time"),
    "situation.traffic.shared_prefix": Word("number", "share of the prompt that repeats, 0 to 1"),
    "situation.traffic.mode": Word("enum", "online or offline", ("online", "offline")),
    "situation.nodes": Word("number", "machines"),
    "situation.exposure": Word("enum", "who can reach it", ("loopback", "lan", "internet")),
    "situation.air_gapped": Word("bool", "no internet"),
    "situation.already": Word("id", "engine in use today", entries="engine"),
    "situation.format.family": Word("id", "format family the person asked for", entries="format"),
    "situation.format.type": Word("text", "format type the person asked for"),
    # the hardware: entry of the device, or of each device of a candidate
    "device.id": Word("id", "device entry", entries="device"),
    "device.vendor": Word("enum", "maker", VENDORS),
    "device.kind": Word("enum", "gpu, soc, cpu, npu, client", DEVICE_KINDS),
    "device.segment": Word("enum", "where it is sold", SEGMENTS),
    "device.generation": Word("text", "generation name, such as ampere"),
    "device.arch": Word("text", "kernel target, such as sm_86 or gfx942"),
    "device.compute_capability": Word("version", "NVIDIA compute capability"),
    "device.memory_gib": Word("number", "memory of one device, GiB"),
    "device.bandwidth_gbs": Word("number", "memory bandwidth of one device, GB/s"),
    "device.unified": Word("bool", "CPU and GPU share the memory"),
    "device.native": Word("set", "number formats of its matrix units"),
    "device.count": Word("number", "devices of this kind in one machine"),
    "hardware.kinds": Word("number", "different kinds of device in the machine"),
    "hardware.count": Word("number", "devices in one machine, all kinds"),
    "hardware.total_gib": Word("number", "memory of all devices of one machine, GiB"),
    # the machine around it
    "host.os": Word("enum", "operating system", OSES),
    "host.arch": Word("enum", "processor family", ("x86_64", "aarch64")),
    "host.ram_gib": Word("number", "system memory, GiB"),
    "host.instructions": Word("set", "CPU instruction sets", INSTRUCTIONS),
    "links.within": Word("enum", "link inside a machine", LINKS_WITHIN),
    "links.between": Word("enum", "link between machines", LINKS_BETWEEN),
    # the model
    "model.id": Word("id", "model entry", entries="model"),
    "model.known": Word("bool", "a model was named"),
    "model.family": Word("text", "model family, such as qwen3"),
    "model.architecture": Word("text", "class name in config.json"),
    "model.kind": Word("enum", "dense or mixture of experts", ("dense", "moe")),
    "model.attention": Word("set", "kinds of attention it has", ATTENTION),
    "model.hybrid": Word("bool", "has recurrent layers beside attention"),
    "model.modality": Word("set", "inputs it takes", ("text", "vision", "audio", "video")),
    "model.tasks": Word("set", "what it is for", ("chat", "completion", "embeddings", "rerank", "speech-to-text")),
    "model.params_b": Word("number", "billions of parameters"),
    "model.active_b": Word("number", "billions of parameters used per token"),
    "model.native_bits": Word("number", "bits per weight in which its makers publish it"),
    "model.exceeds_devices": Word("bool", "even its smallest weights outgrow the device memory"),
    "model.fill": Word("number", "share of the machine's device memory that four bits a weight take"),
    # the format of a path
    "format.family": Word("id", "format family", entries="format"),
    "format.type": Word("text", "format type"),
    "format.bits": Word("number", "bits per weight as stored"),
    # the engine of a path
    "engine.version": Word("version", "version of the engine"),
    "engine.layer": Word("enum", "layer", ("engine", "app", "orchestrator", "host", "plugin", "library")),
    "engine.mode": Word("text", "mode of the engine"),
    "engine.below": Word("id", "for an orchestrator, the engine it drives", entries="engine"),
    # a path on a layout
    "candidate.backend": Word("enum", "back end", BACKENDS),
    "candidate.kernel": Word("enum", "kind of kernel", KERNELS),
    "candidate.device_count": Word("number", "devices the candidate uses"),
    "candidate.nodes": Word("number", "machines the candidate uses"),
    "candidate.tp": Word("number", "tensor parallel ranks"),
    "candidate.pp": Word("number", "pipeline stages"),
    "candidate.ep": Word("number", "expert parallel ranks"),
    "candidate.dp": Word("number", "replicas"),
    "candidate.fit": Word("enum", "fit class", FIT_CLASSES),
    "candidate.kv_type": Word("text", "type of the KV cache"),
    "candidate.offload": Word("enum", "what stays in system memory", ("none", "layers", "experts")),
    "candidate.cache": Word("enum", "has each request a cache of its own, or do all share one", ("own", "shared")),
    "candidate.checkpoint": Word("enum", "are there published weights", ("published", "convert", "unknown")),
    # what limits the start candidate
    "bottleneck.is": Word("enum", "what limits the start", BOTTLENECKS),
}  # fmt: skip

PERSON = frozenset(p for p in PATHS if p.split(".")[0] in ("situation", "host", "links", "hardware"))
DEVICE = frozenset(p for p in PATHS if p.startswith("device."))
MODEL = frozenset(p for p in PATHS if p.startswith("model."))
FORMAT = frozenset(p for p in PATHS if p.startswith("format."))
ENGINE = frozenset(p for p in PATHS if p.startswith("engine."))
CANDIDATE = frozenset(p for p in PATHS if p.startswith("candidate."))
BOTTLENECK = frozenset(p for p in PATHS if p.startswith("bottleneck."))

# Which paths each kind of condition may read. `runs_on` never reads `candidate.*`: whether an
# engine starts on a device cannot depend on what was built from that answer.
SCOPES: dict[str, frozenset[str]] = {
    "engine.runs_on": DEVICE | frozenset({"host.os", "host.arch", "host.ram_gib", "host.instructions"}),
    "engine.over": PERSON | DEVICE,
    "engine.formats": DEVICE | MODEL | frozenset({"format.type", "host.os", "host.arch", "host.instructions"}),
    "engine.models": DEVICE,
    "engine.kv_types": DEVICE | MODEL | frozenset({"candidate.backend"}),
    "engine.parallelism": PERSON | DEVICE | MODEL | FORMAT | frozenset({"candidate.backend"}),
    "engine.features": DEVICE | MODEL | FORMAT | frozenset({"host.os", "candidate.backend"}),
    "engine.launch": PERSON | DEVICE | MODEL | FORMAT | ENGINE | CANDIDATE,
    "engine.cautions": PERSON | DEVICE | MODEL | FORMAT | ENGINE | CANDIDATE,
    "engine.install": PERSON | DEVICE | frozenset({"candidate.backend"}),
    "device.cautions": PERSON | MODEL | FORMAT | CANDIDATE,
    "model.cautions": PERSON | DEVICE | MODEL | FORMAT | CANDIDATE,
    "model.engine_args": PERSON | DEVICE | MODEL | FORMAT | CANDIDATE,
    # rules act across engines: they read what the person has and wants, not one candidate
    "rule.when": PERSON | DEVICE | MODEL,
    "rule.warn": PERSON | DEVICE | MODEL | FORMAT | ENGINE | CANDIDATE | BOTTLENECK,
    "mistake.when": PERSON | DEVICE | MODEL | FORMAT | ENGINE | CANDIDATE | BOTTLENECK,
    "benchmarking.when": PERSON | DEVICE | MODEL | CANDIDATE | BOTTLENECK,
}

# Placeholders that launch templates and texts may use beside the condition paths.
LAUNCH_PLACEHOLDERS: dict[str, str] = {
    "launch.model": "repository, or the local path the person has to fill",
    "launch.file": "path of a file with weights that nobody has published",
    "launch.context": "tokens one request may use",
    "launch.context_total": "tokens for all requests at once: context times slots where that goes in",
    "launch.slots": "requests the engine should run at once",
    "launch.host": "address to bind: 127.0.0.1 unless exposure says otherwise",
    "launch.port": "default port of the engine",
    "launch.kv_type": "value of the KV type flag",
    "launch.gpu_layers": "layers on the GPU, where not all of them are there",
    "launch.cpu_moe_layers": "layers whose experts stay in system memory",
    "launch.tensor_split": "shares per device, comma separated",
    "launch.threads": "physical CPU cores",
    "launch.served_name": "name under which clients ask for the model",
    "launch.asked_name": "name that a client has to ask for: the served name where the engine is given one",
    "launch.copies": "copies of the model on all machines",
    "launch.below": "in a file of an orchestrator, the settings of the engine below it",
    "launch.below_name": "what an orchestrator calls the engine below it",
    "launch.node_rank": "number of the machine, 0 for the first",
    "launch.head_address": "address of the first machine, as the others reach it",
    "checkpoint.repository": "repository of the weights",
    "checkpoint.file": "file inside the repository",
    "checkpoint.revision": "revision of the weights",
    "model.name": "name of the model",
    "model.repository": "repository of the original weights",
    "format.name": "name of the format type",
    "format.nominal": "bits a weight in the name of the format type, as converters take them",
    "engine.version": "version of the engine",
    "run.seconds": "how long a run of a benchmark tool lasts, so that some requests end in it",
    "input.tokens": "typical prompt, tokens",
    "output.tokens": "typical answer, tokens",
    "input.before": "tokens in the context before the answer, for a tool that fills it",
    "input.shared": "tokens of a prompt that others begin with too",
    "input.own": "the other tokens of a prompt",
}
