"""Jinja templates of the page kinds: `macros/templates/<name>.md` yields Markdown with raw HTML blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.utils import missing

from macros.view import View, slug


class _Absent(StrictUndefined):
    """A field that an entry may leave out is false in a condition; printing it, or a mistyped name, raises."""

    __slots__ = ()

    def __bool__(self) -> bool:
        if self._undefined_obj is missing:
            self._fail_with_undefined_error()
        return False


_ENV = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=_Absent,
    extensions=["jinja2.ext.do"],
)
_ENV.filters["slug"] = slug


def render(name: str, view: View, **values: Any) -> str:
    """Fill a template. It sees the view as `v`, `t` as a short form of `v.t`, and what it is given."""
    return _ENV.get_template(name).render(v=view, t=view.t, **values)


def compile_all() -> None:
    """Read every template now, so that processes that start later inherit them."""
    for name in _ENV.list_templates():
        _ENV.get_template(name)
