"""What the command gives each request, and that the memory shown is that of the command."""

import pytest

from wizard.decide import decide

from .conftest import TODAY

GIB = 1024**3


def start(kb, **more):
    asked = {"devices": [{"device": "rtx-3090"}], "model": "qwen3-8b", "format": "q4_k_m", "serving": "team", **more}
    decision = decide(asked, kb, TODAY)
    return decision["recommendations"][0]


def flags(rec):
    return {a["flag"]: a["value"] for a in rec["command"]["processes"][0]["args"]}


def kv(rec):
    return sum(p["bytes"] for p in rec["fit"]["devices"][0]["parts"] if p["name"] == "kv")


@pytest.mark.parametrize(("users", "tokens"), [(4, 16384), (4, 32768), (16, 8192)])
def test_every_slot_holds_the_longest_context_where_that_goes_in(kb, users, tokens):
    rec = start(kb, context={"tokens": tokens}, traffic={"concurrency": users})
    said = flags(rec)
    assert (said["-c"], said["-np"]) == (str(users * tokens), str(users)) and "-kvu" not in said
    assert kv(rec) == users * tokens * rec["fit"]["kv_bytes_per_token"]
    assert rec["fit"]["allocated_tokens"] == users * tokens and not rec["fit"]["warn_full"]


def test_slots_share_one_cache_where_not_all_hold_the_longest(kb):
    rec = start(kb, context={"tokens": 16384}, traffic={"concurrency": 16})
    said = flags(rec)
    assert "-kvu" in said and said["-np"] == "16"
    assert 16384 <= int(said["-c"]) < 16 * 16384 and int(said["-c"]) % 16384 == 0
    assert kv(rec) == int(said["-c"]) * rec["fit"]["kv_bytes_per_token"]
    assert rec["fit"]["class"] == "fits" and rec["fit"]["headroom_bytes"] >= rec["fit"]["error_bytes"]


def test_a_context_that_is_cut_is_told_and_its_memory_shown(kb):
    rec = start(kb, devices=[{"device": "rtx-4060-laptop"}], serving="self", host={"os": "windows"})
    told = int(flags(rec)["-c"])
    cut = next(c for c in rec["cautions"] if c["id"] == "caution-context-cut")
    assert told < 16384 and cut["params"] == {"tokens": told, "asked": 16384}
    assert kv(rec) == pytest.approx(told * rec["fit"]["kv_bytes_per_token"], rel=0.03)  # pages of 256 tokens
    assert not any(d["over_bytes"] for d in rec["fit"]["devices"])
