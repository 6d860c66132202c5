"""The Content-Security-Policy of every page, as a meta element, for hosts that set no headers.

Everything comes from the site itself. Inline scripts run by hash, and only the theme's own have one: a page
with any other inline script, handler or style is an error of the build. The policy of the page that a visit
began with stays in force while the theme swaps contents, so each page carries the hashes of all.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

# Asked for a model's config.json, only when the reader clicks on a button that names it.
MODEL_HOST = "https://huggingface.co"

_CHARSET = '<meta charset="utf-8">'
_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S | re.I)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.S | re.I)
_UNSAFE = re.compile(r"<[a-z][a-z0-9-]*\s(?:[^<>]*\s)?(on[a-z]+|style)\s*=|href=[\"']?\s*javascript:", re.I)
_EXPRESSION = re.compile(r"\{\{.*?\}\}")


class Refused(ValueError):
    """A page holds something that the policy would block."""


def policy(scripts: Iterable[str], styles: Iterable[str] = ()) -> str:
    """The policy. scripts, styles: text of the inline elements that may run."""
    script = " ".join(["'self'", "'wasm-unsafe-eval'", *sorted({f"'{digest(s)}'" for s in scripts})])
    style = " ".join(["'self'", *sorted({f"'{digest(s)}'" for s in styles})])
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self' {MODEL_HOST}; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'self'"
    )


def digest(text: str) -> str:
    """The source expression of an inline element: sha256-… of its text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def inline(page: str) -> list[str]:
    """Inline scripts of a page that a browser would run, in order; data blocks are none."""
    return [m[2] for m in _SCRIPT.finditer(page) if "src=" not in m[1] and "json" not in m[1]]


def put(page: str, scripts: Iterable[str]) -> str:
    """The page with the policy for these scripts and its own style elements, in place of an older one."""
    found = policy(scripts, _STYLE.findall(page))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{found}">'
    if _META.search(page):
        return _META.sub(lambda _: meta, page, count=1)
    return page.replace(_CHARSET, _CHARSET + meta, 1)


def complete(folder: Path) -> None:
    """Give every page below a folder the policy. Raises Refused with the page and what it may not hold."""
    pages = {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.html")}
    scripts: set[str] = set()
    for file, text in pages.items():
        own = inline(text)
        strange = [script for script in own if not any(known.fullmatch(script) for known in theme())]
        markup = _SCRIPT.sub("", text)
        blocked = _UNSAFE.search(markup) or _STYLE.search(markup)
        if strange or blocked or _CHARSET not in text:
            what = strange[0] if strange else blocked[0] if blocked else "no " + _CHARSET
            raise Refused(f"{file}: the policy of the site has no place for: {what[:120]}")
        scripts.update(own)
    for file, text in pages.items():
        file.write_text(put(text, scripts), encoding="utf-8")


@lru_cache(maxsize=1)
def theme() -> list[re.Pattern[str]]:
    """The theme's inline scripts as patterns: an address that the template fills in may be any."""
    import material

    found = []
    for template in sorted((Path(material.__file__).parent / "templates" / "partials" / "javascripts").glob("*.html")):
        for _, script in _SCRIPT.findall(template.read_text(encoding="utf-8")):
            found.append(re.compile("[^\"'\\\\<>]*".join(map(re.escape, _EXPRESSION.split(script)))))
    return found
