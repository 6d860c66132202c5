"""Does it fit: the verdict in a sentence, a bar per device, and the table that says the same in numbers."""

from __future__ import annotations

from . import fitbar
from .frontier import frontier
from .numbers import DASH
from .view import Plain, View, esc, heading, section


def fit_section(view: View, start: Plain) -> Plain | None:
    """The section, or None when there is nothing to fit."""
    fit = start.get("fit")
    if not fit or not fit["devices"]:
        return None
    body = [
        heading(view, "fit", "fit.heading"),
        f'<p class="we-lead">{sentence(view, fit, start)}</p>',
        bars(view, fit),
        table(view, fit, start),
        frontier(view),
        room(view, fit),
        full(view, fit),
        assumptions(view, fit),
    ]
    return section("fit", "".join(body))


def sentence(view: View, fit: Plain, start: Plain) -> str:
    """Yes, barely, partly or no, and what that leaves room for."""
    kind = fit["class"]
    parts = []
    if kind == "fits":
        parts.append(view.t("fit.yes"))
    elif kind == "tight":
        over = max((d.get("over_bytes", 0) for d in fit["devices"]), default=0)  # less than the error
        text = "fit.barely-over" if over else "fit.barely"
        parts.append(view.t(text, error=fit["error_bytes"], left=fit["headroom_bytes"], over=over))
    elif kind == "offload":
        parts.append(_moved(view, fit))
    else:
        parts.append(view.t("fit.no", over=fit["shortfall_bytes"] or max(d["over_bytes"] for d in fit["devices"])))
    if kind in ("fits", "tight") and fit.get("pool_tokens") and view.writes:
        parts.append(_pool(view, fit))
    elif fit.get("max_context") and kind != "no":
        parts.append(view.t("fit.longest", n=fit["max_context"]))
    if fit.get("idle_gpu_bytes") is not None:
        parts.append(view.t("fit.on-cpu", gpu=fit["idle_gpu_bytes"]))
    return " ".join(parts)


def _moved(view: View, fit: Plain) -> str:
    offload = fit["offload"] or {}
    kind = offload.get("kind", "weights")
    moved = offload.get("cpu_moe_layers") if kind == "experts" else offload.get("layers_gpu")
    return view.t(f"fit.partly-{kind}", size=offload.get("host_bytes", 0), n=moved or 0)


