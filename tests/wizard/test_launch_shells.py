"""Quoting: whatever a value contains, the shell, Docker and Compose hand it on unchanged."""

import json
import shlex
import shutil
import subprocess

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wizard.launch import command, compose, docker, posix, powershell
from wizard.launch.shells import quote_powershell, request

from . import sample_decision as sample

# no NUL (no process can take one) and no lone surrogates (no encoding has them)
anything = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=30)
quiet = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def process(words, env=(), **more):
    args = [{"flag": w, "value": None, "why": None, "params": {}, "sources": [], "bind": False} for w in words]
    base = {
        "id": "server",
        "node": 0,
        "repeat": 1,
        "program": ["prog"],
        "args": args,
        "env": [{"name": n, "value": v, "why": None, "bind": False} for n, v in env],
        "image": "example/image:1",
        "entrypoint": False,
        "port": 8000,
        "files": [],
    }
    return {**base, **more}


def made(*processes, **known):
    values = {
        "launch.host": "127.0.0.1",
        "launch.model": "lab/m",
        "candidate.device_count": 1,
        "candidate.backend": "cuda",
        **known,
    }
    return {"kind": "server", "processes": list(processes), "values": values}


def text(lines):
    return "\n".join(line.code for line in lines)


def run(script, shell):
    path = shutil.which(shell)
    if not path:
        pytest.skip(f"no {shell} here")
    # `prog` prints its arguments and one variable, separated by NUL
    prelude = 'prog() { for a in "$@"; do printf "%s\\0" "$a"; done; printf "%s\\0" "$SECRET"; }\n'
    return subprocess.run([path, "-c", prelude + script], capture_output=True, check=True).stdout


@given(st.lists(anything, max_size=4), anything)
@quiet
def test_posix_words_arrive_unchanged_in_a_real_shell(words, secret):
    script = text(posix(process(words, [("SECRET", secret)])))
    expected = [*words, secret]
    assert run(script, "bash") == b"".join(w.encode() + b"\0" for w in expected)


@given(st.lists(anything, max_size=4))
@quiet
def test_posix_words_read_back(words):
    joined = text(posix(process(words))).replace(" \\\n", " ")
    assert shlex.split(joined) == ["prog", *words]


@given(anything)
@quiet
def test_files_arrive_unchanged(content):
    content = content.replace("\r", "").rstrip("\n")
    lines = posix(process([], files=[{"path": "/dev/stdout", "content": content}]))
    script = text(lines).rpartition("\n")[0].replace("cat > /dev/stdout", "cat")
    assert run(script, "bash").decode() == content + "\n"


def test_the_check_is_a_request_of_the_shell_it_is_typed_into():
    body = '{"model": "it\'s", "max_tokens": 16}'
    words = ["curl", "http://127.0.0.1:8080/v1/x", "-H", "Content-Type: application/json", "-H", "X-Key: k", "-d", body]
    assert shlex.split(request(words, "linux")) == words
    made = request(words, "windows")
    assert made.startswith("Invoke-RestMethod 'http://127.0.0.1:8080/v1/x' -Method Post ")
    assert "-ContentType 'application/json'" in made and "-Headers @{'X-Key' = 'k'}" in made
    assert made.endswith("-Body '" + body.replace("'", "''") + "'")
    assert request(words[:2], "windows") == "Invoke-RestMethod 'http://127.0.0.1:8080/v1/x'"
    assert request(["foundry", "model", "list"], "windows") == "foundry model list"


def read_powershell(word):
    """What PowerShell makes of one argument: its own grammar for bare words and single quotes."""
    if word.startswith("'"):
        inner = word[1:-1]
        for quote in "'\u2018\u2019\u201a\u201b":
            assert quote not in inner.replace(quote * 2, "")
            inner = inner.replace(quote * 2, quote)
        return inner
    assert not set(word) & set(" \t\n\"'`$(){};,|&<>@#*?[]%~^!"), word
    assert not (word.startswith("-") and set(word) & set(".:")), "a bare word like this is split in two"
    return word


