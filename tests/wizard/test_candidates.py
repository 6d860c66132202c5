"""The order of candidates, clause by clause, and which ones are made at all."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard import making, paths, sizing
from wizard.candidates import Candidate, eased, order
from wizard.facts import Facts
from wizard.shapes import GIB, Card, Layout, Path
from wizard.situation import read
from wizard.vocabulary import PRIORITIES

from .small import base, clauses, device, engine, facts, found, model, ranked

CARD = Card("card", {"kind": "gpu"}, 24 * GIB, 0)


def interval(low, point, high):
    return {"low": low, "point": point, "high": high}


def candidate(name="a", *, class_="fits", status="published", bits=4.0, speed=None, kernel="native", **more):
    """A candidate with what the order reads."""
    cards = more.pop("cards", (CARD,))
    path = Path(name, None, more.pop("backend", "cuda"), more.pop("family", "f"), more.pop("type", "t"), kernel,
                {"status": status}, place=more.pop("place", 0))  # fmt: skip
    layout = Layout(cards, tp=more.pop("tp", 1), pp=more.pop("pp", 1))
    host = {"host_bytes": more.pop("host_bytes", 0)} if class_ == "offload" else None
    estimates = {"decode_tps": interval(*speed), "throughput_tps": interval(*speed)} if speed else None
    return Candidate(
        path, layout, more.pop("order", 0), more.pop("unconfirmed", ()), {"class": class_, "offload": host},
        lambda: estimates, bits=bits, **more,
    )  # fmt: skip


def names(candidates, priority="latency"):
    return [c.path.engine for c in order(candidates, priority)]


# ---------------------------------------------------------------------- the order


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (dict(class_="fits", status="unknown"), dict(class_="tight", status="published", speed=(90, 100, 110))),
        (dict(class_="tight", bits=3.0), dict(class_="offload", bits=16.0)),
        (dict(class_="offload", bits=3.0), dict(class_="no", bits=16.0)),
        (dict(status="published", bits=4.0), dict(status="convert", bits=16.0)),
        (dict(status="convert"), dict(status="unknown", bits=16.0)),
        (dict(bits=4.0), dict(bits=16.0, unconfirmed=({"clause": "x"},))),
        (dict(bits=4.0), dict(bits=16.0, experimental=True)),
        (dict(bits=4.0), dict(bits=16.0, kernel="emulated")),
        (dict(bits=4.0), dict(bits=16.0, backend="cpu")),
        (dict(kernel="native"), dict(kernel="weight-only")),
        (dict(fallback=False), dict(fallback=True)),
        (dict(place=0), dict(place=1)),
        (dict(order=0), dict(order=1)),
        (dict(bits=4.9), dict(bits=4.2)),
        (dict(), dict()),
    ],
    ids=["fit", "offload", "no", "published", "convert", "unconfirmed", "experimental", "emulated",
         "spare-processor", "kernel", "fallback", "home", "layout", "half-bits", "id"],
)  # fmt: skip
def test_clause_by_clause(better, worse):
    first, second = candidate("a", **better), candidate("b", **worse)
    assert names([second, first]) == names([first, second]) == ["a", "b"]


def test_without_estimates_speed_means_few_bits_and_any_other_priority_many():
    wide, narrow = candidate("wide", bits=8.0), candidate("narrow", bits=4.0)
    assert names([wide, narrow]) == ["narrow", "wide"]
    assert names([wide, narrow], "privacy") == ["wide", "narrow"]


def test_severe_loss_comes_after_a_part_in_system_memory():
    severe = candidate("severe", lossy=2, bits=2.6)
    assert severe.rank_class == 2
    assert names([severe, candidate("moved", class_="offload", bits=4.0)]) == ["moved", "severe"]


def test_with_a_part_in_system_memory_points_compare():
    """The bus makes every interval wide; the one that moves less is still faster."""
    small = candidate("small", class_="offload", bits=4.0, speed=(2, 9, 30))
    large = candidate("large", class_="offload", bits=8.0, speed=(1, 3, 12))
    assert names([large, small]) == ["small", "large"]


def test_visible_loss_ranks_one_class_lower_but_shows_its_own():
    lossy = candidate("lossy", lossy=True)
    assert (lossy.real_class, lossy.rank_class) == (0, 1)
    assert lossy.fit["class"] == "fits"
    assert names([lossy, candidate("fits", bits=3.0)]) == ["fits", "lossy"]
    assert names([lossy, candidate("offload", class_="offload", bits=16.0)]) == ["lossy", "offload"]
    worst = candidate("x", class_="no", lossy=True)
    assert worst.rank_class == 3


def test_bits_of_one_whole_number_are_alike_until_everything_else_is():
    assert names([candidate("a", bits=4.9, kernel="weight-only"), candidate("b", bits=4.2)]) == ["b", "a"]
    assert names([candidate("a", bits=4.2), candidate("b", bits=4.9)]) == ["b", "a"]


def test_formats_of_one_engine_compare_by_time_however_wide_the_interval():
    """What is uncertain is the engine on the device; half the bytes are read in half the time whatever it is."""
    half = candidate("one", type="half", bits=4.8, speed=(7, 16, 19))
    whole = candidate("one", type="whole", bits=8.5, speed=(4, 9, 11))
    near = candidate("one", type="near", bits=6.5, speed=(5, 12, 15))
    assert order([whole, half], "latency") == [half, whole]
    assert order([half, near], "latency") == [near, half]
    elsewhere = candidate("other", bits=8.5, speed=(4, 9, 11))
    assert order([half, elsewhere], "latency") == [elsewhere, half]


def test_candidates_that_cannot_be_told_apart_take_more_bits():
    """Those whose interval reaches the best one's low end are one group, whatever their point."""
    fast = candidate("fast", bits=4.0, speed=(90, 100, 110))
    close = candidate("close", bits=8.0, speed=(80, 85, 90))
    slow = candidate("slow", bits=16.0, speed=(40, 50, 60))
    slower = candidate("slower", bits=16.0, speed=(20, 30, 89))
    for permutation in itertools.permutations([fast, close, slow, slower]):
        assert names(list(permutation)) == ["close", "fast", "slow", "slower"]
    # without a wish for speed eight bits are enough: no loss is on record beyond them
    assert names([fast, close, slow, slower], "privacy") == ["close", "slow", "slower", "fast"]


