"""What an `expect` of the knowledge base demands of a Decision."""


def by_role(decision, role):
    return [r["engine"] for r in decision["recommendations"] if r["role"] == role]


def misses(decision, expect):
    """Every demand that the Decision does not meet, as sentences."""
    found = []
    starts = by_role(decision, "start")
    start = next((r for r in decision["recommendations"] if r["role"] == "start"), None)
    if "start" in expect:
        if expect["start"] and not set(starts) & set(expect["start"]):
            found.append(f"start {starts or 'nothing'}, expected one of {expect['start']}")
        if not expect["start"] and starts:
            found.append(f"start {starts}, expected nothing")
    for key, role in (
        ("alternative", "alternative"),
        ("benchmark_against", "benchmark-against"),
        ("orchestrate_with", "orchestrate-with"),
        ("convenience", "convenience"),
    ):
        have = by_role(decision, role)
        found += [f"{role} lacks {e}, has {have}" for e in expect.get(key, []) if e not in have]
    named = {r["engine"] for r in decision["recommendations"]}
    found += [f"{e} is recommended" for e in expect.get("not", []) if e in named]
    if start:
        found += [f"not tied with {e}" for e in expect.get("tied_with", []) if e not in start["tied_with"]]
        if "format" in expect and start["format"] and start["format"]["family"] not in expect["format"]:
            found.append(f"format {start['format']}, expected one of {expect['format']}")
        if "fit" in expect and start["fit"] and start["fit"]["class"] not in expect["fit"]:
            found.append(f"fit {start['fit']['class']}, expected one of {expect['fit']}")
        have = start["layout"] or {}
        found += [f"{k}{have.get(k)}, expected {k}{n}" for k, n in expect.get("layout", {}).items() if have.get(k) != n]
    warned = {w["rule"] or w["id"].removeprefix("mistake-") for w in decision["warnings"]}
    found += [f"no warning {w}, has {sorted(warned)}" for w in expect.get("warn", []) if w not in warned]
    return found
