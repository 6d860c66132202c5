"""Where a constant is looked up: from all hardware together down to one class, engine family and back end.

The same path names the nodes of `knowledge/constants/speed.json` when they are fitted and when they are
read. A deeper node is a correction of the one above it, so a missing one falls back by itself.
"""

from __future__ import annotations

CPU_BACKENDS = frozenset({"cpu", "openvino-cpu"})
_VENDORS = {"nv": "nvidia", "amd": "amd", "intel": "intel", "apple": "apple", "cpu": "cpu", "client": "client"}
LEVELS = ("global", "vendor", "class")  # from wide to narrow; anything narrower counts as class


def path(speed_class: str | None, vendor: str | None, family: str | None, backend: str | None) -> tuple[str, ...]:
    """Node names from wide to narrow.

    CPU back ends have a tree of their own, whatever device they run on: processors are bound by other
    things than graphics chips. Vulkan differs from the vendor's own back end on the same card.
    """
    on_cpu = backend in CPU_BACKENDS or (speed_class or "").startswith("cpu")
    root = "cpu" if on_cpu else "gpu"
    maker = _VENDORS.get((speed_class or "").split("-")[0]) or vendor
    found = [root]
    if maker and maker != root:
        found.append(f"{root}/{maker}")
    if speed_class:
        name = f"{speed_class}@cpu" if on_cpu and not speed_class.startswith("cpu") else speed_class
        found.append(name)
        if family:
            found.append(f"{name}/{family}")
            if backend == "vulkan":
                found.append(f"{name}/{family}/vulkan")
    return tuple(found)


def level(node: str) -> str:
    """Which of LEVELS a node belongs to."""
    if node in ("gpu", "cpu"):
        return "global"
    return "vendor" if node.startswith(("gpu/", "cpu/")) else "class"


def unpacking(type_: str | None, backend: str | None) -> str | None:
    """Group of weight types whose unpacking costs more than their bytes, or None.

    Look-up-table types and those of three bits and fewer are bound by arithmetic, in part also the other types
    of super-blocks, on processors also those whose bits lie in two places.
    """
    if not type_:
        return None
    root = "cpu" if backend in CPU_BACKENDS else "gpu"
    if type_.startswith(("iq1", "iq2", "iq3")):
        return "cpu-large-tables" if root == "cpu" and type_.startswith(_LARGE_TABLES) else f"{root}-tables"
    if type_.startswith(("q2_k", "q3_k")):
        return f"{root}-three-bit"
    if root == "gpu":
        return "gpu-super-blocks" if type_.startswith(("q4_k", "q5_k", "q6_k")) else None
    if type_.startswith(("q5", "q6")):
        return "cpu-odd-bits"
    if type_.startswith(("iq4_xs", "q4_k")):
        return "cpu-super-blocks"
    return None


_LARGE_TABLES = ("iq2_s", "iq2_m", "iq3")  # tables of 1024 entries and more, or mixed with such
PLAIN = "cpu-plain"  # the group of every other type on a processor


NETWORK = "network"  # the link between machines of which a record or a class of devices speaks


def integers(type_: str | None) -> bool:
    """Whether kernels unpack weights of four-bit integers to 16 bits: in mixtures of experts that costs servers
    time per layer."""
    return bool(type_) and type_.startswith("int4")


def usual_link(speed_class: str | None, hardware: str) -> str:
    """Kind of link between devices of a class where nobody states it: "network" joins machines of one device."""
    if speed_class == "nv-spark":
        return NETWORK
    small = ("nv-consumer", "nv-workstation", "amd-radeon", "intel-arc")
    fast = speed_class not in small and not hardware.removeprefix("NVIDIA ").startswith(("A10G", "T4", "L4"))
    return "nvlink" if fast else "pcie"
