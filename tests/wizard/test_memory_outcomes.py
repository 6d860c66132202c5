"""What ran in public and what did not: never "fits" where it did not, hardly ever "no" where it did."""

from __future__ import annotations

import argparse

import pytest

from knowledge.load import load
from wizard import memory_command
from wizard.memory import named

PARTLY = ("offload", "partly")  # words of a record whose model was not on the devices as a whole


@pytest.fixture(scope="module")
def measurements():
    return {f.id: f.data for f in load().files.values() if f.kind == "measurement" and isinstance(f.data, dict)}


@pytest.fixture(scope="module")
def ask(kb):
    parser = argparse.ArgumentParser()
    memory_command.add(parser.add_subparsers())

    def call(**given):
        options = [part for name, value in given.items() if value for part in (f"--{name}", str(value))]
        return memory_command.ask(parser.parse_args(["memory", *options]), kb)

    return call


def test_no_false_fits_and_what_ran_is_not_refused(measurements, ask):
    told = {True: [], False: []}
    for page, data in measurements.items():
        for row in data.get("outcomes", ()):
            engine = f"{row['engine']}@{row['engine_version']}" if "engine_version" in row else row["engine"]
            names = ("model", "format", "kv", "device", "count", "tp", "context", "fraction")
            answer = ask(engine=engine, **{name: row.get(name) for name in names})
            told[row["fitted"]].append((f"{page}.{row['id']}", answer["fit"]))
    assert len(told[False]) >= 7 and len(told[True]) >= 5
    assert [row for row in told[False] if row[1] == "fits"] == []
    assert [row for row in told[True] if row[1] in ("no", "offload")] == []


def test_what_was_measured_on_the_devices_fits_there(measurements, ask, kb):
    classes = []
    for data in measurements.values():
        for row in data.get("records", ()):
            device, model = kb.find_device(row["hardware"]), kb.find_model(row["model"])
            type_ = f"{row['format']['family']} {row['format'].get('type', '')}".strip()
            if not device or not model or row["engine"] not in kb.engines or not named.find(type_, kb):
                continue
            if any(word in row.get("note", "").lower() for word in PARTLY):
                continue
            on_cpu = kb.devices[device[0]]["kind"] != "cpu" and row["speed_class"].startswith("cpu")
            if not on_cpu:
                count = row.get("count", 1)
                answer = ask(
                    model=model[0], format=type_, engine=row["engine"], device=row["hardware"], count=count,
                    context=1024, concurrency=row.get("batch", 1),
                )  # fmt: skip
                classes.append((answer["fit"], f"{row['id']} {row['hardware']}"))
    wrong = [row for row in classes if row[0] in ("no", "offload")]
    tight = [row for row in classes if row[0] == "tight"]
    assert len(classes) > 300
    assert len(wrong) <= 0.05 * len(classes), wrong
    assert len(tight) <= 0.1 * len(classes), tight
