"""One language, shown while it is edited: only pages that changed are rendered again. Never published."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from knowledge import kinds
from macros import adapter, similar
from macros.runtime import RuntimeNotMade
from macros.site import assets, root, runtime, search, serve
from macros.site.assemble import assemble, refresh, watched
from macros.site.build import Failed, mkdocs_build
from macros.site.paths import ASSETS, BUILD, ROOT
from macros.world import World, load_world

_POLL_S = 0.25
_CODE = (".py",)
# Kind of page that shows an entry, where it is not called like the kind of entry.
PAGE_OF = {
    "source": "publisher",
    "benchmarking": "benchmark",
    "term": "glossary",
    "rule": "rules",
    "claim": "claims",
    "guide": "guides",
    "question": "questions",
    "measurement": "measurements",
    "family": "engines",
}
# Asks the server for the number of the build and loads the page again when it is another.
_RELOAD = b"""<script>(function(){var n;setInterval(function(){fetch('/_preview.txt',{cache:'no-store'})
.then(function(r){return r.text()}).then(function(t){if(n===undefined)n=t;if(t!==n)location.reload()}).catch(function(){})},700)})()</script>"""


def preview(lang: str, port: int) -> int:
    """Build, serve on 127.0.0.1, and build again on every edit until interrupted."""
    site = BUILD / "preview"
    seen = _times()
    try:
        _build(lang, site, load_world())
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    try:
        server = serve.make(site, port, transform=_with_reload)
    except OSError as error:
        print(f"port {port} cannot be used ({error.strerror}); try: make preview PORT={port + 1}", file=sys.stderr)
        return 1
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"\n  http://127.0.0.1:{server.server_port}/{lang}/\n\nCtrl+C stops it.", flush=True)
    try:
        while True:
            time.sleep(_POLL_S)
            now = _times()
            changed = [name for name in now.keys() | seen.keys() if now.get(name) != seen.get(name)]
            if not changed:
                continue
            seen = now
            if any(name.endswith(_CODE) for name in changed):
                server.server_close()
                os.execv(sys.executable, [sys.executable, "-m", "macros.site", *sys.argv[1:]])
            _again(lang, site, changed)
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()
    return 0


def _again(lang: str, site: Path, changed: list[str]) -> None:
    """Bring the preview up to date: the edited entry's page first, then whatever else the edit reaches."""
    started = time.perf_counter()
    try:
        if all(Path(name).is_relative_to(ASSETS) for name in changed):
            assets.build(site, hashed=False)
            _tell(site)
        else:
            world = load_world(fresh=True)
            if _first(world, lang, site, changed):
                _say(changed, "its page", started)
            _build(lang, site, world)
    except Exception as error:  # an edit in the middle of a word must not end the preview
        print(f"{', '.join(sorted(changed)[:3])}: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):
            print(f"  {note}", file=sys.stderr)
        return
    _say(changed, "all pages", started)


def _say(changed: list[str], what: str, started: float) -> None:
    names = ", ".join(str(Path(name).relative_to(ROOT)) for name in sorted(changed)[:3])
    print(f"{time.perf_counter() - started:5.1f} s  {what}  {names}", flush=True)


def _first(world: World, lang: str, site: Path, changed: list[str]) -> bool:
    """Show the pages of the edited entries at once. False when there are none, or nothing on them changed."""
    edited = set()
    for name in changed:
        if Path(name).is_relative_to(kinds.ROOT):
            kind = kinds.kind_of(Path(name).relative_to(kinds.ROOT).as_posix())
            edited |= {(PAGE_OF.get(kind, kind), Path(name).stem), (PAGE_OF.get(kind, kind), "")}
    if not edited or not refresh(world, lang, lambda page: (page.kind, page.id) in edited):
        return False
    mkdocs_build(BUILD / lang / "mkdocs.yml", dirty=True, strict=False)
    _tell(site)
    return True


def _build(lang: str, site: Path, world: World) -> None:
    adapter.rendered.clear()
    similar.frozen = True
    shared = assets.build(site, hashed=False)
    shared["js"] += _runtime(world)
    config, found = assemble(world, lang, shared, site)
    first = not (site / lang / "index.html").exists()
    mkdocs_build(config, dirty=not first, strict=False)
    search.complete(site / lang, lang, found)
    world.save()
    if first:
        root.write_root(world, site)
        runtime.install(site)
    _tell(site)


def _tell(site: Path) -> None:
    """Let open pages load themselves again."""
    (site / "_preview.txt").write_text(str(time.time_ns()))


_scripts: list[str] | None = None


def _runtime(world: World) -> list[str]:
    """The wizard's scripts, made once: an edit of a fact shows on its page at once, in the wizard after a build."""
    global _scripts
    if _scripts is None:
        try:
            _scripts = runtime.prepare(world)
        except RuntimeNotMade as error:
            print(f"the wizard page will not answer: {error}", file=sys.stderr)
            _scripts = []
    return _scripts


def _with_reload(kind: str, data: bytes) -> bytes:
    return data.replace(b"</body>", _RELOAD + b"</body>") if kind == "text/html" else data


def _times() -> dict[str, int]:
    """Time of change of every file that a page may depend on."""
    found = {}
    for base in watched():
        for file in base.rglob("*") if base.is_dir() else [base]:
            if "__pycache__" not in file.parts and file.is_file():
                found[str(file)] = file.stat().st_mtime_ns
    return found
