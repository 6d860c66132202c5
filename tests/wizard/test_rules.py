"""Rules: who precedes whom, what is a tie, who is held back, and what never fires."""

from wizard import roles
from wizard.rules import fire, judge

from .small import base, engine, facts, ranked

STRENGTHS = ("decisive", "strong", "leaning")


def rule(engine_, strength="leaning", *, role="start", when=None, effect="nominate", **more):
    """A rule that fires for whoever serves themselves."""
    entry = {
        "when": when or {"situation.serving": "self"}, "effect": effect, "engine": engine_, "strength": strength,
        "reason": f"rules.{engine_}.reason", "source": "s",
    }  # fmt: skip
    if effect == "nominate":
        entry["role"] = role
    return entry | more


ENGINES = ("alpha", "beta", "gamma", "delta")
LEVEL = {e: {None: 0} for e in ENGINES}  # everything fits everywhere


def verdict(rules, classes=LEVEL, startable=ENGINES, ties=(), **situation):
    kb = base(
        engines={e: engine(e.title()) for e in ENGINES},
        rules=rules,
        order={"ties": [{"rules": list(pair), "reason": "r"} for pair in ties]},
    )
    return judge(facts(kb, **situation), classes, startable)


def start(found):
    return [f.id for f in found.nominated.get("start", [])]


# ---------------------------------------------------------------------- which fire


def test_a_rule_fires_only_when_its_condition_surely_holds():
    rules = {
        "yes": rule("alpha"),
        "no": rule("beta", when={"situation.serving": "team"}),
        "unknown": rule("gamma", when={"host.instructions": "avx2"}),
        "not-unknown": rule("delta", when={"not": {"host.instructions": "avx2"}}),
    }
    kb = base(engines={e: engine(e) for e in ENGINES}, rules=rules)
    assert [f.id for f in fire(facts(kb))] == ["yes"]


def test_a_condition_on_the_device_holds_for_all_kinds():
    kb = base(rules={"ampere": rule("alpha", when={"device.arch": "sm_86"})})
    assert fire(facts(kb))
    assert not fire(facts(kb, devices=["card", "big"]))


def test_warnings_do_not_fire_here():
    kb = base(rules={"w": rule("alpha", effect="warn")})
    assert not fire(facts(kb))


# ---------------------------------------------------------------------- precedence


def test_stronger_evidence_precedes():
    found = verdict({"a": rule("alpha", "leaning"), "b": rule("beta", "decisive"), "c": rule("gamma", "strong")})
    assert start(found) == ["b", "c", "a"]
    assert not found.undeclared


def test_over_precedes_strength():
    found = verdict({"a": rule("alpha", "leaning", over=["b"]), "b": rule("beta", "decisive")})
    assert start(found) == ["a", "b"]
    assert not found.undeclared


def test_over_reaches_through_others():
    rules = {
        "a": rule("alpha", over=["b"]),
        "b": rule("beta", "strong", over=["c"]),
        "c": rule("gamma", "decisive"),
    }
    assert start(verdict(rules)) == ["a", "b", "c"]


def test_a_rule_that_did_not_fire_beats_nobody():
    rules = {
        "a": rule("alpha", over=["b"], when={"situation.serving": "team"}),
        "b": rule("beta", "strong"),
        "c": rule("gamma", "leaning"),
    }
    assert start(verdict(rules)) == ["b", "c"]


def test_the_fit_class_precedes_every_rule():
    classes = LEVEL | {"alpha": {None: 2}}
    found = verdict({"a": rule("alpha", "decisive", over=["b"]), "b": rule("beta", "leaning")}, classes)
    assert start(found) == ["b", "a"]


def test_a_rule_of_a_worse_class_pushes_nobody_down():
    classes = LEVEL | {"alpha": {None: 2}}
    rules = {"a": rule("alpha", "decisive", over=["b"]), "b": rule("beta", "strong"), "c": rule("gamma", "leaning")}
    assert start(verdict(rules, classes)) == ["b", "c", "a"]


def test_an_engine_without_candidates_is_not_nominated_for_what_runs():
    classes = {"beta": {None: 0}}
    found = verdict({"a": rule("alpha", "decisive"), "b": rule("beta")}, classes)
    assert start(found) == ["b"]


def test_who_may_not_start_neither_starts_nor_ties():
    rules = {"a": rule("alpha", "strong"), "b": rule("beta", "strong"), "c": rule("gamma", "leaning")}
    found = verdict(rules, startable=("beta", "gamma"))
    assert start(found) == ["b", "c"]
    assert not found.undeclared and not found.tied_with


