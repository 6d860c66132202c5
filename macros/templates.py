"""Jinja templates of the page kinds: `macros/templates/<name>.md` yields Markdown with raw HTML blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from macros.view import View, slug

_ENV = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
    extensions=["jinja2.ext.do"],
)
_ENV.filters["slug"] = slug


def render(name: str, view: View, **values: Any) -> str:
    """Fill a template. It sees the view as `v`, `t` as a short form of `v.t`, and what it is given."""
    return _ENV.get_template(name).render(v=view, t=view.t, **values)
