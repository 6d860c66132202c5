"""Paths: constraints only remove, what is not known stays and says so, every refusal tells why."""

import pytest

from .small import base, clauses, device, engine, facts, found, model, refusal

NVIDIA = {"device.compute_capability": ">=7.5", "host.os": ["linux"]}


def with_alpha(**more):
    """A base whose only engine is changed."""
    kb = base(engines={"alpha": engine("Alpha", **more)})
    del kb.engines["beta"]
    return kb


def ways(result):
    return [(o.path.backend, o.path.family, o.path.type, o.path.kernel) for o in result.options]


# ---------------------------------------------------------------------- where it starts


def test_every_format_and_type_is_a_path():
    assert ways(found(with_alpha())) == [
        ("cuda", "sixteen", "bf16", "native"),
        ("cuda", "four", "g128", "weight-only"),
        ("cuda", "four", "rough", "weight-only"),
    ]


@pytest.mark.parametrize(("arch", "starts"), [("sm_75", True), ("sm_70", False), ("sm_120", True), ("sm_61", False)])
def test_the_floor_of_compute_capability_compares_as_a_version(arch, starts):
    kb = with_alpha(runs_on=[{"backend": "cuda", "needs": NVIDIA, "source": "s-floor"}])
    result = found(kb, devices=[{"custom": {"memory_gib": 48, "arch": arch}}])
    assert bool(result.options) is starts
    if not starts:
        stop = refusal(result, "alpha").obstacles[0]
        assert (stop["clause"], stop["needed"], stop["sources"]) == ("device.compute_capability", ">=7.5", ["s-floor"])


def test_a_wrong_system_is_told_as_such():
    result = found(with_alpha(), host={"os": "windows"})
    refused = refusal(result, "alpha")
    assert refused.scope == "os"
    assert [(o["yours"], o["needed"]) for o in refused.obstacles] == [("windows", ["linux"])]


def test_every_clause_that_fails_is_told_at_once():
    kb = with_alpha(
        runs_on=[{"backend": "cuda", "needs": NVIDIA | {"device.compute_capability": ">=9.0"}, "source": "s"}],
        features={"rerank": {"is": "no", "source": "s"}},
    )  # fmt: skip
    refused = refusal(found(kb, host={"os": "windows"}, needs=["rerank"], format="blocks"), "alpha")
    assert set(clauses(refused.obstacles)) == {
        "device.compute_capability", "host.os", "engine.features.rerank", "format.family",
    }  # fmt: skip


def test_a_back_end_the_hardware_does_not_offer():
    kb = base(devices={"red": device("Red", "gfx1100", vendor="amd", backends=["rocm"], compute_capability=None)})
    refused = refusal(found(kb, devices=["red"]), "alpha")
    assert refused.scope == "backend"
    assert refused.obstacles[0]["yours"] == ["rocm"] and refused.obstacles[0]["needed"] == ["cuda"]


def test_hardware_of_unknown_make_keeps_the_path_unconfirmed():
    result = found(base(), devices=[{"custom": {"memory_gib": 48}}])
    assert result.options
    assert set(clauses(result.options[0].kinds["custom"])) == {"candidate.backend"}


def test_one_card_that_starts_is_enough_and_the_others_are_left_out():
    kb = with_alpha(runs_on=[{"backend": "cuda", "needs": {"device.compute_capability": ">=9.0"}, "source": "s"}])
    result = found(kb, devices=[{"device": "card"}, {"device": "big"}])
    assert result.options and all(set(o.kinds) == {"big"} for o in result.options)
    assert result.options[0].on(["big"]) and not result.options[0].on(["big", "card"])


def test_two_own_devices_are_judged_each_by_itself():
    own = [{"custom": {"memory_gib": 48, "arch": "sm_90"}}, {"custom": {"memory_gib": 48, "arch": "sm_61"}}]
    kb = with_alpha(runs_on=[{"backend": "cuda", "needs": {"device.compute_capability": ">=7.5"}, "source": "s"}])
    assert all(set(o.kinds) == {"custom"} for o in found(kb, devices=own).options)


