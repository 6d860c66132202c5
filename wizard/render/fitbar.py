"""The fit bar: what lies in each device's memory, to scale.

One bar per device (three and more equal ones are drawn once): weights, KV cache, recurrent
state, activations, graphs and communication, other programs, free. Marks: a bracket inside the KV
cache for one full request, a line at the engine's budget, a whisker for the stated error, a thick
end and a dashed box for what does not fit. Coordinates: percentages wide, pixels high.
"""

from __future__ import annotations

import math

from .marks import pct, scale, ticks
from .numbers import GIB
from .view import Plain, View, esc

HEIGHT = 52
# Part -> fill class; order is the order in the bar.
FILLS = {
    "weights": "w",
    "draft": "w",
    "lora": "w",
    "vision": "w",
    "kv": "k",
    "state": "s",
    "activation": "a",
    "compute": "a",
    "graphs": "h",
    "communication": "h",
    "context": "h",
    "other": "p",
    "prompts": "k",
    "free": "f",
}
_ALIKE = 1 << 20  # bytes
_CHAR = 7.3  # px a character of a label takes, at 13 px
_WIDE, _NARROW = 640, 330  # px a bar has on a desk and on a phone


def merged(device: Plain) -> list[Plain]:
    """The parts in the order of the bar; parts of one name added up."""
    found: dict[str, Plain] = {}
    for part in device["parts"]:
        known = found.get(part["name"])
        if known is None:
            found[part["name"]] = dict(part)
        else:
            known["bytes"] += part["bytes"]
            known["error_bytes"] = (known.get("error_bytes") or 0) + (part.get("error_bytes") or 0)
    order = list(FILLS)
    return sorted((p for p in found.values() if p["bytes"] > 0), key=lambda p: order.index(p["name"]))


def fill_of(part: Plain) -> str:
    """Fill class of a part."""
    return FILLS[part["name"]]


def groups(fit: Plain) -> list[tuple[Plain, int]]:
    """Devices with how many equal ones each stands for; two equal ones are both shown."""
    found: list[tuple[Plain, int]] = []
    for device in fit["devices"]:
        place = next((n for n, (known, _) in enumerate(found) if _same(known, device)), None)
        if place is None:
            found.append((device, 1))
        else:
            found[place] = (found[place][0], found[place][1] + 1)
    if max(count for _, count in found) < 3:
        return [(device, 1) for device in fit["devices"]]
    return found


def _same(a: Plain, b: Plain) -> bool:
    """Alike as far as a reader sees: shares of one model differ by the bytes that do not divide."""
    if any(a[k] != b[k] for k in ("device", "name", "capacity_bytes")) or len(a["parts"]) != len(b["parts"]):
        return False
    return all(
        p["name"] == q["name"] and abs(p["bytes"] - q["bytes"]) < _ALIKE
        for p, q in zip(a["parts"], b["parts"], strict=True)
    )


def hatch(id_: str) -> str:
    """The pattern for graphs and communication; one definition a drawing."""
    return (
        f'<defs><pattern id="{id_}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">'
        '<line x1="0" x2="6" y1="1" y2="1"/></pattern></defs>'
    )


def bar(view: View, device: Plain, whole: float, request_bytes: float, pattern: str, first: bool) -> str:
    """One device as an SVG. `whole`: bytes the full width stands for; `request_bytes`: one full request here."""
    capacity = device["capacity_bytes"]
    out: list[str] = []
    texts: list[str] = []
    at = 0.0
    ends: dict[str, float] = {}
    starts: dict[str, float] = {}
    hatched: Plain = {"name": "graphs", "bytes": 0, "at": 0.0}
    for part in merged(device):
        size = part["bytes"]
        starts[part["name"]] = at
        if part["name"] != "free":
            visible = min(at + size, capacity) - at  # what does not fit is the dashed box
            fill = FILLS[part["name"]]
            style = f' fill="url(#{pattern})"' if fill == "h" else ""
            out.append(_block(fill, style, at, max(visible, 0), whole))
        if fill_of(part) == "h":  # graphs, communication and driver share one hatched block
            hatched["at"] = hatched["at"] if hatched["bytes"] else at
            hatched["bytes"] += size
        else:
            texts.append(_label(view, part, at, whole))
        at += size
        ends[part["name"]] = at
    used = max((e for n, e in ends.items() if n != "free"), default=0.0)
    body = "".join(out)
    texts.append(_label(view, hatched, hatched["at"], whole) if hatched["bytes"] else "")
    frame = f'<rect class="r" width="{pct(capacity, whole)}" height="100%"/>'
    over = device.get("over_bytes") or 0
    extra = _over(view, capacity, over, whole) if over > 0 else ""
    extra += _bracket(view, starts.get("kv"), ends.get("kv"), request_bytes, whole)
    extra += _budget(view, device.get("budget_bytes"), whole, first)
    boundary = ends["kv"] if device.get("budget_bytes") and "kv" in ends else used
    error = math.sqrt(sum((p.get("error_bytes") or 0) ** 2 for p in device["parts"]))  # errors are independent
    extra += _whisker(boundary, error, whole)
    return f'<svg class="we-bar">{body}{frame}{"".join(texts)}{extra}</svg>'


def _block(fill: str, style: str, at: float, size: float, whole: float) -> str:
    return f'<rect class="{fill}"{style} x="{pct(at, whole)}" width="{pct(size, whole)}" height="100%"/>'


