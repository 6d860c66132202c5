"""The page of one engine: when to choose it, what runs where, every fact with source, age and edit link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from macros import kernels, starts, words
from macros.catalog import Page
from macros.facts import Fact, answer, clean, spelled
from macros.templates import render as fill
from macros.view import View, as_list
from macros.world import Entry, World


def pages(world: World) -> Iterator[Page]:
    """One page an engine, retired ones too."""
    for id_, entry in world.entries("engine").items():
        yield Page(f"engines/{id_}.md", "engine", id_, title=lambda v, e=entry: v.name(e), boost=2.0)


def render(view: View, id_: str) -> str:
    """The Markdown of one engine's page."""
    entry = view.world.entries("engine")[id_]
    family = view.world.entries("family").get(entry["family"])
    return fill(
        "engine.md",
        view,
        id=id_,
        entry=entry,
        family=family,
        where=where(view, id_),
        facts=facts(view, entry),
        features=answers(view, entry, "features", "feature"),
        production=answers(view, entry, "production", "production"),
        memory=memory(view, entry),
        args=list(arguments(view, entry)),
        starts=starts.of_engine(view.world, id_),
        drives=entry.get("over", []),
        driven_by=above(view.world, id_),
        sources=view.world.sources_of("engine", id_),
        words=words,
        measured=measured(view.world, id_),
    )  # fmt: skip


def above(world: World, id_: str) -> list[str]:
    """Apps, orchestrators and plugins that drive this engine."""
    engines = world.entries("engine").items()
    return [e for e, entry in engines if any(below["engine"] == id_ for below in entry.get("over", []))]


def measured(world: World, id_: str) -> int:
    """How many public measurements name this engine."""
    pages_ = world.entries("measurement").values()
    return sum(record["engine"] == id_ for page in pages_ for record in page["records"])


def where(view: View, id_: str) -> dict[str, Any] | None:
    """The small matrix: the group of kernel targets on which the engine has most cells that run."""
    table = kernels.table(view.world)
    groups: dict[str, list[kernels.Column]] = {}
    for column in kernels.columns(view.world):
        groups.setdefault(column.group, []).append(column)
    entry = view.world.entries("engine")[id_]
    families = list(dict.fromkeys(line["format"] for line in entry.get("formats", [])))
    best, most = None, 0
    for group, columns in groups.items():
        hits = sum((id_, family, c.arch) in table for family in families for c in columns)
        if hits > most:
            best, most = group, hits
    if best is None:
        return None
    columns = groups[best]
    rows = [(family, [table.get((id_, family, c.arch), kernels.Cell()) for c in columns]) for family in families]
    return {
        "group": best,
        "columns": columns,
        "rows": [(family, cells) for family, cells in rows if any(c.kernel != kernels.NO for c in cells)],
    }  # fmt: skip


def facts(view: View, entry: Entry) -> list[Fact]:
    """Where it runs, what it takes, how it spreads, what it speaks."""
    rows: list[Fact] = []
    for i, line in enumerate(entry.get("runs_on", [])):
        value = words.condition(view, line.get("needs"))
        if line.get("maturity") == "experimental":
            value = clean(view.t("pages.engine.experimental"), value)
        rows.append(
            Fact(
                view.t("pages.engine.on", backend=words.value(view, "backend", line["backend"])),
                value or view.t("pages.engine.any"), line["source"], ("runs_on", i),
                clean(view.say(line["note"]) if "note" in line else "", mode(view, entry, line), versions(view, line)),
            )
        )  # fmt: skip
    for name, line in entry.get("parallelism", {}).items():
        rows.append(answer(view, view.t(f"words.parallel.{name.replace('_', '-')}"), line, ("parallelism", name)))
    for i, line in enumerate(entry.get("offload", [])):
        rows.append(answer(view, view.t(f"words.offload-kind.{line['kind']}"), line, ("offload", i)))
    kinds = [words.value(view, "kv", k["type"]) for k in entry.get("kv_types", [])]
    if kinds:
        sources = list(dict.fromkeys(s for k in entry["kv_types"] for s in as_list(k["source"])))
        rows.append(Fact(view.t("pages.engine.kv-types"), ", ".join(dict.fromkeys(kinds)), sources, ("kv_types",)))
    apis = entry.get("apis", [])
    if apis:
        names = []
        for api in apis:
            tail = "" if api.get("is", "yes") == "yes" else f" ({view.plain('words.answer.' + api['is'])})"
            names.append(words.value(view, "api", api["api"]) + tail)
        sources = list(dict.fromkeys(s for api in apis for s in as_list(api["source"])))
        rows.append(Fact(view.t("pages.engine.apis"), ", ".join(names), sources, ("apis",)))
    return rows


