"""Links into code hosts that move with a branch."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from knowledge.findings import Finding
from knowledge.lint.rule import Rule, World, replacement

_COMMIT = re.compile(r"[0-9a-f]{7,40}\Z")
_BRANCH = re.compile(
    r"(main|master|dev|develop|development|trunk|head|latest|stable|release|gh-pages|next|nightly)\Z", re.I
)
_VIEWS = ("blob", "tree", "raw", "blame", "edit", "resolve", "src")
_HOSTS = ("github.com", "gitlab.com", "huggingface.co", "codeberg.org", "bitbucket.org")


def reference(url: str) -> tuple[str, str] | None:
    """Host and the branch, tag or commit that a link names; an empty one for a bare repository.

    None when the link is not a page that changes with a repository's files.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    path = [step for step in parts.path.split("/") if step and step != "-"]
    if host == "raw.githubusercontent.com":
        ref = path[2:3] if path[2:4] != ["refs", "heads"] else path[4:5]
        return host, ref[0] if ref else ""
    if host not in _HOSTS or len(path) < 2:
        return None
    if path[0] in ("datasets", "spaces") and host == "huggingface.co":
        path = path[1:]
    if len(path) == 2:
        # a model card is the page of its model, with its own shelf life; a repository's front page is a file
        return None if host == "huggingface.co" else (host, "")
    if path[2] not in _VIEWS:
        return None
    return host, path[3] if len(path) > 3 else ""


def check(world: World) -> Iterator[Finding]:
    for file, entry in world.entries("source"):
        for id, reading in entry["readings"].items():
            found = reference(reading["url"])
            if found is None or (found[1] and not _BRANCH.match(found[1])):
                continue
            branch, commit = found[1], reading.get("commit", "")
            place = file.place(("readings", id, "url"))
            edit = None
            if _COMMIT.match(commit):
                fix = f'put {commit} in place of "{branch}"' if branch else f"end the address in /tree/{commit}"
                edit = replacement(file, place, f"/{branch}/", f"/{commit}/") if branch else None
            else:
                fix = 'put the commit you read in the address (press "y" on the page of the file)'
            said = f'the link follows the branch "{branch}"' if branch else "the link has no commit or tag"
            yield RULE.at(place, said, nearest=commit or None, fix=fix, edit=edit)


RULE = Rule(
    code="K102",
    level="error",
    name="a link into a code host without commit or tag",
    why="the page behind it changes with every commit; a reader could no longer see what was read",
    fix="put the commit or tag into the address",
    bad="url: https://github.com/vllm-project/vllm/blob/main/README.md",
    good="url: https://github.com/vllm-project/vllm/blob/v0.33.0/README.md",
    check=check,
)
