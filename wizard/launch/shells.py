"""One process as lines for a POSIX shell or PowerShell; every value is quoted, whatever it contains."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any

Plain = dict[str, Any]

# Words PowerShell takes as they are. A word that begins with "-" and holds "." or ":" is split in
# two when it stands bare (PowerShell issue 6291), a leading "@" splats, a comma makes an array.
_BARE = re.compile(r"[A-Za-z_/\\][A-Za-z0-9_/\\.:=+-]*|--?[A-Za-z][A-Za-z0-9_-]*|\d+(\.\d+)*|\./[A-Za-z0-9_/.-]+")


@dataclass
class Line:
    """One line of a command and the reason beside it: a text id with the values it takes."""

    code: str
    why: str | None = None
    params: Plain = field(default_factory=dict)


@dataclass
class Group:
    """Words that stand on one line, with the reason for them. Raw words are shell text, not quoted."""

    words: list[str]
    why: str | None = None
    params: Plain = field(default_factory=dict)
    raw: bool = False


def posix(process: Plain) -> list[Line]:
    """The process for sh, bash and zsh: files first, then variables and the command."""
    lines = [line for file in process["files"] for line in _heredoc(file)]
    groups = [Group([f"{e['name']}={shlex.quote(e['value'])}"], e.get("why"), raw=True) for e in process["env"]]
    return lines + continued([*groups, *command_groups(process)], shlex.quote, " \\", len(groups))


def powershell(process: Plain) -> list[Line]:
    """The process for PowerShell 7.3 or newer (older ones strip double quotes inside arguments)."""
    lines = [line for file in process["files"] for line in _set_content(file)]
    lines += [Line(f"$env:{e['name']} = {_single(e['value'])}", e.get("why")) for e in process["env"]]
    groups = command_groups(process)
    if groups[0].words and not _BARE.fullmatch(groups[0].words[0]):
        groups[0].words[0] = f"& {_single(groups[0].words[0])}"
        groups[0] = Group(
            [groups[0].words[0], *(quote_powershell(w) for w in groups[0].words[1:])],
            groups[0].why,
            groups[0].params,
            raw=True,
        )
    return lines + continued(groups, quote_powershell, " `", 0)


def request(words: list[str], os: str) -> str:
    """A request that shows an engine works, as a line for the shell of a system.

    Windows PowerShell has another command under the name curl and takes the quotes out of what it hands to programs,
    so there the same request is one of its own.
    """
    if os != "windows":
        return " ".join(shlex.quote(w) for w in words)
    if not words or words[0] != "curl":
        return " ".join(quote_powershell(w) for w in words)
    made, url, rest = [], "", iter(words[1:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest, "").partition(":")
            if name.lower() == "content-type":
                made.append(f"-ContentType {_single(value.strip())}")
            else:
                made.append(f"-Headers @{{{_single(name)} = {_single(value.strip())}}}")
        elif word in ("-d", "--data"):
            made.append(f"-Body {_single(next(rest, ''))}")
        elif not word.startswith("-"):
            url = word
    post = ["-Method Post"] if any(part.startswith("-Body") for part in made) else []
    return " ".join(["Invoke-RestMethod", _single(url), *post, *made])


def command_groups(process: Plain, bind: str | None = None, program: bool = True) -> list[Group]:
    """Program and arguments, grouped into lines.

    bind: address to put where the process binds, for a container; program False leaves the program out.
    """
    groups: list[Group] = [Group(list(process["program"]))] if program and process["program"] else []
    after_bind = False
    for arg in process["args"]:
        words = arg_words(arg, bind)
        why, params = arg.get("why"), arg.get("params") or {}
        last = groups[-1] if groups else None
        positional = not arg["flag"].startswith("-")
        if last is not None and len(groups) == 1 and positional and last.why is None:
            last.words += words
            last.why, last.params = why, params
        elif last is not None and after_bind and not why:
            last.words += words  # the port shares the line of the address
        else:
            groups.append(Group(words, why, params))
        after_bind = bool(arg.get("bind"))
    return groups or [Group([])]


def arg_words(arg: Plain, bind: str | None = None) -> list[str]:
    """An argument as words; a flag that ends in "=" takes its value in the same word."""
    value = arg["value"]
    if bind and arg.get("bind") and value is not None:
        value = value.replace("127.0.0.1", bind)
    if value is None:
        return [arg["flag"]]
    return [arg["flag"] + value] if arg["flag"].endswith("=") else [arg["flag"], value]


def continued(groups: list[Group], quote: Any, mark: str, flush: int) -> list[Line]:
    """Groups as lines joined by a continuation mark; the first `flush` + 1 lines are not indented."""
    lines = []
    for index, group in enumerate(groups):
        words = group.words if group.raw else [quote(w) for w in group.words]
        indent = "" if index <= flush else "  "
        end = mark if index < len(groups) - 1 else ""
        lines.append(Line(indent + " ".join(words) + end, group.why, group.params))
    return lines


def quote_powershell(word: str) -> str:
    """A word as PowerShell passes it on unchanged: bare if harmless, else in single quotes."""
    return word if _BARE.fullmatch(word) else _single(word)


def _single(text: str) -> str:
    # the four curly quotes count as single quotes in PowerShell
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def _heredoc(file: Plain) -> list[Line]:
    content = file["content"].rstrip("\n")
    mark = "EOF"
    while mark in content.split("\n"):
        mark += "_"
    folder = file["path"].rpartition("/")[0]
    lines = [Line(f"mkdir -p -- {shlex.quote(folder)}")] if folder not in ("", ".") else []
    lines.append(Line(f"cat > {shlex.quote(file['path'])} <<'{mark}'", "command.file"))
    return [*lines, *(Line(text) for text in content.split("\n")), Line(mark)]


def _set_content(file: Plain) -> list[Line]:
    content = file["content"].rstrip("\n")
    path = _single(file["path"])
    folder = file["path"].rpartition("/")[0]
    lines = (
        [Line(f"New-Item -ItemType Directory -Force {_single(folder)} | Out-Null")] if folder not in ("", ".") else []
    )
    if any(text.startswith(("'@", "\u2019@", "\u2018@")) for text in content.split("\n")):
        return [*lines, Line(f"Set-Content -Path {path} -Value {_single(content)}", "command.file")]
    body = [Line(text) for text in content.split("\n")]
    return [*lines, Line(f"Set-Content -Path {path} -Value @'", "command.file"), *body, Line("'@")]
