"""Layouts: what has to divide, what never happens, and the order that breaks ties."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard import paths
from wizard.layouts import place

from .small import base, clauses, device, engine, facts, model

EXPERTS = {"count": 64, "active": 8, "shared": 0, "intermediate": 1536, "layers": 32}


def placing(kb, family="sixteen", engine_="alpha", **situation):
    """The placing of the first path of an engine and format family."""
    f = facts(kb, **situation)
    option = next(o for o in paths.find(f).options if o.path.engine == engine_ and o.path.family == family)
    return place(option, f)


def shapes(result):
    return {(p.layout.tp, p.layout.pp, p.layout.ep, p.layout.dp, p.layout.nodes) for p in result.placed}


def cards(count, name="card"):
    return [{"device": name, "count": count}]


def why(result, what):
    return dict(result.refused)[what][0]


def spread(kb_engine=None, model_=None, **parallelism):
    """A base whose first engine spreads as said."""
    one = engine("Alpha")
    one["parallelism"] |= parallelism
    one["formats"] = [*one["formats"], {"format": "blocks", "backend": "cuda", "kernel": "native", "source": "s"}]
    return base(engines={"alpha": one | (kb_engine or {})}, models={"small": model_} if model_ else {})


# ---------------------------------------------------------------------- subsets


def test_one_card_has_one_layout():
    assert shapes(placing(base(), devices=cards(1))) == {(1, 1, 1, 1, 1)}


def test_equal_cards_alone_tensor_pipeline_and_copies():
    one_user = placing(base(), devices=cards(4), traffic={"concurrency": 1})
    assert shapes(one_user) == {(1, 1, 1, 1, 1), (4, 1, 1, 1, 1), (1, 4, 1, 1, 1)}
    users = placing(base(), devices=cards(4), traffic={"concurrency": 8})
    assert shapes(users) == shapes(one_user) | {(1, 1, 1, 4, 1), (2, 1, 1, 2, 1)}


def test_copies_are_for_people_who_are_there():
    assert (1, 1, 1, 4, 1) not in shapes(placing(base(), devices=cards(4), traffic={"concurrency": 3}))
    assert (2, 1, 1, 2, 1) in shapes(placing(base(), devices=cards(4), traffic={"concurrency": 3}))


def test_each_kind_of_card_alone_each_set_and_all_together():
    result = placing(base(), devices=[*cards(2), *cards(1, "big")])
    used = {tuple(c.index for c in p.layout.cards) for p in result.placed}
    assert used == {(0,), (0, 1), (2,), (0, 1, 2)}


def test_a_path_that_holds_for_some_cards_uses_only_those():
    one = engine("Alpha", runs_on=[{"backend": "cuda", "needs": {"device.compute_capability": ">=9.0"}, "source": "s"}])
    result = placing(base(engines={"alpha": one}), devices=[*cards(2), *cards(2, "big")])
    assert {c.device for p in result.placed for c in p.layout.cards} == {"big"}


# ---------------------------------------------------------------------- what divides


@pytest.mark.parametrize(("heads", "count", "degree"), [(52, 3, 2), (52, 4, 4), (40, 8, 8), (25, 2, None), (28, 8, 4)])
def test_ranks_divide_the_attention_heads(heads, count, degree):
    result = placing(spread(model_=model(heads=heads)), devices=cards(count), traffic={"concurrency": 1})
    assert max((p.layout.tp for p in result.placed if p.layout.tp > 1), default=None) == degree
    if degree != count:
        stop = why(result, f"TP {count}")
        assert (stop["text"], stop["params"]["heads"], stop["sources"]) == ("obstacle.tp-heads", heads, ["s-tp"])


def test_kv_heads_replicate_beyond_their_number():
    few = model(attention=[{"kind": "full", "layers": 32, "kv_heads": 2, "head_dim": 128}])
    assert (8, 1, 1, 1, 1) in shapes(placing(spread(model_=few), devices=cards(8)))


def test_ranks_that_are_no_power_of_two_divide_the_vocabulary():
    small = model(heads=30, intermediate=12 * 1024)
    assert (
        why(placing(spread(model_=small | {"vocab": 128_255}), devices=cards(3)), "TP 3")["text"] == "obstacle.tp-vocab"
    )
    assert (3, 1, 1, 1, 1) in shapes(placing(spread(model_=small | {"vocab": 128_256}), devices=cards(3)))
    # powers of two divide the padded vocabulary
    odd = small | {"vocab": 50_257, "heads": 32}
    assert (4, 1, 1, 1, 1) in shapes(placing(spread(model_=odd), devices=cards(4)))


def test_shares_are_whole_quantization_blocks():
    dense = model(intermediate=11_008)  # 86 blocks of 128
    result = placing(spread(model_=dense), "blocks", devices=cards(4))
    stop = why(result, "TP 4")
    assert stop["text"] == "obstacle.tp-block"
    assert (stop["params"]["width"], stop["params"]["share"], stop["params"]["block"]) == (11_008, 2752, 128)
    assert (2, 1, 1, 1, 1) in shapes(placing(spread(model_=dense), "blocks", devices=cards(2)))
    assert (4, 1, 1, 1, 1) in shapes(placing(spread(model_=dense), "sixteen", devices=cards(4)))


def test_a_group_in_a_row_counts_like_a_block():
    dense = model(intermediate=4096 + 64)
    assert (2, 1, 1, 1, 1) not in shapes(placing(spread(model_=dense), "four", devices=cards(2)))


def test_whole_experts_are_the_way_out_of_a_cut_block():
    moe = model(30, kind="moe", experts=EXPERTS, intermediate=8192)
    eight = placing(spread(model_=moe), "blocks", devices=cards(8), traffic={"concurrency": 1})
    assert (8, 1, 8, 1, 1) in shapes(eight)  # 1536 / 8 = 192 is no multiple of 128
    four = placing(spread(model_=moe), "blocks", devices=cards(4), traffic={"concurrency": 1})
    assert (4, 1, 1, 1, 1) in shapes(four)  # 384 is
    without = placing(spread(model_=moe, ep={"is": "no", "source": "s"}), "blocks", devices=cards(8))
    assert why(without, "TP 8")["params"]["part"] == "experts"
    uneven = placing(spread(model_=moe | {"experts": EXPERTS | {"count": 60}}), "blocks", devices=cards(8))
    assert not any(p.layout.tp == 8 for p in uneven.placed)


def test_no_more_stages_than_layers():
    thin = model(layers=3, attention=[{"kind": "full", "layers": 3, "kv_heads": 8, "head_dim": 128}])
    result = placing(spread(model_=thin), devices=cards(4))
    assert not any(p.layout.pp > 1 for p in result.placed)
    assert why(result, "PP 4")["needed"] == "<=3"
    mixed = placing(spread(model_=thin), devices=[*cards(3), *cards(1, "big")])
    assert not any(len({c.device for c in p.layout.cards}) > 1 for p in mixed.placed)


def test_without_a_model_nothing_has_to_divide():
    assert (8, 1, 1, 1, 1) in shapes(placing(base(), model=None, devices=cards(8)))


# ---------------------------------------------------------------------- what the engine does


def test_what_an_engine_does_not_do_is_refused_with_its_source():
    result = placing(spread(tp={"is": "no", "source": "s-no"}), devices=cards(2))
    assert not any(p.layout.tp > 1 for p in result.placed)
    assert why(result, "TP 2")["sources"] == ["s-no"]
    result = placing(spread(pp={"is": "no", "source": "s-no"}), devices=cards(2))
    assert not any(p.layout.pp > 1 for p in result.placed)


@pytest.mark.parametrize("fact", [None, {"is": "unknown"}])
def test_what_nobody_knows_stays_unconfirmed(fact):
    kb = spread()
    kb.engines["alpha"]["parallelism"] |= {"tp": fact} if fact else {}
    if fact is None:
        del kb.engines["alpha"]["parallelism"]["tp"]
    split = next(p for p in placing(kb, devices=cards(2)).placed if p.layout.tp == 2)
    assert clauses(split.unconfirmed) == ["engine.parallelism.tp"]


def test_conditions_maximum_mode_and_version_of_a_way_of_spreading():
    conditional = {"is": "yes", "needs": {"links.within": ["nvlink"]}, "source": "s"}
    assert (2, 1, 1, 1, 1) not in shapes(placing(spread(tp=conditional), devices=cards(2)))
    assert (2, 1, 1, 1, 1) in shapes(placing(spread(tp=conditional), devices=cards(2), links={"within": "nvlink"}))
    limited = placing(spread(tp={"is": "yes", "max": 2, "source": "s"}), devices=cards(4))
    assert max(p.layout.tp for p in limited.placed) == 2 and why(limited, "TP 4")["needed"] == "<=2"
    later = {"is": "yes", "versions": ">=3", "source": "s"}
    assert (2, 1, 1, 1, 1) not in shapes(placing(spread(tp=later), devices=cards(2)))
    newer = {"optional": {"engine_versions": {"alpha": "3.0"}}}
    assert (2, 1, 1, 1, 1) in shapes(placing(spread(tp=later), devices=cards(2), **newer))


def test_a_condition_may_read_the_format():
    fact = {"is": "yes", "needs": {"not": {"format.family": "four"}}, "source": "s"}
    assert (2, 1, 1, 1, 1) in shapes(placing(spread(tp=fact), "sixteen", devices=cards(2)))
    assert (2, 1, 1, 1, 1) not in shapes(placing(spread(tp=fact), "four", devices=cards(2)))


def test_uneven_ranks_need_not_divide_but_never_outnumber_the_heads():
    uneven = {"is": "yes", "uneven": True, "source": "s"}
    assert (3, 1, 1, 1, 1) in shapes(placing(spread(tp=uneven), devices=cards(3)))
    few = model(heads=2)
    assert (3, 1, 1, 1, 1) not in shapes(placing(spread(model_=few, tp=uneven), devices=cards(3)))


def test_experimental_ways_are_marked():
    result = placing(spread(tp={"is": "experimental", "source": "s"}), devices=cards(2))
    assert {p.layout.tp: p.experimental for p in result.placed if p.layout.pp == 1} == {1: False, 2: True}


# ---------------------------------------------------------------------- unequal cards


def test_unequal_cards_never_go_tensor_parallel():
    uneven = {"is": "yes", "uneven": True, "source": "s"}
    result = placing(spread(tp=uneven), devices=[*cards(1), *cards(1, "big")])
    both = [p for p in result.placed if len(p.layout.cards) == 2]
    assert [(p.layout.tp, p.layout.pp, p.layout.uneven) for p in both] == [(1, 2, True)]


def test_one_card_in_two_sizes_is_unequal():
    two = device("Two", "sm_80", 40) | {"memory": {"options": [40, 80], "unified": False}}
    sizes = [{"device": "two", "memory_gib": 40}, {"device": "two", "memory_gib": 80}]
    result = placing(base(devices={"two": two}), devices=sizes)
    assert all(p.layout.tp == 1 for p in result.placed)
    assert {len(p.layout.cards) for p in result.placed} == {1, 2}


def test_unequal_cards_need_an_engine_that_mixes_and_splits_unevenly():
    both = [*cards(1), *cards(1, "big")]
    for parallelism in ({"mixed": {"is": "no", "source": "s"}}, {"pp": {"is": "yes", "source": "s"}}):
        result = placing(spread(**parallelism), devices=both)
        assert all(len(p.layout.cards) == 1 for p in result.placed)
        assert "mixed cards" in dict(result.refused)
    unknown = placing(spread(mixed={"is": "unknown"}), devices=both)
    mixed = next(p for p in unknown.placed if len(p.layout.cards) == 2)
    assert clauses(mixed.unconfirmed) == ["engine.parallelism.mixed"]


# ---------------------------------------------------------------------- machines


def several(**more):
    return {"devices": cards(8), "nodes": 2, "traffic": {"concurrency": 1}} | more


def test_without_rdma_tensor_stays_inside_and_pipeline_goes_between():
    found = shapes(placing(base(), **several(links={"between": "ethernet"})))
    assert (8, 2, 1, 1, 2) in found
    assert not any(tp > 8 for tp, *_ in found)


def test_with_rdma_tensor_goes_across():
    found = shapes(placing(base(), **several(links={"between": "rdma"})))
    assert (16, 1, 1, 1, 2) in found
    assert (8, 2, 1, 1, 2) in found


def test_machines_without_a_link_carry_only_copies():
    result = placing(base(), **several(links={"between": "none"}, traffic={"concurrency": 4}))
    assert all(p.layout.nodes == 1 or p.layout.nodes <= p.layout.dp for p in result.placed)
    assert why(result, "2 nodes")["clause"] == "links.between"
    assert (8, 1, 1, 2, 2) in shapes(result)


def test_an_engine_of_one_machine_still_runs_a_copy_on_each():
    result = placing(spread(multi_node={"is": "no", "source": "s"}), **several(traffic={"concurrency": 4}))
    assert (8, 1, 1, 2, 2) in shapes(result)
    assert (8, 2, 1, 1, 2) not in shapes(result)


def test_no_copy_lies_across_machines_by_accident():
    found = placing(
        base(), **several(devices=cards(3), nodes=16, traffic={"concurrency": 100}, links={"between": "rdma"})
    )
    for placed in found.placed:
        layout = placed.layout
        assert layout.ranks * layout.dp == len(layout.cards) * layout.nodes
        inside = len(layout.cards) % layout.ranks == 0
        assert inside or layout.ranks % len(layout.cards) == 0


def test_as_many_machines_as_there_are_people():
    result = placing(base(), **several(nodes=100, traffic={"concurrency": 7}))
    assert max(p.layout.dp for p in result.placed) == 7
    assert (8, 1, 1, 7, 7) in shapes(result)


# ---------------------------------------------------------------------- asked for


def test_the_asked_degrees_filter():
    for wanted in ({"tp": 2}, {"pp": 4}, {"tp": 2, "pp": 2}, {"dp": 4}, {"tp": 4, "dp": 2}):
        result = placing(base(), devices=cards(8), settings={"layout": wanted}, traffic={"concurrency": 1})
        assert result.placed, wanted
        assert all(getattr(p.layout, k) == n for p in result.placed for k, n in wanted.items())


def test_asked_degrees_stay_legal():
    for wanted in ({"tp": 3}, {"tp": 16}, {"tp": 4, "ep": 2}, {"tp": 2, "ep": 2}):
        assert not placing(base(), devices=cards(8), settings={"layout": wanted}).placed, wanted


def test_asked_expert_parallel():
    moe = model(30, kind="moe", experts=EXPERTS, intermediate=8192)
    asked = {"settings": {"layout": {"tp": 4, "ep": 4}}}
    assert shapes(placing(spread(model_=moe), "blocks", devices=cards(4), **asked)) == {(4, 1, 4, 1, 1)}
    cut = {"settings": {"layout": {"tp": 8, "ep": 1}}}
    assert not placing(spread(model_=moe), "blocks", devices=cards(8), **cut).placed


def test_asked_over_machines():
    over = {"settings": {"layout": {"tp": 8, "pp": 2}}, "links": {"between": "ethernet"}}
    assert shapes(placing(base(), **several(**over))) == {(8, 2, 1, 1, 2)}
    one = spread(multi_node={"is": "no", "source": "s"})
    assert not placing(one, **several(**over)).placed


# ---------------------------------------------------------------------- order


def best(result):
    return min(result.placed, key=lambda p: p.order).layout


def test_one_card_first_and_copies_for_more_people():
    alone = best(placing(base(), devices=cards(4), traffic={"concurrency": 1}))
    assert (alone.ranks, alone.dp) == (1, 1)
    many = best(placing(base(), devices=cards(4), traffic={"concurrency": 8}))
    assert (many.ranks, many.dp) == (1, 4)


@pytest.mark.parametrize(
    ("within", "priority", "users", "split"),
    [
        ("pcie", "throughput", 8, "pp"), ("pcie", "throughput", 7, "tp"), ("pcie", "latency", 8, "tp"),
        ("nvlink", "throughput", 8, "tp"), ("none", "throughput", 64, "pp"), ("nvswitch", "throughput", 64, "tp"),
    ],
)  # fmt: skip
def test_a_weak_link_under_load_prefers_stages(within, priority, users, split):
    """Throughput over PCIe with at least two requests a stage: pipeline; else tensor."""
    situation = {"links": {"within": within}, "priority": priority, "traffic": {"concurrency": users}}
    result = placing(base(), devices=cards(4), **situation)
    order = {"tp": None, "pp": None}
    for placed in result.placed:
        if placed.layout.dp == 1 and placed.layout.ranks == 4:
            order["tp" if placed.layout.tp == 4 else "pp"] = placed.order
    other = "pp" if split == "tp" else "tp"
    assert order[split] < order[other]


def test_the_link_between_machines_counts_for_what_lies_across_them():
    load = {"priority": "throughput", "traffic": {"concurrency": 64}}
    result = placing(base(), **several(links={"within": "nvswitch", "between": "rdma"}, **load))
    order = {(p.layout.tp, p.layout.pp): p.order for p in result.placed if p.layout.dp == 1}
    assert order[(16, 1)] < order[(8, 2)]


# ---------------------------------------------------------------------- anything


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 16), st.integers(1, 9), st.integers(1, 70), st.sampled_from([7, 16, 24, 25, 40, 64, 128]),
    st.sampled_from(["ethernet", "rdma", "none"]), st.booleans(),
)  # fmt: skip
def test_every_layout_is_legal(count, nodes, users, heads, between, moe):
    entry = model(30, kind="moe", experts=EXPERTS, intermediate=8192) if moe else model(intermediate=11_008)
    kb = spread(model_=entry | {"heads": heads})
    devices = [*cards(count), *cards(1, "big")]
    result = placing(
        kb, "blocks", devices=devices, nodes=nodes, traffic={"concurrency": users}, links={"between": between}
    )
    seen = set()
    for placed in result.placed:
        layout = placed.layout
        identity = (tuple(c.index for c in layout.cards), layout)
        assert identity not in seen
        seen.add(identity)
        assert layout.ranks * layout.dp == len(layout.cards) * layout.nodes
        assert layout.nodes <= nodes and layout.dp <= users
        assert heads % layout.tp == 0 and layout.pp <= entry["layers"]
        if len({c.device for c in layout.cards}) > 1:
            assert layout.tp == 1 and layout.nodes == 1
        if layout.nodes > layout.dp:
            assert between != "none"
        if layout.tp > len(layout.cards):
            assert between == "rdma"
        if layout.tp > 1:
            width = 1536 if moe else 11_008
            assert layout.ep == layout.tp or (width // layout.tp) % 128 == 0 and width % layout.tp == 0
        assert layout.ep in (1, layout.tp) and (layout.ep == 1 or 64 % layout.ep == 0)
