"""Why not: what is not recommended has its clause, the two values, the source and, if there is one, a fix."""

from dataclasses import replace

import pytest

from wizard.decide import decide
from wizard.rows import compared
from wizard.why_not import simple_fix

from .conftest import TODAY
from .small import base, engine, facts, model

SM_90 = {"device.arch": ["sm_90"]}


def ask(kb, **situation):
    decision = decide({"devices": [{"device": "card", "count": 1}], "model": "small", **situation}, kb, TODAY)
    assert not decision["problems"]
    return decision


def row(decision, id_):
    return next(r for r in decision["rejected"] if r["id"] == f"no-{id_}")


def rules(**more):
    nominate = {
        "when": {"situation.serving": "self"}, "effect": "nominate", "engine": "alpha", "role": "start",
        "strength": "strong", "reason": "r", "source": "s-rule",
    }  # fmt: skip
    return {"first": nominate} | more


# ---------------------------------------------------------------------- behind


def test_behind_a_rule_tells_the_rule():
    behind = row(ask(base(rules=rules())), "beta")
    assert behind["group"] == "behind" and not behind["obstacles"]
    assert behind["reasons"][0]["rule"] == "first" and behind["reasons"][0]["sources"] == ["s-rule"]


def test_behind_by_the_order_alone_says_so():
    decision = ask(base())
    behind = row(decision, "beta")
    assert behind["reasons"][0]["text"] == "decision.behind-order"


def test_held_back_tells_by_whom():
    hold = {
        "when": {"situation.serving": "self"}, "effect": "hold-back", "engine": "alpha", "from": ["start"],
        "strength": "decisive", "reason": "held", "source": "s-held",
    }  # fmt: skip
    behind = row(ask(base(rules=rules(hold=hold))), "alpha")
    assert [r["rule"] for r in behind["reasons"]] == ["hold"]


def test_two_that_run_are_compared_by_class_and_numbers():
    kb = base()
    f = facts(kb)
    from wizard import paths, sizing

    one = sizing.build(paths.find(f), f)["alpha"].best

    def with_speed(low, point, high, **more):
        estimates = {"decode_tps": {"low": low, "point": point, "high": high}}
        return replace(one, estimate=lambda: estimates, **more)

    start = with_speed(90, 100, 110)
    assert compared(with_speed(40, 50, 60), start, f)[0]["text"] == "decision.behind-slower"
    assert compared(with_speed(190, 200, 210), start, f)[0]["text"] == "decision.behind-faster"
    assert compared(with_speed(100, 105, 120), start, f)[0]["text"] == "decision.behind-level"
    tight = with_speed(190, 200, 210, fit={**one.fit, "class": "tight"})
    assert compared(tight, start, f)[0]["text"] == "decision.behind-fit-tight"
    lossy = with_speed(190, 200, 210, lossy=True)
    assert compared(lossy, start, f)[0]["text"] == "decision.behind-fit-fits"
    assert compared(with_speed(1, 2, 3, fit=None), start, f) == []
    early = with_speed(190, 200, 210, path=replace(one.path, kernel="experimental"))
    assert compared(early, start, f)[0]["text"] == "decision.why-kernel-experimental"
    assert (
        compared(with_speed(190, 200, 210, experimental=True), start, f)[0]["text"] == "decision.caution-experimental"
    )


# ---------------------------------------------------------------------- impossible


def test_too_large_tells_by_how_much_per_device():
    decision = ask(base(), model={"params_b": 200}, settings={"offload": "no"})
    assert not decision["recommendations"]
    stop = row(decision, "alpha")["obstacles"][0]
    assert stop["clause"] == "memory" and stop["text"] == "decision.obstacle-memory"
    params = stop["params"]
    assert params["need"] > params["have"] > 0 and params["over"] == params["need"] - params["have"]