def test_what_stands_above_needs_no_candidate():
    kb = base(
        engines={"above": engine("Above", layer="orchestrator")}, rules={"o": rule("above", role="orchestrate-with")}
    )
    found = judge(facts(kb), {}, ())
    assert [f.id for f in found.nominated["orchestrate-with"]] == ["o"]


# ---------------------------------------------------------------------- ties


def test_equal_rules_for_two_engines_are_a_tie_that_has_to_be_declared():
    rules = {"a": rule("alpha", "strong"), "b": rule("beta", "strong")}
    assert verdict(rules).undeclared == [("a", "b")]
    declared = verdict(rules, ties=[("b", "a")])
    assert start(declared) == ["b", "a"]
    assert declared.tied_with == ["alpha"] and not declared.undeclared


def test_two_rules_for_one_engine_are_no_tie():
    found = verdict({"a": rule("alpha", "strong"), "b": rule("alpha", "strong")})
    assert not found.undeclared and not found.tied_with


def test_other_class_strength_or_precedence_is_no_tie():
    for other, classes in (
        (rule("beta", "leaning"), LEVEL),
        (rule("beta", "strong"), LEVEL | {"beta": {None: 1}}),
    ):
        assert not verdict({"a": rule("alpha", "strong"), "b": other}, classes).undeclared
    assert not verdict({"a": rule("alpha", "strong", over=["b"]), "b": rule("beta", "strong")}).undeclared


def test_ties_below_the_top_are_nobodys_business():
    rules = {"a": rule("alpha", "decisive"), "b": rule("beta"), "c": rule("gamma")}
    assert not verdict(rules).undeclared


def test_a_declared_tie_of_three():
    rules = {"a": rule("alpha"), "b": rule("beta"), "c": rule("gamma")}
    found = verdict(rules, ties=[("a", "b"), ("a", "c")])
    assert start(found)[0] == "a" and sorted(found.tied_with) == ["beta", "gamma"]


# ---------------------------------------------------------------------- held back


def held(engine_, *, from_=("start",), **more):
    return rule(engine_, effect="hold-back", **{"from": list(from_)}, **more)


def test_held_back_is_not_nominated_for_that_role():
    rules = {
        "a": rule("alpha", "decisive"), "a2": rule("alpha", role="alternative"), "b": rule("beta"), "h": held("alpha"),
    }  # fmt: skip
    found = verdict(rules)
    assert start(found) == ["b"]
    assert [f.id for f in found.nominated["alternative"]] == ["a2"]
    assert found.held_from("alpha", "start").id == "h"
    assert found.held_from("alpha", "alternative") is None
    everywhere = verdict({**rules, "h": held("alpha", from_=("start", "alternative"))})
    assert "alternative" not in everywhere.nominated


def test_a_rule_that_names_no_engine_holds_back_all():
    every = {key: value for key, value in held("alpha", from_=("start", "alternative")).items() if key != "engine"}
    found = verdict({"a": rule("alpha"), "b": rule("beta", role="alternative"), "h": every})
    assert not found.nominated
    assert found.held_from("alpha", "start").id == found.held_from("beta", "alternative").id == "h"


MODES = [{"id": "fast", "name": "Fast"}, {"id": "wide", "name": "Wide"}]
TWO_MODES = {"alpha": {"fast": 0, "wide": 1}, "beta": {None: 0}}


def test_a_rule_for_a_mode_needs_that_mode():
    assert start(verdict({"a": rule("alpha", mode="fast")}, TWO_MODES)) == ["a"]
    assert not start(verdict({"a": rule("alpha", mode="other")}, TWO_MODES))


def test_a_rule_for_a_mode_ranks_by_the_class_of_that_mode():
    rules = {"a": rule("alpha", "decisive", mode="wide"), "b": rule("beta", "leaning")}
    assert start(verdict(rules, TWO_MODES)) == ["b", "a"]


def test_a_mode_held_back_leaves_the_other():
    rules = {"a": rule("alpha", "decisive"), "b": rule("beta", "leaning"), "h": held("alpha", mode="fast")}
    found = verdict(rules, TWO_MODES)
    assert start(found) == ["b", "a"], "what is left of alpha only fits tightly"
    assert found.held_from("alpha", "start", "fast") and not found.held_from("alpha", "start", "wide")
    assert not start(verdict({"a": rule("alpha", mode="fast"), "h": held("alpha", mode="fast")}, TWO_MODES))


# ---------------------------------------------------------------------- the cast


def cast(rules, engines=None, **situation):
    kb = base(engines=engines or {}, rules=rules)
    f = facts(kb, **situation)
    return roles.assign(ranked(kb, **situation), f)