def test_stages_that_are_clearly_slower_are_no_match_for_tensor_ranks_of_the_same_cards():
    wide = (30, 100, 160)  # what is uncertain about the cards is the same for both
    tensor = candidate("tensor", speed=wide, tp=2, bits=4.0)
    assert names([candidate("stages", speed=(20, 60, 100), pp=2, bits=6.0), tensor]) == ["tensor", "stages"]
    assert names([candidate("stages", speed=(25, 90, 140), pp=2, bits=6.0), tensor]) == ["stages", "tensor"]
    elsewhere = candidate("stages", speed=(20, 60, 100), pp=2, bits=6.0, cards=(CARD, CARD))
    assert names([elsewhere, tensor]) == ["stages", "tensor"]


def test_tight_tensor_ranks_are_eased_only_where_nothing_but_slow_stages_fits():
    tight = candidate("a", class_="tight", speed=(30, 100, 160), tp=2)
    slow, level = candidate("a", speed=(20, 60, 100), pp=2), candidate("a", speed=(25, 90, 140), pp=2)
    assert [c.rank_class for c in eased([tight, slow])] == [0, 0]
    assert eased([tight, slow])[0].real_class == 1  # what is shown stays
    for others in ([level], [slow, level], [candidate("b", speed=(20, 60, 100), pp=2)], []):
        assert eased([tight, *others])[0].rank_class == 1


def test_outside_the_group_the_point_decides_and_no_estimate_comes_last():
    best = candidate("best", speed=(90, 100, 110))
    second = candidate("second", bits=4.0, speed=(50, 60, 70))
    third = candidate("third", bits=16.0, speed=(30, 40, 50))
    none = candidate("none", bits=16.0)
    assert names([none, third, second, best]) == ["best", "second", "third", "none"]


