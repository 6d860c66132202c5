"""One entry against the schema of its kind, with problems that name the key or value at fault."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from knowledge.kinds import SCHEMAS, schema
from knowledge.nearest import nearest
from knowledge.yaml12 import Path, Problem

_TYPES = {
    "object": "a map",
    "array": "a list",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


@cache
def _registry() -> Registry:
    pairs = []
    for file in sorted(SCHEMAS.glob("*.schema.json")):
        contents = schema(file.name.removesuffix(".schema.json"))
        pairs.append((file.name, Resource.from_contents(contents)))
    return Registry().with_resources(pairs)


@cache
def validator(kind: str) -> Draft202012Validator:
    """Validator of one kind; `$ref` resolves among the files of `knowledge/schema/` only."""
    return Draft202012Validator(schema(kind), registry=_registry())


def problems(kind: str, data: Any) -> list[Problem]:
    """Every departure of `data` from its schema, ordered by path."""
    found: dict[tuple[Any, ...], Problem] = {}
    for error in validator(kind).iter_errors(data):
        for problem in _translate(error, tuple(error.absolute_path)):
            found.setdefault((problem.code, problem.path, problem.on_key, str(problem.detail.get("key"))), problem)
    return sorted(found.values(), key=lambda p: (str(p.path), p.code, str(p.detail)))


def type_name(value: Any) -> str:
    """What a value is, in the words of the findings."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int):
        return "a whole number"
    if isinstance(value, float):
        return "a number"
    return {dict: "a map", list: "a list"}.get(type(value), "a text")


def _translate(error: ValidationError, path: Path) -> Iterator[Problem]:
    keyword = error.validator
    if keyword == "additionalProperties":
        valid = list(error.schema.get("properties", ()))
        for key in error.instance:
            if key not in valid:
                yield _unknown_key(path, key, valid)
    elif "propertyNames" in error.schema_path and isinstance(error.instance, str) and keyword in ("enum", "pattern"):
        if keyword == "enum":
            yield _unknown_key(path, error.instance, error.validator_value)
        else:
            detail = {"value": error.instance, "form": _form(error)}
            yield Problem("K015", (*path, error.instance), on_key=True, detail=detail)
    elif keyword == "required":
        for key in error.validator_value:
            if key not in error.instance:
                field = error.schema.get("properties", {}).get(key, {})
                yield Problem("K012", path, detail={"key": key, "about": _description(field)})
    elif keyword in ("enum", "const"):
        valid = error.validator_value if keyword == "enum" else [error.validator_value]
        near = nearest(str(error.instance), [str(v) for v in valid if v is not None])
        detail = {"value": error.instance, "valid": valid, "nearest": near, "about": _description(error.schema)}
        yield Problem("K013", path, detail=detail)
    elif keyword == "type":
        wanted = error.validator_value
        yield _wrong_type(path, error.instance, wanted if isinstance(wanted, list) else [wanted], error.schema)
    elif keyword in ("oneOf", "anyOf"):
        yield from _branch(error, path)
    else:
        yield Problem("K015", path, detail={"value": error.instance, "form": _form(error)})


def _branch(error: ValidationError, path: Path) -> Iterator[Problem]:
    """Explain a value that fits no alternative by the alternative of its own type."""
    branches: dict[int, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    # a map or list is never the value of a closed list of words, so that `enum` counts as its type
    whole = {"type", "enum"} if isinstance(error.instance, (dict, list)) else {"type"}
    fitting = [
        errors for errors in branches.values() if not any(e.validator in whole and not e.relative_path for e in errors)
    ]
    if not fitting:
        wanted = [t for option in error.validator_value for t in _types(option)]
        yield _wrong_type(path, error.instance, wanted, error.schema)
        return
    for inner in fitting[0]:
        yield from _translate(inner, (*path, *inner.relative_path))


def _types(option: dict[str, Any]) -> list[str]:
    if "type" in option:
        return option["type"] if isinstance(option["type"], list) else [option["type"]]
    return ["string"] if "enum" in option else []


def _wrong_type(path: Path, value: Any, wanted: list[str], field: dict[str, Any]) -> Problem:
    detail = {
        "value": value,
        "is": type_name(value),
        "wanted": " or ".join(dict.fromkeys(_TYPES.get(t, t) for t in wanted)),
        # a version such as 0.33 or a capability such as 8.6 read as a number: quoting is the whole fix
        "quote": "string" in wanted and isinstance(value, (int, float, bool)),
        "about": _description(field),
    }
    return Problem("K014", path, detail=detail)


def _unknown_key(path: Path, key: str, valid: list[str]) -> Problem:
    detail = {"key": key, "nearest": nearest(key, valid), "valid": sorted(valid)}
    return Problem("K011", (*path, key), on_key=True, detail=detail)


def _description(field: dict[str, Any]) -> str | None:
    if "description" in field or "$ref" not in field:
        return field.get("description")
    from knowledge.kinds import resolve

    return resolve(field["$ref"]).get("description")


def _form(error: ValidationError) -> str:
    limit = error.validator_value
    return {
        "pattern": f"the form {limit}",
        "minLength": "some text",
        "minItems": f"at least {limit} items",
        "maxItems": f"at most {limit} items",
        "minimum": f"at least {limit}",
        "maximum": f"at most {limit}",
        "exclusiveMinimum": f"more than {limit}",
        "uniqueItems": "no item twice",
        "minProperties": f"at least {limit} keys",
    }.get(str(error.validator), error.message)
