"""The same bytes in CPython and in the browser's Python: decisions, what-if and rendered sections."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.bundle import load_for_cli
from knowledge.load import load
from macros import runtime
from wizard.browser import Session, decide_json
from wizard.vocabulary import NEEDS, PRIORITIES, SERVING

ROOT = Path(__file__).resolve().parents[2]
TODAY = "2026-11-30"
DECIDED, ANSWERED, EXPLORED = 200, 30, 3  # beside every scenario of the base


def situations(core, count):
    """Situations over the whole base: every device, model, format and serving value, and nonsense."""
    draw = random.Random(20261130)
    devices, models = sorted(core["devices"]), sorted(core["models"])
    for index in range(count):
        kinds = [devices[index % len(devices)]]
        if draw.random() < 0.15:
            kinds.append(draw.choice(devices))
        data = {
            "devices": [{"device": d, "count": draw.choice([1, 1, 1, 2, 2, 4, 8])} for d in dict.fromkeys(kinds)],
            "serving": draw.choice(SERVING),
            "priority": draw.choice(PRIORITIES),
            "traffic": {
                "concurrency": draw.choice([1, 2, 4, 16, 64, 300]),
                "shared_prefix": draw.choice([0, 0.3, 0.8]),
            },
            "context": {"tokens": draw.choice([2048, 8192, 32768, 131072]), "input": draw.choice([100, 4000, 20000])},
        }
        if draw.random() < 0.9:
            data["model"] = models[index * 7 % len(models)]
        elif draw.random() < 0.5:
            data["model"] = {"params_b": draw.choice([7, 32, 70.5])}
        if draw.random() < 0.3:
            data["format"] = draw.choice(["gguf", "awq", "fp8", "exl3", "Q4_K_M", "mlx"])
        if draw.random() < 0.3:
            data["needs"] = draw.sample(NEEDS, 2)
        if draw.random() < 0.2:
            data["nodes"] = draw.choice([2, 4])
        if draw.random() < 0.2:
            data["host"] = {"os": draw.choice(["linux", "windows", "macos", "beos"])}
        if draw.random() < 0.1:
            data["settings"] = {"kv": draw.choice(["fp8", "q8_0", "nonsense"])}
        yield data


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_cpython_and_pyodide_agree_byte_for_byte(tmp_path):
    knowledge = tmp_path / "knowledge"
    made = subprocess.run(
        [sys.executable, "-m", "knowledge", "bundle", "--out", str(knowledge)], cwd=ROOT, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    manifest = runtime.prepare(knowledge)
    core, texts, measurements = load_for_cli()
    session = Session(json.dumps(core), TODAY)
    for lang, strings in texts.items():
        session.add_texts(lang, json.dumps(strings))
    session.add_measurements(json.dumps(measurements))
    told = [entry["situation"] for entry in load().entries["scenario"].values()]
    cases, expected = [], []
    for index, data in enumerate([*situations(core, DECIDED), *told]):
        text = json.dumps(data)
        cases.append({"kind": "decide", "data": text})
        expected.append(decide_json(text, session.kb, TODAY))
        if index < ANSWERED + EXPLORED:
            from wizard.situation import fragment, read

            lang = ("en", "vi", "ru")[index % 3]
            address = fragment(read(data, session.kb).stated)
            request = json.dumps({"address": address, "lang": lang, "base": "../"})
            answer = session.answer(request)
            if index < ANSWERED:
                cases.append({"kind": "answer", "data": request})
                expected.append(answer)
            else:
                while not session.explore(request).startswith('{"done": true'):
                    pass
                cases.append({"kind": "explore", "data": request})
                expected.append(session.export("json", "en"))
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run(
        [
            "node", str(Path(__file__).with_name("run.mjs")), str(ROOT / "build/wizard/runtime" / manifest.runtime),
            str(knowledge), str(tmp_path / "cases.json"), str(tmp_path / "out.json"),
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads((tmp_path / "out.json").read_text())
    assert len(answers) == len(expected) > 300
    differing = [cases[i] for i, (a, b) in enumerate(zip(answers, expected, strict=True)) if a != b]
    assert not differing