def test_retired_engines_never_start_and_name_a_successor():
    kb = base(engines={"old": engine("Old", status={"is": "archived", "successor": "alpha", "source": "s"})})
    result = found(kb)
    assert all(o.path.engine != "old" for o in result.options)
    assert refusal(result, "old").obstacles[0]["params"]["successor"] == "alpha"


def test_only_engines_and_libraries_are_paths():
    kb = base(
        engines={layer: engine(layer, layer=layer) for layer in ("app", "orchestrator", "host", "plugin", "library")}
    )
    assert {o.path.engine for o in found(kb).options} == {"alpha", "beta", "library"}


# ---------------------------------------------------------------------- versions


def old_and_new():
    return with_alpha(
        runs_on=[
            {"backend": "cuda", "needs": {"device.compute_capability": ">=8.0"}, "versions": ">=2", "source": "s-new"},
            {"backend": "cuda", "needs": {"device.compute_capability": ">=6.0"}, "versions": "<2", "source": "s-old"},
        ]
    )


def test_an_older_version_admits_what_the_newest_refuses():
    pascal = [{"custom": {"memory_gib": 48, "arch": "sm_61"}}]
    assert not found(old_and_new(), devices=pascal).options
    older = found(old_and_new(), devices=pascal, optional={"engine_versions": {"alpha": "1.9"}})
    assert {o.path.version for o in older.options} == {"1.9"}


def test_a_version_removes_a_format():
    kb = with_alpha(
        formats=[
            {"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s"},
            {"format": "four", "backend": "cuda", "kernel": "weight-only", "versions": ">=1.5", "source": "s"},
        ]
    )
    assert {f for _, f, *_ in ways(found(kb))} == {"sixteen", "four"}
    assert {f for _, f, *_ in ways(found(kb, optional={"engine_versions": {"alpha": "1.4"}}))} == {"sixteen"}


def test_a_version_without_this_hardware_is_the_obstacle_not_the_back_end():
    kb = with_alpha(runs_on=[{"backend": "cuda", "versions": ">=1.5", "source": "s-since"}])
    refused = refusal(found(kb, optional={"engine_versions": {"alpha": "1.0"}}), "alpha")
    stop = refused.obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("engine.version", "1.0", ">=1.5")
    assert stop["sources"] == ["s-since"] and stop["params"] == {"engine": "alpha"}


def test_a_feature_of_a_newer_version_names_the_version():
    kb = with_alpha(features={"rerank": {"is": "yes", "versions": ">=3", "source": "s"}})
    stop = refusal(found(kb, needs=["rerank"]), "alpha").obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("engine.version", "2.0", ">=3")
    assert found(kb, needs=["rerank"], optional={"engine_versions": {"alpha": "3.1"}}).options


# ---------------------------------------------------------------------- formats


NATIVE_ON_BIG = [
    {"format": "blocks", "backend": "cuda", "kernel": "native", "needs": {"device.arch": "sm_90"}, "source": "a"},
    {"format": "blocks", "backend": "cuda", "kernel": "weight-only", "source": "b"},
]


def test_the_first_line_that_holds_names_the_kernel():
    kb = with_alpha(formats=NATIVE_ON_BIG)
    assert ways(found(kb, devices=["big"]))[0][3] == "native"
    on_card = found(kb, devices=["card"])
    assert ways(on_card)[0][3] == "weight-only"
    assert on_card.options[0].path.sources == ("b",)


def test_a_line_that_may_hold_serves_only_if_no_later_one_surely_does():
    maybe = {
        "format": "blocks",
        "backend": "cuda",
        "kernel": "native",
        "needs": {"host.instructions": "amx"},
        "source": "a",
    }
    sure = {"format": "blocks", "backend": "cuda", "kernel": "weight-only", "source": "b"}
    assert [k for *_, k in ways(found(with_alpha(formats=[maybe, sure])))] == ["weight-only"]
    alone = found(with_alpha(formats=[maybe]))
    assert ways(alone)[0][3] == "native"
    assert clauses(alone.options[0].kinds["card"]) == ["host.instructions"]


def test_on_two_kinds_of_card_the_weaker_kernel_speaks_for_both():
    kb = with_alpha(formats=NATIVE_ON_BIG)
    both = found(kb, devices=["card", "big"])
    assert set(both.options[0].kinds) == {"card", "big"}
    assert both.options[0].path.kernel == "weight-only"


