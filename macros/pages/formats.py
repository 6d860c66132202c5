"""Which format runs where: the large matrix, and the list of formats.

The page carries the NVIDIA table with the usual formats; matrix.json beside it has every cell, so that
the controls can draw any other table.
"""

from __future__ import annotations

from collections.abc import Iterator

from macros import kernels, matrix, words
from macros.catalog import Page
from macros.templates import render as fill
from macros.view import View
from macros.world import World


def pages(world: World) -> Iterator[Page]:
    """One page."""
    yield Page("formats/index.md", "formats", title=lambda v: v.plain("pages.nav.formats"), hide=("navigation", "toc"))


def render(view: View, id_: str) -> str:
    """The matrix and the list."""
    data = matrix.data(view)
    cells = data["cells"].values()
    groups = list(dict.fromkeys(column["group"] for column in data["columns"]))
    return fill(
        "formats.md", view, words=words, groups=groups, shown_group=groups[0], devices=view.world.entries("device"),
        formats=view.world.entries("format"), shown_formats=data["shown"], group_of=kernels.group_of,
        table=matrix.table(view, data, groups[0], data["shown"]), cells=len(data["cells"]),
        unknown=sum(cell["k"] == kernels.UNKNOWN for cell in cells),
    )  # fmt: skip
