"""The model of a Situation: an entry, an architecture that is checked and never guessed, or a size."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.models import check_architecture, resolve

from .small import base, model

PLAIN = {
    "layers": 32, "hidden": 4096, "heads": 32, "vocab": 32000, "params": {"total": 7_000_000_000},
    "attention": [{"kind": "full", "layers": 32, "kv_heads": 8, "head_dim": 128}],
}  # fmt: skip


def paths(problems):
    return [p.path.removeprefix("model.architecture").lstrip(".") for p in problems]


# ---------------------------------------------------------------------- three ways to name one


def test_no_model_is_none():
    assert resolve(None, base()) is None


def test_a_known_model_is_its_entry():
    kb = base()
    assert resolve({"id": "small"}, kb) is kb.models["small"]


def sizes():
    return base(
        models={
            "small": model(8), "mid": model(10), "large": model(70),
            "moe": model(30, kind="moe", experts={"count": 8, "active": 2}), "embed": model(8, tasks=["embeddings"]),
        }
    )  # fmt: skip


def test_a_size_borrows_its_shape_from_the_nearest_known_models():
    arch = resolve({"params_b": 9}, sizes())
    assert arch["attention"] is None and arch["kv_models"] == ["mid", "small"]
    assert arch["params"] == {"total": 9_000_000_000, "active": 9_000_000_000}
    assert arch["groups"] == [{"group": "other", "params": 9_000_000_000}]
    assert arch["architecture"] is None and arch["checkpoints"] == []


def test_a_size_far_from_all_known_takes_the_two_nearest():
    assert resolve({"params_b": 1000}, sizes())["kv_models"] == ["large", "mid"]


def test_fewer_active_parameters_make_a_mixture_of_experts():
    arch = resolve({"params_b": 30, "active_b": 3}, sizes())
    assert arch["kind"] == "moe" and arch["kv_models"] == ["moe"]
    assert arch["experts"] == {"count": 8, "active": 2}
    assert resolve({"params_b": 30, "active_b": 30}, sizes())["kind"] == "dense"
    assert resolve({"params_b": 30, "kind": "moe"}, sizes())["kind"] == "moe"


# ---------------------------------------------------------------------- an architecture


def test_a_whole_architecture_is_taken_with_what_the_arithmetic_needs():
    entry, problems = check_architecture({**PLAIN, "architecture": "OwnForCausalLM", "name": "Own", "tied": True})
    assert not problems
    assert entry["attention"] == PLAIN["attention"]
    assert entry["params"] == {"total": 7_000_000_000, "active": 7_000_000_000}
    assert (entry["name"], entry["architecture"], entry["kind"], entry["tied"]) == (
        "Own",
        "OwnForCausalLM",
        "dense",
        True,
    )


@pytest.mark.parametrize("field", ["layers", "hidden", "heads", "vocab", "attention", "params"])
def test_what_is_missing_is_named(field):
    entry, problems = check_architecture({k: v for k, v in PLAIN.items() if k != field})
    assert entry is None
    assert (paths(problems), problems[0].text) == ([field], "problem.missing")


@pytest.mark.parametrize("value", [0, -1, 1.5, "32", None, True, 10**16, [], {}])
@pytest.mark.parametrize("field", ["layers", "hidden", "heads", "vocab"])
def test_what_is_no_count_is_refused(field, value):
    entry, problems = check_architecture({**PLAIN, field: value})
    assert entry is None and paths(problems) == [field]


def test_layers_and_attention_have_to_agree():
    entry, problems = check_architecture({**PLAIN, "layers": 33})
    assert entry is None and problems[0].text == "problem.contradicts"
    assert problems[0].params["sum"] == 32


@pytest.mark.parametrize(
    ("kind", "needs"),
    [
        ("full", ["kv_heads", "head_dim"]),
        ("swa", ["window"]),
        ("chunked", ["window"]),
        ("mla", ["latent", "rope"]),
        ("mamba", ["state"]),
    ],
)
def test_each_kind_of_attention_needs_its_fields(kind, needs):
    whole = {"kind": kind, "layers": 32, "kv_heads": 8, "head_dim": 128, "window": 4096, "latent": 512, "rope": 64,
             "heads": 32, "nope": 128, "v_head_dim": 128, "state": {"heads": 8}}  # fmt: skip
    assert check_architecture({**PLAIN, "attention": [whole]})[0]
    for name in needs:
        entry, problems = check_architecture({**PLAIN, "attention": [{k: v for k, v in whole.items() if k != name}]})
        assert entry is None and paths(problems) == [f"attention.0.{name}"]


def test_an_unknown_kind_of_attention_is_refused_not_guessed():
    entry, problems = check_architecture({**PLAIN, "attention": [{"kind": "holographic", "layers": 32}]})
    assert entry is None and paths(problems) == ["attention.0.kind"]
    assert "mla" in problems[0].params["known"]


def test_groups_are_added_up_and_parameters_without_groups_are_one():
    groups = [{"group": "attention", "params": 3}, {"group": "mlp", "params": 4}]
    entry, _ = check_architecture({**PLAIN, "groups": groups})
    assert entry["params"]["total"] == 7 and entry["groups"] == groups
    assert check_architecture({**PLAIN, "groups": [{"group": "mlp"}]})[0] is None


def test_experts_need_their_numbers():
    experts = {"count": 8, "active": 2, "intermediate": 1024, "odd": "x"}
    entry, _ = check_architecture({**PLAIN, "experts": experts})
    assert entry["kind"] == "moe" and entry["experts"] == {"count": 8, "active": 2, "intermediate": 1024}
    for broken in ({"kind": "moe"}, {"experts": {"count": 8}}, {"experts": "many"}):
        entry, problems = check_architecture({**PLAIN, **broken})
        assert entry is None and paths(problems) == ["experts"]


def test_more_active_than_all_parameters_is_not_believed():
    entry, _ = check_architecture({**PLAIN, "params": {"total": 10, "active": 20}})
    assert entry["params"]["active"] == 10


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_nonsense_in_any_place_is_a_problem_and_never_an_exception(data):
    raw = copy.deepcopy(PLAIN)
    junk = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
        max_leaves=4,
    )
    where = data.draw(
        st.sampled_from([*PLAIN, "groups", "experts", "kind", "name", "tied", "intermediate", "attention.0"])
    )
    if where == "attention.0":
        raw["attention"][0][data.draw(st.sampled_from(["kind", "layers", "kv_heads", "head_dim"]))] = data.draw(junk)
    else:
        raw[where] = data.draw(junk)
    entry, problems = check_architecture(raw)
    assert (entry is None) == bool(problems)
    if entry:
        assert sum(g["layers"] for g in entry["attention"]) == entry["layers"]
