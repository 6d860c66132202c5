"""Style, script and typefaces, once for all languages, in site/assets/.

The style sheets of docs/assets/css and of the answer become one file, in the order of their names; the
typefaces come from the pinned npm packages. Names carry a hash of the content, so a browser may keep them.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from macros.site.paths import ASSETS, NODE, ROOT, SITE, write

SANS = NODE / "@fontsource-variable" / "ibm-plex-sans"
MONO = NODE / "@fontsource" / "ibm-plex-mono"
WEIGHTS = ("400", "500", "600")
# subsets that each language reads with; only these are worth a preload
PRELOAD = {"en": ("latin",), "vi": ("latin", "vietnamese"), "ru": ("latin", "cyrillic")}
_FACE = re.compile(r"/\* (?P<name>[\w-]+) \*/\s*@font-face \{(?P<body>[^}]*)\}")
_FILE = re.compile(r"url\(\./files/([\w-]+\.woff2)\)")


def build(out: Path = SITE, hashed: bool = True) -> dict:
    """Write everything below out/assets; returns {"css", "js", "head", "before", "preload": {lang: [...]}}, lists from
    the root.

    head: scripts that run before there is a body. before: scripts that have to be there before the theme's own.

    hashed: names carry the hash of the content. A preview keeps plain names, which pages it does not touch know.
    """
    target = out / "assets"
    faces, fonts = typefaces(target)
    css = faces + "".join(f.read_text(encoding="utf-8") for f in sheets())
    kept = {write_named(target, "we", "css", minified(css), hashed)}
    scripts, head, before = (
        [write_named(target, f.stem, "js", f.read_text(encoding="utf-8"), hashed) for f in sorted(folder.glob("*.js"))]
        for folder in (ASSETS / "js", ASSETS / "js" / "head", ASSETS / "js" / "before")
    )
    kept |= {*scripts, *head, *before}
    for old in [*target.glob("*.css"), *target.glob("*.js")]:
        if old.name not in kept:
            old.unlink()
    shutil.copytree(ASSETS / "img", target / "img", dirs_exist_ok=True)
    sheet = next(name for name in kept if name.endswith(".css"))
    preload = {
        lang: [f"assets/fonts/{fonts[f'ibm-plex-sans-{subset}-wght-normal']}" for subset in subsets]
        for lang, subsets in PRELOAD.items()
    }
    js, head, before = ([f"assets/{name}" for name in names] for names in (scripts, head, before))
    return {"css": [f"assets/{sheet}"], "js": js, "head": head, "before": before, "preload": preload}


def sheets() -> list[Path]:
    """Style sheets in the order in which they are joined: ours by name, the answer's between parts and print."""
    own = sorted((ASSETS / "css").glob("*.css"))
    answer = sorted((ROOT / "wizard" / "web").glob("*.css"))
    return [f for f in own if f.name < "90"] + answer + [f for f in own if f.name >= "90"]


def typefaces(target: Path) -> tuple[str, dict[str, str]]:
    """Copy the woff2 files; returns their @font-face rules and {face: file}."""
    rules, files = [], {}
    for package, names in ((SANS, ("wght",)), (MONO, WEIGHTS)):
        for name in names:
            for face in _FACE.finditer((package / f"{name}.css").read_text(encoding="utf-8")):
                if "-greek" in face["name"]:
                    continue
                file = _FILE.search(face["body"])[1]
                files[face["name"]] = file
                body = re.sub(r"src:[^;]*;", f"src: url(fonts/{file}) format('woff2');", face["body"])
                rules.append(f"@font-face{{{body.strip()}}}\n")
                font = target / "fonts" / file
                if not font.exists() or font.stat().st_size != (package / "files" / file).stat().st_size:
                    font.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(package / "files" / file, font)
    for package, name in ((SANS, "OFL-ibm-plex-sans.txt"), (MONO, "OFL-ibm-plex-mono.txt")):
        write(target / "fonts" / name, (package / "LICENSE").read_bytes())
    return "".join(rules), files


def minified(css: str) -> str:
    """Style without comments and needless white space; strings are left alone."""
    parts = re.split(r"(\"[^\"\n]*\"|'[^'\n]*')", re.sub(r"/\*.*?\*/", "", css, flags=re.S))
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", parts[i]))
        parts[i] = parts[i].replace(": ", ":").replace(";}", "}")
    return "".join(parts).strip() + "\n"


def write_named(folder: Path, stem: str, suffix: str, content: str, hashed: bool) -> str:
    """Write `<stem>.<hash>.<suffix>`, or without the hash; returns the name."""
    mark = f".{hashlib.sha256(content.encode()).hexdigest()[:8]}" if hashed else ""
    name = f"{stem}{mark}.{suffix}"
    write(folder / name, content)
    return name
