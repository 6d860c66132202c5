"""What a million tokens cost, from a price per hour or from watts and a price per kilowatt-hour."""

from __future__ import annotations

from typing import Any

HOUR = 3600.0
MILLION = 1e6


def per_hour(cost: dict[str, Any]) -> float | None:
    """Money per hour of running: rent, energy (watts / 1000 x price per kWh), or both. None when neither is given."""
    rent, watts, price = (_number(cost.get(name)) for name in ("per_hour", "watts", "per_kwh"))
    energy = watts / 1000 * price if watts is not None and price is not None else None
    known = [part for part in (rent, energy) if part is not None]
    return sum(known) if known else None


def per_million(rate: dict[str, float] | None, cost: dict[str, Any] | None) -> dict[str, float] | None:
    """Money per million tokens at a rate in tokens per second, {point, low, high}; None without rate or price.

    A machine that waits costs the same: this is the cost while it is as busy as the rate says.
    """
    hourly = per_hour(cost) if cost else None
    if not rate or hourly is None:
        return None
    low, point, high = (hourly / HOUR / rate[key] * MILLION for key in ("high", "point", "low"))
    return {"point": point, "low": low, "high": high}


def joules_per_token(rate: dict[str, float] | None, watts: float | None) -> dict[str, float] | None:
    """Energy per token from power that somebody measured, in joules."""
    if not rate or watts is None:
        return None
    return {"point": watts / rate["point"], "low": watts / rate["high"], "high": watts / rate["low"]}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None