@pytest.mark.parametrize("priority", PRIORITIES)
def test_a_part_in_system_memory_goes_by_speed_then_by_how_little_moves(priority):
    wide = candidate("wide", class_="offload", bits=16.0, speed=(1, 2, 3), host_bytes=20)
    narrow = candidate("narrow", class_="offload", bits=4.0, speed=(8, 9, 10), host_bytes=5)
    assert names([wide, narrow], priority) == ["narrow", "wide"]
    wide = candidate("wide", class_="offload", bits=16.0, host_bytes=20)
    narrow = candidate("narrow", class_="offload", bits=4.0, host_bytes=5)
    assert names([wide, narrow], priority) == ["narrow", "wide"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_order_does_not_depend_on_the_order_of_asking(data):
    some = [
        candidate(
            f"e{n}",
            class_=data.draw(st.sampled_from(["fits", "tight", "offload", "no"])),
            status=data.draw(st.sampled_from(["published", "convert", "unknown"])),
            bits=data.draw(st.sampled_from([3.0, 4.25, 4.9, 8.0, 16.0])),
            kernel=data.draw(st.sampled_from(["native", "weight-only", "experimental"])),
            lossy=data.draw(st.booleans()),
            order=data.draw(st.integers(-1, 3)),
            speed=data.draw(st.sampled_from([None, (1, 2, 3), (2, 3, 4), (10, 20, 30)])),
        )
        for n in range(6)
    ]
    priority = data.draw(st.sampled_from(PRIORITIES))
    expected = names(some, priority)
    assert names(data.draw(st.permutations(some)), priority) == expected
    ranks = [c.rank_class for c in order(some, priority)]
    assert ranks == sorted(ranks)


# ---------------------------------------------------------------------- which are made


def made(kb, engine_="alpha", **situation):
    return ranked(kb, **situation)[engine_].candidates


def types(candidates):
    return {c.path.type for c in candidates}


def test_published_weights_that_fit_are_enough():
    candidates = made(base())
    assert types(candidates) == {"bf16"}
    assert candidates[0].fit["class"] == "fits"


def test_what_has_to_be_converted_is_tried_when_nothing_published_fits():
    candidates = made(base(), devices=[{"device": "card"}], model="small", context={"tokens": 65536, "input": 2000})
    assert {"bf16", "g128"} <= types(candidates)
    assert candidates[0].path.type == "g128" and candidates[0].path.checkpoint["status"] == "convert"


def test_system_memory_is_looked_at_last():
    way = [{"kind": "layers", "is": "yes", "source": "s"}]
    kb = base(engines={"alpha": engine("Alpha", offload=way)}, models={"large": model(120)})
    assert {c.fit["class"] for c in made(kb)} <= {"fits", "tight", "no"}
    assert made(kb, model="large", host={"ram_gib": 256})[0].fit["class"] == "offload"
    assert made(kb, model="large", host={"ram_gib": 256}, settings={"offload": "no"})[0].fit["class"] == "no"
    assert made(kb, model="large", host={"ram_gib": 8})[0].fit["class"] == "no"


def test_wider_than_published_is_not_better():
    points = [
        {"format": "four", "type": "g128", "repository": "maker/model", "official": True},
        {"format": "sixteen", "type": "bf16", "repository": "other/unpacked", "official": False},
    ]
    kb = base(models={"small": model(checkpoints=points)})
    best = made(kb, priority="privacy")[0]
    assert best.path.type == "g128"
    assert {c.bits for c in made(kb, priority="privacy")} == {4.25}


def test_a_batch_job_waits_in_the_queue_and_people_do_not():
    load = {"context": {"tokens": 8192, "input": 4000, "output": 500}}
    online = made(base(), traffic={"concurrency": 200}, **load)
    assert online[0].fit["class"] == "no"
    offline = made(base(), traffic={"concurrency": 200, "mode": "offline"}, **load)
    assert offline[0].fit["class"] == "fits"


def test_a_model_that_writes_nothing_has_no_decode_speed():
    feature = {"embeddings": {"is": "yes", "source": "s"}}
    kb = base(models={"embedder": model(0.6, tasks=["embeddings"])}, engines={"alpha": engine("A", features=feature)})
    best = made(kb, model="embedder")[0]
    assert best.estimates["decode_tps"] is None and best.estimates["missing"] == "no-text"


def test_without_a_model_there_is_one_candidate_a_back_end_and_no_numbers():
    candidates = made(base(), model=None, devices=[{"device": "card", "count": 4}])
    assert len(candidates) == 1
    assert candidates[0].fit is None and candidates[0].estimates is None
    assert candidates[0].runs


# ---------------------------------------------------------------------- type of the KV cache


def with_kv(*lines):
    kb = base(engines={"alpha": engine("Alpha", kv_types=list(lines))})
    del kb.engines["beta"]
    return kb


def kv(kb, wanted="fp8", **situation):
    f = facts(kb, settings={"kv": wanted}, **situation)
    search = paths.find(f)
    return sizing.build(search, f), search


def test_a_kv_type_the_engine_lacks_removes_it_and_lists_those_it_has():
    kb = with_kv({"type": "f16", "source": "s"}, {"type": "int8", "needs": {"device.arch": "x"}, "source": "s"})
    kb.engines["beta"] = engine("Beta", kv_types=[{"type": "fp8", "source": "s"}])
    by_engine, search = kv(kb)
    assert set(by_engine) == {"beta"}
    stop = search.refusals[0].obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("settings.kv", "fp8", ["f16", "int8"])


def test_a_kv_type_for_other_devices_tells_which():
    line = {"type": "fp8", "needs": {"device.compute_capability": ">=8.9"}, "source": "s-kv"}
    by_engine, search = kv(with_kv(line))
    assert not by_engine
    stop = search.refusals[0].obstacles[0]
    assert (stop["clause"], stop["yours"], stop["needed"]) == ("device.compute_capability", "8.6", ">=8.9")
    assert kv(with_kv(line), devices=["big"])[0]


def test_a_kv_type_nobody_can_confirm_stays_unconfirmed():
    line = {"type": "fp8", "needs": {"host.instructions": "amx"}, "source": "s"}
    by_engine, _ = kv(with_kv(line))
    assert clauses(by_engine["alpha"].best.unconfirmed) == ["host.instructions"]


def test_the_usual_type_is_always_there():
    assert kv(with_kv(), "f16")[0] and kv(with_kv(), "auto")[0]


def test_an_asked_layout_nothing_makes_is_a_refusal_with_its_reason():
    f = facts(base(), devices=[{"device": "card", "count": 3}], settings={"layout": {"tp": 3}})
    search = paths.find(f)
    assert not sizing.build(search, f)
    refused = next(r for r in search.refusals if r.engine == "alpha")
    assert refused.scope == "layout"
    assert refused.obstacles[0]["text"] == "obstacle.tp-heads"


def test_a_way_of_spreading_may_depend_on_the_type():
    one = engine("Alpha")
    one["parallelism"]["tp"] = {"is": "yes", "needs": {"not": {"format.type": "rough"}}, "source": "s"}
    two = {"devices": [{"device": "card", "count": 2}], "format": "four", "traffic": {"concurrency": 1}}
    split = {c.path.type for c in made(base(engines={"alpha": one}), **two) if c.layout.tp == 2}
    assert split == {"g128"}


# ---------------------------------------------------------------------- on the real knowledge


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_what_is_not_sized_could_not_have_won(kb, data):
    """Leaving candidates out early is only a matter of time, never of the answer."""
    situation = {
        "devices": [{"device": data.draw(st.sampled_from(sorted(kb.devices))), "count": data.draw(st.integers(1, 4))}],
        "model": data.draw(st.sampled_from(sorted(kb.models))),
        "priority": data.draw(st.sampled_from(PRIORITIES)),
        "traffic": {"concurrency": data.draw(st.sampled_from([1, 4, 16]))},
    }  # fmt: skip
    f = Facts(read(situation, kb).situation, kb)
    quick = sizing.build(paths.find(f), f)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making.Maker, "close", lambda *_: None)
        slow = sizing.build(paths.find(f), f)
    assert {e: r.best.key for e, r in quick.items()} == {e: r.best.key for e, r in slow.items()}


def test_found_options_are_told_apart_by_back_end():
    both = [{"backend": "cuda", "source": "s"}, {"backend": "vulkan", "source": "s"}]
    rows = [{"format": "sixteen", "backend": ["cuda", "vulkan"], "kernel": "native", "source": "s"}]
    kb = base(engines={"alpha": engine("Alpha", runs_on=both, formats=rows)}, devices={"card": device("Card")})
    assert {o.path.backend for o in found(kb).options if o.path.engine == "alpha"} == {"cuda", "vulkan"}