def test_a_line_may_be_for_some_types_and_several_back_ends():
    rows = [{"format": "four", "types": ["rough"], "backend": ["cuda", "vulkan"], "kernel": "native", "source": "s"}]
    both = [{"backend": "cuda", "source": "s"}, {"backend": "vulkan", "source": "s"}]
    kb = with_alpha(formats=rows, runs_on=both)
    assert ways(found(kb)) == [("cuda", "four", "rough", "native"), ("vulkan", "four", "rough", "native")]


def test_the_asked_format_filters():
    assert {f for _, f, *_ in ways(found(with_alpha(), format="four"))} == {"four"}
    one = found(with_alpha(), format={"family": "four", "type": "rough"})
    assert {t for _, _, t, _ in ways(one)} == {"rough"}


def test_a_format_nobody_reads_tells_what_is_read():
    stop = refusal(found(with_alpha(), format="blocks"), "alpha").obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("format.family", "blocks", ["sixteen", "four"])


def test_a_type_the_engine_does_not_read_on_this_back_end():
    rows = [
        {"format": "four", "types": ["g128"], "backend": "cuda", "kernel": "native", "source": "s"},
        {"format": "four", "types": ["rough"], "backend": "rocm", "kernel": "native", "source": "s"},
    ]
    stop = refusal(found(with_alpha(formats=rows), format={"family": "four", "type": "rough"}), "alpha").obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("format.type", "rough", ["g128"])


def test_a_plugin_is_a_way_of_its_engine():
    rows = [{"format": "four", "backend": "cuda", "kernel": "experimental", "via": "plug", "source": "s"}]
    kb = base(engines={"alpha": engine("Alpha", formats=rows), "plug": engine("Plug", layer="plugin")})
    assert {o.path.via for o in found(kb).options if o.path.engine == "alpha"} == {"plug"}


def test_weights_are_published_to_convert_or_unknown():
    kb = with_alpha()
    status = {o.path.family: o.path.checkpoint["status"] for o in found(kb).options}
    assert status == {"sixteen": "published", "four": "convert"}
    assert {o.path.checkpoint["status"] for o in found(kb, model={"params_b": 8}).options} == {"unknown"}


def test_of_several_published_weights_the_makers_come_first():
    points = [
        {"format": "four", "type": "g128", "repository": "z/unofficial", "official": False, "bytes": 5},
        {"format": "four", "type": "g128", "repository": "maker/four", "official": True},
    ]
    kb = base(models={"small": model(checkpoints=points)})
    options = [o for o in found(kb).options if o.path.type == "g128"]
    assert {o.path.checkpoint["repository"] for o in options} == {"maker/four"}


# ---------------------------------------------------------------------- modes


def two_modes(**more):
    return with_alpha(
        modes=[{"id": "fast", "name": "Fast"}, {"id": "wide", "name": "Wide"}],
        formats=[
            {"format": "four", "mode": "fast", "backend": "cuda", "kernel": "native", "source": "s"},
            {"format": "sixteen", "backend": "cuda", "kernel": "native", "source": "s"},
        ],
        **more,
    )


def test_modes_have_tables_of_their_own():
    found_ = {(o.path.mode, o.path.family) for o in found(two_modes()).options}
    assert found_ == {("fast", "four"), ("fast", "sixteen"), ("wide", "sixteen")}


def test_a_feature_of_one_mode_leaves_only_that_mode():
    kb = two_modes(features={"lora": {"is": "yes", "mode": "wide", "source": "s"}})
    result = found(kb, needs=["lora"])
    assert {o.path.mode for o in result.options} == {"wide"}
    stop = next(r for r in result.refusals if r.mode == "fast").obstacles[0]
    assert (stop["yours"], stop["needed"], stop["params"]["mode"]) == ("no", "yes", "wide")


def test_the_mode_that_came_nearest_speaks_when_none_starts():
    kb = two_modes(
        features={"lora": {"is": "yes", "mode": "wide", "source": "s"}, "rerank": {"is": "no", "source": "s"}}
    )
    refused = [r for r in found(kb, needs=["lora", "rerank"]).refusals if r.engine == "alpha"]
    assert [r.mode for r in refused] == ["wide"]