def _pool(view: View, fit: Plain) -> str:
    """What the cache holds: taken at start as far as memory goes, as the command says, or as requests come."""
    context = view.decision["situation"]["context"]
    given = fit.get("allocated_tokens")
    set_ = given is not None and not fit.get("reserves")
    tokens, per_token = given or fit["pool_tokens"], fit.get("kv_bytes_per_token")
    spread = fit["error_bytes"] // per_token if per_token and not set_ else 0
    most, full_, longest = fit["max_concurrency"] or 0, fit["max_concurrency_full"] or 0, context["tokens"]
    if set_:
        most = min(most, tokens // max(1, context["input"] + context["output"]))
        longest = min(longest, tokens)  # what the command cuts it to
        full_ = min(full_, tokens // longest) if longest == context["tokens"] else 1
    low, high = view.rough(max(0, tokens - spread)), view.rough(tokens + spread)
    params = {
        "tokens": tokens if set_ else view.rough(tokens),
        "span": f" ({low}{DASH}{high})" if low != high else "",
        "n": most,
        "input": context["input"],
        "output": context["output"],
        "m": full_,
        "full": longest,
    }
    return view.t("fit.pool-set" if set_ else "fit.pool" if fit.get("reserves") else "fit.pool-room", params)


# ---------------------------------------------------------------------- bars


def bars(view: View, fit: Plain) -> str:
    """One bar per device, to one scale, with ticks below the last; system memory has its own scale."""
    devices = fitbar.groups(fit)
    whole = max(d["capacity_bytes"] + (d.get("over_bytes") or 0) for d, _ in devices)
    rows = []
    for position, (device, count) in enumerate(devices):
        drawing = fitbar.bar(view, device, whole, request_share(fit, device), "we-hatch", position == 0)
        rows.append(
            f'<div class="we-row">{label(view, device, count, position)}<div class="we-track">{drawing}</div></div>'
        )
    rows.append(
        f'<div class="we-row we-axis-row"><span></span><div class="we-track">{fitbar.axis(view, whole)}</div></div>'
    )
    host = fit.get("host")
    if host:
        drawing = fitbar.bar(view, host, host["capacity_bytes"], 0, "we-hatch", False)
        axis = fitbar.axis(view, host["capacity_bytes"])
        name = f'<span class="we-device"><b>{view.t("fit.system-memory")}</b></span>'
        rows.append(
            f'<div class="we-row we-host">{name}<div class="we-track">{drawing}</div></div>'
            f'<div class="we-row we-axis-row we-host"><span></span><div class="we-track">{axis}</div></div>'
        )
    defs = f'<svg class="we-defs" aria-hidden="true">{fitbar.hatch("we-hatch")}</svg>'
    return (
        f'<div class="we-bars" role="img" aria-label="{esc(spoken(view, devices, host))}">{defs}{"".join(rows)}</div>'
    )


def request_share(fit: Plain, device: Plain) -> float:
    """Bytes of one full request on this device: the copy's request, shared out as its KV cache is."""
    request = fit.get("kv_bytes_request") or 0
    ranks = fit.get("ranks") or max(1, len(fit["devices"]) // (fit.get("copies") or 1))
    held = [_kv(d) for d in fit["devices"][:ranks]]
    return request * _kv(device) / sum(held) if sum(held) else 0


def _kv(device: Plain) -> int:
    return sum(p["bytes"] for p in device["parts"] if p["name"] == "kv")


def label(view: View, device: Plain, count: int, position: int) -> str:
    """Name of the device and which one it is."""
    name = esc(view.words.device(device["device"], device["name"]))
    many = len(view.start["fit"]["devices"]) > 1 if view.start else False
    if count > 1:
        name = f"{count} × {name}"
    elif many:
        name = view.t("fit.device-n", device=view.words.device(device["device"], device["name"]), n=device["index"])
    notes = []
    if count > 1:
        notes.append(view.t("fit.each"))
    # what an idle card's driver rounds away is no other program
    if any(p["name"] == "other" and p["bytes"] >= 1 << 28 for p in device["parts"]) and not _unified(view, device):
        notes.append(view.t("fit.shared-with-others"))
    extra = f"<small>{', '.join(notes)}</small>" if notes else ""
    return f'<span class="we-device"><b>{name}</b>{extra}</span>'


def spoken(view: View, devices: list[tuple[Plain, int]], host: Plain | None) -> str:
    """The drawing as a sentence; the table below is its full text version."""
    said = []
    for device, count in devices:
        name = view.words.device(device["device"], device["name"])
        said.append(
            view.p(
                "fit.spoken",
                device=f"{count} × {name}" if count > 1 else name,
                whole=view.gib(device["capacity_bytes"]),
                parts=_listed(view, device),
            )
        )
        if device.get("over_bytes"):
            said.append(view.p("fit.spoken-over", size=device["over_bytes"]))
    if host:
        whole = view.gib(host["capacity_bytes"])
        said.append(view.p("fit.spoken", device=view.p("fit.system-memory"), whole=whole, parts=_listed(view, host)))
    return " ".join(said)


def _listed(view: View, device: Plain) -> str:
    return ", ".join(f"{part(view, p['name'], device)} {view.gib(p['bytes'])}" for p in fitbar.merged(device))


def part(view: View, name: str, device: Plain) -> str:
    """What a part is called; of memory that the processor shares, the rest is what the GPU may not take."""
    return view.p("fit.part-kept" if name == "other" and _unified(view, device) else f"fit.part-{name}")


def _unified(view: View, device: Plain) -> bool:
    return bool(view.kb.devices.get(device.get("device"), {}).get("memory", {}).get("unified"))


# ---------------------------------------------------------------------- table


def table(view: View, fit: Plain, start: Plain) -> str:
    """Swatch, part, value per device, how we know: the text version of the bars."""
    devices = fitbar.groups(fit)
    columns: list[Plain] = [d for d, _ in devices]
    heads = [_column(view, d, n, len(devices)) for d, n in devices]
    if fit.get("host"):
        columns.append(fit["host"])
        heads.append(view.t("fit.col-host"))
    by_part = [{p["name"]: p for p in fitbar.merged(d)} for d in columns]
    names = [name for name in fitbar.FILLS if any(name in parts for parts in by_part)]
    rows = "".join(
        _row(
            view,
            name,
            part(view, name, next(d for d, parts in zip(columns, by_part, strict=True) if name in parts)),
            by_part,
            fit,
            start,
        )
        for name in names
    )
    totals = "".join(
        f"<td class=num>{view.gib(d['capacity_bytes'] + (d.get('over_bytes') or 0))}</td>" for d in columns
    )
    head = "".join(f"<th scope=col class=num>{h}</th>" for h in heads)
    return (
        f'<table class="we-table we-parts"><caption>{view.t("fit.caption")}</caption>'
        f"<thead><tr><th scope=col>{view.t('fit.col-part')}</th>{head}"
        f"<th scope=col>{view.t('fit.col-how')}</th></tr></thead><tbody>{rows}</tbody>"
        f"<tfoot><tr><th scope=row>{view.t('fit.total')}</th>{totals}<td></td></tr></tfoot></table>"
    )


def _column(view: View, device: Plain, count: int, shown: int) -> str:
    if count > 1:
        return view.t("fit.col-each", n=count)
    return view.t("fit.col-device", n=device["index"]) if shown > 1 else view.t("unit.gib")


def _row(view: View, name: str, called: str, by_part: list[dict[str, Plain]], fit: Plain, start: Plain) -> str:
    cells = "".join(f"<td class=num>{view.gib(p[name]['bytes']) if name in p else '–'}</td>" for p in by_part)
    first = next(p[name] for p in by_part if name in p)
    swatch = f'<i class="we-sw we-{fitbar.FILLS[name]}"></i>'
    known = how(view, name, first, fit, start)
    return f"<tr><th scope=row>{swatch}{esc(called)}</th>{cells}<td>{known}</td></tr>"


def how(view: View, name: str, part: Plain, fit: Plain, start: Plain) -> str:
    """How the number of a part is known."""
    if name == "free":
        return ""
    if name == "weights":
        return _weights(view, part, fit, start)
    if name == "kv" and part["basis"] != "assumed":
        reserved = any(d.get("budget_bytes") and d["budget_bytes"] < d["capacity_bytes"] for d in fit["devices"])
        text = "fit.how-kv-pool" if reserved and not fit.get("offload") else "fit.how-kv"
        return view.t(text, size=fit.get("kv_bytes_per_token") or 0)
    if name == "prompts":
        return view.t("fit.how-prompts")
    if name == "state":
        return view.t("fit.how-state", size=fit.get("state_bytes_per_sequence") or 0)
    error = part.get("error_bytes") or 0
    if part["basis"] == "exact":
        return view.t("fit.how-stated")
    return view.t(f"fit.how-{part['basis']}", error=error) if error else view.t(f"fit.how-{part['basis']}-only")


def _weights(view: View, part: Plain, fit: Plain, start: Plain) -> str:
    text = "fit.how-weights-files" if part["basis"] == "exact" else "fit.how-weights"
    said = view.t(text, size=view.rough(fit["weights_bytes"] / 1e9))
    layout = start.get("layout") or {}
    if (layout.get("tp") or 1) > 1:
        said += view.t("fit.how-weights-tensor", n=layout["tp"])
    elif (layout.get("pp") or 1) > 1:
        said += view.t("fit.how-weights-layers", n=layout["pp"])
    return said


def room(view: View, fit: Plain) -> str:
    """What is left, what would still go in, and the smallest changes that make it fit: a table of two columns."""
    rows = "".join(
        f"<tr><th scope=row>{name}</th><td>{value}</td></tr>"
        for name, value in [*room_rows(view, fit), *changes(view, fit)]
    )
    return (
        f'<table class="we-table we-parts"><caption>{view.t("fit.room")}</caption><tbody>{rows}</tbody></table>'
        if rows
        else ""
    )


def room_rows(view: View, fit: Plain) -> list[tuple[str, str]]:
    """Name and value of what a fit leaves; nothing where it does not fit."""
    if fit["class"] == "no":
        return []
    context = view.decision["situation"]["context"]
    found = [(view.t("fit.left"), view.t("fit.left-value", left=fit["headroom_bytes"], error=fit["error_bytes"]))]
    if fit.get("max_context"):
        found.append((view.t("fit.one-request"), view.t("fit.tokens", n=fit["max_context"])))
    if fit.get("max_concurrency_full") is not None:
        found.append((view.t("fit.at-full", tokens=context["tokens"]), view.num(fit["max_concurrency_full"])))
    return found


def changes(view: View, fit: Plain) -> list[tuple[str, str]]:
    """What to change, and what it then is; the smallest of each kind."""
    return [
        (view.t(f"fit.change-{c['change']}", to=_changed(view, c)), _then(view, c)) for c in fit.get("changes") or ()
    ]


def _then(view: View, change: Plain) -> str:
    """What a change leads to; for the cache with what it may cost."""
    said = view.t("fit.word-all", n=change["all"]) if "all" in change else view.t(f"fit.word-{change['fit']}")
    return f"{said}; {view.t('fit.kv-loss')}" if change["change"] == "kv" else said


def _changed(view: View, change: Plain) -> str:
    to = change["to"]
    return view.num(to) if isinstance(to, int) else str(to).upper()


def full(view: View, fit: Plain) -> str:
    """Everyone at the longest context at once: who waits then."""
    users, most = view.concurrency, fit.get("max_concurrency_full")
    tokens = view.decision["situation"]["context"]["tokens"]
    if not fit.get("warn_full") or most is None or users <= 1 or most >= users:
        return ""
    each = (fit.get("allocated_tokens") or fit.get("pool_tokens") or 0) // users
    said = view.t("fit.full", n=users, tokens=tokens, waiting=users - most)
    if 0 < each < tokens:
        said += " " + view.t("fit.full-each", tokens=view.rough(each))
    return f'<p class="we-warn">{said}</p>'


def assumptions(view: View, fit: Plain) -> str:
    """What stands in for facts nobody stated."""
    if not fit.get("assumptions"):
        return ""
    said = " ".join(view.t(a) if isinstance(a, str) else view.t(a[0], dict(a[1])) for a in fit["assumptions"])
    return f'<p class="we-quiet">{said}</p>'