@given(anything)
@quiet
def test_powershell_words_read_back(word):
    assert read_powershell(quote_powershell(word)) == word


@pytest.mark.parametrize("word", ["--flag", "a/b-c:1", "0.92", "127.0.0.1", "./model"])
def test_harmless_words_stay_bare_in_powershell(word):
    assert quote_powershell(word) == word


@pytest.mark.parametrize("word", ["", "-x.y", "-a:b", "a b", "$env:X", "a,b", "@x", "it's", "#x"])
def test_words_with_a_meaning_are_quoted_in_powershell(word):
    assert quote_powershell(word).startswith("'")


def test_powershell_sets_variables_and_calls_quoted_programs():
    lines = powershell(process(["x"], [("KEY", "it's")], program=["my prog"]))
    assert text(lines) == "$env:KEY = 'it''s'\n& 'my prog' x"


@given(st.lists(anything, max_size=4), anything)
@quiet
def test_docker_words_arrive_unchanged(words, secret):
    one = process(words, [("SECRET", secret)])
    script = text(docker(one, made(one))).replace('"${HOME}/', '"/home/').replace(" \\\n", " ")
    read = shlex.split(script)
    assert read[:3] == ["docker", "run", "--rm"]
    at = read.index("example/image:1")
    assert read[at + 1 :] == ["prog", *words]
    assert f"SECRET={secret}" in read[:at]


@given(st.lists(anything, min_size=1, max_size=4), anything)
@quiet
def test_compose_is_yaml_and_keeps_every_value(words, secret):
    one = process(words, [("SECRET", secret)])
    read = yaml.safe_load(text(compose(made(one))))["services"]["server"]
    assert [w.replace("$$", "$") for w in read["command"]] == ["prog", *words]
    assert read["environment"]["SECRET"].replace("$$", "$") == secret
    assert read["ports"] == ["127.0.0.1:8000:8000"]


def test_containers_publish_on_loopback_and_bind_inside():
    rec = sample.recommendation()
    whole = command(rec, sample.situation(), sample.kb())
    lines = text(docker(whole["processes"][0], whole))
    assert "--publish 127.0.0.1:8000:8000" in lines and "--host 0.0.0.0" in lines
    assert "--gpus all" in lines and "--ipc=host" in lines, "two cards of a vendor with a container runtime"
    assert "example/alpha:v1.2.0" in lines and "alpha serve" not in lines, "the image starts the program"
    open_ = {**whole, "values": {**whole["values"], "launch.host": "0.0.0.0"}}
    assert "--publish 0.0.0.0:8000:8000" in text(docker(whole["processes"][0], open_))


def test_hardware_of_other_vendors_is_passed_as_devices():
    one = process([])
    assert "/dev/kfd" in text(docker(one, made(one, **{"candidate.backend": "rocm"})))
    assert "--device /dev/dri" in text(docker(one, made(one, **{"candidate.backend": "vulkan"})))
    assert "--gpus" not in text(docker(one, made(one, **{"candidate.backend": "cpu"})))
    service = yaml.safe_load(text(compose(made(one, **{"candidate.backend": "rocm"}))))["services"]["server"]
    assert service["devices"] == ["/dev/kfd", "/dev/dri"]


def test_local_weights_are_mounted():
    one = process(["./m"])
    assert ":/work" in text(docker(one, made(one, **{"launch.model": "./m"})))
    service = yaml.safe_load(text(compose(made(one, **{"launch.model": "./m"}))))["services"]["server"]
    assert service["volumes"] == [".:/work"] and service["working_dir"] == "/work"


def test_without_an_image_there_is_no_container():
    one = process([], image=None)
    assert docker(one, made(one)) == [] and compose(made(one)) == []


def test_each_line_has_its_reason():
    whole = command(sample.recommendation(), sample.situation(), sample.kb())
    lines = posix(whole["processes"][0])
    reasons = {line.code.split()[0]: line.why for line in lines}
    assert reasons["--max-len"] == "sample.why-context"
    assert lines[-1].code.strip() == "--host 127.0.0.1 --port 8000", "the port shares the line of the address"
    assert json.dumps(whole), "the command is plain data"