# ---------------------------------------------------------------------- must-haves


@pytest.mark.parametrize(
    ("value", "starts"), [("yes", True), ("partial", True), ("experimental", True), ("no", False), ("external", False)]
)
def test_a_must_have_removes_what_lacks_it(value, starts):
    kb = with_alpha(features={"lora": {"is": value, "source": "s-lora"}})
    result = found(kb, needs=["lora"])
    assert bool(result.options) is starts
    if not starts:
        assert refusal(result, "alpha").obstacles[0]["sources"] == ["s-lora"]


@pytest.mark.parametrize("features", [{}, {"lora": {"is": "unknown"}}])
def test_a_must_have_nobody_knows_of_stays_unconfirmed(features):
    result = found(with_alpha(features=features), needs=["lora"])
    assert all(clauses(o.kinds["card"]) == ["engine.features.lora"] for o in result.options)
    assert result.options[0].kinds["card"][0]["kind"] == "unknown"


def test_a_must_have_with_conditions():
    fact = {"is": "yes", "needs": {"device.compute_capability": ">=9.0"}, "source": "s"}
    kb = with_alpha(features={"lora": fact})
    assert not found(kb, needs=["lora"]).options
    assert found(kb, needs=["lora"], devices=["big"]).options


def test_a_must_have_that_depends_on_the_back_end_removes_only_that_one():
    both = [{"backend": "cuda", "source": "s"}, {"backend": "vulkan", "source": "s"}]
    rows = [{"format": "sixteen", "backend": ["cuda", "vulkan"], "kernel": "native", "source": "s"}]
    fact = {"is": "yes", "needs": {"not": {"candidate.backend": "vulkan"}}, "source": "s"}
    result = found(with_alpha(runs_on=both, formats=rows, features={"speculative": fact}), needs=["speculative"])
    assert {o.path.backend for o in result.options} == {"cuda"}
    assert not result.options[0].kinds["card"], "decided, not unconfirmed"


def test_a_model_that_embeds_needs_an_engine_that_embeds():
    kb = base(
        models={"embedder": model(0.6, tasks=["embeddings"])},
        engines={"beta": engine("Beta", features={"embeddings": {"is": "no", "source": "s"}})},
    )
    result = found(kb, model="embedder")
    assert {o.path.engine for o in result.options} == {"alpha"}
    assert clauses(result.options[0].kinds["card"]) == ["engine.features.embeddings"]


# ---------------------------------------------------------------------- architectures


def strange(**models):
    kb = with_alpha(models={"source": "s-list", **models})
    kb.models["small"] = model(architecture="StrangeForCausalLM")
    return found(kb)


def test_a_complete_list_removes_and_an_incomplete_one_only_doubts():
    refused = refusal(strange(complete=True, supported=["TestForCausalLM"]), "alpha")
    assert refused.scope == "model" and refused.obstacles[0]["sources"] == ["s-list"]
    doubted = strange(complete=False, supported=["TestForCausalLM"])
    assert clauses(doubted.options[0].kinds["card"]) == ["model.architecture"]


def test_named_as_unsupported_is_out_even_in_an_incomplete_list():
    line = {"architecture": "StrangeForCausalLM", "source": "s-not"}
    refused = refusal(strange(complete=False, supported=[], unsupported=[line]), "alpha")
    assert refused.obstacles[0]["sources"] == ["s-not"]
    newer = strange(complete=False, supported=["StrangeForCausalLM"], unsupported=[line | {"versions": "<2.0"}])
    assert newer.options


def test_an_engine_that_needs_no_list_takes_any_model():
    result = strange(complete=True, needs_architecture=False, supported=[])
    assert result.options and not result.options[0].kinds["card"]


def test_a_size_alone_is_never_refused_for_its_architecture():
    assert found(with_alpha(), model={"params_b": 8}).options


def test_facts_are_not_changed_by_the_search():
    kb = base()
    f = facts(kb, format="four")
    before = repr(kb.core)
    from wizard.paths import find

    first, second = find(f), find(f)
    assert ways(first) == ways(second)
    assert repr(kb.core) == before
