"""The age of a reading against its shelf life."""

from __future__ import annotations

from html import escape

from markupsafe import Markup

from knowledge import shelf


def share(kind: str, read: str, today: str) -> float:
    """How much of the shelf life has passed on `today`: 0 on the day of reading, 1 at the end."""
    start = shelf.day(read)
    life = (shelf.end_of_life(kind, read) - start).days
    return max(0.0, (shelf.day(today) - start).days / life)


def ruler(passed: float, label: str) -> Markup:
    """A 46 pixel ruler with a dot at today, or a diamond when today is past the end.

    passed: share of the shelf life that has passed; the scale ends a little after 1. The style draws the ruler, since a
    page has hundreds of them.
    """
    end = 37.0  # where the style has the end of the shelf life
    if passed < 1:
        mark = f'<circle cx="{1 + (end - 1) * passed:.1f}" cy="10" r="2.5"/>'
    else:
        mark = '<rect x="39.5" y="6.5" width="6" height="6" transform="rotate(45 42.5 9.5)"/>'
    return Markup(
        f'<svg class="wp-age" viewBox="0 0 46 14" role="img" aria-label="{escape(label, quote=True)}">{mark}</svg>'
    )
