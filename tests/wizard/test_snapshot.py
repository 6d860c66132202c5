"""Decisions change only together with the committed list of them, so that every change is seen in review."""

from .snapshot import changes, lines


def test_decisions_are_the_committed_ones(kb):
    now = lines(kb)
    assert len(now) >= 500
    found = changes(now)
    assert not found, "decisions changed; look at them, then run: python -m tests.wizard.snapshot\n" + "\n".join(found)
