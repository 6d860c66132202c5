"""Names of accelerators by their PCI device id, for tools that print only the number.

From the pci.ids list (github.com/pciutils/pciids, commit c1c12547d626ebf05fd0223144ad87fab5e95d06, read 2026-11-30).
One number may stand for several cards, which are told apart by their memory: their names are joined by " / ".
"""

from __future__ import annotations

_NAMES = {
    "1002": {
        "1586": "Radeon 8060S", "66a1": "Instinct MI50", "66af": "Radeon VII", "6860": "Instinct MI25",
        "738c": "Instinct MI100", "738e": "Instinct MI100", "73a3": "Radeon PRO W6800", "73a5": "Radeon RX 6950 XT",
        "73af": "Radeon RX 6900 XT", "73bf": "Radeon RX 6800 / Radeon RX 6800 XT / Radeon RX 6900 XT",
        "73df": "Radeon RX 6700 XT / Radeon RX 6750 XT", "73ef": "Radeon RX 6650 XT",
        "73ff": "Radeon RX 6600 / Radeon RX 6600 XT", "7408": "Instinct MI250X",
        "740c": "Instinct MI250X / Instinct MI250", "740f": "Instinct MI210", "7448": "Radeon Pro W7900",
        "744a": "Radeon Pro W7900", "7449": "Radeon Pro W7800 48GB",
        "744c": "Radeon RX 7900 XT / Radeon RX 7900 XTX / Radeon RX 7900 GRE", "745e": "Radeon Pro W7800",
        "747e": "Radeon RX 7700 XT / Radeon RX 7800 XT", "7480": "Radeon RX 7600 / Radeon RX 7600 XT",
        "74a0": "Instinct MI300A", "74a1": "Instinct MI300X", "74a5": "Instinct MI325X", "74a9": "Instinct MI300X",
        "74b5": "Instinct MI300X", "74b9": "Instinct MI325X", "74bd": "Instinct MI300X",
        "7550": "Radeon RX 9070 / Radeon RX 9070 XT", "7551": "Radeon AI PRO R9700", "7590": "Radeon RX 9060 XT",
        "75a0": "Instinct MI350X", "75a3": "Instinct MI355X",
    },
    "10de": {
        "1eb8": "Tesla T4", "20b2": "A100 SXM4 80GB", "20b5": "A100 PCIe 80GB", "2204": "GeForce RTX 3090",
        "2235": "A40", "2330": "H100 SXM5 80GB", "2331": "H100 PCIe", "2684": "GeForce RTX 4090", "26b9": "L40S",
        "2b85": "GeForce RTX 5090", "2bb1": "RTX PRO 6000 Blackwell Workstation Edition", "2e12": "GB10",
    },
    "8086": {
        "56a0": "Arc A770", "56a1": "Arc A750", "56a2": "Arc A580", "56a5": "Arc A380", "e20b": "Arc B580",
        "e20c": "Arc B570", "e211": "Arc Pro B60", "e212": "Arc Pro B50", "e223": "Arc Pro B70",
    },
}  # fmt: skip


def name(vendor: str, device: str) -> str:
    """The name for a vendor's and a device's number in hexadecimal, "" when it is not listed."""
    return _NAMES.get(vendor, {}).get(device.lower(), "")
