"""How many layers each pipeline stage holds when stages may be unequal.

The layers go where they leave the most room: every layer is put on the device whose margin after it is
largest. With equal layers that makes the smallest margin as large as it can be, so more memory anywhere
never makes the answer worse.
"""

from __future__ import annotations


def uneven(layers: int, rooms: list[int], per_layer: int) -> tuple[int, ...]:
    """Layers per device. rooms: bytes each device has for layers (may be negative); per_layer: bytes of one.

    Closed form down to the last few layers, which are dealt out one by one; the earlier device wins ties.
    """
    cost = max(1, per_layer)
    active = sorted(range(len(rooms)), key=lambda i: (-rooms[i], i))
    level = 0
    while active:
        # the common margin if all active devices were filled to the same level
        level = (sum(rooms[i] for i in active) - layers * cost) // len(active)
        if rooms[active[-1]] >= level or len(active) == 1:
            break
        active.pop()
    counts = [0] * len(rooms)
    for index in active:
        counts[index] = max(0, (rooms[index] - level) // cost)
    while sum(counts) > layers:
        worst = min((i for i in active if counts[i]), key=lambda i: (rooms[i] - counts[i] * cost, -i))
        counts[worst] -= 1
    for _ in range(layers - sum(counts)):
        best = max(range(len(rooms)), key=lambda i: (rooms[i] - (counts[i] + 1) * cost, -i))
        counts[best] += 1
    return tuple(counts)