def answers(view: View, entry: Entry, field: str, group: str) -> list[Fact]:
    """Rows for yes-or-no facts: features, or what a service needs."""
    return [
        answer(view, words.value(view, group, name), line, (field, name)) for name, line in entry.get(field, {}).items()
    ]


def parameter(view: View, name: str, value: Any) -> str:
    """A parameter of a rule with its name: a number and its unit, a word, ids of devices by their names, a table."""
    label, _, unit = words.value(view, "parameter", name).partition(", ")
    return mebibytes(view, value) if name == "mib" else f"{label} {_parameter(view, name, value)} {unit}".strip()


def _parameter(view: View, name: str, value: Any) -> str:
    if not isinstance(value, str):
        return view.exact(value)
    if name in TABLES:
        return ", ".join(TABLES[name](view, *row.split(":")) for row in value.split())
    ids = value.split()
    if all(id_ in view.world.entries("device") for id_ in ids):
        return words.joined(view, "device", ids)
    if name in ("index", "type", "kv_type", "sparse_fp8"):
        return words.value(view, "kv", value)
    return words.value(view, "parameter-value", value)


def mebibytes(view: View, value: float) -> str:
    """An amount in MiB."""
    return f"{view.exact(value)} {words.value(view, 'parameter', 'mib')}"


def _reserve(view: View, low: str, amounts: str) -> str:
    numbers = [mebibytes(view, float(n) if "." in n else int(n)) for n in amounts.split("+")]
    shapes = ("from", "each", "wide")
    return " + ".join(
        view.plain(f"words.parameter.reserve-{s}", n=n, low=low) for s, n in zip(shapes, numbers, strict=False)
    )


# parameters that are a table in a string, see the module of the rule: one row, as a reader wants it
TABLES = {
    "by_ranks": lambda view, low, share: view.plain(
        "words.parameter.by-ranks-row", n=int(low), share=view.exact(float(share))
    ),
    "reserve": _reserve,
}


def memory(view: View, entry: Entry) -> list[Fact]:
    """The memory rules with their parameters in a sentence each."""
    rows = []
    for i, rule in enumerate(entry.get("memory", [])):
        given = {k: v for k, v in rule.items() if k not in ("rule", "source", "versions", "mode", "backend", "note")}
        shown = ", ".join(parameter(view, k, v) for k, v in given.items() if not isinstance(v, bool))
        backends = [words.value(view, "backend", b) for b in as_list(rule.get("backend"))]
        said = words.value(view, "parameter-value", rule["note"]) if "note" in rule else ""
        note = clean(shown, ", ".join(backends), mode(view, entry, rule), versions(view, rule), said)
        about = view.t(f"words.memory-rule-text.{rule['rule']}")
        rows.append(Fact(view.t(f"words.memory-rule.{rule['rule']}"), about, rule["source"], ("memory", i), note))
    return rows


def arguments(view: View, entry: Entry) -> Iterator[dict[str, Any]]:
    """Every argument of every process, with its condition in words."""
    for p, process in enumerate(entry.get("launch", {}).get("processes", [])):
        for i, argument in enumerate(process["args"]):
            yield {
                "process": process["id"],
                "flag": argument["flag"],
                "value": argument.get("value"),
                "when": words.condition(view, argument.get("when")),
                "why": argument.get("why"),
                "versions": argument.get("versions"),
                "source": argument["source"],
                "path": ("launch", "processes", p, "args", i),
            }


def mode(view: View, entry: Entry, line: Entry) -> str:
    """The mode of a line, by its name."""
    found = next((m["name"] for m in entry.get("modes", []) if m["id"] == line.get("mode")), None)
    return view.plain("pages.engine.mode", name=found) if found else ""


def versions(view: View, line: Entry) -> str:
    """The versions of a line."""
    return view.plain("pages.engine.versions", range=spelled(line["versions"])) if "versions" in line else ""
