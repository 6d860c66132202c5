"""What is assumed about speed where nothing measured says it: one table, each with how far it may be off.

Measured constants come from `knowledge/constants/speed.json`. These stand in for what no record covers; an
estimate that leans on one gets a wider interval.
"""

from __future__ import annotations

# Which fitted link a link between devices counts as, and seconds per layer where none was measured.
# Measured: nvlink on A100, H100, H200 and B200 machines; pcie on A10G, T4 and consumer cards; network on two
# DGX Spark joined by RDMA. Ethernet adds the round trips of a kernel network stack, Thunderbolt is in between.
LINKS = {
    "none": "pcie", "pcie": "pcie", "nvlink": "nvlink", "nvswitch": "nvlink", "unified": "nvlink", "rdma": "network",
}  # fmt: skip
UNMEASURED_US = {"pcie": 25.0, "nvlink": 8.0, "network": 15.0, "thunderbolt": 60.0, "ethernet": 150.0}
# Bytes per second that cross a link in one direction during a collective, for prompts and large batches.
LINK_RATE = {"pcie": 12e9, "nvlink": 200e9, "network": 18e9, "thunderbolt": 3e9, "ethernet": 1.1e9}

# System memory when nobody names it: two channels in a desktop, many in a server. Bytes per second, peak.
HOST_RATE = {"desktop": 75e9, "server": 250e9}
SERVER_SEGMENTS = frozenset({"datacenter", "server"})
DESKTOP_MOST = 256 * (1 << 30)  # bytes: four modules of 64 GB; who has more has a board with more channels
# Weights streamed to the card each step cross PCIe 4.0 x16 at about this rate.
STREAM_RATE = 22e9
# Share of a chip-to-chip link to the processor's memory that a copy reached where it was measured (stas00-network).
C2C_SHARE = 0.8
# Share of an interval's ends kept when something is moved to system memory or a link is not measured.
OFFLOAD_SPREAD = (0.6, 1.5)
LINK_SPREAD = (0.75, 1.25)

# Ends of an interval where the size of the weights is computed from nominal bits.
NOMINAL = (0.97, 1.03)

# Engine families without batched records of their own.
SEQUENCE_US = 12.8  # as the ggml family: kernels of a sequence run one after another
COMPUTE_SHARE = 0.40
PROMPT_SHARE = 0.30
EXPERT_POWER = 12
MOE_OVERHEAD = 1.2
# Families that keep several micro-batches in a pipeline while they decode.
PIPELINED = frozenset({"serving"})

# Times what attention reads and computes where it is not one kernel and nothing was measured.
PLAIN_ATTENTION = 2.0
# Day since which builds of a family use one kernel by default where the device can
# (https://github.com/ggml-org/llama.cpp/pull/15434; a fork of it two months later,
# https://github.com/ikawrakow/ik_llama.cpp/pull/863).
FLASH_SINCE = {"ggml": "2025-08-30"}