def test_a_format_too_large_is_told_by_the_split_that_comes_nearest(kb):
    hardware = [{"device": "h100-sxm", "count": 8}]
    decision = decide({"devices": hardware, "model": "deepseek-v3", "serving": "customers"}, kb, TODAY)
    start = decision["recommendations"][0]
    assert start["layout"]["tp"] == 8 and start["format"]["family"] != "fp8"
    (stop,) = row(decision, f"{start['engine']}-format-fp8")["obstacles"]
    assert stop["text"] == "decision.obstacle-memory-each" and stop["params"]["n"] == 8
    assert 0 < stop["params"]["over"] < stop["params"]["have"]


def test_a_refusal_keeps_only_what_surely_fails():
    runs = [{"backend": "cuda", "needs": {"host.instructions": "avx2", "host.os": ["windows"]}, "source": "s"}]
    refused = row(ask(base(engines={"alpha": engine("Alpha", runs_on=runs)})), "alpha")
    assert [(o["clause"], o["kind"]) for o in refused["obstacles"]] == [("host.os", "false")]


def test_a_setting_that_removes_an_engine_is_the_reason_shown():
    rows = [
        {"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s"},
        {"format": "four", "backend": "rocm", "kernel": "native", "source": "s"},  # another refusal beside it
    ]
    kb = base(engines={"alpha": engine("Alpha", formats=rows)})
    refused = row(ask(kb, settings={"kv": "f16", "layout": {"tp": 2}}), "alpha")
    assert refused["scope"] == {"kind": "layout", "value": None}
    assert refused["fix"] == {"settings.layout": None}
    kb.engines["beta"]["kv_types"] = [{"type": "fp8", "source": "s"}]
    refused = row(ask(kb, settings={"kv": "fp8"}), "alpha")
    assert refused["obstacles"][0]["clause"] == "settings.kv" and refused["fix"] == {"settings.kv": None}


@pytest.mark.parametrize(
    ("stops", "fix"),
    [
        ([("host.os", ["linux", "wsl2"])], {"host.os": "linux"}),
        ([("format.family", ["four"])], {"format": None}),
        ([("settings.kv", ["f16"])], {"settings.kv": None}),
        ([("engine.features.lora", "yes")], {"needs": ["rerank"]}),
        ([("host.os", ["linux"]), ("format.family", ["four"])], {"host.os": "linux", "format": None}),
        ([("host.os", ["linux"]), ("device.arch", ["sm_90"])], None),
        ([("model.architecture", "supported")], None),
        ([("engine.features.vision", "yes")], None),
        ([], None),
    ],
)
def test_each_clause_names_its_own_fix(stops, fix):
    f = facts(base(), needs=["lora", "rerank"], format="four")
    obstacles = [{"clause": c, "needed": n, "params": {}} for c, n in stops]
    assert simple_fix(obstacles, f) == fix


def test_a_version_the_person_named_can_be_taken_back():
    runs = [{"backend": "cuda", "versions": ">=2", "source": "s"}]
    kb = base(engines={"alpha": engine("Alpha", runs_on=runs)})
    decision = ask(kb, optional={"engine_versions": {"alpha": "1.0"}})
    assert row(decision, "alpha")["fix"] == {"optional.engine_versions.alpha": None}


def test_every_engine_is_there_once():
    kb = base(
        engines={
            "old": engine("Old", status={"is": "archived", "source": "s"}),
            "app": engine("App", layer="app", over=[{"engine": "alpha"}], runs_on=[]),
            "above": engine("Above", layer="orchestrator", over=[{"engine": "alpha"}], runs_on=[]),
            "lib": engine("Lib", layer="library"),
            "plug": engine("Plug", layer="plugin"),
        }
    )
    for situation in ({}, {"settings": {"layout": {"tp": 3}}}, {"host": {"os": "windows"}}, {"format": "blocks"}):
        decision = ask(kb, **situation)
        named = [r["engine"] for r in decision["recommendations"]]
        whole = [r["engine"] for r in decision["rejected"] if r["id"] == f"no-{r['engine']}"]
        assert sorted(named + whole) == ["above", "alpha", "app", "beta", "lib", "old"]