def test_no_rule_means_by_estimate():
    found = cast({})
    assert found.by_estimate and found.start[1] == []


def test_a_rule_may_prefer_tight_but_not_leave_the_devices():
    """Design: a rule may prefer a tight fit over a comfortable one, not one in system memory."""
    way = [{"kind": "layers", "is": "yes", "source": "s"}]
    large = {"devices": [{"device": "card"}], "model": {"params_b": 20}, "host": {"ram_gib": 128}}
    sixteen = [{"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s"}]
    engines = {"alpha": engine("Alpha", formats=sixteen, offload=way)}
    found = cast({"a": rule("alpha", "decisive")}, engines, **large)
    assert found.start[0].path.engine == "beta"
    assert found.start[0].fit["class"] in ("fits", "tight")
    assert not found.alternatives, "nor is it named beside one that stays inside"


def test_a_rule_does_not_choose_kernels_its_project_calls_experimental():
    rows = [{"format": "sixteen", "backend": "cuda", "kernel": "experimental", "source": "s"}]
    rules = {"a": rule("alpha", "decisive"), "a2": rule("alpha", role="alternative"), "b": rule("beta")}
    found = cast(rules, {"alpha": engine("Alpha", formats=rows)})
    assert found.start[0].path.engine == "beta" and not found.alternatives
    alone = cast({"a": rule("alpha")}, {"alpha": engine("Alpha", formats=rows), "beta": engine("Beta", runs_on=[])})
    assert alone.start[0].path.engine == "alpha", "better than nothing"


def test_a_rule_does_not_choose_an_experimental_way_out_of_the_devices():
    large = {"devices": [{"device": "card"}], "model": {"params_b": 120}, "host": {"ram_gib": 256}}
    trial = [{"kind": "weights", "is": "experimental", "source": "s"}]
    engines = {
        "alpha": engine("Alpha", offload=trial),
        "beta": engine("Beta", offload=[{"kind": "layers", "is": "yes", "source": "s"}]),
    }
    found = cast({"a": rule("alpha", "decisive"), "b": rule("beta")}, engines, **large)
    assert found.start[0].path.engine == "beta" and found.start[0].fit["class"] == "offload"
    assert not found.alternatives


def test_the_projects_own_advice_bars_public_service():
    own = {"advised": {"is": "no", "source": "s-own"}}
    rules = {"a": rule("alpha", "decisive", when={"situation.serving": ["self", "customers"]})}
    engines = {"alpha": engine("Alpha", production=own)}
    assert cast(rules, engines).start[0].path.engine == "alpha"
    public = cast(rules, engines, serving="customers")
    assert public.start[0].path.engine == "beta"
    assert public.held["alpha"]["sources"] == ["s-own"] and public.held["alpha"]["strength"] == "decisive"


def test_libraries_start_only_inside_something():
    engines = {"alpha": engine("Alpha", layer="library")}
    rules = {"a": rule("alpha", "decisive", when={"situation.serving": ["self", "app"]})}
    assert cast(rules, engines).start[0].path.engine == "beta"
    assert cast(rules, engines, serving="app").start[0].path.engine == "alpha"


def test_an_app_comes_with_an_engine_that_is_named_and_with_what_is_needed():
    app = engine(
        "App", layer="app", over=[{"engine": "alpha"}], runs_on=[], features={"rerank": {"is": "no", "source": "s"}}
    )
    rules = {"a": rule("alpha"), "c": rule("app", role="convenience")}
    features = {"rerank": {"is": "yes", "source": "s"}}
    engines = {"app": app, "alpha": engine("Alpha", features=features)}
    assert [c[:2] for c in cast(rules, engines).conveniences] == [("app", "alpha")]
    assert not cast(rules, engines, needs=["rerank"]).conveniences
    assert not cast({**rules, "a": rule("beta", "strong")}, engines).conveniences


def test_orchestrators_stand_above_a_named_engine_for_several_copies_or_machines():
    above = engine("Above", layer="orchestrator", over=[{"engine": "alpha"}], runs_on=[])
    rules = {"a": rule("alpha"), "o": rule("above", role="orchestrate-with")}
    assert not cast(rules, {"above": above}).orchestrators
    two = {"devices": [{"device": "card", "count": 2}], "traffic": {"concurrency": 4}}
    assert [e for e, _ in cast(rules, {"above": above}, **two).orchestrators] == ["above"]
    assert not cast({**rules, "a": rule("beta", "strong")}, {"above": above}, **two).orchestrators