def _label(view: View, part: Plain, at: float, whole: float) -> str:
    """Name and number where they fit, the number alone where only that fits, else nothing."""
    share = part["bytes"] / whole
    value = view.gib(part["bytes"])
    name = view.p(f"fit.short-{part['name']}")
    fill = FILLS[part["name"]]
    need = (len(name) + len(value) + 2) * _CHAR + 14
    if part["name"] not in ("free", "other") and share * _WIDE >= need:
        css = f"t {fill}t" + ("" if share * _NARROW >= need else " wide")
        number = f'<tspan class="v">{value}</tspan>'
        return f'<text class="{css}" x="{pct(at, whole)}" dx="8" y="20">{esc(name)} {number}</text>'
    if share * _WIDE >= len(value) * _CHAR + 4:
        css = f"t {fill}t" + ("" if share * _NARROW >= len(value) * _CHAR + 4 else " wide")
        middle = pct(at + part["bytes"] / 2, whole)
        if fill == "h":
            shown = "c wide" if "wide" in css else "c"
            box = f'<rect class="{shown}" x="{middle}" y="17" width="26" height="18" transform="translate(-13 0)"/>'
            return f'{box}<text class="{css} m" x="{middle}" y="30">{value}</text>'
        return f'<text class="{css} m" x="{middle}" y="30">{value}</text>'
    return ""


def _bracket(view: View, start: float | None, end: float | None, request: float, whole: float) -> str:
    if start is None or end is None or request <= 0 or request > end - start or request / whole < 0.02:
        return ""
    a, b = pct(start, whole), pct(start + request, whole)
    lines = "".join(
        f'<line class="b" x1="{x}" x2="{y}" y1="{p}" y2="{q}"/>'
        for x, y, p, q in ((a, b, 41, 41), (a, a, 35, 41), (b, b, 35, 41))
    )
    label = view.p("fit.bracket", size=view.gib(request))
    room = (end - start - request) / whole * _WIDE
    text = (
        f'<text class="t kt tn wide" x="{b}" dx="6" y="45">{esc(label)}</text>' if room >= len(label) * 6.4 + 12 else ""
    )
    return lines + text


def _budget(view: View, budget: float | None, whole: float, first: bool) -> str:
    if not budget:
        return ""
    x = pct(budget, whole)
    line = f'<line class="g" x1="{x}" x2="{x}" y1="-7" y2="{HEIGHT + 2}"/>'
    if not first:
        return line
    label = view.p("fit.budget", total=view.gib(budget))
    anchor = ' text-anchor="end"' if budget / whole > 0.4 else ""
    return f'{line}<text class="tn x" x="{x}" dx="{"-3" if anchor else "3"}" y="-10"{anchor}>{esc(label)}</text>'


def _whisker(at: float, error: float, whole: float) -> str:
    if error <= 0 or error / whole < 0.004:
        return ""
    y = HEIGHT + 6
    a, b = pct(at - error, whole), pct(min(at + error, whole * 1.0), whole)
    return "".join(
        f'<line class="q" x1="{x}" x2="{z}" y1="{p}" y2="{q}"/>'
        for x, z, p, q in ((a, b, y, y), (a, a, y - 3, y + 3), (b, b, y - 3, y + 3))
    )


def _over(view: View, capacity: float, over: float, whole: float) -> str:
    x = pct(capacity, whole)
    label = view.p("fit.over", size=view.gib(over))
    return (
        f'<rect class="v" x="{x}" y="1" width="{pct(over, whole)}" height="{HEIGHT - 2}"/>'
        f'<line class="z" x1="{x}" x2="{x}" y1="0" y2="{HEIGHT}"/>'
        f'<text class="vt" x="{x}" dx="10" y="20">{esc(label)}</text>'
    )


def axis(view: View, whole: float) -> str:
    """Ticks in GiB below the last bar; a phone leaves out every other number and those that would touch."""
    top = whole / GIB
    _, step = scale(top, 12)
    count = int(top / step + 1e-9)
    every = 2 if count > 6 else 1
    labels = [f'<text class=st x="0" y="20">0 {esc(view.unit("gib"))}</text>']
    for place, i in enumerate(range(every, count + 1, every)):
        share = i * step / top
        if share <= 0.95:
            css = " class=wide" if place % 2 == 0 and count > 2 * every or not 0.2 < share < 0.85 else ""
            labels.append(f'<text{css} x="{pct(share, 1)}" y="20">{view.num(i * step, 0 if step >= 1 else 1)}</text>')
    labels.append(f'<text class=en x="100%" y="20">{view.num(round(top, 1))}</text>')
    line = '<line x1="0" x2="100%" y1="1" y2="1"/>'
    return f'<svg class="we-axis" aria-hidden="true">{line}{ticks(top / step, 1, every)}{"".join(labels)}</svg>'


def tiny(device: Plain, pattern: str) -> str:
    """The bar of a readout: fills only; the free memory stands beside it in words."""
    capacity = device["capacity_bytes"]
    at, out = 0.0, []
    for part in merged(device):
        if part["name"] != "free" and at < capacity:
            size = min(part["bytes"], capacity - at)
            fill = FILLS[part["name"]]
            style = f' fill="url(#{pattern})"' if fill == "h" else ""
            out.append(_block(fill, style, at, size, capacity))
            at += size
    frame = '<rect class="r" width="100%" height="100%"/>'
    return f'<svg class="we-tiny" aria-hidden="true">{hatch(pattern)}{"".join(out)}{frame}</svg>'