def test_apps_and_orchestrators_have_their_own_reasons():
    app = engine(
        "App", layer="app", over=[{"engine": "alpha"}], runs_on=[], features={"rerank": {"is": "no", "source": "s"}}
    )
    above = engine("Above", layer="orchestrator", over=[{"engine": "alpha"}], runs_on=[])
    kb = base(engines={"app": app, "above": above})
    decision = ask(kb)
    assert row(decision, "app")["reasons"][0]["text"] == "decision.app-behind"
    assert row(decision, "above")["reasons"][0]["text"] == "decision.orchestrator-not-needed"
    lacks = row(ask(kb, needs=["rerank"]), "app")
    assert lacks["group"] == "impossible" and lacks["fix"] == {"needs": []}
    alone = row(ask(kb, host={"os": "windows"}), "app")
    assert (alone["group"], alone["reasons"][0]["text"]) == ("impossible", "decision.app-nothing-below")
    assert row(ask(kb, host={"os": "windows"}), "above")["group"] == "impossible"


# ---------------------------------------------------------------------- of the start itself


def test_other_formats_of_the_start():
    kb = base(models={"small": model(checkpoints=[
        {"format": "sixteen", "type": "bf16", "repository": "maker/model", "official": True},
        {"format": "four", "type": "g128", "repository": "maker/four", "official": True},
    ])})  # fmt: skip
    decision = ask(kb, priority="privacy")
    other = row(decision, "alpha-format-four")
    assert other["group"] == "behind" and other["fix"] == {"format": {"family": "four", "type": None}}
    again = ask(kb, priority="privacy", format="four")
    assert again["recommendations"][0]["format"]["family"] == "four"


def test_refused_formats_of_the_start():
    rows = [
        {"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s"},
        {"format": "blocks", "backend": "cuda", "kernel": "native", "needs": SM_90, "source": "s-90"},
        {"format": "four", "backend": "rocm", "kernel": "native", "source": "s-rocm"},
    ]  # fmt: skip
    decision = ask(base(engines={"alpha": engine("Alpha", formats=rows)}, rules=rules()))
    assert row(decision, "alpha-format-blocks")["obstacles"][0]["sources"] == ["s-90"]
    assert row(decision, "alpha-format-four")["obstacles"][0]["needed"] == ["rocm"]


def test_modes_of_the_start():
    modes = [{"id": "fast", "name": "Fast"}, {"id": "wide", "name": "Wide"}, {"id": "odd", "name": "Odd"}]
    rows = [
        {"format": "sixteen", "mode": "fast", "backend": "cuda", "kernel": "native", "source": "s"},
        {"format": "sixteen", "mode": "wide", "backend": "cuda", "kernel": "weight-only", "source": "s"},
        {"format": "four", "mode": "odd", "backend": "cuda", "kernel": "native", "needs": SM_90, "source": "s-odd"},
    ]  # fmt: skip
    decision = ask(base(engines={"alpha": engine("Alpha", modes=modes, formats=rows)}, rules=rules()))
    assert decision["recommendations"][0]["mode"] == "fast"
    wide, odd = row(decision, "alpha-mode-wide"), row(decision, "alpha-mode-odd")
    assert (wide["group"], wide["mode"]) == ("behind", "wide") and wide["reasons"]
    assert (odd["group"], odd["mode"]) == ("impossible", "odd")
    assert odd["obstacles"][0]["sources"] == ["s-odd"]


def test_refused_layouts_of_the_start():
    kb = base(models={"small": model(heads=25)}, rules=rules())
    decision = ask(kb, devices=[{"device": "card", "count": 2}])
    stop = row(decision, "alpha-layout-tp-2")["obstacles"][0]
    assert stop["text"] == "obstacle.tp-heads" and stop["params"] == {"tp": 2, "heads": 25}
